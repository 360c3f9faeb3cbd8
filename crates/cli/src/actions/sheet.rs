//! `gittins import` and `export`: trials as a table.

use std::fs;
use std::io;
use std::path::PathBuf;

use gittins::named::hint;
use gittins::study::TrialState;
use gittins::{Outcome, Value};
use serde_json::json;

use super::evaluations::{Evaluated, Evaluations};
use crate::code::{Code, DONE};
use crate::console::{Console, put};
use crate::failure::{At, Failure, Result};
use crate::file::parameters::value_of_text;
use crate::file::{CostSource, StudyFile};
use crate::findings::trial_json;
use crate::limits;
use crate::measured;
use crate::objectives;
use crate::opened::Opened;
use crate::show;
use crate::show::WHY;
use crate::stages;

/// The columns of an export that are neither parameters nor results.
const ASIDE: [&str; 3] = ["trial", "origin", "why"];

/// Take evaluations that were made elsewhere from a CSV file.
#[derive(Debug, clap::Args)]
pub struct Import {
    /// The study.
    #[arg(value_name = "STUDY.toml")]
    study: PathBuf,
    /// The evaluations: a column for each parameter, one for the outcome, one for each number on
    /// which there is a limit or that is an objective, and one for the cost. A column `state` may say complete, failed or
    /// infeasible.
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
    /// The column of the outcome.
    #[arg(long, default_value = "outcome")]
    outcome: String,
    /// The column of the cost.
    #[arg(long, default_value = "cost")]
    cost: String,
    /// Import evaluations that the study has already, too: they were made once more.
    #[arg(long)]
    again: bool,
}

/// Print all trials as a CSV table, or as a JSON object with --json.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// A study.toml or a journal.
    file: PathBuf,
    /// Print a CSV table, as without an option.
    #[arg(long, conflicts_with_all = ["json", "record"])]
    csv: bool,
    /// Print all that is known of each trial, models and verdicts included, as JSON lines.
    #[arg(long, conflicts_with = "json")]
    record: bool,
}

/// An evaluation that was read.
struct Row {
    values: Vec<Value>,
    outcome: Outcome,
    result: Evaluated,
}

/// Where the columns are.
struct Columns {
    parameters: Vec<Option<usize>>,
    outcome: Option<usize>,
    measured: Vec<Option<usize>>,
    cost: Option<usize>,
    state: Option<usize>,
}

impl Import {
    /// Imports. Nothing is imported if a row is wrong. What the study has already is left out: an
    /// evaluation that is there twice says that its outcome has no noise.
    pub fn run(&self, console: Console) -> Result<Code> {
        let file = StudyFile::read(&self.study)?;
        if file.stages.is_some() {
            return Err(Failure::new(
                "runs in stages take no imports: what a run came to at each stage is learned from reports alone",
            ))
            .at(self.study.display());
        }
        let rows = self.rows(&file).at(self.file.display())?;
        let mut opened = Opened::or_new(&self.study)?;
        let with_costs = !matches!(file.cost, CostSource::None);
        let mut known = Evaluations::of(opened.journal.study(), with_costs);
        let is_new = |row: &&Row| self.again || !known.take(&row.values, &row.result);
        let fresh: Vec<&Row> = rows.iter().filter(is_new).collect();
        for (done, row) in fresh.iter().enumerate() {
            opened
                .journal
                .import(&row.values, row.outcome.clone())
                .at(format_args!("{done} of {} rows were imported", fresh.len()))?;
        }
        let (imported, skipped) = (fresh.len(), rows.len() - fresh.len());
        let mut text = match imported {
            1 => "1 evaluation was imported".to_owned(),
            count => format!("{count} evaluations were imported"),
        };
        if skipped > 0 {
            text += &format!(
                "; {skipped} of {} {} there already and left out: --again imports {} all the same",
                rows.len(),
                if skipped == 1 { "is" } else { "are" },
                if skipped == 1 { "it" } else { "them" },
            );
        }
        console.print(&json!({ "imported": imported, "skipped": skipped }), &text)?;
        Ok(DONE)
    }

