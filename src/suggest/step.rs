//! One step of a run, as a policy sees it.

use std::time::Instant;

use crate::acquisition::Acquisition;
use crate::data::Observations;
use crate::error::Result;
use crate::suggest::candidates::{self, Found};
use crate::suggest::streams::{Stream, seed};
use crate::suggest::{Hints, Progress, Setup, Surrogate, knowledge_gradient};

/// One step of a run, as a policy sees it: what is believed, with the trials under way conditioned on, how far the run has come, and a search
/// for the best of an acquisition.
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
    /// How far the run has come.
    pub progress: Progress,
    /// The moment at which the searches of a space end with the best found so far.
    pub deadline: Option<Instant>,
}

impl Step<'_> {
    /// The largest value of an acquisition, its price in the user's outcome units, among points that are not taken, in the user's outcome
    /// units; `None` where every row of a table is taken.
    ///
    /// # Errors
    /// Those of a known cost and of the backend.
    pub fn maximum(&self, acquisition: &Acquisition) -> Result<Option<f64>> {
        let found = self.search(acquisition, Stream::Policy)?;
        Ok(found.map(|found| self.surrogate.value(acquisition, found.value)))
    }

    /// The knowledge gradient on that many fantasies, in the user's outcome units; the same at each call.
    pub(super) fn knowledge_gradient(&self, fantasies: usize) -> Result<Acquisition> {
        knowledge_gradient::acquisition(self.setup, self.surrogate, self.observations, fantasies, self.seed(Stream::Policy))
    }

    /// The best point that is not taken; each stream has its own random numbers.
    pub(super) fn search(&self, acquisition: &Acquisition, stream: Stream) -> Result<Option<Found>> {
        let Hints { taken, runners_up, .. } = self.hints;
        candidates::best(self.setup, self.surrogate, self.observations, acquisition, taken, runners_up, self.seed(stream))
    }

    /// The seed of a stream at this step.
    pub(super) fn seed(&self, stream: Stream) -> u64 {
        seed(self.setup.seed, stream, self.progress.trials)
    }
}
