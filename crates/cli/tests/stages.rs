//! Trials that are runs in stages.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::folder::{Folder, SQUARE, Said, is_ignored, runs, signal, until};

/// A study of runs of nine epochs in which a whole run costs 1, with more in its tables.
pub fn study(more: &str, stages: &str) -> String {
    format!("{more}\n{SQUARE}[stages]\nepochs = 9\nreports = [1, 3, 9]\n{stages}\n")
}

/// Goes on from its checkpoint to `until`, and prints a line for each epoch.
pub const STEPS: &str = "x=$1 kept=$2/epoch until=$3 e=0\n\
    [ \"$4\" = --resume ] && e=$(cat $kept)\n\
    echo \"$GITTINS_TRIAL $e $until ${GITTINS_RESUME-new} $GITTINS_UNTIL $GITTINS_CHECKPOINT\" >> log\n\
    while [ $e -lt $until ]; do e=$((e + 1)); echo $e > $kept.new; mv $kept.new $kept\n\
    awk -v x=$x -v e=$e 'BEGIN { printf \"{\\\"progress\\\": %d, \\\"outcome\\\": %.6f}\\n\", e, (x - 0.3)^2 + 0.3 / e }'\n\
    done\n";

/// How `STEPS` is called.
pub const BY_STEPS: &str = "resume = [\"--resume\"]";

fn steps(more: &str) -> Folder {
    let command = "command = [\"./train\", \"{x}\", \"{checkpoint}\", \"{until}\"]";
    Folder::new(&study(&format!("{command}\n{more}"), BY_STEPS), STEPS)
}

/// A study of runs that cannot be resumed, with a script.
fn plain(more: &str, stages: &str, script: &str) -> (Folder, Said) {
    let command = "command = [\"./train\", \"{x}\"]";
    let folder = Folder::new(&study(&format!("{command}\n{more}"), stages), script);
    let said = folder.gittins(&["run", "study.toml"]);
    (folder, said)
}

/// The progress of the reports of a trial.
pub fn reported(trial: &Value) -> Vec<f64> {
    let reports = trial["reports"].as_array().unwrap();
    reports.iter().map(|report| report["progress"].as_f64().unwrap()).collect()
}

#[test]
fn runs_are_paused_and_resumed_until_the_budget_is_spent() {
    let folder = steps("budget = 5");
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(said.out.contains("of the budget of 5 are left"), "{}", said.all());
    let trials = folder.trials();
    for trial in &trials {
        let reports = reported(trial);
        assert_eq!(reports, [1.0, 3.0, 9.0][..reports.len()], "{trial}");
        let share = reports.last().unwrap() / 9.0;
        assert!((trial["cost"].as_f64().unwrap() - share).abs() < 1e-9, "{trial}");
    }
    let states: BTreeSet<String> = folder.states().into_iter().collect();
    assert_eq!(states, BTreeSet::from(["finished".to_owned(), "paused".to_owned()]));
    // Each process went on from where the one before had left the run.
    let mut at: BTreeMap<String, String> = BTreeMap::new();
    for line in folder.lines("log") {
        let words: Vec<&str> = line.split(' ').collect();
        let [trial, from, until, resume, known, checkpoint] = words[..] else { panic!("{line}") };
        let before = at.insert(trial.to_owned(), until.to_owned());
        assert_eq!(before.clone().unwrap_or("0".to_owned()), from, "{line}");
        assert_eq!(before.as_deref().unwrap_or("new"), resume, "{line}");
        assert_eq!(known, until, "{line}");
        assert!(checkpoint.ends_with(&format!("study.trials/{trial}/checkpoint")), "{line}");
        assert!(checkpoint.starts_with('/'), "{line}");
    }
    // The seed fixes what is asked.
    let again = steps("budget = 5");
    again.gittins(&["run", "study.toml"]).exits(0);
    assert_eq!(again.trials(), trials);
    // Whoever starts it again makes nothing.
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(said.out.contains(&format!("goes on after {} trials", trials.len())), "{}", said.all());
    assert_eq!(folder.trials(), trials);
}

/// Prints an epoch every now and then, whatever anybody wants.
const ALONE: &str = "for e in 1 2 3 4 5 6 7 8 9; do sleep 0.03\n\
    awk -v x=$1 -v e=$e 'BEGIN { print \"epoch\", e, \"loss\", (x - 0.3)^2 + 0.3 / e }'; done\n";

const PATTERN: &str = "pattern = 'epoch (?<progress>\\d+) loss (?<outcome>\\S+)'";

