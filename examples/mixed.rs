//! A space of names and numbers: one parameter exists only beside a certain name, two share a
//! whole, and some runs fail.
//!
//! ```text
//! cargo run --release --example mixed
//! ```

use gittins::{Acquisition, Ask, Outcome, Space, Study, Verdict};

/// Gradient descent into a narrow valley: how far from its floor 300 steps end, as a power of ten.
/// None if the steps diverge.
fn descend(ask: &Ask) -> gittins::Result<Option<f64>> {
    let momentum = match ask.choice("method")? {
        "momentum" => ask.get("momentum")?,
        _ => 0.0,
    };
    let (rate, warmup, decay): (f64, f64, f64) =
        (ask.get("rate")?, ask.get("warmup")?, ask.get("decay")?);
    let (mut at, mut speed) = ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]);
    for step in 0..300 {
        let done = f64::from(step) / 300.0;
        let rising = ((done + 1e-3) / (warmup + 1e-3)).min(1.0);
        let falling = ((1.0 - done) / (decay + 1e-3)).min(1.0);
        for (i, slope) in [1.0, 20.0, 400.0].into_iter().enumerate() {
            speed[i] = momentum * speed[i] - rate * rising * falling * slope * at[i];
            at[i] += speed[i];
        }
    }
    let left = at.iter().map(|x| x * x).sum::<f64>();
    Ok((left < 3.0).then(|| left.max(1e-30).log10()))
}

fn main() -> gittins::Result<()> {
    let space = Space::new()
        .log_float("rate", 1e-4, 1e-1)
        .choice("method", ["plain", "momentum"])
        .float("momentum", 0.5, 0.999)
        .when("method", ["momentum"])
        // The shares of the steps in which the rate rises and falls.
        .float("warmup", 0.0, 1.0)
        .float("decay", 0.0, 1.0)
        .at_most([("warmup", 1.0), ("decay", 1.0)], 1.0);
    // A run must promise at least a fifth of a power of ten.
    let mut study = Study::minimize(space).policy(Acquisition::gittins(0.2)).seed(7).build()?;
    let reason = loop {
        let ask = study.ask()?;
        let came = descend(&ask)?;
        for (name, value) in ask.named() {
            print!("{name} {value:.4}  ");
        }
        println!("{}", came.map_or("diverged".into(), |left| format!("1e{left:.1}")));
        study.tell(ask.id(), came.map_or_else(Outcome::failed, Outcome::new))?;
        if let Verdict::Stop(reason) = study.verdict()? {
            break reason;
        }
    };
    println!("{reason}");
    if let Some(best) = study.recommendation()? {
        println!("{best}");
    }
    Ok(())
}
