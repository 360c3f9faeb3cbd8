//! `[table]`: candidates from a CSV file, in place of parameters.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gittins::data::ParameterKind;
use gittins::named::hint;
use gittins::{Space, Table, Value};
use spreadsheet::cell;
use spreadsheet::column::Column;
use spreadsheet::text::{Text, is_index};

use super::document::{Item, Section};
use super::{keys, parameters};
use crate::program::candidates::{Candidates, column};
use crate::program::command::is_placeholder;
use crate::words::failure::{Failure, Result};

/// What is searched: parameters, or a table, whose modeled columns then are the parameters.
pub fn searched(
    study: &Section<'_>,
    beside: &dyn Fn(&str) -> PathBuf,
) -> Result<(Space, Option<Arc<Candidates>>)> {
    let constraints = study.get("constraints");
    match (study.get("parameters"), study.get("table"), &constraints) {
        (Some(parameters), None, constraints) => {
            Ok((parameters::space(&parameters, constraints.as_ref())?, None))
        }
        (None, Some(table), None) => Read::of(&table, beside)?.searched(),
        (Some(_), Some(table), _) => Err(table.problem(
            "expected either parameters or a table, got both: the candidates of a table are all there are",
        )),
        (None, Some(_), Some(constraints)) => Err(constraints.problem(
            "constraints are for parameters: leave rows that are not allowed out of the table's file",
        )),
        (None, None, _) => Err(study.problem(
            "the key \"parameters\" is missing, or \"table\" for candidates from a CSV file",
        )),
    }
}

/// A file as it was read.
struct Read<'d> {
    /// The key of the file, at which its errors are.
    file: Item<'d>,
    name: String,
    text: Text,
    /// The places and names of the columns that are modeled.
    modeled: Vec<(usize, String)>,
    log: Vec<(Item<'d>, &'d str)>,
    categorical: Vec<(Item<'d>, &'d str)>,
}

impl<'d> Read<'d> {
    fn of(table: &Item<'d>, beside: &dyn Fn(&str) -> PathBuf) -> Result<Self> {
        let section = table.section(keys::TABLE)?;
        let file = section.need("file")?;
        let name = file.word()?.to_owned();
        let wanted = section.read("columns", words)?;
        let [log, categorical] = ["log", "categorical"].map(|key| section.read(key, words));
        let log = log?.unwrap_or_default();
        let categorical = categorical?.unwrap_or_default();
        let content =
            contents(&beside(&name)).map_err(|error| file.problem(error.at(&name).to_string()))?;
        let names = wanted.as_ref().map(|all| Vec::from_iter(all.iter().map(|(_, name)| *name)));
        let text = Text::of_columns(&content, names.as_deref())
            .map_err(|error| file.problem(Failure::from(error).at(&name).to_string()))?;
        let mut read = Self { file, name, text, modeled: Vec::new(), log, categorical };
        read.check_header()?;
        read.modeled = match wanted {
            Some(wanted) => read.chosen(&section, &wanted)?,
            None => read.all()?,
        };
        Ok(read)
    }

    /// An error in a line of the file.
    fn problem(&self, line: usize, message: impl Into<String>) -> Failure {
        let place = format!("{}, line {line}", self.name);
        self.file.problem(Failure::new(message).at(place).to_string())
    }

    /// An error of a column, in the line of a row; in that of the names without one.
    fn wrong(&self, row: Option<usize>, name: &str, message: impl Into<String>) -> Failure {
        let line = row.map_or(1, |row| self.text.rows[row].0);
        let place = format!("{}, line {line}, column {name:?}", self.name);
        self.file.problem(Failure::new(message).at(place).to_string())
    }

