//! Every tolerance of the tests, with its derivation.

mod common;
pub mod front;
pub mod lookahead;
#[cfg(feature = "gpu")]
pub mod lookahead_device;

pub use common::*;

/// Agreement with another engine in double precision, as a share of an array's largest number. Both
/// engines factor the same covariance matrix. Its condition number is at most n outputscale / noise
/// = 4e8 among the jobs (n = 300, 1.3, 1e-6), so eps times it, 9e-8, bounds the worst direction.
/// Rounding errors are spread over all n directions, and most of these are well conditioned. A
/// hundredth of the bound leaves room, and the present jobs stay within 2e-12.
pub const PEER_AGREEMENT: f64 = 1e-9;

/// The rounding error of an index whose price was divided as a logarithm, relative to one plus its size.
/// The logarithm of a price over two hundred decades is at most 500, so its rounding is 250 epsilon of
/// the price; the index moves with the price by at most its own size, and some more for the root.
pub const DIVIDED_PRICE: f64 = 1e3 * f64::EPSILON;

/// The rounding error of a log marginal likelihood that is the same in exact arithmetic, relative:
/// n eps times the share of the condition number that reaches the quadratic form, far below this.
pub const LIKELIHOOD_SLACK: f64 = 1e-9;

/// Relative error of the results of a factor of `n` observations. A backward stable solve errs by
/// `n eps` times the condition number, which is at most `(n s + noise) / noise`. A factor of four
/// covers the constants.
pub fn posterior(n: usize, outputscale: f64, noise: f64) -> f64 {
    4.0 * n as f64 * f64::EPSILON * (n as f64 * outputscale + noise) / noise
}

/// How far an index may differ between tiles of other widths, where 25 observations of unit scale
/// have weights up to a hundred: sums of 25 terms in another order, `25 eps 100` for the mean. Rows
/// whose indices are spread over 1e-8 are some 5e-10 apart.
pub const TILES: f64 = 1e-12;

/// Relative error of the results of `n` observations with the features `P` of a kernel `s P P'`,
/// whose smallest singular value is `smallest`. As [`posterior`], with the condition number of
/// `s P' P + noise I` (or of the covariance, if that is smaller): no direction that the features
/// have is known worse.
pub fn low_rank(n: usize, outputscale: f64, noise: f64, smallest: f64) -> f64 {
    posterior(n, outputscale, noise + outputscale * smallest * smallest)
}

/// Error of a knowledge gradient on normal numbers up to `z`. A factor gives errors of `posterior`,
/// and the root's outcome has the standard deviation `deviation`. A mean is off by ten of these
/// errors in units of the prior's deviation (outcomes are that large); a covariance and the
/// variance are off by one in units of the prior's variance. With `q` the prior's deviation over
/// that of the root's outcome, `c / t` is then off by `q + q^3 / 2`.
pub fn knowledge_gradient(posterior: f64, outputscale: f64, deviation: f64, z: f64) -> f64 {
    let q = outputscale.sqrt() / deviation;
    posterior * outputscale.sqrt() * (10.0 + z * (q + 0.5 * q.powi(3)))
}

/// Error of a mean over `m` stratified normal numbers in place of an expectation, for a function
/// with slopes up to 1. The numbers vary within their strata. There `z` spreads over about
/// `1 / (m phi(z))`, and beyond `1 - 1/m` by less than a third. The variance of the mean is
/// therefore below `(1/m) (2/9 + sum_i (m phi)^-2 / 12) / m`, with the sum below 2 for `m >= 16`.
/// Mirror images err alike, which gives a factor of 2. The tolerance is four deviations.
pub fn stratified_normals(m: usize) -> f64 {
    let m = m as f64;
    4.0 * (2.0_f64 * (2.0 / 9.0 + 2.0 / 12.0)).sqrt() / m
}

