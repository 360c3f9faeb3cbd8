//! `gittins ask`: the next points to evaluate, for a loop of your own.

use std::path::PathBuf;

use gittins::journal::Journal;
use gittins::study::Request;
use gittins::{Ask as Asked, Value};
use serde_json::{Value as Json, json};

use crate::opened::Opened;
use crate::program::candidates::Candidates;
use crate::program::command::{shared, variable};
use crate::words::code::Code;
use crate::words::console::Console;
use crate::words::failure::{Failure, Result};
use crate::words::number;
use crate::words::show::{self, in_line};

/// The exit code for: nothing costs so little.
const NONE: u8 = 1;

/// Ask for the next trial. Tell its outcome by its number.
#[derive(Debug, clap::Args)]
pub struct Ask {
    /// A study.toml or a journal.
    file: PathBuf,
    /// Ask for so many trials to make at the same time.
    #[arg(long, value_parser = number::count)]
    count: Option<u16>,
    /// Only trials that are expected to cost no more: exit code 1 if there is none.
    #[arg(long, value_name = "COST", value_parser = number::number, allow_hyphen_values = true)]
    within: Option<f64>,
    /// Print assignments for a shell: eval "$(gittins ask study.toml --env)".
    #[arg(long, conflicts_with_all = ["json", "count"])]
    env: bool,
}

impl Ask {
    /// Asks.
    pub fn run(&self, console: Console) -> Result<Code> {
        let mut opened = Opened::or_new(&self.file)?;
        if self.env {
            let names = opened.journal.study().names();
            let why = names.iter().find_map(|name| shared(name, names.iter()));
            if let Some(why) = why {
                return Err(Failure::new(format!("--env: {why}; --json prints each by its name")));
            }
        }
        let journal = &mut opened.journal;
        let request = Request::new().count(self.count.unwrap_or(1).into());
        let asks = journal.ask_for(&self.within.into_iter().fold(request, Request::within))?;
        if asks.is_empty() {
            let limit = show::money(self.within.unwrap_or(f64::INFINITY), opened.unit());
            let words = format!("nothing that is left is expected to cost at most {limit}");
            let none = if self.count.is_some() { json!([]) } else { Json::Null };
            let key = if self.count.is_some() { "trials" } else { "trial" };
            console.print(&json!({ key: none, "words": words }), &words)?;
            return Ok(NONE);
        }
        if self.count.is_some() {
            let trials: Vec<Json> = asks.iter().map(|ask| object(journal, ask)).collect();
            let texts: Vec<String> = asks.iter().map(|ask| text(journal, ask)).collect();
            return console.print(&json!({ "trials": trials }), &texts.join("\n\n"));
        }
        let ask = &asks[0];
        let candidates = opened.file.as_ref().and_then(|file| file.candidates.as_deref());
        let text =
            if self.env { assignments(journal, ask, candidates) } else { text(journal, ask) };
        console.print(&object(journal, ask), &text)
    }
}

/// A trial for a program.
fn object(journal: &Journal, ask: &Asked) -> Json {
    let mut object = json!({
        "trial": show::number_of(journal, ask.id()), "values": show::values_json(ask.named()),
        "why": ask.why().to_string(),
    });
    show::add_label(&mut object, journal.study(), ask.row());
    object
}

/// A trial for a person.
fn text(journal: &Journal, ask: &Asked) -> String {
    let there = ask.named().filter(|(_, value)| **value != Value::Absent);
    let label = journal.study().domain().label(ask.row());
    let label = label.map_or_else(String::new, |label| format!(": {}", in_line(label)));
    let lines: Vec<String> = [format!("trial {}{label}", show::number_of(journal, ask.id()))]
        .into_iter()
        .chain(there.map(|(name, value)| format!("{name} = {}", show::value(value))))
        .chain([format!("why: {}", ask.why())])
        .collect();
    lines.join("\n")
}

/// A trial for a shell, which is told of a table what stands in the cells.
fn assignments(journal: &Journal, ask: &Asked, candidates: Option<&Candidates>) -> String {
    let number = show::number_of(journal, ask.id());
    let cells = candidates.and_then(|all| Some(all.names().zip(all.cells_of(ask.values())?)));
    let values = cells.map_or_else(|| ask.named().collect(), Vec::from_iter);
    let lines = values.into_iter().map(|(name, value)| match value {
        Value::Absent => format!("unset {}", variable(name)),
        value => format!("export {}={}", variable(name), show::quoted(&value.to_string())),
    });
    let lines: Vec<String> =
        [format!("export GITTINS_TRIAL={number}")].into_iter().chain(lines).collect();
    lines.join("\n")
}
