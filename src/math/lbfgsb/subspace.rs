//! Minimization of the quadratic model over the coordinates that are free at the Cauchy point.
//!
//! This is the direct primal method. With `Z` the free coordinates, `A` the others and `r` the
//! negative reduced gradient at the Cauchy point, the Newton step is
//!
//! ```text
//! d = r / theta + Z'W K^-1 W'Z r / theta^2,   K = [ -D - Y'ZZ'Y / theta      L_a' - R_z'     ]
//!                                                 [ L_a - R_z               theta S'AA'S    ]
//! ```
//!
//! with `L_a` the strictly lower part of `S'AA'Y` and `R_z` the upper part of `S'ZZ'Y`. `K` is
//! indefinite, but its blocks are not: two Cholesky factors solve with it. The step is projected
//! onto the box. If the projected step does not descend, the step is cut at the first bound
//! instead.
//!
//! References: Byrd, Lu, Nocedal, Zhu (1995), SIAM Journal on Scientific Computing 16, section 5.1;
//! Morales, Nocedal (2011), Remark on Algorithm 778: L-BFGS-B, ACM Transactions on Mathematical
//! Software 38, for the projection.

use super::bounds::Bounds;
use super::cauchy::CauchyPoint;
use super::memory::Memory;
use crate::math::dense::{cholesky, dot, solve_lower, solve_lower_transposed};

#[derive(Debug, Clone)]
pub(super) struct Subspace {
    capacity: usize,
    /// `D + Y'ZZ'Y / theta`, then its factor `F`.
    first: Vec<f64>,
    /// `J' = (R_z - L_a) F'^-1`, a row for each step.
    coupling: Vec<f64>,
    /// `theta S'AA'S + J'J`, then its factor.
    second: Vec<f64>,
    weights: Vec<f64>,
    /// The negative reduced gradient, then the Newton step; zero for coordinates that are not free.
    step: Vec<f64>,
    /// A row of `S` or `Y` in which the free, or the other, coordinates are blanked.
    masked: Vec<f64>,
}

impl Subspace {
    pub(super) fn new(dim: usize, capacity: usize) -> Self {
        let square = vec![0.0; capacity * capacity];
        Self {
            capacity,
            first: square.clone(),
            coupling: square.clone(),
            second: square,
            weights: vec![0.0; 2 * capacity],
            step: vec![0.0; dim],
            masked: vec![0.0; dim],
        }
    }

    /// Puts the minimizer into `target`. Returns false if a factor lost a pivot.
    pub(super) fn minimize(
        &mut self,
        x: &[f64],
        gradient: &[f64],
        bounds: &Bounds,
        memory: &Memory,
        cauchy: &CauchyPoint,
        target: &mut [f64],
    ) -> bool {
        if !self.factor(memory, cauchy.free()) {
            return false;
        }
        self.newton_step(x, gradient, memory, cauchy);
        let start = cauchy.point();
        let mut descent = 0.0;
        let mut clipped = false;
        for i in 0..target.len() {
            let full = start[i] + self.step[i];
            target[i] = bounds.clamp(i, full);
            clipped |=
                cauchy.free()[i] && (target[i] == bounds.lower(i) || target[i] == bounds.upper(i));
            descent += (target[i] - x[i]) * gradient[i];
        }
        if clipped && descent > 0.0 {
            let moving = self.step.iter().enumerate().map(|(i, &d)| (i, start[i], d));
            let (length, blocking) = bounds.longest_step(moving, 1.0);
            for i in 0..target.len() {
                target[i] = bounds.clamp(i, start[i] + length * self.step[i]);
            }
            if let Some(i) = blocking {
                target[i] = if self.step[i] > 0.0 { bounds.upper(i) } else { bounds.lower(i) };
            }
        }
        true
    }

    fn factor(&mut self, memory: &Memory, free: &[bool]) -> bool {
        let (m, n, theta) = (self.capacity, memory.len(), memory.theta());
        for j in 0..n {
            blank(memory.change(j), free, false, &mut self.masked);
            for k in 0..=j {
                self.first[j * m + k] = dot(&self.masked, memory.change(k)) / theta;
            }
            self.first[j * m + j] += memory.curvature(j);
            for i in 0..=j {
                self.coupling[i * m + j] = dot(memory.step(i), &self.masked);
            }
        }
        if !cholesky(&mut self.first, n, m) {
            return false;
        }
        for i in 0..n {
            blank(memory.step(i), free, true, &mut self.masked);
            for j in 0..i {
                self.coupling[i * m + j] = -dot(&self.masked, memory.change(j));
            }
            for k in 0..=i {
                self.second[i * m + k] = theta * dot(&self.masked, memory.step(k));
            }
            solve_lower(&self.first, n, m, &mut self.coupling[i * m..i * m + n]);
            for k in 0..=i {
                self.second[i * m + k] +=
                    dot(&self.coupling[i * m..i * m + n], &self.coupling[k * m..k * m + n]);
            }
        }
        cholesky(&mut self.second, n, m)
    }

    fn newton_step(&mut self, x: &[f64], gradient: &[f64], memory: &Memory, cauchy: &CauchyPoint) {
        let (m, n, theta) = (self.capacity, memory.len(), memory.theta());
        let free = cauchy.free();
        for (i, step) in self.step.iter_mut().enumerate() {
            *step = -gradient[i] - theta * (cauchy.point()[i] - x[i]);
        }
        let weights = &mut self.weights[..2 * n];
        weights.copy_from_slice(&cauchy.displacement()[..2 * n]);
        memory.multiply_middle(weights);
        memory.add_columns(weights, 1.0, theta, &mut self.step);
        for (step, &free) in self.step.iter_mut().zip(free) {
            if !free {
                *step = 0.0;
            }
        }
        memory.multiply_transposed(&self.step, weights);
        // K v = w, block by block: F F' v_1 = -(w_1 + F J v_2), second v_2 = w_2 - J'F^-1 w_1.
        let (upper, lower) = weights.split_at_mut(n);
        solve_lower(&self.first, n, m, upper);
        for (lower, row) in lower.iter_mut().zip(self.coupling.chunks_exact(m)) {
            *lower -= dot(&row[..n], upper);
        }
        solve_lower(&self.second, n, m, lower);
        solve_lower_transposed(&self.second, n, m, lower);
        for (j, upper) in upper.iter_mut().enumerate() {
            let coupled: f64 =
                lower.iter().zip(self.coupling.chunks_exact(m)).map(|(v, row)| row[j] * v).sum();
            *upper = -*upper - coupled;
        }
        solve_lower_transposed(&self.first, n, m, upper);
        memory.add_columns(weights, 1.0 / theta, 1.0, &mut self.step);
        for (step, &free) in self.step.iter_mut().zip(free) {
            *step = if free { *step / theta } else { 0.0 };
        }
    }
}

/// Copies a row with zeros where `free` equals `value`.
fn blank(row: &[f64], free: &[bool], value: bool, out: &mut [f64]) {
    for ((out, &r), &free) in out.iter_mut().zip(row).zip(free) {
        *out = if free == value { 0.0 } else { r };
    }
}
