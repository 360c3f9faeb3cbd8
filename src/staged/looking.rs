//! What is best by all reports so far.

use super::event::StagedEvent;
use super::study::StagedStudy;
use crate::data::TrialId;
use crate::data::reports::RunState;
use crate::error::Result;
use crate::suggest::policy::stages::decision::{Decision, Moment, exhausted};
use crate::surrogate::curves::StagedFit;
use crate::surrogate::curves::belief::Belief;
use crate::surrogate::curves::costs::Rates;
use crate::surrogate::{Stream, seed};

/// A price that is not set begins at this share of what the best run is better than the middle one,
/// for the cost of one run.
const FIRST_PRICE: f64 = 0.02;

/// A price that is not set halves no more often than this.
const HALVINGS: u32 = 40;

impl StagedStudy {
    /// What is best by all reports so far.
    pub(super) fn decide(&mut self) -> Result<&Decision> {
        if self.decided.is_none() {
            let decision = self.look()?;
            self.decided = Some(decision);
        }
        self.decided.as_ref().ok_or_else(exhausted)
    }

    fn look(&mut self) -> Result<Decision> {
        self.refresh()?;
        loop {
            let decision = self.look_once()?;
            let anchor = decision.anchor.map(TrialId::from);
            let halves = self.lambda.is_none()
                && decision.stops()
                && decision.best.is_some()
                && self.halvings < HALVINGS;
            let halvings = self.halvings + u32::from(halves);
            if (halvings, anchor) != (self.halvings, self.anchor) {
                self.happens(StagedEvent::Turned { halvings, anchor })?;
            }
            if !halves {
                return Ok(decision);
            }
        }
    }

    fn look_once(&self) -> Result<Decision> {
        let Some((belief, rates)) = &self.belief else { return Err(exhausted()) };
        let under_way: Vec<(usize, f64)> = self
            .runs
            .iter()
            .filter_map(|run| match run.state {
                RunState::Running { until } => Some((run.id.index(), until / self.stages.total())),
                _ => None,
            })
            .collect();
        let beside = match under_way.is_empty() {
            true => None,
            false => Some(belief.beside(&self.runs, &under_way)?),
        };
        self.moment(beside.as_ref().unwrap_or(belief), rates).decide()
    }

