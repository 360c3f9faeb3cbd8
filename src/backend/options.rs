//! Which backend a program wants, set in code or in the environment.

use std::env;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use super::precision::Precision;
use crate::error::{Error, ErrorKind, Result};

/// Which backend evaluates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Choice {
    /// The device if there is one, it is ready, and the batch is above the measured crossover,
    /// otherwise the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The device for every batch. The CPU only if the device cannot evaluate it.
    Gpu,
}

/// What a program takes that does not say.
static USUAL: OnceLock<Choice> = OnceLock::new();

/// Sets what this process takes where neither a setting nor the environment says which backend
/// evaluates. A program whose processes live for one suggestion takes the CPU: finding and timing a
/// device would take longer. Only the first call counts.
pub fn usual_backend(choice: Choice) {
    let _ = USUAL.set(choice);
}

/// Which backend a program wants.
///
/// ```
/// use gittins::{BackendOptions};
/// use gittins::backend::Choice;
/// let backend = BackendOptions { choice: "cpu".parse()?, ..BackendOptions::from_env()? }.open();
/// # let _: std::sync::Arc<dyn gittins::Backend> = backend;
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackendOptions {
    /// Which backend evaluates.
    pub choice: Choice,
    /// A part of the adapter's name; upper and lower case are the same. Without it only hardware is
    /// used. A software adapter must be named.
    pub adapter: Option<String>,
    /// The precision on the device. Without it, single if that is accurate enough, otherwise
    /// double.
    pub precision: Option<Precision>,
}

impl BackendOptions {
    /// Reads `GITTINS_BACKEND=auto|cpu|gpu` and `GITTINS_ADAPTER=<part of the name>`. A variable
    /// that is not set, or empty, means the default.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] if a variable has an unknown value; the error names it.
    pub fn from_env() -> Result<Self> {
        Self::from_variables(|name| env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let choice = match set("GITTINS_BACKEND") {
            Some(value) => value.parse().map_err(|error: Error| error.at("GITTINS_BACKEND"))?,
            None => USUAL.get().copied().unwrap_or_default(),
        };
        Ok(Self { choice, adapter: set("GITTINS_ADAPTER"), precision: None })
    }
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.to_ascii_lowercase().as_str() {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "gpu" => Ok(Self::Gpu),
            _ => Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("expected auto, cpu or gpu, got '{text}'"),
            )),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_say_which_backend_and_adapter() {
        let from = |backend: &'static str, adapter: &'static str| {
            BackendOptions::from_variables(move |name| match name {
                "GITTINS_BACKEND" => Some(backend.to_string()),
                "GITTINS_ADAPTER" => Some(adapter.to_string()),
                _ => None,
            })
        };
        assert_eq!(from("", "").unwrap(), BackendOptions::default());
        let named = BackendOptions {
            choice: Choice::Gpu,
            adapter: Some("llvmpipe".to_string()),
            precision: None,
        };
        assert_eq!(from("GPU", "llvmpipe").unwrap(), named);
        let error = from("cuda", "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert_eq!(error.to_string(), "GITTINS_BACKEND: expected auto, cpu or gpu, got 'cuda'");
    }

    #[test]
    fn choices_are_read_as_they_are_written() {
        for choice in [Choice::Auto, Choice::Cpu, Choice::Gpu] {
            assert_eq!(choice.to_string().parse::<Choice>().unwrap(), choice);
        }
        for precision in [Precision::F32, Precision::F64] {
            assert_eq!(precision.to_string().parse::<Precision>().unwrap(), precision);
        }
        assert!("f16".parse::<Precision>().is_err());
    }
}
