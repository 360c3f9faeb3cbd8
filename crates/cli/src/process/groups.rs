//! The groups of processes that run, so that all of them can be ended at once.

use std::collections::BTreeSet;
use std::io;
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};

/// The groups that run.
#[derive(Clone, Default)]
pub struct Groups(Arc<Mutex<BTreeSet<u32>>>);

impl Groups {
    /// Starts a process, which leads a group of its own.
    pub fn start(&self, start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
        // Under the lock, so that no group escapes the end of all.
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let child = start()?;
        groups.insert(child.id());
        Ok(child)
    }

    /// Reaps the leader of a group. Its number may be somebody else's afterward, so the group is
    /// forgotten at the same moment.
    pub fn reap<T>(&self, leader: u32, reap: impl FnOnce() -> T) -> T {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        groups.remove(&leader);
        reap()
    }

    /// Ends all groups at once.
    #[cfg(unix)]
    pub fn kill(&self) {
        let groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        groups.iter().copied().for_each(super::system::kill);
    }
}
