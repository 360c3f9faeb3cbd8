//! What of the runs of a study is in hand.

use super::study::StagedStudy;
use crate::data::reports::{Report, Run, RunState};

impl StagedStudy {
    /// The run with the best outcome in hand, the first among equals: of those that came to their
    /// end, or of all that reported if [any stage counts](super::Stages::any_stage_counts).
    pub fn best(&self) -> Option<&Run> {
        self.best_of_all().map(|(run, _)| run)
    }

    /// The report of the [best](Self::best) run that is in hand: that of its end, or its
    /// [best](Run::best_report) if [any stage counts](super::Stages::any_stage_counts).
    pub fn best_report(&self) -> Option<&Report> {
        self.best_of_all().map(|(_, report)| report)
    }

    fn best_of_all(&self) -> Option<(&Run, &Report)> {
        let sign = self.direction.sign();
        let in_hand = self.runs.iter().filter_map(|run| Some((run, self.counted(run)?)));
        in_hand.reduce(
            |best, other| {
                if sign * other.1.outcome > sign * best.1.outcome { other } else { best }
            },
        )
    }

    /// What of a run is in hand.
    pub(crate) fn counted<'a>(&self, run: &'a Run) -> Option<&'a Report> {
        match (self.stages.does_any_stage_count(), run.state) {
            (true, _) => run.best_report(self.direction),
            (false, RunState::Finished) => run.reports.last(),
            (false, _) => None,
        }
    }

    /// What each run that reported has shown: its last outcome, or its best if any stage counts.
    pub(super) fn shown(&self) -> impl Iterator<Item = f64> {
        let any = self.stages.does_any_stage_count();
        self.runs.iter().filter_map(move |run| {
            let report = if any { run.best_report(self.direction) } else { run.reports.last() };
            Some(report?.outcome)
        })
    }
}
