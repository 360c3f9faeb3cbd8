//! Many observations of a kernel of low rank, as a few observations that say the same.
//!
//! With the features `P` (`n x m`, `n > m`), a process is `f(x) = m + P(x) w` with `w ~ N(0, s I)`.
//! Let `P = U S V'` be the singular value decomposition. The outcomes tell of `w` what
//! `V' w` observed with the independent noise `v / S_j^2` tells (`v` is the noise of one outcome),
//! and nothing else. A row `V_j` of `V'` is a point of the unit sphere like any other. So the
//! posterior is that of an ordinary process with the observations
//!
//! - at the points `V_j`, whose prior covariance is `s I`,
//! - with the outcomes `m + V_j' P' (y - m) / S_j^2`,
//! - and the noise `v / S_j^2`.
//!
//! Its covariance is the diagonal matrix of `s + v / S_j^2`. Nothing is lost if the inputs are nearly
//! dependent, as with long lengthscales: such a direction only has a large noise. (`m` of the inputs
//! themselves could stand for all, but their covariance may be singular for all digits.)
//!
//! A singular value below `m eps` times the largest is rounding of `P`. The direction is left out:
//! it would change the covariance of the outcomes by less than their rounding.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::matmul::matmul;
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Accum, Mat, Par};

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::cholesky::{Cholesky, jitter_of_singular};
use crate::model::kernel::PackedPoints;
use crate::model::{Hyperparameters, KernelFamily, sphere};
use crate::posterior::moments::dot;

/// What the observations say.
#[derive(Debug, Clone)]
pub(crate) struct Compressed {
    /// The number `n` of observations.
    count: usize,
    /// The noise of each row.
    noise: Vec<f64>,
    /// The mean of the outcomes.
    center: f64,
    /// `V_j' P' r / S_j^2` for the outcomes less their mean, and for ones.
    outcomes: Vec<f64>,
    ones: Vec<f64>,
    /// What no function of the kernel explains, of the outcomes less their mean and of ones: sums
    /// of squares, and the sum of products.
    rest_squared: f64,
    rest_ones: f64,
    rest_product: f64,
    /// The noise of an observation, jitter included.
    total_noise: f64,
    /// `sum_j ln S_j^2`.
    log_determinant: f64,
}

