//! Improvement over the incumbent: its expectation, its probability, and the logarithms of both.
//!
//! With `u = (mu - best)/sigma`. The variants of [`Pointwise`](super::Pointwise) give the formulas
//! and the papers.

use super::belief::{LOG_ZERO, Score};
use crate::math::normal::{
    FRAC_1_SQRT_2PI, Ratios, cdf, h, log_cdf, log_h_with_ratios, pdf, ratios,
};

/// The bound of `|u|`. It keeps `u^2` finite; beyond it the logarithms would be flat at minus
/// infinity.
const FARTHEST: f64 = 1e150;

/// From this `u` on, `h(u) = u` to the last bit: `h(-9) < 1e-20`.
const CERTAIN: f64 = 9.0;

/// The number of standard deviations by which the mean exceeds the incumbent.
fn standardized(gap: f64, sd: f64) -> f64 {
    (gap / sd).clamp(-FARTHEST, FARTHEST)
}

/// `EI = sigma h(u)`, with `dEI/dmu = Phi(u)` and `dEI/dsigma = phi(u)`.
pub(super) fn expected(incumbent: f64, mean: f64, sd: f64) -> Score {
    let gap = mean - incumbent;
    if sd == 0.0 {
        // The derivatives have limits at the kink too: u = 0 for every sigma.
        let (d_mean, d_sd) =
            if gap == 0.0 { (0.5, FRAC_1_SQRT_2PI) } else { (indicator(gap), 0.0) };
        return Score::without_cost(gap.max(0.0), d_mean, d_sd);
    }
    let u = standardized(gap, sd);
    // h(u) = u + h(-u). This form loses no digit of the gap to the division if u > 0.
    let value = if u > 0.0 { gap + sd * h(-u) } else { sd * h(u) };
    Score::without_cost(value, cdf(u), pdf(u))
}

/// `ln EI = ln sigma + ln h(u)`, with derivatives `1/(sigma m)` and `r/(sigma m)`. At `sigma = 0`
/// it is `ln max(gap, 0)`.
pub(super) fn log_expected(incumbent: f64, mean: f64, sd: f64) -> Score {
    let gap = mean - incumbent;
    if sd == 0.0 {
        let (value, d_mean) = if gap > 0.0 { (gap.ln(), 1.0 / gap) } else { (LOG_ZERO, 0.0) };
        return Score::without_cost(value, d_mean, 0.0);
    }
    let u = standardized(gap, sd);
    let (log_h, Ratios { m, r }) = log_h_with_ratios(u);
    // Both derivatives divide by sigma m = sigma h / Phi = EI / Phi.
    let (value, divisor) = if u > CERTAIN { (gap.ln(), gap) } else { (log_h + sd.ln(), sd * m) };
    Score::without_cost(value, 1.0 / divisor, r / divisor)
}

/// `PI = Phi(u)`, with derivatives `phi(u)/sigma` and `-u phi(u)/sigma`.
pub(super) fn probability(incumbent: f64, mean: f64, sd: f64) -> Score {
    let gap = mean - incumbent;
    if sd == 0.0 {
        return Score::without_cost(indicator(gap), 0.0, 0.0);
    }
    let u = standardized(gap, sd);
    let slope = pdf(u) / sd;
    Score::without_cost(cdf(u), slope, -u * slope)
}

/// `ln PI = ln Phi(u)`, with derivatives `r/sigma` and `-u r/sigma`.
pub(super) fn log_probability(incumbent: f64, mean: f64, sd: f64) -> Score {
    let gap = mean - incumbent;
    if sd == 0.0 {
        return Score::without_cost(if gap > 0.0 { 0.0 } else { LOG_ZERO }, 0.0, 0.0);
    }
    let u = standardized(gap, sd);
    let slope = ratios(u).r / sd;
    Score::without_cost(log_cdf(u), slope, -u * slope)
}

/// 1 if the gap is positive, 0 otherwise.
fn indicator(gap: f64) -> f64 {
    if gap > 0.0 { 1.0 } else { 0.0 }
}
