//! moments

/// Posterior moments of a batch of `b` points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moments {
    /// `b` means.
    pub mean: Vec<f64>,
    /// `b` variances of the latent function, never below the floor.
    pub variance: Vec<f64>,
    /// `b x d` gradients of the mean, row-major; empty if none were asked for.
    pub mean_gradient: Vec<f64>,
    /// `b x d` gradients of the variance.
    pub variance_gradient: Vec<f64>,
    /// How many variances were lifted to the floor.
    pub floored: usize,
}

/// The joint posterior of several points.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Means.
    pub mean: nalgebra::DVector<f64>,
    /// Covariance.
    pub covariance: nalgebra::DMatrix<f64>,
}
