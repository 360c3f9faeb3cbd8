//! A single value as an object of Python: of a parameter, or in a cell of a table.

use gittins::Value;
use pyo3::prelude::*;

/// A flag, a number or a text. The first that fits is taken. None of these is `None`.
#[derive(FromPyObject, IntoPyObject)]
pub enum Scalar {
    Flag(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl Scalar {
    pub fn number(&self) -> Option<f64> {
        match *self {
            // Above 2^53 the nearest one.
            Self::Whole(whole) => Some(whole as f64),
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Flag(flag) => flag.to_string(),
            Self::Whole(whole) => whole.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The values of a point; `None` for what does not exist there.
pub type Point = Vec<Option<Scalar>>;

/// Values as Python has them.
pub fn point_of<'a>(values: impl IntoIterator<Item = &'a Value>) -> Point {
    let scalar = |value: &Value| match value {
        Value::Flag(flag) => Some(Scalar::Flag(*flag)),
        Value::Int(whole) => Some(Scalar::Whole(*whole)),
        Value::Float(number) => Some(Scalar::Number(*number)),
        Value::Name(name) => Some(Scalar::Text(name.to_string())),
        _ => None,
    };
    values.into_iter().map(scalar).collect()
}

/// Values as the engine has them.
pub fn values_of(point: Point) -> Vec<Value> {
    let value = |scalar| match scalar {
        Some(Scalar::Flag(flag)) => Value::Flag(flag),
        Some(Scalar::Whole(whole)) => Value::Int(whole),
        Some(Scalar::Number(number)) => Value::Float(number),
        Some(Scalar::Text(text)) => text.into(),
        None => Value::Absent,
    };
    point.into_iter().map(value).collect()
}
