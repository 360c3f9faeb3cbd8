//! `gittins best`, `status` and `should-stop`: how a study stands.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gittins::TrialId;
use gittins::journal::Journal;
use gittins::study::TrialState;
use serde_json::{Value, json};

use crate::findings::findings::{self, findings};
use crate::findings::ranking;
use crate::findings::tally::Tally;
use crate::opened::Opened;
use crate::process::owner;
use crate::run::witness;
use crate::words::code::{Code, DONE};
use crate::words::console::Console;
use crate::words::failure::{Failure, Result};
use crate::words::show;

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
    pub fn run(&self, question: Question, console: Console) -> Result<Code> {
        if matches!(question, Question::ShouldStop) && Opened::is_fresh(&self.file)? {
            return answer(false, "continue: no trial was asked for yet", console);
        }
        match question {
            Question::Status => status(&mut Opened::to_show(&self.file)?, console),
            Question::Best => best(&mut Opened::there(&self.file)?, console),
            Question::ShouldStop => {
                let (stop, words) = Opened::there(&self.file)?.judged()?;
                answer(stop, &words, console)
            }
        }
    }
}

fn best(opened: &mut Opened, console: Console) -> Result<Code> {
    let (mut json, mut text) = findings(&mut opened.journal)?;
    ranking::add(&opened.journal, &mut json, &mut text);
    let none = json["best"].is_null() && on_front(&json).unwrap_or(0) == 0;
    if let Some(rule) = findings::rule(&mut opened.journal)? {
        let (stop, words) = opened.judged()?;
        text += &format!("\nverdict      {words}");
        // A limit of the file may have ended the study.
        if !words.ends_with(&rule) {
            text += &format!("\nrule         {rule}");
        }
        json["stop"] = json!(stop);
        json["verdict"] = json!(words);
        json["rule"] = json!(rule);
    } else if text.is_empty() {
        "no trial is complete yet".clone_into(&mut text);
    }
    console.print(&json, &text)?;
    Ok(if none { NO } else { DONE })
}

/// How many trials are on the front; none with one objective.
fn on_front(json: &Value) -> Option<usize> {
    json["front"].as_array().map(Vec::len)
}

/// Says whether to stop.
fn answer(stop: bool, words: &str, console: Console) -> Result<Code> {
    console.print(&json!({ "stop": stop, "verdict": words }), words)?;
    Ok(if stop { DONE } else { NO })
}

fn status(opened: &mut Opened, console: Console) -> Result<Code> {
    // Before anything is computed here, which takes its time as well.
    let [choosing, making] = seconds(&opened.journal);
    let (mut json, best) = findings(&mut opened.journal)?;
    let verdict = opened.judged();
    let words = match &verdict {
        Ok((_, words)) => words.clone(),
        Err(error) => error.to_string(),
    };
    let (running, lines) = running(opened)?;
    let (journal, unit) = (&opened.journal, opened.unit());
    let tally = Tally::of(journal.study());
    let mut text = format!(
        "study        {} in {}\ntrials       {}\nspent        {}\n",
        journal.name(),
        opened.path.display(),
        tally.words(),
        show::money(tally.spent, unit)
    );
    if let Some(choosing) = choosing {
        let making = making
            .map_or_else(String::new, |making| format!(", the trials {}", show::time(making)));
        text += &format!("choosing     took {}{making}\n", show::time(choosing));
    }
    match on_front(&json) {
        Some(count) if count > 0 => {
            text += &format!("front        {count} of {} complete trials\n", tally.complete);
        }
        _ if best.is_empty() => {}
        _ => text += &format!("{best}\n"),
    }
    let some_hold = !findings::none_holds(journal.study());
    for line in findings::limit_lines(journal.study()).filter(|_| some_hold) {
        text += &format!("{line}\n");
    }
    text += &format!("verdict      {words}\n");
    text += &lines;
    let mut left_out = Vec::new();
    for (number, why) in journal.left_out() {
        left_out.push(json!({ "trial": number, "why": why }));
        text += &format!("left out     trial {number}: {why}\n");
    }
    let missing = journal.missing();
    text += &missing.iter().map(|words| format!("missing      {words}\n")).collect::<String>();
    json["study"] = json!(journal.name());
    json["journal"] = json!(opened.path);
    json["counts"] = tally.json();
    json["spent"] = json!(tally.spent);
    json["unit"] = json!(unit);
    json["choosing_seconds"] = json!(choosing);
    json["trial_seconds"] = json!(making);
    json["stop"] = json!(verdict.as_ref().ok().map(|(stop, _)| stop));
    json["verdict"] = json!(words);
    json["running"] = running;
    json["left_out"] = left_out.into();
    json["missing"] = json!(missing);
    console.print(&json, &text)
}

