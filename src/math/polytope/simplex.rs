//! A row whose points are a simplex: a mixture of parts, each from nothing to all of it.

use super::{MIDDLE, Polytope, Row};

/// The points of one row: with `y_j = x_j - lower_j` (or `upper_j - x_j`, if the weight is negative) and
/// `z_j = |weight_j| y_j`, all `z >= 0` with `sum z = amount`, or `sum z <= amount`. No part has an upper
/// bound that is less than the amount.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Simplex {
    /// The coordinate of each part, and what `x` is without any of it.
    parts: Vec<(usize, f64)>,
    /// By how much `x` changes with one unit of `z`.
    per_unit: Vec<f64>,
    amount: f64,
    /// Whether a part of the amount may be left over.
    is_open: bool,
}

impl Simplex {
    /// The simplex of a row; `None` if the upper bounds of its parts cut it.
    pub fn of(polytope: &Polytope, row: &Row) -> Option<Self> {
        Self::from_below(polytope, row, 1.0).or_else(|| {
            // Near their other bounds the parts may share what is missing.
            row.is_equal.then(|| Self::from_below(polytope, row, -1.0)).flatten()
        })
    }

    fn from_below(polytope: &Polytope, row: &Row, sign: f64) -> Option<Self> {
        let Polytope { lower, upper, .. } = polytope;
        let mut amount = sign * row.bound;
        let (mut parts, mut per_unit) = (Vec::new(), Vec::new());
        for (j, &weight) in row.weights.iter().enumerate() {
            let weight = sign * weight;
            let (without, all) =
                if weight > 0.0 { (lower[j], upper[j]) } else { (upper[j], lower[j]) };
            amount -= weight * without;
            if weight != 0.0 && lower[j] < upper[j] {
                parts.push((j, without, weight * (all - without)));
                per_unit.push(1.0 / weight);
            }
        }
        // A little beyond its bound a part stands at it.
        let least = amount * (1.0 - polytope.rounding());
        let is_there = amount > 0.0 && !parts.is_empty();
        let is_whole = is_there && parts.iter().all(|(_, _, most)| *most >= least);
        let parts = parts.into_iter().map(|(j, without, _)| (j, without)).collect();
        is_whole.then_some(Self { parts, per_unit, amount, is_open: !row.is_equal })
    }

    /// Puts the point of a draw, uniform numbers in the places of the parts, there: uniform in the
    /// simplex. With `k` parts still to come, one takes the share `1 - (1 - u)^(1 / k)` of what is left,
    /// as the first of uniform spacings does.
    /// Draws in the middle give the middle.
    pub fn put(&self, point: &mut [f64]) {
        if self.parts.iter().all(|(j, _)| point[*j] == MIDDLE) {
            return self.put_middle(point);
        }
        let mut rest = self.amount;
        for (index, (&(j, without), per_unit)) in self.parts.iter().zip(&self.per_unit).enumerate()
        {
            let after = self.parts.len() - index - usize::from(!self.is_open);
            let share = match after {
                0 => 1.0,
                after => 1.0 - (1.0 - point[j]).powf(1.0 / after as f64),
            };
            point[j] = without + per_unit * rest * share;
            rest *= 1.0 - share;
        }
    }

    /// Puts the middle of the simplex there: the mean of all its points.
    fn put_middle(&self, point: &mut [f64]) {
        let each = self.amount / (self.parts.len() + usize::from(self.is_open)) as f64;
        for (&(j, without), per_unit) in self.parts.iter().zip(&self.per_unit) {
            point[j] = without + per_unit * each;
        }
    }
}
