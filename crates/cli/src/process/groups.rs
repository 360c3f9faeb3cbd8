//! The groups of processes that run, so that all of them can be ended at once.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal};

/// The groups that run.
#[derive(Clone, Default)]
pub struct Groups(Arc<Mutex<BTreeSet<i32>>>);

impl Groups {
    /// Starts a process, which leads a group of its own.
    pub fn start(&self, command: &mut Command) -> io::Result<Child> {
        // Under the lock, so that no group escapes the end of all.
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let child = command.spawn()?;
        groups.insert(Pid::from_child(&child).as_raw_nonzero().get());
        Ok(child)
    }

    /// Reaps the leader of a group. Its number may be somebody else's afterward, so the group is
    /// forgotten at the same moment.
    pub fn reap<T>(&self, pid: Pid, reap: impl FnOnce() -> T) -> T {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        groups.remove(&pid.as_raw_nonzero().get());
        reap()
    }

    /// Ends all groups at once.
    pub fn kill(&self) {
        let groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for pid in groups.iter().filter_map(|&group| Pid::from_raw(group)) {
            super::signal::signal(pid, Signal::KILL);
        }
    }
}
