//! The log marginal likelihood and its gradient.
//!
//! With `K = s R + noise I`, `r = y - m`, `alpha = K^-1 r` and `G = alpha alpha' - K^-1` (Rasmussen & Williams 2006, equation 5.9):
//! `d L / d theta = tr(G dK / d theta) / 2`. The derivative by `ln l_k` has the matrix `S_ij (x_ik - x_jk)^2 / l_k^2`; with `M = G o S`,
//!
//! `sum_ij M_ij (x_ik - x_jk)^2 = 2 sum_i (sum_j M_ij) x_ik^2 - 2 sum_i x_ik (M X)_ik`,
//!
//! so that one `n x n x d` product serves all lengthscales. The other two come for free: `tr(G K) = r' alpha - n`.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use crate::data::Points;
use crate::error::Result;
use crate::math::cholesky::Cholesky;
use crate::model::kernel::{Covariance, PackedPoints};
use crate::model::{Hyperparameters, KernelFamily, check_data};

/// A log marginal likelihood with its derivatives.
#[derive(Debug, Clone, PartialEq)]
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
    /// The mean used: the given one, or `1' K^-1 y / 1' K^-1 1` where it was to be profiled out. (There `d_mean` is zero, and the other
    /// derivatives are those of the profiled likelihood, for the same reason.)
    pub mean: f64,
    /// What had to be added to the diagonal.
    pub jitter: f64,
}

/// Columns of the block over which one thread forms `M` and its product with the inputs.
const BLOCK: usize = 64;

impl Likelihood {
    /// The log marginal likelihood of `n` outcomes at `n x d` inputs, with gradient: one factor, one inverse, one product, all O(n^3) or less.
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
        check_data(inputs, outcomes)?;
        hyperparameters.validate(inputs.dim())?;
        let n = outcomes.len();
        let packed = PackedPoints::new(inputs, &hyperparameters.lengthscales);
        let mut covariance = Covariance::new(&packed, inputs, family, hyperparameters.outputscale, true);
        covariance.add_diagonal(hyperparameters.noise);
        let factor = Cholesky::factor(covariance.values())?;
        let mean = if profile_mean {
            let weights = factor.solve(&vec![1.0; n]);
            weights.iter().zip(outcomes).map(|(w, y)| w * y).sum::<f64>() / weights.iter().sum::<f64>()
        } else {
            hyperparameters.mean
        };
        let residuals: Vec<f64> = outcomes.iter().map(|y| y - mean).collect();
        let alpha = factor.solve(&residuals);
        let quadratic: f64 = residuals.iter().zip(&alpha).map(|(r, a)| r * a).sum();
        let value = -0.5 * (quadratic + factor.log_determinant() + n as f64 * (2.0 * std::f64::consts::PI).ln());

        let inverse = factor.inverse();
        let trace: f64 = (0..n).map(|i| alpha[i] * alpha[i] - inverse[(i, i)]).sum();
        // The jitter is part of the diagonal but not of the kernel.
        let d_log_noise = 0.5 * hyperparameters.noise * trace;
        let d_log_outputscale = 0.5 * (quadratic - n as f64 - (hyperparameters.noise + factor.jitter()) * trace);
        Ok(Self {
            value,
            d_log_lengthscales: lengthscale_derivatives(covariance, &inverse, &alpha, inputs, &hyperparameters.lengthscales),
            d_log_outputscale,
            d_log_noise,
            d_mean: if profile_mean { 0.0 } else { alpha.iter().sum() },
            mean,
            jitter: factor.jitter(),
        })
    }
}

/// `tr(G dK / d ln l_k) / 2` for all `k`. The inputs are centered first: the two sums then cancel no more digits than their spread forces.
fn lengthscale_derivatives(covariance: Covariance, inverse: &Mat<f64>, alpha: &[f64], inputs: &Points, lengthscales: &[f64]) -> Vec<f64> {
    let (n, d) = (inputs.len(), inputs.dim());
    let mut center = vec![0.0; d];
    for row in inputs.rows() {
        center.iter_mut().zip(row).for_each(|(c, x)| *c += x / n as f64);
    }
    let x = Mat::from_fn(n, d, |i, k| (inputs.row(i)[k] - center[k]) / lengthscales[k]);
    let slopes = covariance.slopes();
    // Strictly below the diagonal only: the diagonal has distance zero, and the rest is its mirror image. A block of columns J contributes
    // sum_{i > j} M_ij (x_i - x_j)^2 = sum_ij M_ij (x_i^2 + x_j^2 - 2 x_i x_j), again one product M_J' X.
    let partial = |block: usize| -> Vec<f64> {
        let start = block * BLOCK;
        let width = BLOCK.min(n - start);
        let rows = n - start;
        let mut m = Mat::<f64>::zeros(rows, width);
        for j in 0..width {
            let column = start + j;
            let (g, s) = (inverse.col(column), slopes.col(column));
            for i in j + 1..rows {
                let row = start + i;
                m[(i, j)] = (alpha[row] * alpha[column] - g[row]) * s[row];
            }
        }
        let below: MatRef<'_, f64> = x.as_ref().subrows(start, rows);
        let mut product = Mat::<f64>::zeros(width, d);
        matmul(product.as_mut(), Accum::Replace, m.transpose(), below, 1.0, Par::Seq);
        let mut row_sums = vec![0.0; rows];
        let mut column_sums = vec![0.0; width];
        for j in 0..width {
            for i in j + 1..rows {
                row_sums[i] += m[(i, j)];
                column_sums[j] += m[(i, j)];
            }
        }
        (0..d)
            .map(|k| {
                let column = below.col(k);
                let squares: f64 = (0..rows).map(|i| (row_sums[i] + column_sums.get(i).unwrap_or(&0.0)) * column[i] * column[i]).sum();
                let crossed: f64 = (0..width).map(|j| column[j] * product[(j, k)]).sum();
                squares - 2.0 * crossed
            })
            .collect()
    };
    let blocks: Vec<Vec<f64>> = (0..n.div_ceil(BLOCK)).into_par_iter().with_max_len(1).map(partial).collect();
    (0..d).map(|k| blocks.iter().map(|block| block[k]).sum()).collect()
}
