//! The points of a space, one after another.

use crate::data::Points;
use crate::data::space::constraint::{Linear, ROUNDING};
use crate::data::space::embedding::View;
use crate::data::space::span::Span;

/// This many places of a real number are tried, if nothing is found behind the ones before.
const DRAWS: usize = 32;

/// This often a constraint may say no before points are too sparse to be found.
const REFUSALS: usize = 1 << 16;

/// A point with drawn real numbers that does not pass counts as so many refusals.
const REPEATED: usize = 16;

/// Multiples of it are spread over the unit interval, and none of them is where anybody else looks.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

impl View<'_> {
    /// The first points that pass, at most `most` of them, in the order of their values. Real
    /// numbers that may move stand where `draw` has them, so there is one point for all others.
    /// Fewer points are all, unless constraints leave so few that they are not found.
    pub fn first(
        &self,
        most: usize,
        passes: impl Fn(&[f64]) -> bool,
        draw: impl FnMut() -> f64,
    ) -> Points {
        let count = self.parameters.len();
        let mut walk = Walk {
            view: self,
            least: self.least_terms(),
            passes,
            draw,
            places: vec![0.0; count],
            codes: vec![f64::NAN; count],
            refusals: 0,
            most,
            found: Points::new(self.embedding.width()),
        };
        walk.descend(0);
        walk.found
    }

    /// The first point that passes, with real numbers in the middle of where they may be.
    pub fn one(&self, passes: impl Fn(&[f64]) -> bool) -> Option<Vec<f64>> {
        self.first(1, passes, || 0.5).rows().next().map(<[f64]>::to_vec)
    }

    /// Whether a point passes. Some that are known to be allowed are looked at first.
    pub fn any(&self, passes: impl Fn(&[f64]) -> bool) -> bool {
        let anchors = &self.embedding.anchors;
        let mut draw = 0.0;
        let next = || {
            draw = (draw + GOLDEN) % 1.0;
            draw
        };
        anchors.iter().any(|places| passes(&self.express(places)))
            || !self.first(1, passes, next).is_empty()
    }

    /// Of each linear constraint the least that each of its terms can be, and the rounding of their
    /// sum.
    fn least_terms(&self) -> Vec<(Vec<f64>, f64)> {
        let of_linear = |linear: &Linear| {
            let mut size = linear.bound.abs();
            let least = |&(parameter, weight): &(usize, f64)| {
                let ends = self.end_codes(parameter).map(|code| weight * code);
                size += ends[0].abs().max(ends[1].abs());
                let least = ends[0].min(ends[1]);
                if self.embedding.tests[parameter].is_empty() { least } else { least.min(0.0) }
            };
            let least = linear.terms.iter().map(least).collect();
            (least, ROUNDING * size)
        };
        self.embedding.linear.iter().map(of_linear).collect()
    }

    pub(in crate::data) fn end_codes(&self, parameter: usize) -> [f64; 2] {
        let kind = self.kind(parameter);
        if kind.is_real() {
            [0.0, 1.0].map(|place| kind.to_value(place))
        } else {
            [0.0, kind.count() - 1.0].map(|cell| kind.code_of_cell(cell))
        }
    }
}

/// A walk through all values of one parameter after the other, parents first.
struct Walk<'a, P, D> {
    view: &'a View<'a>,
    least: Vec<(Vec<f64>, f64)>,
    passes: P,
    draw: D,
    places: Vec<f64>,
    codes: Vec<f64>,
    refusals: usize,
    most: usize,
    found: Points,
}

