//! What lines and their answers have in common.

use std::error::Error;

use gittins::Verdict;
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// A line's answer. Its error is told to the caller, and does not end the program.
pub type Answered<T> = std::result::Result<T, Box<dyn Error>>;

/// A number, or the name of one that JSON does not have.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Number {
    Finite(f64),
    Named(String),
}

impl Number {
    /// The number.
    pub fn read(self) -> Answered<f64> {
        match self {
            Self::Finite(number) => Ok(number),
            Self::Named(name) => Ok(name.parse()?),
        }
    }
}

/// A verdict as a line says it.
pub fn said(verdict: &Verdict) -> Json {
    json!({ "stop": verdict.is_stop(), "words": verdict.reason().to_string() })
}
