//! How a point was chosen, for a study that is built anew.

use gittins::study::{Choice, Why};
use gittins::{Error, ErrorKind, Result};
use pyo3::prelude::*;

/// How a point was chosen: `"initial"`, `"random_restart"`, or by a model, of which these are the mean,
/// the standard deviation and what a random trial was expected to bring.
#[derive(FromPyObject, IntoPyObject)]
pub enum Chosen {
    Suggested(f64, f64, Option<f64>),
    Otherwise(String),
}

impl Chosen {
    /// How a point was chosen that was asked for, if it can be said.
    pub fn of(why: &Why) -> Option<Self> {
        match why {
            Why::Initial { .. } => Some(Self::Otherwise("initial".to_owned())),
            Why::Plateau { .. } => Some(Self::Otherwise("random_restart".to_owned())),
            Why::Suggested(said) => Some(Self::Suggested(said.mean, said.sd, said.random_restart)),
            _ => None,
        }
    }

    /// The same for the engine.
    ///
    /// # Errors
    /// `InvalidSetting` for a text that says nothing.
    pub fn choice(self) -> Result<Choice> {
        match self {
            Self::Suggested(mean, sd, random_restart) => {
                Ok(Choice::Suggested { mean, sd, random_restart })
            }
            Self::Otherwise(text) if text == "initial" => Ok(Choice::Initial),
            Self::Otherwise(text) if text == "random_restart" => Ok(Choice::RandomRestart),
            Self::Otherwise(text) => {
                let message = format!(
                    "how the trial was chosen: expected \"initial\" or \"random_restart\", got {text:?}"
                );
                Err(Error::new(ErrorKind::InvalidSetting, message))
            }
        }
    }
}
