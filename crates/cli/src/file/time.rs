//! Lengths of time as a person writes them.

use std::time::Duration;

use super::document::Item;
use crate::words::failure::Result;

/// The units, in seconds.
const UNITS: [(&str, f64); 12] = [
    ("ms", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
    ("seconds", 1.0),
    ("m", 60.0),
    ("min", 60.0),
    ("minutes", 60.0),
    ("h", 3600.0),
    ("hour", 3600.0),
    ("hours", 3600.0),
    ("d", 86400.0),
    ("days", 86400.0),
];

/// A hundred years. A clock that counts to the end of a trial must not overflow.
const LONGEST: f64 = 3.2e9;

/// Seconds, or a number and a unit such as `"10 min"`. Positive.
pub fn time(item: &Item<'_>) -> Result<Duration> {
    let seconds = if item.is_text() { of_text(item.text()?) } else { Some(item.finite()?) };
    seconds
        .filter(|seconds| *seconds > 0.0 && *seconds < LONGEST)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| {
            item.problem(
                "expected a positive number of seconds, or a text such as \"90 s\", \"10 min\" or \"2 h\"",
            )
        })
}

fn of_text(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|letter: char| letter.is_alphabetic())?;
    let number = text[..end].trim().parse::<f64>().ok()?;
    let unit = &text[end..];
    UNITS.iter().find(|(name, _)| *name == unit).map(|(_, seconds)| number * seconds)
}
