//! Improvements and indices while other trials are pending.
//!
//! In fantasy `k` of the pending outcomes a point has mean `m_k` and standard deviation `s`, the
//! same in all fantasies, and `b_k` is the best pending value. With probability `e` the pending
//! trials bring nothing. What a trial adds to an incumbent outcome `g` is
//!
//! ```text
//! E(g) = (1/M) sum_k [ (1 - e) s h((m_k - max(g, b_k))/s) + e s h((m_k - g)/s) ]
//! ```
//!
//! The expected improvement is `E(best)`, and the probability of improvement has `Phi` in place of
//! `s h`. The Gittins index solves `E(g) = lambda c`.
//!
//! **Why `max(g, b_k)`.** A pending trial is a box that is paid for and will be opened. Its value
//! comes for free, so whoever holds `g` and opens another box compares with `max(g, b)`. Without
//! the pending value in the comparison nothing would change at all: the mean over `k` of
//! `s h((m_k - g)/s)` is `sigma h((m - g)/sigma)`, the improvement without fantasies, because a
//! mean of conditional expectations is the expectation. With it, a point that would win only where
//! a pending trial wins as well is worth little.
//!
//! **Why `e > 0`.** `E(g)` is constant in `g` where every `b_k` exceeds it. With the second term it
//! falls strictly from infinity to 0, so every point has an index, and the indices of poor points
//! are ordered too.
//!
//! `E(best) > lambda c` if and only if the index exceeds `best`, as without pending trials.
//!
//! In units of `s` and from `m`, with `mu_k = (m_k - m)/s`, `beta_k = (b_k - m)/s` and
//! `gamma = (g - m)/s`, all follows from
//!
//! ```text
//! F(gamma) = (1/M) sum_k [ (1 - e) h(mu_k - max(gamma, beta_k)) + e h(mu_k - gamma) ]
//! A_k = dF/dmu_k      D = -dF/dgamma      S = F's counterpart with phi in place of h
//! ```
//!
//! By implicit differentiation `dg/dm_k = A_k/D`, `dg/ds = S/D` and `dg/dln c = -s F/D`. A kink has
//! the derivatives of the side on which the pending value does not count.

use crate::acquisition::belief::{Belief, PointBeliefCost, Score};
use crate::acquisition::pointwise::Pointwise;
use crate::acquisition::{gittins, per_cost, sums};
use crate::math::normal::{LINEAR_LOG_KAPPA, inverse_log_h, log_cdf, ratios};
use crate::posterior::{Each, FANTASIES};

use sums::{PendingTrials, Slope, Sums, Terms};

/// The largest number of steps to a root. Bisection of the widest interval takes half of them.
const STEPS: usize = 128;

/// A step as small as this, in standard deviations, ends the search: its cube is half an epsilon.
const CUBED: f64 = 5e-6;

/// Above this logarithm of the price in units of `s`, the index is so far below all other numbers
/// that `E(g)` is linear.
const FAR: f64 = 600.0;

