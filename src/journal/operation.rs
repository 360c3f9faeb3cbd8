//! The lines of a journal: Optuna's operations.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use crate::error::{Error, ErrorKind, Result};
use crate::math::number::Number;

/// The codes of the operations that are written.
pub(super) const CREATE_STUDY: u64 = 0;
pub(super) const DELETE_STUDY: u64 = 1;
pub(super) const STUDY_USER_ATTR: u64 = 2;
pub(super) const STUDY_SYSTEM_ATTR: u64 = 3;
pub(super) const CREATE_TRIAL: u64 = 4;
pub(super) const TRIAL_PARAM: u64 = 5;
pub(super) const TRIAL_STATE: u64 = 6;
pub(super) const TRIAL_INTERMEDIATE: u64 = 7;
pub(super) const TRIAL_USER_ATTR: u64 = 8;
pub(super) const TRIAL_SYSTEM_ATTR: u64 = 9;

/// The states of a trial.
pub(super) const RUNNING: u64 = 0;
pub(super) const COMPLETE: u64 = 1;
pub(super) const PRUNED: u64 = 2;
pub(super) const FAIL: u64 = 3;

/// The directions of a study.
pub(super) const MINIMIZE: u64 = 1;
pub(super) const MAXIMIZE: u64 = 2;

/// Attributes: names, and values as they stand in the file.
pub(super) type Attributes = BTreeMap<String, Box<RawValue>>;

/// Names and values in the order in which they stand in the file.
#[derive(Debug)]
pub(super) struct Ordered<T>(pub Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Ordered<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// One line, of any operation. What an operation does not have is none.
#[derive(Debug, Deserialize)]
pub(super) struct Operation {
    pub op_code: u64,
    #[serde(default)]
    pub worker_id: String,
    pub study_id: Option<usize>,
    pub study_name: Option<String>,
    pub directions: Option<Vec<u64>>,
    pub trial_id: Option<usize>,
    pub state: Option<u64>,
    pub value: Option<Number>,
    pub values: Option<Vec<Number>>,
    pub datetime_start: Option<String>,
    pub datetime_complete: Option<String>,
    pub params: Option<Ordered<Number>>,
    pub distributions: Option<BTreeMap<String, String>>,
    pub param_name: Option<String>,
    pub param_value_internal: Option<Number>,
    pub distribution: Option<String>,
    /// Of a trial that is created.
    pub user_attrs: Option<Attributes>,
    pub system_attrs: Option<Attributes>,
    /// One that is set.
    pub user_attr: Option<Attributes>,
    pub system_attr: Option<Attributes>,
    /// The line of the file, from 1.
    #[serde(skip)]
    pub line: usize,
}

/// The operation of a line.
///
/// # Errors
/// `Data`, saying what is wrong.
pub(super) fn parse(line: &[u8]) -> Result<Operation> {
    let text = std::str::from_utf8(line).map_err(|error| {
        let message = format!("expected text in UTF-8: {error}");
        Error::new(ErrorKind::Data, message)
    })?;
    // An editor may have put a mark of UTF-8 in front, which Optuna reads over.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let read: serde_json::Result<Operation> = serde_json::from_str(text).or_else(|error| {
        // Python writes numbers that JSON does not have.
        let named = named_numbers(text).and_then(|text| serde_json::from_str(&text).ok());
        named.ok_or(error)
    });
    match read {
        Ok(operation) if operation.op_code == CREATE_STUDY && operation.study_name.is_none() => {
            Err(incomplete("study_name"))
        }
        Ok(operation) => Ok(operation),
        Err(error) => {
            let message = format!("expected an operation of Optuna's journal as JSON: {error}");
            Err(Error::new(ErrorKind::Data, message).with_source(error))
        }
    }
}

/// The error of an operation that lacks something.
pub(super) fn incomplete(what: &str) -> Error {
    Error::new(ErrorKind::Data, format!("an operation without {what}"))
}

