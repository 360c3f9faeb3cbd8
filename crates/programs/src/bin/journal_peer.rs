//! A process that has a journal open, for the checks against other programs that read and write it.
//!
//! Reads one JSON value a line and answers each with one JSON object a line. The first line opens a
//! journal, by settings or by those that it has. Trials are called by their numbers in the file:
//!
//! ```text
//! {"open": {"path": "a.log", "space": {"parameters": [{"name": "x", "kind": {"float": {"low": 0, "high": 1}}}]}, "direction": "minimize"}}
//! {"resume": {"path": "a.log", "name": "a"}}
//! "ask"                                          -> {"trial": 0, "values": {"x": 0.3}}
//! {"tell": {"trial": 0, "outcome": 0.4, "cost": 12.0}}    -> {"told": 0}
//! {"work": {"trials": 100}}                      -> {"trials": [...]}: asks, and tells an own outcome
//! "trials"                                       -> what the study has by now
//! ```
//!
//! A line that cannot be followed is answered with `{"error": "..."}`.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use clap::Parser;
use frontend::Result;
use gittins::data::Direction;
use gittins::journal::{Journal, JournalOptions};
use gittins::study::StudyBuilder;
use gittins::{Cost, Outcome, Space, Study, TrialId, Value};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// Has one journal open: a JSON value a line in, a JSON object a line out.
#[derive(Parser)]
struct Args {}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    Open(Opening),
    Resume { path: String, name: Option<String> },
    Ask,
    Tell(Told),
    TellCost { trial: usize, cost: f64 },
    Correct(Told),
    Withdraw { trial: usize },
    Import { values: Vec<Value>, outcome: Option<Number>, cost: Option<f64> },
    Note { trial: usize, key: String, text: String },
    Work { trials: usize },
    Verdict,
    Trials,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opening {
    path: String,
    name: Option<String>,
    space: Space,
    direction: Direction,
    #[serde(default)]
    seed: u64,
    /// The size of the initial design, whose points take no time.
    initial: Option<usize>,
    cost: Option<Cost>,
    /// After how many seconds the lock of a process that died is taken over.
    grace: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    trial: usize,
    #[serde(default)]
    outcome: Option<Number>,
    cost: Option<f64>,
    #[serde(default)]
    infeasible: bool,
}

/// A number, or the name of one that JSON does not have.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Finite(f64),
    Named(String),
}

impl Told {
    /// A trial without an outcome has failed.
    fn outcome(&self) -> Outcome {
        let outcome = match &self.outcome {
            Some(Number::Finite(outcome)) => Outcome::new(*outcome),
            Some(Number::Named(name)) => Outcome::new(name.parse().unwrap_or(f64::NAN)),
            None if self.infeasible => Outcome::infeasible(),
            None => Outcome::failed(),
        };
        self.cost.into_iter().fold(outcome, Outcome::cost)
    }
}

/// A line's answer. Its error is told to the caller, and does not end the program.
type Answered<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    Args::parse();
    let mut journal = None;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let answer = serde_json::from_str(&line?)
            .map_err(Box::<dyn Error>::from)
            .and_then(|request| answer(&mut journal, request));
        let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(open: &mut Option<Journal>, request: Request) -> Answered<Json> {
    match request {
        Request::Open(opening) => {
            let (path, name) = (opening.path.clone(), opening.name.clone());
            let grace = opening.grace.map(Duration::try_from_secs_f64).transpose()?;
            let options = grace.into_iter().fold(named(name), JournalOptions::grace);
            Ok(opened(open, options.open(path, builder(opening))?))
        }
        Request::Resume { path, name } => Ok(opened(open, named(name).resume(path)?)),
        request => {
            let journal = open.as_mut().ok_or("no journal is open")?;
            follow(journal, request)
        }
    }
}

fn named(name: Option<String>) -> JournalOptions {
    name.into_iter().fold(JournalOptions::new(), JournalOptions::name)
}

fn builder(opening: Opening) -> StudyBuilder {
    let builder = match opening.direction {
        Direction::Minimize => Study::minimize(opening.space),
        Direction::Maximize => Study::maximize(opening.space),
    };
    let builder = builder.seed(opening.seed);
    let builder = opening.initial.into_iter().fold(builder, StudyBuilder::initial);
    opening.cost.into_iter().fold(builder, StudyBuilder::cost)
}