    fn rows(&self, file: &StudyFile) -> Result<Vec<Row>> {
        let text = fs::read_to_string(&self.file)?;
        let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| Failure::new(error.to_string()))?.clone();
        let names: Vec<&str> = header.iter().map(str::trim).collect();
        let columns = self.columns(&names, file)?;
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| Failure::new(error.to_string()))?;
            let line = record.position().map_or(0, csv::Position::line);
            rows.extend(row(&record, &columns, file).at(format_args!("line {line}"))?);
        }
        Ok(rows)
    }

    fn columns(&self, names: &[&str], file: &StudyFile) -> Result<Columns> {
        let space = &file.space;
        let measured = || file.measures.iter().map(|measure| measure.name.as_str());
        if let Some(name) = measured().find(|name| *name == self.outcome || *name == self.cost) {
            return Err(Failure::new(format!(
                "the column {name:?} is that of a number that is measured beside the outcome"
            )));
        }
        let known: Vec<&str> = space
            .names()
            .chain(ASIDE)
            .chain(["state", self.outcome.as_str(), self.cost.as_str()])
            .chain(measured())
            .collect();
        for (index, name) in names.iter().enumerate() {
            if !known.contains(name) {
                let known = known.iter().copied();
                return Err(Failure::new(format!(
                    "unknown column {name:?}; {}",
                    hint(name, known)
                )));
            }
            if names[..index].contains(name) {
                return Err(Failure::new(format!("two columns are named {name:?}")));
            }
        }
        let place = |name: &str| names.iter().position(|one| *one == name);
        for parameter in space.parameters() {
            let may_lack = !parameter.conditions().is_empty() || parameter.kind().only().is_some();
            if place(parameter.name()).is_none() && !may_lack {
                return Err(Failure::new(format!(
                    "there is no column for the parameter {:?}",
                    parameter.name()
                )));
            }
        }
        if let Some(name) = measured().find(|name| place(name).is_none()) {
            return Err(Failure::new(format!(
                "there is no column {name:?} for the number that is measured beside the outcome; what was not measured is an empty cell"
            )));
        }
        let columns = Columns {
            parameters: space.names().map(place).collect(),
            outcome: place(&self.outcome),
            measured: measured().map(place).collect(),
            cost: place(&self.cost),
            state: place("state"),
        };
        match columns.outcome.or(columns.state) {
            Some(_) => Ok(columns),
            None => {
                Err(Failure::new(format!("there is no column {:?} for the outcome", self.outcome)))
            }
        }
    }
}

