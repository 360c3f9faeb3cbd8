//! Pending trials: joint fantasies of their outcomes.
//!
//! `P` pending points are appended to the factor as if observed at their posterior means. The last
//! `P` entries of a whitened column `L^-1 k(x)` are then
//!
//! ```text
//! w(x) = L_P^-1 cov(x, P)      L_P L_P' = cov(P, P) + noise
//! ```
//!
//! with the posterior covariances before. `L_P` is the last block of the factor. A fantasy is a
//! vector `z_k` of standard normal numbers, and stands for the outcomes `m(P) + L_P z_k`. In it
//!
//! ```text
//! m_k(x) = m(x) + w(x)' z_k      v(x) = sigma^2(x) - |w(x)|^2
//! m_k(P) = m(P) + L_P z_k - noise L_P^-T z_k
//! ```
//!
//! The variance is the same in all fantasies. It is that of the appended factor, so fantasies add
//! nothing to the triangular solves.
//!
//! The numbers of each pending outcome have mean 0 and mean square 1 over the fantasies, so the mean
//! of `m_k(x)` over the fantasies is `m(x)`.
//!
//! The backward pass takes the derivatives `a`, `b` and `c_k` of a function of `m`, `v` and of the
//! shifts `w' z_k`. The adjoint of a column is `-2 b L^-1 k + [0; sum_k c_k z_k]`. One more
//! triangular solve and one contraction make the gradient.

use faer::MatMut;

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::normal::inverse_cdf;
use crate::math::sobol::Sobol;
use crate::posterior::Posterior;
use crate::posterior::moments::{VARIANCE_FLOOR, dot};
use crate::posterior::tile_gradient::TileGradient;

/// The number of fantasies. Quasi-random points have one in each interval of probability `1/32` of
/// every pending outcome.
pub(crate) const FANTASIES: usize = 32;

/// The largest number of pending points with fantasies. Others stand at their means. The solution of
/// a triangular system of this size takes as long as the fantasies of a point.
const MOST: usize = 64;

/// The smallest chance that pending trials bring nothing: workers die.
pub(crate) const LEAST_MISSING: f64 = 1.0 / 64.0;

/// One number for each fantasy.
pub(crate) type Each = [f64; FANTASIES];

/// Joint fantasies of the outcomes of pending trials, for one posterior.
///
/// [`Posterior::with_pending`] makes it. A [`Job`](crate::Job) takes it, together with that
/// posterior.
#[derive(Debug, Clone)]
pub struct Pending {
    /// The identity of the posterior.
    of: u64,
    /// `z` of each pending point with fantasies, in the order of the last rows of the factor.
    normals: Vec<Each>,
    /// The best pending value in each fantasy.
    best: Each,
    missing: f64,
}

impl Pending {
    /// The chance that the trials bring nothing.
    pub fn missing(&self) -> f64 {
        self.missing
    }

    /// The best posterior mean among the pending points, in each fantasy.
    pub fn best(&self) -> &[f64] {
        &self.best
    }

    /// The same as an array.
    pub(crate) fn each_best(&self) -> &Each {
        &self.best
    }

    /// Whether it was made for this posterior.
    pub(crate) fn is_of(&self, posterior: &Posterior) -> bool {
        self.of == posterior.lineage.identity.0
    }

    /// The number of rows with fantasies.
    pub(crate) fn rows(&self) -> usize {
        self.normals.len()
    }

    /// The normal numbers of the fantasies for each of these rows.
    #[cfg(feature = "gpu")]
    pub(crate) fn normals(&self) -> &[Each] {
        &self.normals
    }
}

