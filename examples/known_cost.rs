//! A cost that is known beforehand: an assay at a higher concentration uses more of an expensive reagent.
//!
//! The same search is made twice, once with the true cost and once as if every assay cost the same; both are charged the true cost.

#[path = "support/console.rs"]
mod console;
#[path = "support/failure.rs"]
mod failure;

use clap::Parser;
use failure::Result;
use gittins::{Acquisition, Cost, Outcome, Space, Study, Verdict};
use serde_json::json;

/// Tunes an assay with and without knowing what it costs.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    console: console::Console,
}

/// Euros for an assay at a concentration in mM and a time in hours.
fn price(values: &[f64]) -> f64 {
    2.0 + 9.0 * values[0] + 0.5 * values[1]
}

/// The signal: two optima, the higher one at a middling concentration.
fn signal(concentration: f64, hours: f64) -> f64 {
    let peak = |c: f64, h: f64, wide: f64| (-((concentration - c) / wide).powi(2) - ((hours - h) / 4.0).powi(2)).exp();
    peak(1.2, 9.0, 0.8) + 0.9 * peak(4.1, 5.0, 1.0)
}

fn search(cost: Cost, seed: u64) -> Result<(f64, f64, usize)> {
    let space = Space::new().float("concentration", 0.1, 5.0).float("hours", 1.0, 20.0);
    let mut study = Study::maximize(space).cost(cost).acquisition(Acquisition::gittins(1e-4)).cost_unit("EUR").seed(seed).build()?;
    while let Verdict::Continue(_) = study.verdict()? {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(signal(ask.get("concentration")?, ask.get("hours")?)))?;
    }
    let spent = study.history().iter().map(|trial| price(&trial.values)).sum();
    Ok((study.best().and_then(|trial| trial.outcome).unwrap_or(f64::NAN), spent, study.history().len()))
}

fn main() -> Result<()> {
    let console = Args::parse().console;
    let progress = console.progress(2);
    let mut searches = serde_json::Map::new();
    // The middle of the range prices the average assay, so that the two pay about the same where nothing is known.
    for (name, cost) in [("known", Cost::known(price)), ("uniform", Cost::uniform(price(&[2.5, 10.0])))] {
        let (best, spent, trials) = search(cost, console.seed)?;
        progress.step(format_args!("{name:>7} cost: best signal {best:.4} for {spent:.0} EUR in {trials} assays"));
        searches.insert(name.to_string(), json!({ "best": best, "spent": spent, "trials": trials }));
    }
    drop(progress);
    console.result(&searches.into(), "each stopped where no assay promised more than it costs");
    Ok(())
}
