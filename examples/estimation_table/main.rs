//! Optimization as estimation: Table 1 (one dimension) of Wang, Zhou, Jegelka 2016 with this library's posterior and scores.
//!
//! ```text
//! cargo run --release --example estimation_table
//! ```
//!
//! Functions are drawn from the model itself: Matern-3/2 with lengthscale 0.1 and deviation 1 around the mean 0.1 x + 1, on 401 equally
//! spaced candidates on [-2, 2], which are also the set `W` over which the maximum is estimated. Observations have no noise, but the
//! model believes in a deviation of 0.1. T is the round at which a run reaches its lowest regret, r that regret; all rules see the same
//! first candidate. The paper states neither grid nor box, so T, which grows with the number of candidates, is not comparable to the digit.
//!
//! **Which deviation.** By default EI, PI, UCB and the estimates are fed the deviation of an *observation*, `sqrt(sigma^2 + 0.01)`, which is
//! what the authors' code does, although the paper writes that of the function. It decides the table: with it the score of a candidate
//! that was evaluated never vanishes, so that EI and PI evaluate their best candidate again and again and end with a large regret, as in the
//! paper. With `--latent` a candidate that was evaluated twice is known, they move on, and all rules but chance end with hardly any regret.

mod bandit;
#[path = "../support/ink.rs"]
mod ink;
mod picture;
mod summary;
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;

use bandit::{Bandit, Rule, Run};
use clap::Parser;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde_json::json;
use summary::{Summary, table};
use support::{Console, Result};

/// Compares estimates of the maximum with UCB, EI, PI and chance on functions drawn from the model.
#[derive(Parser)]
struct Args {
    /// How many functions.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..))]
    functions: u64,
    /// How many candidates a rule may evaluate on each.
    #[arg(long, default_value_t = 150, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// How many candidates there are.
    #[arg(long, default_value_t = 401, value_parser = clap::value_parser!(u64).range(2..=2001))]
    candidates: u64,
    /// Feed the rules the deviation of the function instead of an observation's.
    #[arg(long)]
    latent: bool,
    /// Where the picture goes.
    #[arg(long, default_value = "estimation_table.svg")]
    picture: PathBuf,
    #[command(flatten)]
    console: Console,
}

/// Functions that are played at a time.
const BATCH: u64 = 20;

fn main() -> Result<()> {
    let args = Args::parse();
    let (candidates, rounds) = (args.candidates as usize, args.rounds as usize);
    let deviation = if args.latent { "the function" } else { "an observation" };
    let title = format!("{} functions, {candidates} candidates, {rounds} rounds, the deviation of {deviation}", args.functions);
    let progress = args.console.progress(title, args.functions.div_ceil(BATCH));
    let bandit = Bandit::new(candidates, rounds, args.latent)?;
    // By rule, a run for each function.
    let mut runs: Vec<Vec<Run>> = Rule::ALL.iter().map(|_| Vec::new()).collect();
    let mut first = 0;
    while first < args.functions {
        let last = (first + BATCH).min(args.functions);
        // The stream of a function is its own: the numbers do not depend on the threads.
        let seed = |function: u64| args.console.seed.wrapping_mul(1_000_003).wrapping_add(function);
        let played: Vec<gittins::Result<Vec<Run>>> = (first..last).into_par_iter().map(|function| bandit.play(seed(function))).collect();
        for played in played {
            played?.into_iter().zip(&mut runs).for_each(|(run, runs)| runs.push(run));
        }
        let regret = |runs: &[Run]| runs.iter().filter_map(|run| run.regret.last()).sum::<f64>() / runs.len() as f64;
        let so_far: Vec<String> = Rule::NAMES.iter().zip(&runs).map(|(name, runs)| format!("{name} {:.3}", regret(runs))).collect();
        progress.step(format_args!("{last:>4} functions, mean regret at the end: {}", so_far.join("  ")));
        first = last;
    }

    let summaries: Vec<Summary> = Rule::NAMES.iter().zip(&runs).map(|(name, runs)| Summary::new(name, runs)).collect();
    let curves: Vec<(&str, &[f64])> = summaries.iter().map(|summary| (summary.rule, summary.mean_regret.as_slice())).collect();
    picture::draw(&args.picture, &curves)?;
    let json = json!({
        "functions": args.functions, "candidates": candidates, "rounds": rounds, "latent": args.latent, "seed": args.console.seed,
        "rules": summaries,
    });
    let text = format!("\n{}\n\nMean regret by round: {}", table(&summaries, args.latent), args.picture.display());
    args.console.result(progress, &json, text);
    Ok(())
}
