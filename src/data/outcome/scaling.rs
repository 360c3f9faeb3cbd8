//! Standardization of outcomes, and its inverse.

use crate::math::saturating::saturated;

/// The affine map that gives values mean 0 and standard deviation 1: `z = (v - mean) / sd`.
///
/// Finite numbers stay finite, in both directions: a result that would overflow is the largest
/// number of its sign. Infinities stay infinities.
///
/// ```
/// let scaling = gittins::internals::Scaling::standardize(&[1.0, 2.0, 3.0]);
/// assert_eq!((scaling.mean, scaling.sd), (2.0, 1.0));
/// assert_eq!(scaling.undo(scaling.apply(7.0)), 7.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scaling {
    /// The value that becomes 0.
    pub mean: f64,
    /// The difference that becomes 1; positive.
    pub sd: f64,
}

/// Whether two numbers differ by no more than sums and products of doubles are rounded by.
pub(crate) fn is_rounding(a: f64, b: f64) -> bool {
    a == b || (0.5 * a - 0.5 * b).abs() <= 2.0 * f64::EPSILON * a.abs().max(b.abs())
}

impl Scaling {
    /// The map that changes nothing.
    pub fn identity() -> Self {
        Self { mean: 0.0, sd: 1.0 }
    }

    /// The map by the mean and the standard deviation of the values (divisor `n - 1`). The values
    /// are finite.
    ///
    /// A single value, or values that are equal up to rounding, have no deviation. The magnitude of one
    /// takes its place, so values scaled by `s` have a deviation scaled by `s` here too. Zeros have no
    /// magnitude either: 1 stands there, and means nothing. No values give the identity.
    pub fn standardize(values: &[f64]) -> Self {
        let largest = values.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        if values.iter().all(|v| is_rounding(*v, values[0])) {
            let size = if largest == 0.0 { 1.0 } else { largest };
            let mean = values.first().map_or(0.0, |value| value + 0.0);
            return Self { mean, sd: size.max(f64::MIN_POSITIVE) };
        }
        // Values are divided by the largest before they are squared, so that 1e300 does not
        // overflow and 1e-300 does not underflow.
        let n = values.len() as f64;
        let mean = values.iter().map(|v| v / largest).sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v / largest - mean).powi(2)).sum();
        let sd = (squares / (n - 1.0)).sqrt() * largest;
        Self { mean: mean * largest, sd: sd.clamp(f64::MIN_POSITIVE, f64::MAX) }
    }

    /// A value in standardized units.
    pub fn apply(&self, value: f64) -> f64 {
        let distance = value - self.mean;
        if distance.is_finite() {
            return saturated(distance / self.sd);
        }
        // Halves of numbers at opposite ends have a difference that does not overflow.
        let standardized = (0.5 * value - 0.5 * self.mean) / (0.5 * self.sd);
        if value.is_finite() { saturated(standardized) } else { standardized }
    }

    /// A standardized value in the original units.
    pub fn undo(&self, standardized: f64) -> f64 {
        let value = self.mean + standardized * self.sd;
        if value.is_finite() || !standardized.is_finite() {
            return value;
        }
        // The product may overflow while its sum with a mean of the other sign does not.
        saturated(2.0 * (0.5 * self.mean + standardized * (0.5 * self.sd)))
    }

    /// A difference of values (or a price, or a deviation) in standardized units. If it is not
    /// zero, the result is not zero: a price must not vanish.
    pub fn apply_difference(&self, difference: f64) -> f64 {
        let standardized = difference / self.sd;
        if difference == 0.0 || !difference.is_finite() {
            return standardized;
        }
        standardized.abs().clamp(f64::MIN_POSITIVE, f64::MAX).copysign(difference)
    }

    /// The logarithm of a positive difference (or a price) in standardized units, also if the difference
    /// itself would overflow or underflow there.
    pub fn log_of_difference(&self, difference: f64) -> f64 {
        let standardized = difference / self.sd;
        if standardized.is_normal() { standardized.ln() } else { difference.ln() - self.sd.ln() }
    }

    /// The deviation in original units for a standardized variance, also if the variance in these
    /// units would overflow or underflow.
    pub fn undo_deviation(&self, variance: f64) -> f64 {
        let product = variance * self.sd * self.sd;
        if product.is_normal() { product.sqrt() } else { self.undo_difference(variance.sqrt()) }
    }

    /// A standardized difference (or price, or deviation) in the original units.
    pub fn undo_difference(&self, standardized: f64) -> f64 {
        let difference = standardized * self.sd;
        if standardized.is_finite() { saturated(difference) } else { difference }
    }
}
