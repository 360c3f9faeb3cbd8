//! How a parameter varies: its values, and the codes that stand for them, found without the
//! library. A code is the number itself, 0 or 1 for a flag, the index of a name, NaN for what is
//! absent.

use std::sync::Arc;

use gittins::Value;
pub use gittins::data::ParameterKind as Kind;
use gittins::data::ParameterKind::{
    Choice, Constant, Flag, Float, Int, LogFloat, LogInt, Numbers, Ordinal, Steps,
};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// The share of its terms by which a sum may exceed its bound.
pub const SLACK: f64 = 1e-9;

pub const COUNTED: usize = 4096;

/// Names that a reader of CSV or JSON may stumble over, or take for something else.
const NAMES: [&str; 15] = [
    "adam", "sgd", "a,b", "Öl", "\"", "-", " ", "7", "1.0", "1e-3", "nan", "true", "null", "+1",
    "0x1",
];

/// How a value is scaled to about the unit interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    pub low: f64,
    pub high: f64,
    pub is_log: bool,
}

impl Scale {
    pub fn line(low: f64, high: f64) -> Self {
        Self { low, high, is_log: false }
    }

    fn one(value: f64) -> Self {
        let half = value.abs().max(1.0) * 0.5;
        Self::line(value - half, (value + half).min(f64::MAX))
    }

    /// A code on this scale. What is absent stands in the middle.
    fn of(self, code: f64) -> f64 {
        let Self { low, high, is_log } = self;
        match () {
            () if code.is_nan() => 0.5,
            () if is_log => (code.ln() - low.ln()) / (high.ln() - low.ln()),
            // Halves, since the widest box has no finite width otherwise.
            () => (0.5 * code - 0.5 * low) / (0.5 * high - 0.5 * low),
        }
    }

    pub fn slope(self, code: f64) -> f64 {
        let Self { low, high, is_log } = self;
        if is_log { 1.0 / (code * (high.ln() - low.ln())) } else { 0.5 / (0.5 * high - 0.5 * low) }
    }
}

pub fn scaled(scales: &[Scale], codes: &[f64]) -> Vec<f64> {
    codes.iter().zip(scales).map(|(code, scale)| scale.of(*code)).collect()
}

/// A number whose ends have squares.
pub fn number(dice: &mut Dice) -> Kind {
    let float = |low, high| Float { low, high };
    let log = |low, high| LogFloat { low, high };
    let int = |low, high| Int { low, high };
    dice.weighed(&[
        (0.08, float(0.0, 1.0)),
        (0.08, float(-5.0, 10.0)),
        (0.08, float(-1.0, 1.0)),
        (0.08, float(1e6, 1e6 + 1.0)),
        (0.08, float(-1e12, 3e12)),
        (0.07, float(0.0, 1e-9)),
        (0.08, float(-1e150, 1e150)),
        (0.05, log(1e-5, 1e-1)),
        (0.05, log(1e-100, 1e100)),
        (0.05, log(1.0, 1.0 + 1e-9)),
        (0.05, log(0.5, 512.0)),
        (0.04, int(0, 1)),
        (0.04, int(2, 12)),
        (0.04, int(-3, 3)),
        (0.04, int(0, 1_000_000)),
        (0.04, int(1_000_000, 1_000_003)),
        (0.05, int(-(1 << 49), 1 << 49)),
    ])
}

/// A number; now and then one at the ends of double precision.
fn any_number(dice: &mut Dice) -> Kind {
    if !dice.chance(0.03) {
        return number(dice);
    }
    let ends = [(-8e307, 8e307), (0.0, 1.7e308), (-1e-300, 1e-300), (1e308, 1.5e308)];
    let (low, high) = dice.pick(&ends);
    Float { low, high }
}

pub fn small_int(dice: &mut Dice) -> Kind {
    let (low, high) = dice.pick(&[(0, 1), (0, 2), (-3, 3), (5, 8), (0, 11)]);
    Int { low, high }
}

