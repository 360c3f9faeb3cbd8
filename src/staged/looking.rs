//! What is best by all reports so far.

use super::belief::Belief;
use super::costs::Rates;
use super::decision::{Decision, Moment, exhausted};
use super::event::{StagedEvent, StagedFit};
use super::run::RunState;
use super::study::StagedStudy;
use crate::error::Result;
use crate::study::TrialId;
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
