//! What the workers of a run share: one journal behind a lock, and what is under way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gittins::journal::Journal;
use gittins::stop::Counts;
use gittins::study::{Origin, TrialState};
use gittins::{Ask, ErrorKind, Study, TrialId};

use super::pace::Pace;
use super::screen::Screen;
use super::whole::Task;
use crate::desk::{self, Desk};
use crate::ending::{Ending, ending};
use crate::failure::{Failure, Result};
use crate::failures::Failures;
use crate::file::StudyFile;
use crate::measured;
use crate::process::Groups;

/// What the workers share.
pub struct Shared {
    /// The file.
    pub file: StudyFile,
    /// The groups of the processes that run.
    pub groups: Groups,
    /// What changes, and where workers wait for what to do.
    pub desk: Desk<State>,
}

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
    /// The trials under way here, and what they are expected to cost.
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

/// What a verdict beside the trials under way depends on, besides time.
pub type Standing = (usize, Counts, u64);

impl desk::Shared for State {
    fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }

    fn ended(&mut self) -> &mut Option<Result<Ending>> {
        &mut self.ended
    }

    fn close(&mut self) -> Result<()> {
        self.release()
    }
}

impl State {
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

impl Shared {
    /// Begins a run.
    pub fn new(
        file: StudyFile,
        journal: Journal,
        screen: Screen,
        groups: Groups,
        interrupted: Arc<AtomicBool>,
    ) -> Self {
        let state = State {
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
        };
        Self { file, groups, desk: Desk::new(state, interrupted) }
    }

    /// What is left once all workers have ended.
    pub fn into_state(self) -> State {
        let mut state = self.desk.into_state();
        // A run that was interrupted has trials that it never began.
        if let Err(error) = state.release() {
            state.ended.get_or_insert(Err(error));
        }
        state
    }

    /// Whether trials under way are to end now: somebody wants it, or something went wrong.
    pub fn is_over(&self) -> bool {
        self.desk.is_over()
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
