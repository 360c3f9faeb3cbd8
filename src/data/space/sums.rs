//! Linear constraints over floats, as a polytope of places.

use rand::{Rng, RngExt};

use crate::data::space::chosen::Chosen;
use crate::error::{Error, ErrorKind};
use crate::math::polytope::{Polytope, Spread};

/// Partners of a part of a sum, to which amounts of it go.
const PARTNERS: usize = 2;

/// The linear constraints whose parameters are floats on a linear scale that always exist, and
/// cardinality constraints. Together they are a polytope of places, or some faces of it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) struct Sums {
    pub summed: Summed,
    pub spread: Spreading,
    /// All points, if they are few.
    pub few: Option<Vec<Vec<f64>>>,
}

/// Where points are.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) enum Spreading {
    /// Everywhere in the polytope.
    All(Box<Spread>),
    /// On faces of it, on which parts are absent.
    Faces(Chosen),
}

/// Which constraints and parameters they are, and the polytope of places.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) struct Summed {
    /// The parameter of each coordinate.
    pub parameters: Vec<usize>,
    /// The constraints, by their indices among the linear ones: each has a row.
    pub constraints: Vec<usize>,
    pub polytope: Polytope,
}

impl Sums {
    /// Whether it has a linear constraint.
    pub fn has(&self, index: usize) -> bool {
        self.summed.constraints.contains(&index)
    }

    /// How many constraints they are.
    pub fn constraints(&self) -> usize {
        let chosen = self.chosen().map_or(0, Chosen::len);
        self.summed.constraints.len() + chosen
    }

    /// Whether a parameter is among those of the constraints.
    pub fn moves(&self, parameter: usize) -> bool {
        self.summed.parameters.binary_search(&parameter).is_ok()
    }

    /// Whether the constraints leave a parameter few places, whichever ones others have.
    pub fn has_few(&self, parameter: usize) -> bool {
        let at = self.summed.parameters.binary_search(&parameter);
        at.is_ok_and(|at| self.few.is_some() || !self.summed.polytope.moves(at))
    }

    /// The places of a parameter that has few, beside those of the parameters that are `known`.
    pub fn few_places(
        &self,
        parameter: usize,
        places: &[f64],
        is_known: impl Fn(usize) -> bool,
    ) -> Vec<f64> {
        let Summed { parameters, polytope, .. } = &self.summed;
        let Ok(at) = parameters.binary_search(&parameter) else { return Vec::new() };
        let Some(few) = &self.few else { return vec![polytope.lower[at]] };
        let is_beside = |point: &&Vec<f64>| {
            let mut both = parameters.iter().zip(point.iter());
            both.all(|(one, place)| !is_known(*one) || *place == places[*one])
        };
        let mut found: Vec<f64> = few.iter().filter(is_beside).map(|point| point[at]).collect();
        found.sort_by(f64::total_cmp);
        found.dedup();
        found
    }

    fn chosen(&self) -> Option<&Chosen> {
        match &self.spread {
            Spreading::All(_) => None,
            Spreading::Faces(chosen) => Some(chosen),
        }
    }

    /// Spreads the places of a draw over the points at which the constraints hold.
    pub fn spread(&self, places: &mut [f64]) {
        let polytope = &self.summed.polytope;
        self.change(places, |point| match &self.spread {
            Spreading::All(spread) => spread.put(point),
            Spreading::Faces(chosen) => chosen.put(polytope, point),
        });
    }

    /// Moves places to the nearest ones at which the constraints hold.
    pub fn enter(&self, places: &mut [f64]) {
        let polytope = &self.summed.polytope;
        let nearest = |point: &[f64]| match &self.spread {
            Spreading::All(_) => polytope.nearest(point),
            Spreading::Faces(chosen) => chosen.nearest(polytope, point),
        };
        self.change(places, |point| {
            if let Some(nearest) = nearest(point) {
                point.copy_from_slice(&nearest);
            }
        });
    }

