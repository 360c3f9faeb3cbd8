//! Parameters as Optuna's distributions, and back.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::data::{Domain, ParameterKind, Table, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::operation::named_numbers;
use crate::math::number::Number;

/// A parameter as Optuna sees it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Distribution {
    /// A real number.
    Float { low: f64, high: f64, step: Option<f64>, log: bool },
    /// A whole number.
    Int { low: i64, high: i64, step: i64, log: bool },
    /// One of some values in no order.
    Categorical {
        choices: Vec<Json>,
        /// The text, if it has numbers that JSON does not have. These are names here.
        text: Option<String>,
    },
}

/// A distribution as it is written.
#[derive(Deserialize)]
struct Written {
    name: String,
    attributes: Attributes,
}

#[derive(Deserialize)]
struct Attributes {
    low: Option<Number>,
    high: Option<Number>,
    step: Option<Number>,
    q: Option<Number>,
    #[serde(default)]
    log: bool,
    choices: Option<Vec<Json>>,
}

impl Distribution {
    /// Reads a distribution, also of the names that old files have.
    ///
    /// # Errors
    /// `Data`, naming the distribution.
    pub fn read(text: &str) -> Result<Self> {
        let wrong = |why: &str| {
            Error::new(
                ErrorKind::Data,
                format!("expected a distribution of Optuna, got {text}: {why}"),
            )
        };
        let named = named_numbers(text);
        let Written { name, attributes } = serde_json::from_str(named.as_deref().unwrap_or(text))
            .map_err(|error| wrong(&error.to_string()))?;
        let Attributes { low, high, step, q, log, choices } = attributes;
        if let Some(choices) = choices {
            return if choices.is_empty() {
                Err(wrong("it has no choices"))
            } else {
                Ok(Self::Categorical { choices, text: named.map(|_| text.to_owned()) })
            };
        }
        let (Some(Number(low)), Some(Number(high))) = (low, high) else {
            return Err(wrong("it has no bounds"));
        };
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return Err(wrong("its bounds are not finite and in order"));
        }
        let step = step.or(q).map(|step| step.0).filter(|step| *step > 0.0);
        let log = log || name.contains("LogUniform");
        Ok(if name.starts_with("Int") {
            Self::Int {
                low: low as i64,
                high: high as i64,
                step: step.map_or(1, |step| (step as i64).max(1)),
                log,
            }
        } else {
            Self::Float { low, high, step, log }
        })
    }

    /// As Optuna writes it.
    pub fn write(&self) -> String {
        let value = match self {
            Self::Float { low, high, step, log } => json!({"name": "FloatDistribution",
                "attributes": {"step": step, "low": low, "high": high, "log": log}}),
            Self::Int { low, high, step, log } => json!({"name": "IntDistribution",
                "attributes": {"log": log, "step": step, "low": low, "high": high}}),
            Self::Categorical { text: Some(text), .. } => return text.clone(),
            Self::Categorical { choices, text: None } => {
                json!({"name": "CategoricalDistribution", "attributes": {"choices": choices}})
            }
        };
        value.to_string()
    }

    fn categorical(choices: Vec<Json>) -> Self {
        Self::Categorical { choices, text: None }
    }

    fn of(kind: &ParameterKind) -> Self {
        let names = |names: &[Arc<str>]| -> Vec<Json> {
            let choices: Vec<Json> = names.iter().map(|name| choice_of(name)).collect();
            // Two names of one value stay names.
            let differ = (1..choices.len()).all(|at| !choices[..at].contains(&choices[at]));
            if differ { choices } else { names.iter().map(|name| json!(name)).collect() }
        };
        match kind {
            &ParameterKind::Float { low, high } => {
                Self::Float { low, high, step: None, log: false }
            }
            &ParameterKind::LogFloat { low, high } => {
                Self::Float { low, high, step: None, log: true }
            }
            &ParameterKind::Int { low, high } => Self::Int { low, high, step: 1, log: false },
            &ParameterKind::LogInt { low, high } => Self::Int { low, high, step: 1, log: true },
            &ParameterKind::Steps { low, high, step } => {
                let last = low + ((high - low) / step + 1e-9).floor() * step;
                if [low, last, step].iter().all(|value| value.fract() == 0.0) {
                    Self::Int { low: low as i64, high: last as i64, step: step as i64, log: false }
                } else {
                    Self::Float { low, high: last, step: Some(step), log: false }
                }
            }
            ParameterKind::Numbers { values } => {
                // They are whole numbers in Python too, if all of them are.
                let whole = values.iter().all(|value| value.fract() == 0.0);
                let choice = |value: &f64| if whole { json!(*value as i64) } else { json!(value) };
                Self::categorical(values.iter().map(choice).collect())
            }
            ParameterKind::Ordinal { names: list } | ParameterKind::Choice { names: list } => {
                Self::categorical(names(list))
            }
            ParameterKind::Flag => Self::categorical(vec![json!(false), json!(true)]),
            ParameterKind::Constant { value: Value::Name(name) } => {
                Self::categorical(vec![choice_of(name)])
            }
            ParameterKind::Constant { value } => Self::categorical(vec![json!(value)]),
        }
    }

    /// The distributions of a domain's parameters, in their order.
    pub fn of_domain(domain: &Domain) -> Vec<Self> {
        match domain {
            Domain::Space(space) => {
                space.parameters().iter().map(|parameter| Self::of(parameter.kind())).collect()
            }
            Domain::Table(table) => {
                (0..table.names().count()).map(|column| Self::of_column(table, column)).collect()
            }
        }
    }

    fn of_column(table: &Table, column: usize) -> Self {
        let values = (0..table.len()).map(|row| table.values(row)[column].clone());
        let present: Vec<Value> = values.filter(|value| *value != Value::Absent).collect();
        let is_number = |value: &Value| matches!(value, Value::Float(_) | Value::Int(_));
        if !present.is_empty() && present.iter().all(is_number) {
            let numbers = || present.iter().filter_map(Value::number);
            let low = numbers().fold(f64::INFINITY, f64::min);
            return Self::Float {
                low,
                high: numbers().fold(low, f64::max),
                step: None,
                log: false,
            };
        }
        let mut choices: Vec<Json> = Vec::new();
        for value in present.iter().map(|value| json!(value)) {
            if !choices.contains(&value) {
                choices.push(value);
            }
        }
        Self::categorical(choices)
    }

    /// Whether a sampler of Optuna takes both for the same parameter.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float { log, .. }, Self::Float { log: other, .. })
            | (Self::Int { log, .. }, Self::Int { log: other, .. }) => log == other,
            (Self::Categorical { choices, .. }, Self::Categorical { choices: other, .. }) => {
                choices.len() == other.len() && choices.iter().zip(other).all(|(a, b)| equal(a, b))
            }
            _ => false,
        }
    }

    /// The distribution of the same values that is like another one, which the file has for the
    /// parameter. Without such a one it stays as it is.
    pub fn in_manner_of(&self, other: &Self, kind: Option<&ParameterKind>) -> Self {
        if kind == Some(&other.kind()) {
            return other.clone();
        }
        if self.is_like(other) {
            return self.clone();
        }
        match (self, other) {
            (&Self::Int { low, high, step, log: false }, Self::Float { log: false, .. }) => {
                Self::Float {
                    low: low as f64,
                    high: high as f64,
                    step: Some(step as f64),
                    log: false,
                }
            }
            _ => self.clone(),
        }
    }

    /// The number that stands for a value in the file; none for what is absent.
    pub fn internal(&self, value: &Value) -> Option<f64> {
        if *value == Value::Absent {
            // It is not the choice of nothing, which is one of JSON.
            return None;
        }
        match self {
            Self::Float { .. } | Self::Int { .. } => value.number(),
            Self::Categorical { choices, .. } => {
                let same = |choice: &Json| match (choice.as_f64(), value) {
                    (Some(number), Value::Float(_) | Value::Int(_)) => {
                        value.number() == Some(number)
                    }
                    (_, Value::Name(name)) => text_of(choice) == **name,
                    _ => *choice == json!(value),
                };
                // The text "1" is another choice than the number that it looks like.
                let exact = match value {
                    Value::Name(name) => {
                        choices.iter().position(|choice| *choice == choice_of(name))
                    }
                    _ => None,
                };
                let index = exact.or_else(|| choices.iter().position(same));
                index.map(|index| index as f64)
            }
        }
    }

    /// The value that a number in the file stands for.
    pub fn external(&self, internal: f64) -> Option<Json> {
        match self {
            Self::Float { .. } => Some(json!(internal)),
            Self::Int { .. } => Some(json!(internal as i64)),
            Self::Categorical { choices, .. } => choices.get(internal as usize).cloned(),
        }
    }

    /// The kind of parameter that has the same values. Choices that are neither names nor flags
    /// become names: what JSON writes for them behind an equals sign.
    pub fn kind(&self) -> ParameterKind {
        match *self {
            Self::Float { low, high, .. } if low == high => {
                ParameterKind::Constant { value: low.into() }
            }
            Self::Float { low, high, step: Some(step), .. } => {
                ParameterKind::Steps { low, high, step }
            }
            Self::Float { low, high, log: true, .. } => ParameterKind::LogFloat { low, high },
            Self::Float { low, high, .. } => ParameterKind::Float { low, high },
            Self::Int { low, high, .. } if low == high => {
                ParameterKind::Constant { value: low.into() }
            }
            Self::Int { low, high, log: true, .. } => ParameterKind::LogInt { low, high },
            Self::Int { low, high, step: 1, .. } => ParameterKind::Int { low, high },
            Self::Int { low, high, step, .. } => {
                ParameterKind::Steps { low: low as f64, high: high as f64, step: step as f64 }
            }
            Self::Categorical { ref choices, .. } => match choices.as_slice() {
                [Json::Bool(_), Json::Bool(_)] => ParameterKind::Flag,
                [only] => ParameterKind::Constant { value: name_of(only).into() },
                _ => ParameterKind::Choice {
                    names: choices.iter().map(|choice| Arc::from(name_of(choice))).collect(),
                },
            },
        }
    }

    /// A distribution that has the values of both: the bounds of both, steps only if both have the
    /// same ones, a log scale if the other one has it, and all choices. None for one without such.
    pub fn joined(&self, other: &Self) -> Option<Self> {
        if let (
            Self::Categorical { choices, text },
            Self::Categorical { choices: more, text: other_text },
        ) = (self, other)
        {
            if self.is_like(other) {
                return Some(self.clone());
            }
            let known = |choice: &&Json| !choices.iter().any(|one| equal(one, choice));
            let all = choices.iter().chain(more.iter().filter(known)).cloned().collect();
            // The text has numbers that JSON does not have.
            return (text.is_none() && other_text.is_none()).then(|| Self::categorical(all));
        }
        let one = self.numbers()?;
        let two = other.numbers()?;
        let low = one.low.min(two.low);
        let high = one.high.max(two.high);
        let log = two.log && low > 0.0;
        let offset = |step: f64| (one.low - two.low) / step;
        let is_whole =
            |number: f64| (number - number.round()).abs() <= SLACK * number.abs().max(1.0);
        let step =
            one.step.filter(|step| !log && Some(*step) == two.step && is_whole(offset(*step)));
        Some(if one.is_whole && two.is_whole {
            Self::Int {
                low: low as i64,
                high: high as i64,
                step: step.map_or(1, |step| step as i64),
                log,
            }
        } else {
            Self::Float { low, high, step, log }
        })
    }

    fn numbers(&self) -> Option<Numbers> {
        match *self {
            Self::Float { low, high, step, log } => {
                Some(Numbers { low, high, step, log, is_whole: false })
            }
            Self::Int { low, high, step, log } => Some(Numbers {
                low: low as f64,
                high: high as f64,
                step: Some(step as f64),
                log,
                is_whole: true,
            }),
            Self::Categorical { .. } => None,
        }
    }
}

