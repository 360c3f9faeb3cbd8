//! Tolerances of the analytic problems, their costs and optima.

use super::{STEP, difference};

const EPS: f64 = f64::EPSILON;

/// Dropwave at radius `r`: the phase `6 r` is off by `2 EPS` of itself, its squared cosine by as
/// much and two units, and three more operations follow.
pub fn dropwave(r: f64) -> f64 {
    8.0 * EPS * (1.0 + 6.0 * r)
}

/// Alpine1 in up to three dimensions: a term `x (sin x + 0.1)` with `|x| <= 10` is off by two units
/// of rounding times `x`.
pub const ALPINE: f64 = 3.0 * 10.0 * 2.0 * EPS;

/// A term of Alpine1 at a root rounded to a double: off by half a unit of `x` times the slope, at
/// most `x`, and by its own rounding.
pub const ALPINE_ROOT: f64 = 10.0 * (0.5 * 10.0 + 2.0) * EPS;

/// Shekel's function, relative: five terms of one sign, each of some ten rounded operations on
/// positive numbers.
pub const SHEKEL: f64 = 16.0 * EPS;

/// Costs of the family, relative, told in the unit cube: a coordinate up to 10 is off by `4 EPS` of
/// itself there and back, its phase, up to 60 with a slope below 16 per unit, by `4 x 10 x 16 EPS`
/// and `4 x 60 EPS`, and the exponent by 1.5 times as much.
pub const COST_WAVE: f64 = 1.5 * (4.0 * 10.0 * 16.0 + 4.0 * 60.0) * EPS;

/// Gradient of a member of the cost family in the unit cube against central differences: the third
/// derivative of `exp(w sum cos)` is below `beta^3 w (1 + 3 w + w^2)` times the cost.
pub fn cost_wave_slope(cost: f64, beta: f64, weight: f64) -> f64 {
    difference(
        STEP,
        cost * beta.powi(3) * weight * (1.0 + 3.0 * weight + weight * weight),
        COST_WAVE * cost,
    )
}

/// Sums of ten outcomes or costs, relative, against double precision elsewhere: those of their
/// terms.
pub const INITIAL_DESIGN: f64 = 2.0 * COST_WAVE;

/// Cost and amplitude of the bump, relative: an exponent up to 40 where it still shows, from a
/// difference of coordinates near 1/2 that is exact, squared and divided.
pub const BUMP: f64 = 4.0 * 40.0 * EPS;

/// Slopes of the bump against central differences at step `h`, as a share of its height over its
/// width `w = 3.3e-4`: truncation `(h / w)^2 / 6` times the third derivative, below 1.4 of that
/// unit; rounding of the values by some units, of coordinates near 1/2 by one of `h`'s, over
/// `h / w`.
pub fn bump_slope(h: f64) -> f64 {
    let share = h / 3.295e-4;
    share * share * 1.4 / 6.0 + 16.0 * EPS / share + EPS / h
}

/// Draws averaged for the bump's, and four and a half standard errors of the mean of products of
/// theirs, which vary by at most `2` (`3` with the features' own spread).
pub const BUMP_DRAWS: u64 = 4000;

/// See [`BUMP_DRAWS`].
pub fn bump_covariance() -> f64 {
    4.5 * (3.0 / BUMP_DRAWS as f64).sqrt()
}

/// How far the best point of a grid lies below the peak that it is next to: with spacing `h` and
/// lengthscale `ell`, second derivatives of a draw are below `6 x 5/3 / ell^2` (six deviations'
/// height), over half the spacing along each of `d` axes.
pub fn grid_gap(h: f64, ell: f64, d: usize) -> f64 {
    0.5 * 10.0 / (ell * ell) * (0.5 * h).powi(2) * d as f64
}

/// Four and a half standard errors of the mean square of draws with squared-exponential kernel of
/// lengthscale `ell` over an interval of length `length`, `count` of them: `f^2` has variance 2 and
/// correlation `exp(-(r / ell)^2)`, so an integral scale of `sqrt(pi) ell`.
pub fn spatial_variance(ell: f64, length: f64, count: u64) -> f64 {
    4.5 * (2.0 * std::f64::consts::PI.sqrt() * ell / (length * count as f64)).sqrt()
}

/// Slopes of an interpolated draw of lengthscales near 0.5 against central differences at [`STEP`]:
/// weights are below `1e3 x 4` (the nugget's root, four deviations), 1000 of them of either sign,
/// so that values are off by `1000 x 4000 x 4 EPS` over the step at worst.
pub const INTERPOLATED_SLOPE: f64 = 1000.0 * 4000.0 * 4.0 * EPS / STEP;
