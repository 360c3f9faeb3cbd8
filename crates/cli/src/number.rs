//! Numbers on a command line and in a sheet.

/// Reads a finite number in any usual spelling: `3`, `+3`, `-.5`, `1E-05`.
///
/// # Errors
/// What was expected, what came and, where it is known, how to write it instead.
pub fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("expected a number, got an empty text".to_owned());
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        // A text of digits that is read as infinite is a number beyond the largest one.
        Ok(_) if text.contains(|letter: char| letter.is_ascii_digit()) => {
            Err(format!("expected a number of at most 1.79e308 in size, got {text:?}"))
        }
        Ok(_) => Err(format!("expected a finite number, got {text:?}")),
        Err(_) => Err(format!("expected a number{}, got {text:?}", such_as(text))),
    }
}

/// The number that was probably meant: a comma in place of the point, or marks between digits.
pub fn such_as(text: &str) -> String {
    let marks = |mark: char| text.replace(mark, "");
    // A comma may stand for the point, or mark thousands.
    let comma = text.split_once(',').filter(|(_, rest)| rest.len() != 3);
    let comma = comma.map(|(whole, rest)| format!("{whole}.{rest}"));
    let others = [text.replace('\u{2212}', "-"), marks('_'), marks('\'')];
    let mut all = comma.into_iter().chain(others);
    let meant = all.find(|other| other.parse::<f64>().is_ok_and(f64::is_finite));
    meant.map_or_else(String::new, |number| format!(" such as {number}"))
}

/// Reads an outcome.
///
/// # Errors
/// Those of [`number`]. For what is no finite number they also say how a trial without one is told.
pub fn outcome(text: &str) -> Result<f64, String> {
    let is_none = text.trim().parse::<f64>().is_ok_and(|number| !number.is_finite());
    number(text).map_err(|why| match is_none {
        true => format!("{why}; a trial without one has failed: gittins fail"),
        false => why,
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
    fn numbers_are_read_in_every_spelling() {
        for (text, expected) in [
            ("3", 3.0),
            ("+3", 3.0),
            (" -2 ", -2.0),
            ("-1e-3", -1e-3),
            ("-1E-05", -1e-5),
            ("-1E+05", -1e5),
            ("-.5", -0.5),
            ("5.", 5.0),
            ("-0", 0.0),
        ] {
            assert_eq!(number(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_named() {
        for (text, message) in [
            ("", "expected a number, got an empty text"),
            ("1,5", "expected a number such as 1.5, got \"1,5\""),
            ("1_000", "expected a number such as 1000, got \"1_000\""),
            ("\u{2212}3", "expected a number such as -3, got \"\u{2212}3\""),
            ("1,000", "expected a number, got \"1,000\""),
            ("1,000,000", "expected a number, got \"1,000,000\""),
            ("--cost", "expected a number, got \"--cost\""),
            ("nan", "expected a finite number, got \"nan\""),
            ("-inf", "expected a finite number, got \"-inf\""),
            ("1e400", "expected a number of at most 1.79e308 in size, got \"1e400\""),
        ] {
            assert_eq!(number(text), Err(message.to_owned()));
        }
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
