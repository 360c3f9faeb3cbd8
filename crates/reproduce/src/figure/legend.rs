//! What the signs of a picture mean, beside it.

use plotters::prelude::*;

use super::palette::Look;
use super::paper::{Area, CIRCLE, LABEL};
use frontend::ink::{INK, PALE, Result, text};

/// A sign.
#[derive(Debug, Clone, Copy)]
pub enum Sign {
    Line(Look),
    Bar(Look),
    Band,
    Error,
    Circle,
}

/// Signs and their meaning, from top to bottom.
#[derive(Debug, Default)]
pub struct Legend(Vec<(Sign, String)>);

const LINE: u32 = 23;
const TOP: u32 = 48;

impl Legend {
    pub fn add(&mut self, sign: Sign, meaning: impl Into<String>) {
        self.0.push((sign, meaning.into()));
    }

    /// Its width and height. A letter takes about half its height and a little.
    pub fn size(&self) -> (u32, u32) {
        let letters = self.0.iter().map(|(_, meaning)| meaning.chars().count()).max().unwrap_or(0);
        let width = 48 + (0.58 * f64::from(LABEL) * letters as f64) as u32;
        (width, TOP + LINE * self.0.len() as u32 + 12)
    }

    pub fn draw(&self, area: &Area<'_>) -> Result<()> {
        for (row, (sign, meaning)) in self.0.iter().enumerate() {
            let (x, y) = (4, (TOP + LINE * row as u32) as i32);
            match sign {
                Sign::Line(look) if look.second => {
                    area.draw(&PathElement::new([(x, y), (x + 9, y)], look.color.stroke_width(3)))?;
                    area.draw(&PathElement::new(
                        [(x + 15, y), (x + 24, y)],
                        look.color.stroke_width(3),
                    ))?;
                }
                Sign::Line(look) => {
                    area.draw(&PathElement::new([(x, y), (x + 24, y)], look.color.stroke_width(3)))?
                }
                Sign::Bar(look) => {
                    let corners = [(x + 5, y - 7), (x + 19, y + 7)];
                    area.draw(&Rectangle::new(
                        corners,
                        look.color.mix(if look.second { 0.45 } else { 1.0 }).filled(),
                    ))?;
                    area.draw(&Rectangle::new(corners, look.color))?;
                }
                Sign::Band => area.draw(&Rectangle::new(
                    [(x, y - 6), (x + 24, y + 6)],
                    PALE.mix(0.35).filled(),
                ))?,
                Sign::Error => {
                    area.draw(&PathElement::new(
                        [(x + 12, y - 8), (x + 12, y + 8)],
                        INK.stroke_width(1),
                    ))?;
                    for end in [y - 8, y + 8] {
                        area.draw(&PathElement::new(
                            [(x + 9, end), (x + 15, end)],
                            INK.stroke_width(1),
                        ))?;
                    }
                }
                Sign::Circle => {
                    area.draw(&Circle::new((x + 12, y), CIRCLE, INK.stroke_width(2)))?
                }
            }
            area.draw_text(meaning, &text(LABEL), (x + 32, y - 7))?;
        }
        Ok(())
    }
}
