//! One step of a run, as a policy sees it.

use crate::acquisition::Acquisition;
use crate::data::Points;
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::suggest::memo::Memo;
use crate::suggest::rest_of_budget::RestOfBudget;
use crate::suggest::search::Scope;
use crate::surrogate::{PendingTrials, Stream, Taken, View, seed};

/// The progress of a run, as schedules use it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Progress {
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
    /// The rest of the budget, if there is one.
    pub rest: Option<RestOfBudget>,
}

/// One step of a run: what is believed, what is pending or forbidden, where to look first, and how
/// long.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    /// The models, which for a policy know of the pending trials.
    pub view: View<'a>,
    /// The pending trials.
    pub pending_trials: &'a PendingTrials,
    /// Points that must not be suggested again.
    pub taken: &'a Taken,
    /// Points of a finite domain that must not be suggested: the pending ones, and the evaluated
    /// ones unless another outcome there may be informative.
    pub excluded: &'a Taken,
    /// The best points of the last search.
    pub runners_up: &'a Points,
    /// The searches since the last observation, by this step or by a stopping rule.
    pub memo: Option<&'a Memo>,
    /// The progress of the run.
    pub progress: Progress,
    /// When the step ends with the best point so far. The work of a policy before the search for
    /// the suggestion takes a part of the time.
    pub deadline: Deadline,
}

/// The share of the remaining time for the work before a search.
pub(super) const BEFORE: f64 = 0.3;

impl<'a> Step<'a> {
    /// This step with a share of the time left.
    pub(super) fn part(&self, share: f64) -> Self {
        Self { deadline: self.deadline.part(share), ..*self }
    }

    /// The seed of a stream at this step.
    pub(super) fn seed(&self, stream: Stream) -> u64 {
        let View { setup, observations, .. } = self.view;
        seed(setup.seed, stream, observations.told() + self.pending_trials.points.len())
    }

    /// The scope of the search of a stream. Each stream has its own random numbers. The search for
    /// the suggestion is not repeated if a stopping rule already made it.
    pub(super) fn scope(&self, stream: Stream) -> Scope<'a> {
        let shared = matches!(stream, Stream::Search) && self.pending_trials.points.is_empty();
        Scope {
            view: self.view,
            taken: self.excluded,
            memo: self.memo.filter(|_| shared),
            seed: self.seed(stream),
            deadline: self.deadline,
        }
    }

    /// The largest value of an acquisition among points that are not taken, in the user's outcome
    /// units; `None` if every row of a table is taken. The acquisition's price is in the user's
    /// outcome units.
    pub(super) fn maximum(&self, acquisition: &Acquisition) -> Result<Option<f64>> {
        let scope = self.part(BEFORE).scope(Stream::Policy);
        let found = scope.best(acquisition, self.runners_up)?;
        Ok(found.map(|found| self.view.surrogate.value(acquisition, found.value)))
    }
}
