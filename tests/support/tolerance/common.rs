//! What the tests of all crates use.

/// Fails unless `got` lies within `bound` of `expected`. NaN always fails.
#[track_caller]
pub fn assert_within(what: impl std::fmt::Display, got: f64, expected: f64, bound: f64) {
    let error = (got - expected).abs();
    assert!(
        error <= bound,
        "{what}: got {got:e}, expected {expected:e}, off by {error:e}, allowed {bound:e}"
    );
}

/// Twice the unit roundoff: the relative error that one rounded operation may add.
pub const EPS: f64 = f64::EPSILON;

/// The step of finite differences in the unit cube: `eps^(1/3)`, at which truncation and rounding
/// are about equal.
pub const STEP: f64 = 6.055454452393343e-6;

/// Relative error of a central difference with step `h`, of a function with values near 1 and third
/// derivatives near `curvature`: half of `h^2 / 3` times the curvature, plus the rounding of the
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

/// Three standard errors of a frequency in this many trials.
#[allow(dead_code, reason = "not all tests count")]
pub fn frequency(probability: f64, trials: usize) -> f64 {
    3.0 * (probability * (1.0 - probability) / trials as f64).sqrt()
}
