//! How events change a study in stages.

use super::staging::Staging;
use crate::data::trial::observation::check_cost;
use crate::data::trial::reports::{Advice, Report};
use crate::data::trial::stages::{Stages, reaches};
use crate::data::trial::trial::{Origin, Trial, TrialState};
use crate::data::{Domain, State, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::math::points::is_same;
use crate::math::saturating::{difference, sum};
use crate::study::events::ask::Why;
use crate::study::events::event::Event;
use crate::study::events::outcome::Outcome;
use crate::study::events::point::Located;
use crate::study::trials::trials::Trials;
use crate::surrogate::curves::StagedFit;
use crate::surrogate::curves::entry::Entry;

/// After so many failures of its batches in a row a trial by items has failed.
const TRIES: usize = 3;

/// What a trial says at a progress.
struct Said<'a> {
    progress: f64,
    cost: f64,
    outcome: &'a Outcome,
}

impl Staging {
    /// Changes by an event, and says whether that was all: what an event does in any study is not
    /// done here. It is checked before anything changes.
    ///
    /// # Errors
    /// Those of the call that makes such an event.
    pub fn apply(&mut self, trials: &mut Trials, event: &Event) -> Result<bool> {
        if !matches!(event, Event::Judged { .. } | Event::Chosen { .. }) {
            self.decided = None;
        }
        match event {
            Event::Resumed { trial, until } => resume(trials, *trial, *until)?,
            Event::Reported { trial, progress, outcome, cost } => {
                let outcome = &Outcome::new(*outcome);
                self.report(trials, *trial, Said { progress: *progress, cost: *cost, outcome })?;
            }
            Event::Told { trial, outcome, .. } => self.take(trials, *trial, outcome)?,
            Event::Corrected { trial, outcome } => self.correct(trials, *trial, outcome)?,
            Event::Withdrawn { trial } => self.withdraw(trials, *trial)?,
            Event::Advised { trial, advice } => advised(trials, *trial, *advice)?,
            Event::Turned { halvings, anchor } => {
                (self.halvings, self.anchor) = (*halvings, *anchor);
            }
            Event::Paid { trial, cost } => self.miss(trials, *trial, *cost)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes a fit that is awaited, once the reports are there that it was made with.
    ///
    /// # Errors
    /// `InvalidSetting` for one of another study.
    pub fn take_fit(&mut self, awaited: &mut Option<Box<StagedFit>>) -> Result<()> {
        let Some(fit) = awaited.take_if(|fit| fit.reports <= self.log.len()) else {
            return Ok(());
        };
        if fit.parameters.len() != self.shape.len() || fit.scale.len() != 2 {
            let message = "a fit does not belong to this study";
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        (self.fit, self.belief) = (Some(*fit), None);
        Ok(())
    }

    /// Takes the result of a trial: its report at the end, or that it broke.
    fn take(&mut self, trials: &mut Trials, id: TrialId, outcome: &Outcome) -> Result<()> {
        if outcome.state != State::Complete {
            return self.fail(trials, id, outcome);
        }
        let cost = outcome.cost.ok_or_else(|| {
            let message = format!("{id}: expected its cost since its last report, got none");
            Error::new(ErrorKind::MissingCost, message)
        })?;
        let progress = self.stages.total();
        self.report(trials, id, Said { progress, cost, outcome })
    }

    fn report(&mut self, trials: &mut Trials, id: TrialId, said: Said<'_>) -> Result<()> {
        let Said { progress, cost, outcome } = said;
        let total = self.stages.total();
        let value = outcome.value.unwrap_or(f64::NAN);
        let trial = trials.trial_log.trial(id)?;
        let before = trial.state;
        if before.is_told() {
            let message = format!("{id}: it is {before}, and reports no more");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        check_progress(trial, progress, &self.stages).map_err(|error| error.at(id))?;
        check_value(value).map_err(|error| error.at(id))?;
        check_cost(cost, Some(0.0)).map_err(|error| error.at(id))?;
        let share = progress / total;
        let value = match trial.reports.last().filter(|_| self.stages.are_means()) {
            Some(Report { outcome: before, progress: done, .. }) => {
                let parts = progress / (progress - done);
                sum(*before, difference(value, *before) / parts)
            }
            None => value,
        };
        if reaches(progress, total) {
            let measures = trials.trial_log.observations.measures();
            measures.check(&outcome.measured, true).map_err(|error| error.at(id))?;
            let outcome = Outcome { value: Some(value), ..outcome.clone() };
            trials.end(id, &outcome, cost).map_err(|error| error.at(id))?;
        } else {
            trials.pay_stage(id, cost);
            if before != TrialState::Abandoned {
                trials.trial_log.set_state(id, TrialState::Paused);
            }
        }
        trials.ledger.counts.pending -= usize::from(before == TrialState::Pending);
        let trial = &mut trials.trial_log.trials[id.index()];
        trial.until = None;
        trial.reports.push(Report { progress, share, outcome: value, cost });
        self.spent = sum(self.spent, cost);
        self.log.push(Entry { run: id.index(), share, outcome: Some(value) });
        self.missed.retain(|other| !is_at(trials, *other, id));
        Ok(())
    }

    /// Takes a trial that others evaluated to its end.
    ///
    /// # Errors
    /// Those of a report at the end; `InvalidSetting` for folds, of which each is a report.
    pub fn import(
        &mut self,
        trials: &mut Trials,
        domain: &Domain,
        point: Located,
        outcome: &Outcome,
    ) -> Result<()> {
        let id = trials.trial_log.next_id();
        let is_complete = outcome.state == State::Complete;
        if is_complete && self.stages.are_folds() {
            let message = format!("{id}: the folds of a trial are told one by one");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        let value = outcome.value.filter(|_| is_complete);
        value.map_or(Ok(()), check_value).map_err(|error| error.at(id))?;
        let outcome = Outcome { cost: outcome.cost.or(Some(0.0)), ..outcome.clone() };
        check_cost(outcome.cost.unwrap_or(0.0), Some(0.0)).map_err(|error| error.at(id))?;
        trials.enter(domain, point.drawn, Origin::Imported, Why::Exploring);
        let spent = self.spent;
        self.take(trials, id, &outcome)?;
        // Somebody else paid for it.
        self.spent = spent;
        Ok(())
    }

    fn fail(&mut self, trials: &mut Trials, id: TrialId, outcome: &Outcome) -> Result<()> {
        let cost = outcome.cost.unwrap_or(0.0);
        let trial = pending(trials, id)?;
        check_cost(cost, Some(0.0)).map_err(|error| error.at(id))?;
        let share = trial.until.map_or(1.0, |until| until / self.stages.total());
        trials.end(id, outcome, cost).map_err(|error| error.at(id))?;
        trials.ledger.counts.pending -= 1;
        trials.trial_log.trials[id.index()].until = None;
        self.spent = sum(self.spent, cost);
        self.log.push(Entry { run: id.index(), share, outcome: None });
        Ok(())
    }

    /// Whether a failure of a trial is that of a batch of items, which are tried again: one call that
    /// fails says nothing of the others. In a row so many fail only where something is wrong.
    pub fn tries_again(&self, trials: &Trials, id: TrialId, outcome: &Outcome) -> bool {
        let is_batch = self.stages.are_items() && self.stages.is_resumable();
        let missed = || self.missed.iter().filter(|other| is_at(trials, **other, id)).count();
        is_batch && outcome.state == State::Failed && missed() + 1 < TRIES
    }

    /// Takes what a batch of items cost that failed.
    fn miss(&mut self, trials: &mut Trials, id: TrialId, cost: f64) -> Result<()> {
        pending(trials, id)?;
        if !self.stages.are_items() {
            return Err(Self::reports_tell(id));
        }
        check_cost(cost, Some(0.0)).map_err(|error| error.at(id))?;
        trials.pay_stage(id, cost);
        self.spent = sum(self.spent, cost);
        self.missed.push(id);
        Ok(())
    }

    /// Replaces the outcome of the last report of a trial.
    fn correct(&mut self, trials: &mut Trials, id: TrialId, outcome: &Outcome) -> Result<()> {
        let refused =
            |message: &str| Err(Error::new(ErrorKind::InvalidSetting, format!("{id}: {message}")));
        let Some(value) = outcome.value.filter(|_| outcome.state == State::Complete) else {
            return refused("in stages a correction has an outcome");
        };
        if outcome.cost.is_some() {
            return refused("in stages a correction has no cost: what was paid stands");
        }
        if self.stages.are_means() {
            return refused("a report here is the mean so far, and cannot be corrected");
        }
        check_value(value).map_err(|error| error.at(id))?;
        let trial = trials.trial_log.trial(id)?;
        let is_complete = trial.state == TrialState::Complete;
        if trial.reports.is_empty() || (trial.state.is_told() && !is_complete) {
            return refused("nothing was reported of it that could be corrected");
        }
        if !is_complete && !outcome.measured.is_empty() {
            return refused("what is measured beside the outcome is told at its end");
        }
        if is_complete {
            let (_, index) = trials.trial_log.correctable(id)?;
            trials.trial_log.correct(id, index, outcome)?;
        }
        let entry = self.log.iter_mut().rev().find(|entry| entry.run == id.index());
        entry.into_iter().for_each(|entry| entry.outcome = Some(value));
        let reports = &mut trials.trial_log.trials[id.index()].reports;
        reports.last_mut().into_iter().for_each(|report| report.outcome = value);
        // Parameters that a wrong outcome led to are found anew.
        (self.fit, self.belief) = (None, None);
        Ok(())
    }

    fn withdraw(&mut self, trials: &mut Trials, id: TrialId) -> Result<()> {
        let is_new = pending(trials, id)?.reports.is_empty();
        trials.ledger.counts.pending -= 1;
        trials.trial_log.trials[id.index()].until = None;
        let state = match (is_new, self.stages.is_resumable()) {
            (true, _) => TrialState::Withdrawn,
            (false, true) => TrialState::Paused,
            (false, false) => TrialState::Abandoned,
        };
        trials.trial_log.set_state(id, state);
        if is_new {
            trials.free(id);
        }
        Ok(())
    }
}

fn resume(trials: &mut Trials, id: TrialId, until: f64) -> Result<()> {
    let state = trials.trial_log.trial(id)?.state;
    if state != TrialState::Paused {
        let message = format!("{id}: it is {state}, and does not wait to be resumed");
        return Err(Error::new(ErrorKind::InvalidSetting, message));
    }
    go_on(trials, id, until);
    Ok(())
}

fn go_on(trials: &mut Trials, id: TrialId, until: f64) {
    let trial = &mut trials.trial_log.trials[id.index()];
    let is_new = trial.state != TrialState::Pending;
    (trial.state, trial.until) = (TrialState::Pending, Some(until));
    trials.ledger.counts.pending += usize::from(is_new);
}

fn advised(trials: &mut Trials, id: TrialId, advice: Advice) -> Result<()> {
    let state = trials.trial_log.trial(id)?.state;
    let state = match advice {
        Advice::Continue { until } => {
            go_on(trials, id, until);
            return Ok(());
        }
        Advice::Abandon => TrialState::Abandoned,
        Advice::Pause if state == TrialState::Pending => TrialState::Paused,
        Advice::Pause | Advice::Done => return Ok(()),
    };
    let trial = &mut trials.trial_log.trials[id.index()];
    trials.ledger.counts.pending -= usize::from(trial.state == TrialState::Pending);
    (trial.state, trial.until) = (state, None);
    Ok(())
}

/// A trial that is pending.
fn pending(trials: &Trials, id: TrialId) -> Result<&Trial> {
    let trial = trials.trial_log.trial(id)?;
    if trial.state == TrialState::Pending {
        return Ok(trial);
    }
    let message = format!("{id}: it is {}, and not pending", trial.state);
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

impl Trials {
    /// Ends a trial, whose last stage cost so much. It is an observation from now on.
    fn end(&mut self, id: TrialId, outcome: &Outcome, cost: f64) -> Result<()> {
        let Trial { unit, cost: before, origin, .. } = &self.trial_log.trials[id.index()];
        let (origin, whole) = (*origin, sum(before.unwrap_or(0.0), cost));
        let observations = &mut self.trial_log.observations;
        let measured = observations.measures().aligned(&outcome.measured);
        // What cost nothing teaches a model of costs nothing.
        let whole = Some(whole).filter(|whole| *whole > 0.0);
        let index = observations.push(unit, outcome.state, outcome.value, whole)?;
        observations.note_measured(index, measured);
        self.pay_stage(id, cost);
        self.enter_told(id, outcome, index);
        self.trial_log.notes[id.index()].spent = Some(self.ledger.spent);
        self.count_told(origin);
        Ok(())
    }
}

fn check_progress(trial: &Trial, progress: f64, stages: &Stages) -> Result<()> {
    let (before, total) = (trial.progress(), stages.total());
    let invalid = |message| Err(Error::new(ErrorKind::InvalidSetting, message));
    if stages.are_folds() && progress != before + 1.0 {
        return invalid(format!("expected its fold {}, got progress {progress}", before + 1.0));
    }
    if stages.are_items() && progress.fract() != 0.0 {
        return invalid(format!("expected a whole number of items so far, got {progress}"));
    }
    if progress > before && progress <= total {
        return Ok(());
    }
    invalid(format!("expected a progress above {before} and at most {total}, got {progress}"))
}

/// Whether two trials have one setting.
fn is_at(trials: &Trials, one: TrialId, other: TrialId) -> bool {
    let [one, other] = [one, other].map(|id| &trials.trial_log.trials[id.index()].unit);
    is_same(one, other)
}

fn check_value(value: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    let message =
        format!("the outcome must be finite, got {value}; a trial that broke is told as failed");
    Err(Error::new(ErrorKind::NonFinite, message))
}
