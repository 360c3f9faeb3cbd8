//! Files of numbers, with errors that say where.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use gittins::{Error, ErrorKind, Result};
use serde::de::DeserializeOwned;

/// An error of the data at a place.
pub(super) fn wrong(place: impl Display, what: impl Display) -> Error {
    Error::new(ErrorKind::Data, format!("{place}: {what}"))
}

/// The error of a place whose cause is another error: of a file, or of a format.
pub(super) fn caused(
    place: impl Display,
    cause: impl std::error::Error + Send + Sync + 'static,
) -> Error {
    wrong(place, &cause).with_source(cause)
}

/// One row of a file.
pub(super) struct Row<const N: usize> {
    /// The line it starts in, counted from 1.
    pub line: u64,
    /// The columns asked for, in the order asked for.
    pub values: [f64; N],
}

/// The named columns of a CSV file with a header. All their values must be finite numbers, and
/// there must be a row.
pub(super) fn rows<const N: usize>(path: &Path, names: [&str; N]) -> Result<Vec<Row<N>>> {
    let file = path.display();
    // With both a carriage return and a line feed the reader counts a line after the first. With
    // the line feed alone it counts lines as they are.
    let reader = csv::ReaderBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_path(path);
    let mut reader = reader.map_err(|error| caused(&file, error))?;
    let header = reader.headers().map_err(|error| caused(&file, error))?.clone();
    let mut columns = [0; N];
    for (column, name) in columns.iter_mut().zip(names) {
        let found = header.iter().position(|other| other.trim() == name);
        *column = found.ok_or_else(|| {
            let there: Vec<_> = header.iter().map(str::trim).collect();
            wrong(
                &file,
                format_args!("line 1: expected a column {name:?}, got {}", there.join(", ")),
            )
        })?;
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| caused(&file, error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let mut values = [0.0; N];
        for ((value, column), name) in values.iter_mut().zip(columns).zip(names) {
            let text = record.get(column).unwrap_or("").trim();
            let number = text.parse().ok().filter(|number: &f64| number.is_finite());
            *value = number.ok_or_else(|| {
                wrong(
                    &file,
                    format_args!(
                        "line {line}, column {name:?}: expected a finite number, got {text:?}"
                    ),
                )
            })?;
        }
        rows.push(Row { line, values });
    }
    if rows.is_empty() {
        Err(wrong(&file, "expected at least one row below the header, got none"))
    } else {
        Ok(rows)
    }
}

/// A small JSON file.
pub(super) fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).map_err(|error| caused(path.display(), error))?;
    serde_json::from_str(&text).map_err(|error| caused(path.display(), error))
}
