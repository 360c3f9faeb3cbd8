//! What the program is asked for.

use std::path::PathBuf;

use clap::Parser;
use frontend::{Console, Failure};

/// Tunes a support vector machine on real data; the cost is the measured training time.
#[derive(Parser)]
pub struct Args {
    /// How much less error a second of training must buy (an error of 0.01 is one wine in a
    /// hundred).
    #[arg(long, default_value_t = 6e-4, allow_negative_numbers = true)]
    pub lambda: f64,
    /// The fixed budget of trials that stopping early is compared with.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_trials: u64,
    /// How many threads train at once. More than the machine has cores gain nothing.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub workers: u16,
    /// Makes each run by one worker and by that many, and compares.
    #[arg(long)]
    pub compare: bool,
    /// How many runs are compared, from the seed on.
    #[arg(long, default_value_t = 3, requires = "compare", value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: u64,
    /// Where the picture goes.
    #[arg(long, default_value = "tune_svm.svg")]
    pub picture: PathBuf,
    #[command(flatten)]
    pub console: Console,
    /// One seed fixes every suggestion.
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
}

/// An error of a run as the programs have it.
pub fn failed(error: Box<dyn std::error::Error + Send + Sync>) -> Failure {
    Failure::from(std::io::Error::other(error))
}
