//! Cholesky factors of covariance matrices: factor with escalating jitter, append a row, solve,
//! invert.
//!
//! `faer` computes the blocks. This file schedules them, because the result must not depend on the
//! number of threads. One thread computes each block, and the blocks depend on the size of the
//! matrix alone.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use crate::error::{Error, ErrorKind, Result};
use crate::math::few::{self, FEW, System};
use crate::math::share;

/// Columns of a block. A panel of 1000 rows fits a second-level cache, and the product with it is
/// no longer bound by memory.
const BLOCK: usize = 96;

/// Jitters that are tried in this order until the factor exists, in units of the mean of the
/// diagonal. The first is a few times the rounding error `n eps` of a factor with `n = 1000`. The
/// last is as large as usual noise.
const JITTERS: [f64; 6] = [0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4];

/// `A + jitter I = L L'`, with `L` lower triangular (`n x n`).
#[derive(Debug)]
pub struct Cholesky {
    lower: Mat<f64>,
    jitter: f64,
    /// The number of rows for which memory is reserved, if that is more than there are. Then not
    /// every appended row moves the whole factor.
    room: usize,
}

impl Clone for Cholesky {
    fn clone(&self) -> Self {
        // The copy has no room to spare.
        Self { lower: self.lower.clone(), jitter: self.jitter, room: 0 }
    }
}

impl Cholesky {
    /// Factors a symmetric matrix whose lower triangle is given, in O(n^3 / 3) multiplications.
    ///
    /// # Errors
    /// [`ErrorKind::NotPositiveDefinite`] if a pivot is lost even with a jitter of 1e-4 of the mean
    /// diagonal, [`ErrorKind::Empty`] for `n = 0`.
    pub fn factor(matrix: MatRef<'_, f64>) -> Result<Self> {
        let mut factor = Self::empty();
        factor.refactor(matrix)?;
        Ok(factor)
    }

    /// The factor of a diagonal matrix whose diagonal already has this jitter. The entries are
    /// positive.
    pub(crate) fn diagonal(diagonal: &[f64], jitter: f64) -> Self {
        let n = diagonal.len();
        let mut lower = Mat::zeros(n, n);
        for (i, entry) in diagonal.iter().enumerate() {
            lower[(i, i)] = entry.sqrt();
        }
        Self { lower, jitter, room: 0 }
    }

    /// The factor of `D A D`, with `D` the diagonal matrix of positive numbers. If `A` has no jitter,
    /// the result has none.
    pub(crate) fn scaled(&self, diagonal: &[f64]) -> Self {
        let mut lower = self.lower.clone();
        for j in 0..self.len() {
            for i in j..self.len() {
                lower[(i, j)] *= diagonal[i];
            }
        }
        Self { lower, jitter: 0.0, room: 0 }
    }

    /// An empty factor, for [`refactor`](Self::refactor).
    pub(crate) fn empty() -> Self {
        Self { lower: Mat::new(), jitter: 0.0, room: 0 }
    }

    /// Becomes the factor of another matrix. The memory is reused if the size is the same.
    ///
    /// # Errors
    /// As for [`factor`](Self::factor). After an error this is no valid factor.
    pub fn refactor(&mut self, matrix: MatRef<'_, f64>) -> Result<()> {
        let n = matrix.nrows();
        if n == 0 {
            return Err(Error::new(ErrorKind::Empty, "no observation to condition on"));
        }
        if self.len() != n {
            self.lower = Mat::zeros(n, n);
            self.room = 0;
        }
        let mean_diagonal = (0..n).map(|i| matrix[(i, i)]).sum::<f64>() / n as f64;
        for relative in JITTERS {
            self.jitter = relative * mean_diagonal;
            for j in 0..n {
                // The upper triangle is zero, from the start or from the factor before.
                self.lower
                    .col_mut(j)
                    .subrows_mut(j, n - j)
                    .copy_from(matrix.col(j).subrows(j, n - j));
                self.lower[(j, j)] += self.jitter;
            }
            if factor_blocks(self.lower.as_mut(), smallest_pivot(n, mean_diagonal)) {
                if self.jitter > 0.0 {
                    log::debug!(
                        "the covariance of {n} observations needed a jitter of {:e}",
                        self.jitter
                    );
                }
                return Ok(());
            }
        }
        Err(Error::new(
            ErrorKind::NotPositiveDefinite,
            format!(
                "the covariance of {n} observations lost a pivot even with a jitter of {:e}",
                self.jitter
            ),
        ))
    }

