//! What changes during a run: its journal, and what is pending.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

use gittins::journal::Journal;
use gittins::stop::Counts;
use gittins::study::{Origin, TrialState};
use gittins::{Ask, ErrorKind, Study, TrialId};

use super::pace::Pace;
use super::screen::Screen;
use super::task::Task;
use crate::file::{Limits, StudyFile};
use crate::findings::ending::{Ending, ending, limit};
use crate::findings::failures::Failures;
use crate::findings::measured::{self, Measured};
use crate::words::failure::{Failure, Result};

/// What changes during a run.
pub struct State {
    /// The study.
    pub journal: Journal,
    /// Why the run ended, or what went wrong.
    pub ended: Option<Result<Ending>>,
    /// What is seen.
    pub screen: Screen,
    /// How long choosing takes beside the trials.
    pub pace: Pace,
    /// The pending trials here, and what they are expected to cost.
    pub running: BTreeMap<TrialId, Option<f64>>,
    /// The trials that failed since this runner began.
    pub failures: Failures,
    /// Whether it was said that choosing takes longer.
    pub said_slow: bool,
    /// Trials that a search gave, and nobody makes yet.
    pub ahead: VecDeque<Task>,
    /// The numbers of which it was said that one was not measured.
    pub said_unmeasured: BTreeSet<String>,
    /// That no other trial is worth its price beside those that run: how everything stood, and when
    /// that was said.
    pub declined: Option<(Standing, Instant)>,
}

/// What a verdict beside the pending trials depends on, besides time.
pub type Standing = (usize, Counts, u64);

impl State {
    /// Nothing is pending yet.
    pub fn new(journal: Journal, screen: Screen) -> Self {
        Self {
            journal,
            ended: None,
            screen,
            pace: Pace::default(),
            running: BTreeMap::new(),
            failures: Failures::default(),
            said_slow: false,
            ahead: VecDeque::new(),
            said_unmeasured: BTreeSet::new(),
            declined: None,
        }
    }

    /// What other processes wrote is taken. Why the run ends by the failures of its trials, if it
    /// does.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn fails(&mut self, most: usize) -> Result<Option<Ending>> {
        self.journal.sync()?;
        Ok(self.failures.ending(most, || furthest(self.journal.study())))
    }

    /// Why the run ends by its verdict or a limit, if it does.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn ends(&mut self, file: &StudyFile) -> Result<Option<Ending>> {
        Ok(match ending(&mut self.journal, &file.limits, file.unit.as_deref())? {
            Ok(ending) => Some(ending),
            Err(verdict) => {
                self.screen.verdict(verdict.reason().to_string());
                None
            }
        })
    }

    /// The limit that is reached, if one is, besides that of trials: what is pending has its
    /// place among these already.
    pub fn limit(&self, file: &StudyFile) -> Option<Ending> {
        let limits = Limits { trials: None, ..file.limits };
        limit(self.journal.study(), &limits, file.unit.as_deref())
    }

    /// So many trials by one search: one, if fewer are left than that, and none if nothing is left.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn ask(&mut self, count: usize) -> Result<Vec<Ask>> {
        let is_exhausted = |error: &gittins::Error| error.kind() == ErrorKind::Exhausted;
        let asked = match self.journal.ask_many(count) {
            Err(error) if count > 1 && is_exhausted(&error) => self.journal.ask_many(1),
            asked => asked,
        };
        match asked {
            Err(error) if is_exhausted(&error) => Ok(Vec::new()),
            asked => Ok(asked?),
        }
    }

    /// A trial has its outcome, and numbers beside it were not measured: what is missed and why, by
    /// name. It is said once of each number.
    pub fn lacks(&mut self, trial: usize, measured: &[Measured], unmeasured: &[(String, String)]) {
        for (name, why) in unmeasured {
            self.failures.lacks();
            if self.said_unmeasured.insert(name.clone()) {
                let missed = measured.iter().find(|one| one.name == *name);
                let missed = missed.map_or("", Measured::missed);
                self.screen.say(&format!(
                    "       {name} was not measured in trial {trial}, {missed}: {why}"
                ));
            }
        }
    }

    /// Nobody works here on a trial any more. Returns what it was expected to cost.
    pub fn leave(&mut self, id: TrialId) -> Option<f64> {
        self.running.remove(&id).flatten()
    }

    /// How a trial stands, after what other processes wrote.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn standing(&mut self, id: TrialId) -> Result<TrialState> {
        self.journal.sync()?;
        let trial = self.journal.study().history().get(id.index());
        let unknown = || Failure::new(format!("{id} is no longer in the journal"));
        Ok(trial.ok_or_else(unknown)?.state)
    }
}

/// How far the trials came that did not fail: infinity for one that came to its end and has all its
/// numbers. What was made elsewhere says nothing of the command.
fn furthest(study: &Study) -> f64 {
    let came = study.history().iter().map(|trial| match trial.state {
        TrialState::Failed => 0.0,
        _ if trial.origin == Origin::Imported => 0.0,
        TrialState::Complete if measured::are_measured(study, trial) => f64::INFINITY,
        _ => trial.progress(),
    });
    came.fold(0.0, f64::max)
}
