//! `gittins show`: all that is known of one trial.

use std::path::PathBuf;

use gittins::study::{Origin, Row, TrialState};
use gittins::{Trial, TrialId};
use serde_json::{Value as Json, json};

use crate::findings::facts::Facts;
use crate::findings::findings::trial_json;
use crate::findings::measured;
use crate::opened::Opened;
use crate::run::witness;
use crate::stages::folder_of;
use crate::words::code::Code;
use crate::words::console::Console;
use crate::words::failure::Result;
use crate::words::number;
use crate::words::show::{self, OUTPUTS, digits, money};

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
        let mut opened = Opened::there(&self.file)?;
        let id = opened.trial(self.trial)?;
        if opened.journal.study().stages().is_some() {
            // The models that forecast come with a verdict.
            opened.judged()?;
        }
        let (json, facts) = facts(&opened, id)?;
        console.print(&json, &facts.text())
    }
}

/// What is known of a trial, for a program and for a person.
fn facts(opened: &Opened, id: TrialId) -> Result<(Json, Facts)> {
    let (journal, study) = (&opened.journal, opened.journal.study());
    let (trial, record) = (&study.history()[id.index()], study.record());
    let row = &record.rows()[id.index()];
    let asked = asked(row);
    let mut json = trial_json(journal, trial);
    json["asked"] = json!(asked);
    let expected = row.suggestion.as_ref();
    let expected = expected.map(|of| json!({ "outcome": of.mean, "sd": of.sd, "cost": of.cost }));
    json["expected"] = json!(expected);
    let folder = folder_of(journal, id);
    let tails = match &folder {
        Some(folder) => folder.tails().map(Some),
        None => OUTPUTS.map(|key| journal.notes(id).remove(key)),
    };
    let mut facts = Facts::default();
    let state = trial.state.name();
    facts.say("trial", format_args!("{} of {}: {state}", json["trial"], journal.name()));
    facts.say("values", show::setting_of(study, trial));
    facts.say("asked", asked);
    if study.stages().is_some() {
        reported(&mut facts, opened, trial, &mut json)?;
    } else {
        came(&mut facts, opened, trial, row);
    }
    if trial.state == TrialState::Pending {
        facts.say("running", witness::words(journal, id));
    }
    if let Some(why) = json["why"].as_str() {
        facts.say("why", why);
    }
    for (key, tail) in OUTPUTS.into_iter().zip(tails) {
        facts.quote(key, tail.as_deref().unwrap_or_default());
        json[key] = json!(tail.filter(|tail| !tail.is_empty()));
    }
    if let Some(folder) = folder.filter(|folder| folder.path().exists()) {
        facts.say("folder", folder.path().display());
        json["folder"] = json!(folder.path());
    }
    Ok((json, facts))
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

/// What a trial in stages reported, and what it is expected to come to.
fn reported(facts: &mut Facts, opened: &Opened, trial: &Trial, json: &mut Json) -> Result<()> {
    for report in &trial.reports {
        let [progress, outcome] = [report.progress, report.outcome].map(show::exact);
        let cost = money(report.cost, opened.unit());
        facts.say("report", format_args!("{outcome} at {progress}, cost {cost}"));
    }
    if let Some(of) = opened.journal.study().forecast_end(trial.id)? {
        json["expected"] = json!({ "outcome": of.mean, "sd": of.sd, "cost": of.cost });
        facts.say("forecast", of);
    }
    facts.say("cost", money(trial.cost.unwrap_or(0.0), opened.unit()));
    Ok(())
}

/// The result of a whole trial, and what was expected.
fn came(facts: &mut Facts, opened: &Opened, trial: &Trial, row: &Row) {
    let expected = row.suggestion.as_ref();
    let line = |came: Option<String>, expected: Option<String>| {
        let expected = expected.map(|words| format!("expected {words}"));
        let words: Vec<String> = came.into_iter().chain(expected).collect();
        (!words.is_empty()).then(|| words.join(", "))
    };
    let outcome = expected.map(|of| show::number(of.mean));
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
