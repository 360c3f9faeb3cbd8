//! Smooth data, and models of them.

use gittins::math::Sobol;
use gittins::{Acquisition, Hyperparameters, Job, JobCost, KernelFamily, Points, Posterior};

/// Smooth outcomes at quasi-random inputs.
pub fn data(dim: usize, n: usize) -> (Points, Vec<f64>) {
    let inputs = Sobol::new(dim, 11).points(0, n);
    let outcomes = inputs
        .rows()
        .map(|x| {
            x.iter().enumerate().map(|(k, v)| (3.0 * v + k as f64).sin()).sum::<f64>()
                / (dim as f64).sqrt()
        })
        .collect();
    (inputs, outcomes)
}

/// Lengthscales around a third of the diameter.
pub fn hyperparameters(dim: usize, noise: f64) -> Hyperparameters {
    let lengthscales =
        (0..dim).map(|k| 0.3 * (dim as f64).sqrt() * (1.0 + 0.3 * (k as f64).sin())).collect();
    Hyperparameters { lengthscales, outputscale: 1.3, noise, mean: 0.2 }
}

/// A posterior of `n` data in `d` dimensions, and a posterior of a log cost. The noise is a share
/// of the outputscale.
#[cfg(feature = "gpu")]
pub fn models(family: KernelFamily, d: usize, n: usize, noise: f64) -> (Posterior, Posterior) {
    let (inputs, outcomes) = data(d, n);
    let hyperparameters = Hyperparameters { noise: 1.3 * noise, ..hyperparameters(d, 1.0) };
    let log_costs: Vec<f64> = inputs.rows().map(|x| 1.0 + 0.5 * x[0]).collect();
    let outcome = Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap();
    let other =
        if family == KernelFamily::Rbf { KernelFamily::Matern52 } else { KernelFamily::Rbf };
    (
        outcome,
        Posterior::new(
            other,
            &Hyperparameters { noise: 1.3e-2, ..hyperparameters },
            &inputs,
            &log_costs,
        )
        .unwrap(),
    )
}

/// A posterior of these data.
pub fn posterior(family: KernelFamily, dim: usize, n: usize, noise: f64) -> Posterior {
    let (inputs, outcomes) = data(dim, n);
    Posterior::new(family, &hyperparameters(dim, noise), &inputs, &outcomes).unwrap()
}

/// The job of an acquisition, beyond the best outcome.
pub fn job<'a>(posterior: &'a Posterior, acquisition: &'a Acquisition) -> Job<'a> {
    let incumbent = posterior.outcomes().iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Job::new(posterior, JobCost::Uniform(1.0), acquisition, incumbent).gradient(true)
}
