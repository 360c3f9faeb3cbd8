//! What is assumed of outcome and cost.

use gittins::model::{Mean, Noise, Prior, Priors};
use gittins::{GaussianProcess, KernelFamily};

use crate::dice::Dice;

/// A model, written down.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpec {
    pub family: KernelFamily,
    pub noise: Option<Noise>,
    pub priors: Option<Priors>,
    pub mean: Option<Mean>,
    pub isotropic: bool,
    /// Lengthscale and outputscale of a kernel that is known.
    pub fixed: Option<(f64, f64)>,
    pub restarts: usize,
    pub bounds: Option<(f64, f64)>,
}

impl ModelSpec {
    pub fn draw(family: KernelFamily, dice: &mut Dice) -> Self {
        let fixed = dice
            .chance(0.45)
            .then(|| (dice.pick(&[0.02, 0.2, 0.5, 2.0, 100.0]), dice.pick(&[0.25, 1.0, 9.0])));
        let noise = if fixed.is_some() || dice.chance(0.3) {
            Some(Noise::Fixed(dice.pick(&[0.0, 1e-10, 1e-6, 1e-4, 1e-2, 1.0])))
        } else {
            dice.chance(0.2).then(|| Noise::Learned {
                low: dice.pick(&[1e-12, 1e-4]),
                high: dice.pick(&[1e-2, 10.0]),
            })
        };
        let custom = Priors::Custom {
            lengthscale: Some(Prior::LogNormal { location: -0.5, scale: 1.0 }),
            outputscale: None,
            noise: Some(Prior::Gamma { shape: 1.1, rate: 0.05 }),
        };
        let priors = dice
            .chance(0.4)
            .then(|| dice.pick(&[Priors::None, Priors::Gamma, Priors::DimensionScaled, custom]));
        let mean = dice.chance(0.4).then(|| {
            dice.pick(&[Mean::Fixed(0.0), Mean::Fixed(-1.5), Mean::Learned, Mean::Profiled])
        });
        let restarts = dice.weighed(&[(0.2, 0), (0.6, 1), (0.2, 4)]);
        let bounds = dice.chance(0.1).then(|| dice.pick(&[(0.1, 0.1), (1e-3, 1e-2), (5.0, 500.0)]));
        Self { family, noise, priors, mean, isotropic: dice.chance(0.2), fixed, restarts, bounds }
    }

    pub fn family(dice: &mut Dice) -> KernelFamily {
        dice.pick(&[
            KernelFamily::Matern12,
            KernelFamily::Matern32,
            KernelFamily::Matern52,
            KernelFamily::Matern52,
            KernelFamily::Rbf,
            KernelFamily::SphericalLinear,
        ])
    }

    pub fn build(&self, dim: usize) -> GaussianProcess {
        let mut model = GaussianProcess::new().kernel(self.family).restarts(self.restarts);
        if let Some(noise) = self.noise {
            model = model.noise(noise);
        }
        if let Some(priors) = self.priors {
            model = model.priors(priors);
        }
        if let Some(mean) = self.mean {
            model = model.mean(mean);
        }
        if self.isotropic {
            model = model.isotropic();
        }
        if let Some((lengthscale, outputscale)) = self.fixed {
            model = model.fixed_kernel(vec![lengthscale; dim], outputscale);
        }
        if let Some((low, high)) = self.bounds {
            model = model.lengthscale_bounds(low, high);
        }
        model
    }

    /// Whether nothing is searched for, and the noise keeps the covariance far from singular:
    /// numbers then follow the data smoothly.
    pub fn is_tame(&self) -> bool {
        self.fixed.is_some() && matches!(self.noise, Some(Noise::Fixed(noise)) if noise >= 1e-4)
    }
}
