//! An objective beside the outcome.

use crate::data::Direction;

/// A metric that is an objective beside the outcome, to be minimized or maximized as well: a
/// latency beside an error. The result is a Pareto front.
///
/// Its reference point is the value that is worth nothing, in the number's own unit: what is worse
/// adds nothing to the front.
///
/// ```
/// use gittins::study::Objective;
/// let latency = Objective::minimize().reference(40.0); // slower than 40 ms is worth nothing
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Objective {
    pub(crate) direction: Direction,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) reference: Option<f64>,
}

impl Objective {
    /// Smaller numbers are better.
    pub fn minimize() -> Self {
        Self { direction: Direction::Minimize, reference: None }
    }

    /// Larger numbers are better.
    pub fn maximize() -> Self {
        Self { direction: Direction::Maximize, reference: None }
    }

    /// The value that is worth nothing, and so is whatever is worse. Unless it is set, it is inferred:
    /// a tenth of the range of all feasible trials beyond the worst of them, penalties left out.
    pub fn reference(mut self, worst: f64) -> Self {
        self.reference = Some(worst);
        self
    }

    /// Which numbers are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }
}
