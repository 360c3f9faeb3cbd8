//! Who works on a trial. A later run reads it, so that a trial whose runner was killed is not waited
//! for.

use gittins::TrialId;
use gittins::journal::Journal;
use gittins::study::TrialState;
use serde_json::{Value, json};

use crate::process::is_there;
use crate::process::owner;
use crate::stages::folder_of;
use crate::words::failure::Result;
use crate::words::show::number_of;

/// The key of the note.
pub const KEY: &str = "process";

/// What is written with a trial: the machine, the runner, and the trial's own process once it runs,
/// with the moment, in seconds since 1970. Also how many seconds it took to choose the trial.
pub fn note(trial_process: Option<(u32, Option<f64>)>, choosing: f64) -> String {
    let mut note = owner::own();
    note["choosing"] = json!(choosing);
    if let Some((process, began)) = trial_process {
        owner::add_process(&mut note, process);
        note["began"] = json!(began);
    }
    note.to_string()
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
            owner::end_orphan(&note);
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
    read(journal, id).is_some_and(|note| owner::is_gone(&note))
}

/// Who works on a trial, in words.
pub fn words(journal: &Journal, id: TrialId) -> String {
    let Some(note) = &read(journal, id) else {
        return match journal.process(id) {
            Some(process) if is_there(process) => format!("asked for by process {process}"),
            Some(process) => format!(
                "asked for by hand, or by process {process}, which is gone or on another machine"
            ),
            None => "asked for elsewhere".to_owned(),
        };
    };
    let machine = note["host"].as_str().and_then(|host| host.split(' ').next()).unwrap_or("?");
    let process = &note["process"];
    match (owner::is_here(note), owner::lives(note, "runner")) {
        (true, true) if process.is_null() => "starts".to_owned(),
        (true, true) => format!("process {process}"),
        (true, false) => "its run is gone; the next run gives it up".to_owned(),
        (false, _) => format!("process {process} on {machine}"),
    }
}
