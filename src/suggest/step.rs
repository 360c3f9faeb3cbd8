//! One step of a run, as a policy sees it.

use crate::data::{Observations, Points};
use crate::math::clock::Deadline;
use crate::suggest::memo::Memo;
use crate::suggest::setup::Setup;
use crate::suggest::streams::{Stream, seed};
use crate::suggest::surrogate::Surrogate;
use crate::suggest::taken::Taken;

/// How far a run has come, as far as schedules ask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The number of inputs.
    pub dim: usize,
    /// The number of the coming suggestion, the first being 1; the initial design does not count.
    pub iteration: usize,
    /// The number of all trials asked for or imported so far.
    pub trials: usize,
    /// The cost of the suggested trials told so far; the initial design does not count.
    pub spent: f64,
    /// The cost of all trials told so far.
    pub total_cost: f64,
    /// That of the trials that were not suggested: of the initial design and imported ones.
    pub design: f64,
}

/// What is under way or forbidden, and where to look first.
#[derive(Debug, Clone, Copy)]
pub struct Hints<'a> {
    /// Points asked for and not told yet.
    pub pending: &'a Points,
    /// Those of them whose cost was not told either.
    pub unpaid: &'a Points,
    /// Points that are not to be suggested again.
    pub taken: &'a Taken,
    /// The best points of the search before.
    pub runners_up: &'a Points,
    /// What was searched for since something was told, by this or by a stopping rule.
    pub memo: &'a Memo,
}

/// One step of a run, as a policy sees it: what is believed, with the trials under way conditioned
/// on, how far the run has come, and a search for the best of an acquisition.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// What stays the same from step to step.
    pub setup: &'a Setup,
    /// What is believed now.
    pub surrogate: &'a Surrogate,
    /// Everything told, in order.
    pub observations: &'a Observations,
    /// What is under way or taken, and where to look first.
    pub hints: Hints<'a>,
    /// Points of a finite domain that are not to be suggested: those under way, and those evaluated
    /// unless another outcome there may tell something.
    pub excluded: &'a Taken,
    /// How far the run has come.
    pub progress: Progress,
    /// The moment at which it ends with the best found so far. What a policy does before the search
    /// for the suggestion takes a part of the time.
    pub deadline: Deadline,
}

/// The share of the time left that what precedes a search may take.
pub(super) const BEFORE: f64 = 0.3;

impl Step<'_> {
    /// The same step with a share of the time left.
    pub(super) fn part(&self, share: f64) -> Self {
        Self { deadline: self.deadline.part(share), ..*self }
    }

    /// The seed of a stream at this step.
    pub(super) fn seed(&self, stream: Stream) -> u64 {
        seed(self.setup.seed, stream, self.observations.len() + self.hints.pending.len())
    }
}
