//! One trial: asked for or imported, told or pending.

use std::fmt;
use std::str::FromStr;

use crate::data::trial::reports::Report;
use crate::data::value::numbers;
use crate::data::{Direction, Measured, State, TrialId, Value};
use crate::error::{Error, ErrorKind};
#[cfg(feature = "serde")]
use crate::math::number::{list, maybe};

/// How far a trial has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TrialState {
    /// Asked for, not told yet.
    Pending,
    /// Told with an outcome.
    Complete,
    /// Told without an outcome.
    Failed,
    /// Told to break a constraint.
    Infeasible,
    /// Given up, or told by mistake and taken back. It can still be told.
    Withdrawn,
    /// In stages: left after a report, and can be resumed.
    Paused,
    /// In stages: left for good before its end.
    Abandoned,
}

impl TrialState {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Complete,
        Self::Failed,
        Self::Infeasible,
        Self::Withdrawn,
        Self::Paused,
        Self::Abandoned,
    ];

    /// The state's name, as records have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Infeasible => "infeasible",
            Self::Withdrawn => "withdrawn",
            Self::Paused => "paused",
            Self::Abandoned => "abandoned",
        }
    }

    /// Whether an outcome or a failure was told, and stands.
    pub fn is_told(self) -> bool {
        matches!(self, Self::Complete | Self::Failed | Self::Infeasible)
    }
}

impl TrialState {
    /// The state of a trial that was told.
    #[doc(hidden)]
    pub fn of(state: State) -> Self {
        match state {
            State::Complete => Self::Complete,
            State::Failed => Self::Failed,
            State::Infeasible => Self::Infeasible,
        }
    }
}

/// Where a trial came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Origin {
    /// The initial design.
    Initial,
    /// Suggested after it. Schedules, and stopping rules but a number of trials, count these trials
    /// and their cost.
    Suggested,
    /// Told without having been asked for.
    Imported,
}

impl Origin {
    /// All origins.
    pub const ALL: [Self; 3] = [Self::Initial, Self::Suggested, Self::Imported];

    /// The origin's name, as records have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Suggested => "suggested",
            Self::Imported => "imported",
        }
    }
}

macro_rules! named {
    ($($kind:ty, $what:literal;)*) => {
        $(impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $kind {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self, Error> {
                Self::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| {
                    let known = Self::ALL.map(Self::name).join(", ");
                    let message = format!(concat!("no ", $what, " is named {:?}; there are {}"), name, known);
                    Error::new(ErrorKind::InvalidSetting, message)
                })
            }
        })*
    };
}

named! {
    TrialState, "state of a trial";
    Origin, "origin of a trial";
}

/// One trial of a study.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Trial {
    /// Its identifier.
    pub id: TrialId,
    /// The parameters' values, in the user's units and in their order.
    pub values: Vec<Value>,
    /// The point in the unit cube.
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub unit: Vec<f64>,
    /// Its row, in a table.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub row: Option<usize>,
    /// How far it has come.
    pub state: TrialState,
    /// The outcome, in the user's units.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub outcome: Option<f64>,
    /// The cost, in the user's units: the cost that was told, which may be before the outcome;
    /// otherwise the cost that is known.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub cost: Option<f64>,
    /// The numbers that were measured beside the outcome.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Measured::is_empty"))]
    pub measured: Measured,
    /// Where it came from.
    pub origin: Origin,
    /// What it reported, if it runs in stages.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub reports: Vec<Report>,
    /// The progress of its coming report, while it is pending in stages.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub until: Option<f64>,
}

/// Whether a trial stands that is at some place: one that was withdrawn is at none.
pub(crate) fn is_taken(trials: &[Trial], is_there: impl Fn(&Trial) -> bool) -> bool {
    trials.iter().any(|trial| trial.state != TrialState::Withdrawn && is_there(trial))
}

impl Trial {
    /// The values as numbers: a flag is 0 or 1, NaN stands for a name and for what is absent.
    pub fn numbers(&self) -> Vec<f64> {
        numbers(&self.values)
    }

    /// The progress of its last report; 0 before the first.
    pub fn progress(&self) -> f64 {
        self.reports.last().map_or(0.0, |report| report.progress)
    }

    /// The report with the best outcome, the first among equals; none before the first report.
    pub fn best_report(&self, direction: Direction) -> Option<&Report> {
        let sign = direction.sign();
        self.reports.iter().reduce(|best, report| {
            if sign * report.outcome > sign * best.outcome { report } else { best }
        })
    }
}
