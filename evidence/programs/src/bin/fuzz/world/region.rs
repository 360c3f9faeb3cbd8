//! Parts of a domain: where evaluations are allowed, or where they fail.

use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// Where a weighted sum of the scaled values is at most a bound, or, of a hollow region, not near
/// zero. The middle of a region that is not hollow is inside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Region {
    weights: Vec<f64>,
    bound: f64,
    hollow: bool,
}

impl Region {
    /// A region that has most of the domain.
    pub fn draw(dim: usize, dice: &mut Dice) -> Self {
        let weights = (0..dim).map(|_| dice.between(-1.0, 1.0)).collect();
        let hollow = dice.chance(0.2);
        let bound = if hollow { 0.03 } else { dice.pick(&[0.05, 0.2, 0.4]) };
        Self { weights, bound, hollow }
    }

    pub fn contains(&self, scaled: &[f64]) -> bool {
        let sum: f64 = self.weights.iter().zip(scaled).map(|(weight, s)| weight * (s - 0.5)).sum();
        if self.hollow { sum.abs() >= self.bound } else { sum <= self.bound }
    }
}