fn names(count: usize, dice: &mut Dice) -> Arc<[Arc<str>]> {
    let first = dice.whole(0, NAMES.len() - 1);
    (0..count).map(|k| NAMES[(first + k) % NAMES.len()].into()).collect()
}

fn steps(low: f64, high: f64, step: f64) -> Kind {
    Steps { low, high, step }
}

pub fn draw(dice: &mut Dice, finite: bool) -> Kind {
    if dice.chance(0.06) {
        return draw_one(dice);
    }
    let often = f64::from(u8::from(!finite));
    let count = dice.weighed(&[(0.4, 2), (0.4, 3), (0.2, 6)]);
    let numbers = |values: &[f64]| Numbers { values: values.into() };
    let value = dice.pick(&[3.into(), 0.25.into(), true.into(), "fixed".into()]);
    let kinds = [
        (6.0 * often, any_number(dice)),
        (2.0, small_int(dice)),
        (1.5 - often, LogInt { low: 1, high: 9 }),
        (0.5 * often, LogInt { low: 3, high: 1000 }),
        (0.5 * often, LogInt { low: 1, high: 1 << 40 }),
        (0.4, steps(0.0, 1.0, 0.1)),
        (0.4, steps(-3.0, 3.0, 2.0)),
        (0.3, steps(0.1, 0.7, 0.1)),
        (0.4, steps(1e6, 1e6 + 1.0, 0.3)),
        (0.7, numbers(&[16.0, 32.0, 64.0, 128.0])),
        (0.7, numbers(&[-1e9, 0.5])),
        (0.6, numbers(&[0.1, 0.2, 0.7])),
        (2.0, Ordinal { names: names(count, dice) }),
        (3.5, Choice { names: names(count, dice) }),
        (2.5, Flag),
        (1.0, Constant { value }),
    ];
    dice.weighed(&kinds)
}

fn draw_one(dice: &mut Dice) -> Kind {
    let only = names(1, dice);
    dice.pick(&[
        Float { low: -0.25, high: -0.25 },
        Float { low: 1.7e308, high: 1.7e308 },
        LogFloat { low: 1e-310, high: 1e-310 },
        Int { low: -7, high: -7 },
        LogInt { low: 3, high: 3 },
        steps(0.5, 0.5, 0.1),
        Numbers { values: [0.125].into() },
        Ordinal { names: only.clone() },
        Choice { names: only },
    ])
}

/// The values of one that has few, as codes.
pub fn codes(kind: &Kind) -> Option<Vec<f64>> {
    let upto = |count: usize| Some((0..count).map(|k| k as f64).collect());
    match kind {
        Float { low, high } | LogFloat { low, high } => (low == high).then(|| vec![*low]),
        Int { low, high } | LogInt { low, high } => {
            (high - low < COUNTED as i64).then(|| (*low..=*high).map(|n| n as f64).collect())
        }
        Steps { low, high, step } => {
            let count = ((high - low) / step + SLACK).floor() as usize + 1;
            Some((0..count).map(|k| (low + k as f64 * step).min(*high)).collect())
        }
        Numbers { values } => Some(values.to_vec()),
        Ordinal { names } | Choice { names } => upto(names.len()),
        Flag => upto(2),
        Constant { value } => Some(vec![value.number().unwrap_or(0.0)]),
        _ => None,
    }
}

pub fn code_at(kind: &Kind, u: f64) -> f64 {
    match kind {
        Float { low, high } => (low + u * (high - low)).clamp(*low, *high),
        LogFloat { low, high } => (low.ln() + u * (high.ln() - low.ln())).exp().clamp(*low, *high),
        Int { low, high } => {
            let low = *low as f64;
            let high = *high as f64;
            (low + (u * (high - low)).round()).clamp(low, high)
        }
        LogInt { low, high } => {
            let low = *low as f64;
            let high = *high as f64;
            let within = LogFloat { low: low - 0.5, high: high + 0.5 };
            code_at(&within, u).round().clamp(low, high)
        }
        _ => {
            let codes = codes(kind).unwrap_or_default();
            codes[((u * codes.len() as f64) as usize).min(codes.len() - 1)]
        }
    }
}

