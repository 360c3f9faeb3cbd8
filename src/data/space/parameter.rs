//! One named parameter, and its map onto the unit interval.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::data::{Condition, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::math::decimal::exact;

/// How a parameter varies. Bounds are inclusive. A kind with one value is a constant.
///
/// A kind says all there is to say of a type of parameters: its values, how they stand on a line or
/// as names beside each other, and how they are drawn. `Embedding` needs nothing else.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ParameterKind {
    /// A real number: `value = low + u (high - low)`.
    Float {
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// A positive real number whose order of magnitude matters:
    /// `ln value = ln low + u (ln high - ln low)`.
    LogFloat {
        /// Lower bound, positive.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// A whole number. Its `k = high - low + 1` values have equal cells of the unit interval:
    /// `value = low + floor(u k)`, and `(value - low + 1/2) / k` is the center of its cell.
    Int {
        /// Lower bound.
        low: i64,
        /// Upper bound.
        high: i64,
    },
    /// A positive whole number whose order of magnitude matters: the nearest one to
    /// `exp(ln(low - 1/2) + u (ln(high + 1/2) - ln(low - 1/2)))`.
    LogInt {
        /// Lower bound, positive.
        low: i64,
        /// Upper bound.
        high: i64,
    },
    /// The numbers `low`, `low + step`, `low + 2 step` and so on up to `high`, in equal cells. They
    /// are whole numbers if `low` and `step` are.
    Steps {
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
        /// The distance of two neighbors.
        step: f64,
    },
    /// The numbers of a rising list, such as powers of two, in equal cells. They are whole numbers
    /// if all of them are.
    Numbers {
        /// At least one number.
        values: Arc<[f64]>,
    },
    /// One of some names in an order that matters, such as `small`, `medium` and `large`, in equal
    /// cells.
    Ordinal {
        /// At least one name.
        names: Arc<[Arc<str>]>,
    },
    /// One of some names in no order. Any two of them are equally far from each other.
    Choice {
        /// At least one name.
        names: Arc<[Arc<str>]>,
    },
    /// `true` or `false`.
    Flag,
    /// A value that does not vary.
    Constant {
        /// The value.
        value: Value,
    },
}

/// Two bounds in words.
fn range(low: f64, high: f64) -> String {
    format!("[{}, {}]", exact(low), exact(high))
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            &Self::Float { low, high } => write!(f, "a number in {}", range(low, high)),
            &Self::LogFloat { low, high } => {
                write!(f, "a number in {} (log scale)", range(low, high))
            }
            Self::Int { low, high } => write!(f, "a whole number in [{low}, {high}]"),
            Self::LogInt { low, high } => {
                write!(f, "a whole number in [{low}, {high}] (log scale)")
            }
            &Self::Steps { low, high, step } => {
                write!(f, "a number in {} in steps of {}", range(low, high), exact(step))
            }
            Self::Numbers { values } => write!(f, "one of the numbers {values:?}"),
            Self::Ordinal { names } => write!(f, "one of {names:?} (ordered)"),
            Self::Choice { names } => write!(f, "one of {names:?}"),
            Self::Flag => f.write_str("true or false"),
            Self::Constant { value } => write!(f, "the constant {value}"),
        }
    }
}

impl ParameterKind {
    /// The largest magnitude of a whole-number bound. Up to it an `f64` tells the center of every
    /// cell from its edges, so each value comes back from the unit interval as itself.
    pub const LARGEST_WHOLE: i64 = 1 << 49;

    /// The largest whole number on a log scale. The rounding of a coordinate moves the logarithm of
    /// the value by about `2 eps ln(high)`, and half a cell is `1 / (2 value)` wide. At the bound
    /// these are 1.2e-14 and 4.5e-13.
    pub const LARGEST_LOG: i64 = 1 << 40;

    /// Numbers within this share of a step are the step.
    pub const SLACK: f64 = 1e-9;

