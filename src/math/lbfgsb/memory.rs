//! The limited-memory matrix in compact form.
//!
//! With the last `m` steps `S = [s_1 .. s_m]` and gradient changes `Y = [y_1 .. y_m]`,
//!
//! ```text
//! B = theta I - W M W',   W = [Y, theta S],   M = [ -D      L'     ]^-1
//!                                                 [  L   theta S'S ]
//! ```
//!
//! with `S'Y = L + D + R`: `L` strictly lower, `D` diagonal, `R` strictly upper triangular.
//!
//! Reference: Byrd, Nocedal, Schnabel (1994), Representations of quasi-Newton matrices and their
//! use in limited memory methods, Mathematical Programming 63, Theorem 2.3.

use crate::math::dense::{cholesky, dot, solve_lower, solve_lower_transposed};

#[derive(Debug, Clone)]
pub(super) struct Memory {
    dim: usize,
    capacity: usize,
    len: usize,
    /// The row of the oldest pair: `steps` and `changes` are rings of `capacity` rows.
    head: usize,
    theta: f64,
    steps: Vec<f64>,
    changes: Vec<f64>,
    /// `S'Y` on and below the diagonal, and the whole `S'S`; `capacity x capacity`, oldest pair
    /// first.
    sy: Vec<f64>,
    ss: Vec<f64>,
    /// The Cholesky factor of `T = theta S'S + L D^-1 L'`.
    factor: Vec<f64>,
}

impl Memory {
    pub(super) fn new(dim: usize, capacity: usize) -> Self {
        let square = vec![0.0; capacity * capacity];
        let rows = vec![0.0; capacity * dim];
        Self {
            dim,
            capacity,
            len: 0,
            head: 0,
            theta: 1.0,
            steps: rows.clone(),
            changes: rows,
            sy: square.clone(),
            ss: square.clone(),
            factor: square,
        }
    }