impl<P: Fn(&[f64]) -> bool, D: FnMut() -> f64> Walk<'_, P, D> {
    /// Walks through what the parameters from a place in the order on may be.
    fn descend(&mut self, at: usize) {
        let Some(&parameter) = self.view.embedding.order.get(at) else { return self.arrive() };
        let kind = self.view.kind(parameter);
        if !self.view.exists(parameter, &self.codes) || kind.columns() == 0 {
            return self.step(at, 0.0);
        }
        let all = Span::all(kind);
        match self.view.embedding.span(parameter).unwrap_or(&all) {
            _ if kind.is_real() && !self.is_free(parameter) => {
                self.few_places(parameter).into_iter().for_each(|place| self.step(at, place));
            }
            span if kind.is_real() => {
                // A constraint may refuse most places.
                let before = self.found.len();
                for _ in 0..DRAWS {
                    let place = span.of_draw((self.draw)(), true);
                    self.step(at, place);
                    if self.found.len() > before || self.is_over() {
                        break;
                    }
                }
            }
            Span::Among(places) => places.iter().for_each(|&place| self.step(at, place)),
            &Span::Between(low, high) => {
                let mut place = low;
                while place <= high && !self.is_over() {
                    self.step(at, place);
                    place += 1.0;
                }
            }
        }
    }

    /// The places of a real number that has few, beside those of the parameters before it.
    fn few_places(&self, parameter: usize) -> Vec<f64> {
        match (self.view.embedding.span(parameter), &self.view.embedding.sums) {
            (Some(&Span::Between(low, high)), _) if low == high => vec![low],
            (_, Some(sums)) => {
                sums.few_places(parameter, &self.places, |other| !self.codes[other].is_nan())
            }
            _ => Vec::new(),
        }
    }

    /// Goes on with a parameter at a place.
    fn step(&mut self, at: usize, place: f64) {
        if self.is_over() {
            return;
        }
        let parameter = self.view.embedding.order[at];
        self.places[parameter] = place;
        self.codes[parameter] = if self.view.exists(parameter, &self.codes) {
            self.view.code(parameter, place)
        } else {
            f64::NAN
        };
        if self.is_in_vain(at) {
            self.refusals += 1;
        } else {
            self.descend(at + 1);
        }
        self.codes[parameter] = f64::NAN;
    }

    /// Whether a linear constraint is broken whatever comes after a place in the order. Floats are moved
    /// to those over floats in the end.
    fn is_in_vain(&self, at: usize) -> bool {
        let order = &self.view.embedding.order;
        let is_known = |parameter: usize| order[..=at].contains(&parameter);
        let embedding = self.view.embedding;
        let is_moved = |index: usize| embedding.sums.as_ref().is_some_and(|sums| sums.has(index));
        let linear = embedding.linear.iter().zip(&self.least).enumerate();
        let mut linear = linear.filter(|(index, _)| !is_moved(*index));
        linear.any(|(_, (linear, (least, rounding)))| {
            let term = |(&(parameter, weight), least): (&(usize, f64), &f64)| match self.codes
                [parameter]
            {
                code if !code.is_nan() => weight * code,
                _ if is_known(parameter) => 0.0,
                _ => *least,
            };
            let sum: f64 = linear.terms.iter().zip(least).map(term).sum();
            sum - linear.bound > *rounding
        })
    }

    fn arrive(&mut self) {
        let places = self.view.moved(self.places.clone());
        if !self.view.admits(&self.view.codes(&places)) {
            self.refusals += 1;
            return;
        }
        let unit = self.view.express(&places);
        if (self.passes)(&unit) {
            self.found.push(&unit);
        } else if (0..self.codes.len()).any(|at| !self.codes[at].is_nan() && self.is_free(at)) {
            // A drawn number is hardly ever where that of another point is.
            self.refusals += REPEATED;
        }
    }

    /// Whether it is a real number that has more than few places.
    fn is_free(&self, parameter: usize) -> bool {
        self.view.kind(parameter).is_real() && !self.view.has_few_places(parameter)
    }

    fn is_over(&self) -> bool {
        self.found.len() >= self.most || self.refusals >= REFUSALS
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::data::{Condition, Requirement, Space};

    #[test]
    fn one_point_is_looked_at_once_however_many_numbers_are_given() {
        let space = (0..12).fold(Space::new().log_float("rate", 1e-4, 1.0), |space, k| {
            space.float(format!("x{k}"), 0.0, 1.0)
        });
        let is = |name: &str, value: f64| Condition {
            parameter: name.to_owned(),
            requirement: Requirement::Is(vec![value.into()]),
        };
        let given: Vec<Condition> =
            (0..12).map(|k| is(&format!("x{k}"), 0.3)).chain([is("rate", 0.01)]).collect();
        let looked = Cell::new(0);
        let refuses = |_: &[f64]| {
            looked.set(looked.get() + 1);
            false
        };
        let part = space.part(&given).unwrap();
        assert!(part.is_finite() && !space.is_finite());
        assert!(part.view().first(7, refuses, || 0.5).is_empty() && looked.get() == 1);
        // Where a number may be anywhere, the search of a point that was not taken ends, too.
        let part = space.part(&given[1..]).unwrap();
        assert!(!part.is_finite());
        assert!(part.view().first(7, refuses, || 0.5).is_empty() && looked.get() <= 1 << 13);
    }
}
