//! Tunes a real model for two objectives: how often it errs, and how large it is, which is what a
//! prediction costs. It ends once no trial adds enough to the front for the seconds that it takes.
//!
//! ```text
//! cargo run --profile quick -p tune_svm --bin front_svm
//! ```
//!
//! The model is that of `tune_svm`: a support vector machine that tells good red wines from others. Each
//! of its support vectors is looked at for each wine to be judged. A machine whose training takes longer
//! than `--patience` is of no use, which is a limit on a measured number.
//!
//! **The price.** `--lambda` is what a second of training must add to the front: the area between it and
//! the references, in errors times support vectors. An error of a hundredth less for machines of a
//! hundred support vectors more is one.

mod clock;
mod machine;

use std::path::PathBuf;

use clap::Parser;
use frontend::front::{self, Sides};
use frontend::run::ended;
use frontend::{Console, Failure, Result};
use gittins::study::{Limit, Objective};
use gittins::{Cost, Outcome, Policy, Space, Study, Trial};
use serde_json::{Value, json};
use wine::Folds;

use crate::clock::cpu_time;

/// A wine is good if the tasters' median grade is above this, as in `tune_svm`.
const GRADE: usize = 5;

/// An error and a number of support vectors that are worth nothing: hardly better than a guess, and all
/// wines that a machine is trained with.
const WORST: (f64, f64) = (0.4, 1276.0);

/// The names of the measured numbers.
const VECTORS: &str = "support_vectors";
const SECONDS: &str = "training_seconds";

/// Tunes a support vector machine for a small error and few support vectors, as long as a second of
/// training adds enough to the front of both.
#[derive(Parser)]
struct Args {
    /// What a second of training must add to the front, in errors times support vectors.
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    lambda: f64,
    /// The seconds that the training of a machine of use may take.
    #[arg(long, default_value_t = 2.0)]
    patience: f64,
    /// The most trials.
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u64).range(1..))]
    max_trials: u64,
    /// Where the picture goes.
    #[arg(long, default_value = "front_svm.svg")]
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
        .reference(WORST.0)
        .objective(VECTORS, Objective::minimize().reference(WORST.1))
        .limit(SECONDS, Limit::at_most(args.patience))
        .cost(Cost::learned())
        .policy(Policy::gittins(args.lambda))
        .cost_unit("s")
        .seed(args.seed)
        .build()?;
    let title = format!(
        "{} red wines, {}-fold error and support vectors; a second of training must add {} to the front\n\n\
         trial          C      gamma    error  vectors  seconds  front    spent",
        folds.count(),
        folds.parts(),
        args.lambda
    );
    let progress = args.console.progress(title, args.max_trials);
    for number in 1..=args.max_trials {
        let ask = study.ask()?;
        let (c, gamma): (f64, f64) = (ask.get("C")?, ask.get("gamma")?);
        let clock = cpu_time();
        let (error, vectors) = machine::judged(&folds, None, c, gamma).map_err(Failure::from)?;
        let seconds = (cpu_time() - clock).as_secs_f64().max(1e-3);
        let outcome = Outcome::new(error).measured(VECTORS, vectors).measured(SECONDS, seconds);
        study.tell(ask.id(), outcome.cost(seconds))?;
        let (front, spent) = (study.front()?.len(), study.total_cost());
        let mark = if seconds > args.patience { '!' } else { ' ' };
        progress.step(format_args!(
            "{number:>5} {c:>10.4} {gamma:>10.5} {error:>8.4} {vectors:>8.1} {seconds:>7.2}{mark} {front:>6} {spent:>8.2}"
        ));
        if study.verdict()?.is_stop() {
            break;
        }
    }
    let front = front::sorted(&mut study)?;
    let sides = Sides {
        title: "Error and size of each machine, and the front",
        x: "support vectors",
        y: "cross-validated error",
        breaks: &format!("training above {} s", args.patience),
    };
    front::draw(&args.picture, &study, &front, sides)?;
    let verdict = study.verdict()?;
    let ended = ended(&verdict, args.max_trials);
    let rows: Vec<String> = front.iter().map(row).collect();
    let text = format!(
        "\n{ended}\n\nthe front           C      gamma    error  vectors\n{}\n\nspent         {:.2} s of CPU time on {} trials\npicture       {}",
        rows.join("\n"),
        study.total_cost(),
        study.history().len(),
        args.picture.display()
    );
    let json = json!({
        "stopped": verdict.is_stop(), "verdict": ended, "lambda": args.lambda,
        "spent_seconds": study.total_cost(), "front": front.iter().map(object).collect::<Vec<_>>(),
        "trials": study.history().iter().map(object).collect::<Vec<_>>(), "picture": args.picture,
    });
    args.console.result(progress, &json, text);
    Ok(())
}

/// Error and support vectors of a trial.
fn point(trial: &Trial) -> (f64, f64) {
    (trial.outcome.unwrap_or(f64::NAN), trial.measured.get(VECTORS).unwrap_or(f64::NAN))
}

fn row(trial: &Trial) -> String {
    let (numbers, (error, vectors)) = (trial.numbers(), point(trial));
    format!("{:>21.4} {:>10.5} {error:>8.4} {vectors:>8.1}", numbers[0], numbers[1])
}

fn object(trial: &Trial) -> Value {
    let (numbers, (error, vectors)) = (trial.numbers(), point(trial));
    json!({
        "C": numbers[0], "gamma": numbers[1], "error": error, "support_vectors": vectors,
        "seconds": trial.cost,
    })
}
