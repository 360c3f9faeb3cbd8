//! A study of runs in stages over standard input and output.

use gittins::staged::{Advice, StagedSpec, StagedStudy};
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

/// Opens the study of these settings.
pub fn open(settings: Json) -> Answered<StagedStudy> {
    let spec: StagedSpec = serde_json::from_value(settings)?;
    Ok(spec.builder()?.build()?)
}

/// The answer to a line.
pub fn follow(study: &mut StagedStudy, line: &str) -> Answered<Json> {
    Ok(match serde_json::from_str(line)? {
        Request::Ask => {
            let ask = study.ask()?;
            json!({ "trial": ask.id(), "values": ask.values(), "resume": ask.resume(), "until": ask.until(), "why": ask.to_string() })
        }
        Request::Report { trial, progress, outcome, cost } => {
            match study.report(trial, progress, outcome.read()?, cost)? {
                Advice::Continue { until } => json!({ "advice": "continue", "until": until }),
                Advice::Pause => json!({ "advice": "pause" }),
                Advice::Abandon => json!({ "advice": "abandon" }),
                _ => json!({ "advice": "done" }),
            }
        }
        Request::Tell(Failed { trial, failed: true, cost }) => {
            study.fail(trial, cost)?;
            json!({ "told": trial })
        }
        Request::Tell(_) => {
            return Err("a run in stages is told by its reports, or that it failed".into());
        }
        Request::Withdraw { trial } => {
            study.withdraw(trial)?;
            json!({ "withdrawn": trial })
        }
        Request::Verdict => said(&study.verdict()?),
        Request::Recommendation => match study.best() {
            None => json!({ "trial": null }),
            Some(run) => {
                json!({ "trial": run.id, "values": run.values, "row": run.row, "outcome": run.outcome() })
            }
        },
        Request::Trials => json!({ "trials": study.runs() }),
    })
}
