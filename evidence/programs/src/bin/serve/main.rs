//! A study over standard input and output, for callers in any language: in memory, or in a file.
//!
//! Reads one JSON value a line and answers each with one JSON object a line. The first line has the
//! settings of a study ([`StudySpec`]), or opens a file. The others ask, tell and judge. The trials of
//! a file are called by their numbers there:
//!
//! ```text
//! {"space": {"parameters": [{"name": "rate", "kind": {"log_float": {"low": 1e-5, "high": 0.1}}}]}, "direction": "minimize", "seed": 7, "cost": "learned"}
//! {"open": {"path": "a.log", "name": "a", "study": {...}}}        in place of it: a file, which may be new
//! {"resume": {"path": "a.log", "name": "a"}}                      or one that is there, by the settings that it has
//!
//! "ask"                                   -> {"trial": 0, "values": [0.003], "row": null, "why": "..."}
//! {"tell": {"trial": 0, "outcome": 0.4, "cost": 12.0}}    -> {"told": 0}
//! {"tell": {"trial": 1, "failed": true}}  -> {"told": 1}; or "infeasible": true
//! {"tell": {"trial": 2, "outcome": 0.4, "measured": {"latency_ms": 17.2}}}     -> {"told": 2}; null if not measured
//! {"tell_cost": {"trial": 1, "cost": 3}}, {"correct": {...}}, {"withdraw": {"trial": 1}}, {"import": {"values": [0.1], "outcome": 2}}
//! "verdict"                               -> {"stop": false, "words": "..."}
//! "another"                               -> {"stop": false, "words": "..."}, beside pending trials
//! "recommendation"                        -> {"trial": 0, "values": [0.003], "mean": 0.41, "sd": 0.02}
//! {"work": {"trials": 100}}               -> {"trials": [...]}: asks, and tells an outcome of its own
//! {"note": {"trial": 0, "key": "by", "text": "me"}}, "trials"    -> of a file: a note, what the study has
//! ```
//!
//! Runs that are paid for in stages have `stages` among their settings:
//!
//! ```text
//! {..., "stages": {"total": 52, "reports": [3, 6, 11, 19, 32, 52], "resumable": true, "any_stage_counts": false}}    or in a file, as above
//! "ask"                                   -> {"trial": 7, "values": [...], "resume": 6, "until": 11}; resume is null for a run that begins
//! {"report": {"trial": 7, "progress": 11, "outcome": 0.41, "cost": 12.5}}    cost since the last report
//!                                         -> {"advice": "continue", "until": 19}, or "pause", "abandon", "done"
//! {"forecast": 7}                         -> {"forecast": {"mean": 0.31, "sd": 0.02, "cost": 41, ...}, "words": "..."}; null before the first decision
//! {"tell": {"trial": 7, "failed": true, "cost": 3}}, {"withdraw": {"trial": 7}}, "verdict", "recommendation", "trials"
//! ```
//!
//! A line that cannot be followed is answered with `{"error": "..."}`, and the study stays as it
//! was. The program ends with its input.

mod answer;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use clap::Parser;
use frontend::Result;
use gittins::journal::{Journal, JournalOptions};
use gittins::study::{Advice, AskTell, StudySpec};
use gittins::{Outcome, TrialId, Value};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use answer::{Answered, Number, said};

/// Serves one study: a JSON value a line in, a JSON object a line out.
#[derive(Parser)]
struct Args {}

/// The first line, if it opens a file.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Opening {
    Open(Box<File>),
    Resume { path: String, name: Option<String> },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    study: Json,
    path: String,
    name: Option<String>,
    /// After how many seconds the lock of a process that died is taken over.
    grace: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    Ask,
    Tell(Told),
    Report { trial: usize, progress: f64, outcome: Number, cost: f64 },
    Forecast(usize),
    TellCost { trial: usize, cost: f64 },
    Correct(Told),
    Withdraw { trial: usize },
    Import(Told),
    Note { trial: usize, key: String, text: String },
    Work { trials: usize },
    Verdict,
    Another,
    Recommendation,
    Trials,
}