#[test]
fn a_run_that_cannot_be_resumed_goes_on_by_itself_or_is_abandoned() {
    let (folder, said) = plain("budget = 6", PATTERN, ALONE);
    let said = said.exits(0);
    let trials = folder.trials();
    let states: BTreeSet<String> = folder.states().into_iter().collect();
    assert_eq!(states, BTreeSet::from(["abandoned".to_owned(), "finished".to_owned()]));
    for trial in &trials {
        let lines = folder.lines(&format!("study.trials/{}/output", trial["trial"]));
        if trial["state"] == "finished" {
            assert_eq!((reported(trial).len(), lines.len()), (3, 9), "{}", said.all());
        }
        // One process has made it.
        assert!(!folder.path(&format!("study.trials/{}/process.1", trial["trial"])).exists());
    }
}

#[test]
fn several_workers_go_on_with_one_run_after_the_other() {
    let folder = steps("budget = 5\nworkers = 3");
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(folder.trials().iter().all(|trial| reported(trial).len() <= 3));
    assert!(folder.states().iter().all(|state| state == "finished" || state == "paused"));
}

#[test]
fn each_limit_ends_a_run() {
    for (limit, name) in
        [("trials = 3", "trials"), ("cost = 0.5", "cost"), ("target = 0.1", "target")]
    {
        let folder = steps("");
        folder.write("study.toml", &format!("{}[stop]\n{limit}", folder.read("study.toml")));
        let said = folder.gittins(&["run", "study.toml", "--json"]).exits(0);
        assert_eq!(said.json()["ended"], name, "{limit}: {}", said.all());
    }
    let folder = steps("price = 0.05");
    let said = folder.gittins(&["run", "study.toml", "--json"]).exits(0);
    assert_eq!(said.json()["ended"], "verdict", "{}", said.all());
    let folder = steps("");
    let said = folder.gittins(&["run", "study.toml"]).exits(2);
    assert!(said.err.contains("nothing would ever end this run"), "{}", said.all());
}

/// The failure of the first trial of a script.
fn why(stages: &str, script: &str) -> String {
    let (folder, said) = plain("budget = 9\n", &format!("{stages}\n[stop]\nfailures = 1"), script);
    let trials = folder.trials();
    assert_eq!(trials[0]["state"], "failed", "{}", said.all());
    trials[0]["why"].as_str().unwrap().to_owned()
}

#[test]
fn a_failure_says_why() {
    let json = |progress: f64, outcome: &str| {
        format!("echo '{{\"progress\": {progress}, \"outcome\": {outcome}}}'\n")
    };
    for (script, words) in [
        (
            "echo hello".to_owned(),
            "no report: no JSON line has the keys \"progress\" and \"outcome\"",
        ),
        ("exit 3".to_owned(), "exit code 3"),
        (json(1.0, "NaN") + "sleep 1000", "the outcome at 1 is NaN"),
        (json(1.0, "null"), "no outcome at 1: the number is null"),
        (json(1.0, "\"x\""), "no outcome at 1: expected a number, got \"x\""),
        (
            json(0.5, "1"),
            "ended at 0.5 of 9 before the next stage, 1; a program that is done early prints its last report once more with the progress 9",
        ),
        (json(1.0, "1") + "exit 4", "exit code 4"),
        (json(1.0, "1") + "kill -9 $$", "ended by signal 9"),
    ] {
        assert_eq!(why("", &script), words, "{script}");
    }
    assert_eq!(
        why(PATTERN, "echo loss 3"),
        format!("no report: no line matches {:?}", PATTERN[11..PATTERN.len() - 1].to_owned())
    );
    let costly = "cost = \"paid\"";
    let script = "echo '{\"progress\": 1, \"outcome\": 2, \"paid\": -1}'\nsleep 1000";
    let free = study("budget = 9\ncommand = [\"./train\", \"{x}\"]", costly);
    let free = free.replace("[cost]\nfrom = \"none\"\n", "") + "[stop]\nfailures = 1";
    let folder = Folder::new(&free, script);
    folder.gittins(&["run", "study.toml"]).exits(1);
    assert_eq!(folder.trials()[0]["why"], "no cost at 1: -1 is not a cost");
}

#[test]
fn a_program_that_never_reports_ends_the_run() {
    let (folder, said) = plain("budget = 9", "", "echo hello; echo the reason >&2");
    let said = said.exits(1);
    assert!(said.out.contains("the first 5 trials all failed"), "{}", said.all());
    assert!(said.out.contains("the reason"), "{}", said.all());
    assert_eq!(folder.states(), ["failed"; 5]);
}

