//! What is assumed of outcome and cost.

use gittins::model::{Mean, Noise, Prior, Priors};
use gittins::{GaussianProcess, KernelFamily};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelSpec {
    pub family: KernelFamily,
    process: GaussianProcess,
    /// Lengthscale and outputscale of a kernel that is known.
    fixed: Option<(f64, f64)>,
    /// Whether nothing is searched for, and the noise keeps the covariance far from singular:
    /// numbers then follow the data smoothly.
    pub is_tame: bool,
}

impl ModelSpec {
    pub fn draw(family: KernelFamily, dice: &mut Dice) -> Self {
        let lengths = [0.02, 0.2, 0.5, 2.0, 100.0];
        let fixed = dice.chance(0.45).then(|| (dice.pick(&lengths), dice.pick(&[0.25, 1.0, 9.0])));
        let restarts = dice.weighed(&[(0.2, 0), (0.6, 1), (0.2, 4)]);
        let mut process = GaussianProcess::new().kernel(family).restarts(restarts);
        let mut is_tame = false;
        if fixed.is_some() || dice.chance(0.3) {
            let noise = dice.pick(&[0.0, 1e-10, 1e-6, 1e-4, 1e-2, 1.0]);
            process = process.noise(Noise::Fixed(noise));
            is_tame = fixed.is_some() && noise >= 1e-4;
        } else if dice.chance(0.2) {
            let low = dice.pick(&[1e-12, 1e-4]);
            let high = dice.pick(&[1e-2, 10.0]);
            process = process.noise(Noise::Learned { low, high });
        }
        let custom = Priors::Custom {
            lengthscale: Some(Prior::LogNormal { location: -0.5, scale: 1.0 }),
            outputscale: None,
            noise: Some(Prior::Gamma { shape: 1.1, rate: 0.05 }),
        };
        let priors = [Priors::None, Priors::Gamma, Priors::DimensionScaled, custom];
        if dice.chance(0.4) {
            process = process.priors(dice.pick(&priors));
        }
        let means = [Mean::Fixed(0.0), Mean::Fixed(-1.5), Mean::Learned, Mean::Profiled];
        if dice.chance(0.4) {
            process = process.mean(dice.pick(&means));
        }
        if dice.chance(0.2) {
            process = process.isotropic();
        }
        if dice.chance(0.1) {
            let (low, high) = dice.pick(&[(0.1, 0.1), (1e-3, 1e-2), (5.0, 500.0)]);
            process = process.lengthscale_bounds(low, high);
        }
        Self { family, process, fixed, is_tame }
    }

    pub fn family(dice: &mut Dice) -> KernelFamily {
        use KernelFamily::{Matern12, Matern32, Matern52, Rbf, SphericalLinear};
        dice.pick(&[Matern12, Matern32, Matern52, Matern52, Rbf, SphericalLinear])
    }

    pub fn build(&self, dim: usize) -> GaussianProcess {
        let process = self.process.clone();
        match self.fixed {
            Some((length, scale)) => process.fixed_kernel(vec![length; dim], scale),
            None => process,
        }
    }
}