    fn check_header(&self) -> Result<()> {
        let header = &self.text.header;
        if header.iter().all(String::is_empty) {
            let why = "expected a line with the names of columns, got none";
            return Err(self.problem(1, why));
        }
        for (at, name) in header.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            if let Some(first) = header[..at].iter().position(|other| other == name) {
                let [first, second] = [first + 1, at + 1];
                let why = format!("columns {first} and {second} are both named {name:?}");
                return Err(self.problem(1, why));
            }
        }
        if self.text.rows.is_empty() {
            let why = "expected a row for each candidate below the names of columns, got none";
            return Err(self.problem(1, why));
        }
        Ok(())
    }

    /// The columns of some names.
    fn chosen(
        &self,
        section: &Section<'d>,
        wanted: &[(Item<'d>, &str)],
    ) -> Result<Vec<(usize, String)>> {
        if wanted.is_empty() {
            let item = section.need("columns")?;
            return Err(item.problem("expected at least one column; all are modeled unless set"));
        }
        let mut found = Vec::new();
        for (at, (item, name)) in wanted.iter().enumerate() {
            if wanted[..at].iter().any(|(_, other)| other == name) {
                return Err(item.problem(format!("the column {name:?} is there twice")));
            }
            let place = self.text.header.iter().position(|known| known == name);
            found.push((place.ok_or_else(|| self.unknown(item, name))?, (*name).to_owned()));
        }
        Ok(found)
    }

    /// All columns but that of the rows' numbers, which pandas writes in front.
    fn all(&self) -> Result<Vec<(usize, String)>> {
        let mut found = Vec::new();
        for (at, name) in self.text.header.iter().enumerate() {
            if at == 0 && is_index(name) {
                continue;
            }
            if name.is_empty() {
                let why = format!(
                    "column {} has no name: give it one, or name those that are modeled in table.columns",
                    at + 1
                );
                return Err(self.problem(1, why));
            }
            found.push((at, name.clone()));
        }
        Ok(found)
    }

    fn unknown(&self, item: &Item<'d>, name: &str) -> Failure {
        let known = self.text.header.iter().map(String::as_str).filter(|name| !name.is_empty());
        let known: Vec<&str> = known.collect();
        let hint = hint(name, known.iter().copied());
        item.problem(format!("no column of {} is named {name:?}; {hint}", self.name))
    }

    /// The candidates, and the modeled columns as parameters.
    fn searched(self) -> Result<(Space, Option<Arc<Candidates>>)> {
        let log = self.of_modeled(&self.log)?;
        let categorical = self.of_modeled(&self.categorical)?;
        let mut columns = Vec::new();
        for (at, name) in &self.modeled {
            if let Some(why) = cannot_be_named(name) {
                return Err(self.wrong(None, name, why));
            }
            let is_log = log.contains(name);
            let is_named = categorical.contains(name);
            columns.push(if is_named && !is_log {
                self.names(*at, name)?
            } else {
                self.column(*at, name, is_log)?
            });
        }
        self.tell_apart(&mut columns, &log)?;
        let fold = |space, ((_, name), values): (&(usize, String), &Vec<Value>)| {
            column(space, name, kind_of(values), values.contains(&Value::Absent))
        };
        let space = self.modeled.iter().zip(&columns).fold(Space::new(), fold);
        let rows: Vec<Vec<Value>> = (0..self.text.rows.len())
            .map(|row| columns.iter().map(|values| values[row].clone()).collect())
            .collect();
        let wrong = |error: gittins::Error| {
            self.file.problem(Failure::from(error).at(&self.name).to_string())
        };
        let names: Vec<String> = self.modeled.iter().map(|(_, name)| name.clone()).collect();
        let table = Table::new(names.clone(), rows.clone()).map_err(wrong)?;
        let table = log.iter().try_fold(table, |table, name| table.log(name)).map_err(wrong)?;
        let (others, cells) = self.others();
        let labels = self.text.labels(|name| names.iter().any(|known| known == name));
        let table = labels.iter().try_fold(table, Table::labels).map_err(wrong)?;
        let mut data = gittins::study::Candidates::default();
        data.names = Some(names);
        data.rows = Some(rows);
        data.log = Some(log);
        data.labels = labels;
        let lines = self.text.rows.iter().map(|(line, _)| *line).collect();
        let name = self.name.clone();
        let candidates = Candidates { name, data, table, others, cells, lines };
        candidates.check_rows().map_err(|error| self.file.problem(error.to_string()))?;
        Ok((space, Some(Arc::new(candidates))))
    }

    /// Makes names of the numbers by which alone some rows differ as texts: 4.1 and 4.10, and numbers
    /// of more digits than a float has.
    fn tell_apart(&self, columns: &mut [Vec<Value>], log: &[String]) -> Result<()> {
        let cell = |row: usize, at: usize| self.text.rows[row].1[at].trim();
        let mut first: HashMap<Vec<String>, usize> = HashMap::new();
        let mut differ = BTreeSet::new();
        for row in 0..self.text.rows.len() {
            let key = columns.iter().map(|values| values[row].to_string()).collect();
            let other = *first.entry(key).or_insert(row);
            let places = self.modeled.iter().enumerate();
            let places = places.filter(|(_, (_, name))| !log.contains(name));
            let places = places.map(|(column, (at, _))| (column, *at));
            differ.extend(places.filter(|(_, at)| cell(row, *at) != cell(other, *at)));
        }
        for (column, at) in differ {
            columns[column] = self.names(at, &self.modeled[column].1)?;
        }
        Ok(())
    }

    /// The names of some columns, each of which is modeled.
    fn of_modeled(&self, wanted: &[(Item<'d>, &'d str)]) -> Result<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for (item, name) in wanted {
            if !self.text.header.iter().any(|known| known == name) {
                return Err(self.unknown(item, name));
            }
            if !self.modeled.iter().any(|(_, known)| known == name) {
                return Err(item.problem(format!(
                    "the column {name:?} is not modeled: add it to table.columns, or leave it out here"
                )));
            }
            found.push((*name).to_owned());
        }
        Ok(found)
    }

    /// The values of a column: numbers if all that stands there are, and names otherwise. On a log
    /// scale they must be numbers.
    fn column(&self, at: usize, name: &str, is_log: bool) -> Result<Vec<Value>> {
        let cells = || self.text.rows.iter().map(|(_, record)| record[at].trim());
        if is_log {
            for (row, text) in cells().enumerate() {
                let why = match cell::number(text, self.text.separator) {
                    Ok(Some(number)) if number <= 0.0 => {
                        format!("a log scale needs positive numbers, got {text:?}")
                    }
                    Ok(_) => continue,
                    Err(why) => format!("{why}, on a log scale"),
                };
                return Err(self.wrong(Some(row), name, why));
            }
        }
        let value =
            |number: Option<cell::Number>| number.map_or(Value::Absent, |one| one.value.into());
        match Column::of(cells(), self.text.separator) {
            Ok(Column::Numbers(numbers)) => Ok(numbers.into_iter().map(value).collect()),
            Ok(Column::Names) => self.names(at, name),
            Err(odd) => Err(self.wrong(Some(odd.row), name, odd.words)),
        }
    }

    /// The cells of a column as names.
    fn names(&self, at: usize, name: &str) -> Result<Vec<Value>> {
        let values: Vec<Value> =
            self.text.rows.iter().map(|(_, record)| named(record[at].trim())).collect();
        if values.iter().all(|value| *value == Value::Absent) {
            let why = "nothing stands in it: leave it out of the file or of table.columns";
            return Err(self.wrong(None, name, why));
        }
        let has_zero = |value: &Value| matches!(value, Value::Name(name) if name.contains('\0'));
        match values.iter().position(has_zero) {
            Some(row) => Err(self.wrong(Some(row), name, "a name must not contain a zero byte")),
            None => Ok(values),
        }
    }

    /// The columns that are not modeled, as far as a command can name them, and what stands in the
    /// cells of all columns, the modeled ones first.
    fn others(&self) -> (Vec<String>, Vec<Vec<Value>>) {
        let header = self.text.header.iter().enumerate();
        let others: Vec<(usize, &String)> = header
            .filter(|(at, name)| {
                let is_modeled = self.modeled.iter().any(|(place, _)| place == at);
                !is_modeled && cannot_be_named(name).is_none() && !is_placeholder(name)
            })
            .collect();
        let told = |text: &str| match cell::read(text, self.text.separator) {
            cell::Cell::Number(number) => number.text.into(),
            _ => named(text.trim()),
        };
        let row = |record: &csv::StringRecord| {
            let modeled = self.modeled.iter().map(|(at, _)| told(&record[*at]));
            modeled.chain(others.iter().map(|(at, _)| named(record[*at].trim()))).collect()
        };
        let cells = self.text.rows.iter().map(|(_, record)| row(record)).collect();
        (others.iter().map(|(_, name)| (*name).clone()).collect(), cells)
    }
}

