//! The hyper-parameters of a model.

use crate::error::{Error, ErrorKind, Result};
#[cfg(feature = "serde")]
use crate::math::number::{list, one};

/// What a fit finds. All are in the units of the inputs and outcomes of the fit.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hyperparameters {
    /// One lengthscale per input (all equal for an isotropic kernel).
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub lengthscales: Vec<f64>,
    /// The kernel's variance `s`.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub outputscale: f64,
    /// The variance of the observation noise.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub noise: f64,
    /// The constant prior mean.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub mean: f64,
}

impl Hyperparameters {
    /// The same with variances that are this many times as large.
    pub(crate) fn widened(self, by: f64) -> Self {
        Self { outputscale: by * self.outputscale, noise: by * self.noise, ..self }
    }

    /// Checks that they are valid for dimension `dim`.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for another number of lengthscales, [`ErrorKind::NonFinite`] and
    /// [`ErrorKind::InvalidSetting`], naming the number.
    pub fn validate(&self, dim: usize) -> Result<()> {
        if self.lengthscales.len() != dim {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("{} lengthscales for {dim} inputs", self.lengthscales.len()),
            ));
        }
        let lengthscales = self
            .lengthscales
            .iter()
            .enumerate()
            .map(|(k, &l)| (format!("lengthscale {k}"), l, 0.0, false));
        let others = [
            ("outputscale", self.outputscale, 0.0, false),
            ("noise", self.noise, 0.0, true),
            ("mean", self.mean, f64::NEG_INFINITY, true),
        ];
        for (name, value, low, inclusive) in lengthscales
            .chain(others.map(|(name, v, low, inclusive)| (name.to_string(), v, low, inclusive)))
        {
            if !value.is_finite() {
                return Err(Error::new(ErrorKind::NonFinite, format!("{name} is {value}")));
            }
            if value < low || (value == low && !inclusive) {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("{name} must be positive, got {value}"),
                ));
            }
        }
        Ok(())
    }

    /// The hyper-parameters of the same process in other units of the outcome: `y` becomes
    /// `shift + scale y`.
    #[doc(hidden)]
    pub fn rescaled(&self, shift: f64, scale: f64) -> Self {
        Self {
            lengthscales: self.lengthscales.clone(),
            outputscale: self.outputscale * scale * scale,
            noise: self.noise * scale * scale,
            mean: shift + scale * self.mean,
        }
    }
}
