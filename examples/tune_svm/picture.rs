//! The run as a picture: what was found for which money, and why it stopped.

use std::ops::Range;
use std::path::Path;

use plotters::prelude::*;

/// What is drawn of a trial.
pub struct Mark {
    /// Money spent, this trial included.
    pub spent: f64,
    /// Its error.
    pub error: f64,
    /// The least error so far.
    pub best: f64,
    /// The stopping rule's statistic after this trial: by how much the best index left undercuts the least error.
    pub promise: Option<f64>,
}

const INK: RGBColor = RGBColor(40, 40, 48);
const PALE: RGBColor = RGBColor(150, 160, 175);
const BLUE: RGBColor = RGBColor(31, 98, 176);
const RED: RGBColor = RGBColor(196, 62, 46);

/// Draws error against money spent, and below it the stopping rule's statistic and its threshold.
pub fn draw(path: &Path, marks: &[Mark], lambda: f64) -> Result<()> {
    let root = SVGBackend::new(path, (840, 720)).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(360);
    let spent = 0.0..marks.last().map_or(1.0, |mark| 1.02 * mark.spent);

    let best = || marks.iter().map(|mark| (mark.spent, mark.best));
    let trials = || marks.iter().map(|mark| (mark.spent, mark.error));
    let mut chart = axes(&upper, "Error of each trial, and the best so far", "cross-validated error", spent.clone(), span(trials()))?;
    chart.draw_series(trials().map(|at| Circle::new(at, 3, PALE.filled())))?.label("trial").legend(|at| Circle::new(at, 3, PALE.filled()));
    chart.draw_series(LineSeries::new(steps(best()), BLUE.stroke_width(2)))?.label("best so far").legend(|at| key(at, BLUE));
    labels(&mut chart)?;

    let promises = || marks.iter().filter_map(|mark| Some((mark.spent, mark.promise?)));
    let title = format!("When to stop: the best index left against the best error, at {lambda} of error per second");
    let threshold = [(spent.start, 0.0), (spent.end, 0.0)];
    let mut chart = axes(&lower, &title, "best error - best index", spent, span(promises().chain(threshold)))?;
    chart.draw_series(LineSeries::new(promises(), RED.stroke_width(2)).point_size(2))?.label("statistic").legend(|at| key(at, RED));
    chart.draw_series(LineSeries::new(threshold, BLUE.stroke_width(2)))?.label("stop at or below").legend(|at| key(at, BLUE));
    labels(&mut chart)?;
    root.present()?;
    Ok(())
}

type Result<T> = std::result::Result<T, DrawingAreaErrorKind<std::io::Error>>;
type Chart<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>>;
type Area<'b> = DrawingArea<SVGBackend<'b>, plotters::coord::Shift>;

fn axes<'a, 'b>(area: &'a Area<'b>, title: &str, y_label: &str, x: Range<f64>, y: Range<f64>) -> Result<Chart<'a, 'b>> {
    let mut chart =
        ChartBuilder::on(area).caption(title, text(17)).margin(14).x_label_area_size(38).y_label_area_size(64).build_cartesian_2d(x, y)?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("seconds spent on trials").y_desc(y_label).axis_style(INK).bold_line_style(PALE.mix(0.25)).light_line_style(TRANSPARENT);
    mesh.label_style(text(12)).axis_desc_style(text(13)).y_label_formatter(&|value| format!("{value:.3}")).draw()?;
    Ok(chart)
}

fn labels<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>) -> Result<()> {
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).label_font(text(13)).draw()
}

fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

fn key((x, y): (i32, i32), color: RGBColor) -> PathElement<(i32, i32)> {
    PathElement::new([(x - 8, y), (x + 8, y)], color.stroke_width(2))
}

/// A value holds until the next one replaces it.
fn steps(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points {
        if let Some(&(_, before)) = line.last() {
            line.push((x, before));
        }
        line.push((x, y));
    }
    line
}

/// The range of the values with a margin.
fn span(points: impl Iterator<Item = (f64, f64)>) -> Range<f64> {
    let (low, high) = points.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, y)| (low.min(y), high.max(y)));
    if low > high {
        return 0.0..1.0;
    }
    let margin = if high > low { 0.08 * (high - low) } else { 0.01 };
    low - margin..high + margin
}
