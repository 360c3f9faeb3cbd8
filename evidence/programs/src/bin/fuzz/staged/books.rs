//! Simple books of a study of runs in stages.

use gittins::study::{Advice, Report, TrialState};
use gittins::{ErrorKind, Study, Trial, Value};

use crate::invariants::{Held, must};
use crate::staged::world::StagedWorld;

/// One run, in the units of the view.
#[derive(Debug, Clone)]
pub struct Entry {
    pub values: Vec<Value>,
    pub unit: Vec<f64>,
    /// Progress, outcome as it counts, and cost.
    pub reports: Vec<[f64; 3]>,
    pub state: TrialState,
    pub until: Option<f64>,
    cost: f64,
}

/// The books.
pub struct Books<'w> {
    world: &'w StagedWorld,
    up: bool,
    pub entries: Vec<Entry>,
    spent: f64,
    /// Runs of which a batch of items failed, once for each time, since one there reported.
    missed: Vec<usize>,
}

/// After so many failures of batches in a row a run by items has failed.
const TRIES: usize = 3;

/// A sum of money, which is at most the largest number.
fn add(sum: f64, cost: f64) -> f64 {
    (sum + cost).min(f64::MAX)
}

impl<'w> Books<'w> {
    pub fn new(world: &'w StagedWorld, up: bool) -> Self {
        Self { world, up, entries: Vec::new(), spent: 0.0, missed: Vec::new() }
    }

    /// Runs of which something holds.
    pub fn those(&self, holds: impl Fn(&Entry) -> bool) -> Vec<usize> {
        (0..self.entries.len()).filter(|&id| holds(&self.entries[id])).collect()
    }

    pub fn under_way(&self) -> Vec<usize> {
        self.those(Entry::is_running)
    }

    pub fn begin(&mut self, run: &Trial) {
        let Trial { values, unit, state, until, .. } = run.clone();
        self.entries.push(Entry { values, unit, reports: Vec::new(), state, until, cost: 0.0 });
    }

    /// Somebody else evaluated a trial to its end.
    pub fn import(&mut self, trial: &Trial, [progress, outcome, cost]: [f64; 3]) {
        self.begin(trial);
        self.spent = add(self.spent, cost);
        self.missed.retain(|other| !is_same(&self.entries[*other].unit, &trial.unit));
        if let Some(entry) = self.entries.last_mut() {
            entry.reports.push([progress, outcome, cost]);
            (entry.state, entry.until, entry.cost) = (TrialState::Complete, None, cost);
        }
    }

    /// What is wrong with a report.
    pub fn faults(&self, id: usize, [progress, outcome, cost]: [f64; 3]) -> Vec<ErrorKind> {
        let Some(entry) = self.entries.get(id) else { return vec![ErrorKind::UnknownTrial] };
        let over = matches!(entry.state, TrialState::Complete | TrialState::Failed);
        let (before, total) = (entry.progress(), self.world.stages.total());
        let stages = &self.world.stages;
        let skips = stages.are_folds() && progress != before + 1.0
            || stages.are_items() && progress.fract() != 0.0;
        let grows = progress > before && progress <= total;
        let mut faults = faults_of_cost(cost);
        faults.extend((over || skips || !grows).then_some(ErrorKind::InvalidSetting));
        faults.extend((!outcome.is_finite()).then_some(ErrorKind::NonFinite));
        faults
    }

    /// What is wrong with telling that a run broke.
    pub fn faults_of_failure(&self, id: usize, cost: f64) -> Vec<ErrorKind> {
        [self.faults_of_loss(id), faults_of_cost(cost)].concat()
    }

    /// What is wrong with telling that a run was lost.
    pub fn faults_of_loss(&self, id: usize) -> Vec<ErrorKind> {
        match self.entries.get(id) {
            None => vec![ErrorKind::UnknownTrial],
            Some(entry) if entry.is_running() => Vec::new(),
            Some(_) => vec![ErrorKind::InvalidSetting],
        }
    }

    /// A run reported, and was told what to do; none if nothing was decided.
    pub fn report(&mut self, id: usize, [progress, outcome, cost]: [f64; 3]) {
        let (total, means) = (self.world.stages.total(), self.world.are_means());
        let entry = &mut self.entries[id];
        let outcome = match entry.reports.last() {
            Some([done, before, _]) if means => {
                // The difference may be no number where the mean is one.
                let share = (progress - done) / progress;
                before * (1.0 - share) + outcome * share
            }
            _ => outcome,
        };
        entry.reports.push([progress, outcome, cost]);
        let (entries, unit) = (&self.entries, &self.entries[id].unit);
        self.missed.retain(|other| !is_same(&entries[*other].unit, unit));
        let entry = &mut self.entries[id];
        (entry.cost, entry.until) = (add(entry.cost, cost), None);
        self.spent = add(self.spent, cost);
        match entry.state {
            _ if progress >= total * (1.0 - 1e-9) => entry.state = TrialState::Complete,
            TrialState::Abandoned => {}
            _ => entry.state = TrialState::Paused,
        }
    }

