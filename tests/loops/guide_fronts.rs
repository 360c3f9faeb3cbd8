//! The example of the section on several objectives in the guide, as it stands there.

use gittins::study::Objective;
use gittins::{Outcome, Policy, Space, Study};

/// Stands for a training: the loss, and the milliseconds that a prediction takes.
fn train(width: f64, depth: f64) -> (f64, f64) {
    (1.0 / width + 1.0 / depth, 0.1 * width * depth)
}

pub fn main() -> gittins::Result<()> {
    let space = Space::new().log_float("width", 1.0, 64.0).float("depth", 1.0, 12.0);
    let mut study = Study::minimize(space)
        .reference(1.0) // a loss above 1 is worth nothing,
        .objective("latency_ms", Objective::minimize().reference(40.0)) // nor is more than 40 ms
        .policy(Policy::gittins(0.05))
        .build()?;
    while !study.verdict()?.is_stop() {
        let ask = study.ask()?;
        let (loss, latency) = train(ask.get("width")?, ask.get("depth")?);
        study.tell(ask.id(), Outcome::new(loss).measured("latency_ms", latency))?;
    }
    for trial in study.front()? {
        println!("{:?}: loss {:?}, {:?}", trial.values, trial.outcome, trial.measured);
    }
    assert!(study.front()?.len() > 4);
    Ok(())
}
