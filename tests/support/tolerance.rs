//! Every tolerance of the tests, with its derivation.

pub mod lookahead;
#[cfg(feature = "gpu")]
pub mod lookahead_device;
pub mod subsets;

/// Agreement with another engine in double precision, as a share of an array's largest number. Both
/// factor the same covariance matrix, whose condition number is at most n outputscale / noise = 4e8
/// among the jobs (n = 300, 1.3, 1e-6), so that eps times it, 9e-8, bounds the worst direction.
/// Rounding errors are spread over all n directions and most of these are well conditioned: a
/// hundredth of the bound leaves room, and the jobs at hand stay within 2e-12.
pub const PEER_AGREEMENT: f64 = 1e-9;

/// What rounding may take from a log marginal likelihood that is the same in exact arithmetic,
/// relative: n eps times the condition number's share that reaches the quadratic form, far below
/// this.
pub const LIKELIHOOD_SLACK: f64 = 1e-9;

/// Relative error of what a factor of `n` observations gives: a backward stable solve errs by
/// `n eps` times the condition number, which is at most `(n s + noise) / noise`; a factor of four
/// for the constants.
pub fn posterior(n: usize, outputscale: f64, noise: f64) -> f64 {
    4.0 * n as f64 * f64::EPSILON * (n as f64 * outputscale + noise) / noise
}

/// Of a knowledge gradient on normal numbers up to `z`, where a factor gives errors of `posterior`
/// and the root's outcome has the standard deviation `deviation`: a mean is off by ten of these in
/// units of the prior's deviation (outcomes of that size), a covariance and the variance by one in
/// units of the prior's. With `q` the prior's deviation over the root's outcome's, `c / t` is then
/// off by `q + q^3 / 2`.
pub fn knowledge_gradient(posterior: f64, outputscale: f64, deviation: f64, z: f64) -> f64 {
    let q = outputscale.sqrt() / deviation;
    posterior * outputscale.sqrt() * (10.0 + z * (q + 0.5 * q.powi(3)))
}

/// Of a mean over `m` stratified normal numbers in place of an expectation, for a function with
/// slopes up to 1. The numbers vary within their strata: `z` spreads over about `1 / (m phi(z))`
/// there, and beyond `1 - 1/m` by less than a third, so that the variance of the mean is below
/// `(1/m) (2/9 + sum_i (m phi)^-2 / 12) / m`, with the sum below 2 for `m >= 16`. Mirror images err
/// alike, a factor of 2; four deviations.
pub fn stratified_normals(m: usize) -> f64 {
    let m = m as f64;
    4.0 * (2.0_f64 * (2.0 / 9.0 + 2.0 / 12.0)).sqrt() / m
}

/// Of a slope by the five-point difference quotient with step `h`, among `n` data that are thirty
/// steps away at least: where a function bends on the scale of that distance, the truncation is
/// `30^-4 / 30` of the slope; values that are sums of `n` numbers of up to a hundred round by so
/// many epsilons, of which the quotient has 1.5 over the step.
pub fn five_point_slope_of_sums(h: f64, n: usize, slope: f64) -> f64 {
    30f64.powi(-5) * slope.abs() + 150.0 * f64::EPSILON * n as f64 / h
}

/// Relative error of a central difference with step `h`, of a function with values near 1 and third
/// derivatives near `curvature`: half of `h^2 / 3` times the curvature, and the rounding of the
/// values, amplified by `noise`, over the step.
pub fn difference(h: f64, curvature: f64, noise: f64) -> f64 {
    h * h * curvature / 6.0 + noise / h
}

/// Two searches that end on one peak, relative: the last ascent stops where the value changes by
/// 1e-13 of itself a step or where no slope is above 1e-9; steps that fall by less than a factor of
/// 10 each, as where the peak is a narrow ridge, leave some hundred times the last.
pub const SAME_PEAK: f64 = 1e-9;

/// Relative error of the scores of a backend in single precision that the tests make up: eight
/// units of rounding.
pub const COARSE: f64 = 8.0 * f32::EPSILON as f64;

