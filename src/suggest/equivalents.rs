//! What the distance to an estimated maximum amounts to as another rule.

use std::fmt;

use crate::acquisition::{Acquisition, Pointwise};
use crate::math::decimal::decimal;

/// Rules that would have chosen the same point as the distance to an estimated maximum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalents {
    /// The probability of an outcome better than this, in the user's units.
    pub target: f64,
    /// The upper confidence bound with so many deviations (lower, where outcomes are minimized).
    /// Large while a run explores.
    pub lambda: f64,
}

impl Equivalents {
    /// Of the largest value of an acquisition; `sign` leads back to the user's direction.
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
