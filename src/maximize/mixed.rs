//! Searches of a space that is more than a box: with names, flags, whole numbers of few values,
//! conditions or constraints.
//!
//! A climb moves the real numbers that exist at its start; everything else stays. Where climbs end,
//! all points in which one other parameter has another value are scored in one batch, and climbs go
//! on from the best of them, until none is better. This is the alternation of Deshwal et al. 2021
//! and of `BoTorch`'s search of mixed spaces, with all neighbors of all climbs at once.
//!
//! With constraints, only allowed points count as found. A climb stays within those that are linear in
//! what moves. One that leaves others stops at the last allowed point on its way. Steps along single
//! parameters, and along some random directions, then look along the border; so do amounts that go from
//! one part of a sum to another.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use crate::backend::search::Drawn;
use crate::data::{Points, Space};
use crate::math::polytope::Row;
use crate::math::sobol::Sobol;
use crate::maximize::settings::Maximize;

/// The lengths of the steps within constraints, as shares of a parameter's range.
const STEPS: [f64; 5] = [1.0, 0.3, 0.1, 0.03, 0.01];

/// Random directions for each length.
const DIRECTIONS: usize = 6;

/// Quasi-random points of a search, in the order of their sequence.
pub struct Sequence<'a> {
    search: &'a Maximize,
    sobol: Sobol,
    dim: usize,
    sides: (Vec<f64>, Vec<f64>),
}

impl Sequence<'_> {
    /// Some rows of the sequence, for a backend that makes them itself. `None` if they are not spread
    /// over a box.
    pub fn drawn(&self, rows: Range<usize>) -> Option<Drawn<'_>> {
        let (lower, upper) = &self.sides;
        let is_box = self.search.space.is_none();
        is_box.then_some(Drawn { sobol: &self.sobol, rows, sides: [lower, upper] })
    }

    /// The next rows of the sequence.
    pub fn points(&self, rows: Range<usize>) -> Points {
        let drawn = self.sobol.points(rows.start, rows.len());
        let Some(space) = &self.search.space else { return drawn };
        let (view, draws) = (space.view(), space.view().draws());
        let mut points = Points::with_capacity(self.dim, drawn.len());
        for draw in drawn.rows() {
            let row: Vec<f64> = draw.chunks(draws).flat_map(|draw| view.at_draw(draw)).collect();
            points.push(&row);
        }
        points
    }
}

impl Maximize {
    /// Quasi-random rows of `dim` coordinates, each row one or several points: spread over what is
    /// searched.
    #[doc(hidden)]
    pub fn sequence(&self, dim: usize, seed: u64) -> Sequence<'_> {
        let draws = match &self.space {
            Some(space) => dim / space.dim() * space.view().draws(),
            None => dim,
        };
        let sides = (vec![0.0; dim], vec![1.0; dim]);
        Sequence { search: self, sobol: Sobol::new(draws, seed), dim, sides }
    }

    /// The nearest points that are searched.
    #[doc(hidden)]
    pub fn clamped<'a>(&self, points: &'a Points) -> Cow<'a, Points> {
        let Some(space) = &self.space else { return Cow::Borrowed(points) };
        let view = space.view();
        let mut rows = points.clone();
        for row in 0..rows.len() {
            for point in rows.row_mut(row).chunks_mut(space.dim()) {
                point.copy_from_slice(&view.admitted_unit(point));
            }
        }
        Cow::Owned(rows)
    }

    /// Searches the points of this space. A box needs no more than sides.
    pub(crate) fn over(mut self, space: &Space) -> Self {
        self.space = (!space.is_plain()).then(|| Arc::new(space.clone()));
        self
    }

    /// The search with whole numbers of few values looked at value by value. Where two values stand
    /// at both ends of a line, a climb along it says nothing of the other one.
    pub(crate) fn over_values(mut self, space: &Space) -> Self {
        self.space = (!space.is_relaxed()).then(|| Arc::new(space.clone()));
        self
    }
}

/// The bounds of a climb from a row of points: what cannot move in this space stays.
pub(super) fn bounds_at(space: &Space, row: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let sides = row.chunks(space.dim()).map(|point| space.view().sides(point));
    let (lower, upper): (Vec<_>, Vec<_>) = sides.unzip();
    (lower.concat(), upper.concat())
}

/// The linear constraints on a climb from a row of points within these bounds.
pub(super) fn rows_at(space: &Space, row: &[f64], lower: &[f64], upper: &[f64]) -> Vec<Row> {
    let (dim, mut rows) = (space.dim(), Vec::new());
    for (at, point) in row.chunks(dim).enumerate() {
        let here = at * dim..at * dim + point.len();
        for one in space.view().rows_at(point, &lower[here.clone()], &upper[here.clone()]) {
            let mut weights = vec![0.0; row.len()];
            weights[here.clone()].copy_from_slice(&one.weights);
            rows.push(Row { weights, ..one });
        }
    }
    rows
}

/// Whether all points of a row are allowed.
pub(super) fn admits(space: &Space, row: &[f64]) -> bool {
    let view = space.view();
    space.constraints().is_empty()
        || row.chunks(space.dim()).all(|point| view.admits(&view.codes_at(point)))
}

/// The points to look at from the end of a climb, which last was at another point.
pub(super) fn neighbors(space: &Space, end: &[f64], last: &[f64], seed: u64, points: &mut Points) {
    let view = space.view();
    // Points differ, so their draws do.
    let mix = end.iter().fold(seed, |mix, u| mix.rotate_left(7) ^ u.to_bits());
    let mut random = Pcg64::seed_from_u64(mix);
    view.neighbors(end, &mut random, points);
    if space.constraints().is_empty() {
        return;
    }
    let inside = view.places_at(end);
    let moving = view.moving(end);
    let mut go = |target: &[f64]| {
        let places = view.places_at(target);
        let moved = view.moved(places);
        let reached =
            if view.admits(&view.codes(&moved)) { moved } else { view.toward(&inside, &moved) };
        let point = view.express(&reached);
        if point != end {
            points.push(&point);
        }
    };
    go(last);
    view.transfers(end, &mut random).iter().for_each(|target| go(target));
    if view.is_summed_alone() {
        // The climb went along the border itself.
        return;
    }
    let axes: Vec<usize> = (0..end.len()).filter(|&k| moving[k]).collect();
    for step in STEPS {
        for &k in &axes {
            for side in [-step, step] {
                let mut target = end.to_vec();
                target[k] = (end[k] + side).clamp(0.0, 1.0);
                go(&target);
            }
        }
        for _ in 0..DIRECTIONS {
            let mut target = end.to_vec();
            // Along a border two parameters move at least.
            for &k in &axes {
                if random.random::<f64>() * (axes.len() as f64) < 3.0 {
                    let normal: f64 = StandardNormal.sample(&mut random);
                    target[k] = (end[k] + step * normal).clamp(0.0, 1.0);
                }
            }
            go(&target);
        }
    }
}
