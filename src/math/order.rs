//! Order of numbers that may be no number, and order statistics.

/// A score for comparing: a score that is no number loses against all others.
pub(crate) fn orderable(score: f64) -> f64 {
    if score.is_nan() { f64::NEG_INFINITY } else { score }
}

/// The value at a rank, from 0, of ascending numbers, interpolated linearly between whole ranks;
/// none where the rank is beyond them.
pub(crate) fn at_rank(ascending: &[f64], rank: f64) -> Option<f64> {
    let (below, above) =
        (*ascending.get(rank.floor() as usize)?, *ascending.get(rank.ceil() as usize)?);
    // Between equals, infinities too, there is nothing to interpolate; and far apart the distance
    // is beyond what a number can be, but no share of it.
    let (share, distance) = (rank.fract(), above - below);
    Some(match () {
        () if below == above => below,
        () if distance.is_finite() => below + share * distance,
        () => (1.0 - share) * below + share * above,
    })
}
