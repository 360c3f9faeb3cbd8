//! Axes of plotters.

use std::ops::{Deref, Range};

use picture::number::short;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// A scale as an axis of plotters.
#[derive(Debug, Clone)]
pub struct Scale(picture::Scale);

impl Scale {
    pub fn exact(low: f64, high: f64) -> Self {
        Self(picture::Scale::exact(low, high))
    }

    pub fn silent(places: Range<f64>) -> Self {
        Self(picture::Scale::silent(places))
    }

    pub fn around(logarithmic: bool, numbers: impl Iterator<Item = f64> + Clone) -> Self {
        Self(picture::Scale::around(logarithmic, numbers))
    }

    pub fn lowered(self, factor: f64) -> Self {
        Self(self.0.lowered(factor))
    }
}

impl Deref for Scale {
    type Target = picture::Scale;

    fn deref(&self) -> &picture::Scale {
        &self.0
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (first, last): (i32, i32)) -> i32 {
        let Range { start, end } = self.places();
        let part = (place - start) / (end - start);
        first + (part * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { self.light() } else { self.ticks() }.to_vec()
    }

    fn range(&self) -> Range<f64> {
        self.places()
    }
}

impl ValueFormatter<f64> for Scale {
    fn format(place: &f64) -> String {
        short(*place, 3)
    }

    fn format_ext(&self, place: &f64) -> String {
        self.label(*place)
    }
}
