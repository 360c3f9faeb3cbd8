//! Cardinality constraints: which parts are there, and the face of a polytope that these leave.

use std::collections::HashSet;

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::data::space::constraint::{Constraint, ROUNDING};
use crate::math::points::{is_same, mixed_bits};
use crate::math::polytope::{MIDDLE, Polytope, Spread};

/// Sets of parts that are tried, and how many are kept of those that leave a point.
pub(in crate::data) const TRIED: usize = 512;
const KEPT: usize = 32;

/// Sets of parts that are looked at to find all points, and the most that are few.
const SOUGHT: usize = 1 << 13;
const FEW: usize = 1 << 10;

/// What is no larger than this share of the range of a part is rounding.
const NOTHING: f64 = 1e-12;

/// At most so many of some parts are more than 0, and what is there is at least so much.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) struct Cardinality {
    /// By index: of parameters where values are meant, of coordinates where places are.
    pub parts: Vec<usize>,
    pub at_most: usize,
    /// The least of each part that is there.
    pub least: Vec<f64>,
    /// The most of each part: one place is so much.
    pub most: Vec<f64>,
}

impl Cardinality {
    /// A constraint by the indices of its parameters; `None` if it is no cardinality constraint.
    pub fn of(
        constraint: &Constraint,
        index_of: impl Fn(&str) -> Option<usize>,
        most: impl Fn(usize) -> f64,
    ) -> Option<Self> {
        let Constraint::Cardinality { parts, at_most, least } = constraint else { return None };
        let parts: Vec<usize> = parts.iter().filter_map(|part| index_of(part)).collect();
        let most = parts.iter().map(|part| most(*part)).collect();
        Some(Self { at_most: *at_most, least: vec![*least; parts.len()], most, parts })
    }

    /// The same over coordinates of places.
    pub fn over_places(&self, coordinate: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let parts = self.parts.iter().map(|part| coordinate(*part)).collect::<Option<_>>()?;
        let least = self.least.iter().zip(&self.most).map(|(least, most)| least / most).collect();
        Some(Self { parts, least, ..self.clone() })
    }

    /// How many parts are there.
    pub fn count(&self, codes: &[f64]) -> usize {
        self.parts.iter().filter(|part| codes[**part] != 0.0).count()
    }

    /// The first part that is there with less than the least of it.
    pub fn too_little(&self, codes: &[f64]) -> Option<usize> {
        let is_less = |(part, least): &(&usize, &f64)| {
            codes[**part] != 0.0 && codes[**part] < **least * (1.0 - ROUNDING)
        };
        self.parts.iter().zip(&self.least).find(is_less).map(|(part, _)| *part)
    }

    /// Whether it holds.
    pub fn holds(&self, codes: &[f64]) -> bool {
        self.count(codes) <= self.at_most && self.too_little(codes).is_none()
    }

    /// Whether a part must be there within these bounds, and whether it can.
    fn must_and_can(&self, at: usize, bounds: &Polytope) -> (bool, bool) {
        let part = self.parts[at];
        let least = self.least[at].max(bounds.lower[part]);
        (bounds.lower[part] > 0.0, bounds.upper[part] > 0.0 && bounds.upper[part] >= least)
    }

    /// Marks at most `count` parts as there: those that must be, and the largest of those whose size
    /// is positive.
    fn mark(
        &self,
        bounds: &Polytope,
        there: &mut [bool],
        count: usize,
        size: impl Fn(usize) -> f64,
    ) {
        let mut sizes: Vec<(f64, usize)> = Vec::with_capacity(self.parts.len());
        for (at, &part) in self.parts.iter().enumerate() {
            there[part] = false;
            match self.must_and_can(at, bounds) {
                (true, _) => sizes.push((f64::INFINITY, part)),
                (_, true) if size(at) > 0.0 => sizes.push((size(at), part)),
                _ => {}
            }
        }
        // A stable sort keeps equal ones in their order.
        sizes.sort_by(|a, b| b.0.total_cmp(&a.0));
        sizes.iter().take(count).for_each(|(_, part)| there[*part] = true);
    }

