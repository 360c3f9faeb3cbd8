//! The knowledge gradients of a batch. A thread takes a row from kernel values to score and
//! gradient. The score of a row does not depend on other rows.
//!
//! In one shot, a root with `m` points takes four triangular solves and `2 n m (d + 1)` products
//! with the gradient. Scratch memory is about `16 n m` bytes per thread. Over a finite set of `m`
//! points it takes as much, and the `n x m` kernel values are computed once for the batch.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use crate::acquisition::Lines;
use crate::backend::{Job, Scores};
use crate::data::Points;
use crate::posterior::knowledge_gradient::{Covariances, Elsewhere, Root};

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    root: Root,
    elsewhere: Elsewhere,
    covariances: Covariances,
    lines: Lines,
    slopes: Vec<f64>,
    weights: Vec<(usize, f64)>,
    gradients: [Vec<f64>; 2],
}

/// Where the score of a row goes.
struct Row<'a> {
    value: &'a mut f64,
    mean: &'a mut f64,
    variance: &'a mut f64,
    gradient: Option<&'a mut [f64]>,
}

/// Scores rows. A row holds a root and, for each normal number, a point at which the mean is to be
/// largest.
pub(super) fn one_shot(
    job: &Job<'_>,
    (normals, current): (&[f64], f64),
    points: &Points,
    scores: &mut Scores,
) {
    each(job, points, scores, |scratch, row, out| {
        scratch.one_shot(job, normals, current, row, out)
    });
}

/// Scores roots by how much their outcomes add to the largest mean of a finite set.
pub(super) fn finite(job: &Job<'_>, among: &Points, points: &Points, scores: &mut Scores) {
    let mut elsewhere = Elsewhere::default();
    job.posterior.elsewhere(among.values(), false, &mut elsewhere);
    each(job, points, scores, |scratch, row, out| scratch.finite(job, &elsewhere, row, out));
}

/// Scores each row with `score`, which returns whether the variance was raised to the floor.
fn each(
    job: &Job<'_>,
    points: &Points,
    scores: &mut Scores,
    score: impl Fn(&mut Scratch, &[f64], Row<'_>) -> bool + Sync,
) {
    let width = points.dim();
    let moments = scores.mean.par_iter_mut().zip(scores.variance.par_iter_mut());
    let rows = points.values().par_chunks(width).zip(scores.value.par_iter_mut().zip(moments));
    let one =
        |scratch: &mut Scratch,
         ((row, (value, (mean, variance))), gradient): ((&[f64], _), Option<&mut [f64]>)| {
            usize::from(score(scratch, row, Row { value, mean, variance, gradient }))
        };
    scores.floored = if job.gradient {
        let rows = rows.zip(scores.gradient.par_chunks_mut(width));
        rows.map_init(Scratch::default, |scratch, (row, gradient)| {
            one(scratch, (row, Some(gradient)))
        })
        .sum()
    } else {
        rows.map_init(Scratch::default, |scratch, row| one(scratch, (row, None))).sum()
    };
}

impl Scratch {
    fn one_shot(
        &mut self,
        job: &Job<'_>,
        normals: &[f64],
        current: f64,
        row: &[f64],
        out: Row<'_>,
    ) -> bool {
        let Self { root, elsewhere, covariances, gradients, .. } = self;
        let (posterior, d) = (job.posterior, job.posterior.dim());
        let (x, rest) = row.split_at(d);
        let floored = posterior.root(x, out.gradient.is_some(), root);
        posterior.elsewhere(rest, out.gradient.is_some(), elsewhere);
        posterior.covariances(root, elsewhere, covariances);
        let share = 1.0 / normals.len() as f64;
        let afterwards = elsewhere.mean.iter().zip(&covariances.values).zip(normals);
        let sum: f64 = afterwards
            .map(|((mean, covariance), z)| (mean - current) + covariance * root.reach * z)
            .sum();
        *out.value = share * sum;
        *out.mean = root.mean;
        *out.variance = root.variance;
        let Some(gradient) = out.gradient else { return floored };
        let (of_root, of_rest) = gradient.split_at_mut(d);
        for gradient in gradients.iter_mut() {
            gradient.resize(d, 0.0);
        }
        for (j, (out, z)) in of_rest.chunks_exact_mut(d).zip(normals).enumerate() {
            let [mean, covariance] = &mut *gradients;
            posterior.gradients_elsewhere((root, elsewhere, covariances), j, [mean, covariance]);
            for ((out, mean), covariance) in out.iter_mut().zip(mean).zip(covariance) {
                *out = share * (*mean + root.reach * z * *covariance);
            }
        }
        posterior.root_gradient(
            (root, elsewhere, covariances),
            normals.iter().map(|z| share * z).enumerate(),
            of_root,
        );
        floored
    }

    fn finite(&mut self, job: &Job<'_>, elsewhere: &Elsewhere, row: &[f64], out: Row<'_>) -> bool {
        let Self { root, covariances, lines, slopes, weights, .. } = self;
        let floored = job.posterior.root(row, out.gradient.is_some(), root);
        job.posterior.covariances(root, elsewhere, covariances);
        slopes.clear();
        slopes.extend(covariances.values.iter().map(|covariance| covariance * root.reach));
        weights.clear();
        let gain = lines.gain(&elsewhere.mean, slopes, |line, weight| weights.push((line, weight)));
        *out.value = gain;
        *out.mean = root.mean;
        *out.variance = root.variance;
        if let Some(gradient) = out.gradient {
            job.posterior.root_gradient(
                (root, elsewhere, covariances),
                weights.drain(..),
                gradient,
            );
        }
        floored
    }
}
