//! Triangular solves with few right-hand sides.
//!
//! A round of climbs late in a run has a handful of points and a factor of thousands of rows. A
//! general solve packs the factor for every call, which takes as long as the solve. Here the factor
//! is read once, column by column, as it lies in memory. The right-hand sides are packed instead:
//! eight or four of them side by side in each row.
//!
//! The forward solve takes a panel of columns at a time: the block on the diagonal first, then all
//! rows below lose the panel's share. The backward solve takes the panels from the last one on, and
//! each first loses the share of the rows below. Both are the usual substitutions in another order,
//! with the same bound of the error (Higham 2002, theorem 8.5).

use std::cell::RefCell;
use std::ops::RangeInclusive;

use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};

/// The numbers of right-hand sides that are solved here. One alone is a product with a vector for
/// each block, in which nothing is packed.
pub(super) const FEW: RangeInclusive<usize> = 2..=16;

/// Right-hand sides that are solved together, many or few. Missing ones are zeros.
const MANY: usize = 8;
const SOME: usize = 4;

/// Columns of a panel.
const PANEL: usize = 16;

/// Rows, and columns, whose sums are in registers together.
const BLOCK: usize = 8;

thread_local! {
    /// The packed right-hand sides of a thread. A new allocation of their size would cost as much
    /// as a small solve.
    static PACKED: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Which system is solved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    /// `L x = b`.
    Lower,
    /// `L' x = b`.
    Upper,
}

/// `B <- L^-1 B` or `B <- L^-T B`, for a lower triangular matrix in columns.
pub(super) fn solve(lower: MatRef<'_, f64>, mut right: MatMut<'_, f64>, system: System) {
    let count = right.ncols();
    for first in (0..count).step_by(MANY) {
        let right = right.as_mut().subcols_mut(first, MANY.min(count - first));
        match right.ncols() {
            ..=SOME => solve_set::<SOME>(lower, right, system),
            _ => solve_set::<MANY>(lower, right, system),
        }
    }
}

/// At most `W` right-hand sides.
fn solve_set<const W: usize>(lower: MatRef<'_, f64>, mut right: MatMut<'_, f64>, system: System) {
    PACKED.with_borrow_mut(|packed| {
        packed.clear();
        packed.resize(lower.nrows() * W, 0.0);
        for t in 0..right.ncols() {
            let rows = packed.as_chunks_mut::<W>().0.iter_mut();
            for (row, value) in rows.zip(right.as_ref().col(t).iter()) {
                row[t] = *value;
            }
        }
        dispatch(Set::<W> { lower, packed: &mut *packed, system });
        for t in 0..right.ncols() {
            let rows = packed.as_chunks::<W>().0.iter();
            for (row, value) in rows.zip(right.as_mut().col_mut(t).iter_mut()) {
                *value = row[t];
            }
        }
    });
}

/// Runs with the widest vectors that a row fills. A machine with AVX-512 has AVX2.
fn dispatch<const W: usize>(set: Set<'_, W>) {
    #[cfg(target_arch = "x86_64")]
    if W < MANY
        && let Some(simd) = pulp::x86::V3::try_new()
    {
        return Simd::vectorize(simd, set);
    }
    pulp::Arch::new().dispatch(set);
}

struct Set<'a, const W: usize> {
    lower: MatRef<'a, f64>,
    packed: &'a mut [f64],
    system: System,
}

impl<const W: usize> WithSimd for Set<'_, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let packed = S::as_mut_simd_f64s(self.packed).0;
        match W / S::F64_LANES {
            1 => solve_rows::<S, 1>(simd, self.lower, packed.as_chunks_mut().0, self.system),
            2 => solve_rows::<S, 2>(simd, self.lower, packed.as_chunks_mut().0, self.system),
            4 => solve_rows::<S, 4>(simd, self.lower, packed.as_chunks_mut().0, self.system),
            _ => solve_rows::<S, 8>(simd, self.lower, packed.as_chunks_mut().0, self.system),
        }
    }
}

