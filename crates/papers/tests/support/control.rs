//! Tolerances of control sets.

use crate::support::tolerance;

const EPS: f64 = f64::EPSILON;

/// Relative error of the scale of a law with a given variance. The variance is known to some 16
/// epsilons (a product, and a difference that cancels to a twelfth for a nearly uniform law,
/// `s^2 = 0.82` at 0.08), and `d ln s / d ln v` is at most 12.5 there.
pub const SCALE_OF_LAW: f64 = 16.0 * 12.5 * EPS;

/// Absolute error of a quantile. The probability is rounded some four times and counts by one over
/// the density, which is at least 0.03 in the table (`phi(3.03) / 0.14` at 0.999 of the narrowest
/// law). The error of the scale comes on top.
pub const QUANTILE_OF_LAW: f64 = 4.0 * EPS / 0.03 + 2.0 * SCALE_OF_LAW;

/// Absolute error of a quantile of any law. Its distance from the mean, at most 1, is the scale
/// times a normal quantile. For a flat law the share from the mean on is known to some epsilons of
/// that of the whole range, which count by one over the density, the range again. In a tail the
/// probability is known to some epsilons of itself, which move the normal quantile by as many over
/// its size. Four masses have some eight roundings in all.
pub const ANY_QUANTILE: f64 = 32.0 * EPS;

/// The number of equal shares of the probability whose medians stand for a law.
pub const SHARES: usize = 4096;

/// Error of a mean over [`SHARES`] medians in place of an expectation, of functions with values and
/// slopes up to 1 on the unit interval. The outermost shares, each of `1/S`, may be spread over the
/// whole interval. The medians of the others err by the second order.
pub const MOMENT_BY_SHARES: f64 = 4.0 / SHARES as f64;

/// Error of a place on a linear or log scale in the unit coordinate: numbers up to ten times the
/// range, each rounded some four times.
pub const IN_UNITS: f64 = 40.0 * EPS;

/// Error of an expected factor. Relative to itself it has an exponent, of a quotient rounded some
/// six times, and two masses of up to six roundings each. Below the normal numbers it is rounded to
/// nothing. If the product of the densities is narrow, the rounding of its center, near 1, counts
/// by its width, that of the lengthscale.
pub fn expected_factor(factor: f64, lengthscale: f64) -> f64 {
    let factor = factor.max(f64::MIN_POSITIVE);
    factor * (6.0 * factor.ln().abs() + 24.0 + 2.0 / lengthscale) * EPS
}

/// Rounding error of the small posterior of the table. The condition of its covariance is 5. This
/// gives `6 x 5 eps` of outcomes of size 1 on either side, and the roundings of six kernel values
/// with exponents below 10.
pub const TABLE: f64 = 2.0 * (6.0 * 5.0 + 6.0 * 10.0) * EPS;

/// The slopes of the table are five-point difference quotients with a step of 1e-5. Their
/// truncation is far below the rounding: values off by four epsilons count 1.5 times over the step.
pub const TABLE_SLOPE: f64 = 1.5 * 4.0 * EPS / 1e-5;

/// Error of a mean over the first `2^k` points of a scrambled Sobol sequence, of a function that
/// bends on the scale of a third of the range and lies within 2. It is below the error of the plain
/// sample, `0.5 / sqrt(S)`, by the factor [`SOBOL_GAIN`](tolerance::SOBOL_GAIN) of a net. The
/// reference adds 1e-5.
pub fn quasi_random_mean(samples: usize) -> f64 {
    4.0 * 0.5 / (samples as f64).sqrt() / tolerance::SOBOL_GAIN + 1e-5
}

/// Error of the same bound in other terms. A factor of `n` data gives means to
/// [`posterior`](tolerance::posterior) of outcomes of at most some ten of the prior's deviations,
/// and variances to as much of the prior's. A deviation is off by that over twice itself, and is at
/// least about the root of the noise.
pub fn same_bound(n: usize, outputscale: f64, noise: f64) -> f64 {
    let relative = tolerance::posterior(n, outputscale, noise);
    outputscale.sqrt() * relative * (10.0 + 1.0 / (noise / outputscale).sqrt().min(1.0))
}