    pub(in crate::data) fn validate(&self) -> Result<()> {
        let invalid =
            |why: &str| Err(Error::new(ErrorKind::InvalidSetting, format!("{why}, got {self}")));
        let finite = |bounds: &[f64]| {
            if bounds.iter().all(|bound| bound.is_finite()) {
                Ok(())
            } else {
                Err(Error::new(
                    ErrorKind::NonFinite,
                    format!("bounds must be finite, got {bounds:?}"),
                ))
            }
        };
        match self {
            &Self::Float { low, high } | &Self::LogFloat { low, high } => {
                finite(&[low, high])?;
                if low > high {
                    return invalid("the lower bound must be below the upper one");
                }
                if matches!(self, Self::LogFloat { .. }) && low <= 0.0 {
                    return invalid("the lower bound must be positive on a log scale");
                }
                if !(high - low).is_finite() {
                    return invalid(
                        "the bounds must not be so far apart that their difference overflows",
                    );
                }
            }
            &Self::Int { low, high } | &Self::LogInt { low, high } => {
                if low > high {
                    return invalid("the lower bound must be below the upper one");
                }
                if low < -Self::LARGEST_WHOLE || high > Self::LARGEST_WHOLE {
                    return invalid(
                        "the bounds must lie within 2^49 of zero, so that all values can be told apart",
                    );
                }
                if matches!(self, Self::LogInt { .. }) && low <= 0 {
                    return invalid("the lower bound must be positive on a log scale");
                }
                if matches!(self, Self::LogInt { .. }) && high > Self::LARGEST_LOG {
                    return invalid(
                        "the upper bound must be at most 2^40 on a log scale, so that all values can be told apart",
                    );
                }
            }
            &Self::Steps { low, high, step } => {
                finite(&[low, high, step])?;
                let apart = low == high || low + step <= high * (1.0 + Self::SLACK);
                if step <= 0.0 || !apart {
                    return invalid(
                        "a step must be positive, and the bounds at least one step apart",
                    );
                }
                if self.count() > Self::LARGEST_WHOLE as f64 {
                    return invalid("there must be at most 2^49 steps");
                }
            }
            Self::Numbers { values } => {
                finite(values)?;
                if values.is_empty() || !values.windows(2).all(|pair| pair[0] < pair[1]) {
                    return invalid("a list needs at least one number, each above the one before");
                }
            }
            Self::Ordinal { names } | Self::Choice { names } => {
                let different: HashSet<&str> = names.iter().map(|name| &**name).collect();
                if names.is_empty() || different.len() < names.len() {
                    return invalid("at least one name is needed, and all must differ");
                }
            }
            Self::Flag => {}
            Self::Constant { value } => {
                if *value == Value::Absent || value.number().is_some_and(|value| !value.is_finite())
                {
                    return invalid("a constant must be a finite number, a name or a flag");
                }
            }
        }
        Ok(())
    }

    /// Whether it is a real number, of which there are infinitely many. Bounds with few floats between
    /// them have these in cells: at each of many places stands the same one.
    pub(crate) fn is_real(&self) -> bool {
        match *self {
            Self::Float { low, high } | Self::LogFloat { low, high } => {
                ordinal(high).saturating_sub(ordinal(low)) >= FEW_FLOATS
            }
            _ => false,
        }
    }

    /// Its value, if it has only one.
    #[doc(hidden)]
    pub fn only(&self) -> Option<Value> {
        (self.columns() == 0).then(|| self.value(self.code_of_cell(0.0)))
    }

    /// Whether its values have an order.
    pub(in crate::data) fn is_ordered(&self) -> bool {
        !matches!(self, Self::Choice { .. } | Self::Flag | Self::Constant { .. })
    }

    /// How many columns of the unit cube it has: none if it has one value. A choice of two is one
    /// column, like a flag.
    pub(in crate::data) fn columns(&self) -> usize {
        match self {
            _ if self.count() == 1.0 => 0,
            Self::Choice { names } if names.len() > 2 => names.len(),
            _ => 1,
        }
    }

    /// The number of its values; infinite for a real number.
    pub(crate) fn count(&self) -> f64 {
        match self {
            _ if self.is_real() => f64::INFINITY,
            &Self::Float { low, high } | &Self::LogFloat { low, high } => {
                ordinal(high).saturating_sub(ordinal(low)) as f64 + 1.0
            }
            &Self::Int { low, high } | &Self::LogInt { low, high } => Self::cells(low, high),
            // Rounding must not lose the last step.
            &Self::Steps { low, high, step } => {
                ((high - low) / step * (1.0 + Self::SLACK)).floor() + 1.0
            }
            Self::Numbers { values } => values.len() as f64,
            Self::Ordinal { names } | Self::Choice { names } => names.len() as f64,
            Self::Flag => 2.0,
            Self::Constant { .. } => 1.0,
        }
    }

    /// The number that stands for a value: the number itself, 0 or 1 for a flag, the index of a
    /// name. A constant has its number, or 0.
    pub(in crate::data) fn code(&self, value: &Value) -> Result<f64> {
        let unlike = || {
            let got = match value {
                Value::Float(float) => exact(*float),
                other => other.to_string(),
            };
            Error::new(ErrorKind::OutOfBounds, format!("expected {self}, got {got}"))
        };
        let code = match (self, value) {
            // A name may look like a number, and be read as one from a table of texts.
            (Self::Ordinal { names } | Self::Choice { names }, value) => {
                let text = value.to_string();
                names.iter().position(|known| **known == *text).map(|index| index as f64)
            }
            (Self::Flag, Value::Flag(_)) => value.number(),
            (Self::Constant { value: Value::Name(own) }, value) => {
                (**own == *value.to_string()).then_some(0.0)
            }
            (Self::Constant { value: own }, _) => match (own.number(), value.number()) {
                (Some(own), Some(told)) => (own == told).then_some(own),
                _ => (own == value).then_some(0.0),
            },
            (
                Self::Float { .. }
                | Self::LogFloat { .. }
                | Self::Int { .. }
                | Self::LogInt { .. }
                | Self::Steps { .. }
                | Self::Numbers { .. },
                Value::Int(_) | Value::Float(_),
            ) => value.number(),
            _ => None,
        };
        let code = self.unrounded(code.ok_or_else(unlike)?);
        if !code.is_finite() {
            return Err(Error::new(ErrorKind::NonFinite, format!("expected {self}, got {value}")));
        }
        if self.contains(code) { Ok(code) } else { Err(unlike()) }
    }

