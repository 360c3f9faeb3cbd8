//! Telling: what came of trials, and what others know of them.

use serde_json::{Map, json};

use crate::data::Value;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::journal::Journal;
use crate::journal::operation::{
    COMPLETE, FAIL, RUNNING, STUDY_SYSTEM_ATTR, TRIAL_SYSTEM_ATTR, TRIAL_USER_ATTR,
};
use crate::journal::said::{
    ANNOUNCED, CHOICE, CORRECTED, COST, End, OUTCOME, PAID, PAID_LATER, POLICY, TOLD, Told,
    WITHDRAWN, json_of, key_of,
};
use crate::study::{Choice, Outcome, TrialId};
use crate::suggest::Policy;

impl Journal {
    /// Takes what came of a trial, as [`Study::tell`] does.
    ///
    /// # Errors
    /// Those of [`Study::tell`]; `Storage` if it cannot be written: the trial then stays as it was,
    /// and can be told again.
    ///
    /// [`Study::tell`]: crate::Study::tell
    pub fn tell(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let lock = self.lock()?;
        let was_under_way = self.is_under_way(id);
        self.change(|study| study.tell(id, outcome))?;
        let told = Told::from(&outcome);
        let (number, trial) = self.place(id)?;
        let operations = if was_under_way {
            self.end(trial, told)?
        } else {
            vec![self.of_study(STUDY_SYSTEM_ATTR, &key_of(TOLD, number), json_of(&told)?)]
        };
        self.write(&lock, operations)
    }

    /// The end of a trial under way: its cost, what its state does not say, and the state. The last
    /// one counts, if a process dies in between.
    pub(super) fn end(&self, trial: usize, told: Told) -> Result<Vec<String>> {
        let mut operations = Vec::new();
        let entry = &self.fold.archive.trials[trial];
        // The file may have a cost that this telling has not: a process died in the midst of
        // another one, or somebody else noted it.
        let is_else = entry.user.contains_key(COST) && !entry.own.contains_key(PAID);
        if told.cost.is_some() || (is_else && told.end != End::Withdrawn) {
            operations.push(self.of_trial(TRIAL_USER_ATTR, trial, COST, json!(told.cost)));
        }
        if told.end != End::Complete || told.cost_later {
            let own = Told { value: None, cost: None, ..told };
            operations.push(self.of_trial(TRIAL_SYSTEM_ATTR, trial, OUTCOME, json_of(&own)?));
        }
        let state = if told.end == End::Complete { COMPLETE } else { FAIL };
        operations.push(self.end_of(trial, state, told.value));
        Ok(operations)
    }

    /// Takes what a trial cost, apart from its outcome, as [`Study::tell_cost`] does.
    ///
    /// # Errors
    /// Those of [`Study::tell_cost`]; `Storage`.
    ///
    /// [`Study::tell_cost`]: crate::Study::tell_cost
    pub fn tell_cost(&mut self, id: impl Into<TrialId>, cost: f64) -> Result<()> {
        let id = id.into();
        let lock = self.lock()?;
        let is_under_way = self.is_under_way(id);
        self.change(|study| study.tell_cost(id, cost))?;
        let (number, trial) = self.place(id)?;
        let operations = if is_under_way {
            vec![
                self.of_trial(TRIAL_USER_ATTR, trial, COST, json!(cost)),
                self.of_trial(TRIAL_SYSTEM_ATTR, trial, PAID, json!(cost)),
            ]
        } else {
            vec![self.of_study(STUDY_SYSTEM_ATTR, &key_of(PAID_LATER, number), json!(cost))]
        };
        self.write(&lock, operations)
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
        let lock = self.lock()?;
        self.change(|study| study.correct(id, outcome))?;
        let (number, _) = self.place(id)?;
        let told = json_of(&Told::from(&outcome))?;
        let operation = self.of_study(STUDY_SYSTEM_ATTR, &key_of(CORRECTED, number), told);
        self.write(&lock, vec![operation])
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
        let lock = self.lock()?;
        let was_under_way = self.is_under_way(id);
        self.change(|study| study.withdraw(id))?;
        let (number, trial) = self.place(id)?;
        let operations = if was_under_way {
            self.end(trial, Told::WITHDRAWN)?
        } else {
            vec![self.of_study(STUDY_SYSTEM_ATTR, &key_of(WITHDRAWN, number), json!(true))]
        };
        self.write(&lock, operations)
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
        let lock = self.lock()?;
        let id = self.change(|study| study.import(values, outcome))?;
        let told = Told::from(&outcome);
        let (mut user, mut own) = (Map::new(), Map::new());
        if let Some(cost) = told.cost {
            user.insert(COST.to_owned(), json!(cost));
        }
        let end = Told { value: None, cost: None, ..told };
        own.insert(OUTCOME.to_owned(), json_of(&end)?);
        let state = if told.end == End::Complete { COMPLETE } else { FAIL };
        let values = self.fold.study.history()[id.index()].values.clone();
        let operation = self.made(&values, state, told.value, user, own);
        self.write(&lock, vec![operation])?;
        Ok(id)
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
        let given: Vec<Value> = values.iter().cloned().map(Into::into).collect();
        let own = Map::from_iter([(ANNOUNCED.to_owned(), json_of(&given)?)]);
        let values = self.fold.study.history()[id.index()].values.clone();
        let operation = self.made(&values, RUNNING, None, Map::new(), own);
        self.write(&lock, vec![operation])?;
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
        let lock = self.lock()?;
        self.change(|study| study.note_choice(id, choice))?;
        let (number, _) = self.place(id)?;
        let operation =
            self.of_study(STUDY_SYSTEM_ATTR, &key_of(CHOICE, number), json_of(&choice)?);
        self.write(&lock, vec![operation])
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
        let lock = self.lock()?;
        self.change(|study| study.change_policy(policy.clone()))?;
        let operation = self.of_study(STUDY_SYSTEM_ATTR, POLICY, json_of(&policy)?);
        self.write(&lock, vec![operation])?;
        self.settings.policy = policy;
        Ok(())
    }

    /// Keeps a text with a trial under way, as a user attribute of Optuna: the tail of its output, a
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
        let lock = self.lock()?;
        let (_, trial) = self.place(id)?;
        if self.fold.archive.trials[trial].has_ended() {
            return invalid("it has ended, and takes no note any more");
        }
        let operation = self.of_trial(TRIAL_USER_ATTR, trial, key, json!(text));
        self.write(&lock, vec![operation])
    }
}
