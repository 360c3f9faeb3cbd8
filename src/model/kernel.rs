//! kernels

/// A stationary kernel's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KernelFamily {
    /// `exp(-r)`.
    Matern12,
    /// `(1 + sqrt 3 r) exp(-sqrt 3 r)`.
    Matern32,
    /// `(1 + sqrt 5 r + 5 r^2 / 3) exp(-sqrt 5 r)`.
    #[default]
    Matern52,
    /// `exp(-r^2 / 2)`.
    Rbf,
}

/// What a fit finds, all in the units of the inputs and outcomes it was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperparameters {
    /// One lengthscale per input (all equal for an isotropic kernel).
    pub lengthscales: Vec<f64>,
    /// The kernel's variance.
    pub outputscale: f64,
    /// Variance of the observation noise.
    pub noise: f64,
    /// The constant mean.
    pub mean: f64,
}
