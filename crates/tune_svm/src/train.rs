//! Trains one support vector machine, and prints its size and its error: a model that the command
//! `gittins` can tune without knowing what it is.
//!
//! ```text
//! train_svm --c 2.8 --gamma 0.025             # support_vectors: 743.4, then 0.2577
//! train_svm --c 2.8 --gamma 0.025 --fold 3    # {"fold": 3, "error": 0.25}
//! ```

mod machine;

use clap::Parser;
use frontend::{Failure, Result};
use wine::Folds;

/// A wine is good if the tasters' median grade is above this, as in `tune_svm`.
const GRADE: usize = 5;

/// Into how many parts the wines are divided.
const PARTS: usize = 5;

/// Trains one machine that tells good red wines from others, and prints the share of wines that it
/// puts into the wrong class without having seen them. A line before says how many support vectors it
/// has: each of them is looked at for each wine to be judged.
#[derive(Parser)]
struct Args {
    /// The penalty of an error.
    #[arg(long, value_parser = positive)]
    c: f64,
    /// The kernel is exp(-gamma |x - x'|^2).
    #[arg(long, value_parser = positive)]
    gamma: f64,
    /// Trains and judges in this fold alone, of five.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=PARTS as u64))]
    fold: Option<u64>,
}

fn positive(text: &str) -> std::result::Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    match number > 0.0 && number.is_finite() {
        true => Ok(number),
        false => Err("expected a positive number".to_owned()),
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut wines = wine::better_than(GRADE);
    wine::standardize(&mut wines);
    let folds = Folds::new(&wines, PARTS);
    let part = args.fold.map(|fold| fold as usize - 1);
    let (error, vectors) =
        machine::judged(&folds, part, args.c, args.gamma).map_err(Failure::from)?;
    match args.fold {
        Some(fold) => println!("{{\"fold\": {fold}, \"error\": {error}}}"),
        None => println!("support_vectors: {vectors}\n{error}"),
    }
    Ok(())
}