/// What is told of a trial, or of values that are imported.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    trial: Option<usize>,
    values: Option<Vec<Value>>,
    outcome: Option<Number>,
    cost: Option<f64>,
    #[serde(default)]
    failed: bool,
    #[serde(default)]
    infeasible: bool,
    /// The numbers on which there are limits.
    #[serde(default)]
    measured: BTreeMap<String, Option<Number>>,
}

impl Told {
    /// The trial that it is told of.
    fn trial(&self) -> Answered<usize> {
        match (self.trial, &self.values) {
            (Some(trial), None) => Ok(trial),
            (Some(_), Some(_)) => Err("expected `trial` alone: `values` are imported".into()),
            (None, _) => Err("missing field `trial`".into()),
        }
    }

    /// The values that are imported.
    fn values(&mut self) -> Answered<Vec<Value>> {
        match (self.trial, self.values.take()) {
            (None, Some(values)) => Ok(values),
            (Some(_), _) => Err("expected `values` alone: a `trial` is told".into()),
            (None, None) => Err("missing field `values`".into()),
        }
    }

    fn outcome(self) -> Answered<Outcome> {
        let outcome = match (self.outcome, self.failed, self.infeasible) {
            (Some(outcome), false, false) => Outcome::new(outcome.read()?),
            (None, true, false) => Outcome::failed(),
            (None, false, true) => Outcome::infeasible(),
            _ => return Err("expected one of `outcome`, `failed` and `infeasible`".into()),
        };
        let mut outcome = self.cost.into_iter().fold(outcome, Outcome::cost);
        for (name, number) in self.measured {
            let number = number.map(Number::read).transpose()?;
            outcome = outcome.measured(name, number.unwrap_or(f64::NAN));
        }
        Ok(outcome)
    }
}

/// The study that is served.
enum Served {
    Alone(Box<dyn AskTell>),
    Filed(Box<Journal>),
}

