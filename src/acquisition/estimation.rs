//! The distance to an estimated maximum.

use super::Score;

/// `(mu - m)/sqrt(sigma^2 + noise)`.
pub(super) fn distance(maximum: f64, noise: f64, mean: f64, sd: f64) -> Score {
    let deviation = sd.hypot(noise.sqrt());
    if deviation == 0.0 {
        // The limit is infinite on either side of the estimate; on it every point of certainty is as good as the other.
        let value = if mean == maximum { 0.0 } else { f64::MAX.copysign(mean - maximum) };
        return Score::without_cost(value, 0.0, 0.0);
    }
    let value = (mean - maximum) / deviation;
    Score::without_cost(value, 1.0 / deviation, -value * (sd / deviation) / deviation)
}
