//! Uniform points of any polytope by hit and run.
//!
//! From a point of the polytope a random line is drawn, and a uniform point of the part of it that is
//! inside is the next one (Smith 1984). The lines move few coordinates: one more than there are
//! equations, or two. A line that moves all of them ends at the nearest of all bounds, after a step that
//! shrinks with the square of their number. Now and then one that moves all keeps every place in reach.

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use super::{MIDDLE, Nearest, Polytope};
use crate::math::points::mixed_bits;

/// One line of so many moves all coordinates.
const ALL: usize = 16;

/// A direction whose length falls below this share, once what leaves the equations is taken away, is
/// rounding.
const LOST: f64 = 1e-8;

/// Points that were reached and are kept, and the steps between two of them for each coordinate.
const KEPT: usize = 512;
const BETWEEN: usize = 4;

/// Steps before the first point that is kept: at most this, and the square of the number of coordinates.
const BEFORE: usize = 400_000;

/// Steps from a point that was kept to one that is asked for, besides half the number of coordinates.
const AFTER: usize = 8;

/// Steps for each coordinate from a point that was not reached by a walk.
const ALONE: usize = 8;

/// A walk through a polytope, and points that it reached.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Walk {
    polytope: Polytope,
    /// The coordinates that move: those in rows whose bounds differ.
    moving: Vec<usize>,
    reached: Vec<Vec<f64>>,
    middle: Vec<f64>,
}

impl Walk {
    /// A walk through a polytope, over the coordinates of its rows; `None` if it is empty.
    pub fn new(polytope: Polytope) -> Option<Self> {
        let moving = moving(&polytope);
        let mut random = Pcg64::seed_from_u64(polytope.dim() as u64);
        let mut at = start(&polytope, &moving, &mut random)?;
        let mut walk = Self { polytope, moving, reached: Vec::new(), middle: Vec::new() };
        let n = walk.moving.len();
        walk.go(&mut at, (2 * n * n).min(BEFORE), &mut random);
        for _ in 0..KEPT {
            walk.go(&mut at, BETWEEN * n, &mut random);
            walk.reached.push(at.clone());
        }
        let mean = |j: usize| walk.reached.iter().map(|at| at[j]).sum::<f64>() / KEPT as f64;
        let mean: Vec<f64> = (0..walk.polytope.dim()).map(mean).collect();
        walk.middle = walk.polytope.nearest(&mean)?;
        Some(walk)
    }

    /// The same from a point near the middle each time, for some points.
    pub fn brief(polytope: Polytope) -> Option<Self> {
        let moving = moving(&polytope);
        let between = |(l, u): (&f64, &f64)| 0.5 * (l + u);
        let center: Vec<f64> = polytope.lower.iter().zip(&polytope.upper).map(between).collect();
        let middle = polytope.nearest(&center)?;
        Some(Self { polytope, moving, reached: Vec::new(), middle })
    }

    /// Puts the point of a draw there, uniform numbers in the places of the coordinates that move:
    /// some steps from a point that was reached before. Draws in the middle give the middle, about the
    /// mean of all points.
    pub fn put(&self, point: &mut [f64]) {
        if self.moving.iter().all(|&j| point[j] == MIDDLE) {
            return self.moving.iter().for_each(|&j| point[j] = self.middle[j]);
        }
        let mix = mixed_bits(self.moving.iter().map(|&j| point[j]));
        let mut random = Pcg64::seed_from_u64(mix);
        let n = self.moving.len();
        let share = self.moving.first().map_or(0.0, |&j| point[j]);
        let kept = self.reached.get(((share * KEPT as f64) as usize).min(KEPT - 1));
        let (mut at, steps) = match kept {
            Some(kept) => (kept.clone(), AFTER + n / 2),
            None => (self.middle.clone(), AFTER + ALONE * n),
        };
        self.go(&mut at, steps, &mut random);
        self.moving.iter().for_each(|&j| point[j] = at[j]);
    }

