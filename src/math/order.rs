//! Comparison of scores that may be NaN, and order statistics.

/// A score for comparing: NaN loses against every other score.
pub fn orderable(score: f64) -> f64 {
    if score.is_nan() { f64::NEG_INFINITY } else { score }
}

/// The value at a rank, counted from 0, of ascending numbers. Between whole ranks it is
/// interpolated linearly. None if the rank is beyond the numbers.
pub fn at_rank(ascending: &[f64], rank: f64) -> Option<f64> {
    let below = *ascending.get(rank.floor() as usize)?;
    let above = *ascending.get(rank.ceil() as usize)?;
    // Equal neighbors, infinities too, need no interpolation. Far neighbors may have a distance
    // that overflows, but a share of it does not.
    let share = rank.fract();
    let distance = above - below;
    Some(match () {
        () if below == above => below,
        () if distance.is_finite() => below + share * distance,
        () => (1.0 - share) * below + share * above,
    })
}

/// The median of numbers in order, of which there is at least one.
pub(crate) fn median(ascending: &[f64]) -> f64 {
    let n = ascending.len();
    // The half of the smallest number is zero, which may be another number than both.
    let low = ascending[(n - 1) / 2];
    let high = ascending[n / 2];
    if low == high { low } else { (0.5 * low + 0.5 * high).clamp(low, high) }
}

/// The least and the largest number; of none the infinities, the larger one first.
pub fn ends(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    numbers.fold(none, |[least, most], number| [least.min(number), most.max(number)])
}
