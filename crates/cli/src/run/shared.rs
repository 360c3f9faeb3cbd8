//! What the workers of a run share, and where they wait for what to do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::state::State;
use crate::file::StudyFile;
use crate::findings::ending::Ending;
use crate::process::Groups;
use crate::words::failure::{Failure, Result};

/// How long a worker waits before it looks again.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What the workers share.
pub struct Shared {
    /// The file.
    pub file: StudyFile,
    /// The groups of the processes that run.
    pub groups: Groups,
    state: Mutex<State>,
    changed: Condvar,
    /// Whether somebody wants the run to end now.
    interrupted: Arc<AtomicBool>,
}

impl Shared {
    /// Begins a run.
    pub fn new(
        file: StudyFile,
        state: State,
        groups: Groups,
        interrupted: Arc<AtomicBool>,
    ) -> Self {
        Self { file, groups, state: Mutex::new(state), changed: Condvar::new(), interrupted }
    }

    /// What changes, once nobody else changes it.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What changes, unless somebody changes it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, State>> {
        self.state.try_lock().ok()
    }

    /// Whether what is pending is to end now: somebody wants it, or something went wrong.
    pub fn is_over(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    /// What is pending is to end now.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::SeqCst);
    }

    /// What is decided to be done. Waits as long as it depends on what is pending whether there
    /// is anything. None once the run ends.
    pub fn decided<T>(
        &self,
        decide: impl Fn(&mut State) -> Result<std::result::Result<T, Ending>>,
    ) -> Option<T> {
        let mut state = self.lock();
        loop {
            if state.ended.is_some() || self.is_over() {
                return None;
            }
            match decide(&mut state) {
                Ok(Ok(task)) => return Some(task),
                Ok(Err(_)) if !state.running.is_empty() => {
                    let waited = self.changed.wait_timeout(state, PATIENCE);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                Ok(Err(ending)) => {
                    self.end(&mut state, Ok(ending));
                    return None;
                }
                Err(error) => {
                    self.end(&mut state, Err(error));
                    return None;
                }
            }
        }
    }

    /// Ends the run. What went wrong ends what is pending, too.
    pub fn end(&self, state: &mut State, how: Result<Ending>) {
        let how = how.and_then(|ending| state.release().map(|()| ending));
        if how.is_err() {
            self.interrupt();
        }
        state.ended.get_or_insert(how);
        self.wake();
    }

    /// Wakes whoever waits: something changed.
    pub fn wake(&self) {
        self.changed.notify_all();
    }

    /// What is left once all workers have ended, and how the run ended.
    pub fn into_state(self) -> (State, Result<Ending>) {
        let over = self.is_over();
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        // A run that was interrupted has trials that it never began.
        let released = state.release();
        let ended = match (state.ended.take(), released) {
            (Some(ended), _) => ended,
            (None, Err(error)) => Err(error),
            (None, Ok(())) if over => Ok(Ending::Interrupted),
            (None, Ok(())) => Err(Failure::new("the workers ended before the run did")),
        };
        (state, ended)
    }
}
