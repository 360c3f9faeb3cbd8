//! What Optuna shows of trials in stages: their reports, costs and ends.

use serde_json::json;

use crate::data::TrialId;
use crate::data::trial::reports::Advice;
use crate::data::trial::trial::TrialState;
use crate::journal::journal::Journal;
use crate::journal::operation::{COMPLETE, FAIL, PRUNED, TRIAL_INTERMEDIATE, TRIAL_USER_ATTR};
use crate::journal::said::COST;
use crate::study::Event;

impl Journal {
    /// The lines beside that of an event. A trial that waits has no state of its own there: it is one
    /// that runs. Optuna takes no change of a trial that has ended.
    pub(super) fn shown(&self, event: &Event) -> Vec<String> {
        let Some(stages) = &self.fold.study.stages else { return Vec::new() };
        match event {
            Event::Reported { trial, progress, outcome, .. } => {
                self.reported(*trial, *progress, *outcome)
            }
            Event::Told { trial, outcome, .. } => match outcome.value {
                Some(value) => self.reported(*trial, stages.stages.total(), value),
                None => self.cost_of(*trial, Some(FAIL)),
            },
            Event::Advised { trial, advice: Advice::Abandon } => self.cost_of(*trial, Some(PRUNED)),
            Event::Withdrawn { trial } => {
                let end = match self.fold.study.history()[trial.index()].state {
                    TrialState::Withdrawn => Some(FAIL),
                    TrialState::Abandoned => Some(PRUNED),
                    _ => None,
                };
                self.cost_of(*trial, end)
            }
            _ => Vec::new(),
        }
    }

    /// A report, and the end of its trial if it is there.
    fn reported(&self, id: TrialId, progress: f64, outcome: f64) -> Vec<String> {
        let trial = &self.fold.study.history()[id.index()];
        let open = self.fold.entry(id).filter(|(_, entry)| !entry.has_ended());
        let report = open.zip(self.fold.study.stages.as_ref()).map(|((number, _), stages)| {
            let step = stages.step(trial, progress);
            let value = json!({"trial_id": number, "step": step, "intermediate_value": outcome});
            self.pen().line(TRIAL_INTERMEDIATE, value)
        });
        let is_complete = trial.state == TrialState::Complete;
        report.into_iter().chain(self.cost_of(id, is_complete.then_some(COMPLETE))).collect()
    }

    /// What a trial has cost, and how it ended.
    fn cost_of(&self, id: TrialId, end: Option<u64>) -> Vec<String> {
        let (study, pen) = (&self.fold.study, self.pen());
        let open = self.fold.entry(id).filter(|(_, entry)| !entry.has_ended());
        let Some((number, _)) = open else { return Vec::new() };
        let trial = &study.history()[id.index()];
        let cost = json!(trial.cost.unwrap_or(0.0));
        let mut lines = vec![pen.of_trial(TRIAL_USER_ATTR, number, COST, cost)];
        if let Some(state) = end {
            let any = study.stages().is_some_and(|stages| stages.does_any_stage_count());
            let best = trial.best_report(study.direction()).filter(|_| any);
            let report = best.or(trial.reports.last()).filter(|_| state != FAIL);
            lines.push(pen.end_of(number, state, report.map(|report| report.outcome)));
        }
        lines
    }
}