    /// Makes steps, and takes away what rounding added.
    fn go(&self, at: &mut Vec<f64>, steps: usize, random: &mut Pcg64) {
        let n = self.moving.len();
        let equations = self.polytope.rows.iter().filter(|row| row.is_equal).count();
        let mut chosen = self.moving.clone();
        for step in 0..steps {
            let few = (equations + 1 + step % 2).min(n);
            let few = if step % ALL == ALL - 1 { n } else { few };
            for k in 0..few {
                chosen.swap(k, random.random_range(k..n));
            }
            self.step(at, &chosen[..few], random);
        }
        if let Some(nearest) = self.polytope.nearest(at) {
            *at = nearest;
        }
    }

    /// A step that moves these coordinates alone.
    fn step(&self, at: &mut [f64], chosen: &[usize], random: &mut Pcg64) {
        let mut way: Vec<f64> =
            chosen.iter().map(|_| StandardNormal.sample(&mut *random)).collect();
        let length = |way: &[f64]| way.iter().map(|d| d * d).sum::<f64>().sqrt();
        let before = length(&way);
        // The part of the direction that leaves no equation, by Gram and Schmidt.
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for row in self.polytope.rows.iter().filter(|row| row.is_equal) {
            let mut normal: Vec<f64> = chosen.iter().map(|&j| row.weights[j]).collect();
            let size = length(&normal);
            for unit in &basis {
                take_away(&mut normal, unit);
            }
            let left = length(&normal);
            if left > LOST * size {
                for a in &mut normal {
                    *a /= left;
                }
                take_away(&mut way, &normal);
                basis.push(normal);
            }
        }
        // Once more, for the last digits.
        for unit in &basis {
            take_away(&mut way, unit);
        }
        if length(&way) <= LOST * before {
            return;
        }
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut within = |room_below: f64, room_above: f64, d: f64| {
            let below = room_below / d;
            let above = room_above / d;
            least = least.max(below.min(above));
            most = most.min(below.max(above));
        };
        for (&j, &d) in chosen.iter().zip(&way) {
            if d != 0.0 {
                within(self.polytope.lower[j] - at[j], self.polytope.upper[j] - at[j], d);
            }
        }
        for row in self.polytope.rows.iter().filter(|row| !row.is_equal) {
            let rise: f64 = chosen.iter().zip(&way).map(|(&j, d)| row.weights[j] * d).sum();
            if rise != 0.0 {
                within(f64::NEG_INFINITY, -row.excess(at).0, rise);
            }
        }
        if least < most {
            let step = least + random.random::<f64>() * (most - least);
            for (&j, d) in chosen.iter().zip(&way) {
                at[j] = (at[j] + step * d).clamp(self.polytope.lower[j], self.polytope.upper[j]);
            }
        }
    }
}

/// The coordinates of rows whose bounds differ.
fn moving(polytope: &Polytope) -> Vec<usize> {
    let is_moving =
        |j: &usize| polytope.moves(*j) && polytope.rows.iter().any(|row| row.weights[*j] != 0.0);
    (0..polytope.dim()).filter(is_moving).collect()
}

/// Takes away the part of `a` along a vector of length 1.
fn take_away(a: &mut [f64], unit: &[f64]) {
    let along: f64 = a.iter().zip(unit).map(|(a, u)| a * u).sum();
    a.iter_mut().zip(unit).for_each(|(a, u)| *a -= along * u);
}

/// A point inside: the mean of the points nearest to random ones of the box.
fn start(polytope: &Polytope, moving: &[usize], random: &mut Pcg64) -> Option<Vec<f64>> {
    let count = 2 * moving.len().max(1);
    let mut nearest = Nearest::new(polytope);
    let mut mean = vec![0.0; polytope.dim()];
    let mut found = vec![0.0; polytope.dim()];
    for _ in 0..count {
        let (lower, upper) = (&polytope.lower, &polytope.upper);
        let place = |(l, u): (&f64, &f64)| l + random.random::<f64>() * (u - l);
        let anywhere: Vec<f64> = lower.iter().zip(upper).map(place).collect();
        if !nearest.find(polytope, &anywhere, &mut found) {
            return None;
        }
        mean.iter_mut().zip(&found).for_each(|(mean, x)| *mean += x / count as f64);
    }
    nearest.find(polytope, &mean, &mut found).then_some(found)
}
