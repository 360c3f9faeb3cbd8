//! Improvement per unit of cost. The exponent of the cost may fall as the budget is spent (cost
//! cooling).
//!
//! The logarithm of a score's divisor with exponent `a` is
//!
//! ```text
//! known cost                          a ln c
//! ln c ~ N(m, v), form Expected         a m + a^2 v / 2      that of E[c^a]
//! ln c ~ N(m, v), form ExpectedInverse  a m - a^2 v / 2      that of 1 / E[c^-a]
//! ```

use super::belief::{PointBeliefCost, Score};

/// How a log-normal belief about the cost enters a score per unit of cost.
///
/// `ln c` is normal with mean `m` and variance `v`, independent of the outcome. The two forms are
/// the same for a known cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum CostForm {
    /// Divide by `E[c^a]`, whose logarithm is `a m + a^2 v / 2`. The stopping test of this form
    /// equals that of the Gittins index.
    #[default]
    Expected,
    /// Multiply by `E[c^-a]`: the logarithm of the divisor is `a m - a^2 v / 2`. The score is then
    /// the expectation of the improvement per cost. It prefers uncertain costs.
    ExpectedInverse,
}

impl CostForm {
    /// The factors of the mean and the variance of `ln c` in the logarithm of the divisor.
    #[cfg(feature = "gpu")]
    pub(super) fn divisor(self, exponent: f64) -> (f64, f64) {
        let factor = 0.5 * exponent * exponent;
        match self {
            Self::Expected => (exponent, factor),
            Self::ExpectedInverse => (exponent, -factor),
        }
    }
}

/// The derivative of the divisor's logarithm with respect to the variance of `ln c`. The derivative
/// with respect to `ln c`, or to its mean, is `exponent`.
fn d_variance(exponent: f64, form: CostForm, cost: PointBeliefCost) -> f64 {
    match (cost, form) {
        (PointBeliefCost::Known(_), _) => 0.0,
        (PointBeliefCost::LogNormal { .. }, CostForm::Expected) => 0.5 * exponent * exponent,
        (PointBeliefCost::LogNormal { .. }, CostForm::ExpectedInverse) => {
            -0.5 * exponent * exponent
        }
    }
}

/// `EI / c^a` from the score of `EI`.
pub(super) fn expected(
    improvement: Score,
    exponent: f64,
    form: CostForm,
    cost: PointBeliefCost,
) -> Score {
    let d_variance = d_variance(exponent, form, cost);
    let divisor = match cost {
        PointBeliefCost::Known(cost) => cost.powf(exponent),
        PointBeliefCost::LogNormal { mean, variance } => {
            (exponent * mean + d_variance * variance).exp()
        }
    };
    // Kept away from zero and infinity: 0/0 and infinity/infinity have no value.
    let divisor = divisor.clamp(f64::MIN_POSITIVE, f64::MAX);
    let value = (improvement.value / divisor).clamp(0.0, f64::MAX);
    Score {
        value,
        d_mean: improvement.d_mean / divisor,
        d_sd: improvement.d_sd / divisor,
        d_log_cost: -exponent * value,
        d_log_cost_variance: -d_variance * value,
    }
}

/// `ln EI - a ln c` from the score of `ln EI`.
pub(super) fn log_expected(
    log_improvement: Score,
    exponent: f64,
    form: CostForm,
    cost: PointBeliefCost,
) -> Score {
    let d_variance = d_variance(exponent, form, cost);
    let log_divisor = match cost {
        PointBeliefCost::Known(cost) => exponent * cost.ln(),
        PointBeliefCost::LogNormal { mean, variance } => exponent * mean + d_variance * variance,
    };
    Score {
        value: log_improvement.value - log_divisor,
        d_log_cost: -exponent,
        d_log_cost_variance: -d_variance,
        ..log_improvement
    }
}

/// The exponent of cost cooling: the share of the budget that is left,
/// `max(0, (budget - spent) / budget)`. The cost counts in full at first and not at all at the end
/// (Lee et al. 2020, "Cost-aware Bayesian Optimization").
///
/// Compute it anew before every selection. The cost of the initial design is part of neither
/// number. A budget that is not positive is already spent.
///
/// ```
/// assert_eq!(gittins::internals::cooling_exponent(10.0, 4.0), 0.6);
/// ```
pub fn cooling_exponent(budget: f64, spent: f64) -> f64 {
    if budget > 0.0 { ((budget - spent) / budget).clamp(0.0, 1.0) } else { 0.0 }
}
