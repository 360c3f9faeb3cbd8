//! What every picture is drawn with.

use plotters::prelude::*;

pub const INK: RGBColor = RGBColor(40, 40, 48);
pub const PALE: RGBColor = RGBColor(150, 160, 175);

pub type Result<T> = std::result::Result<T, DrawingAreaErrorKind<std::io::Error>>;

pub fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}
