//! Numbers that are measured beside the outcome: with a limit, or objectives as well.

use gittins::study::{Limit, Objective, StudyBuilder};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// How many numbers a study has measured at most.
pub const MOST: usize = 2;

/// What is measured in a trial, in the order of names: NaN for what could not be measured, none for
/// what is not told.
pub type Measures = [Option<f64>; MOST];

/// The names of measured numbers, in their order: with what has a meaning in cells, and one that a
/// parameter may have.
const NAMES: [&str; 4] = ["a=b;c%", "latency_ms", "x0", "\u{d6}l, \"cold\""];

/// A measured number and its limit: a sum of the coordinates of the unit cube.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasureSpec {
    pub name: String,
    /// What it is in place of a limit.
    #[serde(default)]
    objective: Option<Objective>,
    least: bool,
    bound: f64,
    weights: Vec<f64>,
    /// How large the number is: a power of two.
    unit: f64,
    /// Whether it is rounded, so that most points have one of a few numbers.
    rounded: bool,
    /// The share of points at which it cannot be measured.
    missing: f64,
}

impl MeasureSpec {
    /// None, one or two of them; some are objectives where a policy knows `fronts`.
    pub fn draw_all(dim: usize, fronts: bool, dice: &mut Dice) -> Vec<Self> {
        let count = dice.weighed(&[(0.65, 0), (0.2, 1), (0.15, MOST)]);
        let first = dice.whole(0, NAMES.len() - MOST);
        let aims = fronts && dice.chance(0.5);
        let name = |number| NAMES[first + number];
        (0..count).map(|number| Self::draw(name(number), dim, aims, dice)).collect()
    }

    /// A limit that holds at some points, at all or at none, or now and then an objective.
    fn draw(name: &str, dim: usize, aims: bool, dice: &mut Dice) -> Self {
        let weights: Vec<f64> = (0..dim).map(|_| dice.between(-1.0, 1.0)).collect();
        let unit =
            dice.pick(&[1.0, 1024.0, 2.0_f64.powi(-40), 2.0_f64.powi(300), 2.0_f64.powi(-1000)]);
        let [low, high] = [f64::min, f64::max].map(|end| {
            let sum = weights.iter().map(|weight| end(*weight, 0.0)).sum::<f64>();
            // Rounding moves a number by half of a quarter at most.
            sum + end(-1.0, 1.0).clamp(-0.125, 0.125)
        });
        let least = dice.chance(0.5);
        let bound = match (dice.index(&[0.6, 0.2, 0.2]), least) {
            (0, _) => low + (high - low) * dice.between(0.2, 0.8),
            (1, true) | (2, false) => low - 0.5,
            _ => high + 0.5,
        };
        let objective = (aims && dice.chance(0.7)).then(|| {
            let aim = dice.pick(&[Objective::minimize(), Objective::maximize()]);
            if dice.chance(0.3) { aim.reference(unit * bound) } else { aim }
        });
        Self {
            name: name.to_owned(),
            objective,
            least,
            bound: unit * bound,
            weights,
            unit,
            rounded: dice.chance(0.3),
            missing: dice.weighed(&[(0.7, 0.0), (0.2, 0.3), (0.1, 1.0)]),
        }
    }

    pub fn set(&self, builder: StudyBuilder) -> StudyBuilder {
        match self.objective {
            Some(objective) => builder.objective(&self.name, objective),
            None => builder.limit(&self.name, self.limit()),
        }
    }

    pub fn is_objective(&self) -> bool {
        self.objective.is_some()
    }

    /// Whether a number that was measured holds the limit, or is known as one of an objective must be.
    pub fn holds(&self, number: f64) -> bool {
        if self.is_objective() { !number.is_nan() } else { self.limit().holds(number) }
    }

    fn limit(&self) -> Limit {
        if self.least { Limit::at_least(self.bound) } else { Limit::at_most(self.bound) }
    }

    /// What is measured at a point of the unit cube; NaN if it cannot be.
    pub fn at(&self, unit: &[f64]) -> f64 {
        let sum: f64 = unit.iter().zip(&self.weights).map(|(u, weight)| u * weight).sum();
        // A share of points that has nothing to do with the number.
        let place = unit.iter().fold(0.5, |place, u| (place + 7.3 * u) % 1.0);
        let number = if self.rounded { (4.0 * sum).round() / 4.0 } else { sum };
        if place < self.missing { f64::NAN } else { self.unit * number }
    }
}
