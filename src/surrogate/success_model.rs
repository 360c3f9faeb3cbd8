//! What failed trials teach: the probability that a trial succeeds, and when it is fitted anew.
//!
//! The model has labels instead of outcomes, and a fit to it costs some ten times as much as one to
//! outcomes. Up to [`OFTEN`] trials each one leads to a fit. Beyond that, a fit waits until the
//! trials have grown by [`GROWTH`]. Fits see at most [`SEEN`] trials, drawn evenly. Each fit starts
//! from the priors, so the result depends on the trials alone: nothing of it is kept in a record,
//! and a corrected trial leaves no trace.
//!
//! At most [`CONDITIONED`] trials enter the posterior: the latest half of that number, and the rest
//! drawn evenly from those before. A choice by time does not look at the labels, so it does not
//! shift the probability.

use std::sync::Arc;

use crate::data::Points;
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::model::{GaussianProcess, Hyperparameters, success};
use crate::posterior::{Posterior, Success};

/// Up to this number of trials, each one leads to a fit.
const OFTEN: usize = 50;

/// The growth of the number of trials from fit to fit.
const GROWTH: f64 = 1.1;

/// The largest number of trials in a fit.
const SEEN: usize = 200;

/// The largest number of trials in the posterior.
const CONDITIONED: usize = 300;

/// The share of the remaining time for a fit.
const SHARE: f64 = 0.2;

/// Trials that ended, in the order in which they were told: where, and whether they succeeded.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ends {
    pub inputs: Points,
    pub succeeded: Vec<bool>,
}

impl Ends {
    pub fn new(dim: usize) -> Self {
        Self { inputs: Points::new(dim), succeeded: Vec::new() }
    }

    pub fn push(&mut self, input: &[f64], succeeded: bool) {
        self.inputs.push(input);
        self.succeeded.push(succeeded);
    }

    fn select(&self, rows: impl Iterator<Item = usize> + Clone) -> Self {
        Self {
            inputs: self.inputs.select(rows.clone()),
            succeeded: rows.map(|row| self.succeeded[row]).collect(),
        }
    }

    fn differ(&self) -> bool {
        self.succeeded.contains(&true) && self.succeeded.contains(&false)
    }

    /// At most this many, drawn evenly.
    fn evenly(&self, count: usize) -> Self {
        let n = self.succeeded.len();
        let count = count.min(n);
        self.select((0..count).map(|i| i * n / count))
    }

    /// The first trials, as many as a fit at this number of trials sees.
    fn for_fit(&self) -> Self {
        let n = self.succeeded.len();
        let mut due = OFTEN.min(n) as f64;
        while n > OFTEN && due * GROWTH <= n as f64 {
            due *= GROWTH;
        }
        let first = self.select(0..due as usize).evenly(SEEN);
        if first.differ() { first } else { self.evenly(SEEN) }
    }

    /// The latest trials, and some of those before if there are many.
    fn for_posterior(&self) -> Self {
        let n = self.succeeded.len();
        let late = CONDITIONED / 2;
        if n <= CONDITIONED {
            return self.clone();
        }
        let early = CONDITIONED - late;
        let before = n - late;
        self.select((0..early).map(move |i| i * before / early).chain(before..n))
    }
}

/// The probability of success after some trials.
#[derive(Debug, Clone)]
pub(super) struct Reliability {
    success: Arc<Success>,
    found: Hyperparameters,
    /// The trials that the fit saw; none if it was cut short.
    on: Option<Ends>,
}

impl Reliability {
    /// The probability after these trials; `None` while all succeeded, or all failed.
    pub fn next(
        model: &GaussianProcess,
        ends: &Ends,
        before: Option<&Self>,
        deadline: Deadline,
    ) -> Option<Self> {
        if !ends.differ() {
            return None;
        }
        Self::learn(model, ends, before, deadline)
            .inspect_err(|error| log::warn!("the probability of success is not modeled: {error}"))
            .ok()
    }

