//! All that a decision in stages looks at.

use super::staging::Staging;
use crate::data::trial::reports::Report;
use crate::data::trial::trial::{Trial, TrialState};
use crate::math::saturating::saturated;
use crate::posterior::Usable;
use crate::study::design::Design;
use crate::study::trials::trials::Trials;
use crate::surrogate::Setup;
use crate::surrogate::curves::belief::Belief;

/// By how many deviations less than its mean a run of items counts, when one is recommended: of runs
/// that saw few items some have the largest mean by luck. Rules of this kind lost a tenth of their regret
/// on measured tables for any number from a half to two.
const CAUTION: f64 = 0.75;

/// A study in stages, to be looked at.
#[derive(Clone, Copy)]
pub(in crate::study) struct StagesView<'a> {
    pub staging: &'a Staging,
    pub trials: &'a Trials,
    pub setup: &'a Setup,
    pub design: &'a Design,
    /// Where ends may be used, if there are limits and something was measured.
    pub usable: Option<&'a Usable>,
}

impl<'a> StagesView<'a> {
    pub fn runs(self) -> &'a [Trial] {
        &self.trials.trial_log.trials
    }

    /// The price of a unit of cost, if one is set.
    pub fn lambda(self) -> Option<f64> {
        self.trials.ledger.price
    }

    /// The money that is left, if there is a budget.
    pub fn left(self) -> Option<f64> {
        self.trials.ledger.budget.map(|budget| budget - self.staging.spent)
    }

    /// The runs that are means of items, and what is believed of these means, in the model's units: the
    /// best first. Runs that broke are left out. Empty if runs are no means of items.
    pub fn ranked(self, belief: &Belief) -> Vec<(f64, usize)> {
        let is_ranked = |run: &&Trial| self.staging.stages.are_items() && has_mean(run);
        let mean = |run: &Trial| (belief.end(run.id.index()).0, run.id.index());
        let mut ranked: Vec<(f64, usize)> =
            self.runs().iter().filter(is_ranked).map(mean).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked
    }

    /// The run that is recommended among means of items, with mean and deviation of what is believed of
    /// it in the user's units: the one with the largest mean less [`CAUTION`] deviations. None before
    /// the model knows something.
    pub fn recommended(self) -> Option<(&'a Trial, f64, f64)> {
        let known = self.believed(self.staging.fit.as_ref()?).ok()?;
        let (belief, _) = &*known;
        let ranked = self.ranked(belief).into_iter().map(|(_, run)| run);
        let run =
            ranked.reduce(|a, b| if surely(belief, b) > surely(belief, a) { b } else { a })?;
        let (mean, sd) = belief.end(run);
        Some((&self.runs()[run], belief.scale.back(mean), saturated(sd * belief.scale.unit)))
    }

    /// What is believed of means of items, by the numbers of their runs, in the user's units:
    /// [`CAUTION`] deviations less than the mean, or what was reported last before the model knows
    /// something.
    pub fn cautious(self) -> Vec<(usize, f64)> {
        let known = self.staging.fit.as_ref().and_then(|fit| self.believed(fit).ok());
        let value = |run: &Trial| {
            let believed = known.as_ref().map(|known| &known.0);
            let believed = believed.map(|belief| belief.scale.back(surely(belief, run.id.index())));
            believed.or_else(|| Some(run.reports.last()?.outcome))
        };
        let runs = self.runs().iter().filter(|run| has_mean(run));
        runs.filter_map(|run| Some((run.id.index(), value(run)?))).collect()
    }

    /// The trial with the best outcome that counts, the first among equals, and its report: of those
    /// that came to their end, or of all that reported if any stage counts. Of means of items the one
    /// that is recommended.
    pub fn best(self) -> Option<(&'a Trial, &'a Report)> {
        if self.staging.stages.are_items()
            && let Some((run, ..)) = self.recommended()
        {
            return Some((run, run.reports.last()?));
        }
        let sign = self.trials.trial_log.direction().sign();
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
            return run.best_report(self.trials.trial_log.direction());
        }
        if self.staging.stages.are_items() {
            return run.reports.last().filter(|_| has_mean(run));
        }
        let holds = || self.trials.trial_log.usable_outcome(run.id).is_some();
        run.reports.last().filter(|_| run.state == TrialState::Complete && holds())
    }

    /// What each trial that reported has shown: its last outcome, or its best if any stage counts.
    pub fn shown(self) -> impl Iterator<Item = f64> {
        let any = self.staging.stages.does_any_stage_count();
        let direction = self.trials.trial_log.direction();
        self.runs().iter().filter_map(move |run| {
            let report = if any { run.best_report(direction) } else { run.reports.last() };
            Some(report?.outcome)
        })
    }
}

/// By what a run of items is recommended, in the model's units.
fn surely(belief: &Belief, run: usize) -> f64 {
    let (mean, sd) = belief.end(run);
    mean - CAUTION * sd
}

/// Whether a run has a mean of items that counts: it reported, and did not break.
fn has_mean(run: &Trial) -> bool {
    !run.reports.is_empty() && !matches!(run.state, TrialState::Failed | TrialState::Infeasible)
}
