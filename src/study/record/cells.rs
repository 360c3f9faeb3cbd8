//! A record as a plain table of cells, for CSV and spreadsheets.

use crate::backend::Fallback;
use crate::data::trial::trial::{Origin, TrialState};
use crate::data::{Direction, Measured, Value};

/// The columns of a row, and its cells.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub columns: Vec<String>,
    pub cells: Vec<String>,
}

impl Cells {
    /// A column, with the cell that the row has there.
    pub fn put(&mut self, column: impl Into<String>, cell: Option<&impl Cell>) {
        self.columns.push(column.into());
        self.cells.push(cell.map_or_else(String::new, Cell::text));
    }
}

/// The content of a cell.
pub(super) trait Cell {
    /// As it is written.
    fn text(&self) -> String;
}

impl Cell for f64 {
    fn text(&self) -> String {
        // The shortest digits that are read back to the same bits, with an exponent in place of
        // many zeros.
        format!("{self:?}")
    }
}

impl Cell for Value {
    /// Nothing stands for what is absent. A name that reads like something else stands in quotation
    /// marks.
    fn text(&self) -> String {
        match self {
            Self::Float(number) => number.text(),
            Self::Absent => String::new(),
            Self::Name(name) if !is_plain(name) => format!("\"{name}\""),
            other => other.to_string(),
        }
    }
}

/// Whether a text is taken for a name, and not for a number, a flag, nothing or quoted.
fn is_plain(text: &str) -> bool {
    let is_quoted = text.len() > 1 && text.starts_with('"') && text.ends_with('"');
    let is_other = text.parse::<f64>().is_ok() || text.parse::<bool>().is_ok();
    !text.is_empty() && !is_quoted && !is_other
}

impl Cell for Vec<f64> {
    /// Apart by spaces.
    fn text(&self) -> String {
        self.iter().map(f64::text).collect::<Vec<_>>().join(" ")
    }
}

impl Cell for Vec<Vec<f64>> {
    /// Points apart by semicolons, and their coordinates by spaces.
    fn text(&self) -> String {
        self.iter().map(Vec::text).collect::<Vec<_>>().join("; ")
    }
}

impl Cell for Measured {
    /// Names and numbers, apart by semicolons.
    fn text(&self) -> String {
        let one = |(name, number): (&str, f64)| format!("{}={}", escaped(name), number.text());
        self.iter().map(one).collect::<Vec<_>>().join(";")
    }
}

/// What has a meaning between measured numbers, and what stands for it in their names.
const ESCAPES: [(char, &str); 3] = [('%', "%25"), (';', "%3B"), ('=', "%3D")];

fn escaped(name: &str) -> String {
    ESCAPES.iter().fold(name.to_owned(), |name, (sign, by)| name.replace(*sign, by))
}

macro_rules! cell_as_displayed {
    ($($kind:ty),*) => {
        $(impl Cell for $kind {
            fn text(&self) -> String {
                self.to_string()
            }
        })*
    };
}

cell_as_displayed!(usize, bool, String, Direction, Origin, TrialState);

impl Cell for Fallback {
    /// By the name that serde gives the variant.
    fn text(&self) -> String {
        match self {
            Self::NotBuilt => "not_built",
            Self::NoAdapter => "no_adapter",
            Self::SelfTest => "self_test",
            Self::DeviceLost => "device_lost",
            Self::OutOfMemory => "out_of_memory",
            Self::Validation => "validation",
            Self::Unfit => "unfit",
            Self::Overflow => "overflow",
            Self::HostOnly => "host_only",
        }
        .to_owned()
    }
}
