//! Checks of the rules' settings.

use crate::error::{Error, ErrorKind, Result};

/// Checks a number of trials or values to look back over.
pub fn check_window(name: &str, count: usize) -> Result<()> {
    match count {
        0 => {
            Err(Error::new(ErrorKind::InvalidSetting, format!("{name} must be at least 1, got 0")))
        }
        _ => Ok(()),
    }
}

/// Checks a probability, which is neither 0 nor 1.
pub fn check_probability(name: &str, value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::InvalidSetting,
        format!("{name} must lie between 0 and 1, got {value}"),
    ))
}
