//! Replays a search over a table of measured settings: how close does it come to the best, and for
//! what part of the money?
//!
//! ```text
//! cargo run --release -p programs --bin tune_table -- FILE.csv --inputs a,b,c --log a,c --minimize loss --cost seconds --lambda 1e-4 --seeds 20
//! ```
//!
//! Each trial measures one row: the program looks up its outcome and its cost. It treats rows that
//! it has not paid for as unknown. It starts with a few rows spread over the table and stops by
//! itself when no unmeasured row promises more than it costs.
//!
//! **How to choose lambda.** It is a price: the improvement, in units of the outcome, that one more
//! unit of cost must bring. Ask for which improvement you would no longer pay a typical
//! measurement, and divide it by the cost of that measurement. Example: a topic model takes 20 000
//! seconds, and you would not train one to gain less than 2 points of perplexity. Then lambda is 2
//! / 20 000 = 1e-4. Example: a classifier takes 10 seconds, and you would not train one to gain
//! less than 0.1 % of error rate. Then lambda is 0.001 / 10 = 1e-4 as well. A smaller lambda
//! searches longer. Inputs that were varied by factors belong on a log scale.

mod measured;

use std::io;
use std::path::PathBuf;

use clap::Parser;
use frontend::{Console, Result};
use gittins::{Acquisition, Cost, Outcome, Study, Verdict};
use measured::Measured;
use serde::Serialize;
use serde_json::json;

/// Searches a table of measured settings, and tells the regret and the money spent.
#[derive(Parser)]
struct Args {
    /// A CSV file with a header.
    file: PathBuf,
    /// The columns that were set.
    #[arg(long, value_delimiter = ',', required = true)]
    inputs: Vec<String>,
    /// Those among the inputs to be seen on a log scale.
    #[arg(long, value_delimiter = ',')]
    log: Vec<String>,
    /// The column to make small.
    #[arg(long, required_unless_present = "maximize", conflicts_with = "maximize")]
    minimize: Option<String>,
    /// The column to make large.
    #[arg(long)]
    maximize: Option<String>,
    /// The column with the cost of each measurement.
    #[arg(long)]
    cost: String,
    /// The price of one unit of cost in units of the outcome.
    #[arg(long, allow_negative_numbers = true)]
    lambda: f64,
    /// How many searches, with seeds counted up from --seed.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// A search that has not stopped by itself is broken off after so many trials.
    #[arg(long, default_value_t = 250)]
    max_trials: usize,
    #[command(flatten)]
    console: Console,
    /// One seed fixes every suggestion.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// One search.
#[derive(Serialize)]
struct Run {
    seed: u64,
    trials: usize,
    best: f64,
    /// The difference between the best outcome found and the table's best.
    regret: f64,
    /// The same in percent of the range of outcomes in the table.
    regret_percent: f64,
    /// The cost of all trials, those of the initial design included.
    spent: f64,
    /// The same in percent of the cost of measuring every row.
    spent_percent: f64,
    /// Whether it stopped by itself.
    stopped: bool,
    verdict: String,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let outcome = args
        .minimize
        .as_ref()
        .or(args.maximize.as_ref())
        .ok_or_else(|| io::Error::other("neither --minimize nor --maximize"))?;
    let measured = Measured::read(&args.file, &args.inputs, &args.log, outcome, &args.cost)?;

    let progress = args.console.progress(
        format_args!("{} settings, lambda {:e}", measured.table.len(), args.lambda),
        args.seeds,
    );
    let mut runs = Vec::new();
    for seed in (args.seed..).take(args.seeds as usize) {
        let run = search(&args, &measured, seed)?;
        progress.step(format_args!(
            "seed {:>3}: best {:.6}, regret {:.4} ({:.2} % of the range), spent {:.0} ({:.2} % of all) in {} trials; {}",
            run.seed, run.best, run.regret, run.regret_percent, run.spent, run.spent_percent, run.trials, run.verdict
        ));
        runs.push(run);
    }

    let median = |of: &dyn Fn(&Run) -> f64| median(runs.iter().map(of).collect());
    let (regret, regret_percent) = (median(&|run| run.regret), median(&|run| run.regret_percent));
    let (spent, spent_percent) = (median(&|run| run.spent), median(&|run| run.spent_percent));
    let trials = median(&|run| run.trials as f64);
    let stopped = runs.iter().filter(|run| run.stopped).count();
    let rows = measured.table.len();
    let summary = format!(
        "{rows} settings ({} repeated ones left out), lambda {:e}, {stopped} of {} searches stopped by themselves\n\
         median: regret {regret:.4} ({regret_percent:.2} % of the range), spent {spent:.0} ({spent_percent:.2} % of measuring all), {trials} trials",
        measured.repeated,
        args.lambda,
        runs.len()
    );
    let json = json!({
        "rows": rows, "repeated": measured.repeated, "lambda": args.lambda, "stopped": stopped,
        "median": { "regret": regret, "regret_percent": regret_percent, "spent": spent, "spent_percent": spent_percent, "trials": trials },
        "runs": runs,
    });
    args.console.result(progress, &json, summary);
    Ok(())
}

/// One search, from nothing to its verdict.
fn search(args: &Args, measured: &Measured, seed: u64) -> Result<Run> {
    let table = measured.table.clone();
    let builder =
        if args.minimize.is_some() { Study::minimize(table) } else { Study::maximize(table) };
    let mut study = builder
        .cost(Cost::learned())
        .policy(Acquisition::gittins(args.lambda))
        .seed(seed)
        .build()?;
    let mut verdict = format!("broken off after {} trials", args.max_trials);
    let (mut stopped, mut trials, mut spent) = (false, 0, 0.0);
    while trials < args.max_trials.min(measured.table.len()) {
        if let Verdict::Stop(reason) = study.verdict()? {
            (stopped, verdict) = (true, reason.to_string());
            break;
        }
        let ask = study.ask()?;
        let row =
            ask.row().ok_or_else(|| io::Error::other("a search over a table asks for rows"))?;
        study.tell(ask.id(), Outcome::new(measured.outcomes[row]).cost(measured.costs[row]))?;
        spent += measured.costs[row];
        trials += 1;
    }

    let sign = if args.minimize.is_some() { 1.0 } else { -1.0 };
    let losses = || measured.outcomes.iter().map(|outcome| sign * outcome);
    let (low, high) = losses().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), loss| {
        (low.min(loss), high.max(loss))
    });
    let best = study
        .best()
        .and_then(|trial| trial.outcome)
        .ok_or_else(|| io::Error::other("no trial was made"))?;
    let regret = sign * best - low;
    let percent = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
    let (regret_percent, spent_percent) =
        (percent(regret, high - low), percent(spent, measured.costs.iter().sum()));
    Ok(Run { seed, trials, best, regret, regret_percent, spent, spent_percent, stopped, verdict })
}

/// The middle value, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
