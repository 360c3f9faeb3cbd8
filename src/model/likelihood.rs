//! The log marginal likelihood and its gradient.
//!
//! With `K = s R + noise I`, `r = y - m`, `alpha = K^-1 r` and `G = alpha alpha' - K^-1` (Rasmussen
//! & Williams 2006, equation 5.9): `d L / d theta = tr(G dK / d theta) / 2`. The derivative by
//! `ln l_k` has the matrix `S_ij (x_ik - x_jk)^2 / l_k^2`; with `M = G o S`,
//!
//! `sum_ij M_ij (x_ik - x_jk)^2 = 2 sum_i (sum_j M_ij) x_ik^2 - 2 sum_i x_ik (M X)_ik`,
//!
//! One `n x n x d` product therefore serves all lengthscales. The other two derivatives need almost
//! no work: `tr(G K) = r' alpha - n`.
//!
//! The kernel on the sphere has features `P` with `R = P P'`. The gradient by them is `s G P`, and
//! the chain rule does the rest. If there are more observations than features, nothing is
//! `n x n` (`low_rank.rs`).

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, Par};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use crate::data::Points;
use crate::error::Result;
use crate::math::cholesky::Cholesky;
use crate::math::share;
use crate::math::simd::LANES;
use crate::model::Covariance;
use crate::model::family::Embedding;
use crate::model::kernel::PackedPoints;
use crate::model::low_rank::LowRank;
use crate::model::{Hyperparameters, KernelFamily, check_data, sphere};

/// A log marginal likelihood with its derivatives.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Likelihood {
    /// `-(r' K^-1 r + ln det K + n ln 2 pi) / 2`.
    pub value: f64,
    /// Derivatives by the logarithm of each lengthscale.
    pub d_log_lengthscales: Vec<f64>,
    /// The derivative by the logarithm of the outputscale.
    pub d_log_outputscale: f64,
    /// The derivative by the logarithm of the noise.
    pub d_log_noise: f64,
    /// The derivative by the mean.
    pub d_mean: f64,
    /// The mean that was used: the given one, or `1' K^-1 y / 1' K^-1 1` if it was to be profiled
    /// out. In that case `d_mean` is zero, and the other derivatives are those of the profiled
    /// likelihood.
    pub mean: f64,
    /// The number that was added to the diagonal.
    pub jitter: f64,
}

/// What one factor gives.
struct Solved {
    value: f64,
    mean: f64,
    /// `K^-1 (y - m)`.
    alpha: Vec<f64>,
    /// `(y - m)' K^-1 (y - m)`.
    quadratic: f64,
}

/// Columns of a block. One thread forms `M` over a block, and its product with the inputs.
const BLOCK: usize = 64;

impl Likelihood {
    /// The log marginal likelihood of `n` outcomes at `n x d` inputs, with gradient. It takes one
    /// factor, one inverse and one product, all O(n^3) or less; O(n d^2) for the spherical linear
    /// kernel.
    ///
    /// # Errors
    /// As for [`Posterior::new`](crate::Posterior::new).
    pub fn new(
        family: KernelFamily,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        outcomes: &[f64],
        profile_mean: bool,
    ) -> Result<Self> {
        Workspace::new().evaluate(family, hyperparameters, inputs, outcomes, profile_mean)
    }
}

/// The memory of one evaluation (five matrices of `n x n`), kept for the next one. A climb
/// evaluates some tens of times, and new pages from the system would cost as much as the
/// arithmetic.
pub(super) struct Workspace {
    covariance: Covariance,
    factor: Cholesky,
    lower_inverse: Mat<f64>,
    inverse: Mat<f64>,
}

impl Workspace {
    /// Empty memory.
    pub fn new() -> Self {
        Self {
            covariance: Covariance::default(),
            factor: Cholesky::empty(),
            lower_inverse: Mat::new(),
            inverse: Mat::new(),
        }
    }

    /// The log marginal likelihood and its mean, without the gradient: a third of the work.
    pub fn value(
        &mut self,
        family: KernelFamily,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        outcomes: &[f64],
        profile_mean: bool,
    ) -> Result<(f64, f64)> {
        if low_rank(family, hyperparameters, inputs, outcomes)? {
            let found = LowRank::new(hyperparameters, inputs, outcomes, profile_mean)?;
            return Ok((found.value, found.mean));
        }
        let solved = self.solve(family, hyperparameters, inputs, outcomes, profile_mean, false)?;
        Ok((solved.value, solved.mean))
    }

