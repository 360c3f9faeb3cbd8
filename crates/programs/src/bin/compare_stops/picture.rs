//! The run against money, and where each rule would have ended it.

use std::path::Path;

use gittins::evaluation::Course;
use plotters::prelude::*;

use frontend::chart::{BLUE, INK, PALE, RED, Result, axes, key, labels, span, steps, text};

/// The point where a rule stops.
pub struct Stop {
    /// The name in the legend.
    pub name: String,
    /// The mark of the course.
    pub mark: usize,
}

/// Draws the best value against money, and a line where each of these stops.
pub fn overview(path: &Path, course: &Course, stops: &[Stop]) -> Result<()> {
    let root = SVGBackend::new(path, (900, 330)).into_drawing_area();
    root.fill(&WHITE)?;
    let run = || course.marks().iter().map(|mark| (mark.spent, mark.best));
    let end = run().next_back().map_or(1.0, |(spent, _)| 1.02 * spent);
    let range = span(run());
    let names = ["money spent", "best value"];
    let mut chart = axes(&root, "Where to stop spending", names, 0.0..end, range.clone())?;
    chart.draw_series(LineSeries::new(steps(run()), BLUE.stroke_width(3)))?;
    for (stop, color) in stops.iter().zip([RED, INK]) {
        let money = course.marks()[stop.mark].spent;
        let line = [(money, range.start), (money, range.end)];
        chart.draw_series(LineSeries::new(line, color.stroke_width(2)))?;
        let beside = (money + 0.01 * end, range.end - 0.12 * (range.end - range.start));
        chart.draw_series([Text::new(stop.name.clone(), beside, text(14))])?;
    }
    root.present()?;
    Ok(())
}

/// Draws the best value kept and the cost-adjusted regret against money, each with the rules'
/// stopping points.
pub fn draw(
    path: &Path,
    course: &Course,
    regrets: &[f64],
    stops: &[Stop],
    hindsight: usize,
) -> Result<()> {
    let root = SVGBackend::new(path, (900, 900)).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(450);
    let money: Vec<f64> = course.marks().iter().map(|mark| mark.spent).collect();
    let end = 0.0..money.last().map_or(1.0, |spent| 1.02 * spent);
    let best: Vec<f64> = course.marks().iter().map(|mark| mark.best).collect();
    let title = "Best value kept, and where each rule stops";
    for (area, title, label, values) in [
        (&upper, title, "best value", &best[..]),
        (&lower, "The same with the money taken off", "cost-adjusted regret", regrets),
    ] {
        let known = || {
            money.iter().copied().zip(values.iter().copied()).filter(|(_, value)| value.is_finite())
        };
        let mut chart = axes(
            area,
            title,
            ["money spent on suggested trials", label],
            end.clone(),
            span(known()),
        )?;
        chart
            .draw_series(LineSeries::new(steps(known()), BLUE.stroke_width(2)))?
            .label(label)
            .legend(|at| key(at, BLUE));
        let least = (money[hindsight], values[hindsight]);
        let cross = |at: (f64, f64)| Cross::new(at, 6, RED.stroke_width(2));
        chart
            .draw_series([cross(least)])?
            .label("hindsight")
            .legend(|at| Cross::new(at, 6, RED.stroke_width(2)));
        // Rules that stop together are rings around each other.
        for (k, stop) in stops.iter().enumerate() {
            let inside = stops[..k].iter().filter(|other| other.mark == stop.mark).count() as i32;
            let (at, color) = ((money[stop.mark], values[stop.mark]), Palette99::pick(k).to_rgba());
            let ring = move |at| Circle::new(at, 4, color.stroke_width(3));
            chart
                .draw_series([Circle::new(at, 4 + 4 * inside, color.stroke_width(3))])?
                .label(&stop.name)
                .legend(ring);
        }
        if std::ptr::eq(area, &upper) {
            labels(&mut chart)?;
        } else {
            chart.draw_series(LineSeries::new(
                [(end.start, values[hindsight]), (end.end, values[hindsight])],
                PALE.stroke_width(1),
            ))?;
        }
    }
    root.present()?;
    Ok(())
}
