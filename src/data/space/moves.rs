//! Points that are drawn from a space, and moves from one point to another.

use std::collections::HashSet;

use rand::{Rng, RngExt};

use crate::data::space::embedding::{MIDDLE, View};
use crate::data::space::span::Span;
use crate::data::{ParameterKind, Points};
use crate::math::sobol::Sobol;

/// Up to this number of values, all of them are neighbors of each other. Of more ordered values
/// the neighbors are those at a distance of 1, 2, 4 and so on.
const FEW: f64 = 8.0;

/// Up to this number of names, all of them are neighbors of each other. Of more, a fixed number is
/// drawn: most have no trial, and to a model these are all alike.
const MANY: f64 = 512.0;
const DRAWN_NAMES: usize = 64;

/// How many points a change of a condition leads to: the parameters that come to exist are drawn.
const DRAWN: usize = 4;

/// How many draws are looked at to count patterns of what exists.
const PATTERNS: usize = 256;

impl View<'_> {
    /// The places of a draw: uniform numbers, one for each parameter that varies. Floats with linear
    /// constraints are uniform among the points at which these hold.
    pub fn drawn(&self, draw: &[f64]) -> Vec<f64> {
        let mut draw = draw.iter();
        let sums = self.embedding.sums.as_ref();
        let place = |parameter: usize| match self.kind(parameter) {
            kind if kind.columns() == 0 => 0.0,
            _ => {
                let number = *draw.next().unwrap_or(&MIDDLE);
                let is_spread = sums.is_some_and(|sums| sums.moves(parameter));
                if is_spread { number } else { self.place_of_draw(parameter, number) }
            }
        };
        let mut places: Vec<f64> = (0..self.parameters.len()).map(place).collect();
        if let Some(sums) = &sums {
            sums.spread(&mut places);
        }
        places
    }

    fn place_of_draw(&self, parameter: usize, draw: f64) -> f64 {
        match (self.kind(parameter), self.embedding.span(parameter)) {
            (kind, Some(span)) => span.of_draw(draw, kind.is_real()),
            (kind, None) if kind.is_real() => draw,
            (kind, None) => kind.cell(draw),
        }
    }

    /// Among how many names each number of a [draw](Self::drawn) chooses; 0 for what has an order.
    pub fn choices(&self) -> Vec<usize> {
        let varied = (0..self.parameters.len()).filter(|&index| self.kind(index).columns() > 0);
        let count = |index: usize| match (self.kind(index), self.embedding.span(index)) {
            (kind, _) if kind.is_ordered() => 0,
            (_, Some(Span::Among(places))) => places.len(),
            (_, Some(Span::Between(low, high))) => (high - low) as usize + 1,
            (kind, None) => kind.count() as usize,
        };
        varied.map(count).collect()
    }

    /// The point of the cube of a draw, moved to an allowed one. Whole numbers come to the centers
    /// of their cells.
    pub fn at_draw(&self, draw: &[f64]) -> Vec<f64> {
        self.express(&self.admitted(self.drawn(draw)))
    }

    /// How many patterns there are of parameters that exist together, among some draws; 1 without
    /// conditions.
    pub fn patterns(&self) -> usize {
        if self.embedding.tests.iter().all(Vec::is_empty) {
            return 1;
        }
        let draws = Sobol::new(self.draws(), 0).points(0, PATTERNS);
        let exists = |draw: &[f64]| -> Vec<bool> {
            self.codes(&self.drawn(draw)).iter().map(|code| code.is_nan()).collect()
        };
        draws.rows().map(exists).collect::<HashSet<_>>().len()
    }

    /// A place among the values of a parameter, uniformly.
    pub fn any_place(&self, parameter: usize, random: &mut impl Rng) -> f64 {
        let draw: f64 = random.random();
        self.place_of_draw(parameter, draw)
    }

    /// All allowed points in which one parameter that is no real number has another value, of those
    /// that exist. Real numbers stay. What comes to exist by the change is drawn.
    pub fn neighbors(&self, unit: &[f64], random: &mut impl Rng, points: &mut Points) {
        let (places, exists) = self.places(unit, |parameter| self.any_place(parameter, random));
        for parameter in 0..places.len() {
            let kind = self.kind(parameter);
            if !exists[parameter] || kind.is_real() || kind.columns() == 0 {
                continue;
            }
            let decides = self
                .embedding
                .tests
                .iter()
                .any(|tests| tests.iter().any(|(parent, _)| *parent == parameter));
            let others = if kind.count() > MANY && !kind.is_ordered() {
                (0..DRAWN_NAMES).map(|_| self.any_place(parameter, random)).collect()
            } else {
                others(kind, places[parameter])
            };
            for other in others.into_iter().filter(|other| *other != places[parameter]) {
                for _ in 0..if decides { DRAWN } else { 1 } {
                    let mut moved = places.clone();
                    moved[parameter] = other;
                    if decides {
                        for (child, exists) in exists.iter().enumerate() {
                            if !exists {
                                moved[child] = self.any_place(child, random);
                            }
                        }
                    }
                    let is_free = !self.embedding.constrained && !self.embedding.is_part();
                    if is_free || self.admits(&self.codes(&moved)) {
                        points.push(&self.express(&moved));
                    }
                }
            }
        }
    }

    /// Whether each column moves from this point: [`sides`](Self::sides) leave room.
    pub fn moving(&self, unit: &[f64]) -> Vec<bool> {
        let (lower, upper) = self.sides(unit);
        lower.iter().zip(&upper).map(|(lower, upper)| lower < upper).collect()
    }

    /// From where to where each column may go from this point while all else stays: that of a real
    /// number that exists. A part that is absent stays so.
    pub fn sides(&self, unit: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (places, exists) = self.places(unit, |_| 0.0);
        let (mut lower, mut upper) = (unit.to_vec(), unit.to_vec());
        for (parameter, exists) in exists.into_iter().enumerate() {
            if exists && self.kind(parameter).is_real() {
                let column = self.columns_of(parameter).start;
                match self.embedding.span(parameter) {
                    Some(span) if span.is_one() => {}
                    Some(Span::Between(low, high)) => {
                        (lower[column], upper[column]) = (*low, *high);
                    }
                    _ => (lower[column], upper[column]) = (0.0, 1.0),
                }
            }
        }
        for (parameter, low, high) in
            self.embedding.sums.iter().flat_map(|sums| sums.sides(&places))
        {
            let column = self.columns_of(parameter).start;
            lower[column] = low;
            upper[column] = high;
        }
        (lower, upper)
    }
}

/// Other values of a parameter than the one at this place.
fn others(kind: &ParameterKind, place: f64) -> Vec<f64> {
    let count = kind.count();
    if count <= FEW || !kind.is_ordered() {
        return (0..count as usize).map(|k| k as f64).filter(|other| *other != place).collect();
    }
    let mut others = Vec::new();
    let mut distance = 1.0;
    while distance < count {
        others.extend(
            [place - distance, place + distance]
                .into_iter()
                .filter(|other| (0.0..count).contains(other)),
        );
        distance *= 2.0;
    }
    others
}
