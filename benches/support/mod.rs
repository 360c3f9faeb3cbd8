//! The work that the benches share: data as late in a run, half of it spread and half around one
//! place.

#[cfg(feature = "gpu")]
pub mod device;
pub mod roof;

use gittins::math::Sobol;
use gittins::{
    Acquisition, Hyperparameters, Job, JobCost, KernelFamily, Points, Pointwise, Posterior,
};

/// Dimension and number of observations.
pub const SIZES: [(usize, usize); 3] = [(8, 200), (16, 500), (32, 1000)];

/// Quasi-random inputs, the second half in a box of side 0.15 around the middle, and Ackley's
/// function (larger is better), standardized.
pub fn data(dim: usize, n: usize) -> (Points, Vec<f64>) {
    let mut inputs = Sobol::new(dim, 1).points(0, n);
    for i in n / 2..n {
        inputs.row_mut(i).iter_mut().for_each(|x| *x = 0.5 + 0.15 * (*x - 0.5));
    }
    let mut outcomes: Vec<f64> = inputs.rows().map(ackley).collect();
    let mean = outcomes.iter().sum::<f64>() / n as f64;
    let deviation =
        (outcomes.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (n as f64 - 1.0)).sqrt();
    for y in &mut outcomes {
        *y = (*y - mean) / deviation;
    }
    (inputs, outcomes)
}

/// Negated Ackley function on the unit cube, optimum in the middle.
pub fn ackley(z: &[f64]) -> f64 {
    let d = z.len() as f64;
    let x = || z.iter().map(|z| 2.0 * z - 1.0);
    let squares = x().map(|x| x * x).sum::<f64>() / d;
    let waves = x().map(|x| (2.0 * std::f64::consts::PI * x).cos()).sum::<f64>() / d;
    20.0 * (-0.2 * squares.sqrt()).exp() + waves.exp() - 20.0 - std::f64::consts::E
}

/// A Matern-5/2 posterior of that data with lengthscales that suit it.
pub fn posterior(dim: usize, n: usize) -> Posterior {
    posterior_with_noise(dim, n, 1e-4)
}

/// The same with so much noise that single precision is fit at all sizes; what is computed does not
/// depend on it.
pub fn noisy_posterior(dim: usize, n: usize) -> Posterior {
    posterior_with_noise(dim, n, 1e-2)
}

fn posterior_with_noise(dim: usize, n: usize, noise: f64) -> Posterior {
    let (inputs, outcomes) = data(dim, n);
    let lengthscales = (0..dim)
        .map(|k| 0.35 * (dim as f64 / 4.0).sqrt() * (1.0 + 0.2 * (k as f64).sin()))
        .collect();
    let hyperparameters = Hyperparameters { lengthscales, outputscale: 1.3, noise, mean: 0.1 };
    Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes)
        .expect("a positive definite covariance")
}

static GITTINS: Acquisition = Acquisition::Pointwise(Pointwise::Gittins { lambda: 1e-3 });

/// The Gittins index and its gradient at a uniform cost.
pub fn job(posterior: &Posterior) -> Job<'_> {
    let incumbent = posterior.outcomes().iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Job::new(posterior, JobCost::Uniform(1.0), &GITTINS, incumbent).gradient(true)
}
