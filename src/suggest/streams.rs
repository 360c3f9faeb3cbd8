//! One seed for a run, and a stream of its own for everything that draws.

/// What draws.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stream {
    /// The initial design.
    Design = 1,
    /// The fit of the outcome's model.
    OutcomeFit,
    /// The fit of the cost's model.
    CostFit,
    /// The search for a suggestion.
    Search,
    /// The search for what a stopping rule compares with.
    Verdict,
}

/// The seed of the `count`-th draw of a stream: the run's seed mixed with both, so that neighboring seeds share nothing.
pub(crate) fn seed(run: u64, stream: Stream, count: usize) -> u64 {
    mix(mix(mix(run) ^ stream as u64) ^ count as u64)
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014, Fast Splittable Pseudorandom Number Generators), a bijection.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