    /// The parts that a draw chooses, each set of at most so many parts as likely as any other: how
    /// many from the bits of the draw, and which by its smallest numbers. The numbers of what is
    /// there then are uniform again. A draw in the middle has the first parts, in the middle.
    fn draw(
        &self,
        bounds: &Polytope,
        point: &mut [f64],
        there: &mut [bool],
        random: &mut impl Rng,
    ) {
        let (mut must, mut can) = (0, 0);
        for at in 0..self.parts.len() {
            let (is_must, is_possible) = self.must_and_can(at, bounds);
            must += usize::from(is_must);
            can += usize::from(is_possible && !is_must);
        }
        let free = self.at_most.saturating_sub(must).min(can);
        if self.parts.iter().all(|part| point[*part] == MIDDLE) {
            return self.mark(bounds, there, must + free, |_| 1.0);
        }
        let count = must + any_size(can, free, random);
        self.mark(bounds, there, count.min(self.at_most), |at| 2.0 - point[self.parts[at]]);
        // The numbers of what is free and there are those below the least of all others.
        let is_drawn = |at: &usize| self.must_and_can(*at, bounds) == (false, true);
        let drawn: Vec<usize> =
            (0..self.parts.len()).filter(is_drawn).map(|at| self.parts[at]).collect();
        let others = drawn.iter().filter(|part| !there[**part]).map(|part| point[*part]);
        let end = others.fold(1.0, f64::min);
        for part in drawn.into_iter().filter(|part| there[*part] && end > 0.0) {
            point[part] = (point[part] / end).min(1.0);
        }
    }
}

/// The size of a set of at most `most` of `all`, each such set as likely as any other.
fn any_size(all: usize, most: usize, random: &mut impl Rng) -> usize {
    let mut logs = vec![0.0];
    for size in 1..=most {
        logs.push(logs[size - 1] + ((all + 1 - size) as f64 / size as f64).ln());
    }
    let largest = logs.iter().copied().fold(0.0, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let mut left = random.random::<f64>() * weights.iter().sum::<f64>();
    let passed = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    passed.unwrap_or(most)
}

/// Cardinality constraints over the coordinates of a polytope, and sets of parts that leave points.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) struct Chosen {
    cardinalities: Vec<Cardinality>,
    /// For each set whether each coordinate may be more than 0.
    sets: Vec<Vec<bool>>,
}

impl Chosen {
    /// `None` if no set was found that leaves a point.
    pub fn new(cardinalities: Vec<Cardinality>, polytope: &Polytope) -> Option<Self> {
        let mut chosen = Self { cardinalities, sets: Vec::new() };
        let mut random = Pcg64::seed_from_u64(polytope.dim() as u64);
        for turn in 0..TRIED {
            let there = chosen.any(polytope, turn, &mut random)?;
            let is_new = !chosen.sets.contains(&there);
            if is_new
                && chosen
                    .face(polytope, &there)
                    .is_some_and(|face| face.nearest(&face.lower).is_some())
            {
                chosen.sets.push(there);
            }
            if chosen.sets.len() == KEPT {
                break;
            }
        }
        (!chosen.sets.is_empty()).then_some(chosen)
    }

    /// A set of parts; in every other turn that of a corner. `None` if the polytope is empty.
    fn any(&self, polytope: &Polytope, turn: usize, random: &mut impl Rng) -> Option<Vec<bool>> {
        let mut point: Vec<f64> = polytope.lower.iter().map(|_| random.random()).collect();
        if turn.is_multiple_of(2) {
            return Some(self.draw(polytope, &mut point));
        }
        // A corner has few parts: the nearest point to one far away is near to one.
        for place in &mut point {
            *place = (*place - 0.5) * 1e3;
        }
        Some(self.there(polytope, &polytope.nearest(&point)?))
    }

    /// All points, if each set of parts leaves one and they are few.
    pub fn points(&self, polytope: &Polytope) -> Option<Vec<Vec<f64>>> {
        let mut random = Pcg64::seed_from_u64(polytope.dim() as u64);
        let (mut seen, mut points) = (HashSet::new(), Vec::<Vec<f64>>::new());
        for turn in 0..SOUGHT {
            let there = match self.sets.get(turn) {
                Some(set) => set.clone(),
                None => self.any(polytope, turn, &mut random)?,
            };
            if !seen.insert(there.clone()) {
                continue;
            }
            let Some(mut face) = self.face(polytope, &there) else { continue };
            let Some(somewhere) = face.nearest(&face.lower) else { continue };
            face.tighten(&somewhere);
            let point = face.only()?;
            if !points.iter().any(|other| is_same(other, &point)) {
                points.push(point);
            }
            if points.len() > FEW {
                return None;
            }
        }
        Some(points)
    }

