//! The trials of a study of control sets, and what was told of them.

use gittins::internals::refused;
use gittins::study::{Origin, TrialState};
use gittins::{Observations, Outcome, Result, TrialId};

use crate::control::study::trial::SubsetTrial;

/// The trials, and what was told of them. An error leaves both as they were.
#[derive(Debug)]
pub(in crate::control) struct Books {
    /// All trials, in the order in which they were asked for or imported.
    pub trials: Vec<SubsetTrial>,
    /// The trial behind each observation: trials are told in any order.
    told: Vec<TrialId>,
    /// The observations.
    pub observations: Observations,
}

impl Books {
    /// No trial yet.
    pub fn new(observations: Observations) -> Self {
        Self { trials: Vec::new(), told: Vec::new(), observations }
    }

    /// The identifier of the trial that is entered next.
    pub fn next_id(&self) -> TrialId {
        TrialId::from(self.trials.len())
    }

    /// A trial.
    ///
    /// # Errors
    /// `UnknownTrial`.
    pub fn trial(&self, id: TrialId) -> Result<&SubsetTrial> {
        self.trials.get(id.index()).ok_or_else(|| refused::unknown(id, self.trials.len()))
    }

    /// The place of a trial among the observations; none for one that was not told.
    pub fn told_at(&self, id: TrialId) -> Option<usize> {
        self.told.iter().position(|told| *told == id)
    }

    /// A trial that can be told.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial that was told.
    pub fn untold(&self, id: TrialId) -> Result<&SubsetTrial> {
        let trial = self.trial(id)?;
        match self.told_at(id) {
            None => Ok(trial),
            Some(_) => Err(refused::told(id, trial.state, trial.outcome)),
        }
    }

    /// A trial that can be withdrawn.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial that is withdrawn.
    pub fn standing(&self, id: TrialId) -> Result<&SubsetTrial> {
        let trial = self.trial(id)?;
        match trial.state {
            TrialState::Withdrawn => Err(refused::withdrawn(id)),
            _ => Ok(trial),
        }
    }

    /// A trial that can be corrected, and its place among the observations.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that was not told.
    pub fn correctable(&self, id: TrialId) -> Result<(&SubsetTrial, usize)> {
        let trial = self.trial(id)?;
        let index = self.told_at(id).ok_or_else(|| refused::untold(id, trial.state))?;
        Ok((trial, index))
    }

    /// Enters what was told of a trial, and is the last observation.
    pub fn enter(&mut self, id: TrialId, outcome: &Outcome) {
        let trial = &mut self.trials[id.index()];
        trial.state = TrialState::of(outcome.state);
        trial.outcome = outcome.value;
        self.told.push(id);
    }

    /// Replaces what was told of the trial that is the observation of index `index`. A new cost
    /// replaces the one from before.
    ///
    /// # Errors
    /// Those of [`Observations::replace`], naming the trial.
    pub fn correct(&mut self, id: TrialId, index: usize, outcome: &Outcome) -> Result<()> {
        self.observations
            .replace(index, outcome.state, outcome.value, outcome.cost)
            .map_err(|error| error.at(id))?;
        let trial = &mut self.trials[id.index()];
        trial.state = TrialState::of(outcome.state);
        trial.outcome = outcome.value;
        trial.cost = outcome.cost.or(trial.cost);
        Ok(())
    }

    /// Takes everything out that was told of the trial that is the observation of index `index`.
    ///
    /// # Errors
    /// Those of [`Observations::remove`].
    pub fn remove(&mut self, id: TrialId, index: usize) -> Result<()> {
        self.observations.remove(index)?;
        self.told.remove(index);
        let trial = &mut self.trials[id.index()];
        trial.outcome = None;
        trial.cost = None;
        Ok(())
    }

    /// The number of the coming trial of an initial design of this size, the first being 1. None
    /// once there is a trial for each: asked for and not withdrawn, or imported complete. None
    /// also once as many trials were told in any way.
    pub fn next_of_design(&self, size: usize) -> Option<usize> {
        let stands = |trial: &&SubsetTrial| match trial.origin {
            Origin::Initial => trial.state != TrialState::Withdrawn,
            Origin::Imported => trial.state == TrialState::Complete,
            _ => false,
        };
        let counts = |trial: &&SubsetTrial| match trial.origin {
            Origin::Imported => trial.state == TrialState::Complete,
            _ => trial.state.is_told(),
        };
        let [stand, told] =
            [self.trials.iter().filter(stands).count(), self.trials.iter().filter(counts).count()];
        let number = 1 + stand.max(told);
        (number <= size).then_some(number)
    }

    /// The number of trials that were suggested.
    pub fn suggested(&self) -> usize {
        self.trials.iter().filter(|trial| trial.origin == Origin::Suggested).count()
    }
}