    /// The number of pairs.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn theta(&self) -> f64 {
        self.theta
    }

    /// Forgets all pairs: `B` is the identity again.
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.head = 0;
        self.theta = 1.0;
    }

    /// `s_j`, the oldest first.
    pub(super) fn step(&self, j: usize) -> &[f64] {
        let row = (self.head + j) % self.capacity;
        &self.steps[row * self.dim..(row + 1) * self.dim]
    }

    /// `y_j`, the oldest first.
    pub(super) fn change(&self, j: usize) -> &[f64] {
        let row = (self.head + j) % self.capacity;
        &self.changes[row * self.dim..(row + 1) * self.dim]
    }

    /// `D_jj = s_j'y_j`, positive.
    pub(super) fn curvature(&self, j: usize) -> f64 {
        self.sy[j * self.capacity + j]
    }

    /// Adds a pair with `s'y = curvature > 0`. If the memory is full, the oldest pair is dropped.
    ///
    /// If `T` loses a pivot, all pairs are dropped, because `B` would not be positive definite.
    pub(super) fn update(&mut self, step: &[f64], change: &[f64], curvature: f64) {
        let m = self.capacity;
        if self.len == m {
            self.head = (self.head + 1) % m;
            for row in 1..m {
                self.sy.copy_within(row * m + 1..(row + 1) * m, (row - 1) * m);
                self.ss.copy_within(row * m + 1..(row + 1) * m, (row - 1) * m);
            }
        } else {
            self.len += 1;
        }
        let last = self.len - 1;
        let at = (self.head + last) % m * self.dim;
        self.steps[at..at + self.dim].copy_from_slice(step);
        self.changes[at..at + self.dim].copy_from_slice(change);
        self.theta = dot(change, change) / curvature;
        for j in 0..last {
            self.sy[last * m + j] = dot(step, self.change(j));
            let product = dot(step, self.step(j));
            self.ss[last * m + j] = product;
            self.ss[j * m + last] = product;
        }
        self.sy[last * m + last] = curvature;
        self.ss[last * m + last] = dot(step, step);
        if !self.refactor() {
            log::debug!("L-BFGS-B: the compact matrix lost a pivot; {} pairs dropped", self.len);
            self.clear();
        }
    }

    fn refactor(&mut self) -> bool {
        let m = self.capacity;
        for i in 0..self.len {
            for j in 0..=i {
                let low: f64 = (0..j)
                    .map(|k| self.sy[i * m + k] * self.sy[j * m + k] / self.curvature(k))
                    .sum();
                // The sum over k < min(i, j) runs over the strictly lower parts of both rows.
                self.factor[i * m + j] = self.theta * self.ss[i * m + j] + low;
            }
        }
        cholesky(&mut self.factor, self.len, m)
    }

    /// `M v` for `v` of length `2 len`, in place.
    pub(super) fn multiply_middle(&self, v: &mut [f64]) {
        let (m, n) = (self.capacity, self.len);
        let (first, second) = v[..2 * n].split_at_mut(n);
        for (i, second) in second.iter_mut().enumerate() {
            *second +=
                (0..i).map(|k| self.sy[i * m + k] * first[k] / self.curvature(k)).sum::<f64>();
        }
        solve_lower(&self.factor, n, m, second);
        solve_lower_transposed(&self.factor, n, m, second);
        for (i, first) in first.iter_mut().enumerate() {
            let low: f64 = (i + 1..n).map(|k| self.sy[k * m + i] * second[k]).sum();
            *first = (low - *first) / self.curvature(i);
        }
    }

    /// `W'd` into `out[..2 len]`.
    pub(super) fn multiply_transposed(&self, direction: &[f64], out: &mut [f64]) {
        for j in 0..self.len {
            out[j] = dot(self.change(j), direction);
            out[self.len + j] = self.theta * dot(self.step(j), direction);
        }
    }

    /// Row `i` of `W` into `out[..2 len]`.
    pub(super) fn row(&self, i: usize, out: &mut [f64]) {
        for j in 0..self.len {
            out[j] = self.change(j)[i];
            out[self.len + j] = self.theta * self.step(j)[i];
        }
    }

    /// Adds `first Y v_1 + second S v_2` to `out`. With `first = 1` and `second = theta` this is
    /// `W v`.
    pub(super) fn add_columns(&self, v: &[f64], first: f64, second: f64, out: &mut [f64]) {
        for j in 0..self.len {
            let a = first * v[j];
            let b = second * v[self.len + j];
            for ((o, y), s) in out.iter_mut().zip(self.change(j)).zip(self.step(j)) {
                *o += a * y + b * s;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `B v = theta v - W M W'v`.
    fn multiply(memory: &Memory, v: &[f64]) -> Vec<f64> {
        let mut out: Vec<f64> = v.iter().map(|v| memory.theta() * v).collect();
        let mut middle = vec![0.0; 2 * memory.len()];
        memory.multiply_transposed(v, &mut middle);
        memory.multiply_middle(&mut middle);
        memory.add_columns(&middle, -1.0, -memory.theta(), &mut out);
        out
    }

    /// Six pairs of a quadratic whose Hessian is tridiagonal.
    fn pairs() -> impl Iterator<Item = ([f64; 5], [f64; 5])> {
        (0..6).map(|k| {
            let step: [f64; 5] = std::array::from_fn(|i| ((k * 5 + i) as f64 * 1.3).sin());
            let at = |i: isize| {
                usize::try_from(i).ok().and_then(|i| step.get(i)).copied().unwrap_or(0.0)
            };
            let change = std::array::from_fn(|i| {
                (3.0 + i as f64) * step[i] - at(i as isize - 1) - at(i as isize + 1)
            });
            (step, change)
        })
    }

    #[test]
    fn agrees_with_the_update_formula() {
        // B+ = B - B s s'B / s'B s + y y' / s'y, pair by pair from theta I, for the pairs in
        // memory.
        let mut memory = Memory::new(5, 4);
        for (count, (step, change)) in pairs().enumerate() {
            memory.update(&step, &change, dot(&step, &change));
            let mut b = vec![[0.0; 5]; 5];
            (0..5).for_each(|i| b[i][i] = memory.theta());
            for (s, y) in pairs().take(count + 1).skip((count + 1).saturating_sub(4)) {
                let bs: Vec<f64> = b.iter().map(|row| dot(row, &s)).collect();
                let sbs = dot(&s, &bs);
                let sy = dot(&s, &y);
                for i in 0..5 {
                    for j in 0..5 {
                        b[i][j] += y[i] * y[j] / sy - bs[i] * bs[j] / sbs;
                    }
                }
            }
            for v in [[1.0, 0.0, 0.0, 0.0, 0.0], [0.3, -0.2, 0.9, 1.0, -1.4], step] {
                for (compact, row) in multiply(&memory, &v).iter().zip(&b) {
                    // Numbers of order 10, and some hundred operations for each.
                    assert!(
                        (compact - dot(row, &v)).abs() < 1e-11,
                        "{} pairs: {compact} for {}",
                        memory.len(),
                        dot(row, &v)
                    );
                }
            }
        }
        assert_eq!(memory.len(), 4);
    }

    #[test]
    fn drops_all_pairs_when_a_pivot_is_lost() {
        let mut memory = Memory::new(2, 3);
        memory.update(&[1.0, 0.0], &[1.0, 0.0], 1.0);
        memory.update(&[0.0, f64::INFINITY], &[0.0, 1.0], 1.0);
        assert!(memory.is_empty());
        assert_eq!(memory.theta(), 1.0);
    }
}
