//! Exact Gaussian-process regression: kernels, priors, marginal likelihood, fit.

pub(crate) mod contraction;
mod covariance;
pub(crate) mod family;
pub(crate) mod fit;
mod fitting;
pub(crate) mod gaussian_process;
pub(crate) mod hyperparameters;
pub(crate) mod kernel;
pub(crate) mod likelihood;
mod low_rank;
mod part;
mod prior;
mod problem;
mod propagation;
pub(crate) mod spectral;
pub(crate) mod sphere;
pub(crate) mod success;
mod watch;

pub(crate) use covariance::Covariance;
pub(crate) use family::KernelFamily;
pub(crate) use fit::Fit;
pub use fit::FitStatus;
pub(crate) use gaussian_process::GaussianProcess;
pub use gaussian_process::{Mean, Noise, Priors};
pub(crate) use hyperparameters::Hyperparameters;
pub use prior::Prior;
pub(crate) use watch::seconds_of_factor;

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};

/// Checks a data set: it is not empty, the lengths are equal, the numbers are finite.
pub(crate) fn check_data(inputs: &Points, outcomes: &[f64]) -> Result<()> {
    if inputs.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "no observation to condition on"));
    }
    if inputs.len() != outcomes.len() {
        return Err(Error::new(
            ErrorKind::Dimension,
            format!("{} inputs and {} outcomes", inputs.len(), outcomes.len()),
        ));
    }
    if let Some(row) = outcomes.iter().position(|y| !y.is_finite()) {
        return Err(Error::new(
            ErrorKind::NonFinite,
            format!("outcome {row} is {}", outcomes[row]),
        ));
    }
    check_finite(inputs)
}

pub(crate) fn check_finite(points: &Points) -> Result<()> {
    match points.values().iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let row = at / points.dim();
            let column = at % points.dim();
            Err(Error::new(
                ErrorKind::NonFinite,
                format!("point {row}, coordinate {column} is {}", points.values()[at]),
            ))
        }
    }
}
