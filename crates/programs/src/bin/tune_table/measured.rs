//! A table of settings that someone measured, read from a CSV file.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use gittins::Table;

/// The measurements of a table.
pub struct Measured {
    /// The settings.
    pub table: Table,
    /// The outcome of each row.
    pub outcomes: Vec<f64>,
    /// The cost of each row.
    pub costs: Vec<f64>,
    /// The number of rows that repeat an earlier row's settings. They were left out.
    pub repeated: usize,
}

impl Measured {
    /// Reads the columns `inputs` (those of `log` on a log scale), `outcome` and `cost`. The first
    /// row counts if several have the same settings.
    pub fn read(
        path: &Path,
        inputs: &[String],
        log: &[String],
        outcome: &str,
        cost: &str,
    ) -> io::Result<Self> {
        let place = |error: &dyn std::fmt::Display| {
            io::Error::other(format!("{}: {error}", path.display()))
        };
        let mut reader = csv::Reader::from_path(path).map_err(|e| place(&e))?;
        let header = reader.headers().map_err(|e| place(&e))?.clone();
        let column = |name: &str| {
            let position = header.iter().position(|other| other.trim() == name);
            position.ok_or_else(|| {
                place(&format!(
                    "no column {name:?}; there are {}",
                    header.iter().collect::<Vec<_>>().join(", ")
                ))
            })
        };
        let input_columns =
            inputs.iter().map(|name| column(name)).collect::<io::Result<Vec<_>>>()?;
        let (outcome_column, cost_column) = (column(outcome)?, column(cost)?);

        let (mut rows, mut outcomes, mut costs, mut repeated) =
            (Vec::new(), Vec::new(), Vec::new(), 0);
        let mut seen = HashSet::new();
        for record in reader.records() {
            let record = record.map_err(|e| place(&e))?;
            let line = record.position().map_or(0, csv::Position::line);
            let number = |at: usize| {
                let text = record.get(at).unwrap_or("").trim();
                let value: Option<f64> = text.parse().ok().filter(|value: &f64| value.is_finite());
                value.ok_or_else(|| {
                    place(&format!(
                        "line {line}, column {:?}: expected a finite number, got {text:?}",
                        &header[at]
                    ))
                })
            };
            let row = input_columns.iter().map(|&at| number(at)).collect::<io::Result<Vec<_>>>()?;
            // Zero has two signs and one meaning.
            if seen.insert(row.iter().map(|value| (value + 0.0).to_bits()).collect::<Vec<_>>()) {
                outcomes.push(number(outcome_column)?);
                costs.push(number(cost_column)?);
                rows.push(row);
            } else {
                repeated += 1;
            }
        }
        let mut table = Table::new(inputs, rows).map_err(|e| place(&e))?;
        for name in log {
            table = table.log(name).map_err(|e| place(&e))?;
        }
        Ok(Self { table, outcomes, costs, repeated })
    }
}
