//! Where the workers of a run meet: what they share behind a lock, and where they wait for what to do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::ending::Ending;
use crate::failure::{Failure, Result};

/// How long a worker waits before it looks again.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What the workers share and change.
pub trait Shared {
    /// Whether anything is under way here.
    fn is_busy(&self) -> bool;

    /// Why the run ends, or what went wrong.
    fn ended(&mut self) -> &mut Option<Result<Ending>>;

    /// What is done before the run ends.
    ///
    /// # Errors
    /// Those of the journal.
    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The place where workers meet.
pub struct Desk<S> {
    state: Mutex<S>,
    changed: Condvar,
    /// Whether somebody wants the run to end now.
    interrupted: Arc<AtomicBool>,
}

impl<S: Shared> Desk<S> {
    pub fn new(state: S, interrupted: Arc<AtomicBool>) -> Self {
        Self { state: Mutex::new(state), changed: Condvar::new(), interrupted }
    }

    /// What is shared, once nobody else changes it.
    pub fn lock(&self) -> MutexGuard<'_, S> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is shared, unless somebody changes it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, S>> {
        self.state.try_lock().ok()
    }

    /// What is left once all workers have ended.
    pub fn into_state(self) -> S {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what is under way is to end now: somebody wants it, or something went wrong.
    pub fn is_over(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    /// What is under way is to end now.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::SeqCst);
    }

    /// What is decided to be done. Waits as long as it depends on what is under way whether there is
    /// anything. None once the run ends.
    pub fn next<T>(
        &self,
        decide: impl Fn(&mut S) -> Result<std::result::Result<T, Ending>>,
    ) -> Option<T> {
        let mut state = self.lock();
        loop {
            if state.ended().is_some() || self.is_over() {
                return None;
            }
            match decide(&mut state) {
                Ok(Ok(task)) => return Some(task),
                Ok(Err(_)) if state.is_busy() => {
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

    /// Ends the run. What went wrong ends what is under way, too.
    pub fn end(&self, state: &mut S, how: Result<Ending>) {
        let how = how.and_then(|ending| state.close().map(|()| ending));
        if how.is_err() {
            self.interrupt();
        }
        state.ended().get_or_insert(how);
        self.wake();
    }

    /// Wakes whoever waits: something changed.
    pub fn wake(&self) {
        self.changed.notify_all();
    }
}

/// How a run ended, by what was said of it and by whether it was to end at once.
///
/// # Errors
/// What went wrong.
pub fn ending(ended: Option<Result<Ending>>, over: bool) -> Result<Ending> {
    match ended {
        Some(ended) => ended,
        None if over => Ok(Ending::Interrupted),
        None => Err(Failure::new("the workers ended before the run did")),
    }
}
