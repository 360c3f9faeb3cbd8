//! Pending trials in time: what they have cost so far, and what is still to come.

use crate::data::trial::trial::{Trial, TrialState};
use crate::data::{Points, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::math::log_normal::LogNormal;
use crate::posterior::LEAST_MISSING;
use crate::study::trials::trials::Trials;
use crate::surrogate::{Awaited, PendingTrials, Surrogate, chance_dead};

/// The expected cost of a pending trial, in the user's units, by the model of `ln c` and with its
/// noise: `ln c` is normal with mean `m` and variance `v`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    cost: LogNormal,
    so_far: f64,
    overdue: f64,
}

impl Forecast {
    /// The expected cost `exp(m + v/2)`, whatever it has cost so far.
    pub fn expected(&self) -> f64 {
        self.cost.expectation()
    }

    /// The cost that is not exceeded with this probability: `exp(m + sqrt(v) z)` with the quantile
    /// `z` of the standard normal distribution. The median is that of 0.5. NaN for what is no
    /// probability.
    pub fn quantile(&self, probability: f64) -> f64 {
        self.cost.quantile(probability)
    }

    /// The cost so far.
    pub fn so_far(&self) -> f64 {
        self.so_far
    }

    /// The expected cost still to come, given that it has cost `a` so far and its worker lives:
    ///
    /// ```text
    /// E[c - a | c > a] = exp(m + v/2) Phi(u + s) / Phi(u) - a      u = (m - ln a)/s, s^2 = v
    /// ```
    ///
    /// It is computed without cancellation for any `a`. A cost that has come this far is larger than
    /// it seemed: beyond the median or so the rest grows again.
    pub fn rest(&self) -> f64 {
        self.cost.rest_after(self.so_far)
    }

    /// The probability that the worker is dead, given that the trial is still running. Of all
    /// workers 1/64 die, and one that lives is still running with probability `P(c > a)`:
    /// `p / (p + (1 - p) P(c > a))` with `p = 1/64`.
    pub fn dead(&self) -> f64 {
        chance_dead(&self.cost, self.so_far)
    }

    /// Whether it has cost more than the set number of times the expected cost
    /// ([`StudyBuilder::overdue`](crate::study::StudyBuilder::overdue)), so that its outcome is no
    /// longer waited for.
    pub fn is_overdue(&self) -> bool {
        self.so_far > self.overdue * self.expected()
    }
}

impl Trials {
    /// Notes what a pending trial has cost so far.
    ///
    /// # Errors
    /// Those of [`Study::note_running`](crate::Study::note_running).
    pub fn note_running(&mut self, id: TrialId, cost_so_far: f64) -> Result<()> {
        let state = self.trial_log.trial(id)?.state;
        if state != TrialState::Pending {
            let message = format!("{id}: it is {state}, and not pending");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        if !cost_so_far.is_finite() || cost_so_far < 0.0 {
            let kind = if cost_so_far.is_finite() {
                ErrorKind::NonPositiveCost
            } else {
                ErrorKind::NonFinite
            };
            let message =
                format!("{id}: the cost so far must be finite and at least 0, got {cost_so_far}");
            return Err(Error::new(kind, message));
        }
        self.running.insert(id, cost_so_far);
        Ok(())
    }

    /// The forecasts of pending trials by the present model; empty without a model of costs.
    pub fn forecasts(
        &self,
        surrogate: Option<&Surrogate>,
        ids: &[TrialId],
    ) -> Result<Vec<Forecast>> {
        let Some(surrogate) = surrogate else { return Ok(Vec::new()) };
        let mut points = Points::new(self.trial_log.observations.dim());
        for id in ids {
            points.push(&self.trial_log.trials[id.index()].unit);
        }
        let costs = surrogate.costs_of_trials(&points)?.unwrap_or_default();
        let forecast = |(cost, id): (LogNormal, &TrialId)| Forecast {
            cost,
            so_far: self.running.get(id).copied().unwrap_or(0.0),
            overdue: self.overdue,
        };
        Ok(costs.into_iter().zip(ids).map(forecast).collect())
    }

    /// The pending trials for which `holds` is true.
    ///
    /// # Errors
    /// Those of the model.
    pub fn pending_trials(
        &self,
        surrogate: Option<&Surrogate>,
        holds: impl Fn(&Trial) -> bool,
    ) -> Result<PendingTrials> {
        let dim = self.trial_log.observations.dim();
        let mut pending_trials = PendingTrials {
            points: Points::new(dim),
            awaited: Awaited::new(dim),
            unpaid: Points::new(dim),
        };
        let is_open = |trial: &Trial| trial.state == TrialState::Pending && trial.cost.is_none();
        let noted = self.running.keys().copied();
        let noted: Vec<TrialId> =
            noted.filter(|id| is_open(&self.trial_log.trials[id.index()])).collect();
        let forecasts =
            if noted.is_empty() { Vec::new() } else { self.forecasts(surrogate, &noted)? };
        let pending = |trial: &&Trial| trial.state == TrialState::Pending && holds(trial);
        for trial in self.trial_log.trials.iter().filter(pending) {
            pending_trials.points.push(&trial.unit);
            if trial.cost.is_none() {
                pending_trials.unpaid.push(&trial.unit);
            }
            let forecast = noted.binary_search(&trial.id).ok().and_then(|at| forecasts.get(at));
            match forecast {
                Some(forecast) if forecast.is_overdue() => {}
                Some(forecast) => pending_trials.awaited.push(&trial.unit, forecast.dead()),
                None => pending_trials.awaited.push(&trial.unit, LEAST_MISSING),
            }
        }
        Ok(pending_trials)
    }
}
