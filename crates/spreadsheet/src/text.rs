//! A file as rows of cells, with the line of each.

use std::collections::HashSet;

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::Wrong;

/// What may stand between the cells of a line. The first one is preferred.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// The rows of a file.
#[derive(Debug)]
pub struct Text {
    /// What stands between cells.
    pub separator: u8,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows, each with the line in which it begins.
    pub rows: Vec<(usize, StringRecord)>,
}

impl Text {
    /// Reads a file. The separator is the one that its first line says, as in `sep=;`, or that with
    /// which the most columns are known. Rows and columns without a name in which nothing stands
    /// are left out.
    ///
    /// # Errors
    /// A row with another number of cells than columns, naming its line.
    pub fn read(text: &str, is_known: impl Fn(&str) -> bool) -> Result<Self, Wrong> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (said, text) = said(text);
        let wrong = |error: csv::Error| Wrong { line: None, words: error.to_string() };
        let known = |separator: &u8| {
            let mut reader = reader(text, *separator);
            let count = |header: &StringRecord| header.iter().filter(|name| is_known(name)).count();
            reader.headers().map_or(0, count)
        };
        // Of several that are as good the first one.
        let likely = || SEPARATORS.into_iter().rev().max_by_key(known).unwrap_or(SEPARATORS[0]);
        let separator = said.unwrap_or_else(likely);
        let mut reader = reader(text, separator);
        let header: Vec<String> =
            reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
        let mut lines = Lines { text, at: 0, line: 1 + usize::from(said.is_some()) };
        let mut rows = Vec::new();
        for record in reader.records() {
            let mut record = record.map_err(wrong)?;
            let start = record.position().map_or(0, csv::Position::byte) as usize;
            let line = lines.of(start);
            let filled = record.iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty());
            let Some((last, _)) = filled.last() else { continue };
            if record.len() > header.len() {
                record.truncate(header.len().max(last + 1));
            }
            if record.len() != header.len() {
                return Err(Wrong {
                    line: Some(line),
                    words: of_other_length(&record, header.len(), separator),
                });
            }
            rows.push((line, record));
        }
        let mut found = Self { separator, header, rows };
        found.leave_out_empty(is_known);
        Ok(found)
    }

    /// Reads a file of columns, of which some are wanted, or all. Blanks around their names are left out.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub fn of_columns(text: &str, wanted: Option<&[&str]>) -> Result<Self, Wrong> {
        let is_known = |name: &str| match wanted {
            Some(wanted) => wanted.contains(&name.trim()),
            None => is_likely_name(name),
        };
        let mut found = Self::read(text, is_known)?;
        found.header.iter_mut().for_each(|name| *name = name.trim().to_owned());
        Ok(found)
    }

    /// What the rows are called: the cells of the first column of a name in which all differ, of those
    /// that are not taken for something else.
    pub fn labels(&self, is_taken: impl Fn(&str) -> bool) -> Option<Vec<String>> {
        let cells = |at: usize| self.rows.iter().map(move |(_, row)| row[at].trim());
        let differ = |at: &usize| {
            let filled: HashSet<&str> = cells(*at).filter(|cell| !cell.is_empty()).collect();
            filled.len() == self.rows.len()
        };
        let columns = self.header.iter().enumerate();
        let others = columns.filter(|(_, name)| !is_index(name) && !is_taken(name));
        let found = others.map(|(at, _)| at).find(differ)?;
        Some(cells(found).map(str::to_owned).collect())
    }

    /// Leaves out columns without a known name in which nothing stands.
    fn leave_out_empty(&mut self, is_known: impl Fn(&str) -> bool) {
        let has_more = |at: usize| self.rows.iter().any(|(_, row)| !row[at].trim().is_empty());
        let header = self.header.iter().enumerate();
        let kept: Vec<usize> = header
            .filter(|(at, name)| !name.trim().is_empty() || is_known(name) || has_more(*at))
            .map(|(at, _)| at)
            .collect();
        if kept.len() < self.header.len() && !kept.is_empty() {
            self.header = kept.iter().map(|at| self.header[*at].clone()).collect();
            for (_, row) in &mut self.rows {
                *row = kept.iter().map(|at| &row[*at]).collect();
            }
        }
    }
}

