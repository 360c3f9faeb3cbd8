//! What is best by all reports so far.

use super::stages_view::StagesView;
use super::staging::{Staging, no_stages};
use crate::data::trial::trial::{Trial, TrialState};
use crate::data::{Points, TrialId};
use crate::error::Result;
use crate::study::events::event::{Event, Fits};
use crate::study::events::recommendation::Recommendation;
use crate::study::study::Study;
use crate::suggest::policy::stages::decision::{Decision, Leader, Limits, Snapshot, exhausted};
use crate::surrogate::curves::StagedFit;
use crate::surrogate::curves::belief::Belief;
use crate::surrogate::curves::costs::Rates;
use crate::surrogate::{Stream, seed};

/// A price that is not set begins at this share of what the best trial is better than the middle one,
/// for the cost of one trial.
const FIRST_PRICE: f64 = 0.02;

/// A price that is not set halves no more often than this.
const HALVINGS: u32 = 40;

/// What is best by all reports so far.
///
/// # Errors
/// `Exhausted` if nothing can be begun or resumed. Those of the model.
pub(super) fn decide(study: &mut Study) -> Result<&Decision> {
    if study.stages.as_ref().is_none_or(|own| own.decided.is_none()) {
        let decision = look(study)?;
        study.stages.iter_mut().for_each(|own| own.decided = Some(decision.clone()));
    }
    study.stages.as_ref().and_then(|own| own.decided.as_ref()).ok_or_else(exhausted)
}

fn look(study: &mut Study) -> Result<Decision> {
    refresh(study)?;
    loop {
        let seen = study.seen().ok_or_else(no_stages)?;
        let staging = seen.staging;
        let decision = seen.decide_once()?;
        let run_to_finish = decision.run_to_finish.map(TrialId::from);
        let halves = seen.lambda().is_none()
            && decision.stops()
            && decision.best.is_some()
            && staging.halvings < HALVINGS;
        let halvings = staging.halvings + u32::from(halves);
        if (halvings, run_to_finish) != (staging.halvings, staging.run_to_finish) {
            study.happens(Event::Turned { halvings, run_to_finish })?;
        }
        if !halves {
            return Ok(decision);
        }
    }
}

/// Brings what is believed up to the reports.
///
/// # Errors
/// Those of the model.
pub(super) fn refresh(study: &mut Study) -> Result<()> {
    let seen = study.seen().ok_or_else(no_stages)?;
    if let Some(fit) = seen.find()? {
        study.happens(Event::Fitted { fits: Box::new(Fits::of_curves(fit)) })?;
    }
    if study.limits().len() > 0 {
        // What was measured at ends says where limits hold.
        study.refit(study.setup.deadline())?;
    }
    let seen = study.seen().ok_or_else(no_stages)?;
    let new = match (&seen.staging.fit, &seen.staging.belief) {
        (Some(fit), None) => Some(seen.believe(fit)?),
        _ => None,
    };
    let Study { stages: Some(staging), trials, .. } = study else { return Ok(()) };
    match &mut staging.belief {
        Some((belief, _)) => belief.extend(&trials.trial_log.trials, &staging.log)?,
        none => *none = new,
    }
    Ok(())
}

/// The run to use, if runs are means of items.
///
/// # Errors
/// Those of the model.
pub(in crate::study) fn recommended(study: &mut Study) -> Result<Option<Recommendation>> {
    if study.seen().is_none_or(|seen| seen.knows_little()) {
        return Ok(None);
    }
    refresh(study)?;
    let found = study.seen().and_then(StagesView::recommended);
    Ok(found.and_then(|(run, mean, sd)| {
        Some(Recommendation {
            trial: run.id,
            names: study.trials.names.to_vec(),
            values: run.values.clone(),
            unit: run.unit.clone(),
            row: run.row,
            outcome: run.reports.last()?.outcome,
            measured: run.measured.clone(),
            mean,
            sd,
            covers: true,
        })
    }))
}

impl<'a> StagesView<'a> {
    fn decide_once(self) -> Result<Decision> {
        let Some((belief, rates)) = &self.staging.belief else { return Err(exhausted()) };
        let total = self.staging.stages.total();
        let pending = self.runs().iter().filter(|run| run.state == TrialState::Pending);
        let pending: Vec<(usize, f64)> =
            pending.filter_map(|run| Some((run.id.index(), run.until? / total))).collect();
        let beside =
            if pending.is_empty() { None } else { Some(belief.beside(self.runs(), &pending)?) };
        self.moment(beside.as_ref().unwrap_or(belief), rates)?.decide()
    }

