//! A tile of points that are scored one by one, in the order of `shaders/acquisition/score.wgsl`:
//! moments, cost, probability that a trial may be used, score, chain rule.

use super::super::{Job, JobCost};
use crate::acquisition::{Belief, PendingTrials, PointBeliefCost, Pointwise, Score, foreseen};
use crate::error::Result;
use crate::posterior::moments::{TileMoments, Workspace};
use crate::posterior::{FANTASIES, LogUsable, Path, PendingTile, Posterior, pathwise};

/// About the time of a score whose moments are known, in nanoseconds. An index is a root.
const SCORE: f64 = 200.0;

/// The source of the values of points.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// The belief at each point.
    Belief(&'a Pointwise),
    /// A path, with a gradient of its own.
    Path(&'a Path),
}

/// The outputs of one tile.
pub(super) struct Tile<'a> {
    pub value: &'a mut [f64],
    pub mean: &'a mut [f64],
    pub variance: &'a mut [f64],
    pub gradient: Option<&'a mut [f64]>,
}

/// Mean and variance of a process at the points of a tile, and their gradients.
#[derive(Default)]
struct Moments {
    of: [Vec<f64>; 2],
    gradients: [Vec<f64>; 2],
}

impl Moments {
    /// The moments of a process at `t` points.
    fn compute(
        &mut self,
        posterior: &Posterior,
        rows: &[f64],
        t: usize,
        with_gradient: bool,
        workspace: &mut Workspace,
    ) {
        self.of.iter_mut().for_each(|moments| moments.resize(t, 0.0));
        self.resize_gradients(if with_gradient { rows.len() } else { 0 });
        let [mean, variance] = &mut self.of;
        let [first, second] = &mut self.gradients;
        let gradients = with_gradient.then_some([&mut first[..], &mut second[..]]);
        posterior.tile(rows, workspace, TileMoments { mean, variance, gradients });
    }

    fn resize_gradients(&mut self, numbers: usize) {
        self.gradients.iter_mut().for_each(|gradient| gradient.resize(numbers, 0.0));
    }

    /// The derivatives of mean and variance by one coordinate of the tile.
    fn slopes(&self, at: usize) -> (f64, f64) {
        (self.gradients[0][at], self.gradients[1][at])
    }
}

/// The score of a point, and the numbers that its derivatives are multiplied by.
struct Scored {
    score: Score,
    cost: PointBeliefCost,
    d_variance: f64,
    /// The derivative by the logarithm of the probability that the trial may be used.
    d_log_usable: f64,
    shares: [f64; FANTASIES],
}

/// The memory of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    workspace: Workspace,
    pending: PendingTile,
    by_mean: Vec<f64>,
    sample: pathwise::Workspace,
    outcome: Moments,
    log_cost: Moments,
    usable: LogUsable,
    cost_gradient: Vec<f64>,
}

impl Scratch {
    /// Scores the points of a tile. Returns how many variances were raised to the floor.
    pub fn tile(
        &mut self,
        job: &Job<'_>,
        value: Value<'_>,
        rows: &[f64],
        mut out: Tile<'_>,
    ) -> Result<usize> {
        let pointwise = match value {
            Value::Belief(pointwise) => pointwise,
            Value::Path(path) => {
                path.tile(rows, &mut self.sample, out.value, out.gradient);
                let moments =
                    TileMoments { mean: out.mean, variance: out.variance, gradients: None };
                return Ok(job.posterior.tile(rows, &mut self.workspace, moments));
            }
        };
        let floored = self.moments(job, rows, &mut out);
        let d = job.posterior.dim();
        let with_gradient = out.gradient.is_some();
        for (j, row) in rows.chunks_exact(d).enumerate() {
            let cost = self.cost(job, row, j, with_gradient)?;
            let (mean, variance) = (out.mean[j], out.variance[j]);
            let scored = self.score(job, pointwise, cost, (mean, variance), j, with_gradient);
            out.value[j] = scored.score.value;
            if let Some(gradient) = &mut out.gradient {
                self.chain(job, &scored, variance, j, &mut gradient[j * d..(j + 1) * d]);
            }
        }
        if let (Some(_), Some(gradient)) = (job.pending_trials(), out.gradient) {
            job.posterior.add_pending_gradients(&mut self.pending, &self.by_mean, gradient);
        }
        Ok(floored)
    }

    /// The moments of the outcome and, if they count, of `ln c`, and the probability that a trial may
    /// be used. Returns how many variances of the outcome were raised to the floor.
    fn moments(&mut self, job: &Job<'_>, rows: &[f64], out: &mut Tile<'_>) -> usize {
        let (t, with_gradient) = (out.value.len(), out.gradient.is_some());
        let floored = if job.pending_trials().is_some() {
            self.by_mean.resize(t, 0.0);
            let moments = [&mut *out.mean, &mut *out.variance];
            job.posterior.pending_tile(rows, with_gradient, &mut self.pending, moments)
        } else {
            self.outcome.resize_gradients(if with_gradient { rows.len() } else { 0 });
            let [first, second] = &mut self.outcome.gradients;
            let moments = TileMoments {
                mean: out.mean,
                variance: out.variance,
                gradients: with_gradient.then_some([first, second]),
            };
            job.posterior.tile(rows, &mut self.workspace, moments)
        };
        if let Some(posterior) = learned(job) {
            self.log_cost.compute(posterior, rows, t, with_gradient, &mut self.workspace);
        }
        if let Some(usable) = job.use_counts() {
            usable.tile(rows, t, with_gradient, &mut self.workspace, &mut self.usable);
        }
        floored
    }

