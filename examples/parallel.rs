//! Four workers at one study: each asks, works and tells, and results come in any order.
//!
//! ```text
//! cargo run --release --example parallel
//! ```

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use gittins::{Outcome, Policy, Space, Study};

/// Stands for minutes of work.
fn work(x: f64, y: f64) -> f64 {
    thread::sleep(Duration::from_millis(5 + (20.0 * x) as u64));
    (x - 0.3).powi(2) + (y - 0.6).powi(2) - 0.1 * (9.0 * x).cos()
}

/// Runs trials until the study says that another one is not worth its price.
fn worker(study: &Mutex<Study>) -> Result<(), gittins::Error> {
    let lock = || study.lock().unwrap_or_else(PoisonError::into_inner);
    // The question is whether another trial is worth its price beside those of the other workers.
    while !lock().verdict_on_another()?.is_stop() {
        // Held while a point is chosen, not while it is evaluated. Trials under way count.
        let ask = lock().ask()?;
        let outcome = work(ask.get("x")?, ask.get("y")?);
        lock().tell(ask.id(), Outcome::new(outcome))?;
        println!("trial {:?} on {:?}: {outcome:.4}", ask.id(), thread::current().id());
    }
    Ok(())
}

fn main() -> Result<(), gittins::Error> {
    let space = Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0);
    let study = Study::minimize(space).policy(Policy::gittins(1e-3)).seed(7).build()?;
    let study = Mutex::new(study);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| worker(&study))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker that returns"))
    })?;
    let study = study.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("best of {}: {:?}", study.history().len(), study.best().map(gittins::Trial::numbers));
    Ok(())
}
