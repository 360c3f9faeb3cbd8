//! The Gittins index of a Pandora's box with a normal content.
//!
//! The index `g` solves `E[max(f - g, 0)] = lambda E[c]` with `f ~ N(mu, sigma^2)`:
//!
//! ```text
//! sigma h((mu - g)/sigma) = lambda c        kappa = lambda c / sigma,  u = h^-1(kappa),  g = mu - sigma u
//! ```
//!
//! (Xie et al. 2024, section 3). `h` increases from 0 to infinity, so there is exactly one root.
//! The root depends only on `kappa`. For a learned cost, `c` is its mean `exp(m + v/2)`.
//!
//! By implicit differentiation, with `m = h/Phi` and `r = phi/Phi` at the root,
//!
//! ```text
//! dg/dmu = 1      dg/dsigma = r      dg/dln c = -sigma m
//! ```
//!
//! This equals the paper's `grad mu + (phi grad sigma - lambda grad c)/Phi`. But if the evaluation
//! is cheap (`u < -38`), the paper's form divides two numbers that underflow; this form does not.
//! For cheap evaluations `g` approaches `mu + sigma sqrt(2 ln(1/kappa))`. For expensive ones
//! `g = mu - lambda c`.

use super::belief::{PointBeliefCost, Score};
use crate::math::normal::{LINEAR_LOG_KAPPA, Ratios, inverse_log_h_with_ratios};

/// The index and its derivatives.
pub(super) fn index(lambda: f64, mean: f64, sd: f64, cost: PointBeliefCost) -> Score {
    let price = price(lambda, cost);
    let (value, d_sd, d_log_cost) = if sd == 0.0 {
        // A box of known content is worth the content minus the price.
        (mean - price, 0.0, -price)
    } else {
        let (log_kappa, kappa) = log_and_kappa(lambda, sd, cost);
        let (u, Ratios { m, r }) = inverse_log_h_with_ratios(log_kappa, kappa);
        // If the evaluation is expensive, sigma u is the price itself, even if the quotient
        // overflowed.
        if log_kappa > LINEAR_LOG_KAPPA {
            (mean - price, r, -price)
        } else {
            (mean - sd * u, r, -sd * m)
        }
    };
    let d_log_cost_variance = match cost {
        PointBeliefCost::Known(_) => 0.0,
        // ln E[c] = m + v/2.
        PointBeliefCost::LogNormal { .. } => 0.5 * d_log_cost,
    };
    Score { value, d_mean: 1.0, d_sd, d_log_cost, d_log_cost_variance }
}

/// `lambda E[c]`.
pub(super) fn price(lambda: f64, cost: PointBeliefCost) -> f64 {
    match cost {
        PointBeliefCost::Known(cost) => lambda * cost,
        PointBeliefCost::LogNormal { mean, variance } => lambda * (mean + 0.5 * variance).exp(),
    }
}

/// `ln kappa` and `kappa = price / sigma`. Computed from logarithms if the price or the quotient is
/// not a normal number. Elsewhere units that are powers of two do not change a bit of it.
pub(super) fn log_and_kappa(lambda: f64, sd: f64, cost: PointBeliefCost) -> (f64, f64) {
    let price = price(lambda, cost);
    let kappa = price / sd;
    if price.is_normal() && kappa.is_normal() {
        return (kappa.ln(), kappa);
    }
    let log_cost = match cost {
        PointBeliefCost::Known(cost) => cost.ln(),
        PointBeliefCost::LogNormal { mean, variance } => mean + 0.5 * variance,
    };
    let log_kappa = lambda.ln() + log_cost - sd.ln();
    (log_kappa, log_kappa.exp())
}
