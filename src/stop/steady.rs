//! Wrappers that steady a noisy rule: a trailing mean, a minimum of trials, several firings in a
//! row.

use crate::error::{Error, ErrorKind, Result};
use crate::math::decimal::decimal;
use crate::math::saturating::mean;
use crate::stop::rule::first_of;
use crate::stop::{Statistic, StopContext, StopRule};

/// Extension methods that steady any rule.
///
/// ```
/// use gittins::{GittinsRule};
/// use gittins::stop::Steadying;
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

    /// Compares the mean of the last `window` values with the threshold, once there are that many.
    fn smoothed(self, window: usize) -> Steady<Self> {
        Steady::new(self).smoothed(window)
    }
}

impl<R: StopRule + Sized> Steadying for R {}

/// A steadied rule. In any order of calls, the mean comes first, then the minimum of trials, then
/// the firings in a row (Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization: moving
/// average, stabilization period, debounce).
#[derive(Debug, Clone)]
pub struct Steady<R> {
    rule: R,
    after: usize,
    debounce: usize,
    window: usize,
    checks: Vec<Checked>,
}

/// The effect of one check. It is undone if the rule is checked again with no more observations.
#[derive(Debug, Clone, Copy)]
struct Checked {
    /// The number of observations.
    told: usize,
    /// The value, if it was known and enters means.
    value: Option<f64>,
    /// How often in a row the rule had fired.
    in_a_row: usize,
}

impl<R: StopRule> Steady<R> {
    fn new(rule: R) -> Self {
        Self { rule, after: 0, debounce: 1, window: 1, checks: Vec::new() }
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

    /// Compares the mean of the last `window` values with the threshold, once there are that many.
    pub fn smoothed(mut self, window: usize) -> Self {
        self.window = window;
        self
    }

    /// The last known values, at most as many as the window holds. Infinity, NaN and the value of
    /// an interrupted search are not known and enter no mean.
    fn recent(&self) -> Vec<f64> {
        let mut recent: Vec<f64> =
            self.checks.iter().rev().filter_map(|check| check.value).take(self.window).collect();
        recent.reverse();
        recent
    }

    /// Forgets the checks with this many observations or more. The rule is checked again after a
    /// change of the acquisition, a correction or a withdrawal.
    fn forget(&mut self, told: usize) {
        self.checks.truncate(self.checks.partition_point(|check| check.told < told));
    }
}

fn is_known(statistic: &Statistic) -> bool {
    let is_apart = statistic.interrupted || statistic.is_apart;
    !statistic.value.is_nan() && statistic.value != f64::INFINITY && !is_apart
}

impl<R: StopRule> StopRule for Steady<R> {
    fn name(&self) -> &str {
        self.rule.name()
    }

    /// The number of the rule's numbers, these, and three numbers of each check.
    fn state(&self) -> Vec<f64> {
        let checks = self.checks.iter().flat_map(|check| {
            [check.told as f64, check.value.unwrap_or(f64::NAN), check.in_a_row as f64]
        });
        let own = self.rule.state();
        [own.len() as f64].into_iter().chain(own).chain(checks).collect()
    }

    fn restore(&mut self, state: &[f64]) {
        let (own, checks) = first_of(state);
        self.rule.restore(own);
        let (checks, _) = checks.as_chunks();
        let check = |&[told, value, in_a_row]: &[f64; 3]| Checked {
            told: told as usize,
            value: Some(value).filter(|value| !value.is_nan()),
            in_a_row: in_a_row as usize,
        };
        self.checks = checks.iter().map(check).collect();
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let mut statistic = self.rule.check(context)?;
        let told = context.observations().len();
        self.forget(told);
        let before = self.checks.last().map_or(0, |check| check.in_a_row);
        let value = Some(statistic.value).filter(|_| self.window > 1 && is_known(&statistic));
        self.checks.push(Checked { told, value, in_a_row: 0 });
        if self.window > 1 && !statistic.is_apart {
            let recent = self.recent();
            if value.is_some() && recent.len() == self.window {
                let mean = mean(&recent);
                statistic.fired = mean <= statistic.threshold;
                statistic.value = mean;
                statistic.note +=
                    &format!("; mean of the last {}: {}", self.window, decimal(mean, 4));
            } else {
                statistic.fired = false;
                statistic.note +=
                    &format!("; {} of {} values for a mean", recent.len(), self.window);
            }
        }
        let trials = context.counts().adaptive;
        if trials < self.after {
            statistic.fired = false;
            statistic.note += &format!("; {trials} of at least {} trials", self.after);
        }
        let in_a_row = if statistic.fired { before + 1 } else { 0 };
        self.checks.last_mut().into_iter().for_each(|check| check.in_a_row = in_a_row);
        if statistic.fired && in_a_row < self.debounce {
            statistic.fired = false;
            statistic.note += &format!("; fired {in_a_row} of {} times in a row", self.debounce);
        }
        Ok(statistic)
    }

    fn validate(&self, price: Option<f64>) -> Result<()> {
        for (name, count) in [
            ("the window of the mean", self.window),
            ("the number of firings in a row", self.debounce),
        ] {
            if count == 0 {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("{name} must be at least 1, got 0"),
                ));
            }
        }
        self.rule.validate(price)
    }
}
