//! Ctrl-C and its like: the first one ends a run in order, the second at once.

use std::fs;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::ending::INTERRUPTED;
use crate::failure::Result;
use crate::process::Groups;

/// Sets the flag at the first signal. At the second all trials are killed, and the process ends.
pub fn watch(flag: Arc<AtomicBool>, groups: Groups) -> Result<()> {
    // Whoever is started to survive a hangup, as by nohup, survives it.
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = Signals::new(wanted)?;
    thread::spawn(move || {
        for _ in signals.forever() {
            if flag.swap(true, Ordering::SeqCst) {
                groups.kill();
                process::exit(INTERRUPTED.into());
            }
            eprintln!("\nending the pending trials; once more to end at once");
        }
    });
    Ok(())
}

/// Whether the process was started to ignore a signal. Not known without `/proc`.
fn is_ignored(signal: i32) -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return false };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}
