//! What a stopping rule is.

use super::context::StopContext;
use super::verdict::Statistic;
use crate::error::Result;

/// A rule that decides when a run ends. Implement it for a rule of your own:
///
/// ```
/// use gittins::{Result, StopContext, StopRule};
/// use gittins::stop::Statistic;
///
/// struct GoodEnough(f64);
///
/// impl StopRule for GoodEnough {
///     fn name(&self) -> &str {
///         "good enough"
///     }
///     fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
///         let missing = self.0 - context.incumbent();
///         Ok(Statistic::at_most(missing, 0.0).note(format!("{missing} short of the goal")))
///     }
/// }
/// ```
pub trait StopRule: Send {
    /// The name of the rule in a report.
    fn name(&self) -> &str;

    /// Computes the statistic of the rule. It is called once after each change of what is known, so
    /// a rule may keep a history. If trials are corrected or withdrawn, there may be no more
    /// observations than at the check before:
    /// [`Observations::corrections`](crate::Observations::corrections) tells.
    ///
    /// # Errors
    /// Anything that prevents the statistic. The run then goes on, and nothing that was told is
    /// lost.
    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic>;

    /// The most trials that the rule allows a run, whatever they bring; none if it is no such limit.
    /// It holds amid the initial design too, where a rule is not checked otherwise.
    fn most_trials(&self) -> Option<usize> {
        None
    }

    /// The state of the rule from check to check, as numbers, for a study that is continued by
    /// another process. Empty unless it keeps something. It should grow at its end from check to
    /// check: only what is new is then written.
    fn state(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Goes on from a [state](Self::state). Numbers that are no state of this rule are ignored.
    fn restore(&mut self, state: &[f64]) {
        let _ = state;
    }

    /// Checks at the start whether the rule can work with a policy of this price (none if the
    /// policy has no price).
    ///
    /// # Errors
    /// `InvalidSetting`, saying what is missing.
    fn validate(&self, price: Option<f64>) -> Result<()> {
        let _ = price;
        Ok(())
    }
}

/// The first of several states, each of which stands behind its length, and the rest; empty if there
/// is none.
pub(super) fn first_of(states: &[f64]) -> (&[f64], &[f64]) {
    let split = states.split_first();
    split.and_then(|(count, rest)| rest.split_at_checked(*count as usize)).unwrap_or_default()
}

impl<R: StopRule + ?Sized> StopRule for Box<R> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        (**self).check(context)
    }

    fn most_trials(&self) -> Option<usize> {
        (**self).most_trials()
    }

    fn state(&self) -> Vec<f64> {
        (**self).state()
    }

    fn restore(&mut self, state: &[f64]) {
        (**self).restore(state);
    }

    fn validate(&self, price: Option<f64>) -> Result<()> {
        (**self).validate(price)
    }
}
