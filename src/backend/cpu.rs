//! The CPU backend: double precision, in blocks, on all threads of the rayon pool.

mod knowledge_gradient;
mod lookahead;
mod success;

pub(super) use success::weigh;

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::trees::Plan;
use super::{Backend, Job, JobCost, Provenance, Scores};
use crate::acquisition::{
    Acquisition, Belief, Joint, PointBeliefCost, Pointwise, Score, UnderWay, foreseen,
};
use crate::data::Points;
use crate::error::Result;
use crate::posterior::moments::{TileMoments, VARIANCE_FLOOR, Workspace, tile_width};
use crate::posterior::{FANTASIES, Path, PendingTile, Posterior, log_success, pathwise};

/// Evaluates in double precision on the threads of the current rayon pool.
///
/// Points are cut into tiles. A thread takes a tile from kernel values to scores. Its triangular
/// solves, products and exponentials use the widest available vectors. Results do not depend on the
/// number of threads.
///
/// Scratch memory does not grow with the batch. It is `8 (2 n t + 2 n + (5 d + 4) t)` bytes per
/// thread, with `t <= 64` points in a tile. A learned cost adds `16 (d + 1) t`, and so does the
/// probability of success. A sample path adds
/// `8 (n + features) t`, and twice as much with gradients.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cpu;

impl Backend for Cpu {
    /// If the job keeps only the best points, first computes the values of all points, then the
    /// gradients of the best.
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        job.validate()?;
        job.check(points)?;
        let Some(keep) = job.keep else { return whole(job, points, scores) };
        whole(&job.gradient(false), points, scores)?;
        scores.keep_best(keep);
        if job.gradient {
            let mut steep = Scores::default();
            whole(job, &points.select(scores.rows.iter().copied()), &mut steep)?;
            scores.gradient = steep.gradient;
        }
        Ok(())
    }
}

/// Scores all points, and ignores how many the job keeps.
fn whole(job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
    let (b, d) = (points.len(), points.dim());
    scores.resize(b, if job.gradient { d } else { 0 });
    scores.provenance =
        Provenance { backend: "cpu", adapter: None, precision: "f64", fallback: None };
    let of = match job.acquisition {
        Acquisition::Pointwise(pointwise) => Value::Belief(pointwise),
        Acquisition::Joint(joint) => match joint {
            Joint::ThompsonSample { path } => Value::Path(path),
            Joint::KnowledgeGradient { normals, current } => {
                knowledge_gradient::one_shot(job, (normals, *current), points, scores);
                return weigh(job, points, scores);
            }
            Joint::FiniteKnowledgeGradient { among } => {
                knowledge_gradient::finite(job, among, points, scores);
                return weigh(job, points, scores);
            }
            Joint::MultiStepImprovement { .. } => {
                let plan = Plan::of(job, VARIANCE_FLOOR)?;
                lookahead::trees(&plan, points, scores)?;
                return weigh(job, points, scores);
            }
        },
    };
    let width = tile_width(b);
    let moments = scores.mean.par_chunks_mut(width).zip(scores.variance.par_chunks_mut(width));
    let tiles =
        points.values().par_chunks(width * d).zip(scores.value.par_chunks_mut(width).zip(moments));
    let tile = |scratch: &mut Scratch,
                ((rows, (value, (mean, variance))), gradient): (
        (&[f64], _),
        Option<&mut [f64]>,
    )| { scratch.tile(job, of, rows, Tile { value, mean, variance, gradient }) };
    // `try_reduce` would return the error that comes first in time. The error that comes first in
    // order is the same for any number of threads.
    let floored: Vec<Result<usize>> = if job.gradient {
        let tiles = tiles.zip(scores.gradient.par_chunks_mut(width * d));
        tiles
            .map_init(Scratch::default, |scratch, (batch, gradient)| {
                tile(scratch, (batch, Some(gradient)))
            })
            .collect()
    } else {
        tiles.map_init(Scratch::default, |scratch, batch| tile(scratch, (batch, None))).collect()
    };
    scores.floored = floored.into_iter().sum::<Result<usize>>()?;
    Ok(())
}

/// What the value of a point is computed from.
#[derive(Clone, Copy)]
enum Value<'a> {
    /// The belief at the point.
    Belief(&'a Pointwise),
    /// A path, with a gradient of its own.
    Path(&'a Path),
}

/// The outputs of one tile.
struct Tile<'a> {
    value: &'a mut [f64],
    mean: &'a mut [f64],
    variance: &'a mut [f64],
    gradient: Option<&'a mut [f64]>,
}

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    workspace: Workspace,
    pending: PendingTile,
    by_mean: Vec<f64>,
    sample: pathwise::Workspace,
    outcome_gradients: [Vec<f64>; 2],
    log_cost: [Vec<f64>; 2],
    log_cost_gradients: [Vec<f64>; 2],
    latent: [Vec<f64>; 2],
    latent_gradients: [Vec<f64>; 2],
    cost_gradient: Vec<f64>,
}

