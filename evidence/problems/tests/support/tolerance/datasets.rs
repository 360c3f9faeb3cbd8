//! Of the problems that are read from files.

/// Error of a posterior mean of `n` data against another double-precision engine, in units of the
/// prior's deviation: `eps` times the largest condition number of the covariance,
/// `(n s + noise) / noise`. Data of a deviation of one and a backward stable solve miss by `n`
/// times that in the worst direction; errors spread over all directions, most of which are far
/// better conditioned, so that the factor `n` is left out.
pub fn surrogate(n: usize, outputscale: f64, noise: f64) -> f64 {
    f64::EPSILON * (n as f64 * outputscale + noise) / noise
}

/// Of the same on `ln c` and then of `exp(m + v / 2)`, relative: the mean's error and half the
/// variance's, both in units of the prior's deviation or variance.
pub fn log_normal(surrogate: f64, deviation: f64) -> f64 {
    surrogate * (deviation + 0.5 * deviation * deviation)
}

/// Of a sum of squared exponentials with weights of that total size: each term is off by some `eps`
/// times its exponent, which is below 40 where `exp` is still above `eps`, and so is the sum.
pub fn kernel_sum(weights: f64) -> f64 {
    40.0 * f64::EPSILON * weights
}

/// Of a value at a maximizer that was found elsewhere to a relative gain of 1e-9 a step: what a
/// last climb may still have left.
pub const AT_MAXIMUM: f64 = 1e-8;

/// Of a unit coordinate: a quotient of differences or logarithms of bounds, with four roundings.
pub const COORDINATE: f64 = 4.0 * f64::EPSILON;

/// Of a slope by the five-point quotient with step 1e-3, relative to the largest slope of the
/// point: the truncation is `(h / l)^4 / 30` of it, 1e-10 at the shortest lengthscale of 0.14; a
/// value is a sum of terms up to `1 / noise = 1e4` times as large as itself, whose rounding the
/// quotient multiplies by `1.5 / h`, 4e-9 of the value, and where all slopes are a hundredth of it
/// 4e-7.
pub const SLOPE: f64 = 1e-6;
