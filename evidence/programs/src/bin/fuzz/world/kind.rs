//! How one parameter of a mixed space varies: its values, and the codes that stand for them.

use gittins::{Space, Value};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::world::axis::{Axis, Scale, any_axis, one, small_int};

/// How a parameter varies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    Number(Axis),
    LogInt(i64, i64),
    Steps(f64, f64, f64),
    Numbers(Vec<f64>),
    Ordinal(Vec<String>),
    Choice(Vec<String>),
    Flag,
    Constant(Value),
}

/// The share of its terms by which a sum may exceed its bound.
pub const SLACK: f64 = 1e-9;

/// The largest number of combinations of values that are looked through.
pub const COUNTED: usize = 4096;

/// Names that a reader of CSV or JSON may stumble over, or take for something else.
const NAMES: [&str; 15] = [
    "adam", "sgd", "a,b", "Öl", "\"", "-", " ", "7", "1.0", "1e-3", "nan", "true", "null", "+1",
    "0x1",
];

impl Kind {
    pub fn draw(dice: &mut Dice, finite: bool) -> Self {
        let names = |dice: &mut Dice| {
            let first = dice.whole(0, NAMES.len() - 1);
            let count = dice.weighed(&[(0.4, 2), (0.4, 3), (0.2, 6)]);
            (0..count).map(|k| NAMES[(first + k) % NAMES.len()].to_owned()).collect()
        };
        if dice.chance(0.06) {
            return Self::one(dice);
        }
        let number = if finite { 0.0 } else { 6.0 };
        match dice.index(&[number, 2.0, 1.5, 1.5, 2.0, 2.0, 3.5, 2.5, 1.0]) {
            0 => Self::Number(any_axis(dice)),
            1 => Self::Number(small_int(dice)),
            2 if finite => Self::LogInt(1, 9),
            2 => dice.pick(&[Self::LogInt(1, 9), Self::LogInt(3, 1000), Self::LogInt(1, 1 << 40)]),
            3 => {
                let steps = [(0.0, 1.0, 0.1), (-3.0, 3.0, 2.0), (0.1, 0.7, 0.1)];
                let (low, high, step) = dice.pick(&steps);
                let far = dice.chance(0.25);
                if far { Self::Steps(1e6, 1e6 + 1.0, 0.3) } else { Self::Steps(low, high, step) }
            }
            4 => {
                let numbers = [vec![16.0, 32.0, 64.0, 128.0], vec![-1e9, 0.5], vec![0.1, 0.2, 0.7]];
                Self::Numbers(dice.pick(&numbers))
            }
            5 => Self::Ordinal(names(dice)),
            6 => Self::Choice(names(dice)),
            7 => Self::Flag,
            _ => {
                let values = [Value::from(3), 0.25.into(), true.into(), "fixed".into()];
                Self::Constant(dice.pick(&values))
            }
        }
    }

    /// One with one value.
    fn one(dice: &mut Dice) -> Self {
        let names = |dice: &mut Dice| vec![dice.pick(&NAMES).to_owned()];
        match dice.whole(0, 8) {
            0 => Self::Number(Axis::Float(-0.25, -0.25)),
            1 => Self::Number(Axis::Float(1.7e308, 1.7e308)),
            2 => Self::Number(Axis::Log(1e-310, 1e-310)),
            3 => Self::Number(Axis::Int(-7, -7)),
            4 => Self::LogInt(3, 3),
            5 => Self::Steps(0.5, 0.5, 0.1),
            6 => Self::Numbers(vec![0.125]),
            7 => Self::Ordinal(names(dice)),
            _ => Self::Choice(names(dice)),
        }
    }

    /// The values of one that has few, as codes.
    pub fn codes(&self) -> Option<Vec<f64>> {
        let upto = |count: usize| Some((0..count).map(|k| k as f64).collect());
        match self {
            Self::Number(axis) if axis.only().is_some() => axis.only().map(|only| vec![only]),
            Self::Number(Axis::Int(low, high)) | Self::LogInt(low, high)
                if high - low < COUNTED as i64 =>
            {
                Some((*low..=*high).map(|whole| whole as f64).collect())
            }
            Self::Number(_) | Self::LogInt(..) => None,
            Self::Steps(low, high, step) => {
                let count = ((high - low) / step + SLACK).floor() as usize + 1;
                Some((0..count).map(|k| (low + k as f64 * step).min(*high)).collect())
            }
            Self::Numbers(values) => Some(values.clone()),
            Self::Ordinal(names) | Self::Choice(names) => upto(names.len()),
            Self::Flag => upto(2),
            Self::Constant(value) => Some(vec![value.number().unwrap_or(0.0)]),
        }
    }