/// `rows` has `V` vectors to a row.
#[inline(always)]
fn solve_rows<S: Simd, const V: usize>(
    simd: S,
    lower: MatRef<'_, f64>,
    rows: &mut [[S::f64s; V]],
    system: System,
) {
    let panels = rows.len().div_ceil(PANEL);
    for step in 0..panels {
        match system {
            System::Lower => {
                let panel = Panel::new(lower, step * PANEL);
                let (own, below) = panel.split(rows);
                panel.substitute_forward(simd, own);
                panel.take_off(simd, own, below);
            }
            System::Upper => {
                let panel = Panel::new(lower, (panels - 1 - step) * PANEL);
                let (own, below) = panel.split(rows);
                for first in (0..own.len()).step_by(BLOCK) {
                    panel.collect(simd, first, own, below);
                }
                panel.substitute_backward(simd, own);
            }
        }
    }
}

/// Some columns from the diagonal on: `columns[c]` begins at row `c` of the block on the diagonal's
/// first row.
struct Panel<'a> {
    first: usize,
    size: usize,
    /// Beyond the last column they are empty.
    columns: [&'a [f64]; PANEL],
}

/// `sums + factor row`, for each vector of a row.
#[inline(always)]
fn add<S: Simd, const V: usize>(simd: S, factor: f64, row: &[S::f64s; V], sums: &mut [S::f64s; V]) {
    let factor = simd.splat_f64s(factor);
    for v in 0..V {
        sums[v] = simd.mul_add_e_f64s(factor, row[v], sums[v]);
    }
}

impl<'a> Panel<'a> {
    #[inline(always)]
    fn new(lower: MatRef<'a, f64>, first: usize) -> Self {
        let size = PANEL.min(lower.ncols() - first);
        let mut columns = [&[] as &[f64]; PANEL];
        for (c, column) in columns[..size].iter_mut().enumerate() {
            let whole = lower.col(first + c).try_as_col_major();
            *column = &whole.expect("a column of a factor is contiguous").as_slice()[first..];
        }
        Self { first, size, columns }
    }

