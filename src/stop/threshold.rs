//! Stop when an acquisition function promises no more than a fixed threshold.

use crate::acquisition::{Acquisition, Pointwise};
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::math::decimal::decimal;
use crate::math::saturating::saturated;
use crate::stop::settings::check_probability;
use crate::stop::{Statistic, StopContext, StopRule};
use crate::suggest::check_fantasies;

/// Stops when the maximum of an acquisition function over what is left is at most a threshold (for
/// expected improvement Nguyen et al. 2017, "Regret for Expected Improvement over the Best-Observed
/// Value and Stopping Condition"; for the probability of improvement Lorenz et al. 2015, "Stopping
/// criteria for boosting automatic experimental design"; for the knowledge gradient Frazier &
/// Powell 2008, "The Knowledge-Gradient Stopping Rule for Ranking and Selection").
///
/// Any acquisition may choose the trials. The rule maximizes its own acquisition; on a table the
/// maximum is exact. The statistic is in the user's outcome units, and larger is better. A
/// threshold on an improvement therefore scales with the outcome, and one on a probability does
/// not. The rule has no price. If evaluations have costs, the
/// [`GittinsRule`](crate::stop::GittinsRule) is the same test with the price of each evaluation in
/// place of the threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdRule {
    threshold: f64,
    kind: Kind,
}

/// The statistic that the threshold is compared with.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// The expected improvement, from its logarithm.
    Improvement,
    /// The probability of improvement, from its logarithm.
    Probability,
    /// The knowledge gradient on this many fantasies.
    KnowledgeGradient(usize),
    /// The acquisition itself.
    Of(Acquisition),
}

impl ThresholdRule {
    /// Stops when the expected improvement is at most `threshold` in outcome units. The search
    /// takes its logarithm, which has slopes where the improvement underflows.
    pub fn expected_improvement(threshold: f64) -> Self {
        Self { threshold, kind: Kind::Improvement }
    }

    /// Stops when the probability of improvement is at most `threshold`.
    pub fn probability_of_improvement(threshold: f64) -> Self {
        Self { threshold, kind: Kind::Probability }
    }

    /// Stops when the knowledge gradient on this many fantasies is at most `threshold` in outcome
    /// units. 64 fantasies are usual, see
    /// [`Policy::knowledge_gradient`](crate::Policy::knowledge_gradient).
    pub fn knowledge_gradient(fantasies: usize, threshold: f64) -> Self {
        Self { threshold, kind: Kind::KnowledgeGradient(fantasies) }
    }

    /// Stops when the maximum of any acquisition is at most `threshold`. An index or a bound is
    /// turned so that larger is better.
    pub fn of(acquisition: Acquisition, threshold: f64) -> Self {
        Self { threshold, kind: Kind::Of(acquisition) }
    }
}

impl StopRule for ThresholdRule {
    fn name(&self) -> &str {
        match &self.kind {
            Kind::Improvement => "expected improvement",
            Kind::Probability => "probability of improvement",
            Kind::KnowledgeGradient(_) => "knowledge gradient",
            Kind::Of(acquisition) => acquisition.name(),
        }
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        if context.surrogate().is_none() {
            return Ok(Statistic::unknown(self.threshold));
        }
        let best = match &self.kind {
            Kind::Improvement => {
                context.maximize(&Acquisition::Pointwise(Pointwise::LogExpectedImprovement))?
            }
            Kind::Probability => {
                context.maximize(&Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement))?
            }
            Kind::KnowledgeGradient(fantasies) => context.knowledge_gradient(*fantasies)?,
            Kind::Of(acquisition) => context.maximize(acquisition)?,
        };
        let Some(best) = best else { return Ok(Statistic::nothing_left(self.threshold)) };
        let logarithm = matches!(self.kind, Kind::Improvement | Kind::Probability);
        let value = if logarithm { saturated(best.value.exp()) } else { best.value };
        let words = format!(
            "the best {} is {}, {} to stop",
            self.name(),
            decimal(value, 3),
            decimal(self.threshold, 3)
        );
        Ok(Statistic::at_most(value, self.threshold)
            .note(words)
            .unless_interrupted(best.interrupted))
    }

    fn validate(&self, _price: Option<f64>) -> Result<()> {
        match &self.kind {
            Kind::Improvement => {
                check_positive("the threshold on the expected improvement", self.threshold)
            }
            Kind::Probability => {
                check_probability("the threshold on the probability of improvement", self.threshold)
            }
            Kind::KnowledgeGradient(fantasies) => {
                check_fantasies(*fantasies)?;
                check_positive("the threshold on the knowledge gradient", self.threshold)
            }
            Kind::Of(acquisition) => {
                acquisition.validate()?;
                if self.threshold.is_finite() {
                    return Ok(());
                }
                let message = format!(
                    "the threshold on the {} must be finite, got {}",
                    acquisition.name(),
                    self.threshold
                );
                Err(Error::new(ErrorKind::InvalidSetting, message))
            }
        }
    }
}
