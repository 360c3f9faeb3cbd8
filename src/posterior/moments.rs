//! Mean, variance and their gradients for a batch of points, tile by tile.
//!
//! With `k` the kernel values between a point and the `n` inputs, `alpha = K^-1 (y - m)`,
//! `v = L^-1 k` and `w = L^-T v`:
//!
//! - mean `m + k' alpha`, gradient `sum_i alpha_i dk_i`,
//! - variance `s - v' v`, gradient `-2 sum_i w_i dk_i`.
//!
//! Close to data the variance is a difference of nearly equal numbers. `v' v` is a sum of squares
//! and cannot exceed what was rounded, while `k' K^-1 k` would lose all digits there. A variance
//! below [`VARIANCE_FLOOR`] is lifted to it and counted.
//!
//! **Memory.** A tile of `t` points needs `8 (2 n t + 2 n + 3 d t)` bytes with gradients and half of
//! that without, once per thread, for any number of points. `t` is at most 64 for up to 512
//! observations, `n / 8` for more, and 256 from 2048 on. At `n = 2000`, `d = 32` that is 8.3 MB a
//! thread.

use faer::MatMut;
use nalgebra::{DMatrix, DVector};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use crate::data::Points;
use crate::error::Result;
use crate::math::share;
use crate::model::contraction::Contracted;
use crate::model::kernel::TOGETHER;
use crate::posterior::Posterior;

/// The smallest variance that is reported, in units of the outputscale: a standard deviation of
/// 1e-6 of the prior's, as in the usual references. Rounding in `s - v' v` is about `n eps = 2e-13`
/// at `n = 1000`, so below this floor no digit would be right.
pub const VARIANCE_FLOOR: f64 = 1e-12;

/// The largest number of points of a tile for up to 512 observations and from 2048 on. With the
/// `n x 64` tile the triangular solves reach nine tenths of their speed on wide right-hand sides. A
/// larger factor is beyond the caches, and is read once a tile.
const WIDEST_TILE: [usize; 2] = [64, 256];

/// Posterior moments of a batch of `b` points.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Moments {
    /// `b` means.
    pub mean: Vec<f64>,
    /// `b` variances of the latent function (without observation noise), never below the floor.
    pub variance: Vec<f64>,
    /// `b x d` gradients of the mean, row-major; empty without gradients.
    pub mean_gradient: Vec<f64>,
    /// `b x d` gradients of the variance, zero if it was floored; empty without gradients.
    pub variance_gradient: Vec<f64>,
    /// The number of variances that were lifted to the floor.
    pub floored: usize,
}

/// The joint posterior of several points.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JointMoments {
    /// `b` means.
    pub mean: DVector<f64>,
    /// `b x b` covariances of the latent function; the diagonal is never below the floor.
    pub covariance: DMatrix<f64>,
}

/// The number of points in a tile when `count` points are evaluated with `n` observations. It depends
/// on these alone, so results do not depend on the number of threads. Small batches (a round of
/// quasi-Newton steps) are cut finer, so that several threads have work.
pub(crate) fn tile_width(count: usize, n: usize) -> usize {
    let widest = (n / 8).next_multiple_of(4).clamp(WIDEST_TILE[0], WIDEST_TILE[1]);
    (count / 16).next_multiple_of(4).clamp(8, widest)
}

/// The memory that takes the moments of one tile.
pub(crate) struct TileMoments<'a> {
    pub mean: &'a mut [f64],
    pub variance: &'a mut [f64],
    /// Gradients of the mean and of the variance, each `t x d`.
    pub gradients: Option<[&'a mut [f64]; 2]>,
}

/// The memory of one thread, kept between tiles.
#[derive(Default)]
pub(crate) struct Workspace {
    embedded: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
    contracted: Contracted<2>,
    sums: [Vec<f64>; 2],
}

impl Posterior {
    /// Mean and variance at each of `b` points, in parallel over tiles of points.
    ///
    /// # Errors
    /// [`Dimension`](crate::ErrorKind::Dimension) and [`NonFinite`](crate::ErrorKind::NonFinite),
    /// naming the point.
    pub fn moments(&self, points: &Points) -> Result<Moments> {
        self.batch(points, false)
    }

    /// The same with the gradients of both with respect to the point.
    ///
    /// # Errors
    /// As for [`moments`](Self::moments).
    pub fn moments_with_gradients(&self, points: &Points) -> Result<Moments> {
        self.batch(points, true)
    }