/// Error of its slopes. Kernels bend on the scale of the shortest lengthscale, and the deviation
/// divides once more.
pub fn same_slope(n: usize, (outputscale, noise): (f64, f64), shortest: f64) -> f64 {
    same_bound(n, outputscale, noise) * 4.0 / shortest / (noise / outputscale).sqrt().min(1.0)
}

/// The allowed distance of a central difference quotient with step `h` from a slope, given that
/// with step `2 h`. The coarser one errs four times as much as the finer one, so their difference
/// is three times the error of the latter. Values that are off by `rounding` count over the step.
pub fn quotient(coarse: f64, fine: f64, rounding: f64, h: f64) -> f64 {
    (coarse - fine).abs() + rounding / h
}

/// Error of an expected outcome, by sums in another order.
pub fn advice(n: usize, outputscale: f64, noise: f64) -> f64 {
    outputscale.sqrt() * tolerance::posterior(n, outputscale, noise)
}

/// Error of a deviation, the root of a variance: the error of the variance over twice the
/// deviation.
pub fn deviation(n: usize, (outputscale, noise): (f64, f64), deviation: f64) -> f64 {
    outputscale * tolerance::posterior(n, outputscale, noise) / (2.0 * deviation)
}

/// Distance of the same query, found by searches whose values differ by rounding. A climb ends if a
/// step gains less than 2e-9 or slopes are below 1e-5, and may take its last step or not. Peaks are
/// as wide as a lengthscale. Such slopes are left within 1e-5 of a peak, and such gains within the
/// root of 2e-9, 5e-5. The tolerance is some four times that.
pub const SAME_QUERY: f64 = 2e-4;

/// Error of mean and variance of `count` draws within the unit interval: four and a half standard
/// errors, because a fourth moment is at most a third of the variance. For quasi-random draws each
/// of `count` equal shares of the probability holds one draw, and the error is at most that of two
/// shares.
pub fn moments(variance: f64, count: u64, quasi_random: bool) -> (f64, f64) {
    let plain =
        (tolerance::sampled_mean(variance, count), tolerance::sampled_mean(variance / 3.0, count));
    if quasi_random {
        (plain.0.min(2.0 / count as f64), plain.1.min(2.0 / count as f64))
    } else {
        plain
    }
}

/// The part that the tail beyond 3.33 deviations of 0.3 takes from the moments of half a normal
/// distribution: `2 phi(3.33) = 3e-3` of the deviation, and as much of the variance times 3.33.
pub const TRUNCATED: f64 = 3.2e-3 * 0.3 * 1.1;

/// Relative difference of the deviation of an expected outcome over 256 completions and over 512.
/// The variance of a mean over `S` plain draws exceeds that over all by `1/S` of the variance of
/// single outcomes. Here this is at most ten times what is left of the mean's variance: 4 % and 2
/// %. The posterior's variance lies within a factor of ten over nature and is averaged over pairs
/// of 256 draws to some `2 x 2 / sqrt 256 = 25 %`. A deviation has half of all that; the tolerance
/// is twice that.
pub const FEW_COMPLETIONS: f64 = 0.3;

/// Error of sums of money, as a share of the budget: tens of prices added one by one.
pub const MONEY: f64 = 64.0 * EPS;

/// Relative difference of two climbs that end on one peak. Each stops if a step gains less than
/// `1e7 eps = 2.2e-9`, or slopes are below 1e-5. The tolerance is some ten such steps.
#[cfg(feature = "gpu")]
pub const SAME_VALUE: f64 = 2.5e-8;

/// Error of a sum of up to four products of numbers up to two: as many rounded operations on
/// numbers up to four.
pub const SUM_OF_FEW: f64 = 8.0 * 4.0 * EPS;