    /// From where to where parameters may go: what is absent stays so, and what the constraints leave
    /// one value keeps it.
    pub fn sides(&self, places: &[f64]) -> Vec<(usize, f64, f64)> {
        let polytope = &self.summed.polytope;
        let face = self.chosen().and_then(|chosen| chosen.face_at(polytope, &self.point(places)));
        let Polytope { lower, upper, .. } = face.as_ref().unwrap_or(polytope);
        let sides = lower.iter().zip(upper).map(|(low, high)| (*low, *high));
        let sides = self.summed.parameters.iter().zip(sides);
        sides.map(|(one, (low, high))| (*one, low, high)).collect()
    }

    /// Places at which an amount has gone from one part of a sum to another: half of it, all of it, or
    /// the two are exchanged. Each part has some random partners. A part that may be absent also comes
    /// or leaves.
    pub fn transfers(&self, places: &[f64], random: &mut impl Rng) -> Vec<Vec<f64>> {
        let Polytope { lower, rows, .. } = &self.summed.polytope;
        let mut moved = Vec::new();
        if let Some(chosen) = self.chosen() {
            for point in chosen.neighbors(&self.summed.polytope, &self.point(places), random) {
                let mut target = places.to_vec();
                self.put(&mut target, &point);
                self.enter(&mut target);
                moved.push(target);
            }
        }
        for row in rows {
            let is_part = |j: &usize| row.weights[*j] != 0.0 && self.summed.polytope.moves(*j);
            let parts: Vec<usize> = (0..lower.len()).filter(is_part).collect();
            if parts.len() < 2 {
                continue;
            }
            for (at, &from) in parts.iter().enumerate() {
                for _ in 0..PARTNERS {
                    let to = parts[(at + random.random_range(1..parts.len())) % parts.len()];
                    let amount =
                        |j: usize| row.weights[j] * (places[self.summed.parameters[j]] - lower[j]);
                    let here = amount(from);
                    let there = amount(to);
                    for gone in [0.5 * here, here, here - there] {
                        let mut target = places.to_vec();
                        target[self.summed.parameters[from]] -= gone / row.weights[from];
                        target[self.summed.parameters[to]] += gone / row.weights[to];
                        self.enter(&mut target);
                        moved.push(target);
                    }
                }
            }
        }
        moved
    }

    /// Takes the rounding from places at which the constraints hold: what is next to a bound stands
    /// there, and of few points one is the nearest.
    pub fn settle(&self, places: &mut [f64]) {
        self.change(places, |_| {});
    }

    fn change(&self, places: &mut [f64], change: impl FnOnce(&mut [f64])) {
        let mut point = self.point(places);
        change(&mut point);
        let distance = |other: &[f64]| -> f64 {
            other.iter().zip(&point).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let nearest = self.few.iter().flatten();
        match nearest.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            Some(nearest) => self.put(places, nearest),
            None => {
                let polytope = &self.summed.polytope;
                let settled = point.iter().enumerate().map(|(at, x)| polytope.at_bound(at, *x));
                self.put(places, &settled.collect::<Vec<_>>());
            }
        }
    }

    fn point(&self, places: &[f64]) -> Vec<f64> {
        self.summed.parameters.iter().map(|one| places[*one]).collect()
    }

    fn put(&self, places: &mut [f64], point: &[f64]) {
        self.summed.parameters.iter().zip(point).for_each(|(one, place)| places[*one] = *place);
    }
}

/// Why the linear constraints over floats make no space.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) enum Flaw {
    /// These leave no point. Without any one of them there are some.
    Contradiction(String),
    /// They leave one point, and no other parameter varies.
    OnePoint(String),
}

impl Flaw {
    pub fn error(&self) -> Error {
        Error::new(ErrorKind::Empty, self.words())
    }

    pub fn words(&self) -> &str {
        let (Self::Contradiction(message) | Self::OnePoint(message)) = self;
        message
    }
}
