//! The evaluations that the rows of a sheet say.

use csv::StringRecord;
use gittins::named::hint;
use gittins::study::TrialState;
use gittins::{Outcome, Value};
use spreadsheet::text::{Text, is_index};

use super::evaluations::Evaluated;
use super::{cell, column};
use crate::file::StudyFile;
use crate::file::measures::Measure;
use crate::words::failure::{At, Failure, Result};
use crate::words::show::argument;

/// An evaluation that was read.
pub struct Row {
    /// The values of its parameters.
    pub values: Vec<Value>,
    /// What the study is told.
    pub outcome: Outcome,
    /// The result.
    pub result: Evaluated,
}

/// What a sheet has.
pub struct Rows {
    /// The evaluations.
    pub told: Vec<Row>,
    /// How many rows have no outcome yet: they are planned, pending, or were given up.
    pub not_told: usize,
    /// The names of the columns that the study does not know.
    pub left_out: Vec<String>,
}

/// What is asked of a sheet.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'f> {
    /// The study.
    pub file: &'f StudyFile,
    /// The column of the outcome.
    pub outcome: &'f str,
    /// The column of the cost.
    pub cost: &'f str,
    /// The columns to leave out.
    pub skip: &'f [String],
}

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Parameter(usize),
    Measured(usize),
    Outcome,
    Cost,
    State,
    Aside,
}

/// The columns that a study may have, and where they are.
struct Columns<'f> {
    file: &'f StudyFile,
    /// Names and what they have. A name that is there twice has what it has first.
    known: Vec<(String, Content)>,
    wanted: Wanted<'f>,
    found: Vec<(Content, usize)>,
    left_out: Vec<String>,
    separator: u8,
}

impl Rows {
    /// Reads a sheet.
    ///
    /// # Errors
    /// A column that is not known, is there twice or is missing; a cell that cannot be read, naming
    /// its line.
    pub fn read(text: &str, wanted: Wanted<'_>) -> Result<Self> {
        let mut columns = Columns::new(wanted)?;
        let text = Text::read(text, |name| columns.content(name).is_some())?;
        columns.find(text.header, text.separator)?;
        let left_out = std::mem::take(&mut columns.left_out);
        let mut rows = Self { told: Vec::new(), not_told: 0, left_out };
        for (line, record) in &text.rows {
            match columns.row(record).at(format_args!("line {line}"))? {
                Some(row) => rows.told.push(row),
                None => rows.not_told += 1,
            }
        }
        Ok(rows)
    }
}

impl<'f> Columns<'f> {
    fn new(wanted: Wanted<'f>) -> Result<Self> {
        let Wanted { file, outcome, cost, .. } = wanted;
        let measured = || file.measures.iter().map(|measure| measure.name.as_str());
        if let Some(name) = measured().find(|name| *name == outcome || *name == cost) {
            return Err(Failure::new(format!(
                "the column {name:?} is that of a number that is measured beside the outcome"
            )));
        }
        let [trial, origin, state] = column::BEFORE;
        let fixed = [trial, origin, state, outcome, cost, column::WHY];
        let contents = [
            Content::Aside,
            Content::Aside,
            Content::State,
            Content::Outcome,
            Content::Cost,
            Content::Aside,
        ];
        let names = || file.space.names();
        let parameters = |column: &dyn Fn(&str) -> String| -> Vec<(String, Content)> {
            let parameters = names().enumerate();
            parameters.map(|(index, name)| (column(name), Content::Parameter(index))).collect()
        };
        let full = parameters(&column::in_full);
        let numbers = measured().enumerate().map(|(index, name)| {
            (column::of_measured(name, &fixed, names()), Content::Measured(index))
        });
        let full_numbers = measured()
            .enumerate()
            .map(|(index, name)| (column::measured_in_full(name), Content::Measured(index)));
        let known = fixed.map(str::to_owned).into_iter().zip(contents);
        let known = known.chain(full).chain(full_numbers).chain(numbers);
        let known = known.chain(parameters(&str::to_owned)).collect();
        let (found, left_out) = Default::default();
        Ok(Self { file, known, wanted, found, left_out, separator: b',' })
    }

