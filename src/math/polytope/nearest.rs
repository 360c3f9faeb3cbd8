//! The nearest point of a polytope.
//!
//! `min |x - y|^2 / 2` over the box and the rows. With a multiplier `t_i` for each row the minimum over
//! the box alone is `x(t) = clamp(y - sum_i t_i a_i)`, and the right multipliers are a maximum of the
//! dual function, whose slope is `a_i'x(t) - b_i`: concave, smooth, and quadratic in pieces. There are
//! few rows. One multiplier after the other is set to its best value, which is a root of a function that
//! falls and is linear in pieces. If there are several rows, the best point on the way of a Newton step
//! for all that are active follows each round; it is a root of the same kind.

use super::Polytope;
use crate::math::dense::{cholesky, solve_lower, solve_lower_transposed};

/// The largest number of rounds. Disjoint rows need one, others up to ten.
const ROUNDS: usize = 100;

/// The largest number of steps to one root.
const STEPS: usize = 200;

/// What is added to the matrix of a Newton step, as a share of its trace: the second share of how far
/// the rows are from holding, at most the first. With few coordinates free, rows may be the same on them.
const DAMPED: (f64, f64) = (1e-2, 1e-2);

/// Finds nearest points of a polytope. It begins with the multipliers that it found last.
#[derive(Debug, Clone)]
pub struct Nearest {
    multipliers: Vec<f64>,
    base: Vec<f64>,
    weights: Vec<f64>,
}

/// A sum over the box that falls with a multiplier: `weights'clamp(base - t weights) - bound`.
struct Falling<'a> {
    polytope: &'a Polytope,
    base: &'a [f64],
    weights: &'a [f64],
    bound: f64,
}

impl Polytope {
    /// The point nearest to another one; `None` if the polytope is empty.
    pub fn nearest(&self, point: &[f64]) -> Option<Vec<f64>> {
        let mut nearest = point.to_vec();
        Nearest::new(self).find(self, point, &mut nearest).then_some(nearest)
    }
}

impl Nearest {
    /// For the points of this polytope.
    pub fn new(polytope: &Polytope) -> Self {
        let zeros = vec![0.0; polytope.dim()];
        Self { multipliers: vec![0.0; polytope.rows.len()], base: zeros.clone(), weights: zeros }
    }

    /// The point of the polytope nearest to `point`, into `nearest`. Returns false if a row does not
    /// hold there: the polytope is empty.
    pub fn find(&mut self, polytope: &Polytope, point: &[f64], nearest: &mut [f64]) -> bool {
        let broken = self.approach(polytope, point, nearest);
        if broken <= polytope.rounding() {
            return true;
        }
        // A point that is far away leaves its rounding behind. From near by the last digits follow.
        let near = nearest.to_vec();
        let multipliers = self.multipliers.clone();
        self.multipliers.fill(0.0);
        let broken = self.approach(polytope, &near, nearest);
        self.multipliers = multipliers;
        broken <= polytope.rounding().sqrt()
    }

    /// The nearest point, and how far the rows are from holding there.
    fn approach(&mut self, polytope: &Polytope, point: &[f64], nearest: &mut [f64]) -> f64 {
        let mut broken = f64::INFINITY;
        for _ in 0..ROUNDS {
            for row in 0..polytope.rows.len() {
                self.lean(polytope, point, Some(row));
                let start = self.multipliers[row];
                let lower = if polytope.rows[row].is_equal { f64::NEG_INFINITY } else { 0.0 };
                let row_of = &polytope.rows[row];
                let falling = Falling {
                    polytope,
                    base: &self.base,
                    weights: &row_of.weights,
                    bound: row_of.bound,
                };
                self.multipliers[row] = falling.root(start, lower, f64::INFINITY);
            }
            broken = self.put(polytope, point, nearest);
            let reach = self.base.iter().fold(1.0, |reach: f64, base| reach.max(base.abs()));
            let rounding = polytope.rounding() * reach;
            if broken <= rounding || polytope.rows.len() == 1 {
                break;
            }
            self.newton(polytope, nearest, broken);
            broken = self.put(polytope, point, nearest);
            if broken <= rounding {
                break;
            }
        }
        broken
    }

    /// Puts the point of the multipliers there. Returns how far the rows are from holding.
    fn put(&mut self, polytope: &Polytope, point: &[f64], x: &mut [f64]) -> f64 {
        self.lean(polytope, point, None);
        for (j, (x, base)) in x.iter_mut().zip(&self.base).enumerate() {
            *x = base.clamp(polytope.lower[j], polytope.upper[j]);
        }
        let rows = polytope.rows.iter().zip(&self.multipliers);
        rows.map(|(row, &t)| row.broken(x, t > 0.0)).fold(0.0, f64::max)
    }

    /// Sets the base to the point less all rows by their multipliers, but one.
    fn lean(&mut self, polytope: &Polytope, point: &[f64], except: Option<usize>) {
        self.base.copy_from_slice(point);
        for (index, (row, &t)) in polytope.rows.iter().zip(&self.multipliers).enumerate() {
            if t != 0.0 && Some(index) != except {
                self.base.iter_mut().zip(&row.weights).for_each(|(base, a)| *base -= t * a);
            }
        }
    }

