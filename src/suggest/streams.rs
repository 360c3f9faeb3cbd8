//! One seed for a run, and a stream of its own for everything that draws.

use crate::math::sobol::mix;

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
    /// What a policy searches for before it gives an acquisition.
    Policy,
    /// The sample paths of a stopping rule.
    Regret,
    /// The points over which a policy takes a maximum.
    Discretization,
    /// The sample path of a suggestion.
    Path,
    /// The base samples of a plan.
    Fantasies,
    /// What a plan may spend.
    Rollout,
    /// A plan to start from.
    Construction,
    /// What nature may do.
    Nature,
    /// The steps away from a point that was evaluated.
    Inward,
}

/// The seed of the `count`-th draw of a stream: the run's seed mixed with both, so that neighboring
/// seeds share nothing.
pub(crate) fn seed(run: u64, stream: Stream, count: usize) -> u64 {
    mix(mix(mix(run) ^ stream as u64) ^ count as u64)
}