/// Suggestions after all outcomes were multiplied by 10, in ranges of 3 and 5: standardized
/// outcomes differ by a few eps. The fit ends where the likelihood no longer changes by some 1e-9
/// of itself, so that the same end reached by slightly other numbers may differ by some 1e-6 of the
/// hyper-parameters when the last step is taken or not, and the argmax of the acquisition moves in
/// proportion.
pub const RESCALED_SUGGESTION: f64 = 1e-5;

/// Expected cost where one to five costs are told and all are the same, relative: half the variance
/// of `ln c`, which the fit lets fall until the likelihood of data without spread gains no more
/// than its tolerance of 1e-6 of itself, some ten times that where it ends early.
pub const SAME_COSTS: f64 = 1e-5;

/// The expected supremum against 50 digits: sums of at most 32 terms whose logarithms are below
/// some 300, hence `32 * 300 * eps` at worst.
pub const EXPECTED_SUPREMUM: f64 = 2e-12;

/// Fails unless `got` lies within `bound` of `expected`; a NaN lies nowhere.
#[track_caller]
pub fn assert_within(what: impl std::fmt::Display, got: f64, expected: f64, bound: f64) {
    let error = (got - expected).abs();
    assert!(
        error <= bound,
        "{what}: got {got:e}, expected {expected:e}, off by {error:e}, allowed {bound:e}"
    );
}

/// Of `ln h`, `ln Phi`, in units of `max(1, |value|)`: the square, two sums and the logarithm round
/// once each, half an epsilon of the value or less; the ratio inside the logarithm adds some two
/// epsilons.
pub const LOG_OF_NORMAL: f64 = 1e-15;

/// Relative, of `phi` (the exponential and two products), of `Phi` and of `r`: at most four
/// roundings each.
pub const NORMAL: f64 = 1e-15;

/// Relative, of `m = h/Phi` and of `h`: where `h = phi - |u| Phi` cancels, down to `u = -2.5`, the
/// two epsilons of `phi` and `Phi` count `r/m <= 8.7` times.
pub const NORMAL_RATIO: f64 = 5e-15;

/// Of the root of `ln h(u) = t`, in units of `max(1, |u|)`: the error of `ln h`, at most
/// `2 max(1, u^2/2) eps`, times `m <= min(2, 1/|u|)`.
pub const INDEX_ROOT: f64 = 1e-15;

/// Of the Gittins index, in units of `max(|mu|, sigma max(1, |u|))`: the root's error and two
/// roundings.
pub const INDEX: f64 = 1.5e-15;

/// Of a derivative and of an improvement, relative to the sum of the absolute values of its terms:
/// the ratios' error in each of them.
pub const DERIVATIVE: f64 = 1e-14;

/// Of an estimated maximum, relative to what it adds to the best outcome: the tolerance of the
/// integral, 1e-10 of it by the difference of two rules of which the better one is given, and half
/// of the 1e-11 by which the sum of the tails exceeds their union.
pub const ESTIMATE: f64 = 1e-10;

/// Of `ln F` at a quantile of a maximum: where the search ends, 1e-12, and what the rounding of a
/// level of magnitude 1 makes of the sharpest deviation of 1e-12: `eps / 1e-12`.
pub const QUANTILE: f64 = 1e-12 + EPS / 1e-12 * 2.0;

/// A distance between the distribution of `n` draws and the one they are drawn from that is
/// exceeded once in 1000 (Kolmogorov's `1.95 / sqrt n`).
pub fn kolmogorov(n: usize) -> f64 {
    1.95 / (n as f64).sqrt()
}

/// What is said of a suggestion, remade from its mean and deviation, which went from standardized
/// units to the user's and were rounded there: a few `eps` of the outcome's magnitude, times
/// distances of up to a million deviations.
pub const SUGGESTED: f64 = 1e-9;

/// Of tables made in double precision from sums of at most 201 logarithms of rounded probabilities,
/// values of order 1 to 100: some `201 eps` times 100 terms of a sum; the number of its terms may
/// differ by one, which is 1e-15.
pub const TABLE_IN_DOUBLE: f64 = 1e-9;

/// Of moments of seven data with a covariance of condition below 200 (noise 0.01 beside a variance
/// of 1): `7 x 200 eps` of numbers of order 1, on both sides.
pub const SMALL_POSTERIOR: f64 = 2.0 * 7.0 * 200.0 * EPS;

