//! `gittins show`: all that is known of one trial.

use std::path::PathBuf;

use gittins::study::{Origin, Row, TrialState};
use gittins::{Trial, TrialId};
use serde_json::{Value as Json, json};

use crate::code::{Code, DONE};
use crate::console::Console;
use crate::facts::Facts;
use crate::failure::Result;
use crate::findings::trial_json;
use crate::measured;
use crate::number;
use crate::opened::Opened;
use crate::run::witness;
use crate::show::{self, OUTPUTS, WHY, digits, money};
use crate::stages;

/// Show all that is known of a trial: its values, why it was asked for, what was expected and what
/// came of it, and if it failed, why, and how its output ended.
#[derive(Debug, clap::Args)]
pub struct Show {
    /// A study.toml or a journal.
    file: PathBuf,
    /// The number of the trial.
    #[arg(value_parser = number::trial, allow_hyphen_values = true)]
    trial: usize,
}

impl Show {
    /// Shows it.
    pub fn run(&self, console: Console) -> Result<Code> {
        let (json, facts) = match stages::Opened::there(&self.file)? {
            Some(mut opened) => opened.facts(self.trial)?,
            None => {
                let opened = Opened::there(&self.file)?;
                let id = opened.trial(self.trial)?;
                facts(&opened, id)
            }
        };
        console.print(&json, &facts.text())?;
        Ok(DONE)
    }
}

/// What is known of a trial, for a program and for a person.
fn facts(opened: &Opened, id: TrialId) -> (Json, Facts) {
    let (journal, names) = (&opened.journal, opened.names());
    let (study, notes) = (journal.study(), journal.notes(id));
    let (trial, record) = (&study.history()[id.index()], study.record());
    let row = &record.rows()[id.index()];
    let asked = asked(row);
    let mut json = trial_json(journal, trial, &names);
    json["asked"] = json!(asked);
    let expected = row.suggestion.as_ref();
    let expected = expected.map(|of| json!({ "outcome": of.mean, "sd": of.sd, "cost": of.cost }));
    json["expected"] = json!(expected);
    for key in OUTPUTS {
        json[key] = json!(notes.get(key));
    }
    let mut facts = Facts::default();
    let state = trial.state.name();
    facts.say("trial", format_args!("{} of {}: {state}", json["trial"], journal.name()));
    facts.say("values", show::values(names.iter().map(String::as_str).zip(&trial.values)));
    facts.say("asked", asked);
    came(&mut facts, opened, trial, row);
    if trial.state == TrialState::Pending {
        facts.say("running", witness::words(journal, id));
    }
    if let Some(why) = notes.get(WHY) {
        facts.say("why", why);
    }
    for key in OUTPUTS {
        facts.quote(key, notes.get(key).map_or("", String::as_str));
    }
    (json, facts)
}

/// Why a trial was made, in words.
fn asked(row: &Row) -> String {
    match (&row.suggestion, row.origin) {
        (Some(of), _) => format!("suggested by {} {}", of.acquisition, show::number(of.value)),
        (None, Origin::Initial) => "a point of the initial design".to_owned(),
        (None, Origin::Imported) => "not asked for: it was imported".to_owned(),
        (None, _) => "suggested".to_owned(),
    }
}

/// What came of a trial, and what was expected.
fn came(facts: &mut Facts, opened: &Opened, trial: &Trial, row: &Row) {
    let expected = row.suggestion.as_ref();
    let line = |came: Option<String>, expected: Option<String>| {
        let expected = expected.map(|words| format!("expected {words}"));
        let words: Vec<String> = came.into_iter().chain(expected).collect();
        (!words.is_empty()).then(|| words.join(", "))
    };
    let outcome = expected.map(|of| format!("{} +- {}", show::number(of.mean), digits(of.sd, 2)));
    if let Some(words) = line(trial.outcome.map(show::exact), outcome) {
        facts.say("outcome", words);
    }
    let study = opened.journal.study();
    for one in measured::of(study, &trial.measured) {
        if trial.state == TrialState::Complete || one.number.is_some() {
            facts.say("measured", one.with_limit());
        }
    }
    let cost = expected.and_then(|of| of.cost).map(|cost| digits(cost, 3));
    if let Some(words) = line(trial.cost.map(|cost| money(cost, opened.unit())), cost) {
        facts.say("cost", words);
    }
}
