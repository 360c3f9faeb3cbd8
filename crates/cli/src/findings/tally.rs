//! How many trials a study has, and what they cost.

use gittins::Study;
use gittins::study::{Origin, TrialState};
use serde_json::{Value, json};

/// Numbers of trials by their state, and money.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// With an outcome.
    pub complete: usize,
    /// Left on their way, to be resumed, and left for good; none unless trials run in stages.
    left: Option<[usize; 2]>,
    /// Without an outcome.
    pub failed: usize,
    /// Not allowed.
    pub infeasible: usize,
    /// Pending.
    pub pending: usize,
    /// Given up.
    pub withdrawn: usize,
    /// Of all of these, made elsewhere.
    pub imported: usize,
    /// Begun here and not given up. A limit of trials counts these.
    pub begun: usize,
    /// Whether those are there, and all failed.
    pub all_failed: bool,
    /// What those cost. A limit of money counts it.
    pub spent: f64,
}

impl Tally {
    /// Counts the trials of a study.
    pub fn of(study: &Study) -> Self {
        let mut tally = Self::default();
        let [mut paused, mut abandoned, mut failed] = [0; 3];
        for trial in study.history() {
            *match trial.state {
                TrialState::Complete => &mut tally.complete,
                TrialState::Paused => &mut paused,
                TrialState::Abandoned => &mut abandoned,
                TrialState::Failed => &mut tally.failed,
                TrialState::Infeasible => &mut tally.infeasible,
                TrialState::Pending => &mut tally.pending,
                _ => &mut tally.withdrawn,
            } += 1;
            if trial.origin == Origin::Imported {
                tally.imported += 1;
                continue;
            }
            tally.begun += usize::from(trial.state != TrialState::Withdrawn);
            failed += usize::from(trial.state == TrialState::Failed);
            tally.spent += trial.cost.unwrap_or(0.0);
        }
        tally.all_failed = failed > 0 && failed == tally.begun;
        tally.left = study.stages().map(|_| [paused, abandoned]);
        tally
    }

    /// The trials of which something is known: those that were told, and in stages all that began.
    pub fn known(&self) -> usize {
        if self.left.is_some() { self.begun } else { self.complete + self.without_outcome() }
    }

    /// The trials that were told without an outcome.
    fn without_outcome(&self) -> usize {
        self.failed + self.infeasible
    }

    /// Numbers by state, in words.
    pub fn words(&self) -> String {
        let Self { complete, failed, infeasible, pending, withdrawn, .. } = self;
        let left = self.left.map_or_else(String::new, |[paused, abandoned]| {
            format!("{paused} paused, {abandoned} abandoned, ")
        });
        let imported = match self.imported {
            0 => String::new(),
            count => format!("; {count} of them imported"),
        };
        format!(
            "{complete} complete, {left}{failed} failed, {infeasible} not allowed, {pending} pending, {withdrawn} given up{imported}"
        )
    }

    /// How many trials a run has, in words.
    pub fn of_a_run(&self) -> String {
        let known = self.known();
        match self.left {
            Some(_) => format!("{known} trials: {}", self.words()),
            None => {
                format!("{known} trials, {} of them without an outcome", self.without_outcome())
            }
        }
    }

    /// As an object.
    pub fn json(&self) -> Value {
        let mut object = json!({
            "complete": self.complete, "failed": self.failed, "infeasible": self.infeasible,
            "pending": self.pending, "withdrawn": self.withdrawn, "imported": self.imported,
        });
        if let Some([paused, abandoned]) = self.left {
            object["paused"] = json!(paused);
            object["abandoned"] = json!(abandoned);
        }
        object
    }
}
