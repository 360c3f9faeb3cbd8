//! Runs that are interrupted, and what a runner leaves that was killed.

use serde_json::Value;

use super::{BY_STEPS, reported, steps, study};
use crate::folder::{Folder, is_ignored, runs, signal, until};

/// Waits after its fourth epoch until it may go on. Before that it leaves time to hear what comes after
/// the third.
const WAITING: &str = "kept=$2/epoch e=0; echo $$ >> pids\n[ \"$4\" = --resume ] && e=$(cat $kept)\n\
    echo \"$e ${GITTINS_RESUME-new}\" >> log\n\
    while [ $e -lt 9 ]; do e=$((e + 1)); [ $e -eq 4 ] && sleep 0.5\n\
    echo $e > $kept.new; mv $kept.new $kept\n\
    echo '{\"progress\": '$e', \"outcome\": '$1'}'\n\
    while [ $e -eq 4 ] && [ ! -e free ]; do sleep 0.02; done\n done\n";

fn waiting() -> Folder {
    let command = "command = [\"./train\", \"{x}\", \"{checkpoint}\", \"{until}\"]";
    let text = study(
        &format!("{command}\ninitial = 1\nbudget = 9"),
        &format!("{BY_STEPS}\n[stop]\ntrials = 1"),
    );
    Folder::new(&text.replace("trials = 1", "cost = 1"), WAITING)
}

/// Whether a trial waits.
fn waits(folder: &Folder) -> bool {
    folder.path("study.trials").exists()
        && (0..9).any(|trial| folder.lines(&format!("study.trials/{trial}/output")).len() == 4)
}

#[test]
fn an_interrupt_tells_the_last_report_and_takes_the_run_back() {
    if is_ignored(2) {
        eprintln!("skipped: INT, which this process ignores, and so does whoever it starts");
        return;
    }
    let folder = waiting();
    let mut run = folder.start(&["run", "study.toml"]);
    until("a run in its fourth epoch", || waits(&folder));
    std::thread::sleep(std::time::Duration::from_millis(200));
    signal("INT", run.id());
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let trials = folder.trials();
    let waited =
        trials.iter().find(|trial| reported(trial).contains(&4.0)).expect("its last report");
    assert_eq!((reported(waited), &waited["state"]), (vec![1.0, 3.0, 4.0], &"paused".into()));
    let pids = folder.lines("pids");
    assert!(pids.iter().all(|process| !runs(process)));
    folder.write("free", "");
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(folder.lines("log").contains(&"4 4".to_owned()), "{:?}", folder.lines("log"));
}

#[test]
fn what_a_killed_run_left_is_told_and_resumed() {
    let folder = waiting();
    let mut run = folder.start(&["run", "study.toml"]);
    until("a run in its fourth epoch", || waits(&folder));
    signal("KILL", run.id());
    run.wait().unwrap();
    let orphans: Vec<String> = folder.lines("pids").into_iter().filter(|one| runs(one)).collect();
    assert_eq!(orphans.len(), 1);
    let status = folder.gittins(&["status", "study.toml"]).exits(0);
    assert!(status.out.contains("its run is gone"), "{}", status.all());
    let doctor = folder.gittins(&["doctor", "study.toml"]).exits(1);
    assert!(doctor.out.contains("and the run that made it is gone"), "{}", doctor.all());
    // It goes on without its runner: these reports are read by the next one.
    folder.write("free", "");
    until("the end of the orphan", || !runs(&orphans[0]));
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(said.out.contains("was left by a run that is gone"), "{}", said.all());
    let trials = folder.trials();
    let done = trials.iter().find(|trial| trial["state"] == "complete").expect("one at its end");
    assert_eq!(reported(done), [1.0, 3.0, 9.0]);
}

/// A runner may be killed after it was given a trial and before anybody can know of it.
#[test]
fn a_trial_that_a_killed_runner_was_just_given_is_taken_back() {
    let folder = steps("budget = 1");
    folder.gittins(&["run", "study.toml"]).exits(0);
    let ask = || {
        let mut journal = gittins::journal::Journal::resume(folder.path("study.journal")).unwrap();
        journal.ask().unwrap();
    };
    let running = || folder.states().iter().filter(|state| *state == "pending").count();
    // Somebody else, who works by the library, is not disturbed.
    ask();
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert_eq!(running(), 1);
    let status = folder.gittins(&["status", "study.toml"]).exits(0);
    let who = format!("asked for by process {}", std::process::id());
    assert!(status.out.contains(&who), "{}", status.all());
    folder.write("study.trials/claim", "x");
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert_eq!(running(), 0);
    assert_eq!(folder.read("study.trials/claim"), "");
}