/// The code of a value, as lenient as the library: a number need not be typed as whole, and a
/// name may have been read as a number or a flag.
pub fn code(kind: &Kind, value: &Value) -> Option<f64> {
    match (kind, value) {
        (_, Value::Absent) => None,
        (Ordinal { names } | Choice { names }, value) => {
            let text = value.to_string();
            names.iter().position(|name| **name == *text).map(|index| index as f64)
        }
        (Flag, Value::Flag(_)) => value.number(),
        (Flag, _) => None,
        (Constant { value: own }, value) => match (own.number(), value.number()) {
            (Some(own), Some(told)) => (own == told).then_some(own),
            _ => (own == value).then_some(0.0),
        },
        (_, Value::Int(_) | Value::Float(_)) => {
            value.number().filter(|number| contains(kind, *number))
        }
        _ => None,
    }
}

pub fn contains(kind: &Kind, number: f64) -> bool {
    match kind {
        Float { low, high } | LogFloat { low, high } => (*low..=*high).contains(&number),
        Int { low, high } | LogInt { low, high } => {
            number.fract() == 0.0 && (*low as f64..=*high as f64).contains(&number)
        }
        Steps { step, .. } => {
            let near = |code: &f64| (code - number).abs() <= SLACK * step.max(number.abs());
            codes(kind).is_some_and(|codes| codes.iter().any(near))
        }
        _ => codes(kind).is_some_and(|codes| codes.contains(&number)),
    }
}

pub fn value(kind: &Kind, code: f64) -> Value {
    let number = |values: &[f64]| {
        if values.iter().all(|value| value.fract() == 0.0) {
            Value::Int(code as i64)
        } else {
            Value::Float(code)
        }
    };
    match kind {
        Int { .. } | LogInt { .. } => Value::Int(code as i64),
        Steps { low, step, .. } => number(&[*low, *step]),
        Numbers { values } => number(values),
        Ordinal { names } | Choice { names } => (&*names[code as usize]).into(),
        Flag => (code == 1.0).into(),
        Constant { value } => value.clone(),
        _ => Value::Float(code),
    }
}

pub fn scale(kind: &Kind) -> Scale {
    let (low, high) = match kind {
        Float { low, high } | LogFloat { low, high } => (*low, *high),
        Int { low, high } | LogInt { low, high } => (*low as f64, *high as f64),
        _ => {
            let codes = codes(kind).unwrap_or_default();
            (codes[0], codes[codes.len() - 1])
        }
    };
    let is_log = matches!(kind, LogFloat { .. } | LogInt { .. });
    if low < high { Scale { low, high, is_log } } else { Scale::one(low) }
}

pub fn columns(kind: &Kind) -> usize {
    match kind {
        _ if codes(kind).is_some_and(|codes| codes.len() == 1) => 0,
        Choice { names } if names.len() > 2 => names.len(),
        _ => 1,
    }
}

pub fn is_real(kind: &Kind) -> bool {
    matches!(kind, Float { low, high } | LogFloat { low, high } if low < high)
}

pub fn has_size(kind: &Kind) -> bool {
    !matches!(kind, Ordinal { .. } | Choice { .. } | Constant { .. })
}

/// How far the coordinate of a real number may be from that which the number was made of: some
/// units of the last place of the bounds, or of their logarithms and of 1, over the width.
fn rounding_of_number(kind: &Kind) -> f64 {
    // Next to zero all floats are equally far from each other.
    let least = 4.0 * f64::from_bits(1);
    let (size, width, gap) = match kind {
        Float { low, high } if is_real(kind) => (low.abs().max(high.abs()), high - low, least),
        LogFloat { low, high } if is_real(kind) => {
            let width = high.ln() - low.ln();
            (1.0 + low.ln().abs().max(high.ln().abs()), width, least / low)
        }
        _ => return 0.0,
    };
    8.0 * f64::EPSILON * (1.0 + size / width) + gap / width
}

/// By how much each column of a point may differ from that of its values.
pub fn rounding(kind: &Kind) -> Vec<f64> {
    vec![rounding_of_number(kind); columns(kind)]
}