#[test]
fn a_program_that_is_done_early_says_so_with_its_end() {
    let script = "for e in 1 2 9; do echo '{\"progress\": '$e', \"outcome\": '$1'}'; done";
    let (folder, _) = plain("budget = 2", "", script);
    assert!(folder.states().iter().any(|state| state == "finished"), "{:?}", folder.states());
}

#[test]
fn what_reports_do_wrong_is_said_once() {
    let line = |progress: i32| format!("echo '{{\"progress\": {progress}, \"outcome\": '$1'}}'\n");
    let script: String = [1, 1, 1, 0, 2, -1, 3, 2].into_iter().map(line).collect();
    let script = format!("{script}{}sleep 0.3\n{}sleep 1000", line(12), line(13));
    let (folder, said) = plain("budget = 2\n", "[stop]\ntrials = 1", &script);
    let out = said.exits(0).out;
    for (words, count) in [
        ("    0  reports 1 after 1: a progress that does not grow is left out\n", 1),
        ("    0  reports the progress -1, which is left out\n", 1),
        ("    0  reports 12, beyond its end at 9, which counts as 9\n", 1),
        ("    0  reports 13 after its end at 9, and is ended\n", 1),
    ] {
        assert_eq!(out.matches(words).count(), count, "{words}{out}");
    }
    assert_eq!(reported(&folder.trials()[0]), [1.0, 3.0, 9.0]);
}

/// A program that prints very much does not swamp the journal.
#[test]
fn few_reports_are_told_of_many() {
    let script =
        "awk 'BEGIN { for (e = 1; e <= 90000; e++) print \"epoch\", e / 10000, \"loss\", 1 / e }'";
    let wide = PATTERN.replace("\\d+", "[0-9.]+");
    let (folder, _) = plain("budget = 2\n", &format!("{wide}\n[stop]\ntrials = 1"), script);
    let trials = folder.trials();
    assert_eq!(reported(&trials[0]), [1.0, 3.0, 9.0][..reported(&trials[0]).len()]);
    assert!(folder.read("study.journal").len() < 20_000);
    // One that never stops is ended by its time all the same.
    let script = "yes '{\"progress\": 1, \"outcome\": 2}' | head -c 200000000; sleep 1000";
    let (folder, said) = plain("time_limit = 1\n", "[stop]\ntrials = 1", script);
    said.exits(0);
    let trial = &folder.trials()[0];
    assert!(trial["state"] == "failed" || trial["state"] == "abandoned", "{trial}");
    assert_eq!(reported(trial), [1.0]);
}

#[test]
fn costs_are_those_since_the_report_before() {
    let script = "for e in 1 2 3 4 5 6 7 8 9; do echo '{\"progress\": '$e', \"outcome\": '$1', \"paid\": 2}'; done";
    let text = study("command = [\"./train\", \"{x}\"]", "cost = \"paid\"\n[stop]\ntrials = 1");
    let folder = Folder::new(
        &text.replace("[cost]\nfrom = \"none\"\n", "[cost]\nfrom = \"output\"\n"),
        script,
    );
    folder.gittins(&["run", "study.toml"]).exits(0);
    let costs: Vec<f64> = folder.trials()[0]["reports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|report| report["cost"].as_f64().unwrap())
        .collect();
    assert_eq!(costs, [2.0, 4.0, 12.0][..costs.len()]);
    // By the clock.
    let slow = "echo '{\"progress\": 1, \"outcome\": '$1'}'\nsleep 0.4\necho '{\"progress\": 9, \"outcome\": '$1'}'";
    let text = study("command = [\"./train\", \"{x}\"]", "[stop]\ntrials = 4");
    let folder = Folder::new(&text.replace("[cost]\nfrom = \"none\"\n", ""), slow);
    folder.gittins(&["run", "study.toml"]).exits(0);
    let trials = folder.trials();
    let done = trials.iter().find(|trial| trial["state"] == "finished").expect("one at its end");
    let cost = done["reports"][1]["cost"].as_f64().unwrap();
    assert!((0.3..60.0).contains(&cost), "{done}");
}

#[test]
fn a_trial_beyond_its_time_fails_and_was_paid() {
    let script = "echo '{\"progress\": 1, \"outcome\": 1}'\nsleep 1000";
    let text = study(
        "command = [\"./train\", \"{x}\"]\ntime_limit = 0.5\nbudget = 100",
        "[stop]\ntrials = 4",
    );
    let folder = Folder::new(&text.replace("[cost]\nfrom = \"none\"\n", ""), script);
    folder.gittins(&["run", "study.toml"]).exits(0);
    let trials = folder.trials();
    let failed: Vec<&Value> = trials.iter().filter(|trial| trial["state"] == "failed").collect();
    assert!(!failed.is_empty(), "{trials:?}");
    for trial in failed {
        assert_eq!(trial["why"], "longer than its limit of 0.5 s");
        assert!(trial["cost"].as_f64().unwrap() >= 0.4, "{trial}");
    }
}

/// Waits after its second epoch until it may go on; reports what it is told to.
const WAITING: &str = "kept=$2/epoch e=0; echo $$ >> pids\n[ \"$4\" = --resume ] && e=$(cat $kept)\n\
    echo \"$e ${GITTINS_RESUME-new}\" >> log\n\
    while [ $e -lt 9 ]; do e=$((e + 1)); echo $e > $kept.new; mv $kept.new $kept\n\
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

/// The words of the last process that waits.
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
    let done = trials.iter().find(|trial| trial["state"] == "finished").expect("one at its end");
    assert_eq!(reported(done), [1.0, 3.0, 9.0]);
}

