//! The generalized Cauchy point.
//!
//! The first local minimizer of the quadratic model along the projected gradient path
//! `x(t) = P(x - t g)`. The path is piecewise linear. It bends at the breakpoints, where a
//! coordinate meets its bound. The search visits the segments in order. The slope and the curvature
//! of the model along a segment follow from those of the last one in `O(m^2)`.
//!
//! Reference: Byrd, Lu, Nocedal, Zhu (1995), A limited memory algorithm for bound constrained
//! optimization, SIAM Journal on Scientific Computing 16, section 4 and algorithm CP.

use super::bounds::Bounds;
use super::memory::Memory;
use crate::math::dense::dot;

#[derive(Debug, Clone)]
pub(super) struct CauchyPoint {
    point: Vec<f64>,
    /// Coordinates that did not meet a bound.
    free: Vec<bool>,
    /// `W'(x_cp - x)`.
    c: Vec<f64>,
    direction: Vec<f64>,
    /// The time at which each coordinate meets its bound; infinite if it never does.
    breakpoints: Vec<f64>,
    /// The coordinates that meet a bound, sorted by that time.
    order: Vec<usize>,
    p: Vec<f64>,
    row: Vec<f64>,
    product: Vec<f64>,
}

impl CauchyPoint {
    pub(super) fn new(dim: usize, capacity: usize) -> Self {
        let long = vec![0.0; dim];
        let short = vec![0.0; 2 * capacity];
        Self {
            point: long.clone(),
            free: vec![true; dim],
            c: short.clone(),
            direction: long.clone(),
            breakpoints: long,
            order: Vec::with_capacity(dim),
            p: short.clone(),
            row: short.clone(),
            product: short,
        }
    }

    pub(super) fn point(&self) -> &[f64] {
        &self.point
    }

    pub(super) fn free(&self) -> &[bool] {
        &self.free
    }

    /// `W'(x_cp - x)`, of length `2 memory.len()`.
    pub(super) fn displacement(&self) -> &[f64] {
        &self.c
    }

    /// Without bounds there is no path: the subspace step starts at the iterate itself.
    pub(super) fn stay(&mut self, x: &[f64]) {
        self.point.copy_from_slice(x);
        self.free.fill(true);
        self.c.fill(0.0);
    }

    pub(super) fn find(&mut self, x: &[f64], gradient: &[f64], bounds: &Bounds, memory: &Memory) {
        self.stay(x);
        let unbounded_motion = self.set_out(x, gradient, bounds);
        let theta = memory.theta();
        let width = 2 * memory.len();
        let mut slope = -dot(&self.direction, &self.direction);
        if slope == 0.0 {
            return;
        }
        let mut curvature = -theta * slope;
        let least_curvature = f64::EPSILON * curvature;
        if width > 0 {
            memory.multiply_transposed(&self.direction, &mut self.p);
            self.product[..width].copy_from_slice(&self.p[..width]);
            memory.multiply_middle(&mut self.product);
            curvature -= dot(&self.product[..width], &self.p[..width]);
        }
        let mut to_minimum = -slope / curvature;
        let mut time = 0.0;
        for k in 0..self.order.len() {
            let i = self.order[k];
            let segment = self.breakpoints[i] - time;
            if to_minimum < segment {
                break;
            }
            time = self.breakpoints[i];
            let d = std::mem::take(&mut self.direction[i]);
            self.point[i] = if d > 0.0 { bounds.upper(i) } else { bounds.lower(i) };
            self.free[i] = false;
            for (c, p) in self.c[..width].iter_mut().zip(&self.p) {
                *c += segment * p;
            }
            let last = k + 1 == self.order.len();
            if last && !unbounded_motion {
                // Every coordinate that could move lies on a bound: the path ends here.
                return;
            }
            let moved = self.point[i] - x[i];
            slope += segment * curvature + d * d - theta * d * moved;
            curvature -= theta * d * d;
            if width > 0 {
                memory.row(i, &mut self.row);
                self.product[..width].copy_from_slice(&self.row[..width]);
                memory.multiply_middle(&mut self.product);
                let middle = &self.product[..width];
                let with_c = dot(middle, &self.c[..width]);
                let with_p = dot(middle, &self.p[..width]);
                let with_row = dot(middle, &self.row[..width]);
                slope += d * with_c;
                curvature += 2.0 * d * with_p - d * d * with_row;
                for (p, w) in self.p[..width].iter_mut().zip(&self.row) {
                    *p -= d * w;
                }
            }
            curvature = curvature.max(least_curvature);
            to_minimum = -slope / curvature;
        }
        // A model that lost its curvature to rounding has no minimum ahead. The path then ends
        // here.
        let step = to_minimum.max(0.0);
        time += step;
        for ((point, &x), &d) in self.point.iter_mut().zip(x).zip(&self.direction) {
            if d != 0.0 {
                *point = x + time * d;
            }
        }
        for (c, p) in self.c[..width].iter_mut().zip(&self.p) {
            *c += step * p;
        }
    }

