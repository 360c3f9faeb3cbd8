//! Stop when an acquisition function promises no more than a fixed threshold.

use crate::acquisition::Acquisition;
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::math::decimal::decimal;
use crate::stop::settings::check_probability;
use crate::stop::{Statistic, StopContext, StopRule};
use crate::suggest::knowledge_gradient::{self, check_fantasies};
use crate::suggest::streams::{Stream, seed};

/// Stops when the maximum of an acquisition function over what is left is at most a threshold (for expected improvement Nguyen et al. 2017,
/// "Regret for Expected Improvement over the Best-Observed Value and Stopping Condition"; for the probability of improvement Lorenz et al.
/// 2015, "Stopping criteria for boosting automatic experimental design"; for the knowledge gradient Frazier & Powell 2008, "The Knowledge-Gradient
/// Stopping Rule for Ranking and Selection").
///
/// Any acquisition chooses the trials, and the rule maximizes its own: over a table exactly. What it finds is in the user's outcome units, larger
/// still being better, so that a threshold on an improvement scales with the outcome and one on a probability does not. It has no price: where
/// evaluations cost, the [`GittinsRule`](crate::stop::GittinsRule) is the same test with the price of each in place of the threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdRule {
    promise: Promise,
    threshold: f64,
}

/// What the threshold is compared with.
#[derive(Debug, Clone, PartialEq)]
enum Promise {
    /// The exponential of the logarithm that is searched.
    Improvement,
    /// The same.
    Probability,
    /// On so many fantasies, made anew for each check.
    KnowledgeGradient(usize),
    /// The acquisition itself.
    Of(Acquisition),
}

impl ThresholdRule {
    /// Expected improvement at most `threshold` in outcome units. The logarithm is what is searched, since it has slopes where the
    /// improvement underflows.
    pub fn expected_improvement(threshold: f64) -> Self {
        Self { promise: Promise::Improvement, threshold }
    }

    /// Probability of improvement at most `threshold`.
    pub fn probability_of_improvement(threshold: f64) -> Self {
        Self { promise: Promise::Probability, threshold }
    }

    /// The knowledge gradient at most `threshold` in outcome units, searched over a space on so many fantasies (64 are usual, and at least 2 are needed)
    /// as [`Policy::knowledge_gradient`](crate::Policy::knowledge_gradient) does.
    pub fn knowledge_gradient(threshold: f64, fantasies: usize) -> Self {
        Self { promise: Promise::KnowledgeGradient(fantasies), threshold }
    }

    /// The maximum of any acquisition at most `threshold`, an index or a bound turned so that larger is better.
    pub fn of(acquisition: Acquisition, threshold: f64) -> Self {
        Self { promise: Promise::Of(acquisition), threshold }
    }
}

impl StopRule for ThresholdRule {
    fn name(&self) -> &str {
        match &self.promise {
            Promise::Improvement => "expected improvement",
            Promise::Probability => "probability of improvement",
            Promise::KnowledgeGradient(_) => "knowledge gradient",
            Promise::Of(acquisition) => acquisition.name(),
        }
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let Some(surrogate) = context.surrogate() else { return Ok(Statistic::unknown(self.threshold)) };
        let acquisition = match &self.promise {
            Promise::Improvement => Acquisition::LogExpectedImprovement,
            Promise::Probability => Acquisition::LogProbabilityOfImprovement,
            Promise::KnowledgeGradient(fantasies) => {
                let (setup, observations) = (context.setup(), context.observations());
                let seed = seed(setup.seed, Stream::Verdict, observations.len());
                knowledge_gradient::acquisition(setup, surrogate, observations, *fantasies, seed)?
            }
            Promise::Of(acquisition) => acquisition.clone(),
        };
        if acquisition.uses_cost() && !surrogate.knows_cost() {
            return Ok(Statistic::no_cost_yet(self.threshold));
        }
        let Some(best) = context.maximize(&acquisition)? else { return Ok(Statistic::nothing_left(self.threshold)) };
        let value = match self.promise {
            Promise::Improvement | Promise::Probability => best.value.exp(),
            Promise::KnowledgeGradient(_) | Promise::Of(_) => best.value,
        };
        let words = format!("the best {} is {}, {} to stop", self.name(), decimal(value, 3), decimal(self.threshold, 3));
        Ok(Statistic::at_most(value, self.threshold).note(words))
    }

    fn validate(&self, _price: Option<f64>) -> Result<()> {
        match &self.promise {
            Promise::Improvement => check_positive("the threshold on the expected improvement", self.threshold),
            Promise::Probability => check_probability("the threshold on the probability of improvement", self.threshold),
            Promise::KnowledgeGradient(fantasies) => {
                check_positive("the threshold on the knowledge gradient", self.threshold)?;
                check_fantasies(*fantasies)
            }
            Promise::Of(acquisition) => {
                acquisition.validate()?;
                if self.threshold.is_finite() {
                    return Ok(());
                }
                let message = format!("the threshold on the {} must be finite, got {}", acquisition.name(), self.threshold);
                Err(Error::new(ErrorKind::InvalidSetting, message))
            }
        }
    }
}
