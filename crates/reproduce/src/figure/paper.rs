//! The paper of a picture, and its chart.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::experiment::Axes;
use crate::figure::scale::Scale;
use frontend::ink::{INK, PALE, Result, text};

pub type Area<'b> = DrawingArea<SVGBackend<'b>, Shift>;
pub type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// Text and half-width of a circle, in pixels.
pub const LABEL: u32 = 14;
pub const CIRCLE: i32 = 4;

/// The paper: the chart of this size and, to its right, a legend of that size.
pub fn paper<'b>(
    svg: &'b mut String,
    (width, height): (u32, u32),
    legend: (u32, u32),
) -> Result<(Area<'b>, Area<'b>)> {
    let root =
        SVGBackend::with_string(svg, (width + legend.0, height.max(legend.1))).into_drawing_area();
    root.fill(&WHITE)?;
    Ok(root.split_horizontally(width))
}

/// Title, axes, labels and grid.
pub fn chart<'a, 'b>(
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
