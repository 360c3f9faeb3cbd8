//! The fit of the probability of success: hyper-parameters by the evidence of expectation
//! propagation.
//!
//! With the sites held fixed, the gradient of the evidence is that of regression on their outcomes
//! with their noises, `tr(G dK / d theta) / 2` with `G = a a' - (K + 1/tau)^-1` and the weights `a`
//! (Rasmussen & Williams 2006, equation 5.27): the sites are stationary points of the evidence.

use faer::Mat;

use crate::data::Points;
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::math::normal::inverse_cdf;
use crate::model::family::Embedding;
use crate::model::kernel::PackedPoints;
use crate::model::likelihood::{Likelihood, lengthscale_derivatives, sphere_derivatives};
use crate::model::problem::{Climb, Problem};
use crate::model::propagation::{Labeled, Propagated, Sites, propagate};
use crate::model::watch::Watch;
use crate::model::{Covariance, GaussianProcess, Hyperparameters, KernelFamily};

/// The largest distance of a site from its fixed point: in a fit, and for a posterior. The evidence
/// is stationary in the sites, so its own error is the square of that.
const ROUGH: f64 = 1e-6;
const FINE: f64 = 1e-11;

/// The relative change of the evidence per label at which a climb ends.
const TOLERANCE: f64 = 1e-5;

/// The mean of the latent function, by the share of successes: far from all trials the probability
/// is that share. One half of a success and of a failure is added, as with Jeffreys' prior on the
/// share.
pub(crate) fn latent_mean(succeeded: &[bool], outputscale: f64) -> f64 {
    let successes = succeeded.iter().filter(|label| **label).count() as f64;
    let share = (successes + 0.5) / (succeeded.len() as f64 + 1.0);
    inverse_cdf(share) * (1.0 + outputscale).sqrt()
}

/// The sites of labels at `n x d` inputs.
pub(crate) fn sites(
    family: KernelFamily,
    hyperparameters: &Hyperparameters,
    inputs: &Points,
    succeeded: &[bool],
) -> Result<Propagated> {
    let packed = PackedPoints::new(family, inputs, &hyperparameters.lengthscales);
    let covariance = Covariance::new(&packed, inputs, family, hyperparameters.outputscale, false);
    let labeled =
        Labeled { covariance: covariance.values(), mean: hyperparameters.mean, succeeded };
    propagate(labeled, Sites::flat(succeeded.len()), FINE)
}

/// The memory of evaluations of the evidence. Sites start from those of the evaluation before.
struct Evidence {
    covariance: Covariance,
    sites: Option<Sites>,
    lower_inverse: Mat<f64>,
    inverse: Mat<f64>,
}

impl Evidence {
    fn new() -> Self {
        let (covariance, sites) = (Covariance::default(), None);
        Self { covariance, sites, lower_inverse: Mat::new(), inverse: Mat::new() }
    }

    /// The logarithm of the evidence with its gradient.
    fn evaluate(
        &mut self,
        family: KernelFamily,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        succeeded: &[bool],
    ) -> Result<Likelihood> {
        let Hyperparameters { lengthscales, outputscale, mean, .. } = hyperparameters;
        let Self { covariance, lower_inverse, inverse, .. } = self;
        let packed = PackedPoints::new(family, inputs, lengthscales);
        let scaled = family.embedding() == Embedding::Scaled;
        covariance.refill(&packed, inputs, family, *outputscale, scaled);
        let labeled = Labeled { covariance: covariance.values(), mean: *mean, succeeded };
        let n = succeeded.len();
        let start = self.sites.take().unwrap_or_else(|| Sites::flat(n));
        let found = propagate(labeled, start, ROUGH)?;
        let noises = found.sites.noises(*outputscale);
        let factor = found.noisy_factor(&noises);
        factor.inverse_into(lower_inverse, inverse);
        let weights = &found.weights;
        // tr(G K) = a' K a - tr((K + 1/tau)^-1 K).
        let explained: f64 = weights.iter().zip(&found.means).map(|(a, mean)| a * mean).sum();
        let taken: f64 = (0..n).map(|i| 1.0 - inverse[(i, i)] * noises[i]).sum();
        let d_log_lengthscales = match family.embedding() {
            Embedding::Scaled => {
                lengthscale_derivatives(covariance, inverse, weights, inputs, lengthscales)
            }
            Embedding::Sphere => {
                sphere_derivatives(&factor, (*outputscale, weights), inputs, lengthscales)
            }
        };
        let d_mean: f64 = weights.iter().sum();
        if found.settled {
            self.sites = Some(found.sites);
        }
        Ok(Likelihood {
            value: found.log_evidence,
            d_log_lengthscales,
            d_log_outputscale: 0.5 * (explained - taken),
            d_log_noise: 0.0,
            d_mean,
            mean: *mean,
            jitter: 0.0,
        })
    }
}

