//! Points that were scored, from which starts are chosen.

use std::borrow::Cow;

use crate::data::Points;
use crate::maximize::mixed::Sequence;

/// Points that were scored.
pub(super) struct Scanned<'a> {
    points: Scored<'a>,
    pub values: Vec<f64>,
    /// How many of the values, the last ones, are those of hints.
    pub hints: usize,
}

enum Scored<'a> {
    Made(Cow<'a, Points>),
    /// Points of a sequence, which the backend made, then hints.
    Drawn(Sequence<'a>, &'a Points),
}

impl<'a> Scanned<'a> {
    /// The first `values.len()` of these points were scored.
    pub fn of(points: Cow<'a, Points>, values: Vec<f64>, hints: usize) -> Self {
        Self { points: Scored::Made(points), values, hints }
    }

    /// The first points of a sequence, which the backend made, and the first `of_hints` hints.
    pub fn drawn(raw: Sequence<'a>, hints: &'a Points, values: Vec<f64>, of_hints: usize) -> Self {
        Self { points: Scored::Drawn(raw, hints), values, hints: of_hints }
    }

    /// The coordinates of a point.
    pub fn dim(&self) -> usize {
        match &self.points {
            Scored::Made(points) => points.dim(),
            Scored::Drawn(_, hints) => hints.dim(),
        }
    }

    /// Some of the points.
    pub fn select(&self, rows: &[usize]) -> Points {
        match &self.points {
            Scored::Made(points) => points.select(rows.iter().copied()),
            Scored::Drawn(raw, hints) => {
                let drawn = self.values.len() - self.hints;
                let mut points = Points::with_capacity(hints.dim(), rows.len());
                for &row in rows {
                    match row.checked_sub(drawn) {
                        Some(hint) => points.push(hints.row(hint)),
                        None => points.extend(&raw.points(row..row + 1)),
                    }
                }
                points
            }
        }
    }
}
