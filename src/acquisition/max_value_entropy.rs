//! What an outcome tells about the maximum.
//!
//! If the maximum were `f*`, the belief at a point would be a normal distribution cut off at `f*`.
//! The cut lowers the entropy by
//!
//! ```text
//! H(g) = g r(g)/2 - ln Phi(g),    g = (f* - mu)/sigma,    r = phi/Phi
//! ```
//!
//! nats. The acquisition is the mean of `H` over samples of the maximum (Wang & Jegelka 2017,
//! "Max-value Entropy Search for Efficient Bayesian Optimization", equation 6). `H` falls with `g`,
//! from `ln|g|` on the left to `g^3 phi/2` on the right. As a function of `m` it is
//!
//! ```text
//! m = h/Phi,  g < 0:    H = ln sqrt(2 pi) + ln r + g m/2        dH/dg = -(r/2) (1 + g m)
//! ```
//!
//! In this form nothing cancels. `-ln Phi = g^2/2 + ln sqrt(2 pi) + ln r`, and the half
//! `g r/2 = -g^2/2 + g m/2` removes the square. `1 + g m`, about `2/g^2`, is positive by
//! construction ([`second_ratio`]).
//!
//! The maxima come from [`IndependentMaximum::gumbel`](super::maxima::IndependentMaximum::gumbel)
//! or from samples of whole functions.

use super::belief::Score;
use crate::math::normal::{LN_SQRT_2PI, Ratios, log_cdf, ratios, second_ratio};

/// The bound of distances in standard deviations. It keeps their products finite.
const FARTHEST: f64 = 1e150;

/// The mean of `H((f* - mu)/sigma)` over the maxima. It is 0 if the value at the point is certain.
pub(super) fn gain(maxima: &[f64], mean: f64, sd: f64) -> Score {
    if sd == 0.0 {
        return Score::without_cost(0.0, 0.0, 0.0);
    }
    let weight = 1.0 / maxima.len() as f64;
    let finite = |x: f64| x.clamp(-f64::MAX, f64::MAX);
    let (mut value, mut d_mean, mut d_sd) = (0.0, 0.0, 0.0);
    for maximum in maxima {
        let g = ((maximum - mean) / sd).clamp(-FARTHEST, FARTHEST);
        let (gain, slope) = of_distance(g);
        value += weight * gain;
        // d g / d mu = -1 / sigma, d g / d sigma = -g / sigma.
        d_mean -= weight * finite(slope / sd);
        d_sd -= weight * finite(slope * g / sd);
    }
    Score::without_cost(value, d_mean, d_sd)
}

/// `H(g)` and its derivative.
fn of_distance(g: f64) -> (f64, f64) {
    let Ratios { m, r } = ratios(g);
    let slope = -0.5 * r * second_ratio(g);
    let value = if g < 0.0 { LN_SQRT_2PI + r.ln() + 0.5 * g * m } else { 0.5 * g * r - log_cdf(g) };
    (value, slope)
}
