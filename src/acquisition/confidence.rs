//! The upper confidence bound and the schedule of its `beta`.

use std::f64::consts::PI;

use super::belief::Score;

/// `mu + sqrt(beta) sigma`.
pub(super) fn upper_bound(beta: f64, mean: f64, sd: f64) -> Score {
    let width = beta.sqrt();
    Score::without_cost(mean + width * sd, 1.0, width)
}

/// The schedule `beta_t = 2 ln(d t^2 pi^2 / (6 delta))` for `d` dimensions at iteration `t`.
///
/// The bound may fail with probability `delta`, the argument `probability`, in `(0, 1]`. The first
/// adaptive iteration is 1; smaller numbers count as 1.
///
/// Srinivas et al. 2010 (theorem 1) give this schedule for a finite set of candidates. Here `d`
/// replaces the number of candidates. In practice it explores far too much: prefer [`ucb_beta`], a
/// fifth of it.
pub fn ucb_beta_unscaled(dim: usize, iteration: usize, probability: f64) -> f64 {
    at(dim, iteration as f64, probability)
}

fn at(dim: usize, t: f64, probability: f64) -> f64 {
    let d = dim.max(1) as f64;
    let t = t.max(1.0);
    2.0 * (d * t * t * PI * PI / (6.0 * probability)).ln()
}

/// A fifth of [`ucb_beta_unscaled`], which works in experiments (Srinivas et al. 2010, section 6).
pub fn ucb_beta(dim: usize, iteration: usize, probability: f64) -> f64 {
    ucb_beta_unscaled(dim, iteration, probability) / 5.0
}

/// [`ucb_beta`] at a time `t` that need not be whole; a time below 1 counts as 1.
pub(crate) fn ucb_beta_at(dim: usize, t: f64, probability: f64) -> f64 {
    at(dim, t, probability) / 5.0
}
