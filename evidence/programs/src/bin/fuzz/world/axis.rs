//! How one coordinate varies, and how it is scaled.

use gittins::{Space, Value};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// How a value is scaled to about the unit interval: by low and high, and whether in logarithms.
pub type Scale = (f64, f64, bool);

/// How one coordinate varies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Axis {
    Float(f64, f64),
    Log(f64, f64),
    Int(i64, i64),
}

/// Names that a reader of CSV or JSON may stumble over.
const NAMES: [&str; 10] =
    ["x", "rate, of learning", "depth", "value.x", "Größe", "a\"b", "unit", "x;y", " ", "7"];

pub fn name(index: usize, dice: &mut Dice) -> String {
    if index < NAMES.len() && dice.chance(0.3) {
        NAMES[index].to_owned()
    } else {
        format!("p{index}")
    }
}

/// Codes on their scales. What is absent stands in the middle.
pub fn scaled(scales: &[Scale], codes: &[f64]) -> Vec<f64> {
    let scale = |(code, &(low, high, log)): (&f64, &Scale)| {
        // Halves, since the widest box has no finite width otherwise.
        if code.is_nan() {
            0.5
        } else if log {
            (code.ln() - low.ln()) / (high.ln() - low.ln())
        } else {
            (0.5 * code - 0.5 * low) / (0.5 * high - 0.5 * low)
        }
    };
    codes.iter().zip(scales).map(scale).collect()
}

impl Axis {
    pub fn add(self, space: Space, name: &str) -> Space {
        match self {
            Self::Float(low, high) => space.float(name, low, high),
            Self::Log(low, high) => space.log_float(name, low, high),
            Self::Int(low, high) => space.int(name, low, high),
        }
    }

    pub fn contains(self, number: f64) -> bool {
        match self {
            Self::Float(low, high) | Self::Log(low, high) => (low..=high).contains(&number),
            Self::Int(low, high) => {
                number.fract() == 0.0 && (low as f64..=high as f64).contains(&number)
            }
        }
    }

    /// A number of this axis as the library has it.
    pub fn typed(self, number: f64) -> Value {
        match self {
            Self::Float(..) | Self::Log(..) => Value::Float(number),
            Self::Int(..) => Value::Int(number as i64),
        }
    }

    /// How far the coordinate of a real number may be from that which the number was made of: some
    /// units of the last place of the bounds, or of their logarithms and of 1, over the width.
    pub fn rounding(self) -> f64 {
        // Next to zero all floats are equally far from each other.
        let least = 4.0 * f64::from_bits(1);
        let (size, width, gap) = match self {
            Self::Float(low, high) => (low.abs().max(high.abs()), high - low, least),
            Self::Log(low, high) => {
                let width = high.ln() - low.ln();
                (1.0 + low.ln().abs().max(high.ln().abs()), width, least / low)
            }
            Self::Int(..) => return 0.0,
        };
        8.0 * f64::EPSILON * (1.0 + size / width) + gap / width
    }

    pub fn scale(self) -> Scale {
        match self {
            Self::Float(low, high) | Self::Log(low, high) if low == high => one(low),
            Self::Int(low, high) if low == high => one(low as f64),
            Self::Float(low, high) => (low, high, false),
            Self::Log(low, high) => (low, high, true),
            Self::Int(low, high) => (low as f64, high as f64, false),
        }
    }

    /// Its value, if it has one alone.
    pub fn only(self) -> Option<f64> {
        match self {
            Self::Float(low, high) | Self::Log(low, high) => (low == high).then_some(low),
            Self::Int(low, high) => (low == high).then_some(low as f64),
        }
    }

    pub fn value(self, u: f64) -> f64 {
        match self {
            Self::Float(low, high) => (low + u * (high - low)).clamp(low, high),
            Self::Log(low, high) => (low.ln() + u * (high.ln() - low.ln())).exp().clamp(low, high),
            Self::Int(low, high) => (low as f64 + (u * (high as f64 - low as f64)).round())
                .clamp(low as f64, high as f64),
        }
    }
}

/// The scale of what has one value.
pub fn one(value: f64) -> Scale {
    let half = value.abs().max(1.0) * 0.5;
    (value - half, (value + half).min(f64::MAX), false)
}

/// An axis; now and then one at the ends of double precision.
pub fn any_axis(dice: &mut Dice) -> Axis {
    let ends = [(-8e307, 8e307), (0.0, 1.7e308), (-1e-300, 1e-300), (1e308, 1.5e308)];
    if dice.chance(0.03) {
        let (low, high) = dice.pick(&ends);
        return Axis::Float(low, high);
    }
    axis(dice)
}

/// An axis whose ends have squares.
pub fn axis(dice: &mut Dice) -> Axis {
    let bounds = [(0.0, 1.0), (-5.0, 10.0), (-1.0, 1.0), (1e6, 1e6 + 1.0), (-1e12, 3e12)];
    let logs = [(1e-5, 1e-1), (1e-100, 1e100), (1.0, 1.0 + 1e-9), (0.5, 512.0)];
    let wholes = [(0, 1), (2, 12), (-3, 3), (0, 1_000_000), (1_000_000, 1_000_003)];
    let ((low, high), (least, most)) = (dice.pick(&bounds), dice.pick(&wholes));
    match dice.index(&[0.4, 0.07, 0.08, 0.2, 0.2, 0.05]) {
        0 => Axis::Float(low, high),
        1 => Axis::Float(0.0, 1e-9),
        2 => Axis::Float(-1e150, 1e150),
        3 => {
            let (low, high) = dice.pick(&logs);
            Axis::Log(low, high)
        }
        4 => Axis::Int(least, most),
        _ => Axis::Int(-(1 << 49), 1 << 49),
    }
}

pub fn small_int(dice: &mut Dice) -> Axis {
    let (low, high) = dice.pick(&[(0, 1), (0, 2), (-3, 3), (5, 8), (0, 11)]);
    Axis::Int(low, high)
}
