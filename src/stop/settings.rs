//! Keys of the rules' settings, and checks of them.

use crate::error::{Error, ErrorKind, Result};
use crate::named::{Key, Shape};

/// The price of a rule that has one.
pub const PRICE: Key =
    Key::may("price", Shape::Above(0.0), "The price of a unit of cost; the policy's unless set.");

/// The window of a rule that looks back.
pub const WINDOW: Key =
    Key::or("window", Shape::Count(1), 5.0, "How many trials are looked back over.");

/// A number that was given.
pub fn given(number: f64) -> Option<f64> {
    Some(number).filter(|number| !number.is_nan())
}

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
