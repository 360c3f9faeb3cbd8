//! Several trials at once: three workers, results in any order, and a reactor that sometimes fails.
//!
//! A trial under way counts as observed at its predicted outcome. So the three asks differ.

use clap::Parser;
use frontend::{Console, Result};
use gittins::{Acquisition, Outcome, Space, Study, Trial, Verdict};
use serde_json::json;

/// Finds the best yield of a reactor with three workers.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    console: Console,
    /// One seed fixes every suggestion.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// The yield in percent; none if the mixture boils over.
fn reactor(temperature: f64, feed: f64) -> Option<f64> {
    let boils_over = temperature > 380.0 && feed > 2.0;
    let off = ((temperature - 355.0) / 30.0).powi(2) + ((feed - 1.6) / 0.6).powi(2);
    (!boils_over).then(|| 40.0 + 50.0 * (-off).exp() + 4.0 * (temperature / 9.0).sin())
}

fn main() -> Result<()> {
    let Args { console, seed } = Args::parse();
    let space = Space::new().float("temperature", 300.0, 400.0).log_float("feed", 0.3, 5.0);
    // A trial costs 1 by default. So this price means: a trial must promise a twentieth of a
    // percent of yield.
    let mut study = Study::maximize(space).policy(Acquisition::gittins(0.05)).seed(seed).build()?;
    let progress = console.progress("three workers at a reactor", 20);
    let mut verdict = "broken off after 20 rounds".to_string();
    for round in 1..=20 {
        let asks = [study.ask()?, study.ask()?, study.ask()?];
        for ask in asks.iter().rev() {
            let outcome = reactor(ask.get("temperature")?, ask.get("feed")?)
                .map_or(Outcome::failed(), Outcome::new);
            study.tell(ask.id(), outcome)?;
        }
        let best = study.best().and_then(|trial| trial.outcome).unwrap_or(f64::NAN);
        progress.step(format_args!("round {round:>2}: best {best:.3} %; {}", asks[0].why()));
        if let Verdict::Stop(reason) = study.verdict()? {
            verdict = reason.to_string();
            break;
        }
    }
    let failed = study.history().iter().filter(|trial| trial.outcome.is_none()).count();
    let of_trial = |trial: &Trial| json!({ "temperature": trial.values[0], "feed": trial.values[1], "yield": trial.outcome });
    let best = json!(study.best().map(of_trial));
    let json = json!({ "trials": study.history().len(), "failed": failed, "best": best, "verdict": verdict });
    console.result(
        progress,
        &json,
        format_args!(
            "{} trials, {failed} of them failed; best {best}\n{verdict}",
            study.history().len()
        ),
    );
    Ok(())
}