    fn learn(
        model: &GaussianProcess,
        ends: &Ends,
        before: Option<&Self>,
        deadline: Deadline,
    ) -> Result<Self> {
        let seen = ends.for_fit();
        let kept = before.filter(|before| before.on.as_ref() == Some(&seen));
        let (found, on) = match kept {
            Some(before) => (before.found.clone(), Some(seen)),
            None => {
                let end = deadline.part(SHARE);
                let found = success::fit(model, &seen.inputs, &seen.succeeded, end)?;
                (found, Some(seen).filter(|_| !end.is_past()))
            }
        };
        let Ends { inputs, succeeded } = ends.for_posterior();
        // The share of successes is that of all trials.
        let mean = success::latent_mean(&ends.succeeded, found.outputscale);
        let now = Hyperparameters { mean, ..found.clone() };
        let success = Success::new(model.family(), &now, &inputs, &succeeded)?;
        Ok(Self { success: Arc::new(success), found, on })
    }

    /// The worth of another trial at the points of failed trials to the model of the outcome:
    /// `p m + (1 - p) q`, with the posterior mean `m`, the lower quartile `q` of the outcomes, and the
    /// probability `p` as the other trials tell it. A failure that the others do not confirm is
    /// taken for an accident, and says nothing about the outcome.
    ///
    /// # Errors
    /// Those of [`Posterior::moments`].
    pub fn outcomes_of_failures(&self, failed: &Points, outcome: &Posterior) -> Result<Vec<f64>> {
        let mut outcomes = outcome.outcomes().to_vec();
        outcomes.sort_by(f64::total_cmp);
        let poor = outcomes[outcomes.len() / 4];
        let means = outcome.moments(failed)?.mean;
        let chances = self.success.left_out(failed)?;
        Ok(means.iter().zip(chances).map(|(mean, p)| p * mean + (1.0 - p) * poor).collect())
    }

    /// The model.
    pub fn success(&self) -> &Arc<Success> {
        &self.success
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sobol::Sobol;

    fn ends(count: usize) -> Ends {
        let mut ends = Ends::new(2);
        for x in Sobol::new(2, 5).points(0, count).rows() {
            ends.push(x, x[0] < 0.7);
        }
        ends
    }

    #[test]
    fn what_is_learned_depends_on_the_trials_alone() {
        let model = GaussianProcess::new();
        let mut before: Option<Reliability> = None;
        let mut refits = 0;
        for count in (1..=40).chain([54, 55, 56, 60, 61, 320]) {
            let all = ends(count);
            let next = Reliability::next(&model, &all, before.as_ref(), Deadline::NEVER);
            let anew = Reliability::next(&model, &all, None, Deadline::NEVER);
            let of = |found: &Option<Reliability>| {
                found.as_ref().map(|found| found.success.latent().weights().to_vec())
            };
            assert_eq!(of(&next), of(&anew), "{count}");
            assert_eq!(next.is_some(), all.differ());
            let fit = |found: &Option<Reliability>| found.as_ref().map(|found| found.on.clone());
            refits += usize::from(fit(&next) != fit(&before));
            before = next;
        }
        let first = (1..).find(|&count| ends(count).differ()).unwrap();
        // Each of 40, the grid 50, 55 and 60.5, and 320.
        assert_eq!(refits, 40 - first + 1 + 4);
    }

    #[test]
    fn fits_and_posteriors_see_a_bounded_number_of_trials() {
        for count in [300, 301, 1000] {
            let all = ends(count);
            assert_eq!(all.for_fit().succeeded.len(), SEEN);
            let seen = all.for_posterior();
            assert_eq!(seen.succeeded.len(), CONDITIONED);
            assert_eq!(seen.inputs.row(CONDITIONED - 1), all.inputs.row(count - 1));
            assert_eq!(seen.inputs.row(0), all.inputs.row(0));
            let late = all.inputs.select(count - 150..count);
            assert_eq!(seen.inputs.select(150..300), late);
        }
    }
}
