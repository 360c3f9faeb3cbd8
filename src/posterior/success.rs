//! The probability that a trial succeeds.

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::math::normal::cdf;
use crate::model::{GaussianProcess, Hyperparameters, KernelFamily, check_finite, success};
use crate::posterior::Posterior;

/// The probability that a trial at a point succeeds, learned from trials that succeeded and trials
/// that failed.
///
/// A latent function `h` is a Gaussian process, and a trial at `x` succeeds with probability
/// `Phi(h(x))`. After `n` trials the latent posterior is Gaussian by expectation propagation (Minka
/// 2001; Rasmussen & Williams 2006, section 3.6), with mean `mu` and variance `v` at a point, and
///
/// ```text
/// p = Phi(z)      z = mu / sqrt(1 + v)      d ln p = (phi(z) / Phi(z)) dz
/// ```
///
/// (equation 3.82 there).
///
/// ```
/// use gittins::{GaussianProcess, Points, posterior::Success};
/// let inputs = Points::from_rows(1, (0..20).map(|i| f64::from(i) / 19.0).collect())?;
/// let succeeded: Vec<bool> = inputs.rows().map(|x| x[0] < 0.6).collect();
/// let success = Success::fit(&GaussianProcess::new(), &inputs, &succeeded)?;
/// let p = success.probabilities(&Points::from_rows(1, vec![0.2, 0.9])?)?;
/// assert!(p[0] > 0.9 && p[1] < 0.2);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Success {
    latent: Posterior,
    log_evidence: f64,
}

impl Success {
    /// Conditions a latent function with these hyper-parameters on trials at `n x d` inputs, in
    /// O(n^3). The `noise` of the hyper-parameters is not used: the noise between the function and
    /// the labels has variance 1.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] for `n = 0`, [`ErrorKind::Dimension`] if lengths differ,
    /// [`ErrorKind::NonFinite`] and [`ErrorKind::InvalidSetting`], naming the number.
    pub fn new(
        family: KernelFamily,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        succeeded: &[bool],
    ) -> Result<Self> {
        check(inputs, succeeded)?;
        hyperparameters.validate(inputs.dim())?;
        let found = success::sites(family, hyperparameters, inputs, succeeded)?;
        let noises = found.sites.noises(hyperparameters.outputscale);
        let outcomes = found.sites.outcomes(&noises);
        let factor = found.noisy_factor(&noises);
        let latent =
            Posterior::with_noises(family, hyperparameters, inputs, (outcomes, noises), factor);
        Ok(Self { latent, log_evidence: found.log_evidence })
    }

    /// Fits lengthscales and outputscale of the latent function, and conditions it. The kernel is
    /// that of the model; the priors are those of latent functions. Far from all trials the
    /// probability is the share of successes.
    ///
    /// # Errors
    /// Those of [`new`](Self::new) and of the model's settings.
    pub fn fit(model: &GaussianProcess, inputs: &Points, succeeded: &[bool]) -> Result<Self> {
        check(inputs, succeeded)?;
        let found = success::fit(model, inputs, succeeded, Deadline::NEVER)?;
        Self::new(model.family(), &found, inputs, succeeded)
    }

    /// The posterior of the latent function, as regression on one outcome with one noise for each
    /// trial.
    pub fn latent(&self) -> &Posterior {
        &self.latent
    }

    /// The probability of success at each point as the other trials tell it: the label of a trial
    /// at this very point is left out, which is the cavity of expectation propagation.
    ///
    /// # Errors
    /// As for [`probabilities`](Self::probabilities).
    pub(crate) fn left_out(&self, points: &Points) -> Result<Vec<f64>> {
        let moments = self.latent.moments(points)?;
        let without = |(i, point): (usize, &[f64])| {
            let (mean, variance) = (moments.mean[i], moments.variance[i]);
            let row = self.latent.inputs().rows().position(|input| input == point);
            let cavity = row.and_then(|row| {
                let noise = self.latent.noise_of_row(row);
                let precision = 1.0 / variance - 1.0 / noise;
                let shift = mean / variance - self.latent.outcomes()[row] / noise;
                let proper = precision > 0.0 && precision.is_finite() && shift.is_finite();
                proper.then_some((shift / precision, 1.0 / precision))
            });
            let (mean, variance) = cavity.unwrap_or((mean, variance));
            cdf(mean / (1.0 + variance).sqrt())
        };
        Ok(points.rows().enumerate().map(without).collect())
    }

    /// The logarithm of the approximate probability of all labels (Rasmussen & Williams 2006,
    /// equation 3.65).
    #[doc(hidden)]
    pub fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// The probability of success at each point.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`], naming the point.
    pub fn probabilities(&self, points: &Points) -> Result<Vec<f64>> {
        let moments = self.latent.moments(points)?;
        let both = moments.mean.iter().zip(&moments.variance);
        Ok(both.map(|(mean, variance)| cdf(mean / (1.0 + variance).sqrt())).collect())
    }
}

fn check(inputs: &Points, succeeded: &[bool]) -> Result<()> {
    if inputs.is_empty() {
        return Err(Error::new(
            ErrorKind::Empty,
            "no trial to learn the probability of success from",
        ));
    }
    if inputs.len() != succeeded.len() {
        return Err(Error::new(
            ErrorKind::Dimension,
            format!("{} inputs and {} labels of success", inputs.len(), succeeded.len()),
        ));
    }
    check_finite(inputs)
}