    /// As [`Likelihood::new`].
    pub fn evaluate(
        &mut self,
        family: KernelFamily,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        outcomes: &[f64],
        profile_mean: bool,
    ) -> Result<Likelihood> {
        if low_rank(family, hyperparameters, inputs, outcomes)? {
            let found = LowRank::new(hyperparameters, inputs, outcomes, profile_mean)?;
            let slopes = found.slopes(inputs, &hyperparameters.lengthscales);
            return Ok(Likelihood {
                value: found.value,
                d_log_lengthscales: slopes.log_lengthscales,
                d_log_outputscale: slopes.log_outputscale,
                d_log_noise: slopes.log_noise,
                d_mean: if profile_mean { 0.0 } else { slopes.mean },
                mean: found.mean,
                jitter: found.jitter,
            });
        }
        let scaled = family.embedding() == Embedding::Scaled;
        let Solved { value, mean, alpha, quadratic } =
            self.solve(family, hyperparameters, inputs, outcomes, profile_mean, scaled)?;
        let n = outcomes.len();
        let Self { covariance, factor, lower_inverse, inverse } = self;
        factor.inverse_into(lower_inverse, inverse);
        let trace: f64 = (0..n).map(|i| alpha[i] * alpha[i] - inverse[(i, i)]).sum();
        // The jitter is part of the diagonal but not of the kernel.
        let d_log_noise = 0.5 * hyperparameters.noise * trace;
        let d_log_outputscale =
            0.5 * (quadratic - n as f64 - (hyperparameters.noise + factor.jitter()) * trace);
        let lengthscales = &hyperparameters.lengthscales;
        let d_log_lengthscales = match family.embedding() {
            Embedding::Scaled => {
                lengthscale_derivatives(covariance, inverse, &alpha, inputs, lengthscales)
            }
            Embedding::Sphere => {
                let scale = hyperparameters.outputscale;
                sphere_derivatives(factor, (scale, &alpha), inputs, lengthscales)
            }
        };
        Ok(Likelihood {
            value,
            d_log_lengthscales,
            d_log_outputscale,
            d_log_noise,
            d_mean: if profile_mean { 0.0 } else { alpha.iter().sum() },
            mean,
            jitter: factor.jitter(),
        })
    }

    /// Factors the covariance and solves with it.
    fn solve(
        &mut self,
        family: KernelFamily,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        outcomes: &[f64],
        profile_mean: bool,
        with_slopes: bool,
    ) -> Result<Solved> {
        let n = outcomes.len();
        let Self { covariance, factor, .. } = self;
        let packed = PackedPoints::new(family, inputs, &hyperparameters.lengthscales);
        covariance.refill(&packed, inputs, family, hyperparameters.outputscale, with_slopes);
        covariance.add_diagonal(hyperparameters.noise);
        factor.refactor(covariance.values())?;
        let mean =
            if profile_mean { profiled_mean(factor, outcomes) } else { hyperparameters.mean };
        let residuals: Vec<f64> = outcomes.iter().map(|y| y - mean).collect();
        let alpha = factor.solve(&residuals);
        let quadratic: f64 = residuals.iter().zip(&alpha).map(|(r, a)| r * a).sum();
        let value = -0.5
            * (quadratic + factor.log_determinant() + n as f64 * (2.0 * std::f64::consts::PI).ln());
        Ok(Solved { value, mean, alpha, quadratic })
    }
}

/// Checks the data and the hyper-parameters. Returns whether there are more observations than the
/// rank of the kernel.
fn low_rank(
    family: KernelFamily,
    hyperparameters: &Hyperparameters,
    inputs: &Points,
    outcomes: &[f64],
) -> Result<bool> {
    check_data(inputs, outcomes)?;
    hyperparameters.validate(inputs.dim())?;
    Ok(family.rank(inputs.dim()).is_some_and(|rank| inputs.len() > rank))
}

/// The constant mean with the largest likelihood, `1' K^-1 y / 1' K^-1 1`.
pub(crate) fn profiled_mean(factor: &Cholesky, outcomes: &[f64]) -> f64 {
    let weights = factor.solve(&vec![1.0; outcomes.len()]);
    weights.iter().zip(outcomes).map(|(w, y)| w * y).sum::<f64>() / weights.iter().sum::<f64>()
}

