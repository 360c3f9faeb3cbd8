//! A study of runs in stages over standard input and output.

use gittins::journal::{JournalOptions, StagedJournal};
use gittins::study::{Advice, AskTell, StudyBuilder, StudySpec};
use gittins::{Outcome, Study};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::answer::{Answered, Number, said};

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    Ask,
    Report { trial: usize, progress: f64, outcome: Number, cost: f64 },
    Tell(Failed),
    Withdraw { trial: usize },
    Forecast(usize),
    Verdict,
    Recommendation,
    Trials,
}

/// A run that broke.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failed {
    trial: usize,
    failed: bool,
    #[serde(default)]
    cost: f64,
}

/// The study that is served.
pub enum Served {
    Alone(Box<Study>),
    Filed(Box<StagedJournal>),
}

fn builder(settings: Json) -> Answered<StudyBuilder> {
    let spec: StudySpec = serde_json::from_value(settings)?;
    Ok(spec.builder()?)
}

/// Opens the study of these settings.
pub fn open(settings: Json) -> Answered<Served> {
    Ok(Served::Alone(Box::new(builder(settings)?.build()?)))
}

/// Opens the study of these settings in a file.
pub fn open_file(options: JournalOptions, path: &str, settings: Json) -> Answered<Served> {
    Ok(Served::Filed(Box::new(options.open_staged(path, builder(settings)?)?)))
}

/// Opens the study of a file.
pub fn resume(options: JournalOptions, path: &str) -> Answered<Served> {
    Ok(Served::Filed(Box::new(options.resume_staged(path)?)))
}

impl Served {
    /// The answer to the first line.
    pub fn opened(&self) -> Json {
        match self {
            Self::Filed(journal) => {
                json!({ "name": journal.name(), "trials": journal.study().history().len() })
            }
            Self::Alone(_) => json!({ "ready": true }),
        }
    }

    fn study(&mut self) -> &mut dyn AskTell {
        match self {
            Self::Alone(study) => &mut **study,
            Self::Filed(journal) => &mut **journal,
        }
    }
}

/// The answer to a line.
pub fn follow(served: &mut Served, line: &str) -> Answered<Json> {
    let study = served.study();
    Ok(match serde_json::from_str(line)? {
        Request::Ask => {
            let ask = study.ask()?;
            json!({ "trial": ask.id(), "values": ask.values(), "resume": ask.resume(), "until": ask.until(), "why": ask.why().to_string() })
        }
        Request::Report { trial, progress, outcome, cost } => {
            match study.report(trial.into(), progress, outcome.read()?, cost)? {
                Advice::Continue { until } => json!({ "advice": "continue", "until": until }),
                Advice::Pause => json!({ "advice": "pause" }),
                Advice::Abandon => json!({ "advice": "abandon" }),
                _ => json!({ "advice": "done" }),
            }
        }
        Request::Tell(Failed { trial, failed: true, cost }) => {
            study.tell(trial.into(), Outcome::failed().cost(cost))?;
            json!({ "told": trial })
        }
        Request::Tell(_) => {
            return Err("a run in stages is told by its reports, or that it failed".into());
        }
        Request::Withdraw { trial } => {
            study.withdraw(trial.into())?;
            json!({ "withdrawn": trial })
        }
        Request::Forecast(trial) => match study.study().forecast_end(trial)? {
            None => json!({ "forecast": null }),
            Some(forecast) => json!({ "forecast": forecast, "words": forecast.to_string() }),
        },
        Request::Verdict => said(&study.verdict()?),
        Request::Recommendation => match (study.study().best(), study.study().best_report()) {
            (Some(run), Some(report)) => {
                json!({ "trial": run.id, "values": run.values, "row": run.row, "outcome": report.outcome, "progress": report.progress })
            }
            _ => json!({ "trial": null }),
        },
        Request::Trials => {
            study.sync()?;
            json!({ "trials": study.study().history() })
        }
    })
}
