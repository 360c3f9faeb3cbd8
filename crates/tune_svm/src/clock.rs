//! What a trial costs: the CPU time of the thread that trains.
//!
//! Workers share cores with each other and with the search for the next point. The wall time of a
//! trial then says how busy the machine was. The CPU time of its thread does not count the waiting.
//! What is left of the sharing are caches and memory, and clocks that slow down under load.

use std::time::Duration;

/// The CPU time of this thread so far.
#[cfg(unix)]
pub fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Elsewhere the time that has passed stands in.
#[cfg(not(unix))]
pub fn cpu_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
