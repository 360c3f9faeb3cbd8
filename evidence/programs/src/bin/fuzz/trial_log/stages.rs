//! Trials in stages.

use gittins::study::{Advice, Stages, TrialState};
use gittins::{ErrorKind, Study, Trial};

use super::faults::Faults;
use super::{CostTold, Entry, ReportTold, Telling, TrialLog, sum};
use crate::invariants::{Held, must};

/// After so many failures of batches in a row a trial by items has failed.
const TRIES: usize = 3;

fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-14)
}

/// Whether the outcomes of reports are means of parts.
fn are_means(stages: &Stages) -> bool {
    stages.are_folds() || stages.are_items()
}

impl TrialLog<'_> {
    pub fn faults_of_report(&self, id: usize, report: ReportTold) -> Faults {
        let Some(entry) = self.entries.get(id) else { return self.faults_of_report_of_none() };
        let Some(stages) = self.stages() else { return vec![ErrorKind::InvalidSetting] };
        let told = Telling {
            state: TrialState::Complete,
            value: report.outcome,
            cost: CostTold::Paid(report.cost),
            measures: [None; crate::world::measure::MOST],
            is_misnamed: false,
        };
        let mut faults = self.faults_of_progress(entry, report.progress, stages);
        let ends = report.progress >= stages.total();
        // What is measured is told at the end, which a report cannot do.
        faults.extend(self.faults_of_measures(&told, ends));
        faults.extend(
            self.faults(&told, false).into_iter().filter(|kind| *kind != ErrorKind::InvalidSetting),
        );
        faults
    }

    fn faults_of_report_of_none(&self) -> Faults {
        let refused = self.stages().is_none().then_some(ErrorKind::InvalidSetting);
        refused.into_iter().chain([ErrorKind::UnknownTrial]).collect()
    }

    fn faults_of_progress(&self, entry: &Entry, progress: f64, stages: &Stages) -> Faults {
        let (before, total) = (entry.progress(), stages.total());
        let skips = stages.are_folds() && progress != before + 1.0
            || stages.are_items() && progress.fract() != 0.0;
        let grows = progress > before && progress <= total;
        let is_wrong = entry.is_told() || skips || !grows;
        is_wrong.then_some(ErrorKind::InvalidSetting).into_iter().collect()
    }

    pub(super) fn faults_of_end(&self, entry: &Entry, told: &Telling) -> Faults {
        match self.stages() {
            Some(stages) if told.is_complete() => {
                self.faults_of_progress(entry, stages.total(), stages)
            }
            _ => (!entry.is_pending()).then_some(ErrorKind::InvalidSetting).into_iter().collect(),
        }
    }

    pub fn faults_of_import(&self, told: &Telling) -> Faults {
        let Some(stages) = self.stages() else { return self.faults(told, false) };
        let refused = stages.are_folds() && told.is_complete();
        let faults = self.faults(told, false).into_iter();
        // Somebody else paid for it.
        let faults = faults.filter(|kind| *kind != ErrorKind::MissingCost);
        faults.chain(refused.then_some(ErrorKind::InvalidSetting)).collect()
    }

    /// Whether something says nothing of the last report of a trial: a correction has an outcome
    /// and no cost.
    pub(super) fn is_no_correction(entry: &Entry, told: &Telling, stages: &Stages) -> bool {
        let nothing = entry.reports.is_empty() || (entry.is_told() && !entry.is_complete());
        let measures = told.measures.iter().any(Option::is_some) && !entry.is_complete();
        let paid = matches!(told.cost, CostTold::Paid(_));
        nothing || measures || paid || !told.is_complete() || are_means(stages)
    }

    /// A trial reported.
    ///
    /// A mean is as the study has it, if that is the mean but for rounding.
    pub fn report(&mut self, id: usize, report: ReportTold, study: &Study) -> Held {
        let Some(stages) = self.stages() else { return Ok(()) };
        let found = study.history()[id].reports.last().map(|report| report.outcome);
        let outcome = match (self.entries[id].reports.last(), found) {
            (Some(last), Some(found)) if are_means(stages) => {
                // The difference may be no number where the mean is one.
                let share = (report.progress - last.progress) / report.progress;
                let mean = last.outcome * (1.0 - share) + report.outcome * share;
                let largest = last.outcome.abs().max(report.outcome.abs());
                let near = (mean - found).abs() <= 1e-12 * largest || largest > 1e300;
                must!(near, HistoryIsWhatWasTold, "a mean of {found}, expected {mean}")?;
                found
            }
            _ => report.outcome,
        };
        let entry = &mut self.entries[id];
        entry.reports.push(ReportTold { outcome, ..report });
        entry.until = None;
        if entry.state != TrialState::Abandoned {
            entry.state = TrialState::Paused;
        }
        self.pay_stage(id, report.cost);
        let unit = &self.entries[id].unit;
        self.missed.retain(|other| !is_same(&self.entries[*other].unit, unit));
        self.verdict = None;
        if report.progress * (1.0 + 1e-12) >= stages.total() {
            self.end(id, TrialState::Complete, Some(outcome));
        }
        Ok(())
    }

    fn pay_stage(&mut self, id: usize, cost: f64) {
        let entry = &mut self.entries[id];
        entry.cost = Some(sum([entry.cost.unwrap_or(0.0), cost]));
    }

    fn end(&mut self, id: usize, state: TrialState, outcome: Option<f64>) {
        let spent = self.spent();
        let entry = &mut self.entries[id];
        entry.state = state;
        entry.outcome = outcome;
        entry.until = None;
        entry.spent = Some(spent);
        self.news(id, false);
    }

    /// A trial was told: its report at the end, or that it broke, which may have been one `try` of
    /// several.
    pub fn tell_end(&mut self, id: usize, told: &Telling, is_try: bool, study: &Study) -> Held {
        let Some(stages) = self.stages() else { return Ok(()) };
        let cost = match told.cost {
            CostTold::Paid(cost) => self.view.cost(cost),
            CostTold::Silent | CostTold::Later => 0.0,
        };
        match told.outcome_told(&self.view) {
            Some(outcome) => {
                let report = ReportTold { progress: stages.total(), outcome, cost };
                self.report(id, report, study)?;
            }
            None if is_try && self.tries_again(id, told) => {
                self.pay_stage(id, cost);
                self.lose(id);
                self.missed.push(id);
                return Ok(());
            }
            None => {
                self.pay_stage(id, cost);
                self.end(id, told.state, None);
            }
        }
        self.entries[id].measures = told.measures;
        Ok(())
    }

    /// Whether a failure is that of a batch of items, which are tried again.
    fn tries_again(&self, id: usize, told: &Telling) -> bool {
        let is_batch =
            self.stages().is_some_and(|stages| stages.are_items() && stages.is_resumable());
        let here = |other: &&usize| is_same(&self.entries[**other].unit, &self.entries[id].unit);
        is_batch
            && told.state == TrialState::Failed
            && self.missed.iter().filter(here).count() + 1 < TRIES
    }

    /// Nobody works on a trial any more.
    pub fn lose(&mut self, id: usize) {
        let is_resumable = self.stages().is_some_and(Stages::is_resumable);
        let entry = &mut self.entries[id];
        entry.until = None;
        entry.state = match (entry.reports.is_empty(), is_resumable) {
            (true, _) => TrialState::Withdrawn,
            (false, true) => TrialState::Paused,
            (false, false) => TrialState::Abandoned,
        };
        self.verdict = None;
    }

    pub fn correct_report(&mut self, id: usize, told: &Telling) {
        let outcome = self.view.outcome(told.value);
        self.entries[id].reports.last_mut().into_iter().for_each(|last| last.outcome = outcome);
        if self.entries[id].is_complete() {
            self.correct(id, told);
        }
        self.verdict = None;
    }

    /// A trial goes on, or does not, as the study has it.
    pub fn follow(&mut self, id: usize, trial: &Trial) {
        let entry = &mut self.entries[id];
        entry.state = trial.state;
        entry.until = trial.until;
        self.verdict = None;
    }

    /// A trial was told what to do. Whether that may be.
    pub fn hear_advice(&mut self, id: usize, advice: Advice) -> bool {
        use TrialState::{Abandoned, Complete, Failed, Infeasible, Paused, Pending, Withdrawn};
        let Some(stages) = self.stages() else { return false };
        self.verdict = None;
        let entry = &mut self.entries[id];
        match (advice, entry.state) {
            (Advice::Done, Complete)
            | (Advice::Abandon, Abandoned | Failed | Infeasible | Withdrawn) => true,
            (Advice::Continue { until }, Paused | Pending) => {
                entry.state = Pending;
                entry.until = Some(until);
                until > entry.progress() && until <= stages.total()
            }
            (Advice::Pause, Paused | Pending) => {
                entry.state = Paused;
                entry.until = None;
                stages.is_resumable()
            }
            (Advice::Abandon, Paused | Pending) => {
                entry.state = Abandoned;
                entry.until = None;
                !stages.is_resumable()
            }
            _ => false,
        }
    }

    fn counted(&self, entry: &Entry, stages: &Stages) -> Option<f64> {
        let sign = self.world.sign(&self.view);
        let better = |a: f64, b: f64| if sign * b > sign * a { b } else { a };
        let broke = entry.is_told() && !entry.is_complete();
        let last = || entry.reports.last().map(|report| report.outcome);
        match () {
            () if stages.does_any_stage_count() => {
                entry.reports.iter().map(|report| report.outcome).reduce(better)
            }
            () if stages.are_items() => last().filter(|_| !broke),
            () => last().filter(|_| self.is_of_use(entry)),
        }
    }

    /// The best trial, where that is not one of a model.
    pub(super) fn best_in_stages(&self, stages: &Stages) -> Option<usize> {
        let sign = self.world.sign(&self.view);
        let counted = |(id, entry)| self.counted(entry, stages).map(|outcome| (id, sign * outcome));
        let best = self.entries.iter().enumerate().filter_map(counted);
        best.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(id, _)| id)
    }
}
