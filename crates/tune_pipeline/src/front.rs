//! Tunes a whole pipeline for two objectives: its balanced error, and what a prediction costs. It
//! ends once no trial adds enough to the front for the seconds that it takes.
//!
//! ```text
//! cargo run --profile quick -p tune_pipeline --bin front_pipeline
//! ```
//!
//! The pipeline is that of `tune_pipeline`. What a prediction costs is counted and not timed, so it
//! is the same on every machine: the multiplications of one wine, those of the exponential aside.
//! With `d` measurements and `v` support vectors they are
//!
//! ```text
//! linear  d        Gaussian  v (d + 2)        polynomial  v (d + degree)
//! ```
//!
//! A linear machine is one sum, whatever it was trained with. That is a thousand times less than a
//! Gaussian one, so the objective is the decimal logarithm.
//!
//! **The limit.** A pipeline must fit into `--kilobytes`: its support vectors with their weights,
//! in numbers of 8 bytes. A trial that takes longer than `--patience` fails, as in `tune_pipeline`.
//!
//! **The price.** `--lambda` is what a second of training must add to the front: the area between
//! it and the references, in errors times powers of ten.

mod machine;
mod pipeline;
mod trial;

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use frontend::front::{self, Sides};
use frontend::run::{ended, expected_cost};
use frontend::{Console, Result};
use gittins::study::{Limit, Objective};
use gittins::{Cost, Outcome, Policy, Study};
use serde_json::{Value, json};

use crate::machine::PARTS;
use crate::pipeline::{Kernel, Pipeline};
use crate::trial::Trial;

/// An error and a logarithm of multiplications that are worth nothing: that of a guess, and a
/// Gaussian kernel of all measurements whose support vectors are all 1280 wines that it is trained
/// with.
const WORST: (f64, f64) = (0.5, 4.22);

/// The names of the measured numbers.
const WORK: &str = "log10_multiplications";
const SIZE: &str = "kilobytes";

/// Tunes a pipeline for a small error and cheap predictions, as long as a second of training adds
/// enough to the front of both.
#[derive(Parser)]
struct Args {
    /// What a second of training must add to the front, in errors times powers of ten of
    /// multiplications.
    #[arg(long, default_value_t = 1e-3, allow_negative_numbers = true)]
    lambda: f64,
    /// The kilobytes that a pipeline may take.
    #[arg(long, default_value_t = 60.0)]
    kilobytes: f64,
    /// The seconds after which a trial is ended, and fails.
    #[arg(long, default_value = "3", value_parser = trial::seconds)]
    patience: Duration,
    /// The most trials.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    max_trials: u64,
    /// Where the picture goes.
    #[arg(long, default_value = "front_pipeline.svg")]
    picture: PathBuf,
    #[command(flatten)]
    console: Console,
    /// One seed fixes every suggestion.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Trains one pipeline and prints what came of it. This is how a trial runs.
    #[arg(long, hide = true)]
    train: Option<String>,
}

/// A trial of the study.
struct Entry {
    pipeline: Pipeline,
    trial: Trial,
    expected: Option<f64>,
}

impl Entry {
    /// The multiplications of a prediction and the kilobytes, as far as there is a machine.
    fn work_and_size(&self) -> Option<(f64, f64)> {
        let vectors = self.trial.vectors?;
        let measured = self.pipeline.columns().len() as f64;
        let (work, numbers) = match self.pipeline.kernel {
            Kernel::Linear => (measured, measured + 1.0),
            Kernel::Gaussian { .. } => (vectors * (measured + 2.0), vectors * (measured + 1.0)),
            Kernel::Polynomial { degree, .. } => {
                (vectors * (measured + f64::from(degree)), vectors * (measured + 1.0))
            }
        };
        // A machine without a support vector says the same of every wine.
        Some((work.max(1.0), 8e-3 * numbers))
    }

    fn outcome(&self) -> Outcome {
        match self.work_and_size() {
            Some((work, size)) => {
                self.trial.outcome().measured(WORK, work.log10()).measured(SIZE, size)
            }
            None => self.trial.outcome(),
        }
    }