    /// The value that a number stands for.
    pub(in crate::data) fn value(&self, code: f64) -> Value {
        let number = |whole: bool| if whole { Value::Int(code as i64) } else { Value::Float(code) };
        match self {
            Self::Float { .. } | Self::LogFloat { .. } => Value::Float(code),
            Self::Int { .. } | Self::LogInt { .. } => Value::Int(code as i64),
            Self::Steps { low, step, .. } => number(is_whole(*low) && is_whole(*step)),
            Self::Numbers { values } => number(values.iter().copied().all(is_whole)),
            Self::Ordinal { names } | Self::Choice { names } => {
                names.get(code as usize).map_or(Value::Absent, |name| Value::Name(name.clone()))
            }
            Self::Flag => Value::Flag(code >= 0.5),
            Self::Constant { value } => value.clone(),
        }
    }

    /// The number itself, or the value that it was but for rounding.
    fn unrounded(&self, code: f64) -> f64 {
        const ROUNDING: f64 = 4.0 * f64::EPSILON;
        match *self {
            Self::Float { low, high } | Self::LogFloat { low, high } => {
                let bound = code.max(low).min(high);
                let is_near = (code - bound).abs() <= ROUNDING * low.abs().max(high.abs());
                if is_near { bound } else { code }
            }
            Self::Numbers { ref values } if !values.contains(&code) => {
                let is_near = |value: &&f64| (code - **value).abs() <= ROUNDING * value.abs();
                values.iter().find(is_near).copied().unwrap_or(code)
            }
            _ => code,
        }
    }

    /// Whether a number stands for a value within the bounds.
    fn contains(&self, code: f64) -> bool {
        match self {
            Self::Float { low, high } | Self::LogFloat { low, high } => {
                (*low..=*high).contains(&code)
            }
            &Self::Int { low, high } | &Self::LogInt { low, high } => {
                code.fract() == 0.0 && (low as f64..=high as f64).contains(&code)
            }
            Self::Steps { low, step, .. } => {
                let cell = self.cell_of_code(code);
                (0.0..self.count()).contains(&cell)
                    && (low + cell * step - code).abs() <= Self::SLACK * step.max(code.abs())
            }
            Self::Numbers { values } => values.contains(&code),
            Self::Ordinal { .. } | Self::Choice { .. } | Self::Flag => {
                code.fract() == 0.0 && (0.0..self.count()).contains(&code)
            }
            Self::Constant { .. } => true,
        }
    }

    /// The cell of a number that stands for a value, from 0 on. For a parameter that is no real
    /// number.
    pub(in crate::data) fn cell_of_code(&self, code: f64) -> f64 {
        match self {
            &Self::Int { low, .. } | &Self::LogInt { low, .. } => code - low as f64,
            Self::Steps { low, step, .. } => ((code - low) / step).round(),
            Self::Numbers { values } => {
                values.iter().position(|value| *value == code).unwrap_or(0) as f64
            }
            &Self::Float { low, .. } | &Self::LogFloat { low, .. } => {
                ordinal(code).saturating_sub(ordinal(low)) as f64
            }
            Self::Constant { .. } => 0.0,
            _ => code,
        }
    }

    /// The number that stands for the value of a cell.
    pub(in crate::data) fn code_of_cell(&self, cell: f64) -> f64 {
        match self {
            &Self::Int { low, .. } | &Self::LogInt { low, .. } => low as f64 + cell,
            // The last of them is at most the upper bound, whatever was rounded.
            Self::Steps { low, high, step } => (low + cell * step).min(*high),
            Self::Numbers { values } => values.get(cell as usize).copied().unwrap_or(f64::NAN),
            &Self::Float { low, high } | &Self::LogFloat { low, high } => {
                of_ordinal(ordinal(low).saturating_add(cell as i64)).min(high)
            }
            Self::Constant { value } => value.number().unwrap_or(0.0),
            _ => cell,
        }
    }

