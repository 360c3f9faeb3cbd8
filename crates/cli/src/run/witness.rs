//! Who works on a trial. A later run reads it, so that a trial whose runner was killed is not waited
//! for.

use std::fs;
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use gittins::TrialId;
use gittins::study::TrialState;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process};
use serde_json::{Value, json};

use crate::failure::Result;
use crate::show::number_of;
use crate::stages::folder_of;
use gittins::journal::Journal;

/// The key of the note.
pub const KEY: &str = "process";

/// What is written with a trial: the machine, the runner, and the trial's own process once it runs,
/// with the moment, in seconds since 1970. Also how many seconds it took to choose the trial.
pub fn note(trial_process: Option<(u32, Option<f64>)>, choosing: f64) -> String {
    let mut note = own();
    note["choosing"] = json!(choosing);
    if let Some((process, began)) = trial_process {
        add_process(&mut note, process);
        note["began"] = json!(began);
    }
    note.to_string()
}

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

/// How long it took to choose a trial, and how long the trial took, in seconds, as far as a run
/// wrote it down.
pub fn seconds(journal: &Journal, id: TrialId) -> [Option<f64>; 2] {
    let Some(note) = read(journal, id) else { return [None; 2] };
    let ended = journal.times(id).1;
    let lasted = ended.zip(note["began"].as_f64()).map(|(ended, began)| (ended - began).max(0.0));
    [note["choosing"].as_f64(), lasted]
}

/// Gives up the trials of runners of this machine that are gone, and ends what they left running.
/// Returns a line that names them, if there are any.
pub fn give_up_lost(journal: &mut Journal) -> Result<Vec<String>> {
    let trials = journal.study().history().iter();
    let lost =
        trials.filter(|trial| trial.state == TrialState::Pending && is_lost(journal, trial.id));
    let lost: Vec<TrialId> = lost.map(|trial| trial.id).collect();
    for &id in &lost {
        if let Some(note) = read(journal, id) {
            end_orphan(&note);
        }
        journal.withdraw(id)?;
    }
    let numbers: Vec<String> = lost.iter().map(|id| number_of(journal, *id).to_string()).collect();
    let words = "given up, because the run that made them is gone: trial";
    Ok((!lost.is_empty()).then(|| format!("{words} {}", numbers.join(", "))).into_iter().collect())
}

/// The note of a trial, if it has one; in stages that of its process that has not ended.
fn read(journal: &Journal, id: TrialId) -> Option<Value> {
    match folder_of(journal, id) {
        Some(folder) => Some(folder.processes().pop().filter(|last| !last.has_ended())?.note),
        None => serde_json::from_str(journal.notes(id).get(KEY)?).ok(),
    }
}

/// Whether a run of this machine made the trial, and is gone.
pub fn is_lost(journal: &Journal, id: TrialId) -> bool {
    read(journal, id).is_some_and(|note| is_gone(&note))
}

/// Whether a note is one of this machine.
pub fn is_here(note: &Value) -> bool {
    note["host"] == json!(host())
}

/// Whether the runner of a note was one of this machine, and is gone.
pub fn is_gone(note: &Value) -> bool {
    note["runner"].is_number() && is_here(note) && !lives(note, "runner")
}

/// Who works on a trial, in words.
pub fn words(journal: &Journal, id: TrialId) -> String {
    let Some(note) = &read(journal, id) else {
        let in_stages = journal.study().stages().is_some();
        return if in_stages { "not by this command" } else { "asked for by hand" }.to_owned();
    };
    let machine = note["host"].as_str().and_then(|host| host.split(' ').next()).unwrap_or("?");
    let process = &note["process"];
    match (is_here(note), lives(note, "runner")) {
        (true, true) if process.is_null() => "starts".to_owned(),
        (true, true) => format!("process {process}"),
        (true, false) => "its run is gone; the next run gives it up".to_owned(),
        (false, _) => format!("process {process} on {machine}"),
    }
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
        let mut own = read(note(Some((process::id(), now())), 0.5));
        assert!(lives(&own, "runner") && lives(&own, "process"));
        own["runner_start"] = json!("1");
        assert!(!lives(&own, "runner"));
        own["boot"] = json!("another");
        assert!(!lives(&own, "process"));
    }
}