/// Error of a slope by the five-point difference quotient with step `h`, among `n` data that are at
/// least thirty steps away. If a function bends on the scale of that distance, the truncation is
/// `30^-4 / 30` of the slope. Values that are sums of `n` numbers of up to a hundred round by that
/// many epsilons, and the quotient has 1.5 of these over the step.
pub fn five_point_slope_of_sums(h: f64, n: usize, slope: f64) -> f64 {
    30f64.powi(-5) * slope.abs() + 150.0 * f64::EPSILON * n as f64 / h
}

/// Relative difference of two searches that end on one peak. The last ascent stops if the value
/// changes by 1e-13 of itself in a step or if no slope is above 1e-9. On a narrow ridge, steps fall
/// by less than a factor of 10 each and leave some hundred times the last step.
pub const SAME_PEAK: f64 = 1e-9;

/// Relative error of the scores of a backend in single precision that the tests make up: eight
/// units of rounding.
pub const COARSE: f64 = 8.0 * f32::EPSILON as f64;

/// Difference of suggestions after all outcomes were multiplied by 10, in ranges of 3 and 5.
/// Standardized outcomes differ by a few eps. The fit ends when the likelihood changes by less than
/// some 1e-9 of itself. The same end, reached by slightly different numbers, may therefore differ
/// by some 1e-6 of the hyper-parameters, depending on whether the last step is taken. The argmax of
/// the acquisition moves in proportion.
pub const RESCALED_SUGGESTION: f64 = 1e-5;

/// Relative error of the expected cost if one to five costs are told and all are the same: half the
/// variance of `ln c`. The fit lets this variance fall until the likelihood of data without spread
/// gains no more than its tolerance of 1e-6 of itself. It is some ten times that if the fit ends
/// early.
pub const SAME_COSTS: f64 = 1e-5;

/// Error of the expected supremum against 50 digits: sums of at most 32 terms whose logarithms are
/// below some 300, hence `32 * 300 * eps` at worst.
pub const EXPECTED_SUPREMUM: f64 = 2e-12;

/// Error of `ln h` and `ln Phi`, in units of `max(1, |value|)`. The square, two sums and the
/// logarithm round once each, by at most half an epsilon of the value. The ratio inside the
/// logarithm adds some two epsilons.
pub const LOG_OF_NORMAL: f64 = 1e-15;

/// Relative error of `phi` (the exponential and two products), of `Phi` and of `r`: at most four
/// roundings each.
pub const NORMAL: f64 = 1e-15;

/// Relative error of `m = h/Phi` and of `h`. Down to `u = -2.5`, `h = phi - |u| Phi` cancels, and
/// the two epsilons of `phi` and `Phi` count `r/m <= 8.7` times.
pub const NORMAL_RATIO: f64 = 5e-15;

/// Error of the root of `ln h(u) = t`, in units of `max(1, |u|)`: the error of `ln h`, at most
/// `2 max(1, u^2/2) eps`, times `m <= min(2, 1/|u|)`.
pub const INDEX_ROOT: f64 = 1e-15;

/// Error of the Gittins index, in units of `max(|mu|, sigma max(1, |u|))`: the error of the root
/// and two roundings.
pub const INDEX: f64 = 1.5e-15;

/// Error of a derivative and of an improvement, relative to the sum of the absolute values of its
/// terms: each term has the error of the ratios.
pub const DERIVATIVE: f64 = 1e-14;

/// Error of an estimated maximum, relative to what it adds to the best outcome. The tolerance of
/// the integral is 1e-10 of it, by the difference of two rules of which the better one is returned.
/// Half of the 1e-11 by which the sum of the tails exceeds their union comes on top.
pub const ESTIMATE: f64 = 1e-10;

/// Error of `ln F` at a quantile of a maximum: the search ends at 1e-12, and a level of magnitude 1
/// is rounded beside the sharpest deviation of 1e-12, `eps / 1e-12`.
pub const QUANTILE: f64 = 1e-12 + EPS / 1e-12 * 2.0;

/// The distance between the distribution of `n` draws and the true one that is exceeded once in
/// 1000 (Kolmogorov's `1.95 / sqrt n`).
pub fn kolmogorov(n: usize) -> f64 {
    1.95 / (n as f64).sqrt()
}

