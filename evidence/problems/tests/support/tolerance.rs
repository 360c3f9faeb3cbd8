//! Every tolerance of the tests, with its derivation.

#[path = "../../../../tests/support/tolerance/common.rs"]
mod common;
pub mod control;
#[cfg(feature = "datasets")]
pub mod datasets;
pub mod functions;
pub mod simulators;

pub use common::*;

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
