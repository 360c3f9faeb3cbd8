//! Which points of a space are allowed, and how others are moved to these.

use crate::data::space::chosen::Cardinality;
use crate::data::space::constraint::{Constraint, Linear};
use crate::data::space::embedding::View;
use crate::data::{Parameter, Value, Values};
use crate::math::points::mixed_bits;
use crate::math::sobol::Sobol;

/// Quasi-random points that are tried to find allowed ones, and how many of these are kept.
pub(in crate::data) const TRIED: usize = 1 << 14;
const ANCHORS: usize = 64;

/// How often a point that breaks linear constraints is moved toward them.
const MOVES: usize = 50;

/// Halvings of the way from an allowed point to one that is not.
const HALVINGS: usize = 12;

impl<'a> View<'a> {
    /// Whether the constraints hold.
    pub fn admits(&self, codes: &[f64]) -> bool {
        self.in_spans(codes) && self.broken(codes).is_none()
    }

    /// Whether what exists stands where it may in this part of a space.
    fn in_spans(&self, codes: &[f64]) -> bool {
        let places = || self.places_of_codes(codes);
        !self.embedding.is_part()
            || places().into_iter().enumerate().all(|(parameter, place)| {
                let span = self.embedding.span(parameter);
                codes[parameter].is_nan() || span.is_none_or(|span| span.reaches(place))
            })
    }

    /// The places with each parameter where it may stand in this part of a space. A name that may
    /// not be chosen gives way to the first one that may.
    fn spanned(&self, mut places: Vec<f64>) -> Vec<f64> {
        for (parameter, place) in places.iter_mut().enumerate() {
            if let Some(span) = self.embedding.span(parameter) {
                *place = span.nearest(*place);
            }
        }
        places
    }

