//! The trials of a study of control sets, and what was told of them.

use crate::data::{Observations, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::study::{Origin, Outcome, TrialState};
use crate::subsets::trial::SubsetTrial;

/// The trials, and what was told of them. An error leaves both as they were.
#[derive(Debug)]
pub(super) struct Books {
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
        let message = || {
            format!(
                "{id}: expected one of the {} trials of this study, numbered from 0",
                self.trials.len()
            )
        };
        self.trials.get(id.index()).ok_or_else(|| Error::new(ErrorKind::UnknownTrial, message()))
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
        if self.told_at(id).is_none() {
            return Ok(trial);
        }
        let outcome = trial.outcome.map_or(String::new(), |told| format!(", outcome {told}"));
        let message = format!(
            "{id}: told before as {}{outcome}; that stands unless it is corrected",
            trial.state
        );
        Err(Error::new(ErrorKind::DuplicateTrial, message))
    }

    /// A trial that can be withdrawn.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial that is withdrawn.
    pub fn standing(&self, id: TrialId) -> Result<&SubsetTrial> {
        let trial = self.trial(id)?;
        if trial.state != TrialState::Withdrawn {
            return Ok(trial);
        }
        let message = format!("{id}: withdrawn before; it can be told");
        Err(Error::new(ErrorKind::DuplicateTrial, message))
    }

    /// A trial that can be corrected, and its place among the observations.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that was not told.
    pub fn correctable(&self, id: TrialId) -> Result<(&SubsetTrial, usize)> {
        let trial = self.trial(id)?;
        self.told_at(id).map(|index| (trial, index)).ok_or_else(|| {
            let message = format!(
                "{id}: it is {}, and nothing was told of it that could be corrected; `tell` takes its outcome",
                trial.state
            );
            Error::new(ErrorKind::InvalidSetting, message)
        })
    }

    /// Enters what was told of a trial, and is the last observation.
    pub fn enter(&mut self, id: TrialId, outcome: &Outcome) {
        let trial = &mut self.trials[id.index()];
        (trial.state, trial.outcome) = (TrialState::of(outcome.state), outcome.value);
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
        (trial.state, trial.outcome) = (TrialState::of(outcome.state), outcome.value);
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
        (trial.outcome, trial.cost) = (None, None);
        Ok(())
    }

    /// The number of the coming trial of an initial design of this size, the first being 1. None
    /// once there is a trial for each: asked for and not withdrawn, or imported complete. None
    /// also once as many trials were told in any way.
    pub fn next_of_design(&self, size: usize) -> Option<usize> {
        let count = |counts: fn(&SubsetTrial) -> bool| {
            self.trials.iter().filter(|trial| counts(trial)).count()
        };
        let is_import = |trial: &SubsetTrial| {
            trial.origin == Origin::Imported && trial.state == TrialState::Complete
        };
        let stand = self.trials.iter().filter(|trial| match trial.origin {
            Origin::Initial => trial.state != TrialState::Withdrawn,
            _ => is_import(trial),
        });
        let told = count(|trial| trial.origin != Origin::Imported && trial.state.is_told());
        let imports = self.trials.iter().filter(|trial| is_import(trial)).count();
        let number = 1 + stand.count().max(told + imports);
        (number <= size).then_some(number)
    }

    /// The number of trials that were suggested.
    pub fn suggested(&self) -> usize {
        self.trials.iter().filter(|trial| trial.origin == Origin::Suggested).count()
    }
}