/// Published figures of eight decimals, in units of `max(1, value)`, remade with hyper-parameters
/// that are known to six digits.
pub const FIGURE: f64 = 5e-6;

/// Of `g r/2 - ln Phi(g)`, relative: no term cancels, but where `ln r + g m/2 + ln sqrt(2 pi)` has
/// terms twice as large as the sum; in the tail the rounding of `g^2` counts, as it does for
/// [`NORMAL`].
pub const GAIN: f64 = 5e-15;

/// Of `1 + u m`, relative: what `m` is known to, 5e-15 in [-2.5, -1], times five where the sum
/// cancels to a fifth, and twice that for the derivation's slack.
#[cfg(feature = "gpu")]
pub const SECOND_RATIO: f64 = 5e-14;

/// Of its slope, relative: `r` and `1 + g m`, which is known to 5e-14 where `m` is and cancels to a
/// fifth, in [-2.5, -1].
pub const GAIN_SLOPE: f64 = 6e-14;

/// A five-point difference quotient with steps of a thousandth of the scale on which the function
/// bends: its truncation is `1e-12/30` of the fifth derivative, which stays below 1000 on that
/// scale, and the values' rounding counts 1000 epsilons.
pub const DIFFERENCE_QUOTIENT: f64 = 1e-9;

/// Error of a five-point difference quotient with step `h`, in units of the function, whose
/// logarithm bends on a scale of `1/slope`: the truncation is `h^4/30` of the fifth derivative, and
/// values off by `rounding` of themselves count 18/12 times over the step.
pub fn five_point_slope(h: f64, slope: f64, rounding: f64) -> f64 {
    h.powi(4) / 30.0 * slope.powi(5) + 1.5 * rounding / h
}

/// Unit roundoff times two: what one rounded operation may add, relative.
const EPS: f64 = f64::EPSILON;

/// Unit coordinate -> value -> unit coordinate on a linear scale: each way three rounded operations
/// on numbers as large as the larger bound, seen relative to the width.
pub fn affine_round_trip(low: f64, high: f64) -> f64 {
    6.0 * EPS * (low.abs() + high.abs()) / (high - low) + 4.0 * EPS
}

/// The same on a log scale: the exponent, as large as the larger logarithm, is rounded three times,
/// and what is lost is relative to the width of the logarithms; the exponential and the quotient
/// add a few units in the last place more.
pub fn log_round_trip(low: f64, high: f64) -> f64 {
    4.0 * EPS * (low.ln().abs() + high.ln().abs() + 2.0) / (high / low).ln() + 4.0 * EPS
}

/// The step of finite differences in the unit cube: `eps^(1/3)`, where truncation and rounding are
/// about equal.
pub const STEP: f64 = 6.055454452393343e-6;

/// Error of a central difference at [`STEP`] of a function of size `value` whose third derivative
/// is below `third`: truncation `h^2 third / 6`, and two values each off by some eight units of
/// rounding, divided by `2 h`.
pub fn central_difference(value: f64, third: f64) -> f64 {
    difference(STEP, third, 8.0 * EPS * value.abs())
}

/// The same for the one-sided formula `(-3 f(0) + 4 f(h) - f(2h)) / (2 h)`: truncation
/// `h^2 third / 3`, weights 8 in sum instead of 2.
pub fn one_sided_difference(value: f64, third: f64) -> f64 {
    STEP * STEP * third / 3.0 + 4.0 * 8.0 * EPS * value.abs() / STEP
}

/// Mean and variance of six standardized values: sums of six terms of size at most 4, each rounded
/// some three times.
pub const STANDARDIZED: f64 = 6.0 * 4.0 * 3.0 * EPS;

/// Four and a half standard errors of the mean of so many independent numbers of that variance: a
/// normal deviate is beyond with probability 7e-6.
pub fn sampled_mean(variance: f64, count: u64) -> f64 {
    4.5 * (variance / count as f64).sqrt()
}

