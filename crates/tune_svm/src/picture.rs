//! The picture of a run: what was found for which money, and why it stopped.

use std::path::Path;

use plotters::prelude::*;

use frontend::chart::{BLUE, PALE, RED, Result, axes, key, labels, span, steps};
use frontend::run::draw_stop;

use crate::work::Made;

/// Draws error against money spent, and below it the stopping rule's statistic and its threshold.
pub fn draw(path: &Path, marks: &[Made], lambda: f64) -> Result<()> {
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

/// Draws the best error against the time that has passed, of runs by one worker and by several.
pub fn compare(path: &Path, lines: &[(bool, &[(f64, f64)])], workers: usize) -> Result<()> {
    let root = SVGBackend::new(path, (840, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let all = || lines.iter().flat_map(|(_, line)| line.iter().copied());
    let end = all().fold(0.0, |end: f64, (time, _)| end.max(time));
    let mut chart = axes(
        &root,
        &format!("Best error against time, by 1 worker and by {workers}"),
        ["seconds since the start", "cross-validated error"],
        0.0..(1.02 * end).max(1.0),
        span(all()),
    )?;
    for (several, color) in [(false, RED), (true, BLUE)] {
        let name = if several { format!("{workers} workers") } else { "1 worker".to_owned() };
        for (number, (_, line)) in lines.iter().filter(|(of, _)| *of == several).enumerate() {
            let line = steps(line.iter().copied());
            let drawn = chart.draw_series(LineSeries::new(line, color.stroke_width(2)))?;
            if number == 0 {
                drawn.label(name.clone()).legend(move |at| key(at, color));
            }
        }
    }
    labels(&mut chart)?;
    root.present()?;
    Ok(())
}
