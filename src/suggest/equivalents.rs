//! Other rules that are equivalent to the distance to an estimated maximum.

use std::fmt;

use crate::acquisition::{Acquisition, Pointwise};
use crate::math::decimal::decimal;

/// Rules that would have chosen the same point as the distance to an estimated maximum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalents {
    /// The target of the probability of improvement, in the user's units.
    pub target: f64,
    /// The multiple of the standard deviation of the upper confidence bound (of the lower one if
    /// outcomes are minimized). It is large while a run explores.
    pub lambda: f64,
}

impl Equivalents {
    /// The equivalents of the largest value of an acquisition. `sign` converts to the user's
    /// direction.
    pub(super) fn of(acquisition: &Acquisition, value: f64, sign: f64) -> Option<Self> {
        match acquisition {
            Acquisition::Pointwise(Pointwise::EstimatedMaximum { maximum, .. }) => {
                Some(Self { target: sign * maximum, lambda: -value })
            }
            _ => None,
        }
    }
}

impl fmt::Display for Equivalents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [target, lambda] = [decimal(self.target, 6), decimal(self.lambda, 4)];
        write!(
            f,
            "most likely to be better than {target}, and best by a confidence bound of {lambda} deviations"
        )
    }
}
