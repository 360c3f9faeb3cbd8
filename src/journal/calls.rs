//! The calls of a study, in a file: what is told, what is found, and both as of any study.

use std::collections::BTreeMap;

use serde_json::json;

use crate::data::trial::reports::Advice;
use crate::data::trial::trial::Trial;
use crate::data::{TrialId, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::journal::Journal;
use crate::journal::operation::TRIAL_USER_ATTR;
use crate::journal::said::COST;
use crate::stop::Verdict;
use crate::study::events::outcome::Outcome;
use crate::study::{Ask, AskTell, Choice, Forecast, Recommendation, Request, Study, by_its_own};
use crate::suggest::Policy;

/// Calls by the study's own of the same names: a trial, and what is said of it.
macro_rules! of_a_trial {
    ($($(#[doc = $doc:literal])* $name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            $(#[doc = $doc])*
            ///
            /// # Errors
            #[doc = concat!("Those of [`Study::", stringify!($name), "`]; `Storage` if it cannot be")]
            /// written: the trial then stays as it was, and the call can be repeated.
            pub fn $name(&mut self, id: impl Into<TrialId>, $($argument: $type),*) -> Result<()> {
                let id = id.into();
                self.change(|study| study.$name(id, $($argument),*))
            }
        )*
    };
}

/// Calls by the study's own of the same names, which find something out.
macro_rules! of_the_study {
    ($($(#[doc = $doc:literal])* $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(
            $(#[doc = $doc])*
            ///
            /// # Errors
            #[doc = concat!("Those of [`Study::", stringify!($name), "`]; `Storage`.")]
            pub fn $name(&mut self, $($argument: $type),*) -> Result<$answer> {
                self.find(|study| study.$name($($argument),*))
            }
        )*
    };
}

impl Journal {
    of_a_trial! {
        /// Takes the result of a trial, as [`Study::tell`] does.
        tell(outcome: Outcome);
        /// Takes what a trial cost, apart from its outcome, as [`Study::tell_cost`] does.
        tell_cost(cost: f64);
        /// Replaces what was told of a trial, as [`Study::correct`] does. Optuna keeps what was told
        /// first.
        correct(outcome: Outcome);
        /// Gives a trial up, or takes back what was told of it, as [`Study::withdraw`] does. To Optuna
        /// a trial that was given up has failed.
        withdraw();
        /// Notes how a trial was chosen that was imported or announced, as [`Study::note_choice`]
        /// does.
        note_choice(choice: Choice);
        /// In stages, takes what a trial says at a progress, and decides nothing, as
        /// [`Study::note_report`] does.
        note_report(progress: f64, outcome: f64, cost: f64);
    }

    of_the_study! {
        /// The trial to use once the run ends, as [`Study::recommendation`] says.
        recommendation() -> Option<Recommendation>;
        /// The trials of which no other is as good in every objective, as [`Study::front`] says.
        front() -> Vec<Trial>;
        /// The price of a unit of cost for a budget, as [`Study::price_from_budget`] says.
        price_from_budget(budget: f64) -> f64;
    }

    /// Takes an evaluation that was never asked for, as [`Study::import`] does.
    ///
    /// # Errors
    /// Those of [`Study::import`]; `Storage`.
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

    /// From now on another policy, as [`Study::change_policy`] says. A process that
    /// [resumes](Self::resume) the study takes it over; one that has the file open with settings of
    /// its own goes on by these.
    ///
    /// # Errors
    /// Those of [`Study::change_policy`]; `Storage`.
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

    /// In stages, what a pending trial should do that somebody else began, as [`Study::advise`] says.
    ///
    /// # Errors
    /// Those of [`Study::advise`]; `Storage`.
    pub fn advise(&mut self, id: impl Into<TrialId>) -> Result<Advice> {
        let id = id.into();
        self.find(|study| study.advise(id))
    }

    /// Whether to stop, after what all processes told, as [`Study::verdict`] says. It is written, for
    /// other processes and for people who look at the study with other programs. One that is known
    /// already is not computed again. A rule is known by its name: one of the same name with other
    /// numbers repeats the verdict until something is told.
    ///
    /// # Errors
    /// Those of [`Study::verdict`]; `InvalidSetting` if the study was [resumed](Self::resume) without
    /// its rule; `Storage`.
    pub fn verdict(&mut self) -> Result<Verdict> {
        self.sync()?;
        if let Some(verdict) = self.fold.study.judge.verdict.as_ref() {
            return Ok(verdict.clone());
        }
        if let (Some(rule), None) = (&self.settings.rule, self.fold.study.judge.rule.as_ref()) {
            let message = format!("the study stops by the rule {rule:?}: open it with the rule");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        self.find(Study::verdict)
    }

    /// Whether to ask for no other trial while some are pending, as [`Study::verdict_on_another`]
    /// says. The [`verdict`](Self::verdict) is written; what is said beside the pending trials is
    /// not, since it changes with the time that they take. The study is told of these times first,
    /// as in [`ask`](Self::ask).
    ///
    /// # Errors
    /// Those of [`verdict`](Self::verdict).
    pub fn verdict_on_another(&mut self) -> Result<Verdict> {
        let verdict = self.verdict()?;
        if verdict.is_stop() {
            return Ok(verdict);
        }
        self.decide(|journal| {
            journal.note_times()?;
            journal.fold.study.verdict_on_another()
        })
    }

    /// The expected cost of a pending trial, and the cost still to come, as [`Study::forecast`]
    /// says. If the unit of cost is a time, the study is told first for how long it has been
    /// running.
    ///
    /// # Errors
    /// Those of [`Study::forecast`]; `Storage`.
    pub fn forecast(&mut self, id: impl Into<TrialId>) -> Result<Option<Forecast>> {
        let id = id.into();
        self.decide(|journal| {
            journal.note_times()?;
            journal.fold.study.forecast(id)
        })
    }
}

by_its_own!(Journal {
    fn study(&self) -> &Study {
        Self::study(self)
    }

    fn find_out(&mut self, find: &mut dyn FnMut(&mut Study) -> Result<()>) -> Result<()> {
        self.find(find)
    }

    fn sync(&mut self) -> Result<()> {
        Self::sync(self)
    }

    fn left_out(&self) -> BTreeMap<usize, String> {
        Self::left_out(self).clone()
    }

    fn missing(&self) -> Option<String> {
        Self::missing(self)
    }
});