/// Error of a suggestion's value, computed again from its mean and deviation. These were rounded
/// when they went from standardized units to the user's: a few `eps` of the outcome's magnitude,
/// times distances of up to a million deviations.
pub const SUGGESTED: f64 = 1e-9;

/// Error of tables made in double precision from sums of at most 201 logarithms of rounded
/// probabilities, with values of order 1 to 100: some `201 eps` times 100 terms of a sum. The
/// number of its terms may differ by one, which is 1e-15.
pub const TABLE_IN_DOUBLE: f64 = 1e-9;

/// Error of moments of seven data with a covariance of condition below 200 (noise 0.01 beside a
/// variance of 1): `7 x 200 eps` of numbers of order 1, on both sides.
pub const SMALL_POSTERIOR: f64 = 2.0 * 7.0 * 200.0 * EPS;

/// Error of published figures of eight decimals, in units of `max(1, value)`, computed again with
/// hyper-parameters that are known to six digits.
pub const FIGURE: f64 = 5e-6;

/// Relative error of `g r/2 - ln Phi(g)`. No term cancels, except that
/// `ln r + g m/2 + ln sqrt(2 pi)` has terms twice as large as the sum. In the tail the rounding of
/// `g^2` counts, as for [`NORMAL`].
pub const GAIN: f64 = 5e-15;

/// Relative error of `1 + u m`: `m` is known to 5e-15 in [-2.5, -1], the sum cancels to a fifth (a
/// factor of five), and a factor of two is for slack.
#[cfg(feature = "gpu")]
pub const SECOND_RATIO: f64 = 5e-14;

/// Relative error of its slope: `r` and `1 + g m`. The latter is known to 5e-14 where `m` is, and
/// cancels to a fifth, in [-2.5, -1].
pub const GAIN_SLOPE: f64 = 6e-14;

/// Relative error of a five-point difference quotient with steps of a thousandth of the scale on
/// which the function bends. Its truncation is `1e-12/30` of the fifth derivative, which stays
/// below 1000 on that scale. The rounding of the values counts 1000 epsilons.
pub const DIFFERENCE_QUOTIENT: f64 = 1e-9;

/// Error of a five-point difference quotient with step `h`, in units of the function, whose
/// logarithm bends on a scale of `1/slope`. The truncation is `h^4/30` of the fifth derivative.
/// Values off by `rounding` of themselves count 18/12 times over the step.
pub fn five_point_slope(h: f64, slope: f64, rounding: f64) -> f64 {
    h.powi(4) / 30.0 * slope.powi(5) + 1.5 * rounding / h
}

/// Error of unit coordinate -> value -> unit coordinate on a linear scale: three rounded operations
/// each way on numbers as large as the larger bound, relative to the width.
pub fn affine_round_trip(low: f64, high: f64) -> f64 {
    6.0 * EPS * (low.abs() + high.abs()) / (high - low) + 4.0 * EPS
}

/// The same on a log scale. The exponent is as large as the larger logarithm and is rounded three
/// times. Its error is relative to the width of the logarithms. The exponential and the quotient
/// add a few units in the last place.
pub fn log_round_trip(low: f64, high: f64) -> f64 {
    4.0 * EPS * (low.ln().abs() + high.ln().abs() + 2.0) / (high / low).ln() + 4.0 * EPS
}

/// The same for the one-sided formula `(-3 f(0) + 4 f(h) - f(2h)) / (2 h)`: truncation
/// `h^2 third / 3`, and weights with sum 8 instead of 2.
pub fn one_sided_difference(value: f64, third: f64) -> f64 {
    STEP * STEP * third / 3.0 + 4.0 * 8.0 * EPS * value.abs() / STEP
}

/// Error of mean and variance of six standardized values: sums of six terms of size at most 4, each
/// rounded some three times.
pub const STANDARDIZED: f64 = 6.0 * 4.0 * 3.0 * EPS;

