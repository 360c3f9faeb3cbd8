//! Numbers and values for people and for programs.

use std::path::Path;

use gittins::journal::Journal;
use gittins::{Study, Trial, TrialId, Value};
use serde_json::{Map, Value as Json, json};

use crate::words::failure::Failure;

/// The key of the note that says why a trial failed.
pub const WHY: &str = "why";

/// The keys of the notes with the end of a trial's output, and of its errors.
pub const OUTPUTS: [&str; 2] = ["stdout", "stderr"];

/// A number with six significant digits at most, without zeros at its end.
pub fn number(value: f64) -> String {
    digits(value, 6)
}

/// A number with all its digits, in scientific notation if it would have many zeros.
pub fn exact(value: f64) -> String {
    let size = value.abs();
    if value != 0.0 && value.is_finite() && !(1e-5..1e16).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// A value with all its digits.
pub fn value(value: &Value) -> String {
    match value {
        Value::Float(float) => exact(*float),
        other => other.to_string(),
    }
}

/// A number with this many significant digits at most, without zeros at its end.
pub fn digits(value: f64, digits: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value);
    let size = rounded.abs();
    if rounded != 0.0 && !(1e-4..1e9).contains(&size) && rounded.is_finite() {
        format!("{rounded:e}")
    } else {
        rounded.to_string()
    }
}

/// Money with its unit.
pub fn money(cost: f64, unit: Option<&str>) -> String {
    let number = digits(cost, 4);
    unit.map_or_else(|| number.clone(), |unit| format!("{number} {unit}"))
}

/// Seconds as a person reads them.
pub fn time(seconds: f64) -> String {
    let whole = seconds as u64;
    match whole {
        0..=9 => format!("{} s", digits(seconds, 2)),
        10..=99 => format!("{whole} s"),
        100..=5999 => format!("{} min", whole / 60),
        6000..=359_999 => format!("{} h", whole / 3600),
        _ => format!("{} days", whole / 86_400),
    }
}

/// `name = value` for all that is there.
pub fn values<'a>(named: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
    let pairs: Vec<String> = named
        .filter(|(_, value)| **value != Value::Absent)
        .map(|(name, value)| match value {
            Value::Float(float) => format!("{name} = {}", number(*float)),
            // What is no text stands behind an equals sign in a journal.
            Value::Name(text) if is_marked(text) => format!("{name} = {}", &text[1..]),
            // What would break the line is shown with escapes.
            Value::Name(text) if text.contains(char::is_control) || text.contains(',') => {
                format!("{name} = {text:?}")
            }
            other => format!("{name} = {other}"),
        })
        .collect();
    pairs.join(", ")
}

/// Whether a name is that of a number, a flag or another value that is no text, as journals of Python and
/// of Optuna have it.
fn is_marked(name: &str) -> bool {
    let value = name.strip_prefix('=').map(serde_json::from_str::<Json>);
    value.is_some_and(|value| value.is_ok_and(|value| !value.is_string()))
}

/// The values of a trial, each with its name.
pub fn named<'a>(study: &'a Study, trial: &'a Trial) -> impl Iterator<Item = (&'a str, &'a Value)> {
    study.names().iter().map(String::as_str).zip(&trial.values)
}

/// A name that stays in its line.
pub fn in_line(name: &str) -> String {
    if name.contains(char::is_control) { name.escape_debug().to_string() } else { name.to_owned() }
}

/// Adds the label of the row of a table to an object, if it has one.
pub fn add_label(object: &mut Json, study: &Study, row: Option<usize>) {
    if let Some(label) = study.domain().label(row) {
        object["label"] = json!(label);
    }
}

/// `name = value` for all that is there, in parentheses behind the label of a row that has one.
pub fn setting<'a>(
    label: Option<&str>,
    named: impl Iterator<Item = (&'a str, &'a Value)>,
) -> String {
    match (label.map(in_line), values(named)) {
        (Some(label), values) => format!("{label} ({values})"),
        (None, values) => values,
    }
}

/// The setting of a trial in words.
pub fn setting_of(study: &Study, trial: &Trial) -> String {
    setting(study.domain().label(trial.row), named(study, trial))
}

/// Names and values as an object; null for what is absent.
pub fn values_json<'a>(named: impl Iterator<Item = (&'a str, &'a Value)>) -> Json {
    named.map(|(name, value)| (name.to_owned(), json!(value))).collect::<Map<_, _>>().into()
}

/// The number of a trial in its journal, as dashboards show it.
pub fn number_of(journal: &Journal, id: TrialId) -> usize {
    journal.number(id).unwrap_or(id.index())
}

/// What to look at once a run has ended: its pictures, and the last trial that failed.
pub fn next(study: &Path, failed: Option<usize>) -> String {
    let study = argument(&study.to_string_lossy());
    let why = failed.map_or_else(String::new, |trial| {
        format!("; gittins show {study} {trial} says why trial {trial} failed")
    });
    format!("next         gittins plot {study} draws it{why}")
}

/// A text that a shell reads as one argument.
pub fn argument(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+=:@%".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) { text.to_owned() } else { quoted(text) }
}

/// A text that a shell reads as itself.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// That a file has no trial of a number, and which it has.
pub fn no_trial(path: &Path, number: usize, known: impl Iterator<Item = usize> + Clone) -> Failure {
    let path = path.display();
    Failure::new(match known.clone().min().zip(known.max()) {
        Some((first, last)) if first < last => {
            format!("{path} has no trial {number}: they are {first} to {last}")
        }
        Some((only, _)) => format!("{path} has no trial {number}, only trial {only}"),
        None => format!("{path} has no trial {number}, and no other one yet"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (1.0 / 3.0, "0.333333"),
            (19542.8543, "19542.9"),
            (1.36e-7, "1.36e-7"),
            (-1e300, "-1e300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(exact(-1.7e308), "-1.7e308");
        assert_eq!(exact(0.1), "0.1");
        assert_eq!(value(&Value::Float(1e-300)), "1e-300");
        assert_eq!(money(9.2534, Some("s")), "9.253 s");
    }

    #[test]
    fn a_name_stays_in_its_line() {
        let value = Value::from("a\nb");
        assert_eq!(values([("x", &value)].into_iter()), "x = \"a\\nb\"");
    }
}