impl Posterior {
    /// This posterior with pending points at their posterior means, and joint fantasies of their
    /// outcomes. The mean stays, and the variance is that after the outcomes.
    ///
    /// There are 32 quasi-random fantasies, the same for each number of points. The last 64 points
    /// have fantasies, the others stand at their means in all of them. A point that is known to all
    /// digits is left out. If none is left there is no fantasy. `missing` is the chance that the
    /// trials bring nothing; it is raised to 1/64.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`], naming the point.
    /// [`ErrorKind::InvalidSetting`] if `missing` is no probability.
    ///
    /// ```
    /// use gittins::{Hyperparameters, KernelFamily, Points, Posterior};
    /// let inputs = Points::from_rows(1, vec![0.1, 0.9])?;
    /// let hyperparameters =
    ///     Hyperparameters { lengthscales: vec![0.3], outputscale: 1.0, noise: 1e-6, mean: 0.0 };
    /// let family = KernelFamily::Matern52;
    /// let posterior = Posterior::new(family, &hyperparameters, &inputs, &[0.2, -0.3])?;
    /// let pending = Points::from_rows(1, vec![0.5])?;
    /// let (after, fantasies) = posterior.with_pending(&pending, 0.0, 7)?;
    /// assert!(after.moments(&pending)?.variance[0] < 1e-5);
    /// assert_eq!(fantasies.unwrap().best().len(), 32);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn with_pending(
        &self,
        points: &Points,
        missing: f64,
        seed: u64,
    ) -> Result<(Self, Option<Pending>)> {
        let mut after = self.clone();
        let rows = after.await_outcomes(points)?;
        let pending = after.fantasies(rows, missing, seed)?;
        Ok((after, pending))
    }

    /// Appends points at their posterior means. Returns how many: a point whose pivot is lost is
    /// left out.
    pub(crate) fn await_outcomes(&mut self, points: &Points) -> Result<usize> {
        self.check(points)?;
        let before = self.rows();
        for (point, mean) in points.rows().zip(self.means(points)) {
            self.await_outcome(point, mean)?;
        }
        Ok(self.rows() - before)
    }

    /// The fantasies of the last rows.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] if `missing` is no probability.
    pub(crate) fn fantasies(
        &self,
        rows: usize,
        missing: f64,
        seed: u64,
    ) -> Result<Option<Pending>> {
        if !(0.0..=1.0).contains(&missing) {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!(
                    "the chance that pending trials bring nothing must be from 0 to 1, got {missing}"
                ),
            ));
        }
        if rows == 0 {
            return Ok(None);
        }
        let with = rows.min(MOST);
        let all = self.rows();
        let draws = Sobol::new(MOST, seed).points(0, FANTASIES);
        let normal = |row: usize| std::array::from_fn(|k| inverse_cdf(draws.row(k)[row]));
        let normals: Vec<Each> = (0..with).map(|row| standardized(normal(row))).collect();
        let means = &self.outcomes()[self.len() - rows..];
        let of_others = means[..rows - with].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lower = self.factor.lower();
        let first = all - with;
        let entry = |i: usize, j: usize| lower[(first + i, first + j)];
        let best = std::array::from_fn(|k| {
            let z: Vec<f64> = normals.iter().map(|row| row[k]).collect();
            let mut solved = z.clone();
            for i in (0..with).rev() {
                let sum: f64 = (i + 1..with).map(|j| entry(j, i) * solved[j]).sum();
                solved[i] = (solved[i] - sum) / entry(i, i);
            }
            let values = (0..with).map(|i| {
                let moved: f64 = (0..=i).map(|j| entry(i, j) * z[j]).sum();
                means[rows - with + i] + moved - self.noise_of_row(first + i) * solved[i]
            });
            values.fold(of_others, f64::max)
        });
        let of = self.lineage.identity.0;
        let missing = missing.max(LEAST_MISSING);
        Ok(Some(Pending { of, normals, best, missing }))
    }

    /// Mean and variance of the points of a tile (`t x d`, already checked), and what their shifts
    /// and gradients need. Returns how many variances were floored.
    pub(crate) fn pending_tile(
        &self,
        rows: &[f64],
        with_gradient: bool,
        tile: &mut PendingTile,
        [mean, variance]: [&mut [f64]; 2],
    ) -> usize {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        let t = mean.len();
        let PendingTile { embedded, whitened, slopes, .. } = tile;
        embedded.resize(t * self.packed.width(), 0.0);
        whitened.resize(t * stride, 0.0);
        slopes.resize(if with_gradient { t * stride } else { 0 }, 0.0);
        self.whiten(rows, embedded, whitened, with_gradient.then_some(&mut slopes[..]), mean);
        let prior = self.hyperparameters.outputscale;
        let floor = VARIANCE_FLOOR * prior;
        let mut floored = 0;
        for (variance, v) in variance.iter_mut().zip(whitened.chunks_exact(stride)) {
            *variance = prior - dot(&v[..n], &v[..n]);
            if *variance < floor {
                *variance = floor;
                floored += 1;
            }
        }
        floored
    }

    /// `w' z_k` of a point of the tile.
    pub(crate) fn shifts(&self, pending: &Pending, tile: &PendingTile, point: usize) -> Each {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        let weights = &tile.whitened[point * stride..][n - pending.rows()..n];
        let mut shifts = [0.0; FANTASIES];
        for (weight, normals) in weights.iter().zip(&pending.normals) {
            shifts.iter_mut().zip(normals).for_each(|(shift, z)| *shift += weight * z);
        }
        shifts
    }

    /// Replaces the column of a point by its adjoint, from its variance and the derivatives by the
    /// variance and by the shifts.
    pub(crate) fn set_adjoint(
        &self,
        pending: &Pending,
        tile: &mut PendingTile,
        (point, variance): (usize, f64),
        (by_variance, by_shift): (f64, &Each),
    ) {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        let column = &mut tile.whitened[point * stride..][..n];
        let is_free = variance > VARIANCE_FLOOR * self.hyperparameters.outputscale;
        let factor = if is_free { -2.0 * by_variance } else { 0.0 };
        for v in column.iter_mut() {
            *v *= factor;
        }
        let own = &mut column[n - pending.rows()..];
        for (adjoint, normals) in own.iter_mut().zip(&pending.normals) {
            *adjoint += by_shift.iter().zip(normals).map(|(by, z)| by * z).sum::<f64>();
        }
    }

    /// Adds the gradients of all points of a tile whose adjoints are set, from their derivatives by
    /// the mean as well.
    pub(crate) fn add_pending_gradients(
        &self,
        tile: &mut PendingTile,
        by_mean: &[f64],
        gradient: &mut [f64],
    ) {
        let (n, stride, t) = (self.rows(), self.packed.padded_len(), by_mean.len());
        let PendingTile { embedded, whitened, slopes, end } = tile;
        self.factor
            .solve_upper(MatMut::from_column_major_slice_with_stride_mut(whitened, n, t, stride));
        let columns = slopes.chunks_exact_mut(stride).zip(whitened.chunks_exact(stride));
        for ((slopes, solved), by_mean) in columns.zip(by_mean) {
            for ((slope, solved), alpha) in slopes[..n].iter_mut().zip(solved).zip(&self.alpha) {
                *slope *= by_mean * alpha + solved;
            }
        }
        end.add(self, &embedded[..t * self.packed.width()], &mut slopes[..t * stride], gradient);
    }
}

/// Numbers of mean 0 and mean square 1. The mean of a point over all fantasies is then its posterior
/// mean.
fn standardized(normals: Each) -> Each {
    let count = FANTASIES as f64;
    let mean = normals.iter().sum::<f64>() / count;
    let square = normals.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / count;
    normals.map(|z| (z - mean) / square.sqrt())
}

/// The memory of a tile, kept between tiles.
#[derive(Default)]
pub(crate) struct PendingTile {
    embedded: Vec<f64>,
    /// `L^-1 k` in columns of padded length; later the adjoints.
    whitened: Vec<f64>,
    slopes: Vec<f64>,
    end: TileGradient,
}