fn opened(open: &mut Option<Journal>, journal: Journal) -> Json {
    let answer = json!({ "name": journal.name(), "trials": journal.study().history().len() });
    *open = Some(journal);
    answer
}

fn follow(journal: &mut Journal, request: Request) -> Answered<Json> {
    Ok(match request {
        Request::Ask => {
            let ask = journal.ask()?;
            let values: BTreeMap<String, Value> =
                ask.named().map(|(name, value)| (name.to_owned(), value.clone())).collect();
            json!({ "trial": journal.number(ask.id())?, "values": values })
        }
        Request::Tell(told) => {
            let id = known(journal, told.trial)?;
            journal.tell(id, told.outcome())?;
            json!({ "told": told.trial })
        }
        Request::TellCost { trial, cost } => {
            let id = known(journal, trial)?;
            journal.tell_cost(id, cost)?;
            json!({ "told": trial })
        }
        Request::Correct(told) => {
            let id = known(journal, told.trial)?;
            journal.correct(id, told.outcome())?;
            json!({ "told": told.trial })
        }
        Request::Withdraw { trial } => {
            let id = known(journal, trial)?;
            journal.withdraw(id)?;
            json!({ "withdrawn": trial })
        }
        Request::Import { values, outcome, cost } => {
            let told = Told { trial: 0, outcome, cost, infeasible: false };
            let id = journal.import(&values, told.outcome())?;
            json!({ "trial": journal.number(id)? })
        }
        Request::Note { trial, key, text } => {
            let id = known(journal, trial)?;
            journal.note(id, &key, &text)?;
            json!({ "noted": trial })
        }
        Request::Work { trials } => work(journal, trials)?,
        Request::Verdict => {
            let verdict = journal.verdict()?;
            json!({ "stop": verdict.is_stop(), "words": verdict.reason().to_string() })
        }
        Request::Trials => {
            journal.sync()?;
            told(journal)?
        }
        Request::Open(_) | Request::Resume { .. } => return Err("a journal is open".into()),
    })
}

/// The trial with this number in the file.
fn known(journal: &mut Journal, number: usize) -> Answered<TrialId> {
    journal.sync()?;
    let why = journal.left_out().get(&number).map_or("", String::as_str);
    let id = journal.trial(number);
    id.ok_or_else(|| format!("trial {number} of the file is none of the study: {why}").into())
}

/// Asks, notes and tells so many times. Every fifth trial fails.
fn work(journal: &mut Journal, trials: usize) -> Answered<Json> {
    let mut numbers = Vec::new();
    for _ in 0..trials {
        let ask = journal.ask()?;
        let number = journal.number(ask.id())?;
        journal.note(ask.id(), "by", &format!("peer \"{}\" \u{1F35E}", std::process::id()))?;
        let sum: f64 = ask.numbers().iter().filter(|number| !number.is_nan()).sum();
        let outcome = if number % 5 == 4 { Outcome::failed() } else { Outcome::new(sum) };
        journal.tell(ask.id(), outcome.cost(0.5 + number as f64))?;
        numbers.push(number);
    }
    Ok(json!({ "trials": numbers }))
}

/// What the study has by now.
fn told(journal: &Journal) -> Answered<Json> {
    let study = journal.study();
    let record = study.record();
    let trials: Vec<Json> = study
        .history()
        .iter()
        .zip(record.rows())
        .map(|(trial, row)| {
            let values: BTreeMap<&str, &Value> =
                row.point.values.iter().map(|(name, value)| (name.as_str(), value)).collect();
            Ok(json!({
                "number": journal.number(trial.id)?, "state": trial.state, "origin": trial.origin,
                "values": values, "outcome": trial.outcome, "cost": trial.cost,
                "notes": journal.notes(trial.id), "times": journal.times(trial.id),
            }))
        })
        .collect::<Answered<_>>()?;
    Ok(json!({ "trials": trials, "left_out": journal.left_out() }))
}