/// Four and a half standard errors of the mean of `count` independent numbers of this variance. A
/// normal deviate exceeds them with probability 7e-6.
pub fn sampled_mean(variance: f64, count: u64) -> f64 {
    4.5 * (variance / count as f64).sqrt()
}

/// Rounding error of the value of a sample path. The features' weights have a deviation of
/// `sqrt(s / m)`, so the sum of their absolute values is below `2 sqrt(s m)`. A phase of up to some
/// 1000 is rounded (a Matern-1/2 kernel's frequencies have a heavy tail). The weights of the kernel
/// values are `K^-1` times differences of some five deviations, below `5 sqrt(s n) / noise` in
/// norm. Sums run in eight lanes, and a term is off by some ten roundings.
pub fn path_sum(posterior: &gittins::Posterior, features: usize) -> f64 {
    let gittins::Hyperparameters { outputscale, noise, .. } = *posterior.hyperparameters();
    let n = posterior.len() as f64;
    let prior = 2.0 * (outputscale * features as f64 / 2.0).sqrt();
    let update = 5.0 * outputscale.powf(1.5) * n / noise;
    EPS * (((features as f64 + n) / 8.0 + 10.0) * (prior + update) + 1000.0 * prior)
}

/// Error of a sample path at data without noise: the relative error of the solve, with the smallest
/// eigenvalue of the covariance in place of the noise, times differences between data and prior
/// path of at most some ten.
pub fn path_at_data(posterior: &gittins::Posterior, smallest_eigenvalue: f64) -> f64 {
    10.0 * self::posterior(
        posterior.len(),
        posterior.hyperparameters().outputscale,
        smallest_eigenvalue,
    )
}

/// A coordinate this near to its bound, relative to itself or to 1, lies on it. A step of a line
/// search that ends on a bound rounds twice (2 eps of the larger term), and terms here are below
/// 1e3 times the bound. The table uses the same number.
pub const LBFGSB_ACTIVE: f64 = 1e-12;

/// The table holds starts moved by 1e-12, some 5,000 eps. Another order of summation moves every
/// iterate by a few eps. Rounding therefore explains a difference of the same order as theirs. Ten
/// times theirs is allowed, because theirs is the largest of only 40.
pub const LBFGSB_SPREAD: f64 = 10.0;

/// Relative error of stored numbers. Points are stored with 10 digits (half a unit of the tenth:
/// 5e-10 at worst). Values whose spread happens to be zero still have the rounding of sums of up to
/// 200 terms.
pub const LBFGSB_STORED: f64 = 5e-10;

/// If rounding decides how many evaluations are needed, `SciPy`'s own counts over 41 starts span a
/// factor of up to 2.2. One more draw falls outside that span by chance once in 20, and hardly ever
/// by more than a quarter.
pub const LBFGSB_CHANCE: f64 = 1.25;

/// Absolute error of a minimum of about -0.6 to 11, found to a last relative fall of 2.2e-9: some
/// ten times that, because convergence over the last steps is linear.
pub const LBFGSB_BARRIER: f64 = 2.5e-7;

/// The tolerance in standard deviations of the correlation of independent uniform coordinates,
/// which is `1 / sqrt(n)` for `n` points. The test looks at six pairs, and a normal deviate exceeds
/// 4 with probability 6e-5.
pub const SOBOL_CORRELATION: f64 = 4.0;

/// The error of a mean over 4096 points must be smaller by this factor than with random points. The
/// error of a scrambled net falls like `n^-3/2` up to logarithms, against `n^-1/2`. In six
/// dimensions this leaves a factor of tens.
pub const SOBOL_GAIN: f64 = 10.0;

// On a device, errors are in epsilons of its precision. Sums and products are rounded correctly,
// half an epsilon each. For single precision WGSL promises a division only to 2.5 units in the last
// place, and a square root, which may be one over an inverse square root, to 4.5. A unit is at most
// an epsilon.

