//! Tunes a real model with its measured training time as the cost, until another trial is not worth
//! its price.
//!
//! ```text
//! cargo run --profile quick -p tune_svm
//! ```
//!
//! The model is a support vector machine with a radial kernel that tells good red wines from
//! others. The search covers five decades of its penalty `C` and four of its kernel's `gamma`. The
//! cost of a trial is its time: a fifth of a second if the machine underfits, seven seconds and
//! more if the solver fights for the last wines. The study does not know the cost beforehand. It
//! learns the cost from the trials.
//!
//! **The price.** `--lambda` is how much less error a second of computing must buy. The default of
//! 0.0006 per second means one more wine of the 1595 in the right class per second. An error is a
//! whole number of wines, so a second that promises less than one wine is not worth its price.
//!
//! A seed fixes the suggestions for given measurements. Seconds differ from run to run, so runs
//! with one seed differ too.

mod machine;
mod picture;

use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use frontend::run::expected_cost;
use frontend::{Console, Result};
use gittins::{Acquisition, Cost, Outcome, Space, Study};
use picture::Mark;
use serde_json::{Value, json};
use wine::Folds;

/// A wine is good if the tasters' median grade is above this. 855 of the 1599 are good.
const GRADE: usize = 5;

/// Tunes a support vector machine on real data; the cost is the measured training time.
#[derive(Parser)]
struct Args {
    /// How much less error a second of training must buy (an error of 0.01 is one wine in a
    /// hundred).
    #[arg(long, default_value_t = 6e-4, allow_negative_numbers = true)]
    lambda: f64,
    /// The fixed budget of trials that stopping early is compared with.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    max_trials: u64,
    /// Where the picture goes.
    #[arg(long, default_value = "tune_svm.svg")]
    picture: PathBuf,
    #[command(flatten)]
    console: Console,
    /// One seed fixes every suggestion.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut wines = wine::better_than(GRADE);
    wine::standardize(&mut wines);
    let folds = Folds::new(&wines, 5);
    let space = Space::new().log_float("C", 1e-2, 1e3).log_float("gamma", 1e-3, 10.0);
    let mut study = Study::minimize(space)
        .cost(Cost::learned())
        .policy(Acquisition::gittins(args.lambda))
        .cost_unit("s")
        .seed(args.seed)
        .build()?;

    let title = format!(
        "{} red wines, {}-fold error; a second of training must buy {} of error\n\n\
         trial          C      gamma    error     best  seconds  expected    spent",
        folds.count(),
        folds.parts(),
        args.lambda
    );
    let progress = args.console.progress(title, args.max_trials);
    let (mut marks, mut trials): (Vec<Mark>, Vec<Value>) = (Vec::new(), Vec::new());
    let mut thinking = 0.0;
    let verdict = loop {
        let clock = Instant::now();
        let ask = study.ask()?;
        thinking += clock.elapsed().as_secs_f64();
        let expected = expected_cost(ask.why());

        let (c, gamma) = (ask.get("C")?, ask.get("gamma")?);
        let clock = Instant::now();
        let error = machine::error(&folds, c, gamma)?;
        let seconds = clock.elapsed().as_secs_f64();
        study.tell(ask.id(), Outcome::new(error).cost(seconds))?;

        let clock = Instant::now();
        let verdict = study.verdict()?;
        thinking += clock.elapsed().as_secs_f64();

        let (spent, best) =
            (study.total_cost(), marks.last().map_or(error, |mark| mark.best.min(error)));
        let guess = expected.map_or("-".to_string(), |cost| format!("{cost:.2}"));
        let number = marks.len() + 1;
        progress.step(format_args!("{number:>5} {c:>10.4} {gamma:>10.5} {error:>8.4} {best:>8.4} {seconds:>8.2} {guess:>9} {spent:>8.2}"));
        let reason = verdict.reason();
        marks.push(Mark {
            spent,
            error,
            best,
            promise: reason.statistic.is_finite().then_some(reason.statistic),
        });
        trials.push(json!({ "C": c, "gamma": gamma, "error": error, "seconds": seconds, "expected_seconds": expected }));
        if verdict.is_stop() || trials.len() as u64 == args.max_trials {
            break verdict;
        }
    };
    picture::draw(&args.picture, &marks, args.lambda)?;

    let spent = study.total_cost();
    let left = args.max_trials - trials.len() as u64;
    let next_cost = expected_cost(study.ask()?.why()).unwrap_or(spent / trials.len() as f64);
    let saved = left as f64 * next_cost;
    let ended = if verdict.is_stop() {
        verdict.reason().to_string()
    } else {
        format!("the budget of {} trials is used up", args.max_trials)
    };
    let best = study.recommendation()?.ok_or_else(|| std::io::Error::other("no trial was made"))?;
    let (c, gamma, error) = (best.numbers()[0], best.numbers()[1], best.outcome);
    let text = format!(
        "\n{ended}\n\n\
         best setting  C = {c:.4}, gamma = {gamma:.5}: {} of {} wines in the wrong class ({:.2} %); expected {:.4} +- {:.4}\n\
         spent         {spent:.2} s on {} trials; choosing them and judging when to stop took {thinking:.2} s\n\
         saved         {saved:.2} s: the {left} trials left of a budget of {} at {next_cost:.2} s each, the cost learned for the next one\n\
         picture       {}",
        (error * folds.count() as f64).round(),
        folds.count(),
        100.0 * error,
        best.mean,
        best.sd,
        trials.len(),
        args.max_trials,
        args.picture.display()
    );
    let json = json!({
        "best": { "C": c, "gamma": gamma, "error": error, "expected": best.mean, "sd": best.sd }, "stopped": verdict.is_stop(), "verdict": ended, "lambda": args.lambda,
        "spent_seconds": spent, "thinking_seconds": thinking, "saved_seconds": saved, "saved_trials": left, "next_trial_seconds": next_cost,
        "trials": trials, "picture": args.picture,
    });
    args.console.result(progress, &json, text);
    Ok(())
}
