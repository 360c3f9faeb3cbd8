//! The example of the section on limits in the guide, as it stands there.

use gittins::study::Limit;
use gittins::{Outcome, Policy, Space, Study};

/// Stands for a training: the loss, and the milliseconds that a prediction takes.
fn train(width: f64, depth: f64) -> (f64, f64) {
    (1.0 / width + 1.0 / depth, 0.1 * width * depth)
}

pub fn main() -> gittins::Result<()> {
    let space = Space::new().float("width", 1.0, 64.0).float("depth", 1.0, 12.0);
    let mut study = Study::minimize(space)
        .policy(Policy::gittins(1e-4))
        .limit("latency_ms", Limit::at_most(20.0))
        .build()?;
    while !study.verdict()?.is_stop() {
        let ask = study.ask()?;
        let (loss, latency) = train(ask.get("width")?, ask.get("depth")?);
        study.tell(ask.id(), Outcome::new(loss).measured("latency_ms", latency))?;
    }
    let best = study.recommendation()?.expect("a trial that holds the limit");
    assert!(best.measured.get("latency_ms") <= Some(20.0) && best.outcome < 0.2);
    println!("{best}");
    Ok(())
}