impl Pointwise {
    /// [`score_if_usable`](Self::score_if_usable) while trials are pending. `d_mean` is the
    /// derivative by a shift of all fantasies; `shares` become the shares of the fantasies in it.
    /// Acquisitions that measure no improvement ignore the pending trials, and their shares are
    /// zero. Without `shares` the derivatives are not wanted, and those of an index are zero.
    pub(crate) fn score_pending(
        &self,
        incumbent: f64,
        belief: &Belief,
        log_usable: Option<f64>,
        (pending_trials, mut shares): (&PendingTrials<'_>, Option<&mut Each>),
    ) -> (Score, f64) {
        let mut score = |belief: &Belief| {
            self.score_among(incumbent, belief, pending_trials, shares.as_deref_mut())
        };
        match log_usable {
            None => (score(belief), 0.0),
            Some(log_usable) => self.with_usable(belief, log_usable, score),
        }
    }

    fn score_among(
        &self,
        incumbent: f64,
        belief: &Belief,
        pending_trials: &PendingTrials<'_>,
        shares: Option<&mut Each>,
    ) -> Score {
        let Belief { mean, sd, .. } = *belief;
        let only_value = shares.is_none();
        let mut unwanted = [0.0; FANTASIES];
        let shares = shares.unwrap_or(&mut unwanted);
        *shares = [0.0; FANTASIES];
        if !self.facts().foresees_noise || sd <= 0.0 || !self.is_meaningful(incumbent, belief) {
            return self.score(incumbent, belief);
        }
        let sums = Sums::new(pending_trials, mean, sd);
        let at = (incumbent - mean) / sd;
        let improvement = |shares: &mut Each| {
            let terms = sums.at(at);
            *shares = terms.shares();
            let value = terms.log_value.exp() * sd;
            Score::without_cost(
                value,
                part(value, terms.mean / sd),
                part(value, terms.density / sd),
            )
        };
        let log_improvement = |shares: &mut Each| {
            let terms = sums.at(at);
            *shares = terms.shares();
            let value = terms.log_value + sd.ln();
            Score::without_cost(value, terms.mean / sd, terms.density / sd)
        };
        match *self {
            Self::ExpectedImprovement => improvement(shares),
            Self::LogExpectedImprovement => log_improvement(shares),
            Self::ProbabilityOfImprovement => {
                let score = log_probability(&sums, at, sd, shares);
                let value = score.value.exp();
                Score::without_cost(value, part(value, score.d_mean), part(value, score.d_sd))
            }
            Self::LogProbabilityOfImprovement => log_probability(&sums, at, sd, shares),
            Self::ExpectedImprovementPerCost { exponent, form } => {
                per_cost::expected(improvement(shares).saturated(), exponent, form, belief.cost)
            }
            Self::LogExpectedImprovementPerCost { exponent, form } => {
                per_cost::log_expected(log_improvement(shares), exponent, form, belief.cost)
            }
            Self::Gittins { lambda } if only_value => {
                Score::without_cost(index(lambda, belief, &sums).value, 0.0, 0.0)
            }
            Self::Gittins { lambda } => {
                index(lambda, belief, &sums).with_derivatives(belief, &sums, shares)
            }
            Self::UpperConfidenceBound { .. }
            | Self::EstimatedMaximum { .. }
            | Self::MaxValueEntropy { .. } => self.score(incumbent, belief),
        }
        .saturated()
    }
}

/// The derivative of a value from that of its logarithm; 0 for a value that underflowed.
fn part(value: f64, of_logarithm: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value * of_logarithm }
}

/// The logarithm of the probability of improvement, with derivatives `phi/s` and `-u phi/s` over
/// the probability.
fn log_probability(sums: &Sums, at: f64, sd: f64, shares: &mut Each) -> Score {
    let mut parts = [[(0.0, 0.0, 0.0); 2]; FANTASIES];
    let mut top = f64::NEG_INFINITY;
    for (k, parts) in parts.iter_mut().enumerate() {
        for (part, (log_weight, u)) in parts.iter_mut().zip(sums.arguments(k, at)) {
            let log = log_weight + log_cdf(u);
            *part = (log, ratios(u).r, u);
            top = top.max(log);
        }
    }
    let (mut total, mut mean, mut deviation) = (0.0, 0.0, 0.0);
    for (share, parts) in shares.iter_mut().zip(&parts) {
        for (log, ratio, u) in parts {
            let weight = (log - top).exp();
            total += weight;
            *share += weight * ratio;
            deviation -= weight * ratio * u;
        }
        mean += *share;
    }
    if mean > 0.0 {
        for share in shares.iter_mut() {
            *share /= mean;
        }
    }
    Score::without_cost(top + total.ln(), mean / total / sd, deviation / total / sd)
}