    /// Its columns after the number.
    fn row(&self) -> String {
        let Pipeline { scaling, kernel, c, weight, .. } = &self.pipeline;
        let error = self.trial.said();
        let numbers = self.work_and_size().map_or_else(
            || format!("{:>9} {:>7}", "-", "-"),
            |(work, size)| format!("{work:>9.0} {size:>7.2}"),
        );
        format!(
            "{}  {:<8} {:<10} {c:>9.4} {weight:>6.2} {error:>8} {numbers}",
            self.pipeline.letters(),
            scaling.name(),
            kernel.name()
        )
    }

    fn json(&self) -> Value {
        let (work, size) = self.work_and_size().unzip();
        json!({
            "pipeline": self.pipeline, "error": self.trial.error(), "multiplications": work,
            "kilobytes": size, "failed": self.trial.came.as_ref().err(),
            "seconds": self.trial.seconds, "expected_seconds": self.expected,
        })
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    if let Some(pipeline) = &args.train {
        return Trial::answer(pipeline);
    }
    let mut study = Study::minimize(Pipeline::space())
        .reference(WORST.0)
        .objective(WORK, Objective::minimize().reference(WORST.1))
        .limit(SIZE, Limit::at_most(args.kilobytes))
        .cost(Cost::learned())
        .policy(Policy::gittins(args.lambda))
        .cost_unit("s")
        .seed(args.seed)
        .build()?;
    let columns = "uses         scaling  kernel             C weight    error multiplic    size";
    let title = format!(
        "1599 red wines, 217 of them very good: balanced {PARTS}-fold error and multiplications of a \
         prediction; a second of training must add {} to the front; at most {} kB\n\n\
         trial  {columns}  seconds  front    spent",
        args.lambda, args.kilobytes
    );
    let progress = args.console.progress(title, args.max_trials);
    let mut entries: Vec<Entry> = Vec::new();
    // The textbook's pipeline is the first trial.
    let mut next = (Pipeline::plain(), None, None);
    let verdict = loop {
        let (pipeline, expected, id) = next;
        let trial = Trial::run(&pipeline, args.patience)?;
        let entry = Entry { pipeline, trial, expected };
        match id {
            Some(id) => study.tell(id, entry.outcome())?,
            None => drop(study.import(&entry.pipeline.values(), entry.outcome())?),
        }
        let (front, spent) = (study.front()?.len(), study.total_cost());
        let mark = match study.history().last() {
            Some(trial) if front::breaks(&study, trial) => '!',
            _ => ' ',
        };
        progress.step(format_args!(
            "{:>5}  {}{mark} {:>8.2} {front:>6} {spent:>8.2}",
            entries.len() + 1,
            entry.row(),
            entry.trial.seconds
        ));
        entries.push(entry);
        let verdict = study.verdict()?;
        if verdict.is_stop() || entries.len() as u64 == args.max_trials {
            break verdict;
        }
        let ask = study.ask()?;
        next = (Pipeline::asked(&ask)?, expected_cost(ask.why()), Some(ask.id()));
    };
    let trials = front::sorted(&mut study)?;
    let sides = Sides {
        title: "Error and work of each pipeline, and the front",
        x: "powers of ten of multiplications for a prediction",
        y: "balanced error",
        breaks: &format!("above {} kB", args.kilobytes),
    };
    front::draw(&args.picture, &study, &trials, sides)?;
    let ended = ended(&verdict, args.max_trials);
    let on = || trials.iter().map(|trial| &entries[trial.id.index()]);
    let rows: Vec<String> = trials
        .iter()
        .zip(on())
        .map(|(trial, entry)| format!("{:>5}  {}", trial.id.index() + 1, entry.row()))
        .collect();
    let failed = entries.iter().filter(|entry| entry.trial.came.is_err()).count();
    let text = format!(
        "\n{ended}\n\nfront  {columns}\n{}\n\nspent        {:.1} s on {} trials, of which {failed} failed\npicture      {}",
        rows.join("\n"),
        study.total_cost(),
        entries.len(),
        args.picture.display()
    );
    let json = json!({
        "stopped": verdict.is_stop(), "verdict": ended, "lambda": args.lambda,
        "kilobytes": args.kilobytes, "spent_seconds": study.total_cost(),
        "front": on().map(Entry::json).collect::<Vec<_>>(),
        "trials": entries.iter().map(Entry::json).collect::<Vec<_>>(), "picture": args.picture,
    });
    args.console.result(progress, &json, text);
    Ok(())
}
