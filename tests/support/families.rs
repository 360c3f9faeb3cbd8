//! Families of kernels.

use gittins::KernelFamily;

/// Those that are functions of the scaled distance. They have frequencies, and any number of
/// observations gives a covariance of full rank.
pub const STATIONARY: [KernelFamily; 4] =
    [KernelFamily::Matern12, KernelFamily::Matern32, KernelFamily::Matern52, KernelFamily::Rbf];