impl Compressed {
    /// Compresses more observations than the kernel's rank, in O(n m^2). Returns also the points
    /// `V_j` and the factor of their covariance with noise.
    ///
    /// # Errors
    /// [`ErrorKind::NotPositiveDefinite`] if the decomposition does not converge, or if no jitter
    /// helps.
    pub fn new(
        family: KernelFamily,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        outcomes: &[f64],
    ) -> Result<(Self, PackedPoints, Cholesky)> {
        let Hyperparameters { outputscale, noise, .. } = *hyperparameters;
        let features = sphere::features(inputs, &hyperparameters.lengthscales);
        let (n, m) = (features.nrows(), features.ncols());
        let jitter = jitter_of_singular(n, outputscale, noise)?;
        let total_noise = noise + jitter;
        let (mut v, mut singular) = (Mat::zeros(m, m), Diag::zeros(m));
        let (none, full) = (ComputeSvdVectors::No, ComputeSvdVectors::Thin);
        let scratch = svd_scratch::<f64>(n, m, none, full, Par::Seq, Default::default());
        svd(
            features.as_ref(),
            singular.as_mut(),
            None,
            Some(v.as_mut()),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        )
        .map_err(|_| {
            Error::new(
                ErrorKind::NotPositiveDefinite,
                format!("the singular values of the features of {n} observations do not converge"),
            )
        })?;
        // They come in descending order.
        let least = m as f64 * f64::EPSILON * singular[0];
        let rank = (0..m).take_while(|&j| singular[j] > least).count();
        let mut along = Mat::<f64>::zeros(n, rank);
        let directions = v.as_ref().subcols(0, rank);
        matmul(along.as_mut(), Accum::Replace, features.as_ref(), directions, 1.0, Par::Seq);
        let squares: Vec<f64> =
            (0..rank).map(|j| along.col(j).iter().map(|p| p * p).sum()).collect();
        let center = outcomes.iter().map(|y| y / n as f64).sum::<f64>();
        let explain = |mut rest: Vec<f64>| {
            let explained: Vec<f64> = squares
                .iter()
                .enumerate()
                .map(|(j, square)| {
                    along.col(j).iter().zip(&rest).map(|(p, r)| p * r).sum::<f64>() / square
                })
                .collect();
            for (j, explained) in explained.iter().enumerate() {
                rest.iter_mut().zip(along.col(j).iter()).for_each(|(r, p)| *r -= explained * p);
            }
            (explained, rest)
        };
        let (of_outcomes, rest) = explain(outcomes.iter().map(|y| y - center).collect());
        let (of_ones, rest_of_ones) = explain(vec![1.0; n]);
        let noises: Vec<f64> = squares.iter().map(|square| total_noise / square).collect();
        let mut packed =
            PackedPoints::new(family, &Points::new(m - 1), &hyperparameters.lengthscales);
        let mut row = vec![0.0; m];
        for j in 0..rank {
            row.iter_mut().zip(v.col(j).iter()).for_each(|(to, from)| *to = *from);
            // Coordinates are taken from the pole.
            row[m - 1] -= 1.0;
            packed.push_embedded(&row);
        }
        let diagonal: Vec<f64> = noises.iter().map(|noise| outputscale + noise).collect();
        let compressed = Self {
            count: n,
            noise: noises,
            center,
            outcomes: of_outcomes,
            ones: of_ones,
            rest_squared: dot(&rest, &rest),
            rest_ones: dot(&rest_of_ones, &rest_of_ones),
            rest_product: dot(&rest, &rest_of_ones),
            total_noise,
            log_determinant: squares.iter().map(|square| square.ln()).sum(),
        };
        Ok((compressed, packed, Cholesky::diagonal(&diagonal, jitter)))
    }

    /// The number of observations that were compressed, the first of all.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of rows that they became.
    pub fn rows(&self) -> usize {
        self.noise.len()
    }

    /// The noise of these rows.
    pub fn noise(&self) -> &[f64] {
        &self.noise
    }

    /// The outcomes of the rows less the prior mean.
    pub fn residuals(&self, mean: f64) -> impl Iterator<Item = f64> {
        let shift = self.center - mean;
        self.outcomes.iter().zip(&self.ones).map(move |(y, one)| y + shift * one)
    }

    /// What the log likelihood of all outcomes has beside that of the rows' outcomes: the part of
    /// the outcomes that no function of the kernel explains, and the change of variables.
    pub fn log_likelihood_beside(&self, mean: f64) -> f64 {
        let shift = self.center - mean;
        let rest = self.rest_squared + shift * (2.0 * self.rest_product + shift * self.rest_ones);
        let others = (self.count - self.rows()) as f64;
        let two_pi = 2.0 * std::f64::consts::PI;
        -0.5 * (rest / self.total_noise
            + others * (self.total_noise.ln() + two_pi.ln())
            + self.log_determinant)
    }

    /// The constant mean of largest likelihood, `1' K^-1 y / 1' K^-1 1`. `factor` is that of the
    /// rows and of what was appended to them, `appended` the outcomes of these.
    pub fn profiled_mean(&self, factor: &Cholesky, appended: &[f64]) -> f64 {
        let ones = [&self.ones[..], &vec![1.0; appended.len()]].concat();
        let outcomes = self.outcomes.iter().copied();
        let outcomes = outcomes.chain(appended.iter().map(|y| y - self.center));
        let weights = factor.solve(&ones);
        let above: f64 = weights.iter().zip(outcomes).map(|(w, y)| w * y).sum();
        let below = dot(&weights, &ones);
        self.center
            + (above + self.rest_product / self.total_noise)
                / (below + self.rest_ones / self.total_noise)
    }
}
