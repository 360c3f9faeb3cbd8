//! The scores of a batch.

use super::provenance::Provenance;
use super::top_k::top_k;

/// The scores of a batch of `b` points, in memory of the caller that is reused.
///
/// If the job keeps `k` points, read `k` for `b`. If the acquisition scores several
/// [points](crate::Acquisition::points) together, read rows for points: `d` is then the length of a
/// row, and the moments are those of its first point.
#[derive(Debug, Clone, Default)]
pub struct Scores {
    /// `b` values.
    pub value: Vec<f64>,
    /// `b x d` gradients, row-major; empty if none are wanted.
    pub gradient: Vec<f64>,
    /// `b` posterior means.
    pub mean: Vec<f64>,
    /// `b` posterior variances.
    pub variance: Vec<f64>,
    /// The rows in the batch of the `k` entries; empty if all points are wanted.
    pub rows: Vec<usize>,
    /// The number of variances that were raised to the floor, among all points of the batch.
    pub floored: usize,
    /// Which backend and device made the scores.
    pub provenance: Provenance,
}

impl Scores {
    /// Makes room for all points of a batch. `gradient` is the dimension, or 0 without gradients.
    pub(super) fn resize(&mut self, points: usize, gradient: usize) {
        for field in [&mut self.value, &mut self.mean, &mut self.variance] {
            field.resize(points, 0.0);
        }
        self.gradient.resize(points * gradient, 0.0);
        self.rows.clear();
    }

    /// Leaves the `k` best entries of a whole batch, in the order of
    /// [`Job::keep`](crate::Job::keep), and stores their rows. For backends that select after
    /// scoring.
    pub fn keep_best(&mut self, k: usize) {
        let mut rows = std::mem::take(&mut self.rows);
        let width = self.gradient.len().checked_div(self.value.len()).unwrap_or(0);
        top_k(&self.value, k, &mut rows);
        for (field, width) in [
            (&mut self.value, 1),
            (&mut self.mean, 1),
            (&mut self.variance, 1),
            (&mut self.gradient, width),
        ] {
            let best: Vec<f64> = rows
                .iter()
                .flat_map(|&row| &field[row * width..(row + 1) * width])
                .copied()
                .collect();
            field.clear();
            field.extend(best);
        }
        self.rows = rows;
    }
}
