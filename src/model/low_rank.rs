//! The log marginal likelihood of a kernel of low rank, in O(n m^2).
//!
//! With the features `P` (`n x m`, `n > m`) of the observations, the covariance is
//! `K = s P P' + v I` with the noise `v`. All of it follows from `A = s P' P + v I`, which is
//! `m x m` (Woodbury's identity and the determinant lemma):
//!
//! - `K^-1 r = (r - P w) / v` with `w = s A^-1 P' r`,
//! - `r' K^-1 r = |r - P w|^2 / v + |w|^2 / s`, a sum without cancellation,
//! - `ln det K = ln det A + (n - m) ln v`,
//! - `tr K^-1 = tr A^-1 + (n - m) / v`.
//!
//! With `alpha = K^-1 r` and `G = alpha alpha' - K^-1`, the gradient by the features is
//! `s G P = alpha w' - s P A^-1`: the product `P' alpha` is `w / s`, with more digits.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use crate::data::Points;
use crate::error::Result;
use crate::math::cholesky::{Cholesky, jitter_of_singular};
use crate::model::Hyperparameters;
use crate::model::sphere::{ROWS, by_log_lengthscales, features};

/// The likelihood, and what its gradient needs.
pub(super) struct LowRank {
    pub value: f64,
    pub mean: f64,
    /// `v` without the noise of the model.
    pub jitter: f64,
    noise: f64,
    outputscale: f64,
    features: Mat<f64>,
    /// Of `A`.
    factor: Cholesky,
    /// `w` and `alpha` of `y - m`.
    w: Vec<f64>,
    alpha: Vec<f64>,
    /// `(y - m)' K^-1 (y - m)`.
    quadratic: f64,
}

/// The derivatives of the likelihood. If the mean was profiled, they are those of the profiled
/// likelihood, except the one by the mean.
pub(super) struct Slopes {
    pub log_lengthscales: Vec<f64>,
    pub log_outputscale: f64,
    pub log_noise: f64,
    pub mean: f64,
}

impl LowRank {
    /// The likelihood of more observations than the kernel's rank, which are checked.
    pub fn new(
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        outcomes: &[f64],
        profile_mean: bool,
    ) -> Result<Self> {
        let Hyperparameters { outputscale, noise, .. } = *hyperparameters;
        let features = features(inputs, &hyperparameters.lengthscales);
        let (n, m) = (features.nrows(), features.ncols());
        let jitter = jitter_of_singular(n, outputscale, noise)?;
        let mut a = products(features.as_ref(), outputscale);
        for i in 0..m {
            a[(i, i)] += noise + jitter;
        }
        let factor = Cholesky::factor(a.as_ref())?;
        // What rounding of `A` needs is noise for every observation.
        let jitter = jitter + factor.jitter();
        let mut found = Self {
            value: 0.0,
            mean: hyperparameters.mean,
            jitter,
            noise,
            outputscale,
            features,
            factor,
            w: Vec::new(),
            alpha: Vec::new(),
            quadratic: 0.0,
        };
        if profile_mean {
            let (_, weights, _) = found.solve(&vec![1.0; n]);
            found.mean = weights.iter().zip(outcomes).map(|(w, y)| w * y).sum::<f64>()
                / weights.iter().sum::<f64>();
        }
        let residuals: Vec<f64> = outcomes.iter().map(|y| y - found.mean).collect();
        (found.w, found.alpha, found.quadratic) = found.solve(&residuals);
        let total = noise + jitter;
        let log_determinant = found.factor.log_determinant() + (n - m) as f64 * total.ln();
        found.value = -0.5
            * (found.quadratic + log_determinant + n as f64 * (2.0 * std::f64::consts::PI).ln());
        Ok(found)
    }

    /// `w`, `K^-1 r` and `r' K^-1 r`.
    fn solve(&self, r: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
        let total = self.noise + self.jitter;
        let outputscale = self.outputscale;
        let mut w = self.factor.solve(&transposed_product(self.features.as_ref(), r));
        for w in &mut w {
            *w *= outputscale;
        }
        let mut solution = r.to_vec();
        for (k, w) in w.iter().enumerate() {
            for (left, p) in solution.iter_mut().zip(self.features.col(k).iter()) {
                *left -= w * p;
            }
        }
        let rest: f64 = solution.iter().map(|left| left * left).sum();
        let explained: f64 = w.iter().map(|w| w * w).sum();
        for left in &mut solution {
            *left /= total;
        }
        (w, solution, rest / total + explained / outputscale)
    }

    /// The derivatives.
    pub fn slopes(&self, inputs: &Points, lengthscales: &[f64]) -> Slopes {
        let Self { features, alpha, w, .. } = self;
        let Self { outputscale, noise, jitter, .. } = *self;
        let (n, m) = (features.nrows(), features.ncols());
        let (mut lower_inverse, mut inverse) = (Mat::new(), Mat::new());
        self.factor.inverse_into(&mut lower_inverse, &mut inverse);
        for (i, j) in (0..m).flat_map(|i| (0..i).map(move |j| (i, j))) {
            inverse[(j, i)] = inverse[(i, j)];
        }
        let total = noise + jitter;
        let of_inverse = (0..m).map(|i| inverse[(i, i)]).sum::<f64>() + (n - m) as f64 / total;
        let trace = alpha.iter().map(|a| a * a).sum::<f64>() - of_inverse;
        let mut gradients = Mat::zeros(n, m);
        gradients.as_mut().par_row_chunks_mut(ROWS).enumerate().for_each(|(block, mut rows)| {
            let first = block * ROWS;
            let of = features.as_ref().subrows(first, rows.nrows());
            matmul(rows.as_mut(), Accum::Replace, of, inverse.as_ref(), -outputscale, Par::Seq);
            for (k, w) in w.iter().enumerate() {
                for (gradient, a) in rows.as_mut().col_mut(k).iter_mut().zip(&alpha[first..]) {
                    *gradient += a * w;
                }
            }
        });
        Slopes {
            log_lengthscales: by_log_lengthscales(inputs, lengthscales, gradients.as_ref()),
            log_outputscale: 0.5 * (self.quadratic - n as f64 - total * trace),
            log_noise: 0.5 * noise * trace,
            mean: alpha.iter().sum(),
        }
    }
}

/// `s P' P`, in blocks of rows that are added up in order.
fn products(features: MatRef<'_, f64>, outputscale: f64) -> Mat<f64> {
    let (n, m) = (features.nrows(), features.ncols());
    let block = |block: usize| {
        let rows = features.subrows(block * ROWS, ROWS.min(n - block * ROWS));
        let mut product = Mat::zeros(m, m);
        matmul(product.as_mut(), Accum::Replace, rows.transpose(), rows, outputscale, Par::Seq);
        product
    };
    let blocks: Vec<Mat<f64>> = (0..n.div_ceil(ROWS)).into_par_iter().map(block).collect();
    blocks.into_iter().fold(Mat::zeros(m, m), |sum, block| sum + block)
}

/// `P' r`.
fn transposed_product(features: MatRef<'_, f64>, r: &[f64]) -> Vec<f64> {
    (0..features.ncols()).map(|k| features.col(k).iter().zip(r).map(|(p, r)| p * r).sum()).collect()
}