    /// How many constraints they are.
    pub fn len(&self) -> usize {
        self.cardinalities.len()
    }

    /// Which coordinates a point leaves more than 0: the largest parts, as many as there may be.
    fn there(&self, polytope: &Polytope, point: &[f64]) -> Vec<bool> {
        let mut there = vec![true; point.len()];
        for one in &self.cardinalities {
            // Less than half of the least is nothing.
            let size = |at: usize| match point[one.parts[at]] {
                place if place >= (0.5 * one.least[at]).max(NOTHING) => place * one.most[at],
                _ => 0.0,
            };
            one.mark(polytope, &mut there, one.at_most, size);
        }
        there
    }

    /// Puts the point of a draw there, uniform on a face.
    pub fn put(&self, polytope: &Polytope, point: &mut [f64]) {
        let there = self.draw(polytope, point);
        let spread = |there: &[bool]| Spread::brief(self.face(polytope, there)?);
        let spread = spread(&there).or_else(|| spread(self.known(&there)));
        if let Some(spread) = &spread {
            spread.put(point);
        }
    }

    /// Which coordinates a draw leaves more than 0. Its other numbers become those of a draw of the
    /// face.
    fn draw(&self, polytope: &Polytope, point: &mut [f64]) -> Vec<bool> {
        let mut there = vec![true; point.len()];
        let mut random = Pcg64::seed_from_u64(mixed_bits(point.iter().copied()));
        for one in &self.cardinalities {
            one.draw(polytope, point, &mut there, &mut random);
        }
        there
    }

    /// The points at which exactly these parts may be more than 0; `None` if one of the others must be.
    fn face(&self, polytope: &Polytope, there: &[bool]) -> Option<Polytope> {
        let mut face = polytope.clone();
        for one in &self.cardinalities {
            for (&part, &least) in one.parts.iter().zip(&one.least) {
                if there[part] {
                    face.lower[part] = face.lower[part].max(least).min(face.upper[part]);
                } else if face.lower[part] > 0.0 {
                    return None;
                } else {
                    face.upper[part] = 0.0;
                }
            }
        }
        Some(face)
    }

    /// The face on which a point stands.
    pub fn face_at(&self, polytope: &Polytope, point: &[f64]) -> Option<Polytope> {
        let is_there: Vec<bool> = point.iter().map(|place| *place != 0.0).collect();
        self.face(polytope, &is_there)
    }

    /// The known set that has most in common with another one.
    fn known(&self, there: &[bool]) -> &[bool] {
        let common = |set: &&Vec<bool>| set.iter().zip(there).filter(|(a, b)| a == b).count();
        // The first of the best ones.
        let best = self.sets.iter().rev().max_by_key(common);
        best.map_or(&[], |set| set)
    }

    /// The nearest point on the face of the largest parts. If that has none, on the face of what is
    /// largest beside the other constraints, or on one that is known.
    pub fn nearest(&self, polytope: &Polytope, point: &[f64]) -> Option<Vec<f64>> {
        let there = self.there(polytope, point);
        let on = |there: &[bool]| self.face(polytope, there)?.nearest(point);
        on(&there)
            .or_else(|| on(&self.there(polytope, &polytope.nearest(point)?)))
            .or_else(|| on(self.known(&there)))
    }

    /// Points near another one: a part leaves or comes, or two change places. Each part has some random
    /// partners.
    pub fn neighbors(
        &self,
        polytope: &Polytope,
        point: &[f64],
        random: &mut impl Rng,
    ) -> Vec<Vec<f64>> {
        let mut neighbors = Vec::new();
        for one in &self.cardinalities {
            for (at, (&part, &least)) in one.parts.iter().zip(&one.least).enumerate() {
                let mut other = point.to_vec();
                other[part] =
                    if point[part] == 0.0 { 0.5 * (least + polytope.upper[part]) } else { 0.0 };
                neighbors.push(other);
                let with = random.random_range(0..one.parts.len());
                let amount = |at: usize| point[one.parts[at]] * one.most[at];
                if (point[part] == 0.0) != (amount(with) == 0.0) {
                    let mut other = point.to_vec();
                    other[part] = amount(with) / one.most[at];
                    other[one.parts[with]] = amount(at) / one.most[with];
                    neighbors.push(other);
                }
            }
        }
        neighbors
    }
}
