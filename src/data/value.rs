//! The value of a parameter, and how it is read.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};

/// The value of a parameter.
///
/// As data (JSON, TOML) it is a number, a text, `true` or `false`, or nothing.
///
/// ```
/// use gittins::Value;
/// assert_eq!(Value::from("adam"), "adam");
/// assert_eq!(Value::from(3), 3.0);
/// assert_eq!(Value::from(0.5).to_string(), "0.5");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
#[non_exhaustive]
pub enum Value {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A name.
    Name(Arc<str>),
    /// Nothing: the parameter does not exist at this point.
    Absent,
}

impl Value {
    /// The value as a number: a flag is 0 or 1. None for a name, and for what is absent.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Flag(flag) => Some(f64::from(u8::from(flag))),
            Self::Int(value) => Some(value as f64),
            Self::Float(value) => Some(value),
            Self::Name(_) | Self::Absent => None,
        }
    }

    /// What it is, for messages.
    fn kind(&self) -> &'static str {
        match self {
            Self::Flag(_) => "a flag",
            Self::Int(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Name(_) => "a name",
            Self::Absent => "absent here",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => flag.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Name(name) => f.write_str(name),
            Self::Absent => f.write_str("-"),
        }
    }
}

macro_rules! from {
    ($($from:ty => |$value:ident| $made:expr),* $(,)?) => {
        $(impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $made
            }
        })*
    };
}

from! {
    f64 => |value| Self::Float(value),
    f32 => |value| Self::Float(f64::from(value)),
    i64 => |value| Self::Int(value),
    i32 => |value| Self::Int(i64::from(value)),
    u32 => |value| Self::Int(i64::from(value)),
    bool => |value| Self::Flag(value),
    &str => |value| Self::Name(value.into()),
    String => |value| Self::Name(value.into()),
    Arc<str> => |value| Self::Name(value),
    &Value => |value| value.clone(),
}

impl PartialEq<f64> for Value {
    fn eq(&self, other: &f64) -> bool {
        self.number() == Some(*other)
    }
}

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        matches!(self, Self::Name(name) if **name == **other)
    }
}

impl PartialEq<bool> for Value {
    fn eq(&self, other: &bool) -> bool {
        matches!(self, Self::Flag(flag) if flag == other)
    }
}

/// What a value can be read as: `f64`, `i64` and the other whole numbers, `bool`, `String`, a
/// [`Value`], and for a parameter that may be absent an `Option` of these.
pub trait FromValue: Sized {
    /// Reads a value.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for a value of another kind.
    fn from_value(value: &Value) -> Result<Self>;
}

fn other_than(wanted: &str, value: &Value) -> Error {
    let message = match value {
        Value::Absent => {
            format!("expected {wanted}; it is absent here, because a condition of it does not hold")
        }
        _ => format!("expected {wanted}, it is {}, {value}", value.kind()),
    };
    Error::new(ErrorKind::InvalidSetting, message)
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Result<Self> {
        Ok(value.clone())
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value) -> Result<Self> {
        match value {
            Value::Int(_) | Value::Float(_) => Ok(value.number().unwrap_or(f64::NAN)),
            _ => Err(other_than("a number", value)),
        }
    }
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Result<Self> {
        match *value {
            Value::Int(whole) => Ok(whole),
            // Every whole number of this range is an integer of 64 bits; 2^63 itself is not.
            Value::Float(number)
                if number.fract() == 0.0
                    && (-(2.0_f64.powi(63))..2.0_f64.powi(63)).contains(&number) =>
            {
                Ok(number as i64)
            }
            _ => Err(other_than("a whole number of 64 bits", value)),
        }
    }
}

macro_rules! whole {
    ($($kind:ty),*) => {
        $(impl FromValue for $kind {
            fn from_value(value: &Value) -> Result<Self> {
                i64::from_value(value)?.try_into().map_err(|_| {
                    other_than(concat!("a whole number that fits ", stringify!($kind)), value)
                })
            }
        })*
    };
}

whole!(i32, u8, u16, u32, u64, usize);

impl FromValue for bool {
    fn from_value(value: &Value) -> Result<Self> {
        match value {
            Value::Flag(flag) => Ok(*flag),
            _ => Err(other_than("a flag", value)),
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Result<Self> {
        name_of(value).map(str::to_owned)
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Result<Self> {
        match value {
            Value::Absent => Ok(None),
            _ => T::from_value(value).map(Some),
        }
    }
}

/// The text of a name.
pub(super) fn name_of(value: &Value) -> Result<&str> {
    match value {
        Value::Name(name) => Ok(name),
        _ => Err(other_than("a name", value)),
    }
}

/// Values as numbers. NaN stands for a name, and for what is absent.
pub(crate) fn numbers(values: &[Value]) -> Vec<f64> {
    values.iter().map(|value| value.number().unwrap_or(f64::NAN)).collect()
}

/// Values by the names of their parameters.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    names: &'a [String],
    values: &'a [Value],
}

impl<'a> Values<'a> {
    pub(crate) fn new(names: &'a [String], values: &'a [Value]) -> Self {
        Self { names, values }
    }

    /// The value under a name.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownParameter`]; [`ErrorKind::InvalidSetting`] for a value of another kind,
    /// naming the parameter.
    pub fn get<T: FromValue>(&self, name: &str) -> Result<T> {
        T::from_value(self.value(name)?).map_err(|error| at(name, error))
    }

    /// The name that was chosen.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub fn choice(&self, name: &str) -> Result<&'a str> {
        name_of(self.value(name)?).map_err(|error| at(name, error))
    }

    /// Names and values in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        self.names.iter().map(String::as_str).zip(self.values)
    }

    fn value(&self, name: &str) -> Result<&'a Value> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value).ok_or_else(|| {
            let message = format!("no parameter is named {name:?}; there are {:?}", self.names);
            Error::new(ErrorKind::UnknownParameter, message)
        })
    }
}

fn at(name: &str, error: Error) -> Error {
    error.at(format_args!("parameter {name:?}"))
}
