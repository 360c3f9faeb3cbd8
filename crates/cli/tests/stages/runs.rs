//! Runs that go on, are paused and resumed, and end.

use std::collections::{BTreeMap, BTreeSet};

use super::{PATTERN, STEPS, plain, reported, steps, study};
use crate::folder::Folder;

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
    assert_eq!(states, BTreeSet::from(["complete".to_owned(), "paused".to_owned()]));
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

#[test]
fn a_run_that_cannot_be_resumed_goes_on_by_itself_or_is_abandoned() {
    let (folder, said) = plain("budget = 6", PATTERN, ALONE);
    let said = said.exits(0);
    let trials = folder.trials();
    let states: BTreeSet<String> = folder.states().into_iter().collect();
    assert_eq!(states, BTreeSet::from(["abandoned".to_owned(), "complete".to_owned()]));
    for trial in &trials {
        let lines = folder.lines(&format!("study.trials/{}/output", trial["trial"]));
        if trial["state"] == "complete" {
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
    assert!(folder.states().iter().all(|state| state == "complete" || state == "paused"));
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

#[test]
fn a_shell_takes_the_arguments_of_a_resumed_run_as_text() {
    let text = study(
        "budget = 3\nshell = true\ncommand = \"./train {x} {checkpoint} {until}\"",
        "resume = \"--resume\"",
    );
    let folder = Folder::new(&text, STEPS);
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(folder.lines("log").iter().any(|line| !line.contains(" new ")));
    assert!(folder.states().iter().all(|state| state == "complete" || state == "paused"));
    // The same by the option, with a list in the file.
    let text = study("budget = 3", "resume = [\"--resume\", \"more\"]");
    let folder = Folder::new(&text, STEPS);
    let words = ["run", "study.toml", "--shell", "--", "./train {x} {checkpoint} {until}"];
    folder.gittins(&words).exits(0);
    assert!(folder.lines("log").iter().any(|line| !line.contains(" new ")));
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
    assert!(folder.states().iter().all(|state| state == "complete" || state == "paused"));
}

#[test]
fn a_few_settings_come_to_their_ends() {
    let folder = steps("budget = 99");
    let text = folder.read("study.toml");
    folder.write(
        "study.toml",
        &text.replace(
            "type = \"float\"\nlow = 0\nhigh = 1",
            "type = \"numbers\"\nvalues = [0.1, 0.3, 0.6]",
        ),
    );
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(said.out.contains("stop: nothing is left to evaluate"), "{}", said.all());
    assert_eq!(folder.states(), ["complete"; 3]);
}

/// `STEPS` with everything from its environment.
const BY_ENVIRONMENT: &str = "x=$GITTINS_X kept=$GITTINS_CHECKPOINT/epoch e=${GITTINS_RESUME-0}\n\
    while [ $e -lt $GITTINS_UNTIL ]; do e=$((e + 1))\n\
    echo '{\"progress\": '$e', \"outcome\": '$x'}'; done\n";

#[test]
fn a_command_that_reads_its_place_from_the_environment_can_be_resumed() {
    let shell = "shell = true\ncommand = \"./train {x} > /dev/null; at=${{GITTINS_RESUME-0}} && ./train {x}\"";
    for (command, stages, resumable) in [
        ("environment = true\ncommand = [\"./train\"]", "", true),
        ("command = [\"sh\", \"-c\", \"GITTINS_X={x} : $GITTINS_CHECKPOINT; ./train\"]", "", true),
        ("command = [\"./train\", \"{x}\"]", "resumable = true", true),
        (shell, "", true),
        ("command = [\"./train\", \"{x}\"]", "", false),
        ("command = [\"./train\", \"{x}\", \"--MY_GITTINS_RESUME\"]", "", false),
        ("environment = true\ncommand = [\"./train\"]", "resumable = false", false),
    ] {
        let folder = Folder::new(&study(&format!("{command}\nbudget = 3"), stages), BY_ENVIRONMENT);
        let doctor = folder.gittins(&["doctor", "study.toml"]);
        let words = format!("left {} be resumed", if resumable { "can" } else { "cannot" });
        assert!(doctor.out.contains(&words), "{command} {stages}: {}", doctor.all());
        if resumable {
            folder.gittins(&["run", "study.toml"]).exits(0);
            let states: BTreeSet<String> = folder.states().into_iter().collect();
            let known = BTreeSet::from(["complete".to_owned(), "paused".to_owned()]);
            assert!(states.is_subset(&known) && !states.is_empty(), "{command}: {states:?}");
        }
    }
}
