//! A panel as a picture in the manner of the papers.

mod bars;
mod curves;
mod palette;

use crate::experiment::{Drawing, Panel};

/// The picture.
pub fn draw(panel: &Panel) -> chart::Panel {
    match &panel.drawing {
        Drawing::Curves { axes, curves } => curves::draw(&panel.title, axes, curves),
        Drawing::Bars { axes, groups, bars } => bars::draw(&panel.title, axes, groups, bars),
    }
}
