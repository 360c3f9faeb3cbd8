//! Random choices of all kinds from one seed.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

pub struct Dice(Pcg64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    pub fn unit(&mut self) -> f64 {
        self.0.random()
    }

    pub fn seed(&mut self) -> u64 {
        self.0.random()
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        self.0.random_range(low..=high)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// A number between two positive ones, all orders of magnitude alike.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    pub fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        among[self.whole(0, among.len() - 1)].clone()
    }

    pub fn weighed<T: Clone>(&mut self, among: &[(f64, T)]) -> T {
        let mut left = self.unit() * among.iter().map(|(weight, _)| weight).sum::<f64>();
        let chosen = among.iter().find(|(weight, _)| {
            left -= weight;
            left < 0.0
        });
        chosen.or(among.last()).expect("something to choose from").1.clone()
    }

    /// The place of one of several weights, by their sizes.
    pub fn index(&mut self, weights: &[f64]) -> usize {
        self.weighed(&Vec::from_iter(weights.iter().copied().zip(0..)))
    }

    /// A point of the unit cube, sometimes at its ends or in its middle.
    pub fn point(&mut self, dim: usize) -> Vec<f64> {
        let special = self.chance(0.2);
        (0..dim)
            .map(|_| {
                if special && self.chance(0.5) { self.pick(&[0.0, 0.5, 1.0]) } else { self.unit() }
            })
            .collect()
    }
}

/// The seed of the `count`-th study of a run: neighbors share nothing (Steele, Lea, Flood 2014,
/// "Fast splittable pseudorandom number generators").
pub fn seed_of(run: u64, count: u64) -> u64 {
    let mix = |mut bits: u64| {
        bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    };
    mix(mix(run) ^ count)
}
