//! fit

use crate::data::Points;
use crate::error::Result;
use crate::model::{Hyperparameters, KernelFamily};

/// The constant prior mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mean {
    /// Known.
    Fixed(f64),
    /// Fitted by the optimizer along with the rest.
    Learned,
    /// Set in closed form to `1'K^-1 y / 1'K^-1 1` for each kernel.
    Profiled,
}

/// The variance of the observation noise, in units of the outcomes the model is given (standardized, within a study).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Known.
    Fixed(f64),
    /// Fitted within bounds.
    Learned {
        /// Lower bound, positive.
        low: f64,
        /// Upper bound.
        high: f64,
    },
}

/// What is assumed before the fit. More builder methods (priors, bounds, restarts) come with the real file.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianProcess {
    kernel: KernelFamily,
}

/// How a fit ended.
#[derive(Debug, Clone, PartialEq)]
pub enum FitStatus {
    /// The optimizer converged.
    Converged,
    /// It ran out of evaluations; the best found is used.
    Limited,
    /// Nothing better than the hyper-parameters from before could be found, and they are kept; says why.
    KeptPrevious(String),
}

/// A fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// What was found.
    pub hyperparameters: Hyperparameters,
    /// The log marginal likelihood there.
    pub log_marginal_likelihood: f64,
    /// The same plus the logarithms of the priors' densities.
    pub log_posterior: f64,
    /// Evaluations of the likelihood.
    pub evaluations: usize,
    /// How it ended.
    pub status: FitStatus,
}

impl GaussianProcess {
    /// Matern-5/2, one lengthscale per input, default priors.
    pub fn new() -> Self {
        todo!()
    }
    /// Another kernel.
    pub fn kernel(mut self, kernel: KernelFamily) -> Self {
        todo!()
    }
    /// One lengthscale for all inputs.
    pub fn isotropic(mut self) -> Self {
        todo!()
    }
    /// Another mean.
    pub fn mean(mut self, mean: Mean) -> Self {
        todo!()
    }
    /// Another noise.
    pub fn noise(mut self, noise: Noise) -> Self {
        todo!()
    }
    /// The kernel in use.
    pub fn family(&self) -> KernelFamily {
        todo!()
    }
    /// Finds hyper-parameters; from `previous` if there are some (warm: no restarts), else from the priors' middle with restarts.
    pub fn fit(&self, inputs: &Points, outcomes: &[f64], previous: Option<&Hyperparameters>, seed: u64) -> Result<Fit> {
        todo!()
    }
}
