//! `gittins import` and `export`: trials as a table.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::file::StudyFile;
use crate::findings::findings::{add_aims, trial_json};
use crate::opened::Opened;
use crate::sheet::evaluations::Evaluations;
use crate::sheet::rows::{Row, Rows, Wanted};
use crate::sheet::writing;
use crate::words::code::{Code, DONE};
use crate::words::console::{self, Console, put};
use crate::words::failure::{At, Failure, Result};

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
    /// A column to leave out, which the study would take for another one. A column that it does not
    /// know is left out by itself.
    #[arg(long, value_name = "COLUMN")]
    skip: Vec<String>,
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
        let text = fs::read(&self.file).at(self.file.display())?;
        let text = String::from_utf8(text).map_err(|_| {
            Failure::new("expected text in UTF-8; save the sheet as CSV in this encoding")
        });
        let text = text.at(self.file.display())?;
        let Self { outcome, cost, skip, .. } = self;
        let rows = Rows::read(&text, Wanted { file: &file, outcome, cost, skip });
        let Rows { told: rows, not_told, left_out } = rows.at(self.file.display())?;
        let mut opened = Opened::or_new(&self.study)?;
        let with_costs = file.cost.is_told();
        let mut known = Evaluations::of(opened.journal.study(), with_costs);
        let is_new = |row: &&Row| self.again || !known.take(&row.values, &row.result);
        let fresh: Vec<&Row> = rows.iter().filter(is_new).collect();
        for (done, row) in fresh.iter().enumerate() {
            opened
                .journal
                .import(&row.values, row.outcome.clone())
                .at(format_args!("{done} of {} rows were imported", fresh.len()))?;
        }
        let imported = fresh.len();
        let skipped = rows.len() - fresh.len();
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
        let mut object = json!({ "imported": imported, "skipped": skipped });
        if not_told > 0 {
            object["not_told"] = json!(not_told);
            text += &format!(
                "; {not_told} {} no outcome yet, and {} left out",
                if not_told == 1 { "row has" } else { "rows have" },
                if not_told == 1 { "was" } else { "were" },
            );
        }
        if !left_out.is_empty() {
            text += &format!("; left out as the study does not know them: {}", left_out.join(", "));
            object["left_out"] = json!(left_out);
        }
        console.print(&object, &text)
    }
}

impl Export {
    /// Prints.
    pub fn run(&self, console: Console) -> Result<Code> {
        let opened = Opened::there(&self.file)?;
        let journal = &opened.journal;
        if self.record && journal.study().stages().is_some() {
            return Err(Failure::new("runs in stages have no record: --json has all reports"));
        }
        if self.record {
            for row in journal.study().record().rows() {
                put(&serde_json::to_string(row)?)?;
            }
        } else if console.json {
            let history = journal.study().history().iter();
            let trials: Vec<_> = history.map(|trial| trial_json(journal, trial)).collect();
            let mut object = json!({ "study": journal.name(), "trials": trials });
            add_aims(&mut object, journal.study());
            put(&object.to_string())?;
        } else {
            let mut sheet = Vec::new();
            writing::write(journal, &mut sheet)?;
            console::write(&sheet)?;
        }
        Ok(DONE)
    }
}