/// A runner may be killed after it started a process and before it wrote its number.
#[test]
fn a_process_whose_number_nobody_wrote_is_found_by_its_environment() {
    if !std::path::Path::new("/proc/self/environ").exists() {
        return;
    }
    let folder = waiting();
    let mut run = folder.start(&["run", "study.toml"]);
    until("a run in its fourth epoch", || waits(&folder));
    signal("KILL", run.id());
    run.wait().unwrap();
    let orphan = folder.lines("pids").pop().unwrap();
    assert!(runs(&orphan));
    let trial =
        (0..9).find(|trial| folder.lines(&format!("study.trials/{trial}/output")).len() == 4);
    let trial = trial.unwrap();
    let numbers = (0..9).rev();
    let mut names = numbers.map(|number| format!("study.trials/{trial}/process.{number}"));
    let name = names.find(|name| folder.path(name).exists()).unwrap();
    let mut note: Value = serde_json::from_str(&folder.read(&name)).unwrap();
    for key in ["process", "process_start"] {
        note.as_object_mut().unwrap().remove(key).unwrap();
    }
    folder.write(&name, &note.to_string());
    let mut run = folder.start(&["run", "study.toml"]);
    until("the end of the orphan", || !runs(&orphan));
    folder.write("free", "");
    assert!(run.wait().unwrap().success());
    let trial = &folder.trials()[trial];
    assert!(reported(trial).starts_with(&[1.0, 3.0, 4.0]), "{trial}");
}

/// What nobody saw is paid by the time at which the output was written.
#[test]
fn a_run_that_went_on_without_its_runner_is_paid_and_over() {
    let script = "echo $$ >> pids\nfor e in 1 2 3 4 5 6 7 8 9; do\n\
        [ $e -eq 4 ] && while [ ! -e free ]; do sleep 0.02; done\n\
        sleep 0.1; echo '{\"progress\": '$e', \"outcome\": '$1'}'; done\n";
    let text =
        study("command = [\"./train\", \"{x}\"]\ninitial = 1\nbudget = 99", "[stop]\ncost = 0.5");
    let folder = Folder::new(&text.replace("[cost]\nfrom = \"none\"\n", ""), script);
    let mut run = folder.start(&["run", "study.toml"]);
    let third = || folder.lines("study.trials/0/output").len() == 3;
    until("the third epoch", third);
    // Its third report may be told or not.
    signal("KILL", run.id());
    run.wait().unwrap();
    folder.write("free", "");
    until("its end", || folder.lines("study.trials/0/output").len() == 9);
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    let trial = &folder.trials()[0];
    assert_eq!(
        (reported(trial), &trial["state"]),
        (vec![1.0, 3.0, 9.0], &"complete".into()),
        "{}",
        said.all()
    );
    let paid = trial["cost"].as_f64().unwrap();
    assert!((0.8..60.0).contains(&paid), "{trial}");
    assert!(trial["reports"][2]["cost"].as_f64().unwrap() >= 0.5, "{trial}");
}

/// A run that cannot be resumed is over with its runner.
#[test]
fn a_run_that_cannot_be_resumed_is_abandoned_with_its_runner() {
    let script = "echo $$ >> pids; echo '{\"progress\": 1, \"outcome\": '$1'}'; sleep 1000";
    let text =
        study("command = [\"./train\", \"{x}\"]\ninitial = 1\nbudget = 99", "[stop]\ntrials = 1");
    let folder = Folder::new(&text, script);
    let mut run = folder.start(&["run", "study.toml"]);
    until("its report", || folder.lines("study.trials/0/output").len() == 1);
    signal("KILL", run.id());
    run.wait().unwrap();
    folder.gittins(&["run", "study.toml"]).exits(0);
    let trial = &folder.trials()[0];
    assert_eq!((reported(trial), &trial["state"]), (vec![1.0], &"abandoned".into()));
    until("the end of the orphan", || !runs(&folder.lines("pids")[0]));
}
