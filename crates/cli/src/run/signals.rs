//! Ctrl-C and its like: the first one ends a run in order, the second at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::findings::ending::INTERRUPTED;
use crate::process::Groups;
use crate::words::failure::Result;

/// Sets the flag at the first signal. At the second all trials are killed, and the process ends.
#[cfg(unix)]
pub fn watch(flag: Arc<AtomicBool>, groups: Groups) -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // Whoever is started to survive a hangup, as by nohup, survives it.
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if flag.swap(true, std::sync::atomic::Ordering::SeqCst) {
                groups.kill();
                std::process::exit(INTERRUPTED.into());
            }
            eprintln!("\nending the pending trials; once more to end at once");
        }
    });
    Ok(())
}

/// Whether the process was started to ignore a signal. Not known without `/proc`.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

/// Sets the flag at the first Ctrl-C. At the second the process ends, and all trials with it.
#[cfg(windows)]
pub fn watch(flag: Arc<AtomicBool>, _: Groups) -> Result<()> {
    use signal_hook::consts::SIGINT;
    use signal_hook::flag::{register, register_conditional_shutdown};
    register_conditional_shutdown(SIGINT, INTERRUPTED.into(), flag.clone())?;
    register(SIGINT, flag)?;
    Ok(())
}