    /// A run was told what to do. Whether that may be.
    pub fn hear(&mut self, id: usize, advice: Advice) -> bool {
        let (resumable, total) = (self.world.stages.is_resumable(), self.world.stages.total());
        let entry = &mut self.entries[id];
        match (advice, entry.state) {
            (Advice::Done, TrialState::Complete)
            | (
                Advice::Abandon,
                TrialState::Abandoned | TrialState::Failed | TrialState::Withdrawn,
            ) => true,
            (Advice::Continue { until }, TrialState::Paused | TrialState::Pending) => {
                let further = until > entry.progress() && until <= total;
                (entry.state, entry.until) = (TrialState::Pending, Some(until));
                further
            }
            (Advice::Pause, TrialState::Paused | TrialState::Pending) => {
                (entry.state, entry.until) = (TrialState::Paused, None);
                resumable
            }
            (Advice::Abandon, TrialState::Paused | TrialState::Pending) => {
                (entry.state, entry.until) = (TrialState::Abandoned, None);
                !resumable
            }
            _ => false,
        }
    }

    pub fn fail(&mut self, id: usize, cost: f64) {
        let stages = &self.world.stages;
        let here = |other: &&usize| is_same(&self.entries[**other].unit, &self.entries[id].unit);
        let is_again = stages.are_items()
            && stages.is_resumable()
            && self.missed.iter().filter(here).count() + 1 < TRIES;
        if is_again {
            self.lose(id);
            self.missed.push(id);
        }
        let entry = &mut self.entries[id];
        if !is_again {
            (entry.state, entry.until) = (TrialState::Failed, None);
        }
        entry.cost = add(entry.cost, cost);
        self.spent = add(self.spent, cost);
    }

    pub fn lose(&mut self, id: usize) {
        let entry = &mut self.entries[id];
        entry.until = None;
        entry.state = match (entry.reports.is_empty(), self.world.stages.is_resumable()) {
            (true, _) => TrialState::Withdrawn,
            (false, true) => TrialState::Paused,
            (false, false) => TrialState::Abandoned,
        };
    }

    /// What is wrong with a correction.
    pub fn faults_of_correction(&self, id: usize, outcome: f64) -> Vec<ErrorKind> {
        let Some(entry) = self.entries.get(id) else { return vec![ErrorKind::UnknownTrial] };
        let nothing = entry.reports.is_empty() || entry.state == TrialState::Failed;
        let refused = nothing || self.world.are_means();
        let mut faults: Vec<_> = refused.then_some(ErrorKind::InvalidSetting).into_iter().collect();
        faults.extend((!outcome.is_finite()).then_some(ErrorKind::NonFinite));
        faults
    }

    pub fn correct(&mut self, id: usize, outcome: f64) {
        self.entries[id].reports.last_mut().into_iter().for_each(|report| report[1] = outcome);
    }

    /// What is wrong with a trial that others evaluated.
    pub fn faults_of_import(&self, [_, outcome, cost]: [f64; 3]) -> Vec<ErrorKind> {
        let mut faults = faults_of_cost(cost);
        let folds = self.world.stages.are_folds();
        faults.extend(folds.then_some(ErrorKind::InvalidSetting));
        faults.extend((!outcome.is_finite()).then_some(ErrorKind::NonFinite));
        faults
    }

    /// The outcome of the incumbent.
    fn best(&self) -> Option<f64> {
        let any = self.world.stages.does_any_stage_count();
        let counted = |entry: &Entry| match (any, entry.state) {
            (true, _) => entry.reports.clone(),
            (false, TrialState::Failed) => Vec::new(),
            _ if self.world.stages.are_items() => entry.reports.clone(),
            (false, TrialState::Complete) => entry.reports.last().copied().into_iter().collect(),
            (false, _) => Vec::new(),
        };
        let outcomes = self.entries.iter().flat_map(counted).map(|[_, outcome, _]| outcome);
        outcomes.reduce(if self.up { f64::max } else { f64::min })
    }

    /// Everything that the study shows against the books.
    pub fn compare(&self, study: &Study) -> Held {
        let runs = study.history();
        let count = self.entries.len();
        must!(runs.len() == count, HistoryIsWhatWasTold, "{} runs, not {count}", runs.len())?;
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        let said = |(report, own): (&Report, &[f64; 3])| {
            let [progress, outcome, cost] = *own;
            (report.progress, report.cost) == (progress, cost)
                // A mean that nearly vanishes has the rounding of its numbers.
                && (report.outcome == outcome || self.world.are_means())
        };
        let same = |(entry, run): &(&Entry, &Trial)| {
            (&entry.values, &entry.unit, entry.state) == (&run.values, &run.unit, run.state)
                && entry.until == run.until
                && entry.reports.len() == run.reports.len()
                && run.reports.iter().zip(&entry.reports).all(said)
                && near(entry.cost, run.cost.unwrap_or(0.0))
        };
        if let Some(pair) = self.entries.iter().zip(runs).find(|pair| !same(pair)) {
            must!(false, HistoryIsWhatWasTold, "expected and found {pair:?}")?;
        }
        let spent = study.total_cost();
        must!(near(spent, self.spent), MoneyIsWhatWasPaid, "{spent}, expected {}", self.spent)?;
        let (best, own) = (study.best_report().map(|report| report.outcome), self.best());
        let best_is = best == own || (self.world.are_means() && best.is_some() == own.is_some());
        must!(best_is, BestIsBest, "{best:?}, expected {own:?}")
    }
}

/// Whether two points are one but for rounding.
fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-14)
}

fn faults_of_cost(cost: f64) -> Vec<ErrorKind> {
    match cost {
        cost if !cost.is_finite() => vec![ErrorKind::NonFinite],
        cost if cost < 0.0 => vec![ErrorKind::NonPositiveCost],
        _ => Vec::new(),
    }
}

impl Entry {
    pub fn is_running(&self) -> bool {
        self.state == TrialState::Pending
    }

    pub fn progress(&self) -> f64 {
        self.reports.last().map_or(0.0, |[progress, ..]| *progress)
    }
}
