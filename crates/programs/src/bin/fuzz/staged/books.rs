//! Simple books of a study of runs in stages.

use gittins::staged::{Advice, Report, Run, RunState, StagedStudy};
use gittins::{ErrorKind, Value};

use crate::invariants::{Held, must};
use crate::staged::world::StagedWorld;

/// One run, in the units of the view.
#[derive(Debug, Clone)]
pub struct Entry {
    pub values: Vec<Value>,
    pub unit: Vec<f64>,
    /// Progress, outcome as it counts, and cost.
    pub reports: Vec<[f64; 3]>,
    pub state: RunState,
    cost: f64,
}

/// The books.
pub struct Books<'w> {
    world: &'w StagedWorld,
    up: bool,
    pub entries: Vec<Entry>,
    spent: f64,
}

/// A sum of money, which is at most the largest number.
fn add(sum: f64, cost: f64) -> f64 {
    (sum + cost).min(f64::MAX)
}

impl<'w> Books<'w> {
    pub fn new(world: &'w StagedWorld, up: bool) -> Self {
        Self { world, up, entries: Vec::new(), spent: 0.0 }
    }

    /// Runs of which something holds.
    pub fn those(&self, holds: impl Fn(&Entry) -> bool) -> Vec<usize> {
        (0..self.entries.len()).filter(|&id| holds(&self.entries[id])).collect()
    }

    pub fn under_way(&self) -> Vec<usize> {
        self.those(Entry::is_running)
    }

    pub fn begin(&mut self, run: &Run) {
        let (values, unit, state) = (run.values.clone(), run.unit.clone(), run.state);
        self.entries.push(Entry { values, unit, reports: Vec::new(), state, cost: 0.0 });
    }

    /// What is wrong with a report.
    pub fn faults(&self, id: usize, [progress, outcome, cost]: [f64; 3]) -> Vec<ErrorKind> {
        let Some(entry) = self.entries.get(id) else { return vec![ErrorKind::UnknownTrial] };
        let over = matches!(entry.state, RunState::Finished | RunState::Failed);
        let (before, total) = (entry.progress(), self.world.stages.total());
        let skips = self.world.stages.are_folds() && progress != before + 1.0;
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
        let (total, folds) = (self.world.stages.total(), self.world.stages.are_folds());
        let entry = &mut self.entries[id];
        let outcome = match entry.reports.last() {
            Some([_, before, _]) if folds => {
                // The difference may be no number where the mean is one.
                let share = 1.0 / progress;
                before * (1.0 - share) + outcome * share
            }
            _ => outcome,
        };
        entry.reports.push([progress, outcome, cost]);
        entry.cost = add(entry.cost, cost);
        self.spent = add(self.spent, cost);
        match entry.state {
            _ if progress >= total * (1.0 - 1e-9) => entry.state = RunState::Finished,
            RunState::Abandoned => {}
            _ => entry.state = RunState::Paused,
        }
    }

    /// A run was told what to do. Whether that may be.
    pub fn hear(&mut self, id: usize, advice: Advice) -> bool {
        let (resumable, total) = (self.world.stages.is_resumable(), self.world.stages.total());
        let entry = &mut self.entries[id];
        match (advice, entry.state) {
            (Advice::Done, RunState::Finished)
            | (Advice::Abandon, RunState::Abandoned | RunState::Failed) => true,
            (Advice::Continue { until }, RunState::Paused | RunState::Running { .. }) => {
                let further = until > entry.progress() && until <= total;
                entry.state = RunState::Running { until };
                further
            }
            (Advice::Pause, RunState::Paused | RunState::Running { .. }) => {
                entry.state = RunState::Paused;
                resumable
            }
            (Advice::Abandon, RunState::Paused | RunState::Running { .. }) => {
                entry.state = RunState::Abandoned;
                !resumable
            }
            _ => false,
        }
    }

    pub fn fail(&mut self, id: usize, cost: f64) {
        let entry = &mut self.entries[id];
        (entry.state, entry.cost) = (RunState::Failed, add(entry.cost, cost));
        self.spent = add(self.spent, cost);
    }

    pub fn lose(&mut self, id: usize) {
        let waits = self.world.stages.is_resumable() && !self.entries[id].reports.is_empty();
        self.entries[id].state = if waits { RunState::Paused } else { RunState::Abandoned };
    }

    /// The best outcome in hand.
    fn best(&self) -> Option<f64> {
        let any = self.world.stages.does_any_stage_count();
        let counted = |entry: &Entry| match (any, entry.state) {
            (true, _) => entry.reports.clone(),
            (false, RunState::Finished) => entry.reports.last().copied().into_iter().collect(),
            (false, _) => Vec::new(),
        };
        let outcomes = self.entries.iter().flat_map(counted).map(|[_, outcome, _]| outcome);
        outcomes.reduce(if self.up { f64::max } else { f64::min })
    }

    /// Everything that the study shows against the books.
    pub fn compare(&self, study: &StagedStudy) -> Held {
        let runs = study.runs();
        let count = self.entries.len();
        must!(runs.len() == count, HistoryIsWhatWasTold, "{} runs, not {count}", runs.len())?;
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        let said = |(report, own): (&Report, &[f64; 3])| {
            let [progress, outcome, cost] = *own;
            (report.progress, report.cost) == (progress, cost)
                // A mean that nearly vanishes has the rounding of its numbers.
                && (report.outcome == outcome || self.world.stages.are_folds())
        };
        let same = |(entry, run): &(&Entry, &Run)| {
            (&entry.values, &entry.unit, entry.state) == (&run.values, &run.unit, run.state)
                && entry.reports.len() == run.reports.len()
                && run.reports.iter().zip(&entry.reports).all(said)
                && near(entry.cost, run.cost)
        };
        if let Some(pair) = self.entries.iter().zip(runs).find(|pair| !same(pair)) {
            must!(false, HistoryIsWhatWasTold, "expected and found {pair:?}")?;
        }
        let spent = study.spent();
        must!(near(spent, self.spent), MoneyIsWhatWasPaid, "{spent}, expected {}", self.spent)?;
        let (best, own) = (study.best_report().map(|report| report.outcome), self.best());
        let best_is =
            best == own || (self.world.stages.are_folds() && best.is_some() == own.is_some());
        must!(best_is, BestIsBest, "{best:?}, expected {own:?}")
    }
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
        matches!(self.state, RunState::Running { .. })
    }

    pub fn progress(&self) -> f64 {
        self.reports.last().map_or(0.0, |[progress, ..]| *progress)
    }
}
