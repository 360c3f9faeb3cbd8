//! What an outcome tells of the maximum.

use super::Score;
use crate::math::normal;

/// The mean over maxima of `g r(g)/2 - ln Phi(g)`, `g = (f* - mu)/sigma`.
pub(super) fn gain(maxima: &[f64], mean: f64, sd: f64) -> Score {
    if sd == 0.0 {
        return Score::without_cost(0.0, 0.0, 0.0);
    }
    let weight = 1.0 / maxima.len() as f64;
    let (mut value, mut d_mean, mut d_sd) = (0.0, 0.0, 0.0);
    for maximum in maxima {
        let g = (maximum - mean) / sd;
        let (gain, slope) = of_distance(g);
        value += weight * gain;
        // d g / d mu = -1 / sigma, d g / d sigma = -g / sigma.
        d_mean -= weight * slope / sd;
        d_sd -= weight * slope * (g / sd);
    }
    Score::without_cost(value, d_mean, d_sd)
}

/// `g r/2 - ln Phi(g)` and its derivative `-(r/2) (1 + g m)`.
fn of_distance(g: f64) -> (f64, f64) {
    let normal::Ratios { m, r } = normal::ratios(g);
    let slope = -0.5 * r * (1.0 + g * m);
    if g < -1.0 {
        // -ln Phi(g) = g^2/2 + ln sqrt(2 pi) + ln r, of which g r/2 = -g^2/2 + g m/2 takes the square away.
        return (normal::LN_SQRT_2PI + r.ln() + 0.5 * g * m, slope);
    }
    (0.5 * g * r - normal::log_cdf(g), slope)
}
