//! One trial: asked for or imported, told or under way.

use std::fmt;
use std::sync::Arc;

use crate::data::State;
use crate::data::observation::check_told;
use crate::error::{Error, ErrorKind, Result};
use crate::suggest::Suggestion;

/// The identifier of a trial within its study: trials are numbered from 0 as they are asked for or
/// imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrialId(usize);

impl TrialId {
    /// The number: the trial's place in [`Study::history`](crate::Study::history).
    pub fn index(self) -> usize {
        self.0
    }
}

impl From<usize> for TrialId {
    fn from(index: usize) -> Self {
        Self(index)
    }
}

impl fmt::Display for TrialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trial {}", self.0)
    }
}

/// What came of an evaluation.
///
/// ```
/// use gittins::Outcome;
/// let complete = Outcome::new(0.41).cost(38.0);
/// let crashed = Outcome::failed().cost(2.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    pub(crate) state: State,
    pub(crate) value: Option<f64>,
    pub(crate) cost: Option<f64>,
    pub(super) cost_later: bool,
}

impl Outcome {
    /// An outcome, in the user's units.
    pub fn new(value: f64) -> Self {
        Self::of(State::Complete, Some(value))
    }

    /// No outcome: the evaluation crashed, diverged or was given up. It says nothing about how good
    /// its region is.
    pub fn failed() -> Self {
        Self::of(State::Failed, None)
    }

    /// The point breaks a constraint: it counts as the worst outcome so far.
    pub fn infeasible() -> Self {
        Self::of(State::Infeasible, None)
    }

    fn of(state: State, value: Option<f64>) -> Self {
        Self { state, value, cost: None, cost_later: false }
    }

    /// What the evaluation cost, in the user's units of cost. Needed for a complete trial where the
    /// cost is learned, unless it was told [before](crate::Study::tell_cost) or comes
    /// [later](Self::cost_later); otherwise the cost that is known stands in for one that is not
    /// told.
    pub fn cost(mut self, cost: f64) -> Self {
        (self.cost, self.cost_later) = (Some(cost), false);
        self
    }

    /// The cost, which is learned, is not known yet: [`Study::tell_cost`](crate::Study::tell_cost)
    /// will tell it.
    pub fn cost_later(mut self) -> Self {
        (self.cost, self.cost_later) = (None, true);
        self
    }

    pub(crate) fn validate(&self, cost_floor: Option<f64>) -> Result<()> {
        check_told(self.state, self.value, self.cost, cost_floor)
    }
}

/// How far a trial has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum TrialState {
    /// Asked for, not told yet.
    Pending,
    /// Told with an outcome.
    Complete,
    /// Told without an outcome.
    Failed,
    /// Told to break a constraint.
    Infeasible,
    /// Given up, or told by mistake and taken back; it can still be told.
    Withdrawn,
}

impl From<State> for TrialState {
    fn from(state: State) -> Self {
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
pub enum Origin {
    /// The initial design.
    Initial,
    /// Suggested after it; these count as the trials and the spending of stopping rules and
    /// schedules.
    Suggested,
    /// Told without having been asked for.
    Imported,
}

/// One trial of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Its identifier.
    pub id: TrialId,
    /// The parameters' values, in the user's units and in their order.
    pub values: Vec<f64>,
    /// The same point in the unit cube.
    pub unit: Vec<f64>,
    /// Its row, in a table.
    pub row: Option<usize>,
    /// How far it has come.
    pub state: TrialState,
    /// What came out, in the user's units.
    pub outcome: Option<f64>,
    /// What it cost, in the user's units: as told, which may be before the outcome, else as known.
    pub cost: Option<f64>,
    /// Where it came from.
    pub origin: Origin,
    /// The Gittins index it was suggested with, larger being better, until it is told.
    pub(super) index: Option<f64>,
    /// Where the observations have it.
    pub(super) place: Place,
}

impl Trial {
    /// Ticket and sum of a cost that came before the outcome.
    pub(super) fn paid(&self) -> Option<(usize, f64)> {
        match self.place {
            Place::Paid(ticket) => self.cost.map(|cost| (ticket, cost)),
            Place::Nowhere | Place::Told(_) => None,
        }
    }
}

/// Where the observations have a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing was told.
    Nowhere,
    /// The cost came first, and waits under this ticket.
    Paid(usize),
    /// At this index.
    Told(usize),
}

/// A point to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub(super) id: TrialId,
    pub(super) names: Arc<[String]>,
    pub(super) values: Vec<f64>,
    pub(super) row: Option<usize>,
    pub(super) why: Why,
}

impl Ask {
    /// What to tell the outcome by.
    pub fn id(&self) -> TrialId {
        self.id
    }

    /// The parameters' values in their order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// `UnknownParameter`, listing the names there are.
    pub fn get(&self, name: &str) -> Result<f64> {
        let found = self.named().find(|(known, _)| *known == name);
        let missing = || {
            Error::new(
                ErrorKind::UnknownParameter,
                format!("no parameter is named {name:?}; there are {:?}", self.names),
            )
        };
        found.map(|(_, value)| value).ok_or_else(missing)
    }

    /// The parameters' names and values in their order.
    pub fn named(&self) -> impl Iterator<Item = (&str, f64)> {
        self.names.iter().map(String::as_str).zip(self.values.iter().copied())
    }

    /// The row, in a table.
    pub fn row(&self) -> Option<usize> {
        self.row
    }

    /// Why this point.
    pub fn why(&self) -> &Why {
        &self.why
    }
}

/// Why a point was chosen; prints itself in plain words.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// It belongs to the initial design.
    Initial {
        /// Its number, the first being 1.
        number: usize,
        /// How many points the design has.
        of: usize,
    },
    /// The initial design was asked for and no outcome is known yet: one more quasi-random point.
    Exploring,
    /// The policy suggested it.
    Suggested(Box<Suggestion>),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initial { number, of } => write!(f, "initial design, point {number} of {of}"),
            Self::Exploring => f.write_str("quasi-random, since no outcome is known yet"),
            Self::Suggested(suggestion) => suggestion.fmt(f),
        }
    }
}
