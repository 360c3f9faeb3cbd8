//! What rows leave of a polytope.

use super::{Polytope, Row};
use crate::math::points::ROUNDING;

/// How far beyond the unit cube a point is whose nearest point has the least or the largest coordinate.
pub const FAR: f64 = 1e3;

/// A range of places that is no wider than this is one place: rounding of points that far away.
pub const NARROW: f64 = 1e-9;

impl Polytope {
    /// Gives a coordinate that the rows leave one place the bounds that it has there, and makes a row
    /// that is met everywhere an equation. `somewhere` is a point at which they hold.
    pub fn tighten(&mut self, somewhere: &[f64]) {
        let farthest = |step: &dyn Fn(usize) -> f64| {
            let far: Vec<f64> = somewhere.iter().enumerate().map(|(j, x)| x + step(j)).collect();
            self.nearest(&far)
        };
        let is_fixed = |at: &usize| {
            let end = |side: f64| {
                farthest(&|j| if j == *at { side * FAR } else { 0.0 })
                    .map_or(somewhere[*at], |x| x[*at])
            };
            end(1.0) - end(-1.0) <= NARROW
        };
        let is_met = |row: &Row| {
            let steepest = row.weights.iter().fold(f64::MIN_POSITIVE, |most, a| most.max(a.abs()));
            farthest(&|j| -FAR * row.weights[j] / steepest).is_some_and(|least| {
                let (excess, size) = row.excess(&least);
                excess >= -NARROW * size
            })
        };
        let fixed: Vec<usize> = (0..self.dim()).filter(is_fixed).collect();
        let met: Vec<bool> = self.rows.iter().map(is_met).collect();
        for at in fixed {
            let place = self.at_bound(at, somewhere[at]);
            self.lower[at] = place;
            self.upper[at] = place;
        }
        self.rows.iter_mut().zip(met).for_each(|(row, met)| row.is_equal |= met);
    }

    /// The point of a polytope that has no other; it is [tightened](Self::tighten).
    pub fn only(&self) -> Option<Vec<f64>> {
        (0..self.dim()).all(|at| !self.moves(at)).then(|| self.lower.clone())
    }

    /// A place of a coordinate; the bound if it is as far from it as rounding explains.
    pub fn at_bound(&self, at: usize, place: f64) -> f64 {
        let bounds = [self.lower[at], self.upper[at]];
        let end = bounds.into_iter().find(|bound| (bound - place).abs() <= ROUNDING);
        end.unwrap_or(place)
    }
}
