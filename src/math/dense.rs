//! Small dense matrices, row-major with a stride, and dot products.

/// The inner product, summed in four lanes so that it vectorizes. The order is fixed, so the result
/// is reproducible.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let quads_a = a.chunks_exact(4);
    let quads_b = b.chunks_exact(4);
    let tail: f64 = quads_a.remainder().iter().zip(quads_b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in quads_a.zip(quads_b) {
        for lane in 0..4 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + tail
}

/// Overwrites the lower triangle of `a` (`n x n`) by its Cholesky factor. Returns false if a pivot
/// is not positive and finite.
pub(super) fn cholesky(a: &mut [f64], n: usize, stride: usize) -> bool {
    for i in 0..n {
        for j in 0..=i {
            let row_i = i * stride;
            let row_j = j * stride;
            let rest = a[row_i + j] - (0..j).map(|k| a[row_i + k] * a[row_j + k]).sum::<f64>();
            if i == j {
                if !(rest > 0.0 && rest.is_finite()) {
                    return false;
                }
                a[row_i + i] = rest.sqrt();
            } else {
                a[row_i + j] = rest / a[row_j + j];
            }
        }
    }
    true
}

/// Solves `L x = b` in place.
pub(super) fn solve_lower(l: &[f64], n: usize, stride: usize, b: &mut [f64]) {
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| l[i * stride + k] * b[k]).sum();
        b[i] = (b[i] - sum) / l[i * stride + i];
    }
}

/// Solves `L' x = b` in place.
pub(super) fn solve_lower_transposed(l: &[f64], n: usize, stride: usize, b: &mut [f64]) {
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| l[k * stride + i] * b[k]).sum();
        b[i] = (b[i] - sum) / l[i * stride + i];
    }
}
