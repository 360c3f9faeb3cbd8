//! Whether single precision is fit for a posterior.

use super::inverted::Inverted;
use crate::model::KernelFamily;
use crate::model::family::Embedding;
use crate::posterior::Posterior;

/// The largest [`single_error`] with which single precision is still used. Measured
/// (the program `precision`), the largest error of a mean stays below the estimate. That of a
/// deviation stays below four times the estimate and what rounding `1 - v' v` leaves at a datum,
/// three times the root of the epsilon: 2.5e-4 and 2e-3 of the prior's deviation.
pub const FIT: f64 = 2.5e-4;

/// The error that a mean is expected to have in single precision, in units of the prior's
/// deviation; `O(n^3)`.
///
/// It is `eps` times the larger of `|L^-1|` in the Frobenius norm and `|alpha|`, in units of the
/// prior, with the factor `L` of the covariance and the weights `alpha = K^-1 (y - m)`. Every
/// distance is rounded. That moves its kernel value, and counts as much in a mean as the weight of
/// its datum. What else rounding takes from kernel and weights is kept (`shaders/math/pair.wgsl`).
/// For outcomes that the model expects `E |alpha|^2 = |L^-1|^2`, and the same numbers, rounded,
/// make up the variances. Outcomes that the model does not expect have larger weights.
///
/// A relative change of a squared distance moves other kernel values by at most 0.4 of it, and those
/// on the sphere by half of the square, which is up to 4. So there the estimate is four times as
/// large.
///
/// The shifts of means by the fantasies of pending trials are `k' q` with `q = L^-T [0; z]`. Over
/// the fantasies `|q|^2` is on average the squared norm of the last rows of `L^-1`, so the estimate
/// covers them. They are made from `V`, whose rounding counts as in a deviation.
///
/// With a kernel of low rank, as many observations as the rank leave a small variance everywhere,
/// and not only near a datum: on average over the data at most `noise rank / n`. What rounding
/// `1 - v' v` by four epsilons does to its root, in units of itself, counts as well.
pub fn single_error(posterior: &Posterior) -> f64 {
    factor_error(posterior, Inverted::of(posterior).squared_norm)
        .max(weights_error(posterior))
        .max(flatness_error(posterior))
}

/// The part of [`single_error`] that a small variance everywhere makes.
pub fn flatness_error(posterior: &Posterior) -> f64 {
    let n = posterior.len();
    match posterior.family().rank(posterior.dim()) {
        Some(rank) if n >= rank => {
            let hyperparameters = posterior.hyperparameters();
            let variance = hyperparameters.noise * rank as f64 / n as f64;
            2.0 * f64::from(f32::EPSILON) * hyperparameters.outputscale / variance
        }
        _ => 0.0,
    }
}

/// The part of [`single_error`] that the factor makes, from the squared norm of its inverse.
pub fn factor_error(posterior: &Posterior, squared_norm: f64) -> f64 {
    rounded_distance(posterior.family()) * squared_norm.sqrt()
}

/// What the rounding of a distance does to a kernel value.
pub fn rounded_distance(family: KernelFamily) -> f64 {
    let share = match family.embedding() {
        Embedding::Scaled => 1.0,
        Embedding::Sphere => 4.0,
    };
    share * f64::from(f32::EPSILON)
}

/// The part of [`single_error`] that the weights make.
pub fn weights_error(posterior: &Posterior) -> f64 {
    let squares: f64 = posterior.alpha.iter().map(|weight| weight * weight).sum();
    factor_error(posterior, posterior.hyperparameters().outputscale * squares)
}
