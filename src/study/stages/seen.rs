//! All that a decision in stages looks at.

use super::staging::Staging;
use crate::data::reports::Report;
use crate::data::trial::{Trial, TrialState};
use crate::posterior::Usable;
use crate::study::design::Design;
use crate::study::trials::Trials;
use crate::surrogate::Setup;

/// A study in stages, to be looked at.
#[derive(Clone, Copy)]
pub(in crate::study) struct Seen<'a> {
    pub staging: &'a Staging,
    pub trials: &'a Trials,
    pub setup: &'a Setup,
    pub design: &'a Design,
    /// Where ends may be used, if there are limits and something was measured.
    pub usable: Option<&'a Usable>,
}

impl<'a> Seen<'a> {
    pub fn runs(self) -> &'a [Trial] {
        &self.trials.books.trials
    }

    /// The price of a unit of cost, if one is set.
    pub fn lambda(self) -> Option<f64> {
        self.trials.ledger.price
    }

    /// The money that is left, if there is a budget.
    pub fn left(self) -> Option<f64> {
        self.trials.ledger.budget.map(|budget| budget - self.staging.spent)
    }

    /// The trial with the best outcome that counts, the first among equals, and its report: of those
    /// that came to their end, or of all that reported if any stage counts.
    pub fn best(self) -> Option<(&'a Trial, &'a Report)> {
        let sign = self.trials.books.direction().sign();
        let counted = self.runs().iter().filter_map(|run| Some((run, self.counted(run)?)));
        counted.reduce(
            |best, other| {
                if sign * other.1.outcome > sign * best.1.outcome { other } else { best }
            },
        )
    }

    /// What of a trial counts.
    pub fn counted(self, run: &'a Trial) -> Option<&'a Report> {
        if self.staging.stages.does_any_stage_count() {
            return run.best_report(self.trials.books.direction());
        }
        let holds = || self.trials.books.usable_outcome(run.id).is_some();
        run.reports.last().filter(|_| run.state == TrialState::Complete && holds())
    }

    /// What each trial that reported has shown: its last outcome, or its best if any stage counts.
    pub fn shown(self) -> impl Iterator<Item = f64> {
        let any = self.staging.stages.does_any_stage_count();
        let direction = self.trials.books.direction();
        self.runs().iter().filter_map(move |run| {
            let report = if any { run.best_report(direction) } else { run.reports.last() };
            Some(report?.outcome)
        })
    }
}
