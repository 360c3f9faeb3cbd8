//! A panel as a picture in the manner of the papers.

mod bars;
mod curves;
mod legend;
mod palette;
mod paper;
mod scale;

use crate::experiment::{Drawing, Panel};

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
