//! How much work a job is: what chunks and the choice of a device go by.

use crate::backend::{Job, JobCost};
use crate::posterior::{Path, Posterior};

use super::layout::GRADIENT_DIMS;

/// Multiplications and additions for one point.
pub(super) fn operations(job: &Job<'_>, learned: bool) -> f64 {
    let path = job.acquisition.path();
    let gradient = job.gradient && path.is_none();
    let of = |posterior: &Posterior| operations_for(posterior.len(), posterior.dim(), gradient);
    let cost = match job.cost {
        JobCost::Learned(posterior) if learned => of(posterior),
        _ => 0.0,
    };
    of(job.posterior) + cost + path.map_or(0.0, |path| of_path(path, job.gradient))
}

/// With one posterior: distances, kernel, triangular products, contraction.
pub(super) fn operations_for(n: usize, d: usize, gradient: bool) -> f64 {
    let (n, d) = (n as f64, d as f64);
    let value = n * (n + 3.0 * d + 40.0);
    if gradient { value + n * (n + 3.0 * d + 4.0) } else { value }
}

/// Of a sample path: phases, sines and cosines; distances and kernel; and the contraction of all, for some dimensions at a time.
fn of_path(path: &Path, gradient: bool) -> f64 {
    let (m, n, d) = (path.basis().features.frequencies() as f64, path.basis().inputs.len() as f64, path.dim() as f64);
    let value = m * (2.0 * d + 50.0) + n * (3.0 * d + 60.0);
    if gradient { (value + (m + 2.0 * n) * 2.0 * GRADIENT_DIMS as f64) * (d / GRADIENT_DIMS as f64).ceil() } else { value }
}
