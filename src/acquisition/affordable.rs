//! The probability that an evaluation can be paid for.

use super::belief::PointBeliefCost;
use crate::math::normal;

/// `P(c <= money)` with its partial derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// The probability.
    pub value: f64,
    /// Derivative with respect to the mean of `ln c`.
    pub d_log_cost: f64,
    /// Derivative with respect to the variance of `ln c`.
    pub d_log_cost_variance: f64,
    /// Derivative with respect to the money.
    pub d_money: f64,
}

/// The probability that an evaluation costs no more than the money that is left. The probability is
/// `Phi((ln money - m)/s)` for `ln c ~ N(m, s^2)`. For a known cost it is 1 if `c <= money` and 0
/// otherwise. Without money it is 0. The expected improvement times this probability is the
/// improvement that can be paid for: the one-step value of Astudillo et al. 2021, "Multi-Step
/// Budgeted Bayesian Optimization with Unknown Evaluation Costs" (proposition 1).
///
/// ```
/// use gittins::acquisition::PointBeliefCost;
/// use gittins::internals::affordable;
/// assert_eq!(affordable(PointBeliefCost::LogNormal { mean: 0.0, variance: 0.25 }, 1.0).value, 0.5);
/// assert_eq!(affordable(PointBeliefCost::Known(2.0), 2.0).value, 1.0);
/// ```
pub fn affordable(cost: PointBeliefCost, money: f64) -> Chance {
    let certain =
        |value: f64| Chance { value, d_log_cost: 0.0, d_log_cost_variance: 0.0, d_money: 0.0 };
    let indicator = |affordable: bool| certain(if affordable { 1.0 } else { 0.0 });
    match cost {
        _ if money.is_nan() => certain(f64::NAN),
        _ if money <= 0.0 => certain(0.0),
        PointBeliefCost::Known(cost) => indicator(cost <= money),
        PointBeliefCost::LogNormal { mean, variance } if variance <= 0.0 => {
            indicator(mean <= money.ln())
        }
        PointBeliefCost::LogNormal { mean, variance } => {
            let sd = variance.sqrt();
            let zeta = (money.ln() - mean) / sd;
            let density = normal::pdf(zeta);
            Chance {
                value: normal::cdf(zeta),
                d_log_cost: -density / sd,
                d_log_cost_variance: -0.5 * zeta * density / variance,
                // Two quotients, because the product of the divisors may underflow.
                d_money: density / sd / money,
            }
        }
    }
}
