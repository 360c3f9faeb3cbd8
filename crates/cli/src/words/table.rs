//! Tables of what was found, for people.

use gittins::Value;

use crate::words::show::{self, in_line};

/// What stands before a line of what was found.
pub const MARGIN: usize = 13;

/// A value in a cell.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Absent => "-".to_owned(),
        Value::Float(number) => show::number(*number),
        Value::Name(name) => in_line(name),
        other => other.to_string(),
    }
}

/// Rows with columns as wide as their longest cell, behind a margin with a title.
pub fn aligned(title: &str, rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let longest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(longest).collect();
    let lines = rows.iter().enumerate().map(|(place, row)| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        let margin = if place == 0 { title } else { "" };
        format!("{margin:<MARGIN$}{}", Vec::from_iter(cells).join("  "))
    });
    Vec::from_iter(lines).join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let table = aligned("front", &[row(["trial", "x"]), row(["3", "0.25"])]);
        assert_eq!(table, "front        trial     x\n                 3  0.25");
        assert_eq!([in_line("it's"), in_line("a\nb")], ["it's", "a\\nb"]);
    }
}