#[test]
fn the_other_commands_know_runs_in_stages() {
    let folder = steps("budget = 3");
    let fresh = folder.gittins(&["status", "study.toml"]).exits(2);
    assert!(fresh.err.contains("does not exist yet: no trial was asked for"), "{}", fresh.all());
    folder.gittins(&["should-stop", "study.toml"]).exits(1);
    folder.gittins(&["run", "study.toml"]).exits(0);
    for file in ["study.toml", "study.journal"] {
        let best = folder.gittins(&["best", file, "--json"]).exits(0).json();
        assert_eq!(best["best"]["state"], "finished", "{best}");
        assert_eq!(best["best"]["progress"], 9.0, "{best}");
        let status = folder.gittins(&["status", file, "--json"]).exits(0).json();
        assert_eq!(status["stop"], true, "{status}");
        assert_eq!(status["trials"]["running"], 0, "{status}");
        folder.gittins(&["should-stop", file]).exits(0);
        folder.gittins(&["doctor", file]).exits(0);
        let sheet = folder.gittins(&["export", file]).exits(0).out;
        assert!(sheet.starts_with("trial,state,x,progress,outcome,cost,paid,why\n"), "{sheet}");
        let count: usize = folder.trials().iter().map(|trial| reported(trial).len()).sum();
        assert_eq!(sheet.lines().count(), 1 + count);
    }
    folder.gittins(&["plot", "study.toml"]).exits(0);
    assert!(folder.read("study.html").contains("What each trial has cost, and how it ended"));
    folder.write("sheet.csv", "x,outcome\n0.5,1\n");
    for words in [
        &["ask", "study.toml"][..],
        &["tell", "study.toml", "0", "1"],
        &["fail", "study.toml", "0"],
        &["import", "study.toml", "sheet.csv"],
    ] {
        let said = folder.gittins(words).exits(2);
        assert!(said.err.contains("runs in stages"), "{}", said.all());
    }
    let said = folder.gittins(&["withdraw", "study.toml", "0"]).exits(2);
    assert!(said.err.contains("and not under way"), "{}", said.all());
    let said = folder.gittins(&["withdraw", "study.toml", "99"]).exits(2);
    assert!(said.err.contains("has no trial 99"), "{}", said.all());
    let said = folder.gittins(&["export", "study.toml", "--record"]).exits(2);
    assert!(said.err.contains("have no record"), "{}", said.all());
}

#[test]
fn a_shell_takes_the_arguments_of_a_resumed_run_as_text() {
    let text = study(
        "budget = 3\nshell = true\ncommand = \"./train {x} {checkpoint} {until}\"",
        "resume = \"--resume\"",
    );
    let folder = Folder::new(&text, STEPS);
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(folder.lines("log").iter().any(|line| !line.contains(" new ")));
    assert!(folder.states().iter().all(|state| state == "finished" || state == "paused"));
}

/// The study and the program on the page about the command.
#[test]
fn the_training_on_the_page_is_paused_and_resumed() {
    if !std::process::Command::new("python3")
        .arg("-V")
        .output()
        .is_ok_and(|said| said.status.success())
    {
        eprintln!("skipped: there is no python3");
        return;
    }
    let page = include_str!("../../../docs/command.md");
    let block = |begin: &str| {
        let (_, rest) = page.split_once(begin).unwrap();
        rest.split("```").next().unwrap()
    };
    let study = block("whether it goes on, is paused, or is abandoned.\n\n```toml\n");
    assert!(study.contains("budget = 30"));
    let folder = Folder::new(&study.replace("budget = 30", "budget = 4"), "");
    folder.write("train.py", block("```python\n"));
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(
        folder.states().iter().all(|state| state == "finished" || state == "paused"),
        "{}",
        said.all()
    );
    assert!(folder.path("study.trials/0/checkpoint/state.json").exists());
}