    /// What a column of this name has that the study does not know. Other columns of a table stand
    /// aside, and any other is left out, unless it is nearly called as one that is not there.
    fn unknown(&mut self, name: &str, header: &[String]) -> Result<Content> {
        let others = self.file.candidates.iter().flat_map(|candidates| &candidates.others);
        if others.into_iter().any(|other| other == name) {
            return Ok(Content::Aside);
        }
        let known = self.known.iter().map(|(known, _)| known.as_str());
        let is_there = |known: &str| header.iter().any(|name| name.trim() == known);
        let known = known.filter(|known| self.is_usual(known) && !is_there(known));
        let known: Vec<&str> = known.collect();
        let hint = hint(name, known.iter().copied());
        if hint.starts_with("did you mean") && !self.is_skipped(name) {
            let skip = argument(name);
            return Err(Failure::new(format!(
                "unknown column {name:?}; {hint} --skip {skip} leaves it out"
            )));
        }
        if !name.is_empty() {
            self.left_out.push(name.to_owned());
        }
        Ok(Content::Aside)
    }

    fn is_skipped(&self, name: &str) -> bool {
        self.wanted.skip.iter().any(|skipped| skipped == name.trim())
    }

    /// What a column of this name has.
    fn content(&self, name: &str) -> Option<Content> {
        let find = |name: &str| self.known.iter().find(|(known, _)| known == name);
        find(name).or_else(|| find(name.trim())).map(|(_, content)| *content)
    }

    /// Finds the columns.
    fn find(&mut self, mut header: Vec<String>, separator: u8) -> Result<()> {
        self.separator = separator;
        let file = self.file;
        let names = || file.space.names().map(str::to_owned);
        let measured = || file.measures.iter().map(|measure| measure.name.clone());
        // Exports once had the plain name of a parameter that is called as another column.
        let plain: Vec<String> =
            column::BEFORE.map(str::to_owned).into_iter().chain(names()).collect();
        let rest = [self.wanted.outcome.to_owned()].into_iter().chain(measured());
        let rest = rest.chain([self.wanted.cost.to_owned(), column::WHY.to_owned()]);
        if header.iter().eq(plain.iter().cloned().chain(rest).collect::<Vec<_>>().iter()) {
            let first = column::BEFORE.len();
            for (cell, name) in header[first..].iter_mut().zip(names()) {
                *cell = column::in_full(&name);
            }
        }
        for (index, name) in header.iter().enumerate() {
            let content = match self.content(name) {
                Some(_) if self.is_skipped(name) => Content::Aside,
                Some(content) => content,
                // The numbers of rows, which pandas writes in front.
                None if index == 0 && is_index(name.trim()) => Content::Aside,
                None => self.unknown(name.trim(), &header)?,
            };
            let is_twice = |(other, _): &(Content, usize)| *other == content;
            if content != Content::Aside && self.found.iter().any(is_twice) {
                return Err(Failure::new(format!(
                    "two columns are named {:?}; a parameter of this name has the column {:?}",
                    name.trim(),
                    column::in_full(name.trim())
                )));
            }
            self.found.push((content, index));
        }
        self.check()
    }

    /// Whether a name is one under which a column is usually found.
    fn is_usual(&self, name: &str) -> bool {
        let full = |parameter: &str| column::in_full(parameter) == name;
        let is_plain = |parameter: &str| !self.is_taken(parameter);
        let measured = |measure: &Measure| {
            column::measured_in_full(&measure.name) == name
                && matches!(self.content(&measure.name), Some(Content::Measured(_)))
        };
        !self.file.space.names().any(|parameter| full(parameter) && is_plain(parameter))
            && !self.file.measures.iter().any(measured)
    }

    /// Whether the name of a parameter is that of another column.
    fn is_taken(&self, parameter: &str) -> bool {
        !matches!(self.content(parameter), Some(Content::Parameter(_)))
    }

