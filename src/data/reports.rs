//! Runs and their reports.

use crate::data::{Direction, TrialId, Value};
#[cfg(feature = "serde")]
use crate::math::number::{list, one};

/// What a run said at one progress.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// The progress.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub progress: f64,
    /// The share of the run that is done.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub share: f64,
    /// The outcome so far, in the user's units; of folds their mean.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub outcome: f64,
    /// The cost since the report before.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub cost: f64,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RunState {
    /// It is under way until this progress.
    Running {
        /// The progress of its coming report.
        until: f64,
    },
    /// It was left, and can be resumed.
    Paused,
    /// It came to its end.
    Finished,
    /// It was left for good.
    Abandoned,
    /// It broke.
    Failed,
}

impl RunState {
    /// The state's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running { .. } => "running",
            Self::Paused => "paused",
            Self::Finished => "finished",
            Self::Abandoned => "abandoned",
            Self::Failed => "failed",
        }
    }
}

/// One run of a study of runs in stages.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Run {
    /// Its identifier: runs are numbered from 0 in the order in which they began.
    pub id: TrialId,
    /// The parameters' values, in the user's units and in their order.
    pub values: Vec<Value>,
    /// The point in the unit cube.
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub unit: Vec<f64>,
    /// Its row, in a table.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub row: Option<usize>,
    /// What it said.
    pub reports: Vec<Report>,
    /// Where it is.
    pub state: RunState,
    /// What it has cost so far.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub cost: f64,
}

impl Run {
    /// The progress of its last report; 0 before the first.
    pub fn progress(&self) -> f64 {
        self.reports.last().map_or(0.0, |report| report.progress)
    }

    /// The outcome at its end, if it came there.
    pub fn outcome(&self) -> Option<f64> {
        match self.state {
            RunState::Finished => Some(self.reports.last()?.outcome),
            _ => None,
        }
    }

    /// The report with the best outcome, the first among equals; none before the first report.
    pub fn best_report(&self, direction: Direction) -> Option<&Report> {
        let sign = direction.sign();
        self.reports.iter().reduce(|best, report| {
            if sign * report.outcome > sign * best.outcome { report } else { best }
        })
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(self.state, RunState::Running { .. })
    }
}
