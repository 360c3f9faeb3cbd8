//! One step of a run, as a policy sees it.

use crate::data::{Observations, Points};
use crate::math::clock::Deadline;
use crate::suggest::memo::Memo;
use crate::suggest::rest::Rest;
use crate::surrogate::{Awaited, Setup, Stream, Surrogate, Taken, seed};

/// The progress of a run, as schedules use it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The number of inputs.
    pub dim: usize,
    /// The number of the next suggestion. The first is 1; the initial design does not count.
    pub iteration: usize,
    /// The number of all trials asked for or imported so far.
    pub trials: usize,
    /// The known cost of the suggested trials so far; the initial design does not count.
    pub spent: f64,
    /// The known cost of all trials so far.
    pub total_cost: f64,
    /// The cost of the trials that were not suggested: the initial design and imported trials.
    pub design: f64,
    /// What is left of the budget, if there is one.
    pub(crate) rest: Option<Rest>,
}

/// What is pending or forbidden, and where to look first.
#[derive(Debug, Clone, Copy)]
pub struct Hints<'a> {
    /// Points that were asked for and not told yet.
    pub pending: &'a Points,
    /// Those of them whose outcomes are waited for.
    pub awaited: &'a Awaited,
    /// Those of them without a told cost.
    pub unpaid: &'a Points,
    /// Points that must not be suggested again.
    pub taken: &'a Taken,
    /// The best points of the last search.
    pub runners_up: &'a Points,
    /// The searches since the last observation, by this step or by a stopping rule.
    pub memo: &'a Memo,
    /// The largest expected cost of the suggestion, if there is a limit.
    pub within: Option<f64>,
}

/// One step of a run, as a policy sees it: the models conditioned on the pending trials, the
/// progress of the run, and a search for the best point of an acquisition.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// What stays the same from step to step.
    pub setup: &'a Setup,
    /// The present models.
    pub surrogate: &'a Surrogate,
    /// The observations that the models were fitted to, in order: all, or those nearest to a
    /// region.
    pub observations: &'a Observations,
    /// What is pending or taken, and where to look first.
    pub hints: Hints<'a>,
    /// Points of a finite domain that must not be suggested: the pending ones, and the evaluated
    /// ones unless another outcome there may be informative.
    pub excluded: &'a Taken,
    /// The progress of the run.
    pub progress: Progress,
    /// When the step ends with the best point so far. The work of a policy before the search for
    /// the suggestion takes a part of the time.
    pub deadline: Deadline,
}

/// The share of the remaining time for the work before a search.
pub(super) const BEFORE: f64 = 0.3;

impl Step<'_> {
    /// The same step with a share of the time left.
    pub(super) fn part(&self, share: f64) -> Self {
        Self { deadline: self.deadline.part(share), ..*self }
    }

    /// The seed of a stream at this step.
    pub(super) fn seed(&self, stream: Stream) -> u64 {
        seed(self.setup.seed, stream, self.observations.told() + self.hints.pending.len())
    }
}
