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

/// What the observations say.
#[derive(Debug, Clone)]
pub(super) struct Compressed {
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
        let mut v = Mat::zeros(m, m);
        let mut singular = Diag::zeros(m);
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sobol::Sobol;
    use crate::model::likelihood::Likelihood;
    use crate::posterior::Posterior;

    const FAMILY: KernelFamily = KernelFamily::SphericalLinear;

    fn data(n: usize) -> (Hyperparameters, Points, Vec<f64>) {
        let inputs = Sobol::new(3, 4).points(0, n);
        let outcomes = inputs.rows().map(|x| 5.0 + x[0] - (3.0 * x[1]).sin() * x[2]).collect();
        let lengthscales = vec![0.4, 0.9, 0.6];
        (
            Hyperparameters { lengthscales, outputscale: 1.7, noise: 1e-3, mean: 4.0 },
            inputs,
            outcomes,
        )
    }

    /// The mean of largest likelihood, and the likelihood, with and without appended rows.
    #[test]
    fn the_profiled_mean_is_that_of_all_observations() {
        let (at, inputs, outcomes) = data(22);
        for appended in 0..4 {
            let n = 22 - appended;
            let mut posterior =
                Posterior::new(FAMILY, &at, &inputs.select(0..n), &outcomes[..n]).unwrap();
            for (input, outcome) in inputs.rows().zip(&outcomes).skip(n) {
                posterior.append(input, *outcome).unwrap();
            }
            assert_eq!((posterior.len(), posterior.rows()), (22, 4 + appended));
            let posterior = posterior.with_profiled_mean();
            let found = Likelihood::new(FAMILY, &at, &inputs, &outcomes, true).unwrap();
            // Both solve with a condition number below 22 1.7 / 1e-3, to 22 epsilons times that.
            let mean = posterior.hyperparameters().mean;
            assert!((mean - found.mean).abs() < 1e-9, "{mean} and {}", found.mean);
            let value = posterior.log_marginal_likelihood();
            assert!((value - found.value).abs() < 1e-8, "{value} and {}", found.value);
        }
    }

    #[test]
    fn means_at_the_data_are_those_of_the_posterior() {
        let (at, inputs, outcomes) = data(200);
        let posterior = Posterior::new(FAMILY, &at, &inputs, &outcomes).unwrap();
        assert_eq!(posterior.means_at_data(), posterior.moments(&inputs).unwrap().mean);
        assert_eq!(posterior.means_at_data().len(), 200);
    }

    /// What is known without noise stays known, however many outcomes follow.
    #[test]
    fn a_row_without_noise_is_not_compressed() {
        let (at, inputs, outcomes) = data(40);
        let posterior =
            Posterior::new(FAMILY, &at, &inputs.select(0..20), &outcomes[..20]).unwrap();
        let point = [0.3, 0.2, 0.9];
        let mut knowing = posterior.knowing(&point).unwrap().unwrap();
        for (input, outcome) in inputs.rows().zip(&outcomes).skip(20) {
            knowing.append(input, *outcome).unwrap();
        }
        assert_eq!((knowing.len(), knowing.rows()), (41, 4 + 21));
        let moments = knowing.moments(&Points::from_rows(3, point.to_vec()).unwrap()).unwrap();
        assert_eq!(moments.floored, 1);
    }

    #[test]
    fn beyond_the_rank_a_posterior_is_built_anew() {
        let (at, inputs, outcomes) = data(6);
        let few = Posterior::new(FAMILY, &at, &inputs.select(0..3), &outcomes[..3]).unwrap();
        assert!(few.grown(&at, &inputs.select(0..4), &outcomes[..4]).is_some());
        assert!(few.grown(&at, &inputs.select(0..5), &outcomes[..5]).is_none());
    }
}
