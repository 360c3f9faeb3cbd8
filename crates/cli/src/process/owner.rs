//! Who owns a process: the machine, the runner, and the process itself, as data that others read.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::process::{self, host, is_there};

/// This machine and this runner.
pub fn own() -> Value {
    let runner = process::own();
    let start = runner.and_then(start);
    json!({ "host": host(), "boot": boot(), "runner": runner, "runner_start": start })
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
    // Another process may have the number by now.
    is_there(number) && note[format!("{key}_start")] == json!(start(number))
}

/// Ends a trial's own process that outlived its runner. Without its start nobody knows whether it
/// is the same process, and it stays.
pub fn end_orphan(note: &Value) {
    if !note["process_start"].is_string() || !lives(note, "process") {
        return;
    }
    let group = note["process"].as_u64().and_then(|number| u32::try_from(number).ok());
    group.into_iter().for_each(process::kill);
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
        add_process(&mut own, std::process::id());
        let mut own = read(own.to_string());
        assert!(lives(&own, "runner") && lives(&own, "process"));
        own["runner_start"] = json!("1");
        assert!(!lives(&own, "runner"));
        own["boot"] = json!("another");
        assert!(!lives(&own, "process"));
    }
}
