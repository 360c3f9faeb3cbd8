//! A limit on a number that is measured beside the outcome.

use std::fmt;

use crate::math::saturating::difference;

/// An outcome constraint: a bound that a metric must hold for a trial to be feasible, such as a
/// latency, a number of weights or a stress.
///
/// ```
/// use gittins::study::Limit;
/// assert!(Limit::at_most(20.0).holds(17.2));
/// assert!(!Limit::at_least(0.9).holds(0.85));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Limit {
    /// The number must not be larger.
    AtMost(f64),
    /// The number must not be smaller.
    AtLeast(f64),
}

impl Limit {
    /// The number must not be larger than this.
    pub fn at_most(bound: f64) -> Self {
        Self::AtMost(bound)
    }

    /// The number must not be smaller than this.
    pub fn at_least(bound: f64) -> Self {
        Self::AtLeast(bound)
    }

    /// The bound.
    pub fn bound(self) -> f64 {
        match self {
            Self::AtMost(bound) | Self::AtLeast(bound) => bound,
        }
    }

    /// How far a measured number is on the good side of the bound, in its own unit; negative beyond
    /// the bound, NaN for a number that was not measured.
    pub fn slack(self, measured: f64) -> f64 {
        match self {
            Self::AtMost(bound) => difference(bound, measured),
            Self::AtLeast(bound) => difference(measured, bound),
        }
    }

    /// Whether a measured number holds the limit. One that was not measured does not.
    pub fn holds(self, measured: f64) -> bool {
        self.slack(measured) >= 0.0
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(bound) => write!(f, "at most {bound}"),
            Self::AtLeast(bound) => write!(f, "at least {bound}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_is_positive_on_the_good_side_and_what_was_not_measured_holds_nothing() {
        for (limit, good, bad) in
            [(Limit::at_most(20.0), 17.0, 23.0), (Limit::at_least(-1.0), 2.0, -4.0)]
        {
            assert_eq!((limit.slack(good), limit.slack(bad)), (3.0, -3.0));
            assert!(limit.holds(good) && limit.holds(limit.bound()) && !limit.holds(bad));
            assert!(!limit.holds(f64::NAN) && limit.slack(f64::NAN).is_nan());
        }
        assert_eq!(Limit::at_most(f64::MIN).slack(f64::MAX), f64::MIN);
    }
}
