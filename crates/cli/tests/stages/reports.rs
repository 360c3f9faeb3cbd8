//! Reports: which are told, what they cost, and what is wrong with some.

use serde_json::Value;

use super::{PATTERN, plain, reported, study};
use crate::folder::Folder;

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
    assert!(folder.states().iter().any(|state| state == "complete"), "{:?}", folder.states());
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
    let script = "yes '{\"progress\": 1, \"outcome\": 2}' | head -c 50000000; sleep 1000";
    let (folder, said) = plain("time_limit = 1\n", "[stop]\ntrials = 1", script);
    let trial = &folder.trials()[0];
    assert!(trial["state"] == "failed" || trial["state"] == "abandoned", "{trial}");
    said.exits(i32::from(trial["state"] == "failed"));
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
    let done = trials.iter().find(|trial| trial["state"] == "complete").expect("one at its end");
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
    let said = folder.gittins(&["run", "study.toml"]);
    let trials = folder.trials();
    let failed: Vec<&Value> = trials.iter().filter(|trial| trial["state"] == "failed").collect();
    assert!(!failed.is_empty(), "{trials:?}");
    said.exits(i32::from(failed.len() == trials.len()));
    for trial in failed {
        assert_eq!(trial["why"], "longer than its limit of 0.5 s");
        assert!(trial["cost"].as_f64().unwrap() >= 0.4, "{trial}");
    }
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

/// The script of a training that reports at some epochs and then dies.
fn dying(epochs: &str) -> String {
    format!(
        "for e in {epochs}; do echo '{{\"progress\": '$e', \"outcome\": '$1'}}'; done\n\
         echo out of memory >&2; exit 1\n"
    )
}

/// Runs a study of trainings that can be resumed until it ends, and says how many began.
fn until_it_gives_up(more: &str, script: &str) -> usize {
    let command = "command = [\"./train\", \"{x}\", \"{checkpoint}\", \"{until}\"]";
    let text = study(&format!("{command}\nbudget = 30\n{more}"), super::BY_STEPS);
    let folder = Folder::new(&text, script);
    let said = folder.gittins(&["run", "study.toml"]).exits(1);
    let words = "so something is wrong with the command";
    assert!(said.out.contains(words), "{}", said.all());
    let states = folder.states();
    assert!(states.iter().all(|state| state != "complete"), "{states:?}");
    states.len()
}

#[test]
fn trainings_that_all_die_after_a_report_end_the_run() {
    let resumed = "[ \"$4\" = --resume ] && exit 3\necho '{\"progress\": 1, \"outcome\": '$1'}'\n";
    let beyond = "[ \"$4\" = --resume ] && exit 3\nfor e in 1 2 3; do\n\
        [ $e -le $3 ] && echo '{\"progress\": '$e', \"outcome\": '$1'}'; done\nexit 0\n";
    let nan =
        "echo '{\"progress\": 1, \"outcome\": '$1'}'; echo '{\"progress\": 3, \"outcome\": NaN}'";
    for (what, script, more) in [
        ("after epoch 1", dying("1"), ""),
        ("after epoch 3", dying("1 2 3"), ""),
        ("after an epoch of chance", dying("1 $(($$ % 2 + 2))"), ""),
        ("by a signal", dying("1").replace("exit 1", "kill -9 $$"), ""),
        ("without a number", nan.to_owned(), ""),
        ("at once if they are resumed", resumed.to_owned(), ""),
        ("at once if they are resumed anywhere", beyond.to_owned(), ""),
        ("with three workers", dying("1"), "workers = 3"),
    ] {
        let begun = until_it_gives_up(more, &script);
        assert!((2..30).contains(&begun), "{what}: {begun} began");
    }
}

#[test]
fn folds_that_all_die_after_the_first_end_the_run() {
    let script = "[ $2 -gt 1 ] && exit 1\necho '{\"progress\": '$2', \"outcome\": '$1'}'\n";
    let text = study("command = [\"./train\", \"{x}\", \"{until}\"]\nbudget = 30", "")
        .replace("epochs = 9\nreports = [1, 3, 9]", "folds = 5");
    let folder = Folder::new(&text, script);
    let said = folder.gittins(&["run", "study.toml"]).exits(1);
    assert!(said.out.contains("and no other one came further"), "{}", said.all());
}

/// A run that goes on, or that the study left, is none that failed; nor do failures count that others
/// came through.
#[test]
fn a_few_failures_among_runs_that_come_further_do_not_end_a_run() {
    let script = "e=0; [ \"$4\" = --resume ] && e=$(cat $2/e)\n\
        awk -v x=$1 'BEGIN { exit !(x > 0.6) }' && [ $e -eq 0 ] && exit 1\n\
        while [ $e -lt $3 ]; do e=$((e + 1)); echo $e > $2/e\n\
        echo '{\"progress\": '$e', \"outcome\": '$1'}'; done\n";
    let command = "command = [\"./train\", \"{x}\", \"{checkpoint}\", \"{until}\"]";
    let text = study(&format!("{command}\nbudget = 4"), super::BY_STEPS) + "[stop]\nfailures = 2\n";
    let folder = Folder::new(&text, script);
    folder.gittins(&["run", "study.toml"]).exits(0);
    let states = folder.states();
    assert!(states.iter().filter(|state| *state == "failed").count() >= 3, "{states:?}");
}

#[test]
fn a_run_that_is_begun_again_counts_anew() {
    let (folder, said) = plain("budget = 30", "[stop]\nfailures = 2", &dying("1"));
    let said = said.exits(1);
    assert!(said.out.contains("the first 2 trials all failed"), "{}", said.all());
    let before = folder.trials().len();
    folder.gittins(&["run", "study.toml"]).exits(1);
    let more = folder.trials().len() - before;
    assert!((1..10).contains(&more), "{more}");
}