/// One row; none for a trial that was not told.
fn row(record: &csv::StringRecord, columns: &Columns, file: &StudyFile) -> Result<Option<Row>> {
    let cell = |at: Option<usize>| {
        at.and_then(|at| record.get(at)).map(str::trim).filter(|text| !text.is_empty())
    };
    let number = |at: Option<usize>, name: &str| {
        let read = |text: &str| {
            crate::number::number(text).map_err(|why| Failure::new(format!("{name}: {why}")))
        };
        cell(at).map(read).transpose()
    };
    let state = match cell(columns.state) {
        Some(name) => Some(name.parse::<TrialState>()?),
        None => None,
    };
    if matches!(state, Some(TrialState::Pending | TrialState::Withdrawn)) {
        return Ok(None);
    }
    let mut values = Vec::new();
    for (parameter, place) in file.space.parameters().iter().zip(&columns.parameters) {
        let only = if place.is_none() { parameter.kind().only() } else { None };
        let value = match only {
            Some(value) => value,
            None => {
                value_of_text(parameter.kind(), cell(*place).unwrap_or("")).at(parameter.name())?
            }
        };
        values.push(value);
    }
    file.space.to_unit(&values)?;
    let (mut outcome, state, value) = match (state, number(columns.outcome, "outcome")?) {
        (Some(state @ TrialState::Failed), _) => (Outcome::failed(), state, None),
        (Some(state @ TrialState::Infeasible), _) => (Outcome::infeasible(), state, None),
        (_, Some(value)) => (Outcome::new(value), TrialState::Complete, Some(value)),
        (_, None) => {
            return Err(Failure::new(
                "there is no outcome; a column state may say failed or infeasible",
            ));
        }
    };
    let cost = number(columns.cost, "cost")?;
    match cost {
        Some(cost) if cost > 0.0 || (cost == 0.0 && file.floor.is_some()) => {
            outcome = outcome.cost(cost)
        }
        Some(cost) => {
            return Err(Failure::new(format!("cost: expected a positive number, got {cost}")));
        }
        None if matches!(file.cost, CostSource::None) => {}
        // A cost that nobody knows any more is none: the model of costs does without it.
        None => outcome = outcome.cost_later(),
    }
    let mut measured = Vec::new();
    for (measure, place) in file.measures.iter().zip(&columns.measured) {
        let name = &measure.name;
        let number = match cell(*place) {
            Some(text) if text.parse().is_ok_and(f64::is_nan) => None,
            _ => number(*place, name)?,
        };
        if state == TrialState::Complete || number.is_some() {
            outcome = outcome.measured(name, number.unwrap_or(f64::NAN));
        }
        measured.push(number);
    }
    let result = Evaluated { state, outcome: value, cost, measured };
    Ok(Some(Row { values, outcome, result }))
}

impl Export {
    /// Prints.
    pub fn run(&self, console: Console) -> Result<Code> {
        if let Some(opened) = stages::Opened::there(&self.file)? {
            if self.record {
                return Err(Failure::new("runs in stages have no record: --json has all reports"));
            }
            opened.export(console)?;
            return Ok(DONE);
        }
        let opened = Opened::there(&self.file)?;
        let (journal, names) = (&opened.journal, opened.names());
        let history = journal.study().history();
        if self.record {
            for row in journal.study().record().rows() {
                put(&serde_json::to_string(row)?)?;
            }
        } else if console.json {
            let trials: Vec<_> =
                history.iter().map(|trial| trial_json(journal, trial, &names)).collect();
            let mut object = json!({ "study": journal.name(), "trials": trials });
            if journal.study().limits().len() > 0 {
                object["limits"] = limits::json_of(journal.study());
            }
            if journal.study().objectives().len() > 0 {
                object["objectives"] = objectives::json_of(journal.study());
            }
            put(&object.to_string())?;
        } else {
            let mut sheet = csv::Writer::from_writer(io::stdout());
            let written = (|| {
                let study = journal.study();
                let numbers: Vec<&str> = measured::aims(study).map(|(name, _)| name).collect();
                sheet.write_record(
                    ["trial", "origin", "state"]
                        .into_iter()
                        .chain(names.iter().map(String::as_str))
                        .chain(["outcome"])
                        .chain(numbers)
                        .chain(["cost", "why"]),
                )?;
                for trial in history {
                    let number = |value: Option<f64>| value.map_or_else(String::new, show::exact);
                    let values = trial.values.iter().map(|value| match value {
                        Value::Absent => String::new(),
                        value => show::value(value),
                    });
                    let first = [
                        show::number_of(journal, trial.id).to_string(),
                        trial.origin.name().to_owned(),
                        trial.state.name().to_owned(),
                    ];
                    let why = journal.notes(trial.id).get(WHY).cloned().unwrap_or_default();
                    let measured =
                        measured::of(study, &trial.measured).map(|one| number(one.number));
                    let results = [number(trial.outcome)].into_iter().chain(measured);
                    let results = results.chain([number(trial.cost), why]);
                    sheet.write_record(first.into_iter().chain(values).chain(results))?;
                }
                sheet.flush().map_err(csv::Error::from)
            })();
            written.map_err(|error| Failure::new(error.to_string()))?;
        }
        Ok(DONE)
    }
}
