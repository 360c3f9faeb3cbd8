//! One trial: asked for or imported, told or pending.

use std::fmt;
use std::str::FromStr;

use crate::data::value::numbers;
use crate::data::{Measured, State, TrialId, Value};
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
}

impl TrialState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Complete, Self::Failed, Self::Infeasible, Self::Withdrawn];

    /// The state's name, as records have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Infeasible => "infeasible",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Whether an outcome or a failure was told, and stands.
    pub fn is_told(self) -> bool {
        !matches!(self, Self::Pending | Self::Withdrawn)
    }

    /// The state that was told, if a record has this one.
    ///
    /// # Errors
    /// `InvalidSetting` for a trial that was not told.
    pub(crate) fn told(self) -> Result<State, Error> {
        match self {
            Self::Complete => Ok(State::Complete),
            Self::Failed => Ok(State::Failed),
            Self::Infeasible => Ok(State::Infeasible),
            Self::Pending | Self::Withdrawn => Err(Error::new(
                ErrorKind::InvalidSetting,
                "a trial under way or withdrawn has nothing to tell",
            )),
        }
    }
}

impl TrialState {
    /// The state of a trial that was told.
    pub(super) fn of(state: State) -> Self {
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
}

impl Trial {
    /// The values as numbers: a flag is 0 or 1, NaN stands for a name and for what is absent.
    pub fn numbers(&self) -> Vec<f64> {
        numbers(&self.values)
    }
}

/// The parts of a trial that the books read and write, for any kind of study.
pub(crate) trait Entry {
    /// Where it came from.
    fn origin(&self) -> Origin;
    /// How far it has come.
    fn state(&self) -> TrialState;
    /// The outcome.
    fn outcome(&self) -> Option<f64>;
    /// The cost.
    fn cost(&self) -> Option<f64>;
    /// Replaces all of that but the origin.
    fn set(&mut self, state: TrialState, outcome: Option<f64>, cost: Option<f64>);
    /// What was measured beside the outcome, if this kind of study has limits.
    fn measured(&self) -> Measured {
        Measured::default()
    }
    /// Takes what was measured beside the outcome.
    fn set_measured(&mut self, _measured: &Measured) {}
}

impl Entry for Trial {
    fn origin(&self) -> Origin {
        self.origin
    }

    fn state(&self) -> TrialState {
        self.state
    }

    fn outcome(&self) -> Option<f64> {
        self.outcome
    }

    fn cost(&self) -> Option<f64> {
        self.cost
    }

    fn set(&mut self, state: TrialState, outcome: Option<f64>, cost: Option<f64>) {
        (self.state, self.outcome, self.cost) = (state, outcome, cost);
    }

    fn measured(&self) -> Measured {
        self.measured.clone()
    }

    fn set_measured(&mut self, measured: &Measured) {
        self.measured.clone_from(measured);
    }
}
