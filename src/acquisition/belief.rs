//! What an acquisition is given at a point, and what it returns.

/// The score that stands for the logarithm of zero. It is below the logarithm of every positive
/// number that a belief can lead to. It is finite, so scores can be compared, subtracted and
/// climbed.
pub const LOG_ZERO: f64 = -1e300;

/// What is believed about the cost at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointBeliefCost {
    /// The cost itself, finite and positive.
    Known(f64),
    /// `ln c` is normal.
    LogNormal {
        /// Mean of `ln c`.
        mean: f64,
        /// Variance of `ln c`.
        variance: f64,
    },
}

impl PointBeliefCost {
    pub(super) fn is_meaningful(self) -> bool {
        match self {
            Self::Known(cost) => cost.is_finite() && cost > 0.0,
            Self::LogNormal { mean, variance } => mean.is_finite() && variance.is_finite(),
        }
    }
}

/// What is believed about the outcome and the cost at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// Posterior mean.
    pub mean: f64,
    /// Posterior standard deviation, at least 0.
    pub sd: f64,
    /// Cost.
    pub cost: PointBeliefCost,
}

/// How far the posterior mean at a point will move after one noisy outcome there, and the
/// derivative of this number with respect to the variance.
///
/// The function value has variance `v`. An outcome adds noise of variance `n`. Before the outcome
/// is known, the posterior mean after it is normal with the standard deviation
///
/// ```text
/// s = v / sqrt(v + n)        ds/dv = (v/2 + n) / (v + n)^(3/2)
/// ```
///
/// (Frazier, Powell, Dayanik 2009, "The Knowledge-Gradient Policy for Correlated Normal Beliefs",
/// equation 4, at the point itself). Without noise `s` is the posterior standard deviation.
pub(crate) fn foreseen(variance: f64, noise: f64) -> (f64, f64) {
    if noise == 0.0 {
        let sd = variance.sqrt();
        return (sd, 0.5 / sd);
    }
    let total = variance + noise;
    let root = total.sqrt();
    (variance / root, (0.5 * variance + noise) / total / root)
}

/// A value with its partial derivatives with respect to the belief.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The value.
    pub value: f64,
    /// Derivative with respect to the mean.
    pub d_mean: f64,
    /// Derivative with respect to the standard deviation.
    pub d_sd: f64,
    /// Derivative with respect to `ln c` (known cost) or to the mean of `ln c` (learned cost).
    pub d_log_cost: f64,
    /// Derivative with respect to the variance of `ln c`; zero for a known cost.
    pub d_log_cost_variance: f64,
}

impl Score {
    /// The score of a meaningless belief. It never wins a comparison.
    pub(super) const MEANINGLESS: Self = Self {
        value: f64::NAN,
        d_mean: f64::NAN,
        d_sd: f64::NAN,
        d_log_cost: f64::NAN,
        d_log_cost_variance: f64::NAN,
    };

    /// A score that does not depend on the cost.
    pub(super) fn without_cost(value: f64, d_mean: f64, d_sd: f64) -> Self {
        Self { value, d_mean, d_sd, d_log_cost: 0.0, d_log_cost_variance: 0.0 }
    }

    /// The score in another unit.
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            value: factor * self.value,
            d_mean: factor * self.d_mean,
            d_sd: factor * self.d_sd,
            d_log_cost: factor * self.d_log_cost,
            d_log_cost_variance: factor * self.d_log_cost_variance,
        }
    }

    /// The score with every infinite field replaced by the largest finite number of its sign.
    pub(super) fn saturated(self) -> Self {
        let finite = |x: f64| x.clamp(-f64::MAX, f64::MAX);
        Self {
            value: finite(self.value),
            d_mean: finite(self.d_mean),
            d_sd: finite(self.d_sd),
            d_log_cost: finite(self.d_log_cost),
            d_log_cost_variance: finite(self.d_log_cost_variance),
        }
    }
}
