//! Tolerances of trees of fantasies on a device.

use super::{DeviceErrors, device_double, device_single};

/// The error of a tree of this many steps that follows from an error of `covariance` in the
/// covariances and of `mean` in the means, in units of the prior's deviation and of the largest
/// value.
///
/// A fantasy moves a later mean by a covariance over the deviation of an outcome, which is at least
/// the root of the noise, times a base sample below 3. At most `steps - 1` fantasies are above a
/// node. The node's variance loses the squares of the same quotients, which are below the node's
/// deviation. Its own deviation is therefore off by as much again, without the sample. An
/// improvement follows both by factors below 1. A chance to pay has a slope of at most 1 over the
/// deviation of `ln c`, which counts once more for a process like the first. The sum has `steps`
/// levels, of weight 1 each. The values here are at least a tenth of the deviation.
fn tree(mean: f64, covariance: f64, (noise, steps): (f64, usize)) -> f64 {
    let quotient = covariance / noise.sqrt();
    let node = mean + (3.0 + 1.0) * quotient * (steps - 1) as f64 + quotient;
    2.0 * steps as f64 * node / 0.1
}

/// In double precision, for `n` data with noise of this share of the prior's variance. Means and
/// covariances err as a mean does. A slope weighs the same numbers by one more quotient.
pub fn tree_double(n: usize, noise: f64, steps: usize) -> DeviceErrors {
    let moments = device_double(n, noise);
    let value = tree(moments.mean, moments.mean, (noise, steps));
    DeviceErrors { value, gradient: value / noise.sqrt(), ..moments }
}

/// In single precision with the estimate `error` of a mean. `|dV| <= eps |L^-1|`, so a covariance
/// is off by twice the estimate, and by the rounding of a number near 1. Slopes as above.
pub fn tree_single(error: f64, noise: f64, steps: usize) -> DeviceErrors {
    let moments = device_single(error, false);
    let value = tree(moments.mean, 2.0 * moments.mean, (noise, steps));
    DeviceErrors { value, gradient: value / noise.sqrt(), ..moments }
}
