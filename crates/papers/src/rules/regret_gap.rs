//! Stop when an observation hardly changes the expected minimum of the regret.

use super::confidence_gap::{Gap, PROBABILITY, gap};
use super::divergence::divergence;
use super::history::History;
use gittins::Points;
use gittins::Result;
use gittins::internals::check_positive;
use gittins::internals::check_window;
use gittins::internals::decimal;
use gittins::internals::normal::h;
use gittins::internals::{difference, saturated, sum};
use gittins::stop::Statistic;
use gittins::suggest::Surrogate;
use gittins::{StopContext, StopRule};

/// Stops when a bound on the change of the expected minimum simple regret has fallen to a small
/// share of its early median (Ishibashi, Karasuyama, Takeuchi, Hino 2023, "A stopping criterion for
/// Bayesian optimization by the gap of expected minimum simple regrets", theorem 2 and section 4.3;
/// SRGap-med in Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization, section 4):
///
/// ```text
/// Delta_t = | m_t(b_t) - m_(t-1)(b_(t-1)) |  +  v h(g)  +  kappa_(t-1) sqrt(KL_t / 2)          Delta_t <= chi median(Delta_1 .. Delta_I),  t > I
///
/// v^2 = Var_t[ f(b_t) - f(b_(t-1)) ]      g = (m_t(b_t) - m_t(b_(t-1))) / v      h(g) = phi(g) + g Phi(g)
/// ```
///
/// `m_t` is the posterior mean after the `t`-th check, `b_t` the evaluated point at which it is
/// largest, `kappa` the statistic of the [`ConfidenceGapRule`](crate::rules::ConfidenceGapRule), and
/// `KL_t` the divergence of the new belief from the old one at the points told since (see
/// [`Change`]). The defaults are `chi = 0.01` and `I = 20`.
///
/// `b_t` is always the point of the best posterior mean. If outcomes have no noise, this is the
/// best observed point, because the mean reproduces the outcomes. The statistic is in outcome
/// units, and both sides scale alike, so no unit matters. Costs do not matter either. The rule
/// works on spaces and on tables with any acquisition. It keeps the previous model, and takes one
/// maximization of the upper confidence bound. A fit to exact outcomes has a small noise, and each
/// observation then tells much (`KL >= ln(V/noise)/2 - 1/2`). The rule therefore hardly stops
/// before the confidence gap closes. It has no verdict at the first check, and at the first check
/// after a trial was corrected or withdrawn.
#[derive(Debug, Clone)]
pub struct RegretGapRule {
    share: f64,
    first: usize,
    history: History,
    before: Option<Before>,
}

/// The numbers that a check keeps for the next one.
#[derive(Debug, Clone)]
struct Before {
    told: usize,
    corrections: usize,
    surrogate: Surrogate,
    incumbent: Vec<f64>,
    /// The mean there, in outcome units.
    mean: f64,
    /// The gap between the confidence bounds.
    gap: f64,
    /// Whether there was no time to look at all that the gap depends on.
    interrupted: bool,
    statistic: Statistic,
}

/// The effect of an observation: the terms of the statistic, in outcome units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// `m_t(b_t)`, the new mean at the new incumbent.
    pub new: f64,
    /// `m_t(b_(t-1))`, the new mean at the old one.
    pub old: f64,
    /// `m_(t-1)(b_(t-1))`, the old mean at the old one.
    pub before: f64,
    /// `v^2`, the variance of the difference between the two in the new model. Rounding may make it
    /// negative.
    pub variance: f64,
    /// `kappa_(t-1)`, the gap between the confidence bounds before.
    pub gap: f64,
    /// `KL_t`. For an unchanged kernel and one observation with residual `r` at a point of variance
    /// `V` it is `(ln(1 + V/noise) - V/(V + noise) + V r^2/(V + noise)^2) / 2`. For refitted
    /// hyper-parameters it is the divergence between the normal beliefs of both models at the
    /// points told since; for a single point
    /// `(ln(V_old/V_new) + V_new/V_old - 1 + (m_new - m_old)^2/V_old) / 2`.
    pub divergence: f64,
}

impl Change {
    /// `v h((new - old)/v)`, the expected gain of the new incumbent over the old one. If they are
    /// one point to all digits, it is the limit `max(new - old, 0)`.
    pub fn gain(&self) -> f64 {
        let sd = self.variance.max(0.0).sqrt();
        let difference = difference(self.new, self.old);
        if sd > 0.0 && (difference / sd).is_finite() {
            saturated(sd * h(difference / sd))
        } else {
            difference.max(0.0)
        }
    }

    /// The statistic `Delta_t`, at most the largest number.
    pub fn statistic(&self) -> f64 {
        let change = sum(difference(self.new, self.before).abs(), self.gain());
        sum(change, saturated(self.gap * (0.5 * self.divergence.max(0.0)).sqrt()))
    }
}

impl RegretGapRule {
    /// With `chi = 0.01` and the median of the first 20 values.
    pub fn new() -> Self {
        Self { share: 0.01, first: 20, history: History::default(), before: None }
    }

    /// Sets the share `chi` of the early median; positive.
    pub fn share(mut self, chi: f64) -> Self {
        self.share = chi;
        self
    }

