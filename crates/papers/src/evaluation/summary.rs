//! Many seeds in a few numbers.

use gittins::internals::at_rank;
use gittins::{Error, ErrorKind, Result};

/// Median and quartiles, and mean with two standard errors, of a number over seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// How many numbers there are.
    pub count: usize,
    /// The 25th percentile.
    pub lower_quartile: f64,
    /// The 50th percentile.
    pub median: f64,
    /// The 75th percentile.
    pub upper_quartile: f64,
    /// The mean.
    pub mean: f64,
    /// Twice the standard error of the mean. None for a single number with the divisor `n - 1`.
    pub two_standard_errors: Option<f64>,
}

/// The divisor of the sum of squared deviations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Divisor {
    /// `n - 1`: unbiased, and that of Xie et al. 2024.
    #[default]
    Sample,
    /// `n`: that of Xie et al. 2025. Errors are then a little too small.
    Population,
}

impl Summary {
    /// The summary of numbers. None may be NaN; infinities are in order.
    ///
    /// # Errors
    /// `Empty` without any, `NonFinite` naming the place of one that is NaN.
    pub fn of(values: &[f64], divisor: Divisor) -> Result<Self> {
        let sorted = sorted(values)?;
        let count = sorted.len();
        let mean = mean(values.iter().copied());
        let divisor = match divisor {
            Divisor::Sample => count - 1,
            Divisor::Population => count,
        };
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let error = (divisor > 0).then(|| 2.0 * (squares / divisor as f64 / count as f64).sqrt());
        let [lower_quartile, median, upper_quartile] =
            [25.0, 50.0, 75.0].map(|percent| linear(&sorted, percent));
        Ok(Self { count, lower_quartile, median, upper_quartile, mean, two_standard_errors: error })
    }
}

/// The percentile `q` of numbers: with the sorted `v_0 .. v_(n-1)` and `h = (n - 1) q / 100`, a
/// point on the line between `v_floor(h)` and `v_ceil(h)`. This is the `linear` method of `NumPy`, and type 7 of
/// Hyndman & Fan 1996, Sample Quantiles in Statistical Packages.
///
/// # Errors
/// `Empty` without a number, `NonFinite` naming the place of one that is NaN, `InvalidSetting` for
/// a percentile outside `[0, 100]`.
pub fn percentile(values: &[f64], percent: f64) -> Result<f64> {
    if !(0.0..=100.0).contains(&percent) {
        return Err(Error::new(
            ErrorKind::InvalidSetting,
            format!("expected a percentile in [0, 100], got {percent}"),
        ));
    }
    Ok(linear(&sorted(values)?, percent))
}

fn sorted(values: &[f64]) -> Result<Vec<f64>> {
    if values.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "expected at least one number, got none"));
    }
    if let Some(at) = values.iter().position(|value| value.is_nan()) {
        return Err(Error::new(ErrorKind::NonFinite, format!("number {at} is NaN")));
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ok(sorted)
}

fn linear(sorted: &[f64], percent: f64) -> f64 {
    // Not empty, so the rank exists.
    at_rank(sorted, (sorted.len() - 1) as f64 * percent / 100.0).unwrap_or(f64::NAN)
}

pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}
