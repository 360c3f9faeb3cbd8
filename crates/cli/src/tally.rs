//! How many trials a study has, and what they cost.

use gittins::Study;
use gittins::study::{Origin, TrialState};
use serde_json::{Value, json};

/// Numbers of trials by their state, and money.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// With an outcome.
    pub complete: usize,
    /// Without one.
    pub failed: usize,
    /// Not allowed.
    pub infeasible: usize,
    /// Under way.
    pub pending: usize,
    /// Given up.
    pub withdrawn: usize,
    /// Of all of these, made elsewhere.
    pub imported: usize,
    /// Begun here and not given up. A limit of trials counts these.
    pub begun: usize,
    /// What those cost. A limit of money counts it.
    pub spent: f64,
}

impl Tally {
    /// Counts the trials of a study.
    pub fn of(study: &Study) -> Self {
        let mut tally = Self::default();
        for trial in study.history() {
            *match trial.state {
                TrialState::Complete => &mut tally.complete,
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
            tally.spent += trial.cost.unwrap_or(0.0);
        }
        tally
    }

    /// The trials that were told.
    pub fn told(&self) -> usize {
        self.complete + self.without_outcome()
    }

    /// The trials that were told without an outcome.
    pub fn without_outcome(&self) -> usize {
        self.failed + self.infeasible
    }

    /// As an object.
    pub fn json(&self) -> Value {
        json!({
            "complete": self.complete, "failed": self.failed, "infeasible": self.infeasible,
            "pending": self.pending, "withdrawn": self.withdrawn, "imported": self.imported,
        })
    }
}