    /// The belief about the cost of point `j`.
    #[inline]
    fn cost(
        &mut self,
        job: &Job<'_>,
        row: &[f64],
        j: usize,
        with_gradient: bool,
    ) -> Result<PointBeliefCost> {
        Ok(match job.cost {
            _ if !job.acquisition.uses_cost() => PointBeliefCost::Known(1.0),
            JobCost::Uniform(cost) => PointBeliefCost::Known(cost),
            JobCost::Known(function) => {
                self.cost_gradient.resize(row.len(), 0.0);
                let gradient = with_gradient.then_some(&mut self.cost_gradient[..]);
                PointBeliefCost::Known(function.cost(row, gradient)?)
            }
            JobCost::Learned(_) => {
                let [mean, variance] = &self.log_cost.of;
                PointBeliefCost::LogNormal { mean: mean[j], variance: variance[j] }
            }
        })
    }

    /// The score of point `j`, whose outcome has this mean and variance.
    #[inline]
    fn score(
        &mut self,
        job: &Job<'_>,
        pointwise: &Pointwise,
        cost: PointBeliefCost,
        (mean, variance): (f64, f64),
        j: usize,
        with_gradient: bool,
    ) -> Scored {
        let (sd, d_sd_d_variance) = foreseen(variance, job.foreseen_noise());
        let belief = Belief { mean, sd, cost };
        let log_p = job.use_counts().map(|_| self.usable.value[j]);
        let mut shares = [0.0; FANTASIES];
        let (score, d_log_usable) = match (job.pending_trials(), log_p) {
            (None, None) => (pointwise.score(job.incumbent, &belief), 0.0),
            (None, Some(log_p)) => pointwise.score_if_usable(job.incumbent, &belief, log_p),
            (Some(pending), _) => {
                let pending_trials = PendingTrials {
                    shifts: &job.posterior.shifts(pending, &self.pending, j),
                    best: pending.each_best(),
                    missing: pending.missing(),
                };
                let others = (&pending_trials, with_gradient.then_some(&mut shares));
                pointwise.score_pending(job.incumbent, &belief, log_p, others)
            }
        };
        Scored { score, cost, d_variance: score.d_sd * d_sd_d_variance, d_log_usable, shares }
    }

    /// The gradient of point `j` by the chain rule. Beside pending trials the part of the outcome
    /// follows for all points of the tile together.
    #[inline]
    fn chain(
        &mut self,
        job: &Job<'_>,
        scored: &Scored,
        variance: f64,
        j: usize,
        gradient: &mut [f64],
    ) {
        let Scored { score, cost, d_variance, d_log_usable, shares } = scored;
        let Score { d_mean, d_log_cost, d_log_cost_variance, .. } = *score;
        let pending_trials = job.pending_trials();
        if let Some(pending) = pending_trials {
            self.by_mean[j] = d_mean;
            let by_shift = shares.map(|share| share * d_mean);
            let at = (j, variance);
            let by = (*d_variance, &by_shift);
            job.posterior.set_adjoint(pending, &mut self.pending, at, by);
        }
        let learned = learned(job).is_some();
        let may_fail = job.use_counts().is_some();
        let first = j * gradient.len();
        for (k, out) in gradient.iter_mut().enumerate() {
            *out = 0.0;
            if pending_trials.is_none() {
                let (mean, variance) = self.outcome.slopes(first + k);
                *out = d_mean * mean + d_variance * variance;
            }
            if learned {
                let (mean, variance) = self.log_cost.slopes(first + k);
                *out += d_log_cost * mean + d_log_cost_variance * variance;
            } else if let (JobCost::Known(_), PointBeliefCost::Known(cost)) = (job.cost, cost)
                && d_log_cost != 0.0
                && let Some(slope) = self.cost_gradient.get(k)
            {
                *out += d_log_cost * slope / cost;
            }
            if may_fail {
                *out += d_log_usable * self.usable.gradient[first + k];
            }
        }
    }
}

/// About the time that one thread takes to score this many points, in nanoseconds.
pub(super) fn nanoseconds(job: &Job<'_>, points: usize) -> f64 {
    let usable = job.use_counts().into_iter().flat_map(|usable| usable.latents());
    let posteriors = std::iter::once(job.posterior).chain(learned(job)).chain(usable);
    let of = |posterior: &Posterior| posterior.nanoseconds(points, job.gradient);
    points as f64 * SCORE + posteriors.map(of).sum::<f64>()
}

/// The posterior of `ln c`, if costs are learned and count.
fn learned<'a>(job: &Job<'a>) -> Option<&'a Posterior> {
    match job.cost {
        JobCost::Learned(posterior) if job.acquisition.uses_cost() => Some(posterior),
        _ => None,
    }
}
