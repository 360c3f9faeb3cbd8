//! Exact Gaussian-process regression: kernels, priors, marginal likelihood, fit.

pub mod fit;
pub mod kernel;
pub mod likelihood;
pub mod prior;

pub use fit::{Fit, FitStatus, GaussianProcess, Mean, Noise};
pub use kernel::{Hyperparameters, KernelFamily};
