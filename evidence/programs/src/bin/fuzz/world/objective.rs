//! What comes out of an evaluation.

use serde::{Deserialize, Serialize};

use crate::dice::Dice;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    Bowl,
    Waves,
    /// A bowl in steps: many outcomes are equal.
    Steps,
    Constant,
    /// Flat but for a narrow peak.
    Spike,
    /// No relation between neighbors.
    Noise,
    /// Over many orders of magnitude.
    Steep,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    shape: Shape,
    center: Vec<f64>,
    /// About how far outcomes spread: a power of two.
    pub unit: f64,
    offset: f64,
}

impl Objective {
    pub fn draw(dim: usize, dice: &mut Dice) -> Self {
        use Shape::{Bowl, Constant, Noise, Spike, Steep, Steps, Waves};
        let shapes = [Bowl, Waves, Steps, Constant, Spike, Noise, Steep];
        let shape = shapes[dice.index(&[4.0, 4.0, 2.0, 0.7, 1.0, 1.5, 1.0])];
        let power = dice.weighed(&[(0.6, 0), (0.15, 20), (0.15, -20), (0.05, 600), (0.05, -600)]);
        let offset = dice.weighed(&[(0.6, 0.0), (0.3, -3.0), (0.1, 1000.0)]);
        Self { shape, center: dice.point(dim), unit: 2.0_f64.powi(power), offset }
    }

    pub fn is_extreme(&self) -> bool {
        !(1e-100..=1e100).contains(&self.unit)
    }

    /// The outcome at a point of the unit cube; never zero everywhere.
    pub fn at(&self, unit: &[f64]) -> f64 {
        let squares = || unit.iter().zip(&self.center).map(|(u, c)| (u - c) * (u - c)).sum::<f64>();
        let value = match self.shape {
            // Zeros alone have no unit.
            Shape::Bowl => squares() + 1.0 / 64.0,
            Shape::Waves => {
                unit.iter().zip(&self.center).map(|(u, c)| (7.0 * u + 6.0 * c).sin()).sum::<f64>()
                    + 1.0 / 32.0
            }
            Shape::Steps => (4.0 * squares()).round() / 4.0 + 0.125,
            Shape::Constant => 0.75,
            Shape::Spike => (-50.0 * squares()).exp(),
            Shape::Noise => {
                let bits = unit.iter().fold(17_u64, |bits, u| {
                    (bits ^ u.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
                });
                (bits >> 11) as f64 / (1_u64 << 53) as f64
            }
            Shape::Steep => (12.0 * squares()).exp(),
        };
        self.unit * (value + self.offset)
    }
}
