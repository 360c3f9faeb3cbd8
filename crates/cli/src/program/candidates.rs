//! What is searched: the values of parameters, or the rows of a table from a file.

use std::collections::HashMap;
use std::sync::Arc;

use gittins::data::ParameterKind;
use gittins::study::StudySpec;
use gittins::{Domain, Space, Table, Value};

use crate::words::failure::{Failure, Result};

/// The rows of a file, each of which is a candidate.
#[derive(Debug, Clone)]
pub struct Candidates {
    /// The name of the file in messages.
    pub name: String,
    /// What the study is told of them: the columns that are modeled.
    pub data: gittins::study::Candidates,
    /// The same as the study has it.
    pub table: Table,
    /// The names of the other columns, which a command may be told all the same.
    pub others: Vec<String>,
    /// What stands in the cells, row by row, the modeled columns first: a command is told this.
    pub cells: Vec<Vec<Value>>,
    /// The line of each row.
    pub lines: Vec<usize>,
}

/// What is searched, and what a trial may be told of it.
#[derive(Debug, Clone, Copy)]
pub struct Searched<'f> {
    /// The parameters; those of a table are its columns that are modeled.
    pub space: &'f Space,
    /// The table, if there is one.
    pub candidates: Option<&'f Arc<Candidates>>,
}

impl<'f> From<&'f Space> for Searched<'f> {
    fn from(space: &'f Space) -> Self {
        Self { space, candidates: None }
    }
}

impl Searched<'_> {
    /// The space or the table.
    pub fn domain(&self) -> Domain {
        match self.candidates {
            Some(candidates) => candidates.table.clone().into(),
            None => self.space.clone().into(),
        }
    }

    /// Lets a study search it.
    pub fn set(&self, spec: &mut StudySpec) {
        match self.candidates {
            Some(candidates) => spec.table = Some(candidates.data.clone()),
            None => spec.space = Some(self.space.clone()),
        }
    }

    /// The parameters and the other columns. Only names, flags and conditions count.
    pub fn told(&self) -> Space {
        let Some(candidates) = self.candidates else { return self.space.clone() };
        let Candidates { others, cells, .. } = &**candidates;
        let modeled = self.space.names().count();
        let told = |space, (at, name): (usize, &String)| {
            let kind = ParameterKind::Choice { names: [].into() };
            let has_absent = cells.iter().any(|row| row[modeled + at] == Value::Absent);
            column(space, name, kind, has_absent)
        };
        others.iter().enumerate().fold(self.space.clone(), told)
    }

    /// Checks that values are some that may be tried.
    ///
    /// # Errors
    /// Those of [`Space::to_unit`] and of [`Table::row_of`].
    pub fn check(&self, values: &[Value]) -> Result<()> {
        match self.candidates {
            Some(candidates) => candidates.table.row_of(values).map(drop)?,
            None => self.space.to_unit(values).map(drop)?,
        }
        Ok(())
    }
}

/// A space with one more column. One with empty cells has a condition, since that is what lets a
/// parameter be absent; what the condition says does not count.
pub fn column(space: Space, name: &str, kind: ParameterKind, has_absent: bool) -> Space {
    let space = space.parameter(name, kind);
    if has_absent { space.when(name, [true]) } else { space }
}

impl Candidates {
    /// The names of all columns that a command may be told, the modeled ones first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.table.names().chain(self.others.iter().map(String::as_str))
    }

    /// What stands in the row that has these values of modeled columns.
    pub fn cells_of(&self, values: &[Value]) -> Option<&[Value]> {
        self.table.row_of(values).ok().map(|row| self.cells[row].as_slice())
    }

    /// What stands in a column of the row that has these values of modeled columns.
    pub fn cell(&self, values: &[Value], name: &str) -> Option<Value> {
        let at = self.names().position(|other| other == name)?;
        self.cells_of(values).map(|cells| cells[at].clone())
    }

    /// Checks that no two rows have the same values of modeled columns.
    ///
    /// # Errors
    /// The lines of two such rows.
    pub fn check_rows(&self) -> Result<()> {
        for row in 0..self.table.len() {
            let first = self.table.row_of(&self.table.values(row))?;
            if first != row {
                let names: Vec<&str> = self.table.names().collect();
                let cure = if self.others.is_empty() {
                    ""
                } else {
                    ", or add a column that tells them apart to table.columns"
                };
                return Err(Failure::new(format!(
                    "lines {} and {} of {} agree in {}, so a study cannot tell them apart: leave one of them out{cure}",
                    self.lines[first],
                    self.lines[row],
                    self.name,
                    names.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// Checks that a command that is told these columns is told another thing for each row.
    ///
    /// # Errors
    /// The lines of two rows for which it is the same.
    pub fn check_told(&self, is_told: impl Fn(&str) -> bool) -> Result<()> {
        let names: Vec<&str> = self.names().collect();
        let mut seen: HashMap<Vec<String>, usize> = HashMap::new();
        for row in 0..self.table.len() {
            let told = names.iter().zip(&self.cells[row]).filter(|(name, _)| is_told(name));
            let told: Vec<String> = told.map(|(_, value)| value.to_string()).collect();
            if let Some(first) = seen.insert(told, row) {
                let all: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
                return Err(Failure::new(format!(
                    "the command is the same for lines {} and {} of {}: put a column that tells them apart into an argument, of {}, or set environment = true if it reads them there",
                    self.lines[first],
                    self.lines[row],
                    self.name,
                    all.join(", ")
                )));
            }
        }
        Ok(())
    }
}
