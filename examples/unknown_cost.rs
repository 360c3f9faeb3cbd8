//! Nobody knows beforehand what a run costs: the study learns it from the seconds that runs take.
//!
//! ```text
//! cargo run --release --example unknown_cost
//! ```

use std::time::Instant;

use gittins::{Cost, Outcome, Policy, Space, Study, Verdict};

/// Relaxes a chain of 400 springs and says how far it still is from rest, as a power of ten.
fn relax(factor: f64, sweeps: f64) -> f64 {
    let mut chain: Vec<f64> = (0..400).map(|i| f64::from(i * 7919 % 100) / 100.0).collect();
    (chain[0], chain[399]) = (0.0, 0.0);
    for _ in 0..sweeps as usize {
        for i in 1..399 {
            chain[i] += factor * (0.5 * (chain[i - 1] + chain[i + 1]) - chain[i]);
        }
    }
    chain.iter().fold(1e-12, |most: f64, x| most.max(x.abs())).log10()
}

fn main() -> Result<(), gittins::Error> {
    let space = Space::new().float("factor", 1.0, 1.99).log_float("sweeps", 10.0, 20_000.0);
    let mut study = Study::minimize(space)
        .cost(Cost::learned())
        // A second of computing must buy at least one power of ten.
        .policy(Policy::gittins(1.0))
        .cost_unit("s")
        .seed(7)
        .build()?;
    let reason = loop {
        let ask = study.ask()?;
        let (factor, sweeps, clock) = (ask.get("factor")?, ask.get("sweeps")?, Instant::now());
        let (outcome, seconds) = (relax(factor, sweeps), clock.elapsed().as_secs_f64());
        println!("factor {factor:.3}, {sweeps:6.0} sweeps: 1e{outcome:.2} in {seconds:.4} s");
        study.tell(ask.id(), Outcome::new(outcome).cost(seconds))?;
        if let Verdict::Stop(reason) = study.verdict()? {
            break reason;
        }
    };
    println!("{reason}\n{:.3} s for {} runs", study.total_cost(), study.history().len());
    Ok(())
}
