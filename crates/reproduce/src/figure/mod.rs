//! A panel as a picture in the manner of the papers.

mod bars;
mod curves;
mod legend;
mod palette;
mod scale;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::experiment::{Axes, Drawing, Panel};

use frontend::ink::{INK, PALE, Result, text};
use legend::Legend;
use scale::Scale;

type Area<'b> = DrawingArea<SVGBackend<'b>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// Text and half-width of a circle, in pixels.
const LABEL: u32 = 14;
const CIRCLE: i32 = 4;

/// The picture as SVG text.
///
/// # Errors
/// Those of plotters.
pub fn draw(panel: &Panel) -> frontend::Result<String> {
    let mut svg = String::new();
    match &panel.drawing {
        Drawing::Curves { axes, curves } => curves::draw(&mut svg, &panel.title, axes, curves)?,
        Drawing::Bars { axes, groups, bars } => {
            bars::draw(&mut svg, &panel.title, axes, groups, bars)?
        }
    }
    Ok(svg)
}

/// The paper: the chart and, to its right, what its signs mean.
fn paper<'b>(
    svg: &'b mut String,
    (width, height): (u32, u32),
    legend: &Legend,
) -> Result<(Area<'b>, Area<'b>)> {
    let root = SVGBackend::with_string(svg, (width + legend.width(), height.max(legend.height())))
        .into_drawing_area();
    root.fill(&WHITE)?;
    Ok(root.split_horizontally(width))
}

/// Title, axes, labels and grid.
fn chart<'a, 'b>(
    area: &'a Area<'b>,
    title: &str,
    axes: &Axes,
    x: &Scale,
    y: &Scale,
    labels: u32,
) -> Result<Chart<'a, 'b>> {
    // Titles as wide as the picture get smaller letters: a letter takes about half its height.
    let size = (1.9 * area.dim_in_pixel().0 as f64 / title.chars().count().max(1) as f64)
        .clamp(11.0, 18.0) as u32;
    let mut chart = ChartBuilder::on(area)
        .caption(title, text(size))
        .margin(12)
        .x_label_area_size(30 + labels)
        .y_label_area_size(68)
        .build_cartesian_2d(x.clone(), y.clone())?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(&axes.x)
        .y_desc(&axes.y)
        .axis_style(INK)
        .bold_line_style(PALE.mix(0.3))
        .light_line_style(PALE.mix(0.12));
    mesh.label_style(text(LABEL)).axis_desc_style(text(LABEL + 1)).draw()?;
    Ok(chart)
}