/// Relative error of the exponential. The reduced argument is off by half an epsilon of 0.35, the
/// sum `1 + r + ...` by half, and the polynomial by another 0.2. The mantissa may be next to a
/// power of two, and these then count double. The reference adds half an epsilon.
#[cfg(feature = "gpu")]
pub const DEVICE_EXP: f64 = 2.0;

/// Relative error of the logarithm. Near 1, `s = g / (2 + g)` is off by 3.5 epsilons and counts at
/// most 0.21 of the result, which four sums round.
#[cfg(feature = "gpu")]
pub const DEVICE_LOG: f64 = 2.5;

/// Errors at `u` of density, distribution function, its logarithm, `h`, its logarithm (in units of
/// `max(1, |value|)`), `m` and `r`, with `d` epsilons for a quotient. The density has
/// [`DEVICE_EXP`] and half an epsilon of the factor, double next to a power of two at worst (4). On
/// the left `m` has two quotients, one of them in the argument of Horner's scheme, that scheme and
/// a product (2 d + 3), and `r` has one sum more. `Phi` adds the density, `r` and a quotient. `h`
/// adds `Phi`, `m` and a product. On the right 1 - Phi(-u), as large as Phi(-u) at worst, has the
/// error of the latter, and quotients by it add that. A logarithm turns the relative error of its
/// argument into an absolute one; for a value below 1 this is at most 1.5 times as large in units
/// of the value.
#[cfg(feature = "gpu")]
pub fn device_normal(precision: gittins::backend::Precision, u: f64) -> [f64; 7] {
    let d = match precision {
        gittins::backend::Precision::F32 => 2.5,
        gittins::backend::Precision::F64 => 0.5,
    };
    let (m, r) = (2.0 * d + 3.0, 2.0 * d + 3.5);
    let distribution = 4.0 + r + d;
    let h = distribution + m + 0.5;
    if u <= 0.0 {
        [4.0, distribution, 1.5 * r, h, m + r + d, m, r]
    } else {
        [4.0, distribution, 1.5 * distribution, h, h, h + distribution + d, 4.0 + distribution + d]
    }
}

/// Error of `1 + u m`, in epsilons. On the left it is a product of `m` and the next level of its
/// fraction, made alike, and half an epsilon for the product. On the right it is a sum, and `u m`
/// may be almost all of it.
#[cfg(feature = "gpu")]
pub fn device_second_ratio(precision: gittins::backend::Precision, u: f64) -> f64 {
    let m = device_normal(precision, u)[5];
    if u <= 0.0 { 2.0 * m + 0.5 } else { m + 1.0 }
}

/// Error of the root of `ln h(u) = t`, in epsilons of `max(1, |u|)`. Rounding `u^2/2` moves `ln h`
/// by half an epsilon of itself, twice with the sum, and the root by `m` times that, half an
/// epsilon of `|u|`. For small `|u|` it is `m < 0.8` times the error of `ln h` in [`device_normal`]
/// for negative `u`, some 5, and [`INDEX_ROOT`] for the reference.
#[cfg(feature = "gpu")]
pub const DEVICE_ROOT: f64 = 6.0;

/// Error of a sine and a cosine, in epsilons of 1. The reduced argument is below 0.79 and rounded
/// to a quarter. The sum that ends a polynomial is rounded to a quarter or to half. The terms
/// before it are a fifth of the sum and round some three times. The reference adds half an epsilon.
#[cfg(feature = "gpu")]
pub const DEVICE_TURN: f64 = 1.5;

/// Relative error of kernel values and slopes. An exponent is off by the square root's 4.5 epsilons
/// of itself and half an epsilon of a product. The exponential adds its own error, and sums and
/// products add five roundings.
#[cfg(feature = "gpu")]
pub fn device_kernel(exponent: f64) -> f64 {
    5.0 * exponent + DEVICE_EXP + 5.0
}

/// Error of a kernel value together with its rounding rest, in single epsilons of itself. The
/// reduced argument of the exponential lies below 0.35, and it and its polynomial are rounded to an
/// eighth of an epsilon each. Everything else is kept in two numbers.
#[cfg(feature = "gpu")]
pub const DEVICE_KERNEL_SUM: f64 = 0.5;

