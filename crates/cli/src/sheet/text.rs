//! A file as rows of cells, with the line of each.

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::failure::{At, Failure, Result};

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
    /// Reads a file. The separator is the one with which the most columns are known.
    ///
    /// # Errors
    /// A row with another number of cells than columns, naming its line.
    pub fn read(text: &str, is_known: impl Fn(&str) -> bool) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let wrong = |error: csv::Error| Failure::new(error.to_string());
        let known = |separator: &u8| {
            let mut reader = reader(text, *separator);
            let count = |header: &StringRecord| header.iter().filter(|name| is_known(name)).count();
            reader.headers().map_or(0, count)
        };
        // Of several that are as good the first one.
        let separator = SEPARATORS.into_iter().rev().max_by_key(known).unwrap_or(SEPARATORS[0]);
        let mut reader = reader(text, separator);
        let header: Vec<String> =
            reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
        let (mut rows, mut lines) = (Vec::new(), Lines { text, at: 0, line: 1 });
        for record in reader.records() {
            let record = record.map_err(wrong)?;
            let start = record.position().map_or(0, csv::Position::byte) as usize;
            let line = lines.of(start);
            // A line of blanks.
            if record.len() == 1 && header.len() > 1 && record[0].trim().is_empty() {
                continue;
            }
            if record.len() != header.len() {
                let (columns, cells) = (header.len(), record.len());
                let why = if separator == b',' && cells > columns {
                    "; a number has a point, or semicolons stand between the cells"
                } else {
                    ""
                };
                return Err(Failure::new(format!(
                    "expected {columns} cells, one for each column, got {cells}{why}"
                )))
                .at(format_args!("line {line}"));
            }
            rows.push((line, record));
        }
        Ok(Self { separator, header, rows })
    }
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

    fn read(text: &str) -> Result<Text> {
        Text::read(text, |name| ["x", "y"].contains(&name))
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
            ("", b','),
        ] {
            assert_eq!(read(text).unwrap().separator, separator, "{text:?}");
        }
    }
}