    /// The rows of the panel, and those below.
    #[inline(always)]
    fn split<'r, R>(&self, rows: &'r mut [R]) -> (&'r mut [R], &'r mut [R]) {
        rows[self.first..].split_at_mut(self.size)
    }

    /// Solves with the block on the diagonal.
    #[inline(always)]
    fn substitute_forward<S: Simd, const V: usize>(&self, simd: S, own: &mut [[S::f64s; V]]) {
        for c in 0..self.size {
            let column = &self.columns[c][..self.size];
            let known = self.divided(simd, c, own);
            for (row, factor) in own[c + 1..].iter_mut().zip(&column[c + 1..]) {
                add(simd, -factor, &known, row);
            }
        }
    }

    /// Solves with the transposed block.
    #[inline(always)]
    fn substitute_backward<S: Simd, const V: usize>(&self, simd: S, own: &mut [[S::f64s; V]]) {
        for c in (0..self.size).rev() {
            let known = self.divided(simd, c, own);
            for (row, column) in own[..c].iter_mut().zip(&self.columns) {
                add(simd, -column[c], &known, row);
            }
        }
    }

    /// Divides a row by its entry on the diagonal.
    #[inline(always)]
    fn divided<S: Simd, const V: usize>(
        &self,
        simd: S,
        c: usize,
        own: &mut [[S::f64s; V]],
    ) -> [S::f64s; V] {
        let diagonal = simd.splat_f64s(self.columns[c][c]);
        for value in &mut own[c] {
            *value = simd.div_f64s(*value, diagonal);
        }
        own[c]
    }

    /// Takes the share of this panel, whose unknowns are known, off the rows below.
    #[inline(always)]
    fn take_off<S: Simd, const V: usize>(
        &self,
        simd: S,
        own: &[[S::f64s; V]],
        below: &mut [[S::f64s; V]],
    ) {
        // Only the last panel has fewer columns, and no row below it.
        let Ok(own) = <&[[S::f64s; V]; PANEL]>::try_from(own) else { return };
        let mut negated = *own;
        for row in &mut negated {
            for value in row {
                *value = simd.neg_f64s(*value);
            }
        }
        let columns = self.columns.map(|column| column[PANEL..].as_chunks::<BLOCK>());
        let (blocks, rest) = below.as_chunks_mut::<BLOCK>();
        for (block, rows) in blocks.iter_mut().enumerate() {
            let mut sums = *rows;
            for c in 0..PANEL {
                let factors = &columns[c].0[block];
                for r in 0..BLOCK {
                    add(simd, factors[r], &negated[c], &mut sums[r]);
                }
            }
            *rows = sums;
        }
        for (r, row) in rest.iter_mut().enumerate() {
            for c in 0..PANEL {
                add(simd, columns[c].1[r], &negated[c], row);
            }
        }
    }

    /// Takes the share of the rows below, which are known, off some rows of this panel from `first`
    /// on.
    #[inline(always)]
    fn collect<S: Simd, const V: usize>(
        &self,
        simd: S,
        first: usize,
        own: &mut [[S::f64s; V]],
        below: &[[S::f64s; V]],
    ) {
        if below.is_empty() {
            return;
        }
        let mut columns = [(&[] as &[[f64; BLOCK]], &[] as &[f64]); BLOCK];
        for (split, column) in columns.iter_mut().zip(&self.columns[first..]) {
            *split = column[PANEL..].as_chunks();
        }
        let (blocks, rest) = below.as_chunks::<BLOCK>();
        let mut sums = [[simd.splat_f64s(0.0); V]; BLOCK];
        for (block, rows) in blocks.iter().enumerate() {
            let mut factors = [&[0.0; BLOCK]; BLOCK];
            for (factors, column) in factors.iter_mut().zip(&columns) {
                *factors = &column.0[block];
            }
            for (r, row) in rows.iter().enumerate() {
                for c in 0..BLOCK {
                    add(simd, factors[c][r], row, &mut sums[c]);
                }
            }
        }
        for (r, row) in rest.iter().enumerate() {
            for c in 0..BLOCK {
                add(simd, columns[c].1[r], row, &mut sums[c]);
            }
        }
        for (row, sums) in own[first..].iter_mut().zip(&sums) {
            for v in 0..V {
                row[v] = simd.sub_f64s(row[v], sums[v]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    /// The largest residual in units of its bound: `|b - L x| <= n eps |L| |x|` for the solution, and
    /// as much for the rounding of the residual itself.
    fn residual(n: usize, count: usize, system: System) -> f64 {
        let entry = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 0.5 + ((i * 7) % 5) as f64,
            std::cmp::Ordering::Greater => ((i * 13 + j * 29) % 17) as f64 / 17.0 - 0.5,
        };
        // A factor with room to grow has columns that lie further apart than they are long.
        let room = Mat::from_fn(n + 3, n, entry);
        let lower = room.as_ref().subrows(0, n);
        let right = Mat::from_fn(n, count, |i, t| ((i * 3 + t * 11) % 19) as f64 - 9.0);
        let mut solved = right.clone();
        solve(lower, solved.as_mut(), system);
        let of = |i: usize, j: usize| match system {
            System::Lower => lower[(i, j)],
            System::Upper => lower[(j, i)],
        };
        let mut worst: f64 = 0.0;
        for t in 0..count {
            for i in 0..n {
                let terms = (0..n).map(|j| of(i, j) * solved[(j, t)]);
                let off = (right[(i, t)] - terms.clone().sum::<f64>()).abs();
                let size: f64 = terms.map(f64::abs).sum();
                worst = worst.max(off / (2.0 * n as f64 * f64::EPSILON * size));
            }
        }
        worst
    }

    #[test]
    fn solutions_have_small_residuals_at_every_size_of_panels_and_sets() {
        for n in [1, 2, 7, 8, 15, 16, 17, 31, 40, 64, 131] {
            for count in [1, 2, 3, 4, 5, 8, 9, 16, 19] {
                for system in [System::Lower, System::Upper] {
                    let worst = residual(n, count, system);
                    assert!(worst <= 1.0, "{count} systems of {n} rows: {worst}");
                }
            }
        }
    }

    #[test]
    fn a_solution_does_not_depend_on_its_neighbors() {
        let lower = Mat::from_fn(37, 37, |i, j| if i < j { 0.0 } else { 1.0 + (i + j) as f64 });
        let right = Mat::from_fn(37, 8, |i, t| (i * t) as f64 + 1.0);
        let mut together = right.clone();
        solve(lower.as_ref(), together.as_mut(), System::Lower);
        let mut six = right.as_ref().subcols(2, 6).to_owned();
        solve(lower.as_ref(), six.as_mut(), System::Lower);
        assert_eq!(six, together.as_ref().subcols(2, 6).to_owned());
    }
}
