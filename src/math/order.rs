//! Between order statistics.

/// The value at a rank, from 0, of ascending numbers, interpolated linearly between whole ranks; none where the rank is beyond them.
pub(crate) fn at_rank(ascending: &[f64], rank: f64) -> Option<f64> {
    let (below, above) = (*ascending.get(rank.floor() as usize)?, *ascending.get(rank.ceil() as usize)?);
    // Between equals, infinities too, there is nothing to interpolate.
    Some(if below == above { below } else { below + rank.fract() * (above - below) })
}