/// Error of a score and its derivatives on a device, in epsilons of the scale that the test derives
/// from the conditioning. The standardized distance is off by 3 (a difference and a quotient), and
/// the scale includes the square through which that acts. The ratios add 6.5, which
/// [`device_normal`] allows `m` on the left. The products and the quotient of a derivative add 3.5.
#[cfg(feature = "gpu")]
pub const DEVICE_SCORE: f64 = 13.0;

/// The allowed errors of a device's scores: mean and deviation in units of the prior's deviation,
/// value and gradient in their own scales.
#[cfg(feature = "gpu")]
#[derive(Debug, Clone, Copy)]
pub struct DeviceErrors {
    /// The error of the mean.
    pub mean: f64,
    /// The error of the standard deviation.
    pub deviation: f64,
    /// The error of the value.
    pub value: f64,
    /// The error of the gradient.
    pub gradient: f64,
}

#[cfg(feature = "gpu")]
impl DeviceErrors {
    /// With this much more for the mean, and its effect on values and gradients: ten times as much
    /// where the tail is steep.
    pub fn plus(self, mean: f64) -> Self {
        Self {
            mean: self.mean + mean,
            value: self.value + 10.0 * mean,
            gradient: self.gradient + 10.0 * mean,
            ..self
        }
    }

    /// The same moments, with the value of a sample path in single precision: the effect of rounded
    /// coordinates on its weights and frequencies, as the library estimates it, and 20 epsilons for
    /// the sum of that many waves. A gradient weighs a wave's error by its frequency, as it weighs
    /// the wave itself.
    pub fn of_path(self, error: f64) -> Self {
        Self { value: error + 20.0 * f64::from(f32::EPSILON), ..self }
    }

    /// In double precision a sample path adds the effect of the rounding of its phases on the
    /// value, `error`. With heavy-tailed frequencies (Matern-1/2) one wave out of `frequencies` may
    /// rule the gradient. Its own phase counts `1/sqrt(frequencies)` in the value, and in full in
    /// the gradient.
    pub fn with_phases(self, error: f64, frequencies: usize) -> Self {
        Self {
            value: self.value + error,
            gradient: self.gradient + error * (frequencies as f64).sqrt(),
            ..self
        }
    }
}

/// Errors of a device in double precision, for `n` data with noise of this share of the prior's
/// variance. The inverse of the factor has a norm of at most `sqrt(n / noise)`, and
/// `|L^-1 (y - m)|` is about `sqrt n`. A mean, `k' alpha` with `alpha = L^-T (L^-1 (y - m))`, is
/// off by twice the product times the epsilon, and kernel values by some epsilons each, of both
/// signs. A variance is off by as much. A deviation is at least about the root of the noise, and is
/// off by that error over twice itself. Values and gradients follow the mean and the deviation, at
/// most four times as far in units of their largest number.
#[cfg(feature = "gpu")]
pub fn device_double(n: usize, noise: f64) -> DeviceErrors {
    let mean = 2.0 * f64::EPSILON * n as f64 / noise.sqrt();
    let deviation = mean / (2.0 * noise.sqrt());
    let value = 4.0 * (mean + deviation);
    DeviceErrors { mean, deviation, value, gradient: value }
}

/// Errors of a device in single precision with the estimate `error` of a mean. A mean is off by the
/// larger of that and 20 epsilons. A deviation, whose kernel values are rounded, is off by four
/// times the estimate (the largest of many points is) and three times the root of the epsilon, the
/// least that is left of `1 - v' v` at a datum. Values that are outcomes add both, with the index's
/// root of up to 3 deviations. Values in the tail count ten times the relative error of the
/// deviation, which is at most 5e-4 for noise of 1e-4 and more. A gradient weighs the same data by
/// differences of coordinates, which have lost digits near a datum, and counts twice that.
#[cfg(feature = "gpu")]
pub fn device_single(error: f64, tail: bool) -> DeviceErrors {
    let mean = error.max(20.0 * f64::from(f32::EPSILON));
    let deviation = 4.0 * error + 3.0 * f64::from(f32::EPSILON).sqrt();
    DeviceErrors {
        mean,
        deviation,
        value: if tail { 5e-3 } else { mean + 3.0 * deviation },
        gradient: 1e-2,
    }
}

