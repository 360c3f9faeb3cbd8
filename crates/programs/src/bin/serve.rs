//! A study over standard input and output, for callers in any language.
//!
//! Reads one JSON value a line and answers each with one JSON object a line. The first line sets
//! the study up; a space has parameters, a table has names and rows. The others ask, tell and judge:
//!
//! ```text
//! {"space": {"parameters": [{"name": "rate", "kind": {"log_float": {"low": 1e-5, "high": 0.1}}}]}, "direction": "minimize", "seed": 7, "cost": "learned"}
//! "ask"                                            -> {"trial": 0, "values": [0.003], "row": null, "why": "..."}
//! {"tell": {"trial": 0, "outcome": 0.4, "cost": 12.0}}  -> {"told": 0}
//! {"tell": {"trial": 1, "failed": true}}           -> {"told": 1}
//! "verdict"                                        -> {"stop": false, "words": "..."}
//! "another"                                        -> {"stop": false, "words": "..."}, beside the trials under way
//! "recommendation"                                 -> {"trial": 0, "values": [0.003], "mean": 0.41, "sd": 0.02}
//! ```
//!
//! A line that cannot be followed is answered with `{"error": "..."}`, and the study stays as it
//! was. The program ends with its input.

use std::error::Error;
use std::io::{self, BufRead, Write};

use clap::Parser;
use frontend::Result;
use gittins::data::{Direction, Warping};
use gittins::study::StudyBuilder;
use gittins::{Acquisition, Cost, Outcome, Space, Study, Table, Verdict};
use serde::Deserialize;
use serde_json::{Value, json};

/// Serves one study: a JSON value a line in, a JSON object a line out.
#[derive(Parser)]
struct Args {}

/// The first line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opening {
    space: Option<Space>,
    table: Option<Rows>,
    direction: Direction,
    #[serde(default)]
    seed: u64,
    cost: Option<Cost>,
    cost_floor: Option<f64>,
    policy: Option<Acquisition>,
    initial: Option<usize>,
    /// How many trials the run is expected to have.
    trials: Option<usize>,
    /// `"none"` models outcomes as they are.
    warping: Option<Warping>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    names: Vec<String>,
    rows: Vec<Vec<gittins::Value>>,
    /// The columns whose orders of magnitude matter.
    #[serde(default)]
    log: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Ask,
    Tell(Told),
    Verdict,
    Another,
    Recommendation,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    trial: usize,
    outcome: Option<f64>,
    cost: Option<f64>,
    #[serde(default)]
    failed: bool,
    #[serde(default)]
    infeasible: bool,
}

/// A line's answer. Its error is told to the caller, and does not end the program.
type Answered<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    Args::parse();
    let mut study = None;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match study.as_mut() {
            None => open(&line).map(|opened| {
                study = Some(opened);
                json!({ "ready": true })
            }),
            Some(study) => answer(study, &line),
        };
        let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn open(line: &str) -> Answered<Study> {
    let opening: Opening = serde_json::from_str(line)?;
    let begin = |domain: gittins::Domain| -> StudyBuilder {
        match opening.direction {
            Direction::Minimize => Study::minimize(domain),
            Direction::Maximize => Study::maximize(domain),
        }
    };
    let mut builder = match (opening.space, opening.table) {
        (Some(space), None) => begin(space.into()),
        (None, Some(Rows { names, rows, log })) => {
            let mut table = Table::new(names, rows)?;
            for name in &log {
                table = table.log(name)?;
            }
            begin(table.into())
        }
        _ => return Err(io::Error::other("expected either `space` or `table`").into()),
    };
    builder = builder.seed(opening.seed);
    if let Some(cost) = opening.cost {
        builder = builder.cost(cost);
    }
    if let Some(floor) = opening.cost_floor {
        builder = builder.cost_floor(floor);
    }
    if let Some(policy) = opening.policy {
        builder = builder.policy(policy);
    }
    if let Some(initial) = opening.initial {
        builder = builder.initial(initial);
    }
    if let Some(trials) = opening.trials {
        builder = builder.expected_trials(trials);
    }
    if let Some(warping) = opening.warping {
        builder = builder.warping(warping);
    }
    Ok(builder.build()?)
}

fn answer(study: &mut Study, line: &str) -> Answered<Value> {
    Ok(match serde_json::from_str(line)? {
        Request::Ask => {
            let ask = study.ask()?;
            json!({ "trial": ask.id(), "values": ask.values(), "row": ask.row(), "why": ask.why().to_string() })
        }
        Request::Tell(told) => {
            let mut outcome = match (told.outcome, told.failed, told.infeasible) {
                (Some(value), false, false) => Outcome::new(value),
                (None, true, false) => Outcome::failed(),
                (None, false, true) => Outcome::infeasible(),
                _ => {
                    return Err(io::Error::other(
                        "expected one of `outcome`, `failed` and `infeasible`",
                    )
                    .into());
                }
            };
            if let Some(cost) = told.cost {
                outcome = outcome.cost(cost);
            }
            study.tell(told.trial, outcome)?;
            json!({ "told": told.trial })
        }
        Request::Verdict => said(&study.verdict()?),
        Request::Another => said(&study.verdict_on_another()?),
        Request::Recommendation => match study.recommendation()? {
            None => json!({ "trial": null }),
            Some(best) => {
                json!({ "trial": best.trial, "values": best.values, "row": best.row, "outcome": best.outcome, "mean": best.mean, "sd": best.sd })
            }
        },
    })
}

fn said(verdict: &Verdict) -> Value {
    json!({ "stop": verdict.is_stop(), "words": verdict.reason().to_string() })
}
