//! Every tolerance of the tests, with its derivation.

/// Agreement with another engine in double precision, as a share of an array's largest number. Both factor the same covariance matrix, whose
/// condition number is at most n outputscale / noise = 4e8 among the jobs (n = 300, 1.3, 1e-6), so that eps times it, 9e-8, bounds the
/// worst direction. Rounding errors are spread over all n directions and most of these are well conditioned: a hundredth of the bound
/// leaves room, and the jobs at hand stay within 2e-12.
pub const PEER_AGREEMENT: f64 = 1e-9;

/// What rounding may take from a log marginal likelihood that is the same in exact arithmetic, relative: n eps times the condition number's
/// share that reaches the quadratic form, far below this.
pub const LIKELIHOOD_SLACK: f64 = 1e-9;
pub const LBFGSB_EVALUATIONS: f64 = 0.25;
pub const LBFGSB_POINT: f64 = 1e-3;
pub const LBFGSB_VALUE: f64 = 1e-6;
/// Relative error of what a factor of `n` observations gives: a backward stable solve errs by `n eps` times the condition number, which is at
/// most `(n s + noise) / noise`; a factor of four for the constants.
pub fn posterior(n: usize, outputscale: f64, noise: f64) -> f64 {
    4.0 * n as f64 * f64::EPSILON * (n as f64 * outputscale + noise) / noise
}

/// Relative error of a central difference with step `h`, of a function with values near 1 and third derivatives near `curvature`: half of
/// `h^2 / 3` times the curvature, and the rounding of the values, amplified by `noise`, over the step.
pub fn central_difference(h: f64, curvature: f64, noise: f64) -> f64 {
    h * h * curvature / 6.0 + noise / h
}
