//! When a parameter exists.

use std::fmt;

use crate::data::Value;
use crate::math::decimal::exact;

/// A condition on another parameter, its parent. A parameter with conditions exists if all of them
/// hold. None holds if the parent does not exist itself.
///
/// As data: `{"parameter": "solver", "is": ["sgd"]}`, `{"parameter": "layers", "at_least": 2}`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Condition {
    /// The parent's name.
    pub parameter: String,
    /// What its value must be.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub requirement: Requirement,
}

/// What the value of a parent must be.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Requirement {
    /// One of these.
    Is(Vec<Value>),
    /// One of these, if the parameter exists. As a condition under which another parameter exists it
    /// is the same as [`Is`](Self::Is). To a [request](crate::study::Request::given) it leaves points
    /// at which the parameter does not exist.
    IsIfPresent(Vec<Value>),
    /// At least this number.
    AtLeast(f64),
    /// At most this number.
    AtMost(f64),
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parent = &self.parameter;
        match &self.requirement {
            Requirement::Is(values) | Requirement::IsIfPresent(values) => match values.as_slice() {
                [value] => write!(f, "{parent:?} is {value}"),
                values => {
                    let values: Vec<String> = values.iter().map(Value::to_string).collect();
                    write!(f, "{parent:?} is one of {}", values.join(", "))
                }
            },
            Requirement::AtLeast(bound) => write!(f, "{parent:?} is at least {}", exact(*bound)),
            Requirement::AtMost(bound) => write!(f, "{parent:?} is at most {}", exact(*bound)),
        }
    }
}