    /// The best multipliers on the way of a Newton step for the active rows.
    fn newton(&mut self, polytope: &Polytope, x: &[f64], broken: f64) {
        let is_free =
            |j: &usize| polytope.lower[*j] < self.base[*j] && self.base[*j] < polytope.upper[*j];
        let free: Vec<usize> = (0..polytope.dim()).filter(is_free).collect();
        let is_active =
            |index: &usize| polytope.rows[*index].is_equal || self.multipliers[*index] > 0.0;
        let active: Vec<usize> = (0..polytope.rows.len()).filter(is_active).collect();
        let n = active.len();
        let mut matrix = vec![0.0; n * n];
        for (i, &one) in active.iter().enumerate() {
            for (k, &other) in active[..=i].iter().enumerate() {
                let (one, other) = (&polytope.rows[one].weights, &polytope.rows[other].weights);
                matrix[i * n + k] = free.iter().map(|&j| one[j] * other[j]).sum();
            }
        }
        let trace: f64 = (0..n).map(|i| matrix[i * n + i]).sum();
        (0..n).for_each(|i| matrix[i * n + i] += trace * broken.min(DAMPED.0) * DAMPED.1);
        if !cholesky(&mut matrix, n, n) {
            return;
        }
        let mut step: Vec<f64> =
            active.iter().map(|&index| polytope.rows[index].excess(x).0).collect();
        solve_lower(&matrix, n, n, &mut step);
        solve_lower_transposed(&matrix, n, n, &mut step);
        let (mut low, mut high, mut bound) = (f64::NEG_INFINITY, f64::INFINITY, 0.0);
        self.weights.fill(0.0);
        for (&index, step) in active.iter().zip(&step) {
            let row = &polytope.rows[index];
            self.weights.iter_mut().zip(&row.weights).for_each(|(sum, a)| *sum += step * a);
            bound += step * row.bound;
            // No multiplier of an inequality falls below zero.
            let at_zero = -self.multipliers[index] / step;
            match row.is_equal {
                false if *step > 0.0 => low = low.max(at_zero),
                false if *step < 0.0 => high = high.min(at_zero),
                _ => {}
            }
        }
        let falling = Falling { polytope, base: &self.base, weights: &self.weights, bound };
        let share = falling.root(0.0, low, high);
        for (&index, step) in active.iter().zip(&step) {
            let moved = self.multipliers[index] + share * step;
            let is_equal = polytope.rows[index].is_equal;
            self.multipliers[index] = if is_equal { moved } else { moved.max(0.0) };
        }
    }
}

impl Falling<'_> {
    /// The multiplier in a range with which the sum is zero, or the end of the range that is nearest
    /// to that.
    fn root(&self, start: f64, mut low: f64, mut high: f64) -> f64 {
        if low.is_finite() && self.at(low).0 <= 0.0 {
            return low;
        }
        if high.is_finite() && self.at(high).0 >= 0.0 {
            return high;
        }
        let mut t = start.clamp(low, high);
        for _ in 0..STEPS {
            let (sum, size, slope) = self.at(t);
            // Less than the tolerance of a row, so that it holds of a sum in any order.
            if sum.abs() <= f64::EPSILON * size {
                return t;
            }
            if sum > 0.0 {
                low = t;
            } else {
                high = t;
            }
            let mut next = t + sum / slope;
            if !(next > low && next < high) {
                next = match (low.is_finite(), high.is_finite()) {
                    (true, true) => 0.5 * (low + high),
                    // All that could move stands at its bounds here. Beyond the last bend nothing
                    // changes.
                    _ => match self.next_bend(t, sum > 0.0) {
                        Some(next) => next,
                        None => return t,
                    },
                };
                if next == low || next == high {
                    return t;
                }
            }
            t = next;
        }
        t
    }

    /// The sum with a multiplier, the sizes of its terms, and how fast it falls.
    fn at(&self, t: f64) -> (f64, f64, f64) {
        let (mut sum, mut size, mut slope) = (-self.bound, self.bound.abs(), 0.0);
        for (j, &a) in self.weights.iter().enumerate() {
            let free = self.base[j] - t * a;
            let (lower, upper) = (self.polytope.lower[j], self.polytope.upper[j]);
            let x = free.clamp(lower, upper);
            sum += a * x;
            size += (a * x).abs();
            if lower < free && free < upper {
                slope += a * a;
            }
        }
        (sum, size, slope)
    }

    /// The next multiplier above or below `t` at which a coordinate meets a bound or leaves it, and
    /// halfway to the one after it.
    fn next_bend(&self, t: f64, above: bool) -> Option<f64> {
        let weights = self.weights.iter().enumerate().filter(|(_, a)| **a != 0.0);
        let bends = weights.flat_map(|(j, a)| {
            [self.polytope.lower[j], self.polytope.upper[j]].map(|bound| (self.base[j] - bound) / a)
        });
        let beyond = |bend: &f64| if above { *bend > t } else { *bend < t };
        let nearer = |one: f64, other: f64| if above { one.min(other) } else { one.max(other) };
        let bends: Vec<f64> = bends.filter(beyond).collect();
        let next = bends.iter().copied().reduce(nearer)?;
        let after = bends.into_iter().filter(|bend| *bend != next).reduce(nearer);
        Some(after.map_or(next, |after| 0.5 * (next + after)))
    }
}
