//! Axes, colors and lines of the pictures that programs draw.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

pub use crate::ink::{INK, PALE, Result, text};

/// What matters.
pub const BLUE: RGBColor = RGBColor(31, 98, 176);
/// What is set against it.
pub const RED: RGBColor = RGBColor(196, 62, 46);

/// Axes to draw in.
pub type Chart<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
/// A part of a picture.
pub type Area<'b> = DrawingArea<SVGBackend<'b>, Shift>;

/// Draws a title, the axes with their names, and the grid.
pub fn axes<'a, 'b>(
    area: &'a Area<'b>,
    title: &str,
    names: [&str; 2],
    x: Range<f64>,
    y: Range<f64>,
) -> Result<Chart<'a, 'b>> {
    // Enough decimals to tell the labels of an axis apart.
    let decimals = if y.end - y.start < 20.0 { 3 } else { 0 };
    let x_decimals = if x.end - x.start < 20.0 { 1 } else { 0 };
    let mut chart = ChartBuilder::on(area)
        .caption(title, text(17))
        .margin(14)
        .x_label_area_size(38)
        .y_label_area_size(64)
        .build_cartesian_2d(x, y)?;
    let (x_label, y_label) = (
        |value: &f64| format!("{value:.x_decimals$}"),
        |value: &f64| format!("{value:.decimals$}"),
    );
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(names[0])
        .y_desc(names[1])
        .axis_style(INK)
        .bold_line_style(PALE.mix(0.25))
        .light_line_style(TRANSPARENT);
    mesh.label_style(text(12))
        .axis_desc_style(text(13))
        .x_label_formatter(&x_label)
        .y_label_formatter(&y_label)
        .draw()?;
    Ok(chart)
}

/// Draws the legend.
pub fn labels<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>) -> Result<()> {
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).label_font(text(13)).draw()
}

/// A line's sign in the legend.
pub fn key((x, y): (i32, i32), color: RGBColor) -> PathElement<(i32, i32)> {
    PathElement::new([(x - 8, y), (x + 8, y)], color.stroke_width(2))
}

/// The points as a staircase: a value holds until the next one replaces it.
pub fn steps(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
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
pub fn span(points: impl Iterator<Item = (f64, f64)>) -> Range<f64> {
    let (low, high) = points
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, y)| (low.min(y), high.max(y)));
    if low > high {
        return 0.0..1.0;
    }
    let margin = if high > low { 0.08 * (high - low) } else { 0.01 };
    low - margin..high + margin
}