    /// Sets the first direction and sorts the breakpoints. Returns whether a coordinate moves
    /// without end.
    fn set_out(&mut self, x: &[f64], gradient: &[f64], bounds: &Bounds) -> bool {
        self.order.clear();
        let mut unbounded_motion = false;
        for (i, &g) in gradient.iter().enumerate() {
            let lower = bounds.lower(i);
            let upper = bounds.upper(i);
            let blocked =
                lower == upper || (x[i] <= lower && g >= 0.0) || (x[i] >= upper && g <= 0.0);
            self.free[i] = !blocked;
            self.direction[i] = if blocked { 0.0 } else { -g };
            if blocked || g == 0.0 {
                continue;
            }
            let time = if g > 0.0 { (x[i] - lower) / g } else { (x[i] - upper) / g };
            self.breakpoints[i] = time;
            if time.is_finite() {
                self.order.push(i);
            } else {
                unbounded_motion = true;
            }
        }
        let breakpoints = &self.breakpoints;
        self.order
            .sort_unstable_by(|&a, &b| breakpoints[a].total_cmp(&breakpoints[b]).then(a.cmp(&b)));
        unbounded_motion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The model `g'z + z'B z / 2` for a displacement `z`.
    fn model(memory: &Memory, gradient: &[f64], z: &[f64]) -> f64 {
        let mut middle = vec![0.0; 2 * memory.len()];
        memory.multiply_transposed(z, &mut middle);
        let outer = middle.clone();
        memory.multiply_middle(&mut middle);
        dot(gradient, z) + 0.5 * (memory.theta() * dot(z, z) - dot(&outer, &middle))
    }

    #[test]
    fn is_the_first_local_minimum_along_the_projected_path() {
        let bounds = Bounds::new(
            &[-1.0, -0.2, f64::NEG_INFINITY, 0.0, 0.3],
            &[1.0, 0.5, f64::INFINITY, 0.0, 2.0],
        )
        .unwrap();
        let x = [0.1, 0.2, -0.3, 0.0, 0.3];
        let mut memory = Memory::new(5, 3);
        let mut cauchy = CauchyPoint::new(5, 3);
        for k in 0..40 {
            let wave = |i: usize| ((k * 5 + i) as f64 * 0.7).sin();
            let step: [f64; 5] = std::array::from_fn(wave);
            let change: [f64; 5] = std::array::from_fn(|i| (0.2 + i as f64) * wave(i));
            memory.update(&step, &change, dot(&step, &change));
            let gradient: [f64; 5] =
                std::array::from_fn(|i| 3.0 * ((k * 5 + i) as f64 * 1.1 + 0.5).cos());
            cauchy.find(&x, &gradient, &bounds, &memory);
            let displacement: Vec<f64> =
                cauchy.point().iter().zip(&x).map(|(c, x)| c - x).collect();
            let mut expected = vec![0.0; 2 * memory.len()];
            memory.multiply_transposed(&displacement, &mut expected);
            for (c, e) in cauchy.displacement().iter().zip(&expected) {
                assert!((c - e).abs() < 1e-12, "W'(x_cp - x) of problem {k}: {c} for {e}");
            }
            // Walk the path in small steps until the model rises.
            let fine = 1e-5;
            let along = |t: f64| -> Vec<f64> {
                (0..5).map(|i| bounds.clamp(i, x[i] - t * gradient[i]) - x[i]).collect()
            };
            let values = (0..).map(|n| model(&memory, &gradient, &along(f64::from(n) * fine)));
            let mut last = f64::INFINITY;
            let lowest = values
                .take_while(|&value| std::mem::replace(&mut last, value) > value)
                .last()
                .unwrap_or(0.0);
            let found = model(&memory, &gradient, &displacement);
            // The minimum lies within one small step of the lowest value, and until then the slope
            // of the model along the path is at most g'g.
            let missed = dot(&gradient, &gradient) * fine;
            assert!(
                found <= lowest + 1e-12 && found >= lowest - missed,
                "problem {k}: {found} for {lowest}, tolerance {missed}"
            );
        }
    }
}
