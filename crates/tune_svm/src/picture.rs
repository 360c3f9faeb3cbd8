//! The picture of a run: what was found for which money, and why it stopped.

use std::path::Path;

use plotters::prelude::*;

use frontend::chart::{BLUE, PALE, Result, axes, key, labels, span, steps};
use frontend::run::draw_stop;

/// What is drawn of a trial.
pub struct Mark {
    /// Money spent, this trial included.
    pub spent: f64,
    /// Its error.
    pub error: f64,
    /// The least error so far.
    pub best: f64,
    /// The stopping rule's statistic after this trial: the least error less the best remaining
    /// index.
    pub promise: Option<f64>,
}

/// Draws error against money spent, and below it the stopping rule's statistic and its threshold.
pub fn draw(path: &Path, marks: &[Mark], lambda: f64) -> Result<()> {
    let root = SVGBackend::new(path, (840, 720)).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(360);
    let spent = 0.0..marks.last().map_or(1.0, |mark| 1.02 * mark.spent);

    let best = || marks.iter().map(|mark| (mark.spent, mark.best));
    let trials = || marks.iter().map(|mark| (mark.spent, mark.error));
    let mut chart = axes(
        &upper,
        "Error of each trial, and the best so far",
        ["seconds spent on trials", "cross-validated error"],
        spent.clone(),
        span(trials()),
    )?;
    chart
        .draw_series(trials().map(|at| Circle::new(at, 3, PALE.filled())))?
        .label("trial")
        .legend(|at| Circle::new(at, 3, PALE.filled()));
    chart
        .draw_series(LineSeries::new(steps(best()), BLUE.stroke_width(2)))?
        .label("best so far")
        .legend(|at| key(at, BLUE));
    labels(&mut chart)?;

    let statistic: Vec<(f64, f64)> =
        marks.iter().filter_map(|mark| Some((mark.spent, mark.promise?))).collect();
    draw_stop(&lower, &statistic, spent, lambda)?;
    root.present()?;
    Ok(())
}
