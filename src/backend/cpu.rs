//! The CPU backend: double precision, in blocks, on all threads of the rayon pool.

mod front;
mod knowledge_gradient;
mod lookahead;
mod pointwise;
mod usable;

use pointwise::{Scratch, Tile, Value};

pub(super) use usable::weigh;

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::trees::Plan;
use super::{Backend, Job, Provenance, Scores};
use crate::acquisition::{Acquisition, Joint};
use crate::data::Points;
use crate::error::Result;
use crate::math::share;
use crate::posterior::moments::{VARIANCE_FLOOR, tile_width};

/// Evaluates in double precision on the threads of the current rayon pool.
///
/// Points are cut into tiles. A thread takes a tile from kernel values to scores. Its triangular
/// solves, products and exponentials use the widest available vectors. Results do not depend on the
/// number of threads.
///
/// Scratch memory does not grow with the batch. It is `8 (2 n t + 2 n + (5 d + 4) t)` bytes per
/// thread, with `t` points in a tile: at most 64 for up to 512 observations, `n / 8` for more, 256
/// from 2048 on. A learned cost adds `16 (d + 1) t`, and whether a trial may be used `24 (d + 1) t`.
/// A sample path adds `8 (n + features) t`, and twice as much with gradients.
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
            Joint::FrontImprovement { front } => {
                return front::improvement(job, front, points, scores);
            }
            Joint::MultiStepImprovement { .. } => {
                let plan = Plan::of(job, VARIANCE_FLOOR)?;
                lookahead::trees(&plan, points, scores)?;
                return weigh(job, points, scores);
            }
        },
    };
    let width = tile_width(b, job.posterior.rows());
    let moments = scores.mean.par_chunks_mut(width).zip(scores.variance.par_chunks_mut(width));
    let least = share::least(pointwise::nanoseconds(job, width));
    let tiles = points.values().par_chunks(width * d).with_min_len(least);
    let tiles = tiles.zip(scores.value.par_chunks_mut(width).zip(moments));
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