/// Rounding of the value of a sample path. The features' weights have a deviation of `sqrt(s / m)`,
/// so that their absolute values sum to less than `2 sqrt(s m)`; a phase of up to some 1000 (a
/// Matern-1/2 kernel's frequencies have a heavy tail) is rounded. The weights of the kernel values
/// are `K^-1` times differences of some five deviations, below `5 sqrt(s n) / noise` in norm. Sums
/// run in eight lanes, and a term is off by some ten roundings.
pub fn path_sum(posterior: &gittins::Posterior, features: usize) -> f64 {
    let gittins::Hyperparameters { outputscale, noise, .. } = *posterior.hyperparameters();
    let n = posterior.len() as f64;
    let prior = 2.0 * (outputscale * features as f64 / 2.0).sqrt();
    let update = 5.0 * outputscale.powf(1.5) * n / noise;
    EPS * (((features as f64 + n) / 8.0 + 10.0) * (prior + update) + 1000.0 * prior)
}

/// Of a sample path at data without noise: the solve's relative error, where the smallest
/// eigenvalue of the covariance stands for the noise, of differences between data and prior path of
/// at most some ten.
pub fn path_at_data(posterior: &gittins::Posterior, smallest_eigenvalue: f64) -> f64 {
    10.0 * self::posterior(
        posterior.len(),
        posterior.hyperparameters().outputscale,
        smallest_eigenvalue,
    )
}

/// A coordinate this near to its bound, relative to itself or to 1, lies on it: a step of a line
/// search that ends on a bound rounds twice (2 eps of the larger term), and terms here are below
/// 1e3 times the bound. The table is made with the same number.
pub const LBFGSB_ACTIVE: f64 = 1e-12;

/// The table holds starts moved by 1e-12, some 5,000 eps. Another order of summation moves every
/// iterate by a few eps, so a difference of the same order as theirs is what rounding explains; ten
/// times theirs is allowed, as theirs is the largest of only 40.
pub const LBFGSB_SPREAD: f64 = 10.0;

/// Relative. Points are stored with 10 digits (half a unit of the tenth: 5e-10 at worst); values
/// whose spread happens to be zero still carry the rounding of sums of up to 200 terms.
pub const LBFGSB_STORED: f64 = 5e-10;

/// Where rounding decides how many evaluations are needed, SciPy's own counts over 41 starts span a
/// factor of up to 2.2; one more draw falls outside that span by chance once in 20, and hardly ever
/// by more than a quarter.
pub const LBFGSB_CHANCE: f64 = 1.25;

/// Absolute error of a minimum of about -0.6 to 11, found to a last relative fall of 2.2e-9: some
/// ten times that, as convergence over the last steps is linear.
pub const LBFGSB_BARRIER: f64 = 2.5e-7;

/// Standard deviations of the correlation of independent uniform coordinates, which is
/// `1 / sqrt(n)` for `n` points; six pairs are looked at, and a normal deviate is beyond 4 with
/// probability 6e-5.
pub const SOBOL_CORRELATION: f64 = 4.0;

/// How many times smaller than with random points the error of a mean over 4096 points has to be: a
/// scrambled net's falls like `n^-3/2` up to logarithms against `n^-1/2`, which leaves a factor of
/// tens in six dimensions.
pub const SOBOL_GAIN: f64 = 10.0;

// On a device, in epsilons of its precision. Sums and products are rounded correctly, half an
// epsilon each; of division WGSL promises single precision only 2.5 units in the last place, and of
// the square root, which may be one over an inverse square root, 4.5; a unit is at most an epsilon.

/// Of the exponential, relative: the reduced argument is off by half an epsilon of 0.35, the sum
/// `1 + r + ...` by half, the polynomial by another 0.2, in a mantissa that may be next to a power
/// of two, where these count double; half of one for the reference.
#[cfg(feature = "gpu")]
pub const DEVICE_EXP: f64 = 2.0;

/// Of the logarithm, relative: near 1, `s = g / (2 + g)` is off by 3.5 epsilons and counts at most
/// 0.21 of the result, which four sums round.
#[cfg(feature = "gpu")]
pub const DEVICE_LOG: f64 = 2.5;

/// At `u`, of density, distribution function, its logarithm, `h`, its logarithm (in units of
/// `max(1, |value|)`), `m` and `r`, with `d` epsilons for a quotient. The density is the
/// exponential's [`DEVICE_EXP`] and the factor's half, double next to a power of two at worst (4).
/// On the left `m` has two quotients, one of them in the argument of Horner's scheme, that scheme
/// and a product (2 d + 3), and `r` a sum more; `Phi` adds the density, `r` and a quotient, `h`
/// that, `m` and a product. On the right 1 - Phi(-u), as large as Phi(-u) at worst, has the
/// latter's error, and quotients by it add that. Logarithms turn relative errors of their arguments
/// into absolute ones, where the value is below 1 at most 1.5 times as large in units of it.
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

