//! Rules that only count: the number of trials, or the sum of costs.

use crate::error::{Error, ErrorKind, Result};
use crate::stop::{Statistic, StopContext, StopRule};

/// The name of verdicts on a number of trials.
pub(crate) const NUMBER_OF_TRIALS: &str = "number of trials";

/// Stops after a number of trials. Those of the initial design and failed ones count, imported ones
/// do not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialLimit(usize);

impl TrialLimit {
    /// Stops once `trials` trials that were asked for have been told, whatever their outcomes, also
    /// amid the initial design.
    pub fn new(trials: usize) -> Self {
        Self(trials)
    }
}

impl StopRule for TrialLimit {
    fn name(&self) -> &str {
        NUMBER_OF_TRIALS
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let told = context.counts().told;
        let left = self.0 as f64 - told as f64;
        let mut note = format!("{told} of {} trials were told", self.0);
        let imported = context.observations().len().saturating_sub(told);
        if imported > 0 {
            note += &format!("; {imported} imported ones do not count");
        }
        Ok(Statistic::at_most(left, 0.0).note(note))
    }

    fn most_trials(&self) -> Option<usize> {
        Some(self.0)
    }
}

/// Stops once the suggested trials have cost a given sum. The last trial may exceed it. The initial
/// design does not count. For the money that a whole study may spend there is
/// [`StudyBuilder::budget`](crate::study::StudyBuilder::budget).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpendingLimit(f64);

impl SpendingLimit {
    /// Stops once the suggested trials have cost at least `limit`, in the user's units of cost.
    pub fn new(limit: f64) -> Self {
        Self(limit)
    }
}

impl StopRule for SpendingLimit {
    fn name(&self) -> &'static str {
        "spending limit"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let spent = context.spent();
        let note = format!(
            "{} of {} were spent on suggested trials",
            context.price_tag(spent),
            context.price_tag(self.0)
        );
        Ok(Statistic::at_most(self.0 - spent, 0.0).note(note))
    }

    fn validate(&self, _price: Option<f64>) -> Result<()> {
        if self.0.is_finite() && self.0 >= 0.0 {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::InvalidSetting,
            format!("the spending limit must be finite and not negative, got {}", self.0),
        ))
    }
}
