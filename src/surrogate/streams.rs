//! One seed for a run, and a random stream for each purpose.

use crate::math::sobol::mix;

/// The purpose of random numbers.
#[derive(Debug, Clone, Copy)]
pub enum Stream {
    /// The initial design.
    Design = 1,
    /// The fit of the outcome's model.
    OutcomeFit,
    /// The fit of the cost's model.
    CostFit,
    /// The search for a suggestion.
    Search,
    /// The search for the value that a stopping rule uses.
    Verdict,
    /// The searches of a policy before it gives an acquisition.
    Policy,
    /// The sample paths of a stopping rule.
    Regret,
    /// The points over which a policy estimates a maximum.
    Discretization,
    /// The sample path of a suggestion.
    Path,
    /// The base samples of a plan.
    Fantasies,
    /// The planning budget.
    Rollout,
    /// The construction of a plan to start from.
    Construction,
    /// The possible values of nature's variables.
    Nature,
    /// The steps away from an evaluated point.
    Jitter,
    /// The fantasies of the pending trials.
    Pending,
    /// The fits of the models of measured numbers.
    NumberFit,
}

/// The seed of the `count`-th draw of a stream. It mixes the run's seed with both, so neighboring
/// seeds have nothing in common.
pub fn seed(run: u64, stream: Stream, count: usize) -> u64 {
    mix(mix(mix(run) ^ stream as u64) ^ count as u64)
}
