//! A panel as a picture: a group of bars for each chooser, one bar a rule, with two standard errors.

use std::path::Path;

use plotters::prelude::*;

use super::panel::{Mean, Panel};
use super::problem::Chooser;
use super::trial::HINDSIGHT;
use crate::ink::{INK, PALE, Result, text};

/// One for each rule, in the order of the table after hindsight.
const COLORS: [RGBColor; 8] = [
    RGBColor(31, 98, 176),
    RGBColor(232, 137, 42),
    RGBColor(94, 160, 82),
    RGBColor(196, 62, 46),
    RGBColor(136, 100, 176),
    RGBColor(140, 100, 84),
    RGBColor(214, 124, 182),
    RGBColor(120, 128, 140),
];

/// Draws the mean cost-adjusted regret on a logarithmic scale; the line across a group is what hindsight would have paid.
pub fn draw(path: &Path, panel: &Panel) -> Result<()> {
    let root = SVGBackend::new(path, (980, 460)).into_drawing_area();
    root.fill(&WHITE)?;
    let rules: Vec<&str> = panel.rules().into_iter().filter(|rule| *rule != HINDSIGHT).collect();
    let width = rules.len() as f64 + 1.5;
    let right = width * Chooser::ALL.len() as f64;
    let values = || panel.means.iter().map(|mean| mean.adjusted);
    let low = 0.6 * values().fold(f64::INFINITY, f64::min);
    // One seed alone has no standard error.
    let error = |mean: &Mean| if mean.two_standard_errors.is_finite() { mean.two_standard_errors } else { 0.0 };
    let high = 2.0 * panel.means.iter().map(|mean| mean.adjusted + error(mean)).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("{}, {} seeds", panel.title(), panel.seeds), text(18))
        .margin(14)
        .margin_right(164)
        .x_label_area_size(30)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..right, (low..high).log_scale())?;
    let mut mesh = chart.configure_mesh();
    mesh.disable_x_mesh().disable_x_axis().y_desc("cost-adjusted regret").axis_style(INK);
    mesh.bold_line_style(PALE.mix(0.25)).light_line_style(TRANSPARENT);
    mesh.label_style(text(12)).axis_desc_style(text(13)).draw()?;
    for (group, chooser) in Chooser::ALL.into_iter().enumerate() {
        let left = width * group as f64 + 0.75;
        for (place, rule) in rules.iter().enumerate() {
            let Some(mean) = panel.of(chooser, rule) else { continue };
            let (x, color) = (left + place as f64, COLORS[place % COLORS.len()]);
            chart.draw_series([Rectangle::new([(x + 0.08, low), (x + 0.92, mean.adjusted)], color.filled())])?;
            let span = [mean.adjusted - error(mean), mean.adjusted + error(mean)].map(|y| y.max(low));
            chart.draw_series([PathElement::new(span.map(|y| (x + 0.5, y)).to_vec(), INK.stroke_width(1))])?;
        }
        if let Some(mean) = panel.of(chooser, HINDSIGHT) {
            let line = [left - 0.2, left + rules.len() as f64 + 0.2].map(|x| (x, mean.adjusted));
            chart.draw_series([PathElement::new(line.to_vec(), INK.stroke_width(2))])?;
        }
        let middle = left + 0.5 * rules.len() as f64;
        let (x, y) = chart.backend_coord(&(middle, low));
        root.draw_text(
            chooser.name(),
            &text(14).pos(plotters::style::text_anchor::Pos::new(
                plotters::style::text_anchor::HPos::Center,
                plotters::style::text_anchor::VPos::Top,
            )),
            (x, y + 8),
        )?;
    }
    for (place, rule) in rules.iter().enumerate() {
        let (x, y) = (838, 60 + 22 * place as i32);
        root.draw(&Rectangle::new([(x, y), (x + 12, y + 12)], COLORS[place % COLORS.len()].filled()))?;
        root.draw_text(rule, &text(13), (x + 18, y))?;
    }
    let (x, y) = (838, 60 + 22 * rules.len() as i32);
    root.draw(&PathElement::new([(x, y + 6), (x + 12, y + 6)], INK.stroke_width(2)))?;
    root.draw_text(HINDSIGHT, &text(13), (x + 18, y))?;
    root.present()
}