    /// Adds a row in O(n^2): `column` holds the covariances with the old rows, `diagonal` the new
    /// variance without jitter. The jitter stays as it is.
    ///
    /// # Errors
    /// [`ErrorKind::NotPositiveDefinite`] if the new pivot is lost in rounding. The factor then
    /// stays as it was.
    pub fn append(&mut self, column: &[f64], diagonal: f64) -> Result<()> {
        let n = self.len();
        assert_eq!(column.len(), n, "one covariance per row");
        let mut row = column.to_vec();
        self.solve_lower(MatMut::from_column_major_slice_mut(&mut row, n, 1));
        let full = diagonal + self.jitter;
        let pivot = full - row.iter().map(|v| v * v).sum::<f64>();
        if pivot.is_nan() || pivot <= smallest_pivot(n + 1, full) {
            return Err(Error::new(
                ErrorKind::NotPositiveDefinite,
                format!("row {n} lost its pivot: {pivot:e} of {full:e} is left"),
            ));
        }
        if n >= self.room {
            self.room = n + 1 + n / 64;
            self.lower.reserve(self.room, self.room);
        }
        let lower = &mut self.lower;
        lower.resize_with(n + 1, n + 1, |_, _| 0.0);
        for (j, v) in row.into_iter().enumerate() {
            lower[(n, j)] = v;
        }
        lower[(n, n)] = pivot.sqrt();
        Ok(())
    }

    /// The number of rows `n`.
    pub fn len(&self) -> usize {
        self.lower.nrows()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number that was added to the diagonal.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// The factor, its upper triangle zero.
    pub fn lower(&self) -> MatRef<'_, f64> {
        self.lower.as_ref()
    }

    /// `ln det A`.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.len()).map(|i| self.lower[(i, i)].ln()).sum::<f64>()
    }

    /// `B <- L^-1 B`, on the calling thread.
    pub fn solve_lower(&self, right: MatMut<'_, f64>) {
        if FEW.contains(&right.ncols()) {
            return few::solve(self.lower.as_ref(), right, System::Lower);
        }
        solve_lower_triangular_in_place(self.lower.as_ref(), right, Par::Seq);
    }

    /// `B <- L^-T B`, on the calling thread.
    pub fn solve_upper(&self, right: MatMut<'_, f64>) {
        if FEW.contains(&right.ncols()) {
            return few::solve(self.lower.as_ref(), right, System::Upper);
        }
        solve_upper_triangular_in_place(self.lower.as_ref().transpose(), right, Par::Seq);
    }

    /// `A^-1 b`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = right.to_vec();
        let n = self.len();
        self.solve_lower(MatMut::from_column_major_slice_mut(&mut solution, n, 1));
        self.solve_upper(MatMut::from_column_major_slice_mut(&mut solution, n, 1));
        solution
    }

    /// `L^-1`, in blocks over the threads. Above the diagonal only the blocks on the diagonal are
    /// written, with zeros.
    pub fn lower_inverse_into(&self, lower_inverse: &mut Mat<f64>) {
        let n = self.len();
        if lower_inverse.nrows() != n {
            *lower_inverse = Mat::zeros(n, n);
        }
        let least = share::least(share::of_products(n * n * BLOCK / 4));
        lower_inverse.as_mut().par_col_chunks_mut(BLOCK).enumerate().with_min_len(least).for_each(
            |(block, columns)| {
                let start = block * BLOCK;
                let mut below = columns.subrows_mut(start, n - start);
                below.fill(0.0);
                for j in 0..below.ncols() {
                    below[(j, j)] = 1.0;
                }
                solve_lower_triangular_in_place(
                    self.lower.as_ref().submatrix(start, start, n - start, n - start),
                    below,
                    Par::Seq,
                );
            },
        );
    }

    /// The lower triangle of `A^-1`, in blocks over the threads. Do not read the upper triangle of
    /// the result. The memory of both matrices is reused if the size is the same.
    pub fn inverse_into(&self, lower_inverse: &mut Mat<f64>, inverse: &mut Mat<f64>) {
        let n = self.len();
        if inverse.nrows() != n {
            *inverse = Mat::zeros(n, n);
        }
        self.lower_inverse_into(lower_inverse);
        let t = lower_inverse.as_ref();
        let least = share::least(share::of_products(n * n * BLOCK / 4));
        inverse.as_mut().par_col_chunks_mut(BLOCK).enumerate().with_min_len(least).for_each(
            |(block, mut columns)| {
                let start = block * BLOCK;
                for row in (start..n).step_by(BLOCK) {
                    let rows = BLOCK.min(n - row);
                    let width = columns.ncols();
                    let left = t.submatrix(row, row, n - row, rows);
                    let right = t.submatrix(row, start, n - row, width);
                    matmul(
                        columns.as_mut().subrows_mut(row, rows),
                        Accum::Replace,
                        left.transpose(),
                        right,
                        1.0,
                        Par::Seq,
                    );
                }
            },
        );
    }
}

