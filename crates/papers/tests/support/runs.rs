//! Tolerances of rules and of what runs were worth.

use crate::support::tolerance::DERIVATIVE;

/// Error of percentiles, means and their errors of `n` numbers, in units of `n` times the largest.
/// The place `(n - 1) q` is rounded twice, to `n eps` of a distance of at most twice the largest. A
/// sum of `n` terms is rounded to half of `n eps` of each. A standard error is a sum of squares
/// under a root.
pub const SUMMARY: f64 = 4.0 * f64::EPSILON;

/// Error of the terms of the regret gap, relative to the sum of their absolute values: three
/// roundings in the variance of a difference whose terms are at most four times the result, the
/// error of the improvement, and some ten more operations.
pub const REGRET_GAP: f64 = DERIVATIVE;

/// Relative error of the ends of an interval of Clopper and Pearson. In `ln p` of a term three
/// log-gamma functions of up to 1000 are off by an epsilon of 6e3 each, so a tail is off by
/// `2e4 eps = 4e-12` of itself. Its root is off by that over the slope `d ln tail / d ln p`. The
/// slope is at least 1 for a tail of one success or more, and that share of the complement
/// otherwise.
pub const NEAR_BINOMIAL: f64 = 4e-12;

/// The shift by random features of a probability that is estimated on 2000 paths. A kernel of 512
/// frequencies is off by some `1/sqrt(512) = 4 %`. The slope of a probability in `ln sigma^2` is
/// below `u phi(u)/2 <= 0.12` for one point and four times that for a maximum over some points. The
/// probability is therefore off by 0.02 in a group of 16 paths. Three standard errors over 125
/// groups are 0.005. The second order, `(0.04 u^2)^2 / 2` of the probability in a tail with
/// `u = 2`, is less.
pub const FEATURES_SHIFT: f64 = 0.007;
