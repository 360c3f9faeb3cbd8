//! Who owns a process: the machine, the runner, and the process itself, as data that others read.

use std::fs;
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process};
use serde_json::{Value, json};

/// This machine and this runner.
pub fn own() -> Value {
    let runner = process::id();
    json!({ "host": host(), "boot": boot(), "runner": runner, "runner_start": start(runner) })
}

/// Adds a trial's own process.
pub fn add_process(note: &mut Value, process: u32) {
    note["process"] = json!(process);
    note["process_start"] = json!(start(process));
}

/// The moment, in seconds since 1970, if the clock is right.
pub fn now() -> Option<f64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.ok().map(|now| now.as_secs_f64())
}

/// Whether a note is one of this machine.
pub fn is_here(note: &Value) -> bool {
    note["host"] == json!(host())
}

/// Whether the runner of a note was one of this machine, and is gone.
pub fn is_gone(note: &Value) -> bool {
    note["runner"].is_number() && is_here(note) && !lives(note, "runner")
}

/// Whether a process of a note still runs: `"runner"`, or the trial's own `"process"`.
pub fn lives(note: &Value, key: &str) -> bool {
    if note["boot"] != json!(boot()) {
        return false;
    }
    let Some(number) = note[key].as_u64().and_then(|number| u32::try_from(number).ok()) else {
        return false;
    };
    let there = i32::try_from(number)
        .ok()
        .and_then(Pid::from_raw)
        .is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH));
    // Another process may have the number by now.
    there && note[format!("{key}_start")] == json!(start(number))
}

/// Ends a trial's own process that outlived its runner. Without its start nobody knows whether it
/// is the same process, and it stays.
pub fn end_orphan(note: &Value) {
    if !note["process_start"].is_string() || !lives(note, "process") {
        return;
    }
    let group = note["process"].as_i64().and_then(|number| i32::try_from(number).ok());
    if let Some(group) = group.and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// The machine, and on Linux the room of its process numbers.
fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    match fs::read_link("/proc/self/ns/pid") {
        Ok(room) => format!("{name} {}", room.display()),
        Err(_) => name,
    }
}

/// Which start of the machine this is; none if it does not say.
fn boot() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned())
}

/// When a process was started, in ticks since the start of the machine; none if the machine does not
/// say, or if the process has ended and was not reaped.
fn start(process: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program stands in parentheses, and may contain anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    fields.nth(18).filter(|_| !matches!(state, "Z" | "X")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_another_start_of_it_does_not() {
        let read = |text: String| serde_json::from_str::<Value>(&text).unwrap();
        let mut own = own();
        add_process(&mut own, process::id());
        let mut own = read(own.to_string());
        assert!(lives(&own, "runner") && lives(&own, "process"));
        own["runner_start"] = json!("1");
        assert!(!lives(&own, "runner"));
        own["boot"] = json!("another");
        assert!(!lives(&own, "process"));
    }
}
