//! Telling: the results of trials, and what others know of them.

use serde_json::json;

use crate::data::{TrialId, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::journal::Journal;
use crate::journal::operation::TRIAL_USER_ATTR;
use crate::journal::said::COST;
use crate::study::{Choice, Outcome};
use crate::suggest::Policy;

impl Journal {
    /// Takes the result of a trial, as [`Study::tell`] does.
    ///
    /// # Errors
    /// Those of [`Study::tell`]; `Storage` if it cannot be written: the trial then stays as it was,
    /// and can be told again.
    ///
    /// [`Study::tell`]: crate::Study::tell
    pub fn tell(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        self.change(|study| study.tell(id, outcome))
    }

    /// Takes what a trial cost, apart from its outcome, as [`Study::tell_cost`] does.
    ///
    /// # Errors
    /// Those of [`Study::tell_cost`]; `Storage`.
    ///
    /// [`Study::tell_cost`]: crate::Study::tell_cost
    pub fn tell_cost(&mut self, id: impl Into<TrialId>, cost: f64) -> Result<()> {
        let id = id.into();
        self.change(|study| study.tell_cost(id, cost))
    }

    /// Replaces what was told of a trial, as [`Study::correct`] does. Optuna keeps what was told
    /// first.
    ///
    /// # Errors
    /// Those of [`Study::correct`]; `Storage`.
    ///
    /// [`Study::correct`]: crate::Study::correct
    pub fn correct(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        self.change(|study| study.correct(id, outcome))
    }

    /// Gives a trial up, or takes back what was told of it, as [`Study::withdraw`] does. To Optuna a
    /// trial that was given up has failed.
    ///
    /// # Errors
    /// Those of [`Study::withdraw`]; `Storage`.
    ///
    /// [`Study::withdraw`]: crate::Study::withdraw
    pub fn withdraw(&mut self, id: impl Into<TrialId>) -> Result<()> {
        let id = id.into();
        self.change(|study| study.withdraw(id))
    }

    /// Takes an evaluation that was never asked for, as [`Study::import`] does.
    ///
    /// # Errors
    /// Those of [`Study::import`]; `Storage`.
    ///
    /// [`Study::import`]: crate::Study::import
    pub fn import<V: Into<Value> + Clone>(
        &mut self,
        values: &[V],
        outcome: Outcome,
    ) -> Result<TrialId> {
        self.change(|study| study.import(values, outcome))
    }

    /// Enters a trial that somebody else chose and runs, as [`Study::announce`] does. To Optuna it is
    /// a trial that runs.
    ///
    /// # Errors
    /// Those of [`Study::announce`]; `Storage`.
    ///
    /// [`Study::announce`]: crate::Study::announce
    pub fn announce<V: Into<Value> + Clone>(&mut self, values: &[V]) -> Result<TrialId> {
        let lock = self.lock()?;
        // Until it is written, the study has something that the file has not.
        self.stale = true;
        self.fold.reserve_others();
        let id = self.fold.study.announce(values)?;
        let lines = self.lines()?;
        self.write(&lock, lines)?;
        Ok(id)
    }

    /// Notes how a trial was chosen that was imported or announced, as [`Study::note_choice`] does.
    ///
    /// # Errors
    /// Those of [`Study::note_choice`]; `Storage`.
    ///
    /// [`Study::note_choice`]: crate::Study::note_choice
    pub fn note_choice(&mut self, id: impl Into<TrialId>, choice: Choice) -> Result<()> {
        let id = id.into();
        self.change(|study| study.note_choice(id, choice))
    }

    /// From now on another policy, as [`Study::change_policy`] says. A process that
    /// [resumes](Self::resume) the study takes it over; one that has the file open with settings of
    /// its own goes on by these.
    ///
    /// # Errors
    /// Those of [`Study::change_policy`]; `Storage`.
    ///
    /// [`Study::change_policy`]: crate::Study::change_policy
    pub fn change_policy(&mut self, policy: impl Into<Policy>) -> Result<()> {
        let policy = policy.into();
        self.change(|study| study.change_policy(policy.clone()))?;
        self.settings.policy = policy;
        Ok(())
    }

    /// Keeps a text with a pending trial, as a user attribute of Optuna: the tail of its output, a
    /// machine, a version.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that has ended, and for the name `cost`, which
    /// is taken; `Storage`.
    pub fn note(&mut self, id: impl Into<TrialId>, key: &str, text: &str) -> Result<()> {
        let id = id.into();
        let invalid = |why: &str| Err(Error::new(ErrorKind::InvalidSetting, why).at(id));
        if key == COST {
            return invalid("the note \"cost\" is the trial's cost, which `tell` takes");
        }
        if self.fold.study.measured_names().any(|name| name == key) {
            return invalid("this number is measured beside the outcome, and `tell` takes it");
        }
        let lock = self.lock()?;
        let (_, trial) = self.place(id)?;
        if self.fold.archive.trials[trial].has_ended() {
            return invalid("it has ended, and takes no note any more");
        }
        let operation = self.pen().of_trial(TRIAL_USER_ATTR, trial, key, json!(text));
        self.write(&lock, vec![operation])
    }
}
