//! The trial as a picture: what was spread for which money, and what the advice was worth.

use std::path::Path;

use chart::{Along, Frame, Key, Plan, Scale, Sign, steps};
use frontend::{Result, write_picture};

/// What is drawn of a plot.
pub struct Plot {
    /// Euros spent, this plot included.
    pub spent: f64,
    /// The set that was spread.
    pub set: usize,
    /// Whether it belongs to the initial design.
    pub initial: bool,
    /// The soil.
    pub soil: Vec<f64>,
    /// The leaf area that was measured.
    pub area: f64,
}

/// The advice at some point.
pub struct Advice {
    /// Euros spent by then.
    pub spent: f64,
    /// The leaf area that the study expected.
    pub promised: f64,
    /// The average leaf area of the advice.
    pub expected: f64,
}

/// Draws the sets that were played, and below them the leaf areas of plots and advice, all against
/// money.
pub fn draw(
    path: &Path,
    names: &[&str],
    plots: &[Plot],
    advice: &[Advice],
    largest: f64,
) -> Result<()> {
    let euros = Scale::exact(0.0, plots.last().map_or(1.0, |plot| plot.spent));
    let euros = || ("euros spent", Along::Numbers(euros.clone()));
    let color = |initial: bool| if initial { "plain" } else { "mark" };
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    let mut keys = vec![Key::mark(Sign::Dot, color(false), "chosen")];
    if plots.iter().any(|plot| plot.initial) {
        keys.insert(0, Key::mark(Sign::Dot, color(true), "to begin with"));
    }
    let title = "What was spread, the dearest above";
    let plan = Plan::new(title, euros(), ("", Along::Names(names)));
    let mut upper = Frame::new(Plan { size: (720.0, 240.0), keys, ..plan });
    for plot in plots {
        if let Some(x) = upper.x.number(plot.spent) {
            let at = (x.place(), upper.row(plot.set));
            upper.push(&Sign::Dot.element(color(plot.initial), at, ""));
        }
    }

    let areas = plots.iter().map(|plot| plot.area).chain([largest]);
    let areas = areas.chain(advice.iter().flat_map(|advice| [advice.expected, advice.promised]));
    let plan = Plan::new(
        "What was advised, and what is in it",
        euros(),
        ("leaf area", Along::Numbers(Scale::around(false, areas))),
    );
    let keys = vec![
        Key::mark(Sign::Dot, "plain", "single plot"),
        Key::line("line ink broken", "most there is"),
        Key::line("line bad", "advice, as expected"),
        Key::line("line mark", "advice, in truth"),
    ];
    // The names of the sets are wider than leaf areas, and the axes of euros must be aligned.
    let beside = upper.across()[0];
    let mut lower = Frame::new(Plan { size: (720.0, 360.0), beside, keys, ..plan });
    for plot in plots {
        lower.mark(Sign::Dot, "plain", (plot.spent, plot.area), "");
    }
    lower.level("line ink broken", largest);
    let line =
        |of: fn(&Advice) -> f64| steps(advice.iter().map(move |advice| (advice.spent, of(advice))));
    lower.curve("line bad", line(|advice| advice.promised));
    lower.curve("line mark", line(|advice| advice.expected));
    write_picture(path, [upper.close(), lower.close()])
}
