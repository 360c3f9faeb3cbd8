//! The result of an evaluation.

use crate::data::trial::observation::check_told;
use crate::data::{Measured, State};
use crate::error::Result;
#[cfg(feature = "serde")]
use crate::math::number::maybe;

/// The result of an evaluation.
///
/// ```
/// use gittins::Outcome;
/// let complete = Outcome::new(0.41).cost(38.0);
/// let crashed = Outcome::failed().cost(2.5);
/// let limited = Outcome::new(0.41).measured("latency_ms", 17.2);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outcome {
    #[doc(hidden)]
    pub state: State,
    #[cfg_attr(feature = "serde", serde(with = "maybe"))]
    #[doc(hidden)]
    pub value: Option<f64>,
    #[cfg_attr(feature = "serde", serde(with = "maybe"))]
    #[doc(hidden)]
    pub cost: Option<f64>,
    pub(in crate::study) cost_later: bool,
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "crate::data::Measured::is_empty")
    )]
    #[doc(hidden)]
    pub measured: Measured,
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

    /// The point breaks a constraint. To the models it is a failure, unless a measured number breaks
    /// a [limit](crate::study::StudyBuilder::limit): then the model of this limit learns from it
    /// alone. So a number that is cheap to measure can be told before a long training, in place of
    /// it.
    pub fn infeasible() -> Self {
        Self::of(State::Infeasible, None)
    }

    fn of(state: State, value: Option<f64>) -> Self {
        Self { state, value, cost: None, cost_later: false, measured: Measured::default() }
    }

    /// The cost of the evaluation, in the user's units. A complete trial needs it if the cost is
    /// learned, unless the cost was told [before](crate::Study::tell_cost) or comes
    /// [later](Self::cost_later). If the cost is known, the known cost stands in for one that is
    /// not told.
    pub fn cost(mut self, cost: f64) -> Self {
        self.cost = Some(cost);
        self.cost_later = false;
        self
    }

    /// The cost, which is learned, is not known yet: [`Study::tell_cost`](crate::Study::tell_cost)
    /// will tell it.
    pub fn cost_later(mut self) -> Self {
        self.cost = None;
        self.cost_later = true;
        self
    }

    /// A number that was measured beside the outcome, on which the study has a
    /// [limit](crate::study::StudyBuilder::limit). NaN says that it could not be measured.
    pub fn measured(mut self, name: impl Into<String>, number: f64) -> Self {
        self.measured.set(name, number);
        self
    }

    /// Whether its cost was announced.
    #[cfg(feature = "journal")]
    pub(crate) fn comes_later(&self) -> bool {
        self.cost_later
    }

    #[doc(hidden)]
    pub fn validate(&self, cost_floor: Option<f64>) -> Result<()> {
        check_told(self.state, self.value, self.cost, cost_floor)
    }
}