/// How many seconds choosing took, and the trials that a run made; none if nothing is known of it. A
/// trial that was asked for by hand counts with its search and its verdict, without the fit, and
/// nobody knows how long it was worked on.
fn seconds(journal: &Journal) -> [Option<f64>; 2] {
    let mut sums = [None; 2];
    let record = journal.study().record();
    for (trial, row) in journal.study().history().iter().zip(record.rows()) {
        let [choosing, making] = witness::seconds(journal, trial.id);
        let noted = Some(row.seconds.search + row.seconds.verdict).filter(|&time| time > 0.0);
        for (sum, seconds) in sums.iter_mut().zip([choosing.or(noted), making]) {
            *sum = match (*sum, seconds) {
                (Some(sum), Some(seconds)) => Some(sum + seconds),
                (sum, seconds) => sum.or(seconds),
            };
        }
    }
    sums
}

/// The pending trials, with their age and whoever works on them. In stages also what they are
/// expected to come to; otherwise when they are due, if costs are times that are learned.
fn running(opened: &mut Opened) -> Result<(Value, String)> {
    let dues = dues(&mut opened.journal)?;
    let (journal, study) = (&opened.journal, opened.journal.study());
    let now = owner::now().ok_or_else(|| Failure::new("the clock stands before 1970"))?;
    let (mut list, mut text) = (Vec::new(), String::new());
    for trial in study.history() {
        if trial.state != TrialState::Pending {
            continue;
        }
        let age = journal.times(trial.id).0.map(|began| (now - began).max(0.0));
        let who = witness::words(journal, trial.id);
        let mut object = findings::trial_json(journal, trial);
        object["age"] = json!(age);
        object["who"] = json!(who);
        let mut words = format!("trial {}", show::number_of(journal, trial.id));
        if study.stages().is_some() {
            let forecast = study.forecast_end(trial.id)?;
            object["expected_outcome"] = json!(forecast.as_ref().map(|of| of.mean));
            object["expected_cost"] = json!(forecast.as_ref().map(|of| of.cost));
            words += &format!(" at {}", show::number(trial.progress()));
            words += &forecast.map_or_else(String::new, |of| format!(", {of}"));
        } else {
            let due = dues.get(&trial.id);
            object["expected_seconds"] = json!(due.map(|of| of.expected));
            object["due_in"] = json!(due.map(|of| of.rest));
            object["overdue"] = json!(due.map(|of| of.overdue));
            words +=
                &age.map_or_else(String::new, |age| format!(", for {}", show::time(age.floor())));
            words += &due.map_or_else(String::new, Due::words);
        }
        list.push(object);
        let values = show::setting_of(study, trial);
        text += &format!("running      {words}, {who}: {values}\n");
    }
    Ok((list.into(), text))
}

/// When a trial is due, in seconds.
struct Due {
    /// How long it was expected to take.
    expected: f64,
    /// How long it will still take, given that it is still running.
    rest: f64,
    overdue: bool,
}

impl Due {
    fn words(&self) -> String {
        if self.overdue {
            format!(", overdue: about {} were expected", show::time(self.expected))
        } else {
            format!(", due in about {}", show::time(self.rest))
        }
    }
}

/// When the whole pending trials are due, if costs are times that are learned.
fn dues(journal: &mut Journal) -> Result<BTreeMap<TrialId, Due>> {
    let unit = journal.study().cost_unit().filter(|_| journal.study().stages().is_none());
    let seconds = match unit {
        Some("s" | "sec" | "seconds") => 1.0,
        Some("min" | "minutes") => 60.0,
        Some("h" | "hours") => 3600.0,
        _ => return Ok(BTreeMap::new()),
    };
    let pending = journal.study().history().iter();
    let pending = pending.filter(|trial| trial.state == TrialState::Pending);
    let pending: Vec<TrialId> = pending.map(|trial| trial.id).collect();
    let mut dues = BTreeMap::new();
    for id in pending {
        if let Some(forecast) = journal.forecast(id)? {
            let expected = seconds * forecast.expected();
            let rest = seconds * forecast.rest();
            dues.insert(id, Due { expected, rest, overdue: forecast.is_overdue() });
        }
    }
    Ok(dues)
}
