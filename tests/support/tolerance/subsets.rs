//! Tolerances of control sets.

const EPS: f64 = f64::EPSILON;

/// The scale of a law with a given variance, relative: the variance is known to some 16 epsilons (a
/// product and a difference that cancels to a twelfth where the law is nearly uniform, `s^2 = 0.82`
/// at 0.08), and `d ln s / d ln v` is at most 12.5 there.
pub const SCALE_OF_LAW: f64 = 16.0 * 12.5 * EPS;

/// A quantile, absolutely: the probability is rounded some four times, and counts by one over the
/// density, which is 0.03 or more in the table (`phi(3.03) / 0.14` at 0.999 of the narrowest law);
/// and by the scale's error.
pub const QUANTILE_OF_LAW: f64 = 4.0 * EPS / 0.03 + 2.0 * SCALE_OF_LAW;

/// A quantile of any law, absolutely. Its distance from the mean, at most 1, is the scale times a
/// normal quantile. Of a flat law the share from the mean on is known to some epsilons of the whole
/// range's, which count by one over the density, the range again; in a tail the probability is
/// known to some epsilons of itself, which move the normal quantile by as many over its size. Four
/// masses, some eight roundings in all.
pub const ANY_QUANTILE: f64 = 32.0 * EPS;

/// Equal shares of the probability whose medians stand for a law.
pub const SHARES: usize = 4096;

/// A mean over [`SHARES`] medians in place of an expectation, of functions with values and slopes
/// up to 1 on the unit interval: the outermost shares, each of `1/S`, may be spread over the whole
/// interval, the others' medians err by the second order.
pub const MOMENT_BY_SHARES: f64 = 4.0 / SHARES as f64;

/// A place on a linear or log scale in the unit coordinate: numbers up to ten times the range, each
/// rounded some four times.
pub const IN_UNITS: f64 = 40.0 * EPS;

/// An expected factor: relative to itself an exponent, of a quotient rounded some six times, and
/// two masses of up to six roundings each; below the normal numbers it is rounded to nothing. Where
/// the product of the densities is narrow, the rounding of its center, near 1, counts by its width,
/// the lengthscale's.
pub fn expected_factor(factor: f64, lengthscale: f64) -> f64 {
    let factor = factor.max(f64::MIN_POSITIVE);
    factor * (6.0 * factor.ln().abs() + 24.0 + 2.0 / lengthscale) * EPS
}

/// What the small posterior of the table makes of rounding: the condition of its covariance is 5;
/// `6 x 5 eps` of outcomes of size 1 on either side, and the roundings of six kernel values with
/// exponents below 10.
pub const TABLE: f64 = 2.0 * (6.0 * 5.0 + 6.0 * 10.0) * EPS;

/// The table's slopes are five-point difference quotients with a step of 1e-5, whose truncation is
/// far below the rounding: values off by four epsilons count 1.5 times over the step.
pub const TABLE_SLOPE: f64 = 1.5 * 4.0 * EPS / 1e-5;

/// A mean over the first `2^k` points of a scrambled Sobol sequence of a function that bends on the
/// scale of a third of the range and lies within 2: below the plain sample's error,
/// `0.5 / sqrt(S)`, by the factor that [`SOBOL_GAIN`](super::SOBOL_GAIN) asks of a net; and 1e-5
/// for the reference.
pub fn quasi_random_mean(samples: usize) -> f64 {
    4.0 * 0.5 / (samples as f64).sqrt() / super::SOBOL_GAIN + 1e-5
}

/// The same bound in other terms: a factor of `n` data gives means to
/// [`posterior`](super::posterior) of outcomes that are some ten of the prior's deviations in size
/// at most, and variances to as much of the prior's; a deviation is off by that over twice itself,
/// and at least about the root of the noise.
pub fn same_bound(n: usize, outputscale: f64, noise: f64) -> f64 {
    let relative = super::posterior(n, outputscale, noise);
    outputscale.sqrt() * relative * (10.0 + 1.0 / (noise / outputscale).sqrt().min(1.0))
}

/// Slopes of the same: kernels bend on the scale of the shortest lengthscale, and the deviation
/// divides once more.
pub fn same_slope(n: usize, (outputscale, noise): (f64, f64), shortest: f64) -> f64 {
    same_bound(n, outputscale, noise) * 4.0 / shortest / (noise / outputscale).sqrt().min(1.0)
}

/// How far a central difference quotient with step `h` may be from a slope, given that with step
/// `2 h`: the coarser one errs by four times as much as the finer one, so that their difference is
/// three times the latter's error; values that are off by `rounding` count over the step.
pub fn quotient(coarse: f64, fine: f64, rounding: f64, h: f64) -> f64 {
    (coarse - fine).abs() + rounding / h
}

/// An expected outcome, by sums in another order.
pub fn advice(n: usize, outputscale: f64, noise: f64) -> f64 {
    outputscale.sqrt() * super::posterior(n, outputscale, noise)
}

/// A deviation, the root of a variance: off by the variance's error over twice itself.
pub fn deviation(n: usize, (outputscale, noise): (f64, f64), deviation: f64) -> f64 {
    outputscale * super::posterior(n, outputscale, noise) / (2.0 * deviation)
}

/// The same query found by searches whose values differ by rounding: a climb ends where a step
/// gains less than 2e-9 or slopes are below 1e-5, and may take its last step or not. Peaks are as
/// wide as a lengthscale, so that such slopes are left within 1e-5 of them, and such gains within
/// the root of 2e-9, 5e-5; some four times that.
pub const SAME_QUERY: f64 = 2e-4;

/// Mean and variance of so many draws within the unit interval: four and a half standard errors, a
/// fourth moment being at most a third of the variance; of quasi-random ones, of which each of as
/// many equal shares of the probability holds one, two shares' worth.
pub fn moments(variance: f64, count: u64, quasi_random: bool) -> (f64, f64) {
    let plain = (super::sampled_mean(variance, count), super::sampled_mean(variance / 3.0, count));
    if quasi_random {
        (plain.0.min(2.0 / count as f64), plain.1.min(2.0 / count as f64))
    } else {
        plain
    }
}

/// What the tail beyond 3.33 deviations of 0.3 takes from the moments of half a normal
/// distribution: `2 phi(3.33) = 3e-3` of the deviation and as much of the variance times 3.33.
pub const TRUNCATED: f64 = 3.2e-3 * 0.3 * 1.1;

/// The deviation of an expected outcome over 256 completions beside that over 512, relative. The
/// variance of a mean over `S` plain draws exceeds that over all by `1/S` of what single outcomes
/// have of their own, here ten times as much as is left of the mean's variance at most: 4 % and 2
/// %; and the posterior's variance, which lies within a factor of ten over nature, is averaged over
/// pairs of 256 draws to some `2 x 2 / sqrt 256 = 25 %`. Half of all that in a deviation, twice.
pub const FEW_COMPLETIONS: f64 = 0.3;

/// Sums of money, as a share of the budget: tens of prices added up one by one.
pub const MONEY: f64 = 64.0 * EPS;

/// Two climbs that end on one peak, relative: each stops where a step gains less than
/// `1e7 eps = 2.2e-9`, or slopes are below 1e-5; some ten such steps.
#[cfg(feature = "gpu")]
pub const SAME_VALUE: f64 = 2.5e-8;

/// Of a sum of up to four products of numbers up to two: as many rounded operations on numbers up
/// to four.
pub const SUM_OF_FEW: f64 = 8.0 * 4.0 * EPS;
