//! The covariance of a set of points with itself.

use faer::{MatMut, MatRef};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use crate::data::Points;
use crate::math::share;
use crate::math::simd::LANES;
use crate::model::KernelFamily;
use crate::model::kernel::PackedPoints;

/// The covariance of a set of points with itself, lower triangle only.
#[derive(Debug, Clone, Default)]
pub struct Covariance {
    count: usize,
    rows: usize,
    values: Vec<f64>,
    slopes: Vec<f64>,
}

impl Covariance {
    /// Kernel values between all points of a batch, and slopes if wanted, in blocks over the
    /// threads. `packed` holds the same points.
    pub fn new(
        packed: &PackedPoints,
        points: &Points,
        family: KernelFamily,
        outputscale: f64,
        with_slopes: bool,
    ) -> Self {
        let mut covariance = Self::default();
        covariance.refill(packed, points, family, outputscale, with_slopes);
        covariance
    }

    /// The same in the memory of this covariance.
    pub fn refill(
        &mut self,
        packed: &PackedPoints,
        points: &Points,
        family: KernelFamily,
        outputscale: f64,
        with_slopes: bool,
    ) {
        let (n, rows, width) = (packed.len(), packed.padded_len(), packed.width());
        self.count = n;
        self.rows = rows;
        self.values.resize(rows * n, 0.0);
        self.slopes.resize(if with_slopes { rows * n } else { 0 }, 0.0);
        let fill = |first: usize, values: &mut [f64], slopes: Option<&mut [f64]>| {
            let count = values.len() / rows;
            let mut embedded = vec![0.0; count * width];
            for (j, out) in embedded.chunks_exact_mut(width).enumerate() {
                packed.embed(points.row(first + j), out);
            }
            packed.tile((family, outputscale), first / LANES, &embedded, rows, values, slopes);
        };
        let least = share::least(share::of_kernel_values(rows * LANES, width));
        let values = self.values.par_chunks_mut(rows * LANES).with_min_len(least);
        if with_slopes {
            let chunks = values.zip(self.slopes.par_chunks_mut(rows * LANES));
            chunks
                .enumerate()
                .for_each(|(block, (values, slopes))| fill(block * LANES, values, Some(slopes)));
        } else {
            values.enumerate().for_each(|(block, values)| fill(block * LANES, values, None));
        }
    }

    /// Adds the same number to every diagonal entry.
    pub fn add_diagonal(&mut self, noise: f64) {
        for i in 0..self.count {
            self.values[i * self.rows + i] += noise;
        }
    }

    /// The values. Read the lower triangle only.
    pub fn values(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.rows, self.count).subrows(0, self.count)
    }

    /// The slopes, to change them. Read the lower triangle only.
    ///
    /// # Panics
    /// If none were asked for.
    pub fn slopes_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.slopes, self.rows, self.count)
            .subrows_mut(0, self.count)
    }
}
