//! `gittins export` of runs in stages: a row for each report.

use std::io;

use serde_json::json;

use super::opened::Opened;
use super::report::why;
use crate::console::{Console, put};
use crate::failure::{Failure, Result};
use crate::sheet::{cell, column};
use crate::show;

impl Opened {
    /// Prints all reports as a CSV table, or all trials with their reports as a JSON object. A trial
    /// without a report has one row. `paid` is what a trial has cost in all: also what was spent on
    /// it after its last report, if it failed.
    ///
    /// # Errors
    /// The table cannot be written.
    pub fn export(&self, console: Console) -> Result<()> {
        if console.json {
            let object = json!({ "study": self.journal.name(), "trials": self.trials() });
            return put(&object.to_string());
        }
        let mut sheet = csv::Writer::from_writer(io::stdout());
        self.write(&mut sheet).map_err(|error| Failure::new(error.to_string()))
    }

    fn write(&self, sheet: &mut csv::Writer<io::Stdout>) -> csv::Result<()> {
        let study = self.journal.study();
        let fixed = column::FIXED_OF_STAGES;
        let names = study.names().iter().map(|name| column::of_parameter(name, &fixed));
        let (first, last) = fixed.split_at(2);
        let [first, last] = [first, last].map(|names| names.iter().map(|name| (*name).to_owned()));
        sheet.write_record(first.chain(names).chain(last))?;
        for run in study.history() {
            let number = self.number(run);
            let values = run.values.iter().map(cell::text);
            let of_trial: Vec<String> = [number.to_string(), run.state.name().to_owned()]
                .into_iter()
                .chain(values)
                .collect();
            let why = why(&self.journal, &self.folders, run);
            let end = [show::exact(run.cost.unwrap_or(0.0)), why.unwrap_or_default()];
            let mut reports: Vec<[String; 3]> = run
                .reports
                .iter()
                .map(|report| [report.progress, report.outcome, report.cost].map(show::exact))
                .collect();
            if reports.is_empty() {
                reports.push(Default::default());
            }
            for report in &reports {
                sheet.write_record(of_trial.iter().chain(report).chain(&end))?;
            }
        }
        sheet.flush().map_err(csv::Error::from)
    }
}
