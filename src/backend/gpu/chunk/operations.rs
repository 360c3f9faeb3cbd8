//! How much work a job is. The size of chunks and the choice of a device depend on it.

use crate::acquisition::{Acquisition, Joint, UsableForm};
use crate::backend::{Job, JobCost};
use crate::posterior::{FANTASIES, Path, Pending, Posterior};

use crate::backend::gpu::kernels::layout::GRADIENT_DIMS;

/// Multiplications and additions for one point; a row may hold several.
pub fn operations(job: &Job<'_>, learned: bool) -> f64 {
    let path = job.acquisition.path();
    let gradient = job.gradient && path.is_none();
    let along = of_branches(job);
    let of = |posterior: &Posterior| {
        operations_for(posterior.rows(), posterior.dim(), gradient)
            + along * posterior.rows() as f64
    };
    let cost = match job.cost {
        JobCost::Learned(posterior) if learned => of(posterior),
        _ => 0.0,
    };
    let latent = job.latent().filter(|_| job.acquisition.pointwise().is_some());
    of(job.posterior)
        + cost
        + latent.map_or(0.0, of)
        + path.map_or(0.0, |path| of_path(path, job.gradient))
        + job.pending_trials().map_or(0.0, |pending| of_pending(job, pending))
}

/// Of pending trials: the shifts, and with gradients their adjoints; and the terms of all
/// fantasies, about [`ROOT_STEPS`] times if the score is the root of an equation.
fn of_pending(job: &Job<'_>, pending: &Pending) -> f64 {
    let products = if job.gradient { 4.0 } else { 2.0 };
    let times = if job.acquisition.facts().usable == UsableForm::Price { ROOT_STEPS } else { 1.0 };
    FANTASIES as f64 * (products * pending.rows() as f64 + 2.0 * TERM * times)
}

/// Operations of an exponential and a polynomial: a term of a sum.
const TERM: f64 = 50.0;

/// Sums that the root of such an equation takes.
const ROOT_STEPS: f64 = 6.0;

/// With one posterior, for one point: distances, kernel, triangular products, contraction.
pub fn operations_for(n: usize, d: usize, gradient: bool) -> f64 {
    let n = n as f64;
    let d = d as f64;
    let value = n * (n + 3.0 * d + 40.0);
    if gradient { value + n * (n + 3.0 * d + 4.0) } else { value }
}

/// Of the covariances along the branches of a tree, for a datum. With gradients each covariance
/// comes twice more.
fn of_branches(job: &Job<'_>) -> f64 {
    let Acquisition::Joint(Joint::MultiStepImprovement { ref tree, .. }) = *job.acquisition else {
        return 0.0;
    };
    let pairs = tree.branches().pairs() as f64 / tree.nodes() as f64;
    if job.gradient { 6.0 * pairs } else { 2.0 * pairs }
}

/// Of a sample path: phases, sines and cosines; distances and kernel; and the contraction of all.
/// The shader does all of it again for each group of dimensions of the gradient.
fn of_path(path: &Path, gradient: bool) -> f64 {
    let m = path.basis().features.frequencies() as f64;
    let n = path.basis().inputs.len() as f64;
    let d = path.dim() as f64;
    let value = m * (2.0 * d + 50.0) + n * (3.0 * d + 60.0);
    if gradient {
        (value + (m + 2.0 * n) * 2.0 * GRADIENT_DIMS as f64) * (d / GRADIENT_DIMS as f64).ceil()
    } else {
        value
    }
}
