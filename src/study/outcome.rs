//! What came of an evaluation.

use crate::data::State;
use crate::data::observation::check_told;
use crate::error::Result;
#[cfg(feature = "serde")]
use crate::math::number::maybe;

/// The result of an evaluation.
///
/// ```
/// use gittins::Outcome;
/// let complete = Outcome::new(0.41).cost(38.0);
/// let crashed = Outcome::failed().cost(2.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outcome {
    pub(crate) state: State,
    #[cfg_attr(feature = "serde", serde(with = "maybe"))]
    pub(crate) value: Option<f64>,
    #[cfg_attr(feature = "serde", serde(with = "maybe"))]
    pub(crate) cost: Option<f64>,
    pub(super) cost_later: bool,
}

impl Outcome {
    /// An outcome, in the user's units.
    pub fn new(value: f64) -> Self {
        Self::of(State::Complete, Some(value))
    }

    /// No outcome: the evaluation crashed, diverged or was given up. The study learns from it where
    /// trials fail ([`posterior::Success`](crate::posterior::Success)).
    pub fn failed() -> Self {
        Self::of(State::Failed, None)
    }

    /// The point breaks a constraint. To the models it is a failure.
    pub fn infeasible() -> Self {
        Self::of(State::Infeasible, None)
    }

    fn of(state: State, value: Option<f64>) -> Self {
        Self { state, value, cost: None, cost_later: false }
    }

    /// The cost of the evaluation, in the user's units. A complete trial needs it if the cost is
    /// learned, unless the cost was told [before](crate::Study::tell_cost) or comes
    /// [later](Self::cost_later). If the cost is known, the known cost stands in for one that is
    /// not told.
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

    /// Whether its cost was announced.
    #[cfg(feature = "journal")]
    pub(crate) fn comes_later(&self) -> bool {
        self.cost_later
    }

    pub(crate) fn validate(&self, cost_floor: Option<f64>) -> Result<()> {
        check_told(self.state, self.value, self.cost, cost_floor)
    }
}