    /// The code that a quasi-random coordinate leads to.
    pub fn code_at(&self, u: f64) -> f64 {
        match self {
            Self::Number(axis) => axis.value(u),
            Self::LogInt(low, high) => {
                let (low, high) = (*low as f64, *high as f64);
                Axis::Log(low - 0.5, high + 0.5).value(u).round().clamp(low, high)
            }
            _ => {
                let codes = self.codes().unwrap_or_default();
                codes[((u * codes.len() as f64) as usize).min(codes.len() - 1)]
            }
        }
    }

    /// The code of a value, as lenient as the library: a number need not be typed as whole, and a
    /// name may have been read as a number or a flag.
    pub fn code(&self, value: &Value) -> Option<f64> {
        match (self, value) {
            (_, Value::Absent) => None,
            (Self::Ordinal(names) | Self::Choice(names), value) => {
                let text = value.to_string();
                names.iter().position(|name| *name == text).map(|index| index as f64)
            }
            (Self::Flag, Value::Flag(_)) => value.number(),
            (Self::Flag, _) => None,
            (Self::Constant(own), value) => match (own.number(), value.number()) {
                (Some(own), Some(told)) => (own == told).then_some(own),
                _ => (own == value).then_some(0.0),
            },
            (_, Value::Int(_) | Value::Float(_)) => {
                value.number().filter(|number| self.contains(*number))
            }
            _ => None,
        }
    }

    pub fn contains(&self, number: f64) -> bool {
        match self {
            Self::Number(axis) => axis.contains(number),
            Self::LogInt(low, high) => Axis::Int(*low, *high).contains(number),
            Self::Steps(_, _, step) => {
                let near = |code: &f64| (code - number).abs() <= SLACK * step.max(number.abs());
                self.codes().is_some_and(|codes| codes.iter().any(near))
            }
            _ => self.codes().is_some_and(|codes| codes.contains(&number)),
        }
    }

    /// The value of a code, typed as the space has it.
    pub fn value(&self, code: f64) -> Value {
        let whole = |values: &[f64]| values.iter().all(|value| value.fract() == 0.0);
        let number = |whole: bool| if whole { Value::Int(code as i64) } else { Value::Float(code) };
        match self {
            Self::Number(axis) => axis.typed(code),
            Self::LogInt(..) => number(true),
            Self::Steps(low, _, step) => number(whole(&[*low, *step])),
            Self::Numbers(values) => number(whole(values)),
            Self::Ordinal(names) | Self::Choice(names) => names[code as usize].as_str().into(),
            Self::Flag => (code == 1.0).into(),
            Self::Constant(value) => value.clone(),
        }
    }

    pub fn scale(&self) -> Scale {
        match self {
            Self::Number(axis) => axis.scale(),
            Self::LogInt(low, high) if low == high => one(*low as f64),
            Self::LogInt(low, high) => (*low as f64, *high as f64, true),
            _ => {
                let codes = self.codes().unwrap_or_default();
                let (low, high) = (codes[0], codes[codes.len() - 1]);
                if low < high { (low, high, false) } else { one(low) }
            }
        }
    }

    /// The number of its columns in the unit cube.
    pub fn columns(&self) -> usize {
        match self {
            _ if self.codes().is_some_and(|codes| codes.len() == 1) => 0,
            Self::Choice(names) if names.len() > 2 => names.len(),
            _ => 1,
        }
    }

    pub fn is_real(&self) -> bool {
        matches!(self, Self::Number(axis @ (Axis::Float(..) | Axis::Log(..))) if axis.only().is_none())
    }

    pub fn has_size(&self) -> bool {
        !matches!(self, Self::Ordinal(_) | Self::Choice(_) | Self::Constant(_))
    }

    pub fn add(&self, space: Space, name: &str) -> Space {
        match self {
            Self::Number(axis) => axis.add(space, name),
            Self::LogInt(low, high) => space.log_int(name, *low, *high),
            Self::Steps(low, high, step) => space.steps(name, *low, *high, *step),
            Self::Numbers(values) => space.numbers(name, values.iter().copied()),
            Self::Ordinal(names) => space.ordinal(name, names.iter().cloned()),
            Self::Choice(names) => space.choice(name, names.iter().cloned()),
            Self::Flag => space.flag(name),
            Self::Constant(value) => space.constant(name, value),
        }
    }
}
