//! Spectral densities of the kernels: frequencies and weights of functions that are sums of random
//! Fourier features.
//!
//! A stationary kernel is the expectation of `s cos(w' (z - z'))` over frequencies `w` of its
//! spectral density (Bochner). The function
//!
//! `f(z) = sqrt(s / m) sum_{j<m} a_j sin(w_j' z) + b_j cos(w_j' z)`
//!
//! with standard normal weights therefore has the kernel as its covariance over all draws. It
//! approaches a Gaussian process as `m` grows (Rahimi and Recht 2007, "Random features for
//! large-scale kernel machines").
//!
//! Elementary functions are those of `libm`, which gives the same bits on every machine.

use std::f64::consts::PI;

use libm::{cos, log, sin, sqrt};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::error::{Error, ErrorKind, Result};
use crate::model::KernelFamily;

/// The largest number of frequencies: Sobol points have no more indices.
const MOST_FREQUENCIES: usize = 1 << 16;

/// The number of frequencies for this many features, a sine and a cosine each.
///
/// # Errors
/// [`ErrorKind::InvalidSetting`] for zero, an odd number, and more than 2^17.
pub fn frequency_count(features: usize) -> Result<usize> {
    if features == 0 || !features.is_multiple_of(2) || features / 2 > MOST_FREQUENCIES {
        let message = format!(
            "features: expected an even number from 2 to {}, got {features}",
            2 * MOST_FREQUENCIES
        );
        return Err(Error::new(ErrorKind::InvalidSetting, message));
    }
    Ok(features / 2)
}

/// Frequencies of the kernel's spectral density (`count x d`, row by row),
/// `w_j = n_j / (ell sqrt(G_j))` coordinate by coordinate. `n_j` are quasi-random normals
/// (Owen-scrambled Sobol points). For Matern kernels `G_j ~ Gamma(nu, rate nu)`, one per frequency;
/// for the squared exponential `G_j = 1`.
///
/// The generator must be fresh. It gives the seed of the Sobol points and then, frequency by
/// frequency, the normals of `G_j`.
///
/// # Errors
/// [`ErrorKind::InvalidSetting`] for a kernel that is not stationary: it has no frequencies.
pub fn frequencies(
    family: KernelFamily,
    lengthscales: &[f64],
    count: usize,
    normals: &mut Normals,
) -> Result<Vec<f64>> {
    family.check_stationary("frequencies")?;
    let sobol_seed = normals.generator.next_u32();
    let mut frequencies = Vec::with_capacity(count * lengthscales.len());
    for index in 0..count {
        let spread = sqrt(normals.gamma(family));
        frequencies.extend(
            lengthscales
                .iter()
                .enumerate()
                .map(|(axis, ell)| sobol_normal(index, axis, sobol_seed) / (ell * spread)),
        );
    }
    Ok(frequencies)
}

/// Standard normals from a generator, two at a time by the transform of Box and Muller.
#[derive(Debug, Clone)]
pub struct Normals {
    generator: Pcg64,
    spare: Option<f64>,
}

impl Normals {
    /// The generator is [`Pcg64`], seeded by `seed_from_u64`.
    pub fn new(seed: u64) -> Self {
        Self { generator: Pcg64::seed_from_u64(seed), spare: None }
    }

    /// The next standard normal.
    pub fn normal(&mut self) -> f64 {
        if let Some(normal) = self.spare.take() {
            return normal;
        }
        let (first, second) = box_muller(self.generator.random(), self.generator.random());
        self.spare = Some(second);
        first
    }

    /// A uniform number in `[0, 1)` from the same generator. A spare normal stays for the next call
    /// of [`normal`](Self::normal).
    pub fn uniform(&mut self) -> f64 {
        self.generator.random()
    }

    /// `Gamma(nu, rate nu)` as the mean of `2 nu` squared normals; 1 for the limit of large `nu`.
    fn gamma(&mut self, family: KernelFamily) -> f64 {
        let Some(twice_nu) = family.twice_nu() else { return 1.0 };
        (0..twice_nu).map(|_| self.normal()).map(|normal| normal * normal).sum::<f64>()
            / f64::from(twice_nu)
    }
}

/// Two independent standard normals from two uniforms in `[0, 1)`. `1 - u` is never zero, so its
/// logarithm is finite.
fn box_muller(u: f64, v: f64) -> (f64, f64) {
    let radius = sqrt(-2.0 * log(1.0 - u));
    (radius * cos(2.0 * PI * v), radius * sin(2.0 * PI * v))
}

/// Coordinate `axis` of the `index`-th quasi-random normal point. Two neighboring axes share a pair
/// of uniform ones. The Sobol tables end at [`sobol_burley::NUM_DIMENSIONS`]. Beyond, they are used
/// again with another scrambling.
fn sobol_normal(index: usize, axis: usize, seed: u32) -> f64 {
    let uniform = |axis: usize| {
        let tables = sobol_burley::NUM_DIMENSIONS as usize;
        let scrambling = seed.wrapping_add((axis / tables) as u32);
        f64::from(sobol_burley::sample(index as u32, (axis % tables) as u32, scrambling))
    };
    let (first, second) = box_muller(uniform(axis & !1), uniform(axis | 1));
    if axis.is_multiple_of(2) { first } else { second }
}