    /// What is known now, with what is believed of ends and of costs.
    pub(super) fn moment<'a>(&'a self, belief: &'a Belief, rates: &'a Rates) -> Moment<'a> {
        let broke = self.runs.iter().filter(|run| run.state == RunState::Failed).count() as f64;
        let sound = self
            .runs
            .iter()
            .filter(|run| run.state != RunState::Failed && !run.reports.is_empty())
            .count() as f64;
        let in_hand = self.best_report().map(|report| report.outcome);
        let best = in_hand.map_or(1.0, |y| belief.scale.apply(y));
        let price = match self.lambda {
            Some(lambda) => belief.scale.difference(lambda),
            None => {
                FIRST_PRICE * best.max(1.0) / rates.middle() * 0.5f64.powi(self.halvings as i32)
            }
        };
        Moment {
            domain: &self.domain,
            belief,
            rates,
            runs: &self.runs,
            shares: &self.shares,
            price,
            survival: (sound + 1.0) / (sound + broke + 1.0),
            seed: self.seed,
            anchor: self.anchor.map(TrialId::index),
            left: self.budget.map(|budget| budget - self.spent),
            any_stage: self.stages.does_any_stage_count(),
            in_hand,
        }
    }

    /// Brings what is believed up to the reports.
    pub(super) fn refresh(&mut self) -> Result<()> {
        if Belief::is_due(self.fit.as_ref(), self.log.len()) {
            let before = self.fit.as_ref();
            let least = self.price_of_a_run();
            let mut fit =
                Belief::find(before, &self.shape, self.direction, least, &self.runs, &self.log)?;
            let rates_before = before.and_then(|fit| fit.rates.as_ref());
            let draw = seed(self.seed, Stream::CostFit, self.log.len());
            let found = Rates::find(
                self.paid_for(),
                &self.rate_model,
                rates_before,
                &self.runs,
                &self.log,
                self.domain.dim(),
                draw,
            )?;
            (fit.rates, fit.middle_cost) = (found.hyperparameters, found.middle);
            self.happens(StagedEvent::Fitted { fit: Box::new(fit) })?;
        }
        let Some(fit) = &self.fit else { return Ok(()) };
        match &mut self.belief {
            Some((belief, _)) => belief.extend(&self.runs, &self.log)?,
            None => self.belief = Some(self.believe(fit)?),
        }
        Ok(())
    }

    /// What is believed after all reports of ends, and after those of a fit of costs.
    pub(super) fn believe(&self, fit: &StagedFit) -> Result<(Belief, Rates)> {
        let targets: &[f64] = match self.stages.does_any_stage_count() {
            true => &self.shares,
            false => &[1.0],
        };
        let belief = Belief::new(fit, &self.shape, targets, self.direction, &self.runs, &self.log)?;
        let rates = Rates::new(
            self.paid_for(),
            &self.rate_model,
            fit.rates.as_ref(),
            fit.middle_cost,
            &self.runs,
            &self.log[..fit.reports],
            self.domain.dim(),
        )?;
        Ok((belief, rates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{Stage, staged_offset};
    use crate::data::Space;
    use crate::data::stages::Stages;

    /// The loss of a setting that falls and then rises, the sooner the larger the setting.
    fn loss(x: f64, share: f64) -> f64 {
        0.3 * (x - 0.6) * (x - 0.6) + (-8.0 * (0.2 + x) * share).exp() + 0.4 * x * share
    }

    fn study(any: bool) -> StagedStudy {
        let stages = Stages::of(1.0).any_stage_counts(any);
        let space = Space::new().float("x", 0.0, 1.0);
        let mut study =
            StagedStudy::minimize(space, stages).initial(6).lambda(0.01).build().unwrap();
        for _ in 0..16 {
            let ask = study.ask().unwrap();
            let (x, from) = (ask.get("x").unwrap().number().unwrap(), ask.resume().unwrap_or(0.0));
            study.report(ask.id(), ask.until(), loss(x, ask.until()), ask.until() - from).unwrap();
            if let RunState::Running { .. } = study.runs()[ask.id().index()].state {
                study.withdraw(ask.id()).unwrap();
            }
        }
        study.verdict().unwrap();
        study
    }

    /// The index is the largest over horizons, each by a pass of its own, and between its bounds.
    #[test]
    fn the_index_is_the_largest_over_horizons() {
        for any in [true, false] {
            let study = study(any);
            let (belief, rates) = study.belief.as_ref().unwrap();
            let moment = Moment { survival: 0.9, ..study.moment(belief, rates) };
            let paused: Vec<usize> = moment.paused();
            let (mut early, mut largest) = (0, f64::NEG_INFINITY);
            for (&run, outlook) in paused.iter().zip(moment.outlooks_of(&paused).unwrap()) {
                let costs = moment.costs_of(run);
                let each = 0.9f64.powf(1.0 / costs.len() as f64);
                let index = |report: usize| {
                    let prospect = outlook.to(report);
                    let stage = |(&sd, &cost): (&f64, &f64)| {
                        let price = moment.price_of(cost);
                        Stage { sd, price, survival: each }
                    };
                    let stages: Vec<Stage> = prospect.steps.iter().zip(&costs).map(stage).collect();
                    prospect.mean + staged_offset(&stages).unwrap()
                };
                let all: Vec<f64> = (0..outlook.len()).map(index).collect();
                let expected = match any {
                    true => all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    false => all[all.len() - 1],
                };
                let (got, _) = moment.index(&outlook, &costs).unwrap();
                assert_eq!(got, expected);
                early += usize::from(expected > all[all.len() - 1]);
                // A bound has the deviation of all that is unknown; roundings are those of a root.
                assert!(moment.bound(run, costs[0]).unwrap() >= got - 1e-9);
                largest = largest.max(got);
            }
            assert!(paused.len() > 4 && (early > 0) == any, "{} {early}", paused.len());
            let best = moment.decide().unwrap().best.unwrap();
            assert!(best.index >= largest);
        }
    }
}