    /// The same with gradients, or without.
    ///
    /// # Errors
    /// As for [`moments`](Self::moments).
    pub(crate) fn batch(&self, points: &Points, gradient: bool) -> Result<Moments> {
        self.check(points)?;
        let (b, d) = (points.len(), self.dim());
        let width = tile_width(b, self.rows());
        let gradients = if gradient { b * d } else { 0 };
        let mut moments = Moments {
            mean: vec![0.0; b],
            variance: vec![0.0; b],
            mean_gradient: vec![0.0; gradients],
            variance_gradient: vec![0.0; gradients],
            floored: 0,
        };
        let least = share::least(self.nanoseconds(width, gradient));
        let tiles = points.values().par_chunks(width * d).with_min_len(least);
        let tiles = tiles
            .zip(moments.mean.par_chunks_mut(width).zip(moments.variance.par_chunks_mut(width)));
        moments.floored = if gradient {
            let gradients = moments
                .mean_gradient
                .par_chunks_mut(width * d)
                .zip(moments.variance_gradient.par_chunks_mut(width * d));
            let work = tiles.zip(gradients).map_init(
                Workspace::default,
                |workspace, ((rows, (mean, variance)), (first, second))| {
                    self.tile(
                        rows,
                        workspace,
                        TileMoments { mean, variance, gradients: Some([first, second]) },
                    )
                },
            );
            work.sum()
        } else {
            let work = tiles.map_init(Workspace::default, |workspace, (rows, (mean, variance))| {
                self.tile(rows, workspace, TileMoments { mean, variance, gradients: None })
            });
            work.sum()
        };
        Ok(moments)
    }

    /// About the time that one thread takes for the moments of this many points, in nanoseconds.
    pub(crate) fn nanoseconds(&self, points: usize, gradient: bool) -> f64 {
        let (n, width) = (self.rows(), self.packed.width());
        let solves = if gradient { n * (n + width) } else { n * n / 2 };
        share::of_kernel_values(n * points, width) + share::of_products(solves * points)
    }

    /// The moments of one tile (`t x d`, already checked), on the calling thread. Returns how many
    /// variances were floored.
    pub(crate) fn tile(
        &self,
        rows: &[f64],
        workspace: &mut Workspace,
        mut out: TileMoments<'_>,
    ) -> usize {
        let (d, n, width) = (self.dim(), self.rows(), self.packed.width());
        let t = rows.len() / d;
        let stride = self.packed.padded_len();
        let with_gradients = out.gradients.is_some();
        workspace.resize(t * width, t * stride, with_gradients);
        let Workspace { embedded, values, slopes, contracted, sums } = workspace;
        self.whiten(rows, embedded, values, with_gradients.then_some(&mut slopes[..]), out.mean);
        let prior = self.hyperparameters.outputscale;
        let floor = VARIANCE_FLOOR * prior;
        let mut floored = 0;
        for (variance, v) in out.variance.iter_mut().zip(values.chunks_exact(stride)) {
            *variance = prior - dot(&v[..n], &v[..n]);
            if *variance < floor {
                *variance = floor;
                floored += 1;
            }
        }
        let Some([mean_gradient, variance_gradient]) = &mut out.gradients else {
            return floored;
        };
        self.factor
            .solve_upper(MatMut::from_column_major_slice_with_stride_mut(values, n, t, stride));
        // A few points at a time, whose columns then stay in the cache.
        let set = TOGETHER * stride;
        let columns = values.chunks_mut(set).zip(slopes.chunks_mut(set));
        for ((values, slopes), first) in columns.zip((0..t).step_by(TOGETHER)) {
            for (w, s) in values.chunks_exact_mut(stride).zip(slopes.chunks_exact_mut(stride)) {
                // Weights are zero in the padding.
                s[n..].fill(0.0);
                for ((w, s), alpha) in w.iter_mut().zip(s).zip(&self.alpha) {
                    *w *= *s;
                    *s *= alpha;
                }
            }
            let points = &embedded[first * width..t.min(first + TOGETHER) * width];
            for sums in sums.iter_mut() {
                sums.resize(points.len(), 0.0);
            }
            let [of_mean, of_variance] = &mut *sums;
            self.packed.contract_tile(points, [slopes, values], contracted, [of_mean, of_variance]);
            let sums = of_mean.chunks_exact_mut(width).zip(of_variance.chunks_exact_mut(width));
            for ((j, point), (mean, variance)) in
                (first..).zip(points.chunks_exact(width)).zip(sums)
            {
                let variance_factor = if out.variance[j] > floor { 2.0 } else { 0.0 };
                for sum in mean.iter_mut() {
                    *sum = -*sum;
                }
                for sum in variance.iter_mut() {
                    *sum *= variance_factor;
                }
                let span = j * d..(j + 1) * d;
                self.packed.pull_back(point, mean, &mut mean_gradient[span.clone()]);
                self.packed.pull_back(point, variance, &mut variance_gradient[span]);
            }
        }
        floored
    }

