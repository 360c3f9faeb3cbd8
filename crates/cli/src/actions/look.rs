//! `gittins best`, `status` and `should-stop`: how a study stands.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use gittins::study::TrialState;
use serde_json::{Value, json};

use crate::console::Console;
use crate::ending::ending;
use crate::failure::{Failure, Result};
use crate::opened::Opened;
use crate::run::witness;
use crate::show;
use crate::tally::Tally;

/// The exit code of `should-stop` for: go on. That of `best` for: there is none yet.
const NO: u8 = 1;

/// A study to look at.
#[derive(Debug, clap::Args)]
pub struct Look {
    /// A study.toml or a journal.
    file: PathBuf,
}

/// What is asked of a study.
#[derive(Debug, Clone, Copy)]
pub enum Question {
    /// What is best.
    Best,
    /// How everything stands.
    Status,
    /// Whether to stop.
    ShouldStop,
}

impl Look {
    /// Answers.
    pub fn run(&self, question: Question, console: Console) -> Result<ExitCode> {
        if matches!(question, Question::ShouldStop) && Opened::is_fresh(&self.file)? {
            return answer(false, "continue: no trial was asked for yet", console);
        }
        let mut opened = Opened::there(&self.file)?;
        match question {
            Question::Best => best(&mut opened, console),
            Question::Status => status(&mut opened, console),
            Question::ShouldStop => should_stop(&mut opened, console),
        }
    }
}

/// The best trial and the recommended one, for a program and for a person.
fn findings(opened: &mut Opened) -> Result<(Value, String)> {
    let recommendation = opened.journal.recommendation()?;
    let (journal, names) = (&opened.journal, opened.names());
    let best = journal.study().best();
    let mut text = String::new();
    if let Some(best) = best {
        let named = names.iter().map(String::as_str).zip(&best.values);
        text += &format!(
            "best         trial {}: {}\n             outcome {}",
            show::number_of(journal, best.id),
            show::values(named),
            show::number(best.outcome.unwrap_or(f64::NAN))
        );
    }
    if let Some(of) = &recommendation {
        text += &format!("\nrecommended  {}", show::recommendation(journal, of));
    }
    let json = json!({
        "best": best.map(|best| show::trial_json(journal, best, &names)),
        "recommendation": recommendation.as_ref().map(|of| show::recommendation_json(journal, of)),
    });
    Ok((json, text))
}

fn best(opened: &mut Opened, console: Console) -> Result<ExitCode> {
    let (json, text) = findings(opened)?;
    let none = json["best"].is_null();
    console.print(&json, if none { "no trial is complete yet" } else { &text })?;
    Ok(if none { ExitCode::from(NO) } else { ExitCode::SUCCESS })
}

/// Whether to stop, and the words for it. A journal whose rule is not known has none.
fn judged(opened: &mut Opened) -> Result<(bool, String)> {
    let (limits, unit) = (opened.limits(), opened.unit().map(str::to_owned));
    Ok(match ending(&mut opened.journal, &limits, unit.as_deref())? {
        Ok(ending) => (true, ending.words()),
        Err(verdict) => (false, verdict.reason().to_string()),
    })
}

fn should_stop(opened: &mut Opened, console: Console) -> Result<ExitCode> {
    let (stop, words) = judged(opened)?;
    answer(stop, &words, console)
}

/// Says whether to stop.
fn answer(stop: bool, words: &str, console: Console) -> Result<ExitCode> {
    console.print(&json!({ "stop": stop, "words": words }), words)?;
    Ok(if stop { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

fn status(opened: &mut Opened, console: Console) -> Result<ExitCode> {
    let (mut json, best) = findings(opened)?;
    let verdict = judged(opened);
    let words = match &verdict {
        Ok((_, words)) => words.clone(),
        Err(error) => error.to_string(),
    };
    let (journal, unit) = (&opened.journal, opened.unit());
    let tally = Tally::of(journal.study());
    let mut text = format!(
        "study        {} in {}\ntrials       {} complete, {} failed, {} not allowed, {} under way, {} given up{}\n",
        journal.name(),
        opened.path.display(),
        tally.complete,
        tally.failed,
        tally.infeasible,
        tally.pending,
        tally.withdrawn,
        match tally.imported {
            0 => String::new(),
            count => format!("; {count} of them imported"),
        }
    );
    text += &format!("spent        {}\n", show::money(tally.spent, unit));
    if !best.is_empty() {
        text += &format!("{best}\n");
    }
    text += &format!("verdict      {words}\n");
    let (running, lines) = running(opened)?;
    text += &lines;
    let left_out: Vec<Value> = journal
        .left_out()
        .iter()
        .map(|(number, why)| json!({ "trial": number, "why": why }))
        .collect();
    for (number, why) in journal.left_out() {
        text += &format!("left out     trial {number}: {why}\n");
    }
    json["study"] = json!(journal.name());
    json["journal"] = json!(opened.path);
    json["trials"] = tally.json();
    json["spent"] = json!(tally.spent);
    json["unit"] = json!(unit);
    json["stop"] = json!(verdict.as_ref().ok().map(|(stop, _)| stop));
    json["verdict"] = json!(words);
    json["running"] = running;
    json["left_out"] = left_out.into();
    console.print(&json, &text)?;
    Ok(ExitCode::SUCCESS)
}

/// The trials under way, with their age and whoever works on them.
fn running(opened: &Opened) -> Result<(Value, String)> {
    let (journal, names) = (&opened.journal, opened.names());
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_err(|error| Failure::new(error.to_string()))?
        .as_secs_f64();
    let (mut list, mut text) = (Vec::new(), String::new());
    for trial in journal.study().history() {
        if trial.state != TrialState::Pending {
            continue;
        }
        let age = journal.times(trial.id).0.map(|began| (now - began).max(0.0));
        let who = witness::words(journal, trial.id);
        let named = names.iter().map(String::as_str).zip(&trial.values);
        let mut object = show::trial_json(journal, trial, &names);
        object["age"] = json!(age);
        object["who"] = json!(who);
        list.push(object);
        text += &format!(
            "running      trial {}{}, {who}: {}\n",
            show::number_of(journal, trial.id),
            age.map_or_else(String::new, |age| format!(", for {}", time(age))),
            show::values(named)
        );
    }
    Ok((list.into(), text))
}

/// Seconds as a person reads them.
fn time(seconds: f64) -> String {
    let whole = seconds as u64;
    match whole {
        0..=99 => format!("{whole} s"),
        100..=5999 => format!("{} min", whole / 60),
        6000..=359_999 => format!("{} h", whole / 3600),
        _ => format!("{} days", whole / 86_400),
    }
}