/// The same for the kernel on the sphere, from the gradient `s (alpha (P' alpha)' - K^-1 P)` by the
/// features.
pub(super) fn sphere_derivatives(
    factor: &Cholesky,
    (outputscale, alpha): (f64, &[f64]),
    inputs: &Points,
    lengthscales: &[f64],
) -> Vec<f64> {
    let mut gradients = sphere::features(inputs, lengthscales);
    gradients.as_mut().par_col_chunks_mut(LANES).for_each(|mut columns| {
        let before = columns.as_ref();
        let along: Vec<f64> = (0..before.ncols())
            .map(|k| before.col(k).iter().zip(alpha).map(|(p, a)| p * a).sum())
            .collect();
        factor.solve_lower(columns.as_mut());
        factor.solve_upper(columns.as_mut());
        for (k, along) in along.iter().enumerate() {
            for (gradient, a) in columns.as_mut().col_mut(k).iter_mut().zip(alpha) {
                *gradient = outputscale * (along * a - *gradient);
            }
        }
    });
    sphere::by_log_lengthscales(inputs, lengthscales, gradients.as_ref())
}

/// `tr(G dK / d ln l_k) / 2` for all `k`. `M = G o S` overwrites the slopes. The inputs are
/// centered first: the two sums then cancel no more digits than the spread of the inputs forces.
///
/// The strict lower triangle is enough, because the diagonal has distance zero and the upper
/// triangle mirrors the lower one. A block of columns `J` contributes
/// `sum_{i > j} M_ij (x_i - x_j)^2`: the sums of `M_ij (x_i^2 + x_j^2)` minus twice those of
/// `x_j (M' X)_j`.
pub(super) fn lengthscale_derivatives(
    covariance: &mut Covariance,
    inverse: &Mat<f64>,
    alpha: &[f64],
    inputs: &Points,
    lengthscales: &[f64],
) -> Vec<f64> {
    let (n, d) = (inputs.len(), inputs.dim());
    let mut center = vec![0.0; d];
    for row in inputs.rows() {
        center.iter_mut().zip(row).for_each(|(c, x)| *c += x / n as f64);
    }
    let x = Mat::from_fn(n, d, |i, k| (inputs.row(i)[k] - center[k]) / lengthscales[k]);
    let block = |(block, columns): (usize, MatMut<'_, f64>)| -> Vec<f64> {
        let start = block * BLOCK;
        let width = columns.ncols();
        let rows = n - start;
        let mut m = columns.subrows_mut(start, rows);
        // Sums of M over the part of a row to its left in the block, and over the part of a column
        // below its diagonal.
        let mut sums = vec![0.0; rows];
        for j in 0..width {
            let g = inverse
                .col(start + j)
                .try_as_col_major()
                .expect("a column of a matrix is contiguous")
                .as_slice();
            let m = m
                .as_mut()
                .col_mut(j)
                .try_as_col_major_mut()
                .expect("a column of a matrix is contiguous")
                .as_slice_mut();
            m[..=j].fill(0.0);
            let mut column_sum = 0.0;
            let alpha_j = alpha[start + j];
            for (((m, g), a), sum) in m[j + 1..]
                .iter_mut()
                .zip(&g[start + j + 1..])
                .zip(&alpha[start + j + 1..])
                .zip(&mut sums[j + 1..])
            {
                *m *= a * alpha_j - g;
                *sum += *m;
                column_sum += *m;
            }
            sums[j] += column_sum;
        }
        let below = x.as_ref().subrows(start, rows);
        let mut product = Mat::<f64>::zeros(width, d);
        matmul(product.as_mut(), Accum::Replace, m.as_ref().transpose(), below, 1.0, Par::Seq);
        let derivative = |k: usize| {
            let column = below.col(k);
            let squares: f64 =
                sums.iter().enumerate().map(|(i, sum)| sum * column[i] * column[i]).sum();
            let crossed: f64 = (0..width).map(|j| column[j] * product[(j, k)]).sum();
            squares - 2.0 * crossed
        };
        (0..d).map(derivative).collect()
    };
    let least = share::least(share::of_products(n * BLOCK * (d + 8)));
    let blocks = covariance.slopes_mut().par_col_chunks_mut(BLOCK).enumerate().with_min_len(least);
    let blocks: Vec<Vec<f64>> = blocks.map(block).collect();
    (0..d).map(|k| blocks.iter().map(|block| block[k]).sum()).collect()
}