    /// For the points of one tile: their coordinates, `V = L^-1 K*` in columns of padded length, the
    /// slopes if wanted, and the means.
    pub(super) fn whiten(
        &self,
        rows: &[f64],
        embedded: &mut [f64],
        values: &mut [f64],
        slopes: Option<&mut [f64]>,
        means: &mut [f64],
    ) {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        self.weigh(rows, embedded, values, slopes, means);
        self.factor.solve_lower(MatMut::from_column_major_slice_with_stride_mut(
            values,
            n,
            means.len(),
            stride,
        ));
    }

    /// The same but for `V`: kernel values `K*` in its place.
    fn weigh(
        &self,
        rows: &[f64],
        embedded: &mut [f64],
        values: &mut [f64],
        slopes: Option<&mut [f64]>,
        means: &mut [f64],
    ) {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        self.embed(rows, embedded);
        let kernel = (self.family, self.hyperparameters.outputscale);
        self.packed.tile(kernel, 0, embedded, stride, values, slopes);
        for (mean, k) in means.iter_mut().zip(values.chunks_exact(stride)) {
            *mean = self.hyperparameters.mean + dot(&k[..n], &self.alpha[..n]);
        }
    }

    /// The means alone, of checked points.
    pub(super) fn means(&self, points: &Points) -> Vec<f64> {
        let (d, stride) = (self.dim(), self.packed.padded_len());
        let width = tile_width(points.len(), self.rows());
        let mut means = vec![0.0; points.len()];
        let least = share::least(share::of_kernel_values(self.rows() * width, self.packed.width()));
        let tiles = points.values().par_chunks(width * d).with_min_len(least);
        let tiles = tiles.zip(means.par_chunks_mut(width));
        tiles.for_each(|(rows, means)| {
            let mut embedded = vec![0.0; means.len() * self.packed.width()];
            let mut values = vec![0.0; means.len() * stride];
            self.weigh(rows, &mut embedded, &mut values, None, means);
        });
        means
    }

    /// The coordinates of points (`t x d`).
    pub(crate) fn embed(&self, rows: &[f64], embedded: &mut [f64]) {
        let (d, width) = (self.dim(), self.packed.width());
        for (row, out) in rows.chunks_exact(d).zip(embedded.chunks_exact_mut(width)) {
            self.packed.embed(row, out);
        }
    }

    /// The joint posterior of `b` points, for fantasies and samples: `K** - V' V` with
    /// `V = L^-1 K*`, O(n^2 b + n b^2).
    ///
    /// # Errors
    /// As for [`moments`](Self::moments).
    pub fn joint(&self, points: &Points) -> Result<JointMoments> {
        self.check(points)?;
        let (b, d, n, stride) = (points.len(), self.dim(), self.rows(), self.packed.padded_len());
        let mut values = vec![0.0; stride * b];
        let mut mean = DVector::zeros(b);
        let width = tile_width(b, n);
        let tiles =
            points.values().par_chunks(width * d).zip(values.par_chunks_mut(stride * width));
        tiles.zip(mean.as_mut_slice().par_chunks_mut(width)).for_each(|((rows, values), mean)| {
            let mut embedded = vec![0.0; mean.len() * self.packed.width()];
            self.whiten(rows, &mut embedded, values, None, mean);
        });
        let prior = self.hyperparameters.outputscale;
        let among = self.prior_covariance(points);
        let column = |j: usize| &values[j * stride..j * stride + n];
        let floor = VARIANCE_FLOOR * prior;
        let covariance = DMatrix::from_fn(b, b, |i, j| {
            let value = among[(i.max(j), i.min(j))] - dot(column(i.max(j)), column(i.min(j)));
            if i == j { value.max(floor) } else { value }
        });
        Ok(JointMoments { mean, covariance })
    }
}

impl Workspace {
    fn resize(&mut self, embedded: usize, tile: usize, with_gradients: bool) {
        self.embedded.resize(embedded, 0.0);
        self.values.resize(tile, 0.0);
        if with_gradients {
            self.slopes.resize(tile, 0.0);
        }
    }
}

/// A dot product in eight running sums. The order does not depend on the machine's vectors.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let pairs = a.chunks_exact(8).zip(b.chunks_exact(8));
    let rest = a.len() - a.len() % 8;
    for (x, y) in pairs {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + a[rest..].iter().zip(&b[rest..]).map(|(x, y)| x * y).sum::<f64>()
}
