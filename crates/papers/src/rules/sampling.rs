//! The number of samples that decide whether an event is rare: a schedule of sample sizes, a budget
//! of risk, and the test of the level.
//!
//! The test is that of Wilson (2024, "Stopping Bayesian Optimization with Probabilistic Regret
//! Bounds", section 4). Bernoulli samples are drawn in rounds. After each round a Clopper-Pearson
//! interval for the probability of the event is made from that round's share of the risk. The
//! rounds end when the interval excludes the level.

use super::binomial::clopper_pearson;
use gittins::Result;

/// The factor by which the number of samples grows from one round to the next.
const GROWTH: f64 = 1.5;

/// The total number of samples after each round: `first`, then one and a half times as many as
/// before (rounded up), and at last `cap`.
///
/// ```
/// let sizes: Vec<usize> = gittins_papers::rules::internals::sample_sizes(64, 1000).collect();
/// assert_eq!(sizes, [64, 96, 144, 216, 324, 486, 729, 1000]);
/// ```
pub fn sample_sizes(first: usize, cap: usize) -> impl Iterator<Item = usize> {
    let first = first.clamp(1, cap.max(1));
    std::iter::successors(Some(first), move |&size| {
        (size < cap).then(|| ((GROWTH * size as f64).ceil() as usize).min(cap))
    })
}

/// The share of a risk for the `k`-th of infinitely many tests, `(0.1/1.1) k^-1.1`. The sum of all
/// shares is below 1.
pub fn risk_share(k: usize) -> f64 {
    0.1 / 1.1 * (k.max(1) as f64).powf(-1.1)
}

/// The answer of a test of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The probability is below the level.
    Below,
    /// The probability is above the level.
    Above,
    /// The samples up to the cap did not decide.
    Undecided,
}

/// The result of a test of a level.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LevelTest {
    /// The side of the level on which the probability lies.
    pub side: Side,
    /// The number of samples that were events.
    pub events: usize,
    /// The number of samples.
    pub samples: usize,
    /// The last interval.
    pub interval: (f64, f64),
}

/// Tests on which side of `level` the probability of an event lies. A decision is wrong with
/// probability `risk` at most. `draw(k, count)` draws that many samples for round `k = 1, 2, ...`,
/// independent of all before, and returns how many of them were events.
///
/// # Errors
/// Those of `draw`.
pub fn level_test(
    level: f64,
    risk: f64,
    sizes: impl Iterator<Item = usize>,
    mut draw: impl FnMut(usize, usize) -> Result<usize>,
) -> Result<LevelTest> {
    let mut test = LevelTest { side: Side::Undecided, events: 0, samples: 0, interval: (0.0, 1.0) };
    for (round, size) in (1..).zip(sizes) {
        test.events += draw(round, size - test.samples)?;
        test.samples = size;
        test.interval = clopper_pearson(test.events, test.samples, risk_share(round) * risk);
        test.side = match test.interval {
            (_, upper) if upper < level => Side::Below,
            (lower, _) if lower > level => Side::Above,
            _ => continue,
        };
        break;
    }
    Ok(test)
}
