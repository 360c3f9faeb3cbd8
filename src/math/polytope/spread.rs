//! Points that are spread over a polytope.

use super::Polytope;
use super::simplex::Simplex;
use super::walk::Walk;

/// Uniform points of a polytope, each a function of a draw of the unit cube. If the rows share no
/// coordinate and no upper bound cuts the simplex of a row, evenly spread draws give evenly spread
/// points. Otherwise they come from a walk.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    polytope: Polytope,
    /// The coordinates that no row holds.
    free: Vec<usize>,
    simplices: Vec<Simplex>,
    walk: Option<Walk>,
}

impl Spread {
    /// Points of a polytope; `None` if it is empty.
    pub fn new(polytope: Polytope) -> Option<Self> {
        Self::by(polytope, Walk::new)
    }

    /// The same for so few points that none need be kept.
    pub fn brief(polytope: Polytope) -> Option<Self> {
        Self::by(polytope, Walk::brief)
    }

    fn by(mut polytope: Polytope, walk: fn(Polytope) -> Option<Walk>) -> Option<Self> {
        // What the box implies says nothing of where to be.
        let bounds = polytope.clone();
        polytope.rows.retain(|row| row.is_equal || largest(&bounds, &row.weights) > row.bound);
        let count = |j: &usize| {
            if polytope.moves(*j) {
                polytope.rows.iter().filter(|row| row.weights[*j] != 0.0).count()
            } else {
                0
            }
        };
        let is_apart = (0..polytope.dim()).all(|j| count(&j) <= 1);
        let free = (0..polytope.dim()).filter(|j| count(j) == 0).collect();
        let simplices: Option<Vec<Simplex>> =
            polytope.rows.iter().map(|row| Simplex::of(&polytope, row)).collect();
        let (simplices, walk) = match simplices.filter(|_| is_apart) {
            Some(simplices) => (simplices, None),
            None => (Vec::new(), Some(walk(polytope.clone())?)),
        };
        Some(Self { polytope, free, simplices, walk })
    }

    /// Puts the point of a draw there, one number for each coordinate: uniform in the polytope. Draws
    /// in the middle give the middle.
    pub fn put(&self, point: &mut [f64]) {
        let Polytope { lower, upper, .. } = &self.polytope;
        self.free.iter().for_each(|&j| point[j] = lower[j] + point[j] * (upper[j] - lower[j]));
        self.simplices.iter().for_each(|simplex| simplex.put(point));
        self.walk.iter().for_each(|walk| walk.put(point));
        for (j, x) in point.iter_mut().enumerate() {
            *x = x.clamp(lower[j], upper[j]);
        }
    }
}

/// The largest sum with these weights in the box.
fn largest(polytope: &Polytope, weights: &[f64]) -> f64 {
    let most = |(j, &weight): (usize, &f64)| {
        weight * if weight > 0.0 { polytope.upper[j] } else { polytope.lower[j] }
    };
    weights.iter().enumerate().map(most).sum()
}