/// The separator that a first line says, as spreadsheets write it, and the text behind that line.
fn said(text: &str) -> (Option<u8>, &str) {
    let Some(rest) = text.strip_prefix("sep=") else { return (None, text) };
    let [separator, rest @ ..] = rest.as_bytes() else { return (None, text) };
    let end = [&b"\r\n"[..], b"\n", b"\r"].into_iter().find(|end| rest.starts_with(end));
    match end.filter(|_| SEPARATORS.contains(separator)) {
        Some(end) => (Some(*separator), &text["sep=".len() + 1 + end.len()..]),
        None => (None, text),
    }
}

fn of_other_length(record: &StringRecord, columns: usize, separator: u8) -> String {
    let cells = record.len();
    let why = if separator == b',' && cells > columns {
        "; a number has a point, or semicolons stand between the cells"
    } else {
        ""
    };
    format!("expected {columns} cells, one for each column, got {cells}{why}")
}

/// Whether a text is likely the name of a column. A quotation mark is left within a name where a
/// line was split at another letter than its own.
fn is_likely_name(name: &str) -> bool {
    !name.trim().is_empty() && !name.contains('"')
}

/// Whether a column in front, without a name of its own, has the numbers of the rows.
pub fn is_index(name: &str) -> bool {
    name.is_empty() || name.starts_with("Unnamed: ")
}

fn reader(text: &str, separator: u8) -> Reader<&[u8]> {
    ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes())
}

/// Counts the lines of a text, which end as on any system.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of the first cell behind a place. Places rise from call to call.
    fn of(&mut self, place: usize) -> usize {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            let is_end = matches!(byte, b'\r' | b'\n');
            if self.at >= place && !is_end {
                break;
            }
            // The first half of the end of a line on Windows is not counted.
            let is_half = *byte == b'\r' && bytes.get(self.at + 1) == Some(&b'\n');
            self.line += usize::from(is_end && !is_half);
            self.at += 1;
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Text, Wrong> {
        Text::read(text, |name| ["x", "y"].contains(&name))
    }

    #[test]
    fn a_comma_in_quotes_separates_nothing() {
        let text = Text::read("\"Yield, %\";\"Temp, C\"\n1,5;20\n", is_likely_name).unwrap();
        assert_eq!(text.header, ["Yield, %", "Temp, C"]);
    }

    #[test]
    fn rows_have_their_lines_however_lines_end() {
        for (text, lines) in [
            ("x,y\n1,2\n3,4\n", vec![2, 3]),
            ("x,y\r\n1,2\r\n3,4", vec![2, 3]),
            ("x,y\r1,2\r3,4\r", vec![2, 3]),
            ("x,y\r\n1,2\r\n\r\n\r\n3,4\r\n", vec![2, 5]),
            ("\n\nx,y\n\n1,2\n  \n3,4\n", vec![5, 7]),
            ("\u{feff}x,y\n\"1\n\r\n1\",2\r\n3,\"4\r\"\n5,6\n", vec![2, 5, 7]),
            ("sep=;\r\nx;y\r\n1;2\r\n", vec![3]),
            ("x,y,,\n1,2,,\n,,,\n3,4,,\n", vec![2, 4]),
            ("x,y\n1,2,,\n", vec![2]),
            ("x,y\n\n\n", vec![]),
            ("x,y", vec![]),
        ] {
            let found: Vec<usize> =
                read(text).unwrap().rows.iter().map(|(line, _)| *line).collect();
            assert_eq!(found, lines, "{text:?}");
        }
        let error = read("x,y\r\n\r\n1,2\r\n3,4,5\r\n").unwrap_err().to_string();
        assert!(error.contains("line 4: expected 2 cells"), "{error}");
    }

    #[test]
    fn the_separator_is_the_one_that_names_columns() {
        for (text, separator) in [
            ("x,y\n", b','),
            ("x;y\n", b';'),
            ("x\ty\n", b'\t'),
            ("x\n", b','),
            ("\"x\";\"a,y\";y\n", b';'),
            ("a;b,x\n", b','),
            ("sep=;\na,x;b\n", b';'),
            ("sep=\t\nx,y\n", b'\t'),
            ("", b','),
        ] {
            assert_eq!(read(text).unwrap().separator, separator, "{text:?}");
        }
    }
}