/// Errors of a device for a sample path of this posterior.
#[cfg(feature = "gpu")]
pub fn device_path(
    precision: gittins::backend::Precision,
    posterior: &gittins::Posterior,
    path: &gittins::posterior::Path,
    (features, noise): (usize, f64),
) -> DeviceErrors {
    let error = gittins::internals::gpu::path_single_error(path);
    match precision {
        gittins::backend::Precision::F32 => {
            let single = gittins::internals::gpu::single_error(posterior);
            DeviceErrors::of_path(device_single(single, false), error)
        }
        gittins::backend::Precision::F64 => device_double(posterior.len(), noise)
            .with_phases(error * f64::EPSILON / f64::from(f32::EPSILON), features / 2),
    }
}

/// How far a search that a device began may end below the CPU's maximum of an index with values
/// near 1. The host settles both searches. What remains are the tolerances of the finalists, 1e-9
/// of the value each, and a last step of the climb that may be taken or not.
#[cfg(feature = "gpu")]
pub const FOUND_AGAIN: f64 = 1e-7;

/// Relative error of a statistic that is computed again from the posterior in another way. Moments
/// of different batches differ by the order of their sums: `n eps` times the root of the condition
/// number, which is below 1e4 at noise 1e-6 and n = 10, in deviations, which near a datum are 1e-3
/// of the prior's.
pub const SAME_BY_HAND: f64 = 1e-8;

/// Error of the offset of a run in stages of unit total deviation, against quadrature of higher
/// order. Values are cut where they differ from a line by `h(-7.5) = 3e-15`, and expectations at eight
/// deviations. What is left is interpolation and quadrature at 24 nodes: below 1e-10 if the deviations
/// of the stages are alike, and up to 1e-7 if one is a tenth of the next.
pub const STAGED_OFFSET: f64 = 3e-7;

/// Relative error of the slopes of the offset of a run in one stage: those of two ratios of normal
/// functions at roots that differ by [`INDEX_ROOT`].
pub const STAGED_SLOPE: f64 = 1e-12;

/// The step of differences of such an offset, in the logarithm of a deviation, a price or a chance.
pub const STAGED_STEP: f64 = 0.03;

/// Error of a one-sided difference of fourth order with that step: `0.03^4/5` of a fifth derivative,
/// which is up to twenty, and the noise of the offset, which is smooth but for some 1e-8 over the step.
pub const STAGED_DIFFERENCE: f64 = 5e-6;

/// Absolute error of a coordinate that stands at a bound, or in a corner of linear rows. The table has 12
/// decimals; rows that meet at a small angle stretch them.
pub const POLYTOPE_MINIMUM: f64 = 1e-9;

/// By how much a minimum within linear rows may be above the least value, as a share of it or of 1: that
/// of the table, whose 12 decimals are 1e-12 away from the rows, where the function falls by up to 100.
pub const POLYTOPE_VALUE: f64 = 1e-10;

/// Absolute error of a coordinate along a face. A line search compares values, and a function that bends
/// by 1 rises by the rounding of a value of 10 on a way of the root of `20 eps`; of the others' digits up
/// to ten times as much is lost.
pub const POLYTOPE_FLAT: f64 = 7e-7;

/// By how much a point may be off a row, as a share of the sizes of its terms: the rounding of a point
/// that was found and of a step to it, some 20 terms each.
pub const POLYTOPE_ROW: f64 = 1e-14;

/// Standard deviations that a mean of uniform points may be off. Some 400 means are tested.
pub const POLYTOPE_CHANCE: f64 = 4.0;
