//! Jobs whose rows hold the points of a tree: moments from the device, values and adjoints from the
//! host in double precision, gradients from the device.
//!
//! The device does the work that grows with the data. The algebra along the branches is small, and
//! a chain of differences for which single precision has too few digits.
//!
//! In single precision a covariance errs as a [variance](crate::backend::gpu::resident::fit::FIT) does, by some `eps |L^-1|` of
//! the prior's. A fantasy moves the next mean by a covariance over the deviation of an outcome,
//! which errs by as much over that deviation. If a point of the plan lies so near to data or to
//! another point that little more than the noise is left, single precision still finds the basins,
//! but not the higher of two near ones. The host settles that, as for other scores.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::branches::{self, Adjoints, Moments, Trees};
use super::shared_engine::SharedEngine;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::trees::{Plan, Tile, Valuer};
use crate::backend::{Precision, Scores};
use crate::data::Points;
use crate::error::Result as JobResult;

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    valuer: Valuer,
    embedded: Vec<f64>,
}

/// Fills `scores` for all trees. No lock is held while the host works.
pub(in crate::backend::gpu) fn evaluate(
    shared: &SharedEngine,
    plan: &Plan<'_>,
    points: &Points,
    precision: Precision,
    scores: &mut Scores,
) -> Result<(), Failure> {
    let job = &plan.job;
    scores.resize(points.len(), if job.gradient { points.dim() } else { 0 });
    let mut moments = <[Moments; 2]>::default();
    let left = shared.ask(job, precision, |engine, inverted| {
        scores.provenance = engine.handle().provenance(precision);
        let trees = Trees { plan, points, precision, inverted };
        branches::moments(engine, trees, &mut moments)
    })?;
    let mut largest = vec![1.0; points.len()];
    scores.floored = value(plan, points, &mut moments, &mut largest, scores)?;
    if !job.gradient {
        return Ok(());
    }
    let adjoints = Adjoints { of: &moments, largest: &largest };
    shared.ask(job, precision, |engine, inverted| {
        let trees = Trees { plan, points, precision, inverted };
        branches::gradients(engine, trees, &adjoints, left, &mut scores.gradient)
    })
}

/// Values from moments. If gradients are wanted, the adjoints of the moments replace these, in
/// units of the priors and of the largest of each tree.
fn value(
    plan: &Plan<'_>,
    points: &Points,
    moments: &mut [Moments; 2],
    largest: &mut [f64],
    scores: &mut Scores,
) -> JobResult<usize> {
    let width = plan.width(points.len());
    let branches = plan.tree.branches();
    let [first, second] = moments.each_mut().map(|Moments { mean, covariance }| {
        let covariances = covariance.chunks_mut(width * branches.pairs());
        mean.chunks_mut(width * branches.nodes())
            .zip(covariances)
            .map(|(mean, covariance)| [mean, covariance])
    });
    let second = second
        .map(Some)
        .chain(std::iter::repeat_with(|| None))
        .map(|moments| moments.unwrap_or_default());
    let moments: Vec<_> = first.zip(second).map(|(first, second)| [first, second]).collect();
    let tiles =
        plan.tiles(points, scores).into_par_iter().zip(moments).zip(largest.par_chunks_mut(width));
    // The first error in order is the same on any number of threads.
    let floored: Vec<JobResult<usize>> = tiles
        .map_init(Scratch::default, |scratch, ((tile, moments), largest)| {
            scratch.tile(plan, tile, moments, largest)
        })
        .collect();
    floored.into_iter().sum()
}

impl Scratch {
    /// Returns how many variances of roots were floored.
    fn tile(
        &mut self,
        plan: &Plan<'_>,
        mut out: Tile<'_>,
        mut moments: [[&mut [f64]; 2]; 2],
        largest: &mut [f64],
    ) -> JobResult<usize> {
        let Self { valuer, embedded } = self;
        let floored = valuer.tile(
            plan,
            &mut out,
            moments.each_mut().map(|moments| moments.each_mut().map(|moments| &mut **moments)),
        )?;
        let (branches, Some(gradient)) = (plan.tree.branches(), &mut out.gradient) else {
            return Ok(floored);
        };
        for (posterior, adjoints) in plan.processes.iter().zip(&mut moments) {
            let Some(posterior) = posterior else { continue };
            let width = posterior.packed.width();
            embedded.resize(out.rows.len() / posterior.dim() * width, 0.0);
            posterior.embed(out.rows, embedded);
            posterior.add_pair_gradients(branches, embedded, adjoints[1], gradient);
            let outputscale = posterior.hyperparameters().outputscale;
            for (adjoints, unit) in adjoints.iter_mut().zip([outputscale.sqrt(), outputscale]) {
                adjoints.iter_mut().for_each(|adjoint| *adjoint *= unit);
            }
        }
        for (tree, largest) in largest.iter_mut().enumerate() {
            let of_tree = |adjoints: &[f64]| {
                let each = adjoints.len() / out.value.len();
                tree * each..(tree + 1) * each
            };
            let all = moments.iter().flatten().flat_map(|adjoints| &adjoints[of_tree(adjoints)]);
            *largest = all.fold(0.0, |largest: f64, adjoint| largest.max(adjoint.abs()));
            if *largest == 0.0 {
                continue;
            }
            for adjoints in moments.iter_mut().flatten() {
                let range = of_tree(adjoints);
                adjoints[range].iter_mut().for_each(|adjoint| *adjoint /= *largest);
            }
        }
        Ok(floored)
    }
}
