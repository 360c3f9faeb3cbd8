//! CSV files, as the command reads them.

use gittins::{Error, ErrorKind};
use pyo3::prelude::*;
use spreadsheet::column::Column;
use spreadsheet::text::Text;

use crate::errors::raised;

/// Names of columns, rows of cells, the line of each row, what stands between cells, and what the rows
/// are called.
type Sheet = (Vec<String>, Vec<Vec<String>>, Vec<usize>, char, Option<Vec<String>>);

/// The texts of numbers, if a column has numbers; and a row that has none, with why.
type Read = (Option<Vec<Option<String>>>, Option<(usize, String)>);

/// The names of the columns of a CSV file, its rows of cells, the line of each row, what stands
/// between cells (that with which the most wanted columns are known, or the most columns), and what
/// the rows are called in a column that is not wanted.
#[pyfunction]
pub fn sheet_rows(py: Python<'_>, text: &str, wanted: Option<Vec<String>>) -> PyResult<Sheet> {
    let wanted = wanted.as_ref().map(|all| Vec::from_iter(all.iter().map(String::as_str)));
    let found = Text::of_columns(text, wanted.as_deref())
        .map_err(|wrong| raised(py, &Error::new(ErrorKind::Dimension, wrong.to_string())))?;
    let rows = found.rows.iter();
    let (lines, rows) = rows
        .map(|(line, row)| (*line, row.iter().map(|cell| cell.trim().to_owned()).collect()))
        .unzip();
    let labels = wanted.and_then(|wanted| found.labels(|name| wanted.contains(&name)));
    Ok((found.header, rows, lines, char::from(found.separator), labels))
}

/// The numbers of a column of cells as texts that `float` reads, or none for names; and the row
/// of a cell that is no number among numbers, with why.
#[pyfunction]
pub fn sheet_column(cells: Vec<String>, separator: char) -> Read {
    let separator = u8::try_from(separator).unwrap_or(b',');
    match Column::of(cells.iter().map(String::as_str), separator) {
        Ok(Column::Numbers(numbers)) => {
            (Some(numbers.into_iter().map(|one| one.map(|one| one.text)).collect()), None)
        }
        Ok(Column::Names) => (None, None),
        Err(odd) => (None, Some((odd.row, odd.words))),
    }
}