/// The texts of a list, each with its place.
fn words<'d>(item: &Item<'d>) -> Result<Vec<(Item<'d>, &'d str)>> {
    let list = item.list()?.into_iter();
    list.map(|item| item.word().map(|word| (item.clone(), word))).collect()
}

/// The text of a file.
fn contents(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::new("there is no such file beside the study"),
        io::ErrorKind::IsADirectory => Failure::new("it is a folder; expected a CSV file"),
        _ => Failure::from(error),
    })?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::new("expected text in UTF-8; save the sheet as CSV in this encoding"))
}

/// Why a column's name is no name of a parameter.
fn cannot_be_named(name: &str) -> Option<&'static str> {
    let is_wrong = name.is_empty() || name.contains(['{', '}', '\0']);
    is_wrong.then_some("a name must not be empty and has no braces in it")
}

/// A cell as a name; nothing for an empty one.
fn named(cell: &str) -> Value {
    if cell.is_empty() { Value::Absent } else { cell.into() }
}

/// A kind of parameter that has these values.
fn kind_of(values: &[Value]) -> ParameterKind {
    let numbers: Vec<f64> = values.iter().filter_map(Value::number).collect();
    if !numbers.is_empty() {
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        return ParameterKind::Float { low, high: numbers.iter().copied().fold(low, f64::max) };
    }
    let mut seen = HashSet::new();
    let names = values.iter().filter_map(|value| match value {
        Value::Name(name) => seen.insert(name.clone()).then(|| name.clone()),
        _ => None,
    });
    ParameterKind::Choice { names: names.collect() }
}
