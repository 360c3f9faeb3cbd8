//! From the user's outcomes to those of the model, and back.

use crate::data::Scaling;
use crate::data::outcome::warp::Warp;
use crate::math::saturating::saturated;

/// The map from outcomes (larger is better) to what is modeled: first the
/// [warp](crate::data::Warping), then a standardization, `z = (w(y) - mean) / sd`.
///
/// Above the median of the outcomes the warp changes nothing. Differences of outcomes there, and
/// with them improvements and prices, are only divided by `sd`.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeScale {
    warp: Warp,
    scaling: Scaling,
}

impl OutcomeScale {
    /// A warp, and the standardization of what it gives.
    pub(crate) fn new(warp: Warp, scaling: Scaling) -> Self {
        Self { warp, scaling }
    }

    /// The standardization that follows the warp.
    #[doc(hidden)]
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// The outcome from which on the warp changes nothing; minus infinity without a warp.
    #[doc(hidden)]
    pub fn unwarped_from(&self) -> f64 {
        self.warp.unchanged_from()
    }

    /// An outcome in units of the model.
    pub fn apply(&self, outcome: f64) -> f64 {
        self.scaling.apply(self.warp.apply(outcome))
    }

    /// A modeled value as an outcome. For a posterior mean this is the median of the outcome. It is
    /// also the mean if the outcome lies above the median of the outcomes seen.
    pub fn undo(&self, modeled: f64) -> f64 {
        self.warp.undo(self.scaling.undo(modeled))
    }

    /// A difference of outcomes above the median (or a price) in units of the model.
    pub fn apply_difference(&self, difference: f64) -> f64 {
        self.scaling.apply_difference(difference)
    }

    /// The logarithm of a positive difference (or a price) in units of the model.
    pub(crate) fn log_of_difference(&self, difference: f64) -> f64 {
        self.scaling.log_of_difference(difference)
    }

    /// A difference of modeled values (or a price) as a difference of outcomes above the median.
    pub fn undo_difference(&self, difference: f64) -> f64 {
        self.scaling.undo_difference(difference)
    }

    /// The standard deviation of an outcome for a modeled mean and variance: half of the range of
    /// one deviation to both sides.
    pub fn undo_deviation(&self, mean: f64, variance: f64) -> f64 {
        let deviation = self.scaling.undo_deviation(variance);
        let center = self.scaling.undo(mean);
        let lowest = center - deviation;
        // Without a warp, no digits are lost by taking a difference.
        if lowest >= self.warp.unchanged_from() {
            return deviation;
        }
        let [low, high] = [lowest, center + deviation].map(|value| self.warp.undo(value));
        saturated(0.5 * high - 0.5 * low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Warping;

    fn standardized(warping: Warping, outcomes: &[f64]) -> OutcomeScale {
        let warp = Warp::new(warping, outcomes, None);
        let warped: Vec<f64> = outcomes.iter().map(|&y| warp.apply(y)).collect();
        OutcomeScale::new(warp, Scaling::standardize(&warped))
    }

    #[test]
    fn without_a_warp_it_is_the_scaling() {
        let outcomes = [1.0, 2.0, 3.0, -40.0, 7.0];
        let scaling = Scaling::standardize(&outcomes);
        let scale = standardized(Warping::None, &outcomes);
        for value in [-50.0, -1.0, 0.0, 3.3, 1e300] {
            assert_eq!(scale.apply(value), scaling.apply(value));
            assert_eq!(scale.undo(value), scaling.undo(value));
            assert_eq!(scale.undo_deviation(value, 0.3), scaling.undo_deviation(0.3));
        }
        assert_eq!(scale.unwarped_from(), f64::NEG_INFINITY);
        let unchanged = OutcomeScale::new(Warp::identity(), Scaling::identity());
        assert_eq!((unchanged.apply(-5.0), unchanged.undo(-5.0)), (-5.0, -5.0));
    }

    #[test]
    fn deviations_are_those_of_outcomes() {
        // The median is 0; the worse outcomes lie at the quantiles of a standard normal times 2.
        let outcomes = [-1e4, -100.0, -1.0, 0.0, 1.0, 2.0, 3.0];
        let scale = standardized(Warping::HalfRank, &outcomes);
        let variance = scale.apply_difference(0.5).powi(2);
        // Above the median it is the plain deviation.
        assert!((scale.undo_deviation(scale.apply(2.0), variance) - 0.5).abs() < 1e-14);
        // Below it, it is the half of the range.
        let mean = scale.apply(-100.0);
        let [low, high] = [-1.0, 1.0].map(|sign| scale.undo(mean + sign * variance.sqrt()));
        let found = scale.undo_deviation(mean, variance);
        assert!((found - 0.5 * (high - low)).abs() < 1e-9 * found && found > 100.0, "{found}");
        for outcome in outcomes {
            let again = scale.undo(scale.apply(outcome));
            assert!((again - outcome).abs() <= 1e-12 * outcome.abs(), "{outcome}: {again}");
        }
    }
}