fn main() -> Result<()> {
    Args::parse();
    let mut served = None;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match served.as_mut() {
            None => open(&line).map(|opened| served.insert(opened).opened()),
            Some(served) => serde_json::from_str(&line)
                .map_err(Box::<dyn Error>::from)
                .and_then(|request| follow(served, request)),
        };
        let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// Opens the study that the first line names.
fn open(line: &str) -> Answered<Served> {
    let first: Json = serde_json::from_str(line)?;
    if first.get("open").is_none() && first.get("resume").is_none() {
        let study: StudySpec = serde_json::from_value(first)?;
        return Ok(Served::Alone(Box::new(study.builder()?.build()?)));
    }
    let journal = match serde_json::from_value(first)? {
        Opening::Open(file) => {
            let File { study, path, name, grace } = *file;
            let grace = grace.map(Duration::try_from_secs_f64).transpose()?;
            let options = grace.into_iter().fold(named(name), JournalOptions::grace);
            let study: StudySpec = serde_json::from_value(study)?;
            options.open(path, study.builder()?)?
        }
        Opening::Resume { path, name } => named(name).resume(path)?,
    };
    Ok(Served::Filed(Box::new(journal)))
}

fn named(name: Option<String>) -> JournalOptions {
    name.into_iter().fold(JournalOptions::new(), JournalOptions::name)
}

fn follow(served: &mut Served, request: Request) -> Answered<Json> {
    Ok(match request {
        Request::Ask => {
            let ask = served.study().ask()?;
            let mut asked = json!({ "trial": served.number(ask.id())?, "values": ask.values(), "row": ask.row(), "why": ask.why().to_string() });
            if served.study().study().stages().is_some() {
                asked["resume"] = json!(ask.resume());
                asked["until"] = json!(ask.until());
            }
            asked
        }
        Request::Report { trial, progress, outcome, cost } => {
            let id = served.trial(trial)?;
            match served.study().report(id, progress, outcome.read()?, cost)? {
                Advice::Continue { until } => json!({ "advice": "continue", "until": until }),
                Advice::Pause => json!({ "advice": "pause" }),
                Advice::Abandon => json!({ "advice": "abandon" }),
                _ => json!({ "advice": "done" }),
            }
        }
        Request::Forecast(trial) => {
            let id = served.trial(trial)?;
            match served.study().study().forecast_end(id)? {
                None => json!({ "forecast": null }),
                Some(forecast) => json!({ "forecast": forecast, "words": forecast.to_string() }),
            }
        }
        Request::Tell(told) => {
            let trial = told.trial()?;
            let id = served.trial(trial)?;
            served.study().tell(id, told.outcome()?)?;
            json!({ "told": trial })
        }
        Request::TellCost { trial, cost } => {
            let id = served.trial(trial)?;
            served.study().tell_cost(id, cost)?;
            json!({ "told": trial })
        }
        Request::Correct(told) => {
            let trial = told.trial()?;
            let id = served.trial(trial)?;
            served.study().correct(id, told.outcome()?)?;
            json!({ "told": trial })
        }
        Request::Withdraw { trial } => {
            let id = served.trial(trial)?;
            served.study().withdraw(id)?;
            json!({ "withdrawn": trial })
        }
        Request::Import(mut told) => {
            let values = told.values()?;
            let id = served.study().import(&values, told.outcome()?)?;
            json!({ "trial": served.number(id)? })
        }
        Request::Verdict => said(&served.study().verdict()?),
        Request::Another => said(&served.study().verdict_on_another()?),
        Request::Recommendation if served.study().study().stages().is_some() => {
            let study = served.study().study();
            match study.best().zip(study.best_report()) {
                None => json!({ "trial": null }),
                Some((best, report)) => {
                    json!({ "trial": best.id, "values": best.values, "row": best.row, "outcome": report.outcome, "progress": report.progress })
                }
            }
        }
        Request::Recommendation => match served.study().recommendation()? {
            None => json!({ "trial": null }),
            Some(best) => {
                json!({ "trial": served.number(best.trial)?, "values": best.values, "row": best.row, "outcome": best.outcome, "measured": best.measured, "mean": best.mean, "sd": best.sd })
            }
        },
        Request::Note { trial, key, text } => {
            let id = served.trial(trial)?;
            served.filed()?.note(id, &key, &text)?;
            json!({ "noted": trial })
        }
        Request::Work { trials } => work(served.filed()?, trials)?,
        Request::Trials if served.study().study().stages().is_some() => {
            served.study().sync()?;
            json!({ "trials": served.study().study().history() })
        }
        Request::Trials => {
            let journal = served.filed()?;
            journal.sync()?;
            told(journal)?
        }
    })
}

impl Served {
    /// The answer to the first line.
    fn opened(&mut self) -> Json {
        let name = match self {
            Self::Filed(journal) => journal.name().to_owned(),
            Self::Alone(_) => return json!({ "ready": true }),
        };
        json!({ "name": name, "trials": self.study().study().history().len() })
    }

    fn study(&mut self) -> &mut dyn AskTell {
        match self {
            Self::Alone(study) => &mut **study,
            Self::Filed(journal) => &mut **journal,
        }
    }

    fn filed(&mut self) -> Answered<&mut Journal> {
        match self {
            Self::Filed(journal) => Ok(journal),
            Self::Alone(_) => Err("this needs a study in a file".into()),
        }
    }

    /// The number by which a trial is called.
    fn number(&self, id: TrialId) -> Answered<usize> {
        match self {
            Self::Filed(journal) => Ok(journal.number(id)?),
            Self::Alone(_) => Ok(id.index()),
        }
    }

    /// The trial with this number.
    fn trial(&mut self, number: usize) -> Answered<TrialId> {
        let journal = match self {
            Self::Filed(journal) => journal,
            Self::Alone(_) => return Ok(number.into()),
        };
        journal.sync()?;
        let why = journal.left_out().get(&number).map_or("", String::as_str);
        let id = journal.trial(number);
        id.ok_or_else(|| format!("trial {number} of the file is none of the study: {why}").into())
    }
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
                "values": values, "outcome": trial.outcome, "cost": trial.cost, "measured": trial.measured,
                "notes": journal.notes(trial.id), "times": journal.times(trial.id),
            }))
        })
        .collect::<Answered<_>>()?;
    Ok(json!({ "trials": trials, "left_out": journal.left_out() }))
}