    fn place(&self, content: Content) -> Option<usize> {
        self.found.iter().find(|(found, _)| *found == content).map(|(_, place)| *place)
    }

    /// Checks that all columns are there that must be.
    fn check(&self) -> Result<()> {
        for (index, parameter) in self.file.space.parameters().iter().enumerate() {
            let may_lack = !parameter.conditions().is_empty() || parameter.kind().only().is_some();
            if self.place(Content::Parameter(index)).is_none() && !may_lack {
                let name = parameter.name();
                let remedy = if self.is_taken(name) {
                    format!("; it is called {:?}", column::in_full(name))
                } else {
                    String::new()
                };
                let unknown = if self.left_out.is_empty() {
                    String::new()
                } else {
                    format!("; it does not know the columns {}", self.left_out.join(", "))
                };
                return Err(Failure::new(format!(
                    "there is no column for the parameter {name:?}{remedy}{unknown}"
                )));
            }
        }
        for (index, measure) in self.file.measures.iter().enumerate() {
            if self.place(Content::Measured(index)).is_none() {
                return Err(Failure::new(format!(
                    "there is no column {:?} for the number that is measured beside the outcome; what was not measured is an empty cell",
                    measure.name
                )));
            }
        }
        match self.place(Content::Outcome).or(self.place(Content::State)) {
            Some(_) => Ok(()),
            None => Err(Failure::new(format!(
                "there is no column {:?} for the outcome",
                self.wanted.outcome
            ))),
        }
    }

    /// One row; none for a trial that was not told.
    fn row(&self, record: &StringRecord) -> Result<Option<Row>> {
        let file = self.file;
        let cell = |content: Content| self.place(content).and_then(|place| record.get(place));
        let number = |content: Content, name: &str| {
            let text = cell(content).unwrap_or("");
            let read = spreadsheet::cell::number(text, self.separator);
            read.map_err(|why| Failure::new(format!("{name}: {why}")))
        };
        let state =
            cell(Content::State).map(str::trim).filter(|text| !spreadsheet::cell::is_absent(text));
        let state = state.map(str::parse::<TrialState>).transpose()?;
        if matches!(state, Some(TrialState::Pending | TrialState::Withdrawn)) {
            return Ok(None);
        }
        let mut values = Vec::new();
        for (index, parameter) in file.space.parameters().iter().enumerate() {
            let value = match cell(Content::Parameter(index)) {
                None => parameter.kind().only().unwrap_or(Value::Absent),
                Some(text) => cell::value(parameter, text, self.separator).at(parameter.name())?,
            };
            values.push(value);
        }
        file.searched().check(&values)?;
        let (mut outcome, state, value) = match (state, number(Content::Outcome, "outcome")?) {
            (Some(state @ TrialState::Failed), _) => (Outcome::failed(), state, None),
            (Some(state @ TrialState::Infeasible), _) => (Outcome::infeasible(), state, None),
            (_, Some(value)) => (Outcome::new(value), TrialState::Complete, Some(value)),
            (None, None) => return Ok(None),
            (Some(_), None) => {
                return Err(Failure::new("there is no outcome, and the trial is complete"));
            }
        };
        let cost = number(Content::Cost, "cost")?;
        match cost {
            Some(cost) if cost > 0.0 || (cost == 0.0 && file.floor.is_some()) => {
                outcome = outcome.cost(cost);
            }
            Some(cost) => {
                return Err(Failure::new(format!("cost: expected a positive number, got {cost}")));
            }
            None if !file.cost.is_told() => {}
            // A cost that nobody knows any more is none: the model of costs does without it.
            None => outcome = outcome.cost_later(),
        }
        let mut measured = Vec::new();
        for (index, measure) in file.measures.iter().enumerate() {
            let name = &measure.name;
            let number = number(Content::Measured(index), name)?;
            if state == TrialState::Complete || number.is_some() {
                outcome = outcome.measured(name, number.unwrap_or(f64::NAN));
            }
            measured.push(number);
        }
        let result = Evaluated { state, outcome: value, cost, measured };
        Ok(Some(Row { values, outcome, result }))
    }
}