/// A Gittins index.
struct Index {
    value: f64,
    /// The same in units of `s` from `m`.
    gamma: f64,
    /// Whether the price is [far](FAR) above all else.
    is_far: bool,
}

fn index(lambda: f64, belief: &Belief, sums: &Sums) -> Index {
    let Belief { mean, sd, cost } = *belief;
    let (log_kappa, _) = gittins::log_and_kappa(lambda, sd, cost);
    if log_kappa > FAR {
        // All pending values exceed the index, and the price is paid from the rest.
        let value = mean - gittins::price(lambda, cost) / sums.missing();
        return Index { value, gamma: -1e150, is_far: true };
    }
    let gamma = root(sums, log_kappa);
    Index { value: mean + sd * gamma, gamma, is_far: false }
}

impl Index {
    fn with_derivatives(&self, belief: &Belief, sums: &Sums, shares: &mut Each) -> Score {
        let Belief { mean, sd, cost } = *belief;
        let terms = sums.at(self.gamma);
        *shares = terms.shares();
        let d_log_cost = if self.is_far { self.value - mean } else { -sd / terms.fall };
        let d_log_cost_variance = match cost {
            PointBeliefCost::Known(_) => 0.0,
            // ln E[c] = m + v/2.
            PointBeliefCost::LogNormal { .. } => 0.5 * d_log_cost,
        };
        Score {
            value: self.value,
            d_mean: terms.mean / terms.fall,
            d_sd: terms.density / terms.fall,
            d_log_cost,
            d_log_cost_variance,
        }
    }
}

/// The root of `ln F(gamma) = log_kappa`: Halley steps on the logarithm, and bisection where a step
/// leaves the bracket.
///
/// `e h(mean - gamma) <= F(gamma) <= h(largest - gamma)` with the mean and the largest of `mu_k`,
/// because `h` is convex and increasing. Both bounds have roots that are inverses of `h`.
fn root(sums: &Sums, log_kappa: f64) -> f64 {
    let inverse = |log_kappa: f64| {
        let kappa = log_kappa.exp();
        if log_kappa > LINEAR_LOG_KAPPA { kappa } else { inverse_log_h(log_kappa, kappa) }
    };
    let (middle, spread, largest) = sums.shape();
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    // The root without pending values, with the deviation of all fantasies together.
    let mut gamma = middle - spread * inverse(log_kappa - spread.ln());
    for _ in 0..STEPS {
        let Slope { log_value, fall, bend } = sums.value_at(gamma, log_kappa);
        let excess = log_value - log_kappa;
        if excess >= 0.0 {
            low = low.max(gamma);
        } else {
            high = high.min(gamma);
        }
        // The second derivative of the logarithm, in units of the squared first one. Far from the
        // root the logarithm is no parabola.
        let curvature = (0.5 * excess * (bend / (fall * fall) - 1.0)).clamp(-1.0, 0.5);
        let step = excess / fall / (1.0 - curvature);
        let mut next = gamma + step;
        if !(low <= next && next <= high) {
            // Few roots need both bounds.
            low = low.max(middle - inverse(log_kappa - sums.missing().ln()));
            high = high.min(largest - inverse(log_kappa));
            next = 0.5 * (low + high);
        }
        let moved = (next - gamma).abs();
        let size = next.abs().max(1.0);
        // The error after a step is of the order of its cube, unless it crossed a kink.
        let done = moved <= 4.0 * f64::EPSILON * size
            || (moved <= CUBED && next == gamma + step && !sums.kinks_between(gamma, next));
        gamma = next;
        if done {
            break;
        }
    }
    gamma
}

impl Terms {
    /// The shares of the fantasies in the derivative by the mean.
    fn shares(&self) -> Each {
        let total: f64 = self.by_mean.iter().sum();
        if total > 0.0 { self.by_mean.map(|own| own / total) } else { [0.0; FANTASIES] }
    }
}

#[cfg(test)]
mod tests;
