//! Every tolerance of the tests, with its derivation.

pub mod control;
#[cfg(feature = "datasets")]
pub mod datasets;
pub mod functions;
pub mod simulators;

/// Unit roundoff times two: what one rounded operation may add, relative.
const EPS: f64 = f64::EPSILON;

/// The step of finite differences in the unit cube: `eps^(1/3)`, where truncation and rounding are
/// about equal.
pub const STEP: f64 = 6.055454452393343e-6;

/// Relative error of a central difference with step `h`, of a function with values near 1 and third
/// derivatives near `curvature`: half of `h^2 / 3` times the curvature, and the rounding of the
/// values, amplified by `noise`, over the step.
pub fn difference(h: f64, curvature: f64, noise: f64) -> f64 {
    h * h * curvature / 6.0 + noise / h
}

/// Error of a central difference at [`STEP`] of a function of size `value` whose third derivative
/// is below `third`: truncation `h^2 third / 6`, and two values each off by some eight units of
/// rounding, divided by `2 h`.
pub fn central_difference(value: f64, third: f64) -> f64 {
    difference(STEP, third, 8.0 * EPS * value.abs())
}

/// Fails unless `got` lies within `bound` of `expected`; a NaN lies nowhere.
#[track_caller]
pub fn assert_within(what: impl std::fmt::Display, got: f64, expected: f64, bound: f64) {
    let error = (got - expected).abs();
    assert!(
        error <= bound,
        "{what}: got {got:e}, expected {expected:e}, off by {error:e}, allowed {bound:e}"
    );
}

/// Test functions of up to 16 terms, each of some ten rounded operations, relative.
pub const BENCHMARK: f64 = 16.0 * 10.0 * EPS;

/// What is left of them at an optimum whose unit coordinates are not exact: coordinates off by
/// `20 EPS` from where the function is `400 EPS` steep at most (Ackley's kink), and squares of that
/// elsewhere.
pub const BENCHMARK_NEAR_ZERO: f64 = 64.0 * EPS;

/// Values at optima given to 17 digits: second order in the coordinates, so rounding of the value
/// alone (Branin cancels 10 + 10).
pub const OPTIMUM: f64 = 64.0 * EPS;

/// Central differences at [`STEP`] at optima in the unit cube. Rosenbrock is the worst: third
/// derivative `2400 x 15^3` in the cube, so `h^2 / 6` of it is 5e-5.
pub const FLAT: f64 = STEP * STEP / 6.0 * 2400.0 * 3375.0 * 1.5;

/// Costs of problems: exponents of size 4 rounded some ten times, or sums of a few terms; relative.
pub const PROBLEM_COST: f64 = 64.0 * EPS;

/// Draws averaged by [`draw_covariance`].
pub const DRAWS: u64 = 100_000;

/// Four and a half standard errors of the mean of products `f(z) f(z')` over [`DRAWS`] draws. Given
/// its frequencies a draw is Gaussian with variance `s`, so a product has a variance of at most
/// `2 s^2`.
pub fn draw_covariance(outputscale: f64) -> f64 {
    4.5 * outputscale * (2.0 / DRAWS as f64).sqrt()
}

/// Gradient of a draw against central differences at [`STEP`]. Frequencies are below some 60
/// (lengthscale 0.5, tail of five degrees of freedom) with 512 weights of size `1 / sqrt 512`: the
/// third derivative stays below 1e4, times `h^2 / 6`, and a sum of 1024 terms of size 0.04 is off
/// by at most `1024 x 0.04 x 4 EPS` at either end.
pub const DRAW_SLOPE: f64 = STEP * STEP / 6.0 * 1e4 + 1024.0 * 0.04 * 4.0 * EPS / STEP;

/// Three standard errors of a frequency in so many trials.
pub fn frequency(probability: f64, trials: usize) -> f64 {
    3.0 * (probability * (1.0 - probability) / trials as f64).sqrt()
}
