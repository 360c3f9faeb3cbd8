//! How a study of runs in stages changes: by one event after another.

use super::event::{Advice, StagedEvent};
use super::study::StagedStudy;
use crate::data::observation::check_cost;
use crate::data::reports::{Report, Run, RunState};
use crate::data::stages::reaches;
use crate::data::{Domain, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::math::saturating::{difference, sum};
use crate::surrogate::curves::StagedFit;
use crate::surrogate::curves::scale::Entry;

impl StagedStudy {
    /// Applies an event, and keeps it.
    ///
    /// # Errors
    /// Those of the call that makes such an event.
    pub(crate) fn happens(&mut self, event: StagedEvent) -> Result<()> {
        self.apply(&event)?;
        self.decided = None;
        self.events.push(event);
        Ok(())
    }

    fn apply(&mut self, event: &StagedEvent) -> Result<()> {
        match event {
            StagedEvent::Began { unit, row, until } => {
                let values = match (&self.domain, row) {
                    (Domain::Table(table), Some(row)) if *row < table.len() => table.values(*row),
                    (Domain::Space(space), None) if unit.len() == space.dim() => {
                        space.values_at(unit)
                    }
                    _ => {
                        let message = "its place is not in the study's space or table";
                        return Err(Error::new(ErrorKind::OutOfBounds, message));
                    }
                };
                self.runs.push(Run {
                    id: TrialId::from(self.runs.len()),
                    values,
                    unit: unit.clone(),
                    row: *row,
                    reports: Vec::new(),
                    state: RunState::Running { until: *until },
                    cost: 0.0,
                });
            }
            StagedEvent::Resumed { run, until } => {
                let id = *run;
                let run = self.run_mut(id)?;
                if run.state != RunState::Paused {
                    let message = format!(
                        "{id}: it is {}, and does not wait to be resumed",
                        run.state.name()
                    );
                    return Err(Error::new(ErrorKind::InvalidSetting, message));
                }
                run.state = RunState::Running { until: *until };
            }
            StagedEvent::Reported { run, progress, outcome, cost } => {
                let (id, total) = (*run, self.stages.total());
                let folds = self.stages.are_folds();
                let run = self.reporting(id)?;
                check_report(run, *progress, total, folds).map_err(|error| error.at(id))?;
                check_outcome(*outcome).map_err(|error| error.at(id))?;
                check_stage_cost(*cost).map_err(|error| error.at(id))?;
                let share = progress / total;
                let outcome = match run.reports.last().filter(|_| folds) {
                    Some(Report { outcome: before, .. }) => {
                        sum(*before, difference(*outcome, *before) / progress)
                    }
                    None => *outcome,
                };
                run.reports.push(Report { progress: *progress, share, outcome, cost: *cost });
                run.cost = sum(run.cost, *cost);
                run.state = match run.state {
                    _ if reaches(*progress, total) => RunState::Finished,
                    RunState::Abandoned => RunState::Abandoned,
                    _ => RunState::Paused,
                };
                self.spent = sum(self.spent, *cost);
                self.log.push(Entry { run: id.index(), share, outcome: Some(outcome) });
            }
            StagedEvent::Advised { run, advice } => {
                let run = self.run_mut(*run)?;
                match advice {
                    Advice::Continue { until } => run.state = RunState::Running { until: *until },
                    Advice::Abandon => run.state = RunState::Abandoned,
                    Advice::Pause if run.is_running() => run.state = RunState::Paused,
                    Advice::Pause | Advice::Done => {}
                }
            }
            StagedEvent::Failed { run, cost } => {
                let (id, total) = (*run, self.stages.total());
                check_stage_cost(*cost).map_err(|error| error.at(id))?;
                let run = self.under_way(id)?;
                let share = match run.state {
                    RunState::Running { until } => until / total,
                    _ => 1.0,
                };
                run.cost = sum(run.cost, *cost);
                run.state = RunState::Failed;
                self.spent = sum(self.spent, *cost);
                self.log.push(Entry { run: id.index(), share, outcome: None });
            }
            StagedEvent::Lost { run } => {
                let resumable = self.stages.is_resumable();
                let run = self.under_way(*run)?;
                let waits = resumable && !run.reports.is_empty();
                run.state = if waits { RunState::Paused } else { RunState::Abandoned };
            }
            StagedEvent::Fitted { fit } => {
                if fit.reports > self.log.len()
                    || fit.parameters.len() != self.shape.len()
                    || fit.scale.len() != 2
                {
                    let message = "a fit does not belong to this study";
                    return Err(Error::new(ErrorKind::InvalidSetting, message));
                }
                self.fit = Some(StagedFit::clone(fit));
                self.belief = None;
            }
            StagedEvent::Turned { halvings, anchor } => {
                (self.halvings, self.anchor) = (*halvings, *anchor);
            }
        }
        Ok(())
    }

    /// The run with this number.
    ///
    /// # Errors
    /// `UnknownTrial`.
    pub(super) fn run(&self, id: TrialId) -> Result<&Run> {
        self.runs.get(id.index()).ok_or_else(|| self.unknown(id))
    }

    fn run_mut(&mut self, id: TrialId) -> Result<&mut Run> {
        if id.index() >= self.runs.len() {
            return Err(self.unknown(id));
        }
        Ok(&mut self.runs[id.index()])
    }

    fn unknown(&self, id: TrialId) -> Error {
        let count = self.runs.len();
        let message =
            format!("{id}: expected one of the {count} runs of this study, numbered from 0");
        Error::new(ErrorKind::UnknownTrial, message)
    }

    /// A run that may report: also one that was left, whose worker did not hear of it.
    fn reporting(&mut self, id: TrialId) -> Result<&mut Run> {
        let run = self.run_mut(id)?;
        if !matches!(run.state, RunState::Finished | RunState::Failed) {
            return Ok(run);
        }
        let message = format!("{id}: it is {}, and reports no more", run.state.name());
        Err(Error::new(ErrorKind::InvalidSetting, message))
    }

    fn under_way(&mut self, id: TrialId) -> Result<&mut Run> {
        let run = self.run_mut(id)?;
        if run.is_running() {
            return Ok(run);
        }
        let message = format!("{id}: it is {}, and not under way", run.state.name());
        Err(Error::new(ErrorKind::InvalidSetting, message))
    }
}

fn check_report(run: &Run, progress: f64, total: f64, folds: bool) -> Result<()> {
    let before = run.progress();
    if folds && progress != before + 1.0 {
        let message = format!("expected its fold {}, got progress {progress}", before + 1.0);
        return Err(Error::new(ErrorKind::InvalidSetting, message));
    }
    if progress > before && progress <= total {
        return Ok(());
    }
    let message = format!("expected a progress above {before} and at most {total}, got {progress}");
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

fn check_outcome(outcome: f64) -> Result<()> {
    if outcome.is_finite() {
        return Ok(());
    }
    let message =
        format!("the outcome must be finite, got {outcome}; a run that broke is told by `fail`");
    Err(Error::new(ErrorKind::NonFinite, message))
}

/// Checks a cost. A stage may be free.
fn check_stage_cost(cost: f64) -> Result<()> {
    check_cost(cost, Some(0.0))
}
