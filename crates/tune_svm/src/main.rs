//! Tunes a real model with its measured training time as the cost, until another trial is not worth
//! its price.
//!
//! ```text
//! cargo run --profile quick -p tune_svm
//! cargo run --profile quick -p tune_svm -- --workers 2 --compare --seeds 5
//! ```
//!
//! The model is a support vector machine with a radial kernel that tells good red wines from
//! others. The search covers five decades of its penalty `C` and four of its kernel's `gamma`. The
//! cost of a trial is its CPU time: a fifth of a second if the machine underfits, seven seconds and
//! more if the solver fights for the last wines. The study does not know the cost beforehand. It
//! learns the cost from the trials.
//!
//! **Workers.** With `--workers N`, N threads train at once and share the study behind a lock. A
//! thread that is free waits if no other trial is worth its price beside those that run. The cost is
//! the CPU time of the thread that trains, so that it does not count the waiting for a core.
//! `--compare` makes each run by one worker and by N, and says what was found, spent and waited for.
//!
//! **The price.** `--lambda` is how much less error a second of computing must buy. The default of
//! 0.0006 per second means one more wine of the 1595 in the right class per second. An error is a
//! whole number of wines, so a second that promises less than one wine is not worth its price.
//!
//! A seed fixes the suggestions for given measurements. Seconds differ from run to run, so runs
//! with one seed differ too.

mod args;
mod clock;
mod compare;
mod machine;
mod picture;
mod work;

use clap::Parser;
use frontend::Result;
use frontend::run::expected_cost;
use serde_json::{Value, json};
use wine::Folds;

use crate::args::{Args, failed};
use crate::work::{Made, Settings};

/// A wine is good if the tasters' median grade is above this. 855 of the 1599 are good.
const GRADE: usize = 5;

fn main() -> Result<()> {
    let args = Args::parse();
    let mut wines = wine::better_than(GRADE);
    wine::standardize(&mut wines);
    let folds = Folds::new(&wines, 5);
    let settings = Settings {
        lambda: args.lambda,
        workers: args.workers.into(),
        max_trials: usize::try_from(args.max_trials).unwrap_or(usize::MAX),
        seed: args.seed,
    };
    match args.compare {
        true => compare::run(&args, &folds, settings),
        false => tune(&args, &folds, settings),
    }
}

/// One run.
fn tune(args: &Args, folds: &Folds, settings: Settings) -> Result<()> {
    let title = format!(
        "{} red wines, {}-fold error; a second of training must buy {} of error\n\n\
         trial          C      gamma    error     best  seconds  expected    spent",
        folds.count(),
        folds.parts(),
        args.lambda
    );
    let progress = args.console.progress(title, args.max_trials);
    let mut number = 0;
    let mut say = |made: &Made| {
        number += 1;
        let Made { setting: [c, gamma], error, best, seconds, spent, .. } = *made;
        let guess = made.expected.map_or("-".to_string(), |cost| format!("{cost:.2}"));
        progress.step(format_args!("{number:>5} {c:>10.4} {gamma:>10.5} {error:>8.4} {best:>8.4} {seconds:>8.2} {guess:>9} {spent:>8.2}"));
    };
    let mut course = work::run(folds, settings, &mut say).map_err(failed)?;
    picture::draw(&args.picture, &course.made, args.lambda)?;

    let (study, verdict, trials) = (&mut course.study, &course.verdict, course.made.len());
    let spent = study.total_cost();
    let left = settings.max_trials - trials;
    let next_cost = expected_cost(study.ask()?.why()).unwrap_or(spent / trials as f64);
    let saved = left as f64 * next_cost;
    let ended = if verdict.is_stop() {
        verdict.reason().to_string()
    } else {
        format!("the budget of {} trials is used up", args.max_trials)
    };
    let best = study.recommendation()?.ok_or_else(|| std::io::Error::other("no trial was made"))?;
    let (c, gamma, error) = (best.numbers()[0], best.numbers()[1], best.outcome);
    let (wall, thinking) = (course.wall, course.thinking);
    let text = format!(
        "\n{ended}\n\n\
         best setting  C = {c:.4}, gamma = {gamma:.5}: {} of {} wines in the wrong class ({:.2} %); expected {:.4} +- {:.4}\n\
         spent         {spent:.2} s of CPU time on {trials} trials in {wall:.2} s; choosing them and judging when to stop took {thinking:.2} s\n\
         saved         {saved:.2} s: the {left} trials left of a budget of {} at {next_cost:.2} s each, the cost learned for the next one\n\
         picture       {}",
        (error * folds.count() as f64).round(),
        folds.count(),
        100.0 * error,
        best.mean,
        best.sd,
        args.max_trials,
        args.picture.display()
    );
    let made: Vec<Value> = course.made.iter().map(object).collect();
    let json = json!({
        "best": { "C": c, "gamma": gamma, "error": error, "expected": best.mean, "sd": best.sd }, "stopped": verdict.is_stop(), "verdict": ended, "lambda": args.lambda,
        "workers": settings.workers, "spent_seconds": spent, "wall_seconds": wall, "thinking_seconds": thinking, "saved_seconds": saved, "saved_trials": left, "next_trial_seconds": next_cost,
        "trials": made, "picture": args.picture,
    });
    args.console.result(progress, &json, text);
    Ok(())
}

/// A trial for a program.
fn object(made: &Made) -> Value {
    let [c, gamma] = made.setting;
    json!({ "C": c, "gamma": gamma, "error": made.error, "seconds": made.seconds, "expected_seconds": made.expected, "ended": made.ended })
}
