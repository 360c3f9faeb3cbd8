//! One named parameter, and its map onto the unit interval.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};

/// The largest magnitude of a whole-number bound. Up to it an `f64` tells the center of every cell
/// from its edges, so each value comes back from the unit interval as itself.
const LARGEST_WHOLE: i64 = 1 << 49;

/// How a parameter varies. Bounds are inclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
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
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float { low, high } => write!(f, "a number in [{low}, {high}]"),
            Self::LogFloat { low, high } => write!(f, "a number in [{low}, {high}] (log scale)"),
            Self::Int { low, high } => write!(f, "a whole number in [{low}, {high}]"),
        }
    }
}

impl ParameterKind {
    pub(super) fn validate(&self) -> Result<()> {
        let invalid =
            |why: &str| Err(Error::new(ErrorKind::InvalidSetting, format!("{why}, got {self}")));
        match *self {
            Self::Float { low, high } | Self::LogFloat { low, high } => {
                if !low.is_finite() || !high.is_finite() {
                    return Err(Error::new(
                        ErrorKind::NonFinite,
                        format!("bounds must be finite, got [{low}, {high}]"),
                    ));
                }
                if low >= high {
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
            Self::Int { low, high } => {
                if low >= high {
                    return invalid("the lower bound must be below the upper one");
                }
                if low < -LARGEST_WHOLE || high > LARGEST_WHOLE {
                    return invalid(
                        "the bounds must lie within 2^49 of zero, so that an f64 resolves the values",
                    );
                }
            }
        }
        Ok(())
    }

    /// The number of values of a whole-number parameter.
    pub(crate) fn cells(low: i64, high: i64) -> f64 {
        high as f64 - low as f64 + 1.0
    }

    pub(crate) fn to_unit(self, value: f64) -> Result<f64> {
        if !value.is_finite() {
            return Err(Error::new(ErrorKind::NonFinite, format!("expected {self}, got {value}")));
        }
        let (inside, unit) = match self {
            Self::Float { low, high } => {
                ((low..=high).contains(&value), (value - low) / (high - low))
            }
            // The logarithm of the quotient, because the difference of logarithms cancels near a
            // bound.
            Self::LogFloat { low, high } => {
                ((low..=high).contains(&value), log_ratio(value, low) / log_ratio(high, low))
            }
            Self::Int { low, high } => {
                let inside = value.fract() == 0.0 && (low as f64..=high as f64).contains(&value);
                (inside, (value - low as f64 + 0.5) / Self::cells(low, high))
            }
        };
        if inside {
            Ok(unit.clamp(0.0, 1.0))
        } else {
            Err(Error::new(ErrorKind::OutOfBounds, format!("expected {self}, got {value}")))
        }
    }

    pub(super) fn to_value(self, unit: f64) -> f64 {
        match self {
            Self::Float { low, high } => between(unit, low, high, || low + unit * (high - low)),
            Self::LogFloat { low, high } => {
                between(unit, low, high, || (low.ln() + unit * log_ratio(high, low)).exp())
            }
            Self::Int { low, high } => low as f64 + Self::cell(unit, low, high),
        }
    }

    /// The derivative of the value by the unit coordinate.
    pub(super) fn derivative(self, unit: f64) -> f64 {
        match self {
            Self::Float { low, high } => high - low,
            Self::LogFloat { low, high } => self.to_value(unit) * log_ratio(high, low),
            Self::Int { low, high } => Self::cells(low, high),
        }
    }

    /// The index of the cell in which a unit coordinate lies.
    pub(super) fn cell(unit: f64, low: i64, high: i64) -> f64 {
        (unit * Self::cells(low, high)).floor().min(high as f64 - low as f64).max(0.0)
    }
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
pub struct Parameter {
    pub(super) name: String,
    pub(super) kind: ParameterKind,
}

impl Parameter {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind, with the bounds.
    pub fn kind(&self) -> ParameterKind {
        self.kind
    }
}
