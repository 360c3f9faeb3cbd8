//! When work is worth a second thread.

/// The work that is worth waking a thread for, in nanoseconds. A thread wakes in some tens of
/// microseconds, and the thread that waits for it takes as long to wake again.
const WORTH: f64 = 40_000.0;

/// The smallest number of items that one thread takes, if an item takes about this many
/// nanoseconds: for `with_min_len` of parallel iterators. Fewer than twice as many items stay on
/// the calling thread. What each item gives does not depend on it.
pub(crate) fn least(nanoseconds: f64) -> usize {
    ((WORTH / nanoseconds.max(1.0)) as usize).max(1)
}

/// About the time of a product or a triangular solve with this many multiplications, in
/// nanoseconds, on one thread with vectors of four to eight numbers.
pub(crate) fn of_products(multiplications: usize) -> f64 {
    multiplications as f64 / 10.0
}

/// About the time of this many kernel values between points with this many coordinates, in
/// nanoseconds.
pub(crate) fn of_kernel_values(values: usize, coordinates: usize) -> f64 {
    values as f64 * (1.0 + coordinates as f64 / 8.0)
}

/// About the time of moves of climbs with this many coordinates together, in nanoseconds.
pub(crate) fn of_moves(coordinates: usize) -> f64 {
    200.0 * coordinates as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_items_are_shared_and_short_ones_are_not() {
        assert_eq!(least(1e9), 1);
        assert_eq!(least(WORTH), 1);
        assert_eq!(least(WORTH / 2.0), 2);
        assert!(least(0.0) > 1000 && least(f64::NAN) > 1000);
    }
}
