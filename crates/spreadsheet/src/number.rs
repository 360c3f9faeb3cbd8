//! A number in any usual spelling.

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
    }
}
