//! Mean simple regret by round, a line for each rule.

use std::path::Path;

use plotters::prelude::*;

use crate::ink::{INK, PALE, Result, text};

const COLORS: [RGBColor; 6] =
    [PALE, RGBColor(214, 140, 30), RGBColor(31, 98, 176), RGBColor(110, 86, 170), RGBColor(70, 150, 90), RGBColor(196, 62, 46)];

/// What is below is drawn here: the axis is logarithmic, and a regret may be zero.
const LEAST: f64 = 1e-3;

/// Draws the curves on a logarithmic axis.
pub fn draw(path: &Path, curves: &[(&str, &[f64])]) -> Result<()> {
    let root = SVGBackend::new(path, (840, 460)).into_drawing_area();
    root.fill(&WHITE)?;
    let rounds = curves.iter().map(|(_, regret)| regret.len()).max().unwrap_or(1);
    let most = curves.iter().flat_map(|(_, regret)| regret.iter().copied()).fold(2.0 * LEAST, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .caption("Mean simple regret, functions drawn from the model", text(17))
        .margin(14)
        .x_label_area_size(38)
        .y_label_area_size(64)
        .build_cartesian_2d(1f64..rounds.max(2) as f64, (LEAST..1.2 * most).log_scale())?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("round").y_desc("regret").axis_style(INK).bold_line_style(PALE.mix(0.25)).light_line_style(TRANSPARENT);
    mesh.label_style(text(12)).axis_desc_style(text(13)).draw()?;
    for ((name, regret), color) in curves.iter().zip(COLORS) {
        let line = regret.iter().enumerate().map(|(t, regret)| ((t + 1) as f64, regret.max(LEAST)));
        chart
            .draw_series(LineSeries::new(line, color.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x - 8, y), (x + 8, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).label_font(text(13)).draw()?;
    root.present()?;
    Ok(())
}
