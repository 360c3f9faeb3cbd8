//! The picture of a run: which kernels were tried for which money, what came of them, and why it
//! stopped.

use std::path::Path;

use plotters::prelude::*;

use frontend::chart::{BLUE, INK, PALE, RED, Result, axes, key, labels, span, steps};
use frontend::run::draw_stop;

use crate::pipeline::Kernel;
use crate::random::Course;
use crate::report::Log;

/// The color of polynomial kernels.
const GREEN: RGBColor = RGBColor(46, 139, 87);

/// Kernels with their colors.
const KERNELS: [(&str, RGBColor); 3] = [("linear", RED), ("gaussian", BLUE), ("polynomial", GREEN)];

/// The color of a kernel.
fn color(kernel: Kernel) -> RGBColor {
    KERNELS.into_iter().find(|(name, _)| *name == kernel.name()).map_or(INK, |(_, color)| color)
}

/// Draws error against money spent, and below it the stopping rule's statistic. A cross is a trial
/// that failed.
pub fn draw(path: &Path, log: &Log, random: &[Course], lambda: f64) -> Result<()> {
    let root = SVGBackend::new(path, (840, 760)).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(440);
    let spent = 0.0..log.course.last().map_or(1.0, |end| 1.02 * end.0);
    let trials = || log.entries.iter().zip(&log.course);

    let errors = trials().filter_map(|(entry, at)| Some((at.0, entry.trial.error()?)));
    let height = span(errors);
    let top = height.end;
    let mut chart = axes(
        &upper,
        "Error of each trial by its kernel, and the best so far; a cross is a failure",
        ["seconds spent on trials", "balanced cross-validated error"],
        spent.clone(),
        height.start..top + 0.04 * (top - height.start),
    )?;
    for (number, course) in random.iter().enumerate() {
        let line = LineSeries::new(steps(course.iter().copied()), PALE.stroke_width(1));
        let drawn = chart.draw_series(line)?;
        if number == 0 {
            drawn.label("random search").legend(|at| key(at, PALE));
        }
    }
    if let Some(&(_, plain)) = log.course.first() {
        let line = [(spent.start, plain), (spent.end, plain)];
        chart
            .draw_series(DashedLineSeries::new(line, 4, 4, INK.stroke_width(1)))?
            .label("textbook")
            .legend(|at| key(at, PALE));
    }
    for (name, color) in KERNELS {
        let own = trials().filter(|(entry, _)| entry.pipeline.kernel.name() == name);
        let points = own.filter_map(|(entry, at)| Some((at.0, entry.trial.error()?)));
        chart
            .draw_series(points.map(|at| Circle::new(at, 3, color.filled())))?
            .label(name)
            .legend(move |at| Circle::new(at, 3, color.filled()));
    }
    let failed = trials().filter(|(entry, _)| entry.trial.came.is_err());
    chart.draw_series(
        failed.map(|(entry, at)| Cross::new((at.0, top), 4, color(entry.pipeline.kernel))),
    )?;
    chart
        .draw_series(LineSeries::new(steps(log.course.iter().copied()), INK.stroke_width(2)))?
        .label("best so far")
        .legend(|at| key(at, INK));
    labels(&mut chart)?;

    let statistic: Vec<(f64, f64)> =
        trials().filter_map(|(entry, at)| Some((at.0, entry.promise?))).collect();
    draw_stop(&lower, &statistic, spent, lambda)?;
    root.present()?;
    Ok(())
}