/// The line of an operation. What it is stands first, as in Optuna's lines.
pub(super) fn line_of(code: u64, worker: &str, rest: &Map<String, Json>) -> String {
    let mut line = format!("{BEGINNING}:{code},\"worker_id\":{}", Json::from(worker));
    for (key, value) in rest {
        let _ = write!(line, ",{}:{value}", Json::from(key.as_str()));
    }
    line.push_str("}\n");
    line
}

/// How each line begins.
const BEGINNING: &str = "{\"op_code\"";

/// Whether nothing stands in a part of a file. A machine that lost power may leave zeros.
pub(super) fn is_blank(part: &[u8]) -> bool {
    part.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace())
}

/// The operations of a line in which zeros stand between them in place of the ends of lines, each
/// with its place. None if something else is in it.
pub(super) fn apart(line: &[u8]) -> Option<Vec<(usize, Operation)>> {
    let mut found = Vec::new();
    let mut start = 0;
    for part in line.split(|byte| *byte == 0) {
        if !is_blank(part) {
            found.push((start, parse(part).ok()?));
        }
        start += part.len() + 1;
    }
    Some(found).filter(|found| !found.is_empty())
}

/// The operation at the end of a line whose beginning is a part of another one, and where it
/// starts.
pub(super) fn salvage(line: &[u8]) -> Option<(usize, Operation)> {
    let starts = line.windows(BEGINNING.len()).enumerate().skip(1);
    let mut starts = starts.filter(|(_, window)| *window == BEGINNING.as_bytes());
    starts.find_map(|(start, _)| Some((start, parse(&line[start..]).ok()?)))
}

/// The text with `NaN`, `Infinity` and `-Infinity` outside of strings as strings, which
/// [`Number`] reads. None if there is none of them.
pub(super) fn named_numbers(text: &str) -> Option<String> {
    const NAMES: [(&str, &str); 3] =
        [("-Infinity", "\"-inf\""), ("Infinity", "\"inf\""), ("NaN", "\"NaN\"")];
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let (mut inside, mut found) = (false, false);
    while let Some(next) = rest.chars().next() {
        if !inside && let Some((name, word)) = NAMES.iter().find(|(name, _)| rest.starts_with(name))
        {
            out.push_str(word);
            rest = &rest[name.len()..];
            found = true;
            continue;
        }
        let mut end = next.len_utf8();
        if inside && next == '\\' {
            end += rest[end..].chars().next().map_or(0, char::len_utf8);
        } else if next == '"' {
            inside = !inside;
        }
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_does_not_have_are_read() {
        let line = br#"{"op_code":6,"worker_id":"w","trial_id":3,"state":1,"values":[-Infinity,NaN,Infinity,1e-3]}"#;
        let operation = parse(line).unwrap();
        let values: Vec<f64> = operation.values.unwrap().iter().map(|value| value.0).collect();
        assert_eq!((values[0], values[2], values[3]), (f64::NEG_INFINITY, f64::INFINITY, 1e-3));
        assert!(values[1].is_nan());
    }

    #[test]
    fn words_within_strings_stay() {
        let text = r#"{"op_code":8,"user_attr":{"a \"NaN\" \\":NaN},"worker_id":"Infinity \\"}"#;
        let named = named_numbers(text).unwrap();
        assert_eq!(
            named,
            r#"{"op_code":8,"user_attr":{"a \"NaN\" \\":"NaN"},"worker_id":"Infinity \\"}"#
        );
        assert_eq!(parse(text.as_bytes()).unwrap().worker_id, "Infinity \\");
        assert_eq!(named_numbers(r#"{"a": "NaN"}"#), None);
    }

    #[test]
    fn the_rest_of_a_merged_line_is_found() {
        let line = br#"{"op_code":6,"trial_id":1,"sta{"op_code":1,"worker_id":"w","study_id":2}"#;
        assert!(parse(line).is_err());
        let (start, operation) = salvage(line).unwrap();
        assert_eq!((start, operation.op_code, operation.study_id), (30, 1, Some(2)));
        assert!(salvage(br#"{"op_code":6,"trial_id":1,"sta"#).is_none());
    }
}