    /// The first constraint that does not hold.
    pub(in crate::data) fn broken(&self, codes: &[f64]) -> Option<&'a Constraint> {
        let mut linear = self.embedding.linear.iter();
        let mut cardinalities = self.embedding.cardinalities.iter();
        let mut values: Option<Vec<Value>> = None;
        self.constraints.iter().find(|constraint| match constraint {
            Constraint::Linear { .. } | Constraint::Equation { .. } => {
                linear.next().is_some_and(|linear| linear.excess(codes) > 0.0)
            }
            Constraint::Cardinality { .. } => {
                cardinalities.next().is_some_and(|cardinality| !cardinality.holds(codes))
            }
            Constraint::Predicate(predicate) => {
                let values = values.get_or_insert_with(|| self.values(codes));
                !(predicate.function)(&Values::new(&self.embedding.names, values))
            }
        })
    }

    /// What makes a constraint break at these codes, in words to go on with.
    pub(in crate::data) fn why_broken(&self, constraint: &Constraint, codes: &[f64]) -> String {
        let index_of = |name: &str| self.parameters.iter().position(|one| one.name == name);
        if let Some(linear) = Linear::of(constraint, index_of) {
            return format!(", where the sum is {}", linear.sum(codes).0);
        }
        let Some(cardinality) = Cardinality::of(constraint, index_of, |_| 1.0) else {
            return String::new();
        };
        match cardinality.too_little(codes) {
            Some(part) => format!(", where {:?} is there with less", self.parameters[part].name),
            None => format!(", where {} are there", cardinality.count(codes)),
        }
    }

    /// The allowed places nearest in spirit to these: the same if they are allowed; otherwise moved
    /// to the linear constraints; otherwise on the way to an allowed point, as far from it as
    /// possible.
    pub fn admitted(&self, places: Vec<f64>) -> Vec<f64> {
        let places = self.spanned(places);
        if !self.embedding.constrained || self.admits(&self.codes(&places)) {
            return places;
        }
        let moved = self.projected(places.clone());
        if self.admits(&self.codes(&moved)) {
            return moved;
        }
        let anchors = &self.embedding.anchors;
        if anchors.is_empty() {
            return places;
        }
        // Any fixed choice that differs from point to point will do.
        let mix = mixed_bits(places.iter().copied());
        self.toward(&anchors[(mix >> 7) as usize % anchors.len()], &places)
    }

    /// Places moved to the nearest ones at which the linear constraints over floats hold.
    pub fn moved(&self, mut places: Vec<f64>) -> Vec<f64> {
        self.embedding.sums.iter().for_each(|sums| sums.enter(&mut places));
        places
    }

    /// The farthest allowed places on the way from allowed ones to others.
    pub fn toward(&self, from: &[f64], to: &[f64]) -> Vec<f64> {
        let at = |share: f64| -> Vec<f64> {
            let one = |(parameter, (&from, &to)): (&Parameter, (&f64, &f64))| {
                let between = from + share * (to - from);
                match &parameter.kind {
                    kind if kind.is_real() => between,
                    kind if kind.is_ordered() => between.round(),
                    _ if share < 0.5 => from,
                    _ => to,
                }
            };
            self.parameters.iter().zip(from.iter().zip(to)).map(one).collect()
        };
        let (mut inside, mut outside, mut best) = (0.0, 1.0, from.to_vec());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + outside);
            let places = at(middle);
            if self.admits(&self.codes(&places)) {
                inside = middle;
                best = places;
            } else {
                outside = middle;
            }
        }
        best
    }

    /// Moves places toward the linear constraints that they break. With equations, all floats go to the
    /// nearest point at once, and again after the others.
    fn projected(&self, places: Vec<f64>) -> Vec<f64> {
        if !self.is_flat() {
            return self.nudged(places);
        }
        let settled = |places: Vec<f64>| self.settled(&places).unwrap_or(places);
        let moved = settled(places);
        if self.admits(&self.codes(&moved)) { moved } else { settled(self.nudged(moved)) }
    }

    /// Moves places toward the linear constraints: floats to the nearest point of those over floats
    /// alone, numbers along the normal, then others value by value.
    fn nudged(&self, mut places: Vec<f64>) -> Vec<f64> {
        for turn in 0..MOVES {
            let codes = self.codes(&places);
            let mut linear = self.embedding.linear.iter().enumerate();
            let Some((index, linear)) = linear.find(|(_, linear)| linear.excess(&codes) > 0.0)
            else {
                break;
            };
            if let Some(sums) = self.embedding.sums.as_ref().filter(|sums| sums.has(index)) {
                sums.enter(&mut places);
                continue;
            }
            let here = |&&(index, weight): &&(usize, f64)| !codes[index].is_nan() && weight != 0.0;
            let slope =
                |index: usize, weight: f64| weight * self.kind(index).derivative(places[index]);
            let reals: Vec<(usize, f64)> = linear
                .terms
                .iter()
                .filter(here)
                .filter(|(index, _)| self.kind(*index).is_real())
                .map(|&(index, weight)| (index, slope(index, weight)))
                // One at its bound cannot move further.
                .filter(
                    |&(index, slope)| {
                        if slope > 0.0 { places[index] > 0.0 } else { places[index] < 1.0 }
                    },
                )
                .collect();
            let norm: f64 = reals.iter().map(|(_, slope)| slope * slope).sum();
            if norm > 0.0 {
                // A little beyond, so that rounding does not leave it outside.
                let step = linear.excess(&codes) * (1.0 + 1e-6) / norm;
                for (index, slope) in reals {
                    places[index] = (places[index] - step * slope).clamp(0.0, 1.0);
                }
                continue;
            }
            // Real numbers are at their bounds here: there is nowhere to move them.
            let lower = |&&(index, weight): &&(usize, f64)| {
                if self.kind(index).is_real() {
                    return false;
                }
                let last = self.kind(index).count() - 1.0;
                if weight > 0.0 { places[index] > 0.0 } else { places[index] < last }
            };
            let movable: Vec<&(usize, f64)> =
                linear.terms.iter().filter(here).filter(lower).collect();
            if movable.is_empty() {
                break;
            }
            let &(index, weight) = movable[(7 * turn + 3) % movable.len()];
            places[index] -= weight.signum();
        }
        places
    }

    /// Places of allowed points.
    pub(in crate::data) fn find_anchors(&self) -> Vec<Vec<f64>> {
        let draws = Sobol::new(self.draws().max(1), 0).points(0, TRIED);
        let mut anchors: Vec<Vec<f64>> = Vec::new();
        for draw in draws.rows() {
            let mut places = self.drawn(draw);
            if !self.admits(&self.codes(&places)) {
                places = self.projected(places);
            }
            if self.admits(&self.codes(&places)) && !anchors.contains(&places) {
                anchors.push(places);
            }
            if anchors.len() == ANCHORS {
                break;
            }
        }
        anchors
    }
}
