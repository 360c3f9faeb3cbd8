//! What evaluations cost.

use gittins::Cost;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::view::View;
use crate::world::kind::{Scale, scaled};

/// How a cost varies over the domain: `base exp(slopes . (s - 1/2))` of the scaled values `s`, and
/// nothing below `free` on the first axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bill {
    base: f64,
    slopes: Vec<f64>,
    free: Option<f64>,
    /// What is wrong with it where the last scaled value is above nine tenths.
    fault: Option<Fault>,
    scales: Vec<Scale>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Fault {
    NoNumber,
    Endless,
    Negative,
    /// Its slopes are no numbers.
    Steepless,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CostSpec {
    Uniform(f64),
    Known { gradient: bool },
    Learned,
}

impl Bill {
    pub fn draw(scales: Vec<Scale>, floor: bool, faulty: bool, dice: &mut Dice) -> Self {
        let base = dice.weighed(&[(0.6, 1.0), (0.15, 1e-6), (0.15, 1e6), (0.1, 37.5)]);
        let steep = dice.weighed(&[(0.5, 1.0), (0.3, 4.0), (0.2, 0.0)]);
        let slopes = scales.iter().map(|_| steep * dice.between(-1.0, 1.0)).collect();
        let free = (floor && dice.chance(0.5)).then_some(0.3);
        let faults = [Fault::NoNumber, Fault::Endless, Fault::Negative, Fault::Steepless];
        Self { base, slopes, free, fault: faulty.then(|| dice.pick(&faults)), scales }
    }

    pub fn is_faulty(&self) -> bool {
        self.fault.is_some()
    }

    pub fn at(&self, values: &[f64]) -> f64 {
        let scaled = scaled(&self.scales, values);
        let slopes = scaled.iter().zip(&self.slopes).map(|(s, slope)| slope * (s - 0.5));
        match self.fault.filter(|_| scaled[scaled.len() - 1] > 0.9) {
            Some(Fault::NoNumber) => f64::NAN,
            Some(Fault::Endless) => f64::INFINITY,
            Some(Fault::Negative) => -1.0,
            _ if self.free.is_some_and(|free| scaled[0] < free) => 0.0,
            _ => self.base * slopes.sum::<f64>().exp(),
        }
    }

    fn gradient(&self, values: &[f64], gradient: &mut [f64]) -> f64 {
        let cost = self.at(values);
        let last = scaled(&self.scales, values).last().is_some_and(|s| *s > 0.9);
        let steepless = last && self.fault == Some(Fault::Steepless);
        for (k, g) in gradient.iter_mut().enumerate() {
            let slope = self.scales[k].slope(values[k]);
            *g = match () {
                () if steepless => f64::NAN,
                () if cost == 0.0 || values[k].is_nan() => 0.0,
                () => cost * self.slopes[k] * slope,
            };
        }
        cost
    }
}

impl CostSpec {
    pub fn build(&self, bill: &Bill, view: &View) -> Cost {
        let (bill, money) = (bill.clone(), view.money);
        match self {
            Self::Uniform(cost) if view.known => {
                let cost = view.cost(*cost);
                Cost::known(move |_| cost)
            }
            Self::Uniform(cost) => Cost::uniform(view.cost(*cost)),
            Self::Known { gradient: false } => Cost::known(move |values| money * bill.at(values)),
            Self::Known { gradient: true } => Cost::known_with_gradient(move |values, gradient| {
                let cost = bill.gradient(values, gradient);
                for slope in gradient.iter_mut() {
                    *slope *= money;
                }
                money * cost
            }),
            Self::Learned => Cost::learned(),
        }
    }
}
