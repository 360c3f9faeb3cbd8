//! The change of a belief by observations: the Kullback-Leibler divergence of the new posterior
//! from the old one.

use nalgebra::{DMatrix, DVector};

use gittins::Points;
use gittins::Result;
use gittins::data::{Observation, State};
use gittins::internals::VARIANCE_FLOOR;
use gittins::internals::saturated;
use gittins::suggest::Surrogate;

/// The divergence by one observation of a noisy normal variable, for the part of the belief in its
/// direction. With `V` the variance before and `r` the residual,
///
/// ```text
/// KL = ( ln(1 + V/noise) - V/(V + noise) + V r^2 / (V + noise)^2 ) / 2
/// ```
pub fn by_observation(variance: f64, noise: f64, residual: f64) -> f64 {
    let total = variance + noise;
    0.5 * ((variance / noise).ln_1p() - variance / total + variance * (residual / total).powi(2))
}

/// The divergence between the beliefs of two models at the points that were told after the first
/// model. If kernel and scaling are the same, this is the divergence of the whole processes,
/// because data change a belief only through its values there. It has no unit.
pub(super) fn divergence(old: &Surrogate, new: &Surrogate, told: &[&Observation]) -> Result<f64> {
    let mut points = Points::new(old.posterior().dim());
    let mut residuals = Vec::new();
    for observation in told {
        // Twins would make the joint belief singular.
        if !points.rows().any(|other| other == observation.point) {
            points.push(&observation.point);
        }
        let outcome = observation.outcome.filter(|_| observation.state == State::Complete);
        residuals
            .extend(outcome.map(|outcome| old.scale().apply(old.direction().sign() * outcome)));
    }
    if points.is_empty() {
        return Ok(0.0);
    }
    let before = old.posterior().joint(&points)?;
    let eigen = before.covariance.symmetric_eigen();
    let floor = VARIANCE_FLOOR * old.posterior().hyperparameters().outputscale;
    let variances = eigen.eigenvalues.map(|variance| variance.max(floor));
    let noise = old.posterior().hyperparameters().noise;
    let unchanged = old.scale() == new.scale()
        && old.posterior().hyperparameters() == new.posterior().hyperparameters();
    if unchanged && noise > 0.0 && residuals.len() == told.len() && told.len() == points.len() {
        // In the principal directions, observations with equal noise are independent.
        let residuals = eigen.eigenvectors.tr_mul(&(DVector::from_vec(residuals) - before.mean));
        let each = variances
            .iter()
            .zip(&residuals)
            .map(|(&variance, &residual)| by_observation(variance, noise, residual));
        return Ok(saturated(each.sum()));
    }
    // In the units of the old model, whitened by it: KL = ( sum_i (e_i - 1 - ln e_i) + |d|^2 ) / 2
    // with e the eigenvalues of the new covariance.
    let after = new.posterior().joint(&points)?;
    let ratio = new.scale().scaling().sd / old.scale().scaling().sd;
    let means = after.mean.map(|mean| old.scale().apply(new.scale().undo(mean)));
    let whiten = DMatrix::from_fn(points.len(), points.len(), |i, j| {
        eigen.eigenvectors[(i, j)] / variances[j].sqrt()
    });
    let difference = whiten.tr_mul(&(means - before.mean));
    let covariance = whiten.tr_mul(&(after.covariance * (ratio * ratio) * &whiten));
    // If outcomes are now of quite another magnitude, a variance in the old units may overflow.
    if covariance.iter().any(|value| !value.is_finite()) {
        return Ok(f64::MAX);
    }
    // In units of the old variances, the new ones are not below their floor. The old ones are not
    // above the prior's.
    let least = floor / variances.max();
    let values = covariance.symmetric_eigenvalues();
    let spread: f64 =
        values.iter().map(|&value| value.max(least)).map(|value| value - 1.0 - value.ln()).sum();
    Ok(saturated(0.5 * (spread + difference.norm_squared())))
}