/// Hyper-parameters of the latent function for labels at `n x d` inputs, by one climb from the
/// centers of the priors. The result depends on the labels alone, unless a deadline cuts the climb
/// short; then the best so far is used.
pub(crate) fn fit(
    model: &GaussianProcess,
    inputs: &Points,
    succeeded: &[bool],
    deadline: Deadline,
) -> Result<Hyperparameters> {
    let model = model.of_success(inputs.dim());
    let labels: Vec<f64> = succeeded.iter().map(|&label| f64::from(u8::from(label))).collect();
    let problem = Problem::of_labels(&model, inputs, &labels);
    let latent = |found: Hyperparameters| {
        let mean = latent_mean(succeeded, found.outputscale);
        Hyperparameters { mean, ..found }
    };
    let start = problem.encode(&problem.center);
    let mut watch = Watch::new(deadline, model.family());
    let mut evidence = Evidence::new();
    let climb = problem.climb_by(&start, TOLERANCE, &mut watch, |theta| {
        let at = latent(problem.decode(theta));
        let mut found = evidence.evaluate(model.family(), &at, inputs, succeeded)?;
        // The mean grows with the outputscale s like sqrt(1 + s).
        found.d_log_outputscale +=
            found.d_mean * at.mean * 0.5 * at.outputscale / (1.0 + at.outputscale);
        Ok(found)
    })?;
    let Climb { minimum, found, .. } = climb;
    let usable = found.is_some() && minimum.value.is_finite();
    Ok(latent(if usable { problem.decode(&minimum.point) } else { problem.center.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sobol::Sobol;

    /// Trials that fail in a part of the square.
    fn trials(count: usize) -> (Points, Vec<bool>) {
        let inputs = Sobol::new(2, 3).points(0, count);
        let succeeded = inputs.rows().map(|x| x[0] + 0.3 * x[1] < 0.8).collect();
        (inputs, succeeded)
    }

    #[test]
    fn the_gradient_of_the_evidence_is_that_of_its_differences() {
        let (inputs, succeeded) = trials(30);
        for family in KernelFamily::ALL {
            let at = |theta: &[f64; 4]| Hyperparameters {
                lengthscales: vec![theta[0].exp(), theta[1].exp()],
                outputscale: theta[2].exp(),
                noise: 0.0,
                mean: theta[3],
            };
            let theta = [-1.1, 0.2, 1.4, 0.5];
            let value = |theta: &[f64; 4]| {
                let found = sites(family, &at(theta), &inputs, &succeeded).unwrap();
                assert!(found.settled);
                found.log_evidence
            };
            let found = Evidence::new().evaluate(family, &at(&theta), &inputs, &succeeded).unwrap();
            let [first, second] = found.d_log_lengthscales[..] else { panic!() };
            let slopes = [first, second, found.d_log_outputscale, found.d_mean];
            for (k, slope) in slopes.into_iter().enumerate() {
                let h = 1e-4;
                let moved = |by: f64| {
                    let mut theta = theta;
                    theta[k] += by;
                    value(&theta)
                };
                let difference = (moved(h) - moved(-h)) / (2.0 * h);
                // The sites of the gradient are within 1e-6 of their fixed point, and 30 of them
                // enter; the difference errs by h^2.
                assert!((slope - difference).abs() < 1e-4, "{family:?} {k}: {slope} {difference}");
            }
        }
    }
}
