//! Stop when nothing better was found for a while.

use crate::error::Result;
use crate::stop::settings::check_window;
use crate::stop::window::BestSoFar;
use crate::stop::{Statistic, StopContext, StopRule};

/// Stops when the best outcome has not changed over the last trials ("convergence" in Xie et al.
/// 2025, Cost-aware Stopping for Bayesian Optimization, section 4):
///
/// ```text
/// best_t - best_(t - w) <= 0        with  best_t  the best outcome after t suggested trials,  t >= w
/// ```
///
/// The statistic is the progress over the window in outcome units. Its threshold is 0, and the
/// comparison is exact. The rule ignores model and costs, works on any domain, and needs no
/// setting. It is better than no rule. Failed trials and trials that break a limit count as trials
/// without progress, and nothing stalls before a trial holds all limits. The
/// experiments of the paper wait for `w = 5` trials on data sets, for 4 in one dimension ("the last
/// five best values are equal") and for 20 in eight dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StallRule {
    window: usize,
}

impl StallRule {
    /// With a window of 5 trials.
    pub fn new() -> Self {
        Self { window: 5 }
    }

    /// Sets the number of trials, at least 1.
    pub fn window(mut self, trials: usize) -> Self {
        self.window = trials;
        self
    }
}

impl Default for StallRule {
    fn default() -> Self {
        Self::new()
    }
}

impl StopRule for StallRule {
    fn name(&self) -> &'static str {
        "no new best"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let best = BestSoFar::new(context);
        let progress = best.progress(self.window);
        Ok(Statistic::at_most(progress, 0.0).note(best.words(context, self.window, progress)))
    }

    fn validate(&self, _price: Option<f64>) -> Result<()> {
        check_window("the window of the rule on no new best", self.window)
    }
}
