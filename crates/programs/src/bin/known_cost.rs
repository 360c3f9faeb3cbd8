//! A cost that is known beforehand: samples enriched to a higher concentration cost exponentially
//! more. Each search is made twice: with the true cost, and as if every assay cost the same. Both
//! are charged the true cost.

use clap::Parser;
use frontend::{Console, Result};
use gittins::{Acquisition, Cost, Outcome, Space, Study, Verdict};
use serde_json::json;

/// Tunes an assay, knowing what it costs and not knowing it.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    console: Console,
    /// One seed fixes every suggestion.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

const LAMBDA: f64 = 1e-4; // how much signal an assay must promise for each euro

/// Euros for an assay at a concentration in mM and a time in hours.
fn price(values: &[f64]) -> f64 {
    2.0 * values[0].exp()
}

/// Two optima; the expensive one is slightly lower.
fn signal(concentration: f64, hours: f64) -> f64 {
    let peak = |c: f64, h: f64, wide: f64| {
        (-((concentration - c) / wide).powi(2) - ((hours - h) / 4.0).powi(2)).exp()
    };
    peak(1.2, 9.0, 0.8) + 0.9 * peak(4.1, 5.0, 1.0)
}

/// The best signal, and what all assays cost together.
fn search(cost: Cost, seed: u64) -> Result<(f64, f64)> {
    let space = Space::new().float("concentration", 0.1, 5.0).float("hours", 1.0, 20.0);
    let mut study = Study::maximize(space)
        .cost(cost)
        .policy(Acquisition::gittins(LAMBDA))
        .cost_unit("EUR")
        .seed(seed)
        .build()?;
    while let Verdict::Continue(_) = study.verdict()? {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(signal(ask.get("concentration")?, ask.get("hours")?)))?;
    }
    let spent = study.history().iter().map(|trial| price(&trial.numbers())).sum();
    Ok((study.best().and_then(|trial| trial.outcome).unwrap_or(f64::NAN), spent))
}

fn main() -> Result<()> {
    let Args { console, seed } = Args::parse();
    let progress = console.progress(
        "best signal and money spent, the cost being known | taken as the same everywhere",
        10,
    );
    let mut mean = [[0.0; 2]; 2];
    for seed in (seed..).take(10) {
        let (known, uniform) =
            (search(Cost::known(price), seed)?, search(Cost::uniform(price(&[2.5, 10.0])), seed)?);
        progress.step(format_args!(
            "seed {seed:>3}: {:.4} for {:>4.0} EUR | {:.4} for {:>4.0} EUR",
            known.0, known.1, uniform.0, uniform.1
        ));
        for (sum, (best, spent)) in mean.iter_mut().zip([known, uniform]) {
            *sum = [sum[0] + best / 10.0, sum[1] + spent / 10.0];
        }
    }
    let [known, uniform] = mean
        .map(|[best, spent]| json!({ "best": best, "spent": spent, "net": best - LAMBDA * spent }));
    let text = format!(
        "means; net is the signal less {LAMBDA} per euro spent\nknown    {known}\nuniform  {uniform}"
    );
    console.result(progress, &json!({ "known": known, "uniform": uniform }), text);
    Ok(())
}
