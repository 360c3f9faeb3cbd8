//! Stop when progress is small compared with what was gained so far.

use gittins::Result;
use gittins::internals::BestSoFar;
use gittins::internals::at_rank;
use gittins::internals::check_positive;
use gittins::internals::check_window;
use gittins::internals::decimal;
use gittins::internals::difference;
use gittins::stop::Statistic;
use gittins::{StopContext, StopRule};

/// Stops when the progress over the last trials is small compared with the spread of the best
/// outcomes so far. This is the global stopping strategy of Bakshy et al. (2018, "AE: A
/// domain-agnostic platform for adaptive experimentation"), as Xie et al. (2025, Cost-aware
/// Stopping for Bayesian Optimization, section 4) compare with it:
///
/// ```text
/// best_t - best_(t - w) <= f IQR(best_0 .. best_t)        t >= w
/// ```
///
/// `best_t` is the best outcome after `t` suggested trials, `best_0` that of the initial design,
/// and `IQR` the range between the quartiles (interpolated linearly between order statistics). The
/// defaults are `w = 5` and `f = 0.01`. The statistic is the progress in outcome units. The rule
/// ignores model and costs, and works on any domain.
///
/// The spread is that of the best outcomes so far; the platform takes the spread of all outcomes.
/// The spread is zero if the best outcome has not changed in three quarters of the run. The
/// platform would then never stop a run that found its best point at once. Another reading of the
/// formula would stop it at once. This rule stops it, but only after
/// [`flat_after`](Self::flat_after) suggested trials, by default 20.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GlobalWindowRule {
    window: usize,
    fraction: f64,
    flat_after: usize,
}

impl GlobalWindowRule {
    /// With a window of 5 trials, a fraction of 0.01, and at least 20 trials before a run without
    /// spread may stop.
    pub fn new() -> Self {
        Self { window: 5, fraction: 0.01, flat_after: 20 }
    }

    /// Sets the number of trials to look back over, at least 1.
    pub fn window(mut self, trials: usize) -> Self {
        self.window = trials;
        self
    }

    /// Sets the share of the spread; positive.
    pub fn fraction(mut self, fraction: f64) -> Self {
        self.fraction = fraction;
        self
    }

    /// Sets the number of suggested trials after which a history without spread may stop the run.
    pub fn flat_after(mut self, trials: usize) -> Self {
        self.flat_after = trials;
        self
    }
}

impl Default for GlobalWindowRule {
    fn default() -> Self {
        Self::new()
    }
}

impl StopRule for GlobalWindowRule {
    fn name(&self) -> &'static str {
        "global stopping strategy"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let best = BestSoFar::new(context);
        let spread = interquartile_range(best.known().collect());
        let progress = best.progress(self.window);
        let flat = spread == 0.0 && best.trials() < self.flat_after;
        let threshold = if flat { f64::NEG_INFINITY } else { self.fraction * spread };
        let mut words = best.words(context, self.window, progress);
        if progress.is_finite() {
            words += &format!("; the spread of the best outcomes is {}", decimal(spread, 3));
        }
        Ok(Statistic::at_most(progress, threshold).note(words))
    }

    fn validate(&self, _price: Option<f64>) -> Result<()> {
        check_window("the window of the global stopping strategy", self.window)?;
        check_positive("the fraction of the global stopping strategy", self.fraction)
    }
}

/// The distance between the quartiles of ascending values, interpolated linearly; 0 without values.
fn interquartile_range(ascending: Vec<f64>) -> f64 {
    let quantile =
        |share: f64| at_rank(&ascending, share * ascending.len().saturating_sub(1) as f64);
    quantile(0.75).zip(quantile(0.25)).map_or(0.0, |(high, low)| difference(high, low))
}

#[cfg(test)]
mod tests {
    use super::interquartile_range;

    #[test]
    fn quartiles_are_interpolated_linearly() {
        assert_eq!(interquartile_range(vec![]), 0.0);
        assert_eq!(interquartile_range(vec![3.0]), 0.0);
        // 1, 2, 4, 8: quartiles 1.75 and 5.
        assert_eq!(interquartile_range(vec![1.0, 2.0, 4.0, 8.0]), 3.25);
        assert_eq!(interquartile_range(vec![0.0, 1.0, 2.0, 3.0, 4.0]), 2.0);
    }
}
