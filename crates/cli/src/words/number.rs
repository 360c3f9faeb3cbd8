//! Numbers on a command line.

pub use spreadsheet::number::{number, such_as};

/// Reads an outcome.
///
/// # Errors
/// Those of [`number`]. For what is no finite number they also say how a trial without one is told.
pub fn outcome(text: &str) -> Result<f64, String> {
    let is_none = text.trim().parse::<f64>().is_ok_and(|number| !number.is_finite());
    number(text).map_err(|why| {
        if is_none { format!("{why}; a trial without one has failed: gittins fail") } else { why }
    })
}

/// Reads `NAME=NUMBER`. NaN says that the number could not be measured.
///
/// # Errors
/// Those of [`number`]; a text without a name.
pub fn measured(text: &str) -> Result<(String, f64), String> {
    let pair = text.rsplit_once('=').map(|(name, value)| (name.trim(), value.trim()));
    let (name, value) = pair
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| format!("expected NAME=NUMBER, got {text:?}"))?;
    let value = match value.parse::<f64>() {
        Ok(none) if none.is_nan() => none,
        _ => number(value).map_err(|why| format!("{name}: {why}"))?,
    };
    Ok((name.to_owned(), value))
}

/// Reads how many there are to be.
///
/// # Errors
/// What was expected and what came.
pub fn count(text: &str) -> Result<u16, String> {
    let count = text.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| format!("expected a whole number from 1 to {}, got {text:?}", u16::MAX))
}

/// Reads the number of a trial.
///
/// # Errors
/// What was expected and what came.
pub fn trial(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| format!("expected the number of a trial such as 0 or 12, got {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_named() {
        assert!(outcome("nan").unwrap_err().ends_with("gittins fail"));
        assert!(!outcome("x").unwrap_err().contains("gittins fail"));
        assert_eq!(measured("a=b = -.5"), Ok(("a=b".to_owned(), -0.5)));
        assert!(measured("a=NaN").unwrap().1.is_nan());
        for (text, words) in [
            ("17", "expected NAME=NUMBER, got \"17\""),
            ("=17", "expected NAME=NUMBER"),
            ("a=inf", "a: expected a finite number, got \"inf\""),
            ("a=", "a: expected a number, got an empty text"),
        ] {
            assert!(measured(text).unwrap_err().contains(words), "{text}");
        }
        assert!(trial("-1").unwrap_err().ends_with("got \"-1\""));
    }
}