/// A distribution of numbers.
struct Numbers {
    low: f64,
    high: f64,
    step: Option<f64>,
    log: bool,
    is_whole: bool,
}

/// Numbers within this share of a step are on it.
const SLACK: f64 = ParameterKind::SLACK;

/// Whether two choices are equal in Python: 1, 1.0 and `True` are.
fn equal(a: &Json, b: &Json) -> bool {
    let number = |choice: &Json| choice.as_f64().or(choice.as_bool().map(f64::from));
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// A choice as a text.
fn text_of(choice: &Json) -> String {
    match choice {
        Json::String(name) => name.clone(),
        other => other.to_string(),
    }
}

/// The name of a choice: a text as it is, and any other value as the Python package names it, so that
/// it gives the very value back. So does it with a text that would be taken for one of these.
fn name_of(choice: &Json) -> String {
    match choice {
        Json::String(name) if choice_of(name) == *choice => name.clone(),
        other => format!("={other}"),
    }
}

/// The choice that a name stands for. A name that is JSON behind an equals sign is that value: so the
/// Python package names choices that are no texts.
fn choice_of(name: &str) -> Json {
    let value = name.strip_prefix('=').and_then(|text| serde_json::from_str::<Json>(text).ok());
    // A text needs no mark unless it looks like a marked one.
    let is_marked = |value: &Json| value.as_str().is_none_or(|text| text.starts_with('='));
    value.filter(is_marked).unwrap_or_else(|| json!(name))
}

/// The value of a parameter of this kind that Optuna has as `external`.
pub(super) fn value_of(kind: Option<&ParameterKind>, external: &Json) -> Value {
    match (kind, external) {
        (Some(ParameterKind::Choice { names } | ParameterKind::Ordinal { names }), other) => {
            match names.iter().find(|name| choice_of(name) == *other) {
                Some(name) => name.clone().into(),
                None => text_of(other).into(),
            }
        }
        (Some(ParameterKind::Constant { value: Value::Name(name) }), other) => {
            if choice_of(name) == *other { name.clone().into() } else { text_of(other).into() }
        }
        (_, Json::Bool(flag)) => (*flag).into(),
        (_, Json::Number(number)) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().unwrap_or(f64::NAN).into(),
        },
        (_, Json::Null) => Value::Absent,
        (_, other) => text_of(other).into(),
    }
}