impl Scratch {
    fn tile(
        &mut self,
        job: &Job<'_>,
        value: Value<'_>,
        rows: &[f64],
        out: Tile<'_>,
    ) -> Result<usize> {
        let (t, d) = (out.value.len(), job.posterior.dim());
        let pointwise = match value {
            Value::Belief(pointwise) => pointwise,
            Value::Path(path) => {
                path.tile(rows, &mut self.sample, out.value, out.gradient);
                return Ok(job.posterior.tile(
                    rows,
                    &mut self.workspace,
                    TileMoments { mean: out.mean, variance: out.variance, gradients: None },
                ));
            }
        };
        let with_gradient = out.gradient.is_some();
        let gradients = if with_gradient { t * d } else { 0 };
        let Self {
            workspace,
            pending: tile,
            by_mean,
            outcome_gradients,
            log_cost,
            log_cost_gradients,
            latent,
            latent_gradients,
            cost_gradient,
            ..
        } = self;
        let gradients_of =
            |store: &mut [Vec<f64>; 2]| store.iter_mut().for_each(|g| g.resize(gradients, 0.0));
        let under_way = job.under_way();
        let floored = if under_way.is_some() {
            by_mean.resize(t, 0.0);
            let moments = [&mut *out.mean, &mut *out.variance];
            job.posterior.pending_tile(rows, with_gradient, tile, moments)
        } else {
            gradients_of(outcome_gradients);
            let [first, second] = &mut *outcome_gradients;
            let moments = TileMoments {
                mean: out.mean,
                variance: out.variance,
                gradients: with_gradient.then_some([first, second]),
            };
            job.posterior.tile(rows, workspace, moments)
        };
        let mut tile_of = |posterior: &Posterior, of: &mut [Vec<f64>; 2], slopes: &mut [_; 2]| {
            of.iter_mut().for_each(|m| m.resize(t, 0.0));
            gradients_of(slopes);
            let ([mean, variance], [first, second]) = (of, slopes);
            let gradients = with_gradient.then_some([&mut first[..], &mut second[..]]);
            posterior.tile(rows, workspace, TileMoments { mean, variance, gradients });
        };
        let learned = match job.cost {
            JobCost::Learned(posterior) if job.acquisition.uses_cost() => {
                tile_of(posterior, log_cost, log_cost_gradients);
                true
            }
            _ => false,
        };
        let success = job.latent();
        if let Some(posterior) = success {
            tile_of(posterior, latent, latent_gradients);
        }
        cost_gradient.resize(d, 0.0);
        let noise = job.foreseen_noise();
        let mut gradient = out.gradient;
        for (j, row) in rows.chunks_exact(d).enumerate() {
            let cost = match job.cost {
                _ if !job.acquisition.uses_cost() => PointBeliefCost::Known(1.0),
                JobCost::Uniform(cost) => PointBeliefCost::Known(cost),
                JobCost::Known(function) => PointBeliefCost::Known(
                    function.cost(row, with_gradient.then_some(&mut cost_gradient[..]))?,
                ),
                JobCost::Learned(_) => {
                    PointBeliefCost::LogNormal { mean: log_cost[0][j], variance: log_cost[1][j] }
                }
            };
            let (sd, d_sd_d_variance) = foreseen(out.variance[j], noise);
            let belief = Belief { mean: out.mean[j], sd, cost };
            let chance = success.map(|_| log_success(latent[0][j], latent[1][j]));
            let log_p = chance.map(|(log_p, ..)| log_p);
            let mut shares = [0.0; FANTASIES];
            let (score, d_log_p) = match (under_way, log_p) {
                (None, None) => (pointwise.score(job.incumbent, &belief), 0.0),
                (None, Some(log_p)) => pointwise.score_with_success(job.incumbent, &belief, log_p),
                (Some(pending), _) => {
                    let under_way = UnderWay {
                        shifts: &job.posterior.shifts(pending, tile, j),
                        best: pending.each_best(),
                        missing: pending.missing(),
                    };
                    let others = (&under_way, with_gradient.then_some(&mut shares));
                    pointwise.score_under_way(job.incumbent, &belief, log_p, others)
                }
            };
            let d_latent = chance.map_or((0.0, 0.0), |(_, by_mean, by_variance)| {
                (d_log_p * by_mean, d_log_p * by_variance)
            });
            out.value[j] = score.value;
            let Some(gradient) = &mut gradient else { continue };
            let Score { d_mean, d_sd, d_log_cost, d_log_cost_variance, .. } = score;
            let d_variance = d_sd * d_sd_d_variance;
            if let Some(pending) = under_way {
                by_mean[j] = d_mean;
                let by_shift = shares.map(|share| share * d_mean);
                let at = (j, out.variance[j]);
                job.posterior.set_adjoint(pending, tile, at, (d_variance, &by_shift));
            }
            let span = j * d..(j + 1) * d;
            let of = |store: &[Vec<f64>; 2], k: usize| (store[0][j * d + k], store[1][j * d + k]);
            for (k, out) in gradient[span].iter_mut().enumerate() {
                *out = match under_way {
                    // Those of the outcome follow for all points of the tile together.
                    Some(_) => 0.0,
                    None => {
                        let (mean, variance) = of(outcome_gradients, k);
                        d_mean * mean + d_variance * variance
                    }
                };
                if learned {
                    let (mean, variance) = of(log_cost_gradients, k);
                    *out += d_log_cost * mean + d_log_cost_variance * variance;
                } else if let (JobCost::Known(_), PointBeliefCost::Known(cost)) = (job.cost, cost)
                    && d_log_cost != 0.0
                {
                    *out += d_log_cost * cost_gradient[k] / cost;
                }
                if success.is_some() {
                    let (mean, variance) = of(latent_gradients, k);
                    *out += d_latent.0 * mean + d_latent.1 * variance;
                }
            }
        }
        if let (Some(_), Some(gradient)) = (under_way, gradient) {
            job.posterior.add_pending_gradients(tile, by_mean, gradient);
        }
        Ok(floored)
    }
}