#[test]
fn the_example_runs() {
    let study = include_str!("../../../examples/stages/study.toml");
    assert!(study.contains("\nbudget = 8 "));
    let folder = Folder::new(&study.replace("\nbudget = 8 ", "\nbudget = 3 "), "");
    folder.write("train.sh", include_str!("../../../examples/stages/train.sh"));
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(
        folder.states().iter().all(|state| state == "finished" || state == "paused"),
        "{}",
        said.all()
    );
}

/// Two runners go on with each other's trials, and never two at once with one.
#[test]
fn two_runs_share_a_study() {
    let folder = steps("budget = 5\nworkers = 2");
    let both = [folder.start(&["run", "study.toml"]), folder.start(&["run", "study.toml"])];
    for run in both {
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut at: BTreeMap<String, String> = BTreeMap::new();
    for line in folder.lines("log") {
        let words: Vec<&str> = line.split(' ').collect();
        let before = at.insert(words[0].to_owned(), words[2].to_owned());
        assert_eq!(before.unwrap_or("0".to_owned()), words[1], "{line}");
    }
    assert!(folder.states().iter().all(|state| state == "finished" || state == "paused"));
}

#[test]
fn folders_and_journals_of_other_studies_are_refused() {
    let folder = steps("budget = 1");
    folder.gittins(&["run", "study.toml"]).exits(0);
    let text = folder.read("study.toml");
    let (whole, _) = text.split_once("[stages]").unwrap();
    folder.write(
        "whole.toml",
        &format!(
            "journal = \"study.journal\"\n{}",
            whole.replace(", \"{checkpoint}\", \"{until}\"", "")
        ),
    );
    for words in [&["run", "whole.toml"][..], &["status", "whole.toml"]] {
        let said = folder.gittins(words).exits(2);
        assert!(
            said.err.contains("its trials are runs in stages, and this file has no [stages]"),
            "{}",
            said.all()
        );
    }
    folder.write("study.toml", &text.replace("epochs = 9\nreports = [1, 3, 9]", "epochs = 12"));
    let said = folder.gittins(&["run", "study.toml"]).exits(2);
    assert!(said.err.contains("total"), "{}", said.all());
    folder.write("study.toml", &text);
    std::fs::remove_file(folder.path("study.journal")).unwrap();
    let said = folder.gittins(&["run", "study.toml"]).exits(2);
    assert!(said.err.contains("delete the folders of an earlier study"), "{}", said.all());
    std::fs::remove_dir_all(folder.path("study.trials")).unwrap();
    std::fs::remove_file(folder.path("study.journal")).unwrap();
    folder.gittins(&["ask", "whole.toml"]).exits(0);
    let said = folder.gittins(&["run", "study.toml"]).exits(2);
    assert!(said.err.contains("its trials are no runs in stages"), "{}", said.all());
}

#[test]
fn many_lines_without_a_report_are_spoken_of() {
    let (folder, said) =
        plain("budget = 1", "[stop]\nfailures = 1", "seq 1 300; sleep 0.3; seq 1 300; sleep 0.3");
    let said = said.exits(1);
    assert_eq!(
        said.out.matches("lines without a report: no JSON line has the keys").count(),
        1,
        "{}",
        said.all()
    );
    assert_eq!(folder.states(), ["failed"]);
    let doctor = folder.gittins(&["doctor", "study.toml"]);
    assert!(
        doctor.out.contains("reports at 1, 3, 9; a trial that was left cannot be resumed"),
        "{}",
        doctor.all()
    );
}

/// A runner may be killed after it was given a trial and before anybody can know of it.
#[test]
fn a_trial_that_a_killed_runner_was_just_given_is_taken_back() {
    let folder = steps("budget = 1");
    folder.gittins(&["run", "study.toml"]).exits(0);
    let ask = || {
        let mut journal =
            gittins::journal::StagedJournal::resume(folder.path("study.journal")).unwrap();
        journal.ask().unwrap();
    };
    let running = || folder.states().iter().filter(|state| *state == "running").count();
    // Somebody else, who works by the library, is not disturbed.
    ask();
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert_eq!(running(), 1);
    let status = folder.gittins(&["status", "study.toml"]).exits(0);
    assert!(status.out.contains("not by this command"), "{}", status.all());
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
