//! Tunes a real model with its measured training time as the cost, until another trial is not worth its price.
//!
//! ```text
//! cargo run --release --example tune_svm
//! ```
//!
//! The model is a support vector machine with a radial kernel that tells good red wines from others; its cost parameter `C` and its
//! kernel's `gamma` are searched over five and four decades. What a trial costs is what it took: a fifth of a second where the machine
//! underfits, seven seconds and more where the solver fights for the last wines. Nobody tells the study; it learns the cost on the way.
//!
//! **The price.** `--lambda` says how much less error a second of computing must buy. The default of 0.0006 per second is one more wine of
//! the 1599 put into the right class per second: an error is a whole number of wines, so a second that promises less than one is not
//! worth having.

#[path = "../support/console.rs"]
mod console;
#[path = "../support/failure.rs"]
mod failure;
mod picture;
mod wine;

use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use console::Console;
use failure::{Failure, Result};
use gittins::study::{Outcome, Study, Verdict};
use gittins::{Acquisition, Cost, Space};
use picture::Mark;
use serde_json::json;
use wine::Wines;

/// Tunes a support vector machine on real data; the cost is the measured training time.
#[derive(Parser)]
struct Args {
    /// How much less error a second of training must buy (an error of 0.01 is one wine in a hundred).
    #[arg(long, default_value_t = 6e-4)]
    lambda: f64,
    /// The fixed budget of trials that stopping early is compared with.
    #[arg(long, default_value_t = 60)]
    max_trials: usize,
    /// Where the picture goes.
    #[arg(long, default_value = "tune_svm.svg")]
    picture: PathBuf,
    #[command(flatten)]
    console: Console,
}

const FOLDS: usize = 5;

fn main() -> Result<()> {
    let args = Args::parse();
    let (wines, error_of) = Wines::cross_validation(FOLDS);
    let space = Space::new().log_float("C", 1e-2, 1e3).log_float("gamma", 1e-3, 10.0);
    let mut study = Study::minimize(space)
        .cost(Cost::learned())
        .acquisition(Acquisition::gittins(args.lambda))
        .cost_unit("s")
        .seed(args.console.seed)
        .build()?;

    let progress = args.console.progress(args.max_trials);
    let count = wines.count;
    progress.say(format_args!("{count} red wines, {FOLDS}-fold error; a second of training must buy {} of error\n", args.lambda));
    progress.say("trial          C      gamma    error  seconds     best    spent");
    let (mut spent, mut thinking) = (0.0, 0.0);
    let mut marks: Vec<Mark> = Vec::new();
    let mut verdict = None;
    while marks.len() < args.max_trials {
        let clock = Instant::now();
        let ask = study.ask()?;
        thinking += clock.elapsed().as_secs_f64();

        let (c, gamma) = (ask.get("C")?, ask.get("gamma")?);
        let clock = Instant::now();
        let error = error_of(c, gamma)?;
        let seconds = clock.elapsed().as_secs_f64();
        spent += seconds;
        study.tell(ask.id(), Outcome::new(error).cost(seconds))?;

        let clock = Instant::now();
        let now = study.verdict()?;
        thinking += clock.elapsed().as_secs_f64();
        let best = marks.last().map_or(error, |mark| mark.best.min(error));
        progress.step(format_args!("{:>5} {c:>10.4} {gamma:>10.5} {error:>8.4} {seconds:>8.2} {best:>8.4} {spent:>8.2}", marks.len() + 1));
        let reason = now.reason();
        marks.push(Mark { spent, error, best, rule: reason.statistic.is_finite().then_some((reason.statistic, reason.threshold)) });
        let stopped = now.is_stop();
        verdict = Some(now);
        if stopped {
            break;
        }
    }
    drop(progress);
    todo!()
}
