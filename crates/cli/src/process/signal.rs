//! Signals to groups of processes.

use rustix::process::{Pid, Signal, kill_process_group};

/// Sends a signal to a group. An empty group needs none.
pub fn signal(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
}
