//! The axis of a parameter.

use chart::Scale;
use gittins::Value;
use gittins::data::ParameterKind;

/// Positive numbers that vary by more than this factor are drawn on a logarithmic axis, if nothing
/// says what axis they have.
const WIDE: f64 = 1000.0;

/// How the values of a parameter stand on an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// Numbers between bounds.
    Linear(f64, f64),
    /// Positive numbers between bounds, by their order of magnitude.
    Logarithmic(f64, f64),
    /// Names beside each other.
    Names(Vec<String>),
}

impl Axis {
    /// The axis of a kind of parameter. None for a constant.
    pub fn of(kind: &ParameterKind) -> Option<Self> {
        let names = |names: &[std::sync::Arc<str>]| {
            Self::Names(names.iter().map(std::string::ToString::to_string).collect())
        };
        match kind {
            &ParameterKind::Float { low, high } | &ParameterKind::Steps { low, high, .. } => {
                Some(Self::Linear(low, high))
            }
            &ParameterKind::LogFloat { low, high } => Some(Self::Logarithmic(low, high)),
            &ParameterKind::Int { low, high } => Some(Self::Linear(low as f64, high as f64)),
            &ParameterKind::LogInt { low, high } => {
                Some(Self::Logarithmic(low as f64, high as f64))
            }
            ParameterKind::Numbers { values } => {
                // They have equal cells. A power of ten is far for so few numbers.
                let low = *values.first()?;
                let high = *values.last()?;
                Some(if low > 0.0 && high >= 10.0 * low {
                    Self::Logarithmic(low, high)
                } else {
                    Self::Linear(low, high)
                })
            }
            ParameterKind::Ordinal { names: all } | ParameterKind::Choice { names: all } => {
                Some(names(all))
            }
            ParameterKind::Flag => Some(Self::Names(vec!["false".to_owned(), "true".to_owned()])),
            _ => None,
        }
    }

    /// An axis for these values: names if one of them is a name or a flag.
    pub(crate) fn guess<'a>(values: impl Iterator<Item = &'a Value> + Clone) -> Self {
        let there = values.filter(|value| **value != Value::Absent);
        if there.clone().any(|value| matches!(value, Value::Name(_) | Value::Flag(_))) {
            return Self::Names(Vec::new());
        }
        let numbers = there.filter_map(Value::number).filter(|number| number.is_finite());
        let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), number| {
            (number.min(l), number.max(h))
        });
        if low > 0.0 && high > WIDE * low {
            Self::Logarithmic(low, high)
        } else {
            Self::Linear(low, high)
        }
    }

    /// The same with room for these values too. Names that it lacks come last, as they first come.
    pub(crate) fn with<'a>(self, values: impl Iterator<Item = &'a Value> + Clone) -> Self {
        let numbers =
            || values.clone().filter_map(Value::number).filter(|number| number.is_finite());
        match self {
            Self::Linear(low, high) => {
                Self::Linear(numbers().fold(low, f64::min), numbers().fold(high, f64::max))
            }
            Self::Logarithmic(low, high) => {
                let low = numbers().filter(|number| *number > 0.0).fold(low, f64::min);
                Self::Logarithmic(low, numbers().fold(high, f64::max))
            }
            Self::Names(mut names) => {
                let mut known: std::collections::HashSet<String> = names.iter().cloned().collect();
                for value in values.filter(|value| **value != Value::Absent) {
                    let name = name_of(value);
                    if known.insert(name.clone()) {
                        names.push(name);
                    }
                }
                Self::Names(names)
            }
        }
    }

    /// The scale of an axis of numbers.
    pub(crate) fn scale(&self) -> Option<Scale> {
        match *self {
            Self::Linear(low, high) if low < high => Some(Scale::exact(low, high)),
            Self::Logarithmic(low, high) if low < high => Some(Scale::logarithmic(low, high)),
            // One number alone, or none.
            Self::Linear(low, high) | Self::Logarithmic(low, high) => {
                Some(Scale::around(false, [low, high].into_iter()))
            }
            Self::Names(_) => None,
        }
    }
}

/// A value as one of some names.
pub(crate) fn name_of(value: &Value) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_room_for_all_values() {
        let values: Vec<Value> = vec![0.5.into(), Value::Absent, 20.0.into(), f64::INFINITY.into()];
        assert_eq!(Axis::Linear(1.0, 2.0).with(values.iter()), Axis::Linear(0.5, 20.0));
        assert_eq!(Axis::guess(values.iter()).with(values.iter()), Axis::Linear(0.5, 20.0));
        let wide: Vec<Value> = vec![1e-5.into(), 0.1.into()];
        assert_eq!(Axis::guess(wide.iter()), Axis::Logarithmic(1e-5, 0.1));
        let mixed: Vec<Value> = vec!["b".into(), Value::Absent, true.into(), 3.into(), "b".into()];
        let names = Axis::guess(mixed.iter()).with(mixed.iter());
        assert_eq!(names, Axis::Names(["b", "true", "3"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn one_value_or_none_has_an_axis() {
        for values in [vec![], vec![Value::from(3.0)], vec![Value::from(f64::NAN)]] {
            let scale = Axis::guess(values.iter()).with(values.iter()).scale().unwrap();
            assert!(scale.fraction(0.0) < scale.fraction(1.0), "{values:?}");
        }
    }
}
