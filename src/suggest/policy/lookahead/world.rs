//! Possible worlds, and small searches in them.

use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use crate::backend::{Job, JobCost};
use crate::data::Points;
use crate::error::{ErrorKind, Result};
use crate::maximize::Maximize;
use crate::posterior::Posterior;
use crate::suggest::step::{BEFORE, Step};

/// A possible world: the models conditioned on sampled evaluations.
pub(super) struct World {
    pub outcome: Posterior,
    /// The posterior of `ln c`, if the cost is learned.
    pub log_cost: Option<Posterior>,
    pub incumbent: f64,
}

impl World {
    /// The world of the present models.
    pub fn new(step: &Step<'_>) -> Self {
        let outcome = step.view.surrogate.posterior().clone();
        Self {
            outcome,
            log_cost: step.view.surrogate.log_cost().cloned(),
            incumbent: step.view.surrogate.incumbent(),
        }
    }

    /// A job of the present models, moved to this world.
    pub fn job<'a>(&'a self, job: &Job<'a>) -> Job<'a> {
        let cost = self.log_cost.as_ref().map_or(job.cost, JobCost::Learned);
        job.posterior(&self.outcome).cost(cost).incumbent(self.incumbent)
    }

    /// Makes an evaluation with sampled noisy outcome and cost, adds it to this world and returns
    /// the cost. A point whose pivot is lost is already known.
    pub fn evaluate(&mut self, now: &Job<'_>, point: &[f64], random: &mut Pcg64) -> Result<f64> {
        let outcome = sample(&mut self.outcome, point, random)?;
        self.incumbent = self.incumbent.max(outcome);
        match (&mut self.log_cost, now.cost) {
            (Some(log_cost), _) => Ok(sample(log_cost, point, random)?.exp()),
            (None, JobCost::Known(function)) => function.cost(point, None),
            (None, JobCost::Uniform(cost)) => Ok(cost),
            // A learned cost of this job is also learned in this world.
            (None, JobCost::Learned(_)) => Ok(f64::NAN),
        }
    }
}

/// Draws a noisy outcome at a point and adds it to the posterior.
fn sample(posterior: &mut Posterior, point: &[f64], random: &mut Pcg64) -> Result<f64> {
    let moments = posterior.moments(&Points::from_rows(point.len(), point.to_vec())?)?;
    let normal: f64 = StandardNormal.sample(random);
    let outcome =
        moments.mean[0] + (moments.variance[0] + posterior.hyperparameters().noise).sqrt() * normal;
    match posterior.append(point, outcome) {
        Err(error) if error.kind() != ErrorKind::NotPositiveDefinite => Err(error),
        _ => Ok(outcome),
    }
}

impl Step<'_> {
    /// A small search with its own random numbers.
    pub(super) fn small(&self, raw: usize, starts: usize, seed: u64) -> Maximize {
        let dim = self.view.setup.domain.dim();
        let deadline = self.deadline.at();
        Maximize {
            raw: raw * dim,
            starts: starts * dim,
            max_iterations: 100,
            plain: true,
            space: self.view.setup.search.space.clone(),
            seed,
            deadline,
            cancel: None,
        }
    }

    /// Whether the time before the search is enough for a number of evaluations in a possible
    /// world. Such a world begins with a copy of the model, and each evaluation makes another copy.
    pub(super) fn has_time_for_worlds(&self, evaluations: usize) -> bool {
        const SECONDS_OF_A_COPY: f64 = 3e-9;
        let models = if self.view.surrogate.log_cost().is_some() { 2 } else { 1 };
        let numbers = (self.view.surrogate.posterior().len() as f64).powi(2);
        let needed = SECONDS_OF_A_COPY * numbers * (models * (1 + evaluations)) as f64;
        self.deadline.left().is_none_or(|left| BEFORE * left > needed)
    }
}
