//! Tunes a whole pipeline with its measured training time as the cost, until another trial is not
//! worth its price. The space is mixed and conditional, and trials may fail.
//!
//! ```text
//! cargo run --profile quick -p tune_pipeline
//! ```
//!
//! The pipeline tells the few very good red wines from others. It chooses among eleven measurements,
//! at least two of them, scales them, and trains a support vector machine. `gamma` exists for a
//! Gaussian kernel only, `degree` and `constant` for a polynomial one only. The error is balanced:
//! the mean of the shares of good and of other wines in the wrong class.
//!
//! **Failures.** The solver may fight for the last wines for minutes. A trial that takes longer than
//! `--patience` is ended. The study is told that it failed, and what it cost.
//!
//! **The start.** The textbook's pipeline is trained first and imported into the study. The end says
//! what tuning was worth beside it, also where wines are divided in another way, which no trial saw.
//!
//! **The price.** `--lambda` is how much less error a second of computing must buy.
//!
//! A seed fixes the suggestions for given measurements. Seconds differ from run to run, so runs
//! with one seed differ too.

mod machine;
mod picture;
mod pipeline;
mod random;
mod report;
mod trial;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser;
use frontend::run::{ended, expected_cost};
use frontend::{Console, Result};
use gittins::{Cost, Policy, Study};
use serde_json::json;

use crate::pipeline::Pipeline;
use crate::report::{Entry, Log, OTHER_PARTS};
use crate::trial::Trial;

/// Tunes a pipeline with choices and conditions on real data; the cost is the measured training
/// time, and trials that take too long fail.
#[derive(Parser)]
struct Args {
    /// How much less balanced error a second of training must buy (one very good wine more in the
    /// right class is 0.0023, another wine 0.00036).
    #[arg(long, default_value_t = 2e-4, allow_negative_numbers = true)]
    lambda: f64,
    /// The seconds after which a trial is ended, and fails.
    #[arg(long, default_value = "5", value_parser = trial::seconds)]
    patience: Duration,
    /// The most trials, the textbook's pipeline included.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u64).range(2..))]
    max_trials: u64,
    /// How many random searches are run with the same money for comparison. Each takes as long as
    /// the trials of the study.
    #[arg(long, default_value_t = 0)]
    random: u64,
    /// Where the picture goes.
    #[arg(long, default_value = "tune_pipeline.svg")]
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

fn main() -> Result<()> {
    let args = Args::parse();
    if let Some(pipeline) = &args.train {
        return Trial::answer(pipeline);
    }
    let mut study = Study::minimize(Pipeline::space())
        .cost(Cost::learned())
        .policy(Policy::gittins(args.lambda))
        .cost_unit("s")
        .seed(args.seed)
        .build()?;
    let progress =
        args.console.progress(report::title(args.lambda, args.patience), args.max_trials);

    let plain = Pipeline::plain();
    let trial = Trial::run(&plain, args.patience)?;
    if let Err(why) = &trial.came {
        let message = format!("the textbook's pipeline: {why}; --patience is {:?}", args.patience);
        return Err(std::io::Error::other(message).into());
    }
    study.import(&plain.values(), trial.outcome())?;
    let mut log = Log::default();
    progress.step(log.add(Entry { pipeline: plain, trial, expected: None, promise: None }));

    let mut thinking = 0.0;
    let verdict = loop {
        let clock = Instant::now();
        let ask = study.ask()?;
        thinking += clock.elapsed().as_secs_f64();

        let pipeline = Pipeline::asked(&ask)?;
        let trial = Trial::run(&pipeline, args.patience)?;
        study.tell(ask.id(), trial.outcome())?;

        let clock = Instant::now();
        let verdict = study.verdict()?;
        thinking += clock.elapsed().as_secs_f64();

        let statistic = verdict.reason().statistic;
        let promise = statistic.is_finite().then_some(statistic);
        let expected = expected_cost(ask.why());
        progress.step(log.add(Entry { pipeline, trial, expected, promise }));
        if verdict.is_stop() || log.entries.len() as u64 == args.max_trials {
            break verdict;
        }
    };
    let spent = study.total_cost();
    let random = (1..=args.random)
        .map(|run| random::search(args.seed.wrapping_add(run), spent, args.patience))
        .collect::<Result<Vec<_>>>()?;
    picture::draw(&args.picture, &log, &random, args.lambda)?;

    let ended = ended(&verdict, args.max_trials);
    let best = study.recommendation()?.ok_or_else(|| std::io::Error::other("no trial was made"))?;
    let others = [best.trial.index(), 0].map(|index| {
        machine::judge(&log.entries[index].pipeline, OTHER_PARTS).map(|(came, _)| came)
    });
    let text = format!(
        "\n{ended}\n\n{}{}\n\
         spent        {spent:.1} s on {} trials, {:.1} s of it on {} that failed; choosing them and \
         judging when to stop took {thinking:.1} s\n\
         picture      {}",
        log.comparison(&best, &others),
        random::summary(&random),
        log.entries.len(),
        log.failed().map(|entry| entry.trial.seconds).sum::<f64>(),
        log.failed().count(),
        args.picture.display()
    );
    let json = json!({
        "best": log.entries[best.trial.index()].json(), "expected": best.mean, "sd": best.sd,
        "plain": log.entries[0].json(), "on_other_folds": others.map(|came| came.map(|mistakes| mistakes.balanced()).ok()),
        "stopped": verdict.is_stop(), "verdict": ended, "lambda": args.lambda,
        "spent_seconds": spent, "thinking_seconds": thinking, "random": random::json(&random),
        "trials": log.entries.iter().map(Entry::json).collect::<Vec<_>>(), "picture": args.picture,
    });
    args.console.result(progress, &json, text);
    Ok(())
}
