//! What the numbers of a problem must be.

use std::fmt::Display;

use gittins::{Error, ErrorKind, Result};

/// Checks that a number is positive and finite; the error names it.
pub fn check_positive(name: impl Display, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let message = format!("{name} must be positive and finite, got {value}");
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

/// Checks that a number is finite.
pub fn check_finite(value: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::NonFinite, format!("expected a finite number, got {value}")))
}