/// Of `1 + u m`, in epsilons: on the left the product of `m` and the next level of its fraction,
/// made alike, and a half for the product; on the right a sum that `u m` may make up all of.
#[cfg(feature = "gpu")]
pub fn device_second_ratio(precision: gittins::backend::Precision, u: f64) -> f64 {
    let m = device_normal(precision, u)[5];
    if u <= 0.0 { 2.0 * m + 0.5 } else { m + 1.0 }
}

/// Of the root of `ln h(u) = t`, in epsilons of `max(1, |u|)`: rounding `u^2/2` moves `ln h` by
/// half an epsilon of itself, twice with the sum, and the root by `m` times that, half an epsilon
/// of `|u|`; where `|u|` is small, `m < 0.8` times the error of [`device_normal`]'s `ln h` where
/// `u` is negative, some 5, and [`INDEX_ROOT`] for the reference.
#[cfg(feature = "gpu")]
pub const DEVICE_ROOT: f64 = 6.0;

/// Of a sine and a cosine, in epsilons of 1: the reduced argument, below 0.79, is rounded to a
/// quarter of one, as is the sum that ends either polynomial or to half of one; the terms before
/// it, a fifth of the sum, round some three times; the reference adds half of one.
#[cfg(feature = "gpu")]
pub const DEVICE_TURN: f64 = 1.5;

/// Of kernel values and slopes, relative: an exponent is off by the square root's 4.5 epsilons of
/// itself and a product's half, the exponential by its own, and sums and products add five
/// roundings.
#[cfg(feature = "gpu")]
pub fn device_kernel(exponent: f64) -> f64 {
    5.0 * exponent + DEVICE_EXP + 5.0
}

/// Of a kernel value together with what its rounding took, in single epsilons of itself: the
/// reduced argument of the exponential lies below 0.35, and it and its polynomial are rounded to an
/// eighth of an epsilon each; all else is kept in two numbers.
#[cfg(feature = "gpu")]
pub const DEVICE_KERNEL_SUM: f64 = 0.5;

/// Of a score and its derivatives on a device, in epsilons of the scale that the test derives from
/// the conditioning. The standardized distance is off by 3 (a difference and a quotient) and the
/// scale counts the square through which that acts; the ratios add what [`device_normal`] allows
/// `m` on the left, 6.5, the products and the quotient by which a derivative is made of them 3.5.
#[cfg(feature = "gpu")]
pub const DEVICE_SCORE: f64 = 13.0;

/// What a device's scores may be off by: mean and deviation in units of the prior's deviation,
/// value and gradient of their own scales.
#[cfg(feature = "gpu")]
#[derive(Debug, Clone, Copy)]
pub struct DeviceErrors {
    /// Of the mean.
    pub mean: f64,
    /// Of the standard deviation.
    pub deviation: f64,
    /// Of the value.
    pub value: f64,
    /// Of the gradient.
    pub gradient: f64,
}

#[cfg(feature = "gpu")]
impl DeviceErrors {
    /// With so much more for the mean, and what values and gradients make of that: ten times as
    /// much where the tail is steep.
    pub fn plus(self, mean: f64) -> Self {
        Self {
            mean: self.mean + mean,
            value: self.value + 10.0 * mean,
            gradient: self.gradient + 10.0 * mean,
            ..self
        }
    }

    /// The same moments, with the value of a sample path in single precision: what its weights and
    /// frequencies make of rounded coordinates, as the library estimates it, and 20 epsilons for
    /// the sum of so many waves. A gradient counts a wave's error by its frequency, which is what
    /// it counts the wave by.
    pub fn of_path(self, error: f64) -> Self {
        Self { value: error + 20.0 * f64::from(f32::EPSILON), ..self }
    }

