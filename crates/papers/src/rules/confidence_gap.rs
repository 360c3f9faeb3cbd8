//! Stop when the largest upper confidence bound is close to the lower bound of the best evaluated
//! point.

use gittins::internals::check_positive;
use gittins::internals::decimal;
use gittins::internals::difference;
use gittins::internals::ucb_beta;
use gittins::stop::Statistic;
use gittins::{Acquisition, Pointwise};
use gittins::{Error, ErrorKind, Result};
use gittins::{StopContext, StopRule};

/// Stops when the largest upper confidence bound is little above the largest lower bound among the
/// evaluated points (Makarova et al. 2022, "Automatic Termination for Hyperparameter Optimization",
/// section 3; UCB-LCB in Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization, section
/// 4):
///
/// ```text
/// max over the domain [ mu + sqrt(beta_t) sigma ]  -  max over evaluated points [ mu - sqrt(beta_t) sigma ]  <=  theta
/// ```
///
/// `beta_t` is [`ucb_beta`] at the index `t` of the next suggestion (the first is 1) and
/// probability 0.1. The difference bounds the regret with the probability of the bounds. `theta` is
/// in the user's outcome units and scales with them.
///
/// The rule ignores costs. It works on spaces and on tables. On tables it is exact. On a space, if
/// the search misses an optimum of the bound, the run stops too early. If the fitted noise is not
/// small, the deviation at the best point alone keeps the statistic above `2 sqrt(beta_t)` times
/// that deviation, and a smaller `theta` never fires. Evaluated points are those of complete
/// trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceGapRule {
    gap: f64,
    probability: f64,
}

impl ConfidenceGapRule {
    /// With a gap `theta` in outcome units. The paper takes 0.01, for outcomes with a spread of
    /// about 1.
    pub fn new(gap: f64) -> Self {
        Self { gap, probability: PROBABILITY }
    }

    /// Sets the probability with which the bounds may fail, in `(0, 1]`. It enters the schedule of
    /// `beta_t`.
    pub fn probability(mut self, probability: f64) -> Self {
        self.probability = probability;
        self
    }
}

impl Default for ConfidenceGapRule {
    /// A gap of 0.01 outcome units.
    fn default() -> Self {
        Self::new(0.01)
    }
}

/// The share of the time left that the bounds at evaluated points may take.
const SEEN: f64 = 0.3;

/// The usual probability with which the bounds may fail.
pub(super) const PROBABILITY: f64 = 0.1;

impl StopRule for ConfidenceGapRule {
    fn name(&self) -> &'static str {
        "confidence gap"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        Ok(match gap(context, self.probability)? {
            Gap::Unknown => Statistic::unknown(self.gap),
            Gap::NothingLeft => Statistic::nothing_left(self.gap),
            Gap::Between { upper, lower, interrupted } => {
                let [above, below] = [upper, lower].map(|bound| context.outcome_tag(bound));
                let gap = difference(upper, lower);
                let words = format!(
                    "the best may reach {above}, of which the incumbent has {below}: a gap of {}",
                    decimal(gap, 3)
                );
                Statistic::at_most(gap, self.gap).note(words).unless_interrupted(interrupted)
            }
        })
    }

    fn validate(&self, _price: Option<f64>) -> Result<()> {
        check_positive("the gap theta of the confidence gap rule", self.gap)?;
        if self.probability > 0.0 && self.probability <= 1.0 {
            return Ok(());
        }
        let message = format!(
            "the probability of the confidence gap rule must lie above 0 and at most at 1, got {}",
            self.probability
        );
        Err(Error::new(ErrorKind::InvalidSetting, message))
    }
}

/// The distance of the bounds.
pub(super) enum Gap {
    /// No outcome is known.
    Unknown,
    /// Everything was evaluated.
    NothingLeft,
    /// The bounds in outcome units, larger being better. If the search was interrupted, `upper` may
    /// be too low.
    Between { upper: f64, lower: f64, interrupted: bool },
}

/// The largest upper bound anywhere and the largest lower bound among complete trials.
pub(super) fn gap(context: &StopContext<'_>, probability: f64) -> Result<Gap> {
    let (points, _) = context.modeled().complete();
    let beta = ucb_beta(points.dim(), context.counts().adaptive + 1, probability);
    let width = beta.sqrt();
    if context.due().is_set() {
        return gap_until(context, points.len(), beta);
    }
    let Some(surrogate) = context.surrogate() else { return Ok(Gap::Unknown) };
    let seen = surrogate.posterior().moments(&points)?;
    let scale = surrogate.scale();
    let Some(left) =
        context.maximize(&Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta }))?
    else {
        return Ok(Gap::NothingLeft);
    };
    let (mut upper, mut lower) = (left.value, f64::NEG_INFINITY);
    for (&mean, &variance) in seen.mean.iter().zip(&seen.variance) {
        let deviation = width * variance.sqrt();
        upper = upper.max(scale.undo(mean + deviation));
        lower = lower.max(scale.undo(mean - deviation));
    }
    Ok(Gap::Between { upper, lower, interrupted: left.interrupted })
}

/// The gap with a deadline. The points of the `complete` trials come first in the model. Only those
/// are looked at whose bound may be the largest.
fn gap_until(context: &StopContext<'_>, complete: usize, beta: f64) -> Result<Gap> {
    let Some(surrogate) = context.surrogate() else { return Ok(Gap::Unknown) };
    let (posterior, scale, width) = (surrogate.posterior(), surrogate.scale(), beta.sqrt());
    let part = context.due().part(SEEN);
    let [lower, above] = [-width, width].map(|z| posterior.largest_at_data(z, complete, part));
    let lower = lower?;
    let above = above?;
    let Some(left) =
        context.maximize(&Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta }))?
    else {
        return Ok(Gap::NothingLeft);
    };
    let upper = left.value.max(scale.undo(above.value));
    // A lower bound that is too low can only delay the stop.
    let interrupted = left.interrupted || scale.undo(above.rest) > upper;
    Ok(Gap::Between { upper, lower: scale.undo(lower.value), interrupted })
}
