//! Standardizing outcomes, and back.

/// The affine map that gives values mean 0 and standard deviation 1: `z = (v - mean) / sd`.
///
/// ```
/// let scaling = gittins::data::Scaling::standardize(&[1.0, 2.0, 3.0]);
/// assert_eq!((scaling.mean, scaling.sd), (2.0, 1.0));
/// assert_eq!(scaling.undo(scaling.apply(7.0)), 7.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// What becomes 0.
    pub mean: f64,
    /// What a difference of 1 stands for; positive.
    pub sd: f64,
}

impl Scaling {
    /// The map that changes nothing.
    pub fn identity() -> Self {
        Self { mean: 0.0, sd: 1.0 }
    }

    /// The map by the values' own mean and standard deviation (divisor `n - 1`); the values are finite.
    ///
    /// Values that do not differ, and a single one, have no deviation: their magnitude stands for it, or 1 if they are zero,
    /// so that values scaled by `s` have a deviation scaled by `s` here too. No values give the identity.
    pub fn standardize(values: &[f64]) -> Self {
        let largest = values.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        if largest == 0.0 {
            return Self::identity();
        }
        if values.iter().all(|v| *v == values[0]) {
            return Self { mean: values[0], sd: largest.max(f64::MIN_POSITIVE) };
        }
        // Values are divided by the largest before they are squared: 1e300 must not overflow, nor 1e-300 vanish.
        let n = values.len() as f64;
        let mean = values.iter().map(|v| v / largest).sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v / largest - mean).powi(2)).sum();
        let sd = (squares / (n - 1.0)).sqrt() * largest;
        Self { mean: mean * largest, sd: sd.clamp(f64::MIN_POSITIVE, f64::MAX) }
    }

    /// A value in standardized units.
    pub fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.sd
    }

    /// A standardized value in its own units again.
    pub fn undo(&self, standardized: f64) -> f64 {
        self.mean + standardized * self.sd
    }

    /// A difference of values (or a price, or a deviation) in standardized units.
    pub fn apply_difference(&self, difference: f64) -> f64 {
        difference / self.sd
    }

    /// A standardized difference (or price, or deviation) in its own units again.
    pub fn undo_difference(&self, standardized: f64) -> f64 {
        standardized * self.sd
    }
}
