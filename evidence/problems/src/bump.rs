//! The bump problem: a narrow bump in one dimension that misleads improvement per cost, or
//! improvement alone.

use std::f64::consts::PI;

use gittins::KernelFamily;
use gittins::internals::{Normals, frequencies};
use libm::{cos, exp, log, sqrt};

/// Cost, amplitude and objective of the two counterexamples of Xie, Astudillo, Frazier, Scully and
/// Terenin (2024, "Cost-aware Bayesian optimization via the Pandora's box Gittins index", Figures 2
/// and 9), on `[0, 1]` (the text's `[-500, 500]` in units of 1000).
///
/// With `b(z) = exp(-(z - 1/2)^2 / (2 w^2))`, `w = 0.002 / (2 sqrt(-2 ln eps^2))`, `eps = 0.1`,
/// `delta = 9`:
///
/// - cost `c(z) = (1 + delta - eps) b + eps`, from 0.1 to 10,
/// - amplitude `a(z) = (1 - e) b + e`, with `e` of the [`BumpVariant`],
/// - objective `f(z) = a(z) s(z)`, where `s` is a draw of a Matern-5/2 process of lengthscale 1e-4
///   and variance 1.
///
/// The bump falls to `eps^2` at a distance of 0.001 from the middle. It takes up 0.2 % of the
/// domain, twenty lengthscales.
///
/// The draw is `s(z) = sqrt(2 / m) sum_{j<m} a_j cos(w_j z + p_j)`, `m = 1280`, with standard
/// normal weights and uniform phases. A seed is one function for good. The generator of
/// [`GpDraw`](crate::GpDraw) gives the frequencies as it does there, then `a_j` and `p_j` in turn.
///
/// Objective and model do not match, in the published experiments and here. The objective has the
/// standard deviation `a(z)`. The model's kernel is `k(z, z') sqrt(a(z) a(z'))`, so its deviation
/// is `sqrt(a(z))`: it takes places off the bump for more uncertain than they are. The result
/// depends on the search too, not on the acquisition alone. A search from 200 points meets 0.2 % of
/// the domain in one iteration out of three. A grid of 20001 points or more always meets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bump {
    variant: BumpVariant,
    /// `w_j`, `p_j`, and `a_j sqrt(2 / m)`.
    waves: Vec<[f64; 3]>,
}

/// What the bump misleads: how far the amplitude falls off it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BumpVariant {
    /// Figure 2, `e = eps^2 = 0.01`: off the bump there is next to nothing, but at a hundredth of
    /// the cost. Improvement per cost prefers that.
    PerCost,
    /// Figure 9, `e = (1 - eps)^2 = 0.81`: off the bump outcomes are nearly as good and far
    /// cheaper. Improvement alone prefers the bump.
    Improvement,
}

const EPS: f64 = 0.1;
const DELTA: f64 = 9.0;
const WIDTH: f64 = 0.002;
const LENGTHSCALE: f64 = 1e-4;
const FEATURES: usize = 1280;
/// Points of the grid on `[0.45, 0.55]`, a tenth of a lengthscale apart.
const GRID: usize = 10_001;

impl Bump {
    /// The problem of a seed.
    pub fn new(variant: BumpVariant, seed: u64) -> Self {
        let mut normals = Normals::new(seed);
        let frequencies =
            frequencies(KernelFamily::Matern52, &[LENGTHSCALE], FEATURES, &mut normals)
                .expect("a stationary kernel has frequencies");
        let scale = sqrt(2.0 / FEATURES as f64);
        let wave = |frequency| {
            let weight = scale * normals.normal();
            [frequency, 2.0 * PI * normals.uniform(), weight]
        };
        Self { variant, waves: frequencies.into_iter().map(wave).collect() }
    }

    /// The cost at a point of one coordinate; fills its derivative.
    ///
    /// # Panics
    /// If the point or the gradient has another dimension than 1.
    pub fn cost(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        raised(EPS, 1.0 + DELTA, z, gradient)
    }

    /// The amplitude at a point of one coordinate; fills its derivative.
    ///
    /// # Panics
    /// If the point or the gradient has another dimension than 1.
    pub fn amplitude(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        let low = match self.variant {
            BumpVariant::PerCost => EPS * EPS,
            BumpVariant::Improvement => (1.0 - EPS) * (1.0 - EPS),
        };
        raised(low, 1.0, z, gradient)
    }

    /// The objective, to be maximized.
    ///
    /// # Panics
    /// If the point has another dimension than 1.
    pub fn value(&self, z: &[f64]) -> f64 {
        let draw: f64 = self
            .waves
            .iter()
            .map(|[frequency, phase, weight]| weight * cos(frequency * z[0] + phase))
            .sum();
        self.amplitude(z, &mut [0.0]) * draw
    }

    /// The point of a grid of 10001 points on `[0.45, 0.55]` where the objective is largest, and
    /// its value. The published figures take it for the optimum.
    ///
    /// Neighbors are a tenth of a lengthscale apart. The peak lies above the grid by up to some
    /// `a (0.05)^2 5/6 s`, 0.2 % of it. For [`BumpVariant::Improvement`] the amplitude is at least
    /// 0.81 everywhere, and a draw has larger values elsewhere in `[0, 1]`, which is ten times as
    /// long.
    pub fn optimum(&self) -> (f64, f64) {
        let place = |index: usize| 0.45 + 0.1 * index as f64 / (GRID - 1) as f64;
        let values = (0..GRID).map(|index| (place(index), self.value(&[place(index)])));
        values.fold(
            (f64::NAN, f64::NEG_INFINITY),
            |best, point| if point.1 > best.1 { point } else { best },
        )
    }
}

/// `(high - low) b(z) + low`, and its derivative.
fn raised(low: f64, high: f64, z: &[f64], gradient: &mut [f64]) -> f64 {
    assert_eq!((z.len(), gradient.len()), (1, 1), "a point and a gradient of one coordinate");
    // w^2 = W^2 / (4 (-2 ln eps^2)), and ln eps^2 = 2 ln eps.
    let variance = WIDTH * WIDTH / (-16.0 * log(EPS));
    let from = z[0] - 0.5;
    let bump = (high - low) * exp(-from * from / (2.0 * variance));
    gradient[0] = -bump * from / variance;
    bump + low
}
