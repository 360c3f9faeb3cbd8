//! Compares our numbers with published ones: when do they agree?
//!
//! Both are medians or means of a few dozen seeds, so they differ by chance. The difference is
//! measured in units of its standard error
//!
//! ```text
//! z = (ours - published) / sqrt(e_ours^2 + e_published^2 + reading^2)
//! ```
//!
//! The two agree if `|z|` is at most the two-sided 5 % point of Student's distribution with
//! `n_ours + n_published - 2` degrees of freedom. Of numbers from one distribution one in twenty
//! then differs. The standard error of a median is half the distance of the order statistics
//! `sqrt(n)/2` ranks on either side of the middle: two thirds of the samples' medians lie between
//! them. The standard error of a mean is `s/sqrt(n)`. For a published median with quartiles it is
//! `0.929 (q3 - q1)/sqrt(n)`, as for a normal sample. If no spread was published, it is ours,
//! scaled to the published number of seeds. `reading` is the error of a number that was read off a
//! figure.

use std::f64::consts::PI;

use gittins_papers::evaluation::percentile;
use gittins_papers::evaluation::{Divisor, Summary};
use serde::Serialize;

use frontend::Result;

/// With fewer seeds nothing is said about agreement.
pub const ENOUGH_SEEDS: usize = 5;

/// The estimate of many seeds at one place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    pub value: f64,
    /// The standard error.
    pub error: f64,
    pub seeds: usize,
}

/// The published value of the same place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Published {
    pub value: f64,
    /// Quartiles over the seeds, if they were published.
    pub quartiles: Option<(f64, f64)>,
    /// The number of seeds; none for a number without chance.
    pub seeds: Option<usize>,
    /// The error with which it was read, or to which it was rounded.
    pub reading: f64,
}

/// One number beside the published one.
#[derive(Debug, Clone, Serialize)]
pub struct Cell {
    /// The policy, the rule, the curve.
    pub method: String,
    /// Where, such as `50 %`.
    pub place: String,
    pub ours: Estimate,
    pub published: Published,
    /// The difference in units of its standard error.
    pub z: f64,
    /// Whether they agree at the 5 % level; none with too few seeds.
    pub agrees: Option<bool>,
}

impl Estimate {
    /// A median with its standard error.
    ///
    /// # Errors
    /// If there is no number, or one is NaN.
    pub fn median(values: &[f64]) -> Result<Self> {
        let n = values.len() as f64;
        let share = if n > 1.0 { (50.0 * n.sqrt() / (n - 1.0)).min(50.0) } else { 0.0 };
        let error = 0.5 * (percentile(values, 50.0 + share)? - percentile(values, 50.0 - share)?);
        Ok(Self { value: percentile(values, 50.0)?, error, seeds: values.len() })
    }

    /// A mean with its standard error.
    ///
    /// # Errors
    /// If there is no number, or one is NaN.
    pub fn mean(values: &[f64]) -> Result<Self> {
        let summary = Summary::of(values, Divisor::Sample)?;
        Ok(Self {
            value: summary.mean,
            error: summary.two_standard_errors.unwrap_or(0.0) / 2.0,
            seeds: values.len(),
        })
    }

    /// A number without chance.
    pub fn exact(value: f64) -> Self {
        Self { value, error: 0.0, seeds: 1 }
    }
}

impl Cell {
    /// Compares.
    pub fn new(
        method: impl Into<String>,
        place: impl Into<String>,
        ours: Estimate,
        published: Published,
    ) -> Self {
        let theirs = match (published.quartiles, published.seeds) {
            (_, None) => 0.0,
            (Some((low, high)), Some(seeds)) => 0.929 * (high - low) / (seeds as f64).sqrt(),
            (None, Some(seeds)) => ours.error * (ours.seeds as f64 / seeds as f64).sqrt(),
        };
        let difference = ours.value - published.value;
        let error = (ours.error.powi(2) + theirs.powi(2) + published.reading.powi(2)).sqrt();
        let z = if difference == 0.0 { 0.0 } else { difference / error };
        let agrees = match published.seeds {
            None => Some(difference.abs() <= published.reading),
            Some(seeds) => {
                (ours.seeds >= ENOUGH_SEEDS).then(|| z.abs() <= student(ours.seeds + seeds - 2))
            }
        };
        Self { method: method.into(), place: place.into(), ours, published, z, agrees }
    }
}

/// The two-sided 5 % point of Student's distribution. The distribution function is a finite sum for
/// whole degrees of freedom (Abramowitz & Stegun 1964, 26.7.3 and 26.7.4). Infinite without a
/// degree of freedom.
pub fn student(freedom: usize) -> f64 {
    if freedom == 0 {
        return f64::INFINITY;
    }
    // The angle is the arc tangent of t / sqrt(freedom).
    let mut low = 0.0;
    let mut high = 0.5 * PI;
    while high - low > 4.0 * f64::EPSILON {
        let middle = 0.5 * (low + high);
        if within(middle, freedom) < 0.95 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (freedom as f64).sqrt() * low.tan()
}

/// The probability within `sqrt(freedom) tan(angle)` of zero.
fn within(angle: f64, freedom: usize) -> f64 {
    let ((sine, cosine), even) = (angle.sin_cos(), freedom.is_multiple_of(2));
    let (mut term, mut sum) =
        if even { (1.0, 1.0) } else { (cosine, if freedom > 1 { cosine } else { 0.0 }) };
    for power in (2 + freedom % 2..freedom.saturating_sub(1)).step_by(2) {
        term *= cosine * cosine * (power - 1) as f64 / power as f64;
        sum += term;
    }
    if even { sine * sum } else { (angle + sine * sum) / (0.5 * PI) }
}

/// The one-sided signed-rank test of Wilcoxon: the probability that the sum of the ranks of
/// positive differences is at least as large if signs are random. Differences of zero are left out.
/// Equal ones have their mean rank. The test is exact: it counts all sign patterns, of doubled
/// ranks, which are whole numbers.
pub fn signed_rank(differences: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let mut ranks = Vec::with_capacity(sorted.len());
    for d in &sorted {
        let below = sorted.partition_point(|other| other.abs() < d.abs());
        let through = sorted.partition_point(|other| other.abs() <= d.abs());
        ranks.push(below + through + 1);
    }
    let observed: usize =
        ranks.iter().zip(&sorted).filter(|(_, d)| **d > 0.0).map(|(rank, _)| rank).sum();
    let mut shares = vec![0.0; ranks.iter().sum::<usize>() + 1];
    shares[0] = 1.0;
    for rank in ranks {
        for sum in (0..shares.len()).rev() {
            let with = if sum >= rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = 0.5 * (shares[sum] + with);
        }
    }
    shares[observed..].iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of Student's distribution, and of the signed-rank test (n = 5: all positive has the
    /// probability 1/32).
    #[test]
    fn distributions_agree_with_their_tables() {
        let table = [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (8, 2.306),
            (19, 2.093),
            (30, 2.042),
            (98, 1.984),
            (1000, 1.962),
        ];
        for (freedom, expected) in table {
            // To the last printed digit.
            assert!((student(freedom) - expected).abs() <= 5e-4, "{freedom}: {}", student(freedom));
        }
        assert_eq!(student(0), f64::INFINITY);
        assert_eq!(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0]), 1.0 / 32.0);
        assert_eq!(signed_rank(&[-1.0, 2.0, 3.0, 4.0, 5.0]), 2.0 / 32.0);
        assert_eq!(signed_rank(&[]), 1.0);
    }
}
