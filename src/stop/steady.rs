//! Wrappers that steady a noisy rule: a trailing mean, a minimum of trials, several firings in a row.

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind, Result};
use crate::math::decimal::decimal;
use crate::stop::{Statistic, StopContext, StopRule};

/// Extension methods that steady any rule.
///
/// ```
/// use gittins::stop::{GittinsRule, Steadying};
/// let rule = GittinsRule::new().after(20).debounced(3).smoothed(20);
/// ```
pub trait Steadying: StopRule + Sized {
    /// Ignores firings before `trials` suggested trials were told.
    fn after(self, trials: usize) -> Steady<Self> {
        Steady::new(self).after(trials)
    }

    /// Fires only after `count` firings in a row.
    fn debounced(self, count: usize) -> Steady<Self> {
        Steady::new(self).debounced(count)
    }

    /// Compares the mean of the last `window` values with the threshold, from the time that there are so many.
    fn smoothed(self, window: usize) -> Steady<Self> {
        Steady::new(self).smoothed(window)
    }
}

impl<R: StopRule + Sized> Steadying for R {}

/// A rule that was steadied. In whatever order it was built, the mean comes first, then the minimum of trials, then the firings in a
/// row (Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization: moving average, stabilization period, debounce).
#[derive(Debug, Clone)]
pub struct Steady<R> {
    rule: R,
    after: usize,
    debounce: usize,
    window: usize,
    recent: VecDeque<f64>,
    in_a_row: usize,
    last: Option<Last>,
}

/// What the last check did, to be undone where the rule is asked again without news.
#[derive(Debug, Clone, Copy)]
struct Last {
    told: usize,
    averaged: bool,
    in_a_row_before: usize,
}

impl<R: StopRule> Steady<R> {
    fn new(rule: R) -> Self {
        Self { rule, after: 0, debounce: 1, window: 1, recent: VecDeque::new(), in_a_row: 0, last: None }
    }

    /// Ignores firings before `trials` suggested trials were told.
    pub fn after(mut self, trials: usize) -> Self {
        self.after = trials;
        self
    }

    /// Fires only after `count` firings in a row.
    pub fn debounced(mut self, count: usize) -> Self {
        self.debounce = count;
        self
    }

    /// Compares the mean of the last `window` values with the threshold, from the time that there are so many.
    pub fn smoothed(mut self, window: usize) -> Self {
        self.window = window;
        self
    }

    /// The trailing mean, once the window is full. A value that was not known, infinity or no number, is not part of a mean and has none.
    fn mean(&mut self, value: f64) -> Option<f64> {
        if !is_known(value) {
            return None;
        }
        self.recent.push_back(value);
        while self.recent.len() > self.window {
            self.recent.pop_front();
        }
        (self.recent.len() == self.window).then(|| self.recent.iter().sum::<f64>() / self.window as f64)
    }

    /// Forgets the last check if nothing was told since: a change of the acquisition asks again.
    fn forget(&mut self, told: usize) {
        if let Some(last) = self.last.filter(|last| last.told == told) {
            self.in_a_row = last.in_a_row_before;
            if last.averaged {
                self.recent.pop_back();
            }
        }
    }
}

fn is_known(value: f64) -> bool {
    !value.is_nan() && value != f64::INFINITY
}

impl<R: StopRule> StopRule for Steady<R> {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let mut statistic = self.rule.check(context)?;
        let told = context.observations().len();
        self.forget(told);
        self.last = Some(Last { told, averaged: self.window > 1 && is_known(statistic.value), in_a_row_before: self.in_a_row });
        if self.window > 1 {
            match self.mean(statistic.value) {
                Some(mean) => {
                    statistic.fired = mean <= statistic.threshold;
                    statistic.value = mean;
                    statistic.note += &format!("; mean of the last {}: {}", self.window, decimal(mean, 4));
                }
                None => {
                    statistic.fired = false;
                    statistic.note += &format!("; {} of {} values for a mean", self.recent.len(), self.window);
                }
            }
        }
        let trials = context.counts().adaptive;
        if trials < self.after {
            statistic.fired = false;
            statistic.note += &format!("; {trials} of at least {} trials", self.after);
        }
        self.in_a_row = if statistic.fired { self.in_a_row + 1 } else { 0 };
        if statistic.fired && self.in_a_row < self.debounce {
            statistic.fired = false;
            statistic.note += &format!("; fired {} of {} times in a row", self.in_a_row, self.debounce);
        }
        Ok(statistic)
    }

    fn validate(&self, price: Option<f64>) -> Result<()> {
        for (name, count) in [("the window of the mean", self.window), ("the number of firings in a row", self.debounce)] {
            if count == 0 {
                return Err(Error::new(ErrorKind::InvalidSetting, format!("{name} must be at least 1, got 0")));
            }
        }
        self.rule.validate(price)
    }
}