    /// What is known now, with what is believed of ends and of costs.
    ///
    /// # Errors
    /// Those of what is known of limits.
    pub fn moment<'m>(self, belief: &'m Belief, rates: &'m Rates) -> Result<Snapshot<'m>>
    where
        'a: 'm,
    {
        let Staging { shares, halvings, run_to_finish, stages, .. } = self.staging;
        let broke = |run: &Trial| matches!(run.state, TrialState::Failed | TrialState::Infeasible);
        let count = |holds: &dyn Fn(&Trial) -> bool| {
            self.runs().iter().filter(|run| holds(run)).count() as f64
        };
        let sound = count(&|run| !broke(run) && !run.reports.is_empty());
        let broke = count(&broke);
        let are_items = stages.are_items();
        let (leader, incumbent) = match self.ranked(belief)[..] {
            [] if !are_items => (None, self.best().map(|(_, report)| report.outcome)),
            [] => (None, None),
            [(first, run), ref others @ ..] => {
                let ahead = others.first().map_or(0.0, |(second, _)| first - second);
                (Some(Leader { run, ahead }), Some(belief.scale.back(first)))
            }
        };
        let best = incumbent.map_or(1.0, |y| belief.scale.apply(y));
        let price = match self.lambda() {
            Some(lambda) => belief.scale.difference(lambda),
            None => FIRST_PRICE * best.max(1.0) / rates.middle() * 0.5f64.powi(*halvings as i32),
        };
        Ok(Snapshot {
            domain: &self.setup.domain,
            belief,
            rates,
            runs: self.runs(),
            shares,
            price,
            // What is known of limits counts failures where they happen.
            survival: match self.usable {
                Some(_) => 1.0,
                None => (sound + 1.0) / (sound + broke + 1.0),
            },
            seed: self.setup.seed,
            run_to_finish: run_to_finish.map(TrialId::index),
            left: self.left(),
            any_stage: stages.does_any_stage_count(),
            are_items,
            leader,
            incumbent,
            limits: self.limits()?,
        })
    }

    /// What is known of limits, if there are some.
    fn limits(self) -> Result<Option<Limits<'a>>> {
        let Some(usable) = self.usable else { return Ok(None) };
        let mut points = Points::new(self.setup.domain.dim());
        self.runs().iter().for_each(|run| points.push(&run.unit));
        Ok(Some(Limits { usable, runs: usable.probabilities(&points)? }))
    }

    /// The parameters of the models by all reports, if they are to be found anew.
    fn find(self) -> Result<Option<StagedFit>> {
        let Staging { fit: before, log, shape, rate_model, .. } = self.staging;
        if !Belief::is_due(before.as_ref(), log.len()) {
            return Ok(None);
        }
        let (before, direction) = (before.as_ref(), self.trials.trial_log.direction());
        let mut fit = Belief::find(before, shape, direction, self.runs(), log)?;
        let found = Rates::find(
            &self.staging.tariff,
            rate_model,
            before.and_then(|fit| fit.rates.as_ref()),
            self.runs(),
            log,
            self.setup.domain.dim(),
            seed(self.setup.seed, Stream::CostFit, log.len()),
        )?;
        fit.rates = found.hyperparameters;
        fit.middle_cost = found.middle;
        Ok(Some(fit))
    }

    /// What is believed after all reports of ends, and after those of a fit of costs.
    pub fn believe(self, fit: &StagedFit) -> Result<(Belief, Rates)> {
        let Staging { stages, shares, shape, log, rate_model, .. } = self.staging;
        let targets: &[f64] = if stages.does_any_stage_count() { shares } else { &[1.0] };
        let direction = self.trials.trial_log.direction();
        let belief = Belief::new(fit, shape, targets, direction, self.runs(), log)?;
        let rates = Rates::new(
            &self.staging.tariff,
            rate_model,
            fit.rates.as_ref(),
            fit.middle_cost,
            self.runs(),
            &log[..fit.reports],
            self.setup.domain.dim(),
        )?;
        Ok((belief, rates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{Stage, staged_offset};
    use crate::data::Space;
    use crate::data::trial::stages::Stages;
    use crate::suggest::Policy;

    /// The loss of a setting that falls and then rises, the sooner the larger the setting.
    fn loss(x: f64, share: f64) -> f64 {
        0.3 * (x - 0.6) * (x - 0.6) + (-8.0 * (0.2 + x) * share).exp() + 0.4 * x * share
    }

    fn study(any: bool) -> Study {
        let stages = Stages::of(1.0).any_stage_counts(any);
        let space = Space::new().float("x", 0.0, 1.0);
        let mut study = Study::minimize(space)
            .stages(stages)
            .initial(6)
            .policy(Policy::gittins(0.01))
            .build()
            .unwrap();
        for _ in 0..16 {
            let ask = study.ask().unwrap();
            let x = ask.get::<f64>("x").unwrap();
            let from = ask.resume().unwrap_or(0.0);
            study.report(ask.id(), ask.until(), loss(x, ask.until()), ask.until() - from).unwrap();
            if study.history()[ask.id().index()].state == TrialState::Pending {
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
            let seen = study.seen().unwrap();
            let (belief, rates) = seen.staging.belief.as_ref().unwrap();
            let moment = Snapshot { survival: 0.9, ..seen.moment(belief, rates).unwrap() };
            let paused: Vec<usize> = moment.paused();
            let (mut early, mut largest) = (0, f64::NEG_INFINITY);
            for (&run, outlook) in paused.iter().zip(moment.outlooks_of(&paused).unwrap()) {
                let rest = moment.remainder_of(run);
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
                let expected = if any {
                    all.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                } else {
                    all[all.len() - 1]
                };
                let (got, _) = moment.index(&outlook, &rest).unwrap();
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
