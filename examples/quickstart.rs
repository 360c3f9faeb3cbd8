//! Finds good settings of a process whose runs have different prices, and stops when another run is
//! not worth its price.
//!
//! ```text
//! cargo run --release --example quickstart
//! ```

use gittins::{Cost, Outcome, Policy, Space, Study, Verdict};

/// The waste of a process at a temperature and a pressure. Put your own experiment here.
fn waste(temperature: f64, pressure: f64) -> f64 {
    ((temperature - 71.0) / 20.0).powi(2) + (pressure / 3.0).ln().powi(2)
}

/// The price of a run in euros: heat costs money.
fn price(values: &[f64]) -> f64 {
    1.0 + 0.05 * values[0]
}

fn main() -> Result<(), gittins::Error> {
    let space = Space::new().float("temperature", 20.0, 100.0).log_float("pressure", 0.5, 50.0);
    let mut study = Study::minimize(space)
        .cost(Cost::known(price))
        // A euro must promise at least this much less waste.
        .policy(Policy::gittins(1e-3))
        .seed(7)
        .build()?;
    let reason = loop {
        let ask = study.ask()?;
        let outcome = waste(ask.get("temperature")?, ask.get("pressure")?);
        println!(
            "{:6.1} degrees {:6.2} bar  waste {outcome:.4}",
            ask.numbers()[0],
            ask.numbers()[1]
        );
        study.tell(ask.id(), Outcome::new(outcome))?;
        if let Verdict::Stop(reason) = study.verdict()? {
            break reason;
        }
    };
    println!("{reason}");
    if let Some(best) = study.best() {
        println!("best: {:?} after {:.2} euros", best.numbers(), study.total_cost());
    }
    Ok(())
}
