//! Tolerances of fronts and of expected hypervolume improvements.

use super::{DERIVATIVE, LOG_OF_NORMAL, NORMAL_RATIO};

/// Error of the logarithm of an expected hypervolume improvement of `m` objectives, whose factors
/// have logarithms with the sum `logs` of absolute values. A factor is a difference of two numbers,
/// each known to [`NORMAL_RATIO`], whose sum is at most five times their difference. A distance in
/// standard deviations `u` is rounded twice, which moves `u^2/2` by twice the epsilon of itself.
/// The logarithm adds its own error.
pub fn log_volume(m: usize, logs: f64) -> f64 {
    5.0 * NORMAL_RATIO * m as f64 + (2.0 * f64::EPSILON + LOG_OF_NORMAL) * (1.0 + logs)
}

/// Error of its derivative by a mean or a standard deviation `sd`, if the absolute values of its
/// terms sum to `terms`. Each term has a weight, whose error is that of the value, and a ratio like
/// a factor, whose mass sums to at most eight times its difference. Far above an end the ratio is a
/// density, `exp(-u^2/2)`, which the rounding of `u` moves by four epsilons of the exponent.
pub fn volume_slope(m: usize, logs: f64, terms: f64, sd: f64) -> f64 {
    let exponent = if terms > 0.0 { (terms * sd).ln().abs() } else { 0.0 };
    let relative = log_volume(m, logs) + 8.0 * DERIVATIVE + 4.0 * f64::EPSILON * exponent;
    // A density below the smallest normal number has absolute precision.
    relative * terms + f64::MIN_POSITIVE / sd
}

/// Error of the change over a step by the five-point formula, of a logarithm of the size `logs`.
/// The step is a thousandth of the scale on which the function bends. So the truncation is
/// `1e-15/30` of a fifth derivative, which is below 1000 on that scale. The values have the error
/// of [`log_volume`], and the weights of the formula sum to 1.5.
pub fn volume_difference(m: usize, logs: f64) -> f64 {
    1e-13 + 1.5 * log_volume(m, logs)
}

/// Relative difference of a hypervolume and of an expected improvement from another engine in
/// double precision. That engine sums up to 2^3 products with both signs for each of some 500
/// boxes, whose sizes are up to 1. The smallest expectation is 6e-5: `500 * 8 * eps / 6e-5`, 1.5e-8,
/// if every rounding fell to the same side. Roundings of both signs, spread over all boxes, leave a
/// hundredth of that at most. The present fronts stay within 5e-15.
pub const PEER_VOLUME: f64 = 1e-10;

/// Relative error of a sum of at most a hundred positive products of three differences, each
/// rounded once.
pub const VOLUME: f64 = 110.0 * f64::EPSILON;