    /// In double precision a sample path adds what the rounding of its phases makes of the value,
    /// `error`. Frequencies with a heavy tail (Matern-1/2) let one wave out of `frequencies` rule
    /// the gradient: its own phase, which counts `1/sqrt(frequencies)` in the value, counts in full
    /// there.
    pub fn with_phases(self, error: f64, frequencies: usize) -> Self {
        Self {
            value: self.value + error,
            gradient: self.gradient + error * (frequencies as f64).sqrt(),
            ..self
        }
    }
}

/// Of a device in double precision, for `n` data with noise of that share of the prior's variance.
/// The factor's inverse has a norm of at most `sqrt(n / noise)`, and `|L^-1 (y - m)|` is about
/// `sqrt n`: a mean, `k' alpha` with `alpha = L^-T (L^-1 (y - m))`, is off by twice the product
/// times the epsilon, as kernel values by some epsilons each, of both signs. A variance is off by
/// as much, and a deviation, at least about the root of the noise, by that over twice itself.
/// Values and gradients follow the mean and the deviation, at most four times as far in units of
/// their largest number.
#[cfg(feature = "gpu")]
pub fn device_double(n: usize, noise: f64) -> DeviceErrors {
    let mean = 2.0 * f64::EPSILON * n as f64 / noise.sqrt();
    let deviation = mean / (2.0 * noise.sqrt());
    let value = 4.0 * (mean + deviation);
    DeviceErrors { mean, deviation, value, gradient: value }
}

/// Of a device in single precision with the estimate `error` of a mean: that, and 20 epsilons where
/// that is more; a deviation, whose kernel values are rounded, four times as much, as the largest
/// of many points is, and three times the root of the epsilon, the least that is left of `1 - v' v`
/// at a datum. Values that are outcomes add both up, with the index's root of up to 3 deviations.
/// Values in the tail count the relative error of the deviation, 5e-4 at most at noise 1e-4 and up,
/// by ten times; a gradient weighs the same data by differences of coordinates, which near a datum
/// have lost digits, and counts twice that.
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

/// How far below the CPU's maximum of an index with values near 1 a search may end that a device
/// began: both settle on the host, and what is left are the finalists' tolerances, 1e-9 of the
/// value each, and that the climb may take the last step or not.
#[cfg(feature = "gpu")]
pub const FOUND_AGAIN: f64 = 1e-7;

/// Of percentiles, means and their errors of `n` numbers, in units of `n` times the largest: the
/// place `(n - 1) q` is rounded twice, to `n eps` of a distance of at most twice the largest; a sum
/// of `n` terms to half of `n eps` of each; a standard error is a sum of squares under a root.
pub const SUMMARY: f64 = 4.0 * f64::EPSILON;

/// Terms of the regret gap, relative to the sum of their absolute values: three roundings in the
/// variance of a difference whose terms are at most four times the result, the improvement's own
/// error, and some ten operations more.
pub const REGRET_GAP: f64 = DERIVATIVE;

/// Ends of an interval of Clopper and Pearson, relative: of `ln p` of a term, three log-gamma
/// functions of up to 1000 are off by an epsilon of 6e3 each, so a tail by `2e4 eps = 4e-12` of
/// itself, and its root by that over the slope `d ln tail / d ln p`, which is at least 1 for a tail
/// of one success or more and that share of the complement otherwise.
pub const NEAR_BINOMIAL: f64 = 4e-12;

/// Three standard errors of a frequency in so many trials.
pub fn frequency(probability: f64, trials: usize) -> f64 {
    3.0 * (probability * (1.0 - probability) / trials as f64).sqrt()
}

/// A statistic computed again from the posterior by other routes, relative: moments of one batch or
/// another differ by the order of their sums, `n eps` times the root of the condition number, which
/// is below 1e4 at noise 1e-6 and n = 10, in deviations, which near a datum are 1e-3 of the
/// prior's.
pub const SAME_BY_HAND: f64 = 1e-8;

/// What random features may shift a probability by that is estimated on 2000 paths: a kernel of 512
/// frequencies is off by some `1/sqrt(512) = 4 %`, a probability, whose slope in `ln sigma^2` is
/// below `u phi(u)/2 <= 0.12` for one point and four times that for a maximum over some, by 0.02 in
/// a group of 16 paths; three standard errors over 125 groups are 0.005, and the second order,
/// `(0.04 u^2)^2 / 2` of it in a tail with `u = 2`, is less.
pub const FEATURES_SHIFT: f64 = 0.007;
