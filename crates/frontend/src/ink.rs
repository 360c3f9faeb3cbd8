//! Ink and letters of all pictures.

use plotters::prelude::*;

/// Axes and letters.
pub const INK: RGBColor = RGBColor(40, 40, 48);
/// What stands in the background.
pub const PALE: RGBColor = RGBColor(150, 160, 175);

/// What drawing returns.
pub type Result<T> = std::result::Result<T, DrawingAreaErrorKind<std::io::Error>>;

/// Letters of this size.
pub fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}
