//! The `k` best points of a batch.

use std::cmp::Ordering;

/// The order of two entries, each a score and its row. The greater score comes first. Of equal
/// scores the lower row comes first. NaN comes after all numbers.
pub fn best_first(a: (f64, usize), b: (f64, usize)) -> Ordering {
    let scores = b.0.partial_cmp(&a.0).unwrap_or_else(|| a.0.is_nan().cmp(&b.0.is_nan()));
    scores.then(a.1.cmp(&b.1))
}

/// Fills `rows` with the rows of the `k` best of `b` scores, or of all if there are at most `k`, in
/// the order of `best_first`. Takes `O(b + k log k)`.
///
/// ```
/// let mut rows = Vec::new();
/// gittins::internals::top_k(&[1.0, f64::NAN, 3.0, 1.0], 3, &mut rows);
/// assert_eq!(rows, [2, 0, 3]);
/// ```
pub fn top_k(scores: &[f64], k: usize, rows: &mut Vec<usize>) {
    let order = |a: &usize, b: &usize| best_first((scores[*a], *a), (scores[*b], *b));
    rows.clear();
    rows.extend(0..scores.len());
    if 0 < k && k < rows.len() {
        rows.select_nth_unstable_by(k - 1, order);
    }
    rows.truncate(k);
    rows.sort_unstable_by(order);
}
