//! One step of a run, as a policy sees it.

use crate::acquisition::{Acquisition, Pointwise};
use crate::backend::Cpu;
use crate::data::{Domain, Observations};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::suggest::candidates::{self, Found};
use crate::suggest::finalists::Finalists;
use crate::suggest::streams::{Stream, seed};
use crate::suggest::{Hints, Progress, Setup, Surrogate, Taken, inward, knowledge_gradient};

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
    /// The largest value of an acquisition, its price in the user's outcome units, among points
    /// that are not taken, in the user's outcome units; `None` where every row of a table is taken.
    ///
    /// # Errors
    /// Those of a known cost and of the backend.
    pub fn maximum(&self, acquisition: &Acquisition) -> Result<Option<f64>> {
        let before = Self { deadline: self.deadline.part(BEFORE), ..*self };
        let found = before.search(acquisition, Stream::Policy)?;
        Ok(found.map(|found| self.surrogate.value(acquisition, found.value)))
    }

    /// The knowledge gradient on that many fantasies, in the user's outcome units; the same at each
    /// call.
    pub(super) fn knowledge_gradient(&self, fantasies: usize) -> Result<Acquisition> {
        let effort = (self.seed(Stream::Policy), self.deadline);
        knowledge_gradient::acquisition(
            self.setup,
            self.surrogate,
            self.observations,
            fantasies,
            effort,
        )
    }

    /// The best point; each stream has its own random numbers.
    pub(super) fn search(
        &self,
        acquisition: &Acquisition,
        stream: Stream,
    ) -> Result<Option<Found>> {
        let Hints { pending, runners_up, memo, .. } = self.hints;
        let search = || {
            candidates::best(
                self.setup,
                self.surrogate,
                self.observations,
                acquisition,
                self.excluded,
                runners_up,
                (self.seed(stream), self.deadline),
            )
        };
        match stream {
            Stream::Search if pending.is_empty() => {
                memo.or_search(acquisition, self.deadline, search)
            }
            _ => search(),
        }
    }

    /// The point to suggest by an acquisition, and the acquisition.
    pub(super) fn best(&self, acquisition: Acquisition) -> Result<Option<(Acquisition, Found)>> {
        let Some(found) = self.search(&acquisition, Stream::Search)? else { return Ok(None) };
        let found = self.not_again(&acquisition, found)?;
        Ok(Some((acquisition, found)))
    }

    /// What was found, or if that is under way, or was evaluated and another outcome there would
    /// tell nothing, the best point a step away from it: the next basin may be far worse.
    pub(super) fn not_again(&self, acquisition: &Acquisition, found: Found) -> Result<Found> {
        let Domain::Space(space) = &self.setup.domain else { return Ok(found) };
        let under_way = || self.hints.pending.rows().any(|point| *point == found.unit);
        if space.is_finite()
            || !self.hints.taken.contains(&found.unit)
            || (self.surrogate.worth_repeating() && !under_way())
        {
            return Ok(found);
        }
        let lengthscales = &self.surrogate.posterior().hyperparameters().lengthscales;
        let near = inward::around(space, &found.unit, lengthscales, self.seed(Stream::Inward));
        // A plan or a knowledge gradient has no value at one point; where the mean is best, little
        // of it is lost.
        let pointwise = acquisition.points() == 1;
        let mean = Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 0.0 });
        let standardized = self.surrogate.standardized(if pointwise { acquisition } else { &mean });
        let job = self.surrogate.job(&standardized);
        let mut finalists = Finalists::new(space, &job, &Cpu, self.hints.taken, self.deadline);
        finalists.add(&near)?;
        Ok(match finalists.choose_free() {
            None => found,
            Some(stepped) => Found {
                unit: stepped.unit,
                value: if pointwise { stepped.value } else { found.value },
                mean: stepped.mean,
                variance: stepped.variance,
                evaluations: found.evaluations + stepped.evaluations,
                ..found
            },
        })
    }

    /// The seed of a stream at this step.
    pub(super) fn seed(&self, stream: Stream) -> u64 {
        seed(self.setup.seed, stream, self.observations.len() + self.hints.pending.len())
    }
}
