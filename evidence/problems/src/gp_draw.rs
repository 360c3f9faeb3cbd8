//! Functions drawn from a Gaussian process.

use gittins::internals::{Normals, frequencies, frequency_count};
use gittins::{Error, ErrorKind, KernelFamily, Result};
use libm::{sincos, sqrt};

use crate::check::check_finite;

/// A function drawn from a Gaussian process with mean 0, by random Fourier features (Rahimi and
/// Recht 2007):
///
/// `f(z) = sqrt(s / m) sum_{j<m} a_j sin(w_j' z) + b_j cos(w_j' z)`
///
/// with outputscale `s`, `m` frequencies, standard normal weights `a`, `b`. Its covariance over all
/// seeds is the kernel. A draw approaches a Gaussian process as `m` grows.
///
/// The frequencies follow the kernel's spectral density, `w_j = n_j / (ell sqrt(G_j))` coordinate
/// by coordinate: `n_j` are quasi-random normals (Owen-scrambled Sobol points), `G_j = 1` for the
/// squared exponential, and `G_j ~ Gamma(nu, rate nu)`, one per frequency, for Matern kernels. That
/// is a multivariate Student distribution with `2 nu` degrees of freedom. `G_j` is drawn as the
/// mean of `2 nu` squared normals.
///
/// A seed is one function for good. The generator is [`Pcg64`](rand_pcg::Pcg64), seeded by
/// `seed_from_u64`. It gives first the seed of the Sobol points, then frequency by frequency the
/// normals of `G_j`, then `a_j` and `b_j`. Normals come in pairs by the transform of Box and
/// Muller. Elementary functions are those of `libm`, which computes alike everywhere.
///
/// ```
/// use gittins::KernelFamily;
/// use gittins_problems::GpDraw;
/// let draw = GpDraw::new(KernelFamily::Matern52, &[0.5, 0.5], 1.0, 1024, 7)?;
/// let mut gradient = [0.0; 2];
/// assert_eq!(draw.value(&[0.2, 0.3]), draw.value_and_gradient(&[0.2, 0.3], &mut gradient));
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GpDraw {
    dim: usize,
    /// `m x d`, row by row.
    pub(super) frequencies: Vec<f64>,
    /// `m` pairs of the weights of sine and cosine, `sqrt(s / m)` included.
    pub(super) weights: Vec<(f64, f64)>,
}

impl GpDraw {
    /// Draws a function with this number of features: sines and cosines, so two per frequency. The
    /// papers take 1024.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a lengthscale, [`ErrorKind::NonFinite`] or
    /// [`ErrorKind::InvalidSetting`] for a lengthscale or an outputscale that is not finite or not
    /// positive, for a number of features that is zero, odd, or more than 2^17, and for a kernel that
    /// is not stationary.
    pub fn new(
        family: KernelFamily,
        lengthscales: &[f64],
        outputscale: f64,
        features: usize,
        seed: u64,
    ) -> Result<Self> {
        if lengthscales.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "expected at least one lengthscale, got none",
            ));
        }
        for (index, &lengthscale) in lengthscales.iter().enumerate() {
            check_positive(lengthscale)
                .map_err(|error| error.at(format!("lengthscale {index}")))?;
        }
        check_positive(outputscale).map_err(|error| error.at("outputscale"))?;
        let dim = lengthscales.len();
        let count = frequency_count(features)?;
        let mut normals = Normals::new(seed);
        let frequencies = frequencies(family, lengthscales, count, &mut normals)?;
        let scale = sqrt(outputscale / count as f64);
        let weights =
            (0..count).map(|_| (scale * normals.normal(), scale * normals.normal())).collect();
        Ok(Self { dim, frequencies, weights })
    }

    /// The dimension `d`.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The value at a point.
    ///
    /// # Panics
    /// If the point has another dimension.
    pub fn value(&self, z: &[f64]) -> f64 {
        self.sum(z, |_, _| {})
    }

    /// The value at a point; fills the gradient there.
    ///
    /// # Panics
    /// If the point or the gradient has another dimension.
    pub fn value_and_gradient(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(gradient.len(), self.dim, "a gradient of the draw's dimension");
        gradient.fill(0.0);
        self.sum(z, |frequency, slope| {
            gradient.iter_mut().zip(frequency).for_each(|(g, w)| *g += slope * w);
        })
    }

    /// Adds the features up. `each` gets every frequency with the derivative of its two features by
    /// the phase.
    fn sum(&self, z: &[f64], mut each: impl FnMut(&[f64], f64)) -> f64 {
        assert_eq!(z.len(), self.dim, "a point of the draw's dimension");
        let mut total = 0.0;
        for (frequency, (a, b)) in self.frequencies.chunks_exact(self.dim).zip(&self.weights) {
            let (sine, cosine) = sincos(frequency.iter().zip(z).map(|(w, z)| w * z).sum());
            total += a * sine + b * cosine;
            each(frequency, a * cosine - b * sine);
        }
        total
    }
}

fn check_positive(value: f64) -> Result<()> {
    check_finite(value)?;
    if value <= 0.0 {
        return Err(Error::new(
            ErrorKind::InvalidSetting,
            format!("expected a positive number, got {value}"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use libm::cos;

    use super::*;

    /// The covariance along an axis that a draw's own frequencies make, `mean cos(w r)`, against
    /// `exp(-r^2 / 2)`. Independent normals miss it by a standard error of
    /// `sqrt((1 + k(2r) - 2 k(r)^2) / (2 m))`. Quasi-random ones do several times better.
    #[test]
    fn frequencies_are_evenly_spread() {
        let kernel = |r: f64| (-0.5 * r * r).exp();
        let lengthscales = [1.0, 0.5, 2.0];
        for axis in 0..3 {
            for r in [0.5, 1.0, 2.0] {
                let error = |seed| {
                    let draw =
                        GpDraw::new(KernelFamily::Rbf, &lengthscales, 1.0, 1024, seed).unwrap();
                    let phases =
                        draw.frequencies.chunks_exact(3).map(|w| w[axis] * lengthscales[axis] * r);
                    phases.map(cos).sum::<f64>() / 512.0 - kernel(r)
                };
                let squared = (0..40).map(|seed| error(seed).powi(2)).sum::<f64>() / 40.0;
                let independent =
                    ((1.0 + kernel(2.0 * r) - 2.0 * kernel(r).powi(2)) / 1024.0).sqrt();
                assert!(
                    squared.sqrt() < 0.25 * independent,
                    "axis {axis}, distance {r}: {} against {independent}",
                    squared.sqrt()
                );
            }
        }
    }
}