    /// The number of values of a whole-number parameter.
    #[doc(hidden)]
    pub fn cells(low: i64, high: i64) -> f64 {
        high as f64 - low as f64 + 1.0
    }

    /// The coordinate of a number on the line of its column.
    #[doc(hidden)]
    pub fn to_unit(&self, value: f64) -> Result<f64> {
        if !value.is_finite() {
            return Err(Error::new(ErrorKind::NonFinite, format!("expected {self}, got {value}")));
        }
        if !self.contains(value) {
            return Err(Error::new(
                ErrorKind::OutOfBounds,
                format!("expected {self}, got {}", exact(value)),
            ));
        }
        let unit = match *self {
            Self::Float { low, high } => (value - low) / (high - low),
            // The logarithm of the quotient, because the difference of logarithms cancels near a
            // bound.
            Self::LogFloat { low, high } => log_ratio(value, low) / log_ratio(high, low),
            Self::LogInt { low, high } => {
                let edge = low as f64 - 0.5;
                log_ratio(value, edge) / log_ratio(high as f64 + 0.5, edge)
            }
            _ => self.center(self.cell_of_code(value)),
        };
        Ok(unit.clamp(0.0, 1.0))
    }

    /// The coordinate of a cell's center. The two values of a flag or of a choice of two are the
    /// ends of the interval, which are as far apart as two names of a longer list.
    pub(in crate::data) fn center(&self, cell: f64) -> f64 {
        match *self {
            Self::Choice { .. } | Self::Flag => cell,
            Self::LogInt { low, .. } => self.to_unit(low as f64 + cell).unwrap_or(0.5),
            _ => (cell + 0.5) / self.count(),
        }
    }

    /// The number at a coordinate.
    pub(in crate::data) fn to_value(&self, unit: f64) -> f64 {
        match *self {
            Self::Float { low, high } => between(unit, low, high, || low + unit * (high - low)),
            Self::LogFloat { low, high } => {
                between(unit, low, high, || (low.ln() + unit * log_ratio(high, low)).exp())
            }
            Self::LogInt { low, high } => {
                let edge = low as f64 - 0.5;
                let width = log_ratio(high as f64 + 0.5, edge);
                (edge.ln() + unit * width).exp().round().clamp(low as f64, high as f64)
            }
            _ => self.code_of_cell(self.cell(unit)),
        }
    }

    /// The derivative of the value by the unit coordinate; of whole numbers as if they were
    /// continuous.
    pub(in crate::data) fn derivative(&self, unit: f64) -> f64 {
        match *self {
            Self::Float { low, high } => high - low,
            Self::LogFloat { low, high } => self.to_value(unit) * log_ratio(high, low),
            Self::Int { low, high } => Self::cells(low, high),
            _ => 0.0,
        }
    }

    /// The index of the cell in which a unit coordinate lies.
    pub(in crate::data) fn cell(&self, unit: f64) -> f64 {
        match *self {
            Self::LogInt { low, .. } => self.to_value(unit) - low as f64,
            _ => {
                let count = self.count();
                (unit * count).floor().min(count - 1.0).max(0.0)
            }
        }
    }
}

/// Bounds have fewer floats between them than these, or a real number.
const FEW_FLOATS: i64 = 1024;

/// The place of a number among all floats; zero is at 0.
fn ordinal(number: f64) -> i64 {
    let size = (number.to_bits() & !SIGN) as i64;
    if number.is_sign_negative() { -size } else { size }
}

/// The float at a place among all.
fn of_ordinal(place: i64) -> f64 {
    let sign = if place < 0 { SIGN } else { 0 };
    f64::from_bits(place.unsigned_abs() | sign)
}

const SIGN: u64 = 1 << 63;

fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= ParameterKind::LARGEST_WHOLE as f64
}

/// `ln (a / b)` for positive numbers, also if the quotient overflows or underflows.
fn log_ratio(a: f64, b: f64) -> f64 {
    let ratio = a / b;
    if ratio.is_normal() { ratio.ln() } else { a.ln() - b.ln() }
}

/// The value by its formula inside the unit interval. At the ends and beyond it is exactly a bound.
fn between(unit: f64, low: f64, high: f64, value: impl Fn() -> f64) -> f64 {
    if unit <= 0.0 {
        low
    } else if unit >= 1.0 {
        high
    } else {
        value().max(low).min(high)
    }
}

/// One parameter of a [`Space`](crate::Space).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Parameter {
    pub(in crate::data) name: String,
    pub(in crate::data) kind: ParameterKind,
    /// When it exists: if all of these hold.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(in crate::data) when: Vec<Condition>,
}

impl Parameter {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind, with the bounds.
    pub fn kind(&self) -> &ParameterKind {
        &self.kind
    }

    /// The conditions that must hold for it to exist; none if it always does.
    pub fn conditions(&self) -> &[Condition] {
        &self.when
    }
}