/// The jitter with which a singular matrix of `n` rows and mean diagonal `diagonal` has a factor once
/// `noise` is added to its diagonal. It is zero if the noise is enough.
///
/// # Errors
/// [`ErrorKind::NotPositiveDefinite`] if no jitter is.
pub(crate) fn jitter_of_singular(n: usize, diagonal: f64, noise: f64) -> Result<f64> {
    let enough = |jitter: &f64| noise + jitter > smallest_pivot(n, diagonal);
    let jitter = JITTERS.map(|relative| relative * diagonal).into_iter().find(enough);
    jitter.ok_or_else(|| {
        Error::new(
            ErrorKind::NotPositiveDefinite,
            format!("the covariance of {n} observations is singular for any jitter"),
        )
    })
}

/// The smallest pivot that counts. A pivot is the diagonal entry less up to `n` squares, with a
/// rounding error of `n eps` times the entry. Below that no digit of the pivot is right, whatever
/// its sign.
fn smallest_pivot(n: usize, diagonal: f64) -> f64 {
    f64::EPSILON * n as f64 * diagonal
}

/// Right-looking blocked factorization of the lower triangle. Returns false if a pivot is lost.
fn factor_blocks(mut a: MatMut<'_, f64>, smallest_pivot: f64) -> bool {
    let n = a.nrows();
    let mut scratch = MemBuffer::new(cholesky_in_place_scratch::<f64>(
        BLOCK.min(n),
        Par::Seq,
        Default::default(),
    ));
    for start in (0..n).step_by(BLOCK) {
        let width = BLOCK.min(n - start);
        let (panel, right) = a.as_mut().split_at_col_mut(start + width);
        let mut panel = panel.subcols_mut(start, width).subrows_mut(start, n - start);
        let (mut diagonal, mut below) = panel.as_mut().split_at_row_mut(width);
        let stack = MemStack::new(&mut scratch);
        if cholesky_in_place(
            diagonal.as_mut(),
            Default::default(),
            Par::Seq,
            stack,
            Default::default(),
        )
        .is_err()
        {
            return false;
        }
        if (0..width)
            .any(|i| !(diagonal[(i, i)].powi(2) > smallest_pivot && diagonal[(i, i)].is_finite()))
        {
            return false;
        }
        // faer computes whole small blocks. The part above the diagonal does not belong to the
        // factor.
        for j in 1..width {
            diagonal.as_mut().col_mut(j).subrows_mut(0, j).fill(0.0);
        }
        let diagonal = diagonal.as_ref();
        let least = share::least(share::of_products(BLOCK * BLOCK * BLOCK / 2));
        below.as_mut().par_row_chunks_mut(BLOCK).with_min_len(least).for_each(|rows| {
            solve_lower_triangular_in_place(diagonal, rows.transpose_mut(), Par::Seq);
        });
        let below = below.as_ref();
        let trailing = right.subrows_mut(start + width, n - start - width);
        let least = share::least(share::of_products(BLOCK * BLOCK * trailing.nrows() / 2));
        trailing.par_col_chunks_mut(BLOCK).enumerate().with_min_len(least).for_each(
            |(block, columns)| {
                let first = block * BLOCK;
                let count = columns.ncols();
                let left = below.subrows(first, below.nrows() - first);
                let top = below.subrows(first, count);
                let (mut square, rest) =
                    columns.subrows_mut(first, left.nrows()).split_at_row_mut(count);
                triangular_matmul(
                    square.as_mut(),
                    BlockStructure::TriangularLower,
                    Accum::Add,
                    left.subrows(0, count),
                    BlockStructure::Rectangular,
                    top.transpose(),
                    BlockStructure::Rectangular,
                    -1.0,
                    Par::Seq,
                );
                matmul(
                    rest,
                    Accum::Add,
                    left.subrows(count, left.nrows() - count),
                    top.transpose(),
                    -1.0,
                    Par::Seq,
                );
            },
        );
    }
    true
}
