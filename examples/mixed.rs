//! A space of names and numbers: one parameter exists only beside a certain name, the parts of a
//! mixture sum to at most one, and some trials fail.
//!
//! ```text
//! cargo run --release --example mixed
//! ```

use gittins::{Ask, Outcome, Policy, Space, Study, Verdict};

/// The tasters' points for a loaf, at most 10; none if the dough runs off the tray. Put your own
/// experiment here.
fn bake(ask: &Ask) -> gittins::Result<Option<f64>> {
    let (rye, whole, water): (f64, f64, f64) =
        (ask.get("rye")?, ask.get("whole wheat")?, ask.get("water")?);
    if water > 0.75 + 0.2 * rye + 0.1 * whole {
        return Ok(None);
    }
    // Yeast is quick and cannot lift rye. Sourdough can, if it has its time.
    let rise = match ask.get::<Option<f64>>("hours")? {
        None => 0.9 - 0.8 * rye,
        Some(hours) => (1.0 - 0.3 * rye) * (-((hours - 14.0) / 12.0).powi(2)).exp(),
    };
    let taste = 0.6 + rye + 0.5 * whole - (rye + whole).powi(2);
    let dry = water - (0.62 + 0.2 * rye + 0.1 * whole);
    let oven = (ask.get::<f64>("oven")? - 235.0) / 60.0;
    Ok(Some(10.0 * rise * taste - 60.0 * dry * dry - 3.0 * oven * oven))
}

fn main() -> gittins::Result<()> {
    let space = Space::new()
        // The rest of the flour is white.
        .float("rye", 0.0, 1.0)
        .float("whole wheat", 0.0, 1.0)
        .at_most([("rye", 1.0), ("whole wheat", 1.0)], 1.0)
        .float("water", 0.5, 1.0)
        .choice("leaven", ["yeast", "sourdough"])
        .float("hours", 2.0, 24.0)
        .when("leaven", ["sourdough"])
        .steps("oven", 180.0, 280.0, 5.0);
    // A loaf must promise at least a fiftieth of a point.
    let mut study = Study::maximize(space).policy(Policy::gittins(0.02)).seed(7).build()?;
    let reason = loop {
        let ask = study.ask()?;
        let points = bake(&ask)?;
        for (name, value) in ask.named() {
            print!("{name} {value:.3}  ");
        }
        println!("{}", points.map_or("ran off".into(), |points| format!("{points:.2} points")));
        study.tell(ask.id(), points.map_or_else(Outcome::failed, Outcome::new))?;
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
