//! Points that are spread over a polytope.

use super::Polytope;
use super::simplex::Simplex;
use super::walk::Walk;

/// The draw that stands for the middle.
const MIDDLE: f64 = 0.5;

/// Uniform points of a polytope, each a function of a draw of the unit cube. If the rows share no
/// coordinate and no upper bound cuts the simplex of a row, evenly spread draws give evenly spread
/// points. Otherwise they come from a walk.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    polytope: Polytope,
    simplices: Vec<Simplex>,
    walk: Option<Walk>,
}

impl Spread {
    /// Points of a polytope; `None` if it is empty.
    pub fn new(mut polytope: Polytope) -> Option<Self> {
        let dim = polytope.dim();
        polytope.nearest(&polytope.lower)?;
        // What the box implies says nothing of where to be.
        let bounds = polytope.clone();
        polytope.rows.retain(|row| row.is_equal || largest(&bounds, &row.weights) > row.bound);
        let counts = |j: usize| {
            let here = |row: &&super::Row| row.weights[j] != 0.0;
            polytope.lower[j] < polytope.upper[j] && polytope.rows.iter().filter(here).count() > 1
        };
        let is_apart = !(0..dim).any(counts);
        let simplices: Option<Vec<Simplex>> =
            polytope.rows.iter().map(|row| Simplex::of(&polytope, row)).collect();
        match simplices.filter(|_| is_apart) {
            Some(simplices) => Some(Self { polytope, simplices, walk: None }),
            None => {
                let walk = Walk::new(polytope.clone())?;
                Some(Self { polytope, simplices: Vec::new(), walk: Some(walk) })
            }
        }
    }

    /// Puts the point of a draw there, one number for each coordinate: uniform in the polytope. Draws
    /// in the middle give the middle.
    pub fn put(&self, point: &mut [f64]) {
        let mut is_free = vec![true; point.len()];
        for simplex in &self.simplices {
            simplex.coordinates().for_each(|j| is_free[j] = false);
            match simplex.coordinates().all(|j| point[j] == MIDDLE) {
                true => simplex.put_middle(point),
                false => simplex.put(point),
            }
        }
        if let Some(walk) = &self.walk {
            walk.coordinates().for_each(|j| is_free[j] = false);
            match walk.coordinates().all(|j| point[j] == MIDDLE) {
                true => walk.put_middle(point),
                false => walk.put(point),
            }
        }
        for (j, x) in point.iter_mut().enumerate() {
            let (lower, upper) = (self.polytope.lower[j], self.polytope.upper[j]);
            let place = if is_free[j] { lower + *x * (upper - lower) } else { *x };
            *x = place.clamp(lower, upper);
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