    /// Sets the number of first values for the median, at least 1.
    pub fn first(mut self, values: usize) -> Self {
        self.first = values;
        self
    }

    fn judge(&self, value: f64) -> Statistic {
        match self.history.early_median(self.first) {
            None => {
                Statistic::at_most(value, f64::NEG_INFINITY).note(self.history.note(self.first))
            }
            Some(median) => {
                let threshold = self.share * median;
                let words = format!(
                    "the change of the expected regret is {}, {} to stop",
                    decimal(value, 3),
                    decimal(threshold, 3)
                );
                Statistic::at_most(value, threshold).note(words)
            }
        }
    }
}

impl Default for RegretGapRule {
    fn default() -> Self {
        Self::new()
    }
}

impl StopRule for RegretGapRule {
    fn name(&self) -> &'static str {
        "regret gap"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let (told, corrections) =
            (context.observations().len(), context.observations().corrections());
        // A belief from other data is nothing to compare with.
        if self.before.take_if(|before| before.corrections != corrections).is_some() {
            self.history.forget(told);
        }
        if let Some(before) = self.before.as_ref().filter(|before| before.told == told) {
            return Ok(before.statistic.clone());
        }
        let Some(surrogate) = context.surrogate() else {
            return Ok(Statistic::unknown(f64::NEG_INFINITY));
        };
        let (gap, interrupted) = match gap(context, PROBABILITY)? {
            Gap::Unknown => return Ok(Statistic::unknown(f64::NEG_INFINITY)),
            Gap::NothingLeft => return Ok(Statistic::nothing_left(f64::NEG_INFINITY)),
            Gap::Between { upper, lower, interrupted } => (difference(upper, lower), interrupted),
        };
        let (incumbent, mean) = best_by_mean(context, surrogate)?;
        let statistic = match &self.before {
            None => Statistic::at_most(f64::INFINITY, f64::NEG_INFINITY)
                .note("nothing to compare the first model with"),
            Some(before) => {
                let (change, unit) = before.change(context, surrogate, &incumbent)?;
                let value = saturated(change.statistic() * unit);
                // The value depends on the gap from before. If that may be too low, the value does
                // not enter the median.
                if !before.interrupted {
                    self.history.keep(told, value);
                }
                self.judge(value).unless_interrupted(before.interrupted)
            }
        };
        self.before = Some(Before {
            told,
            corrections,
            surrogate: surrogate.clone(),
            incumbent,
            mean,
            gap,
            interrupted,
            statistic: statistic.clone(),
        });
        Ok(statistic)
    }

    fn state(&self) -> Vec<f64> {
        self.history.state()
    }

    fn restore(&mut self, state: &[f64]) {
        self.history.restore(state);
    }

    fn validate(&self, _price: Option<f64>) -> Result<()> {
        check_positive("the share chi of the early median", self.share)?;
        check_window("the number of values of the early median", self.first)
    }
}

impl Before {
    /// The change, and the unit of the outcome in which it is given. The unit is 1 unless the
    /// square of a deviation would overflow or underflow.
    fn change(
        &self,
        context: &StopContext<'_>,
        surrogate: &Surrogate,
        incumbent: &[f64],
    ) -> Result<(Change, f64)> {
        let mut pair = Points::new(incumbent.len());
        pair.push(incumbent);
        pair.push(&self.incumbent);
        let joint = surrogate.posterior().joint(&pair)?;
        let scale = surrogate.scale();
        // Both trials are among the best, where the warp changes nothing.
        let sd = scale.scaling().sd;
        let variance = if incumbent == self.incumbent {
            0.0
        } else {
            joint.covariance[(0, 0)] - 2.0 * joint.covariance[(0, 1)] + joint.covariance[(1, 1)]
        };
        let told: Vec<_> = context.observations().iter().skip(self.told).collect();
        let squared = variance * sd * sd;
        let unit = if squared.is_normal() || variance == 0.0 { 1.0 } else { sd };
        let change = Change {
            new: scale.undo(joint.mean[0]) / unit,
            old: scale.undo(joint.mean[1]) / unit,
            before: self.mean / unit,
            variance: if unit == 1.0 { squared } else { variance },
            gap: self.gap / unit,
            divergence: divergence(&self.surrogate, surrogate, &told)?,
        };
        Ok((change, unit))
    }
}

/// The point of a complete trial with the largest posterior mean (the first if several are equal),
/// and the mean there in outcome units.
fn best_by_mean(context: &StopContext<'_>, surrogate: &Surrogate) -> Result<(Vec<f64>, f64)> {
    let (points, _) = context.modeled().complete();
    if context.due().is_set() {
        let largest = surrogate.posterior().largest_at_data(0.0, points.len(), context.due())?;
        let row = largest.rows.first().copied().unwrap_or(0);
        return Ok((points.row(row).to_vec(), surrogate.scale().undo(largest.value)));
    }
    let means = surrogate.posterior().moments(&points)?.mean;
    let best = (0..means.len())
        .reduce(|best, i| if means[i] > means[best] { i } else { best })
        .unwrap_or(0);
    Ok((points.row(best).to_vec(), surrogate.scale().undo(means[best])))
}
