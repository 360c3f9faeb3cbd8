//! Limits on numbers that runs print beside their outcomes, and corrections.

use super::{BY_STEPS, STEPS, plain, study};
use crate::folder::{Folder, Said};

/// Runs that go on from checkpoints, of which each says its size where it begins: twice what `x` is.
fn sized(limit: &str) -> (Folder, Said) {
    let command = "command = [\"./train\", \"{x}\", \"{checkpoint}\", \"{until}\"]";
    let stages = format!("{BY_STEPS}\n[limits]\nsize = {limit}");
    let size = "[ \"$4\" = --resume ] || awk -v x=$1 'BEGIN { print \"size:\", 2 * x }'\n";
    let script = STEPS.replacen('\n', &format!("\n{size}"), 1);
    let folder = Folder::new(&study(&format!("{command}\nbudget = 8"), &stages), &script);
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    (folder, said)
}

#[test]
fn the_best_run_holds_a_limit_on_what_it_said_before_it_was_paused() {
    // The outcome is best at 0.3.
    let (folder, said) = sized("{ at_least = 1.0 }");
    let trials = folder.trials();
    let ended = || trials.iter().filter(|trial| trial["state"] == "complete");
    assert!(ended().count() > 1, "{}", said.all());
    for trial in ended() {
        let (x, size) = (&trial["values"]["x"], trial["measured"]["size"].as_f64().unwrap());
        assert!((size - 2.0 * x.as_f64().unwrap()).abs() < 1e-4, "{trial}");
        assert_eq!(trial["holds"], size >= 1.0, "{trial}");
    }
    let was_resumed = |line: &String| line.contains(" 9 ") && !line.contains(" new ");
    assert!(folder.lines("log").iter().any(was_resumed), "{}", said.all());
    assert!(said.out.contains("9 of 9") && said.out.contains("  size "), "{}", said.all());
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert_eq!(best["best"]["holds"], true, "{best}");
    let shown = folder.gittins(&["status", "study.toml"]).exits(0).out;
    assert!(shown.contains("limit        size at least 1: held by "), "{shown}");
}

#[test]
fn a_number_stands_in_the_last_report_too_which_may_have_no_end() {
    for (stages, last) in [
        ("", "printf '{\"progress\": 9, \"outcome\": 0.5, \"size\": 2.5}'"),
        (
            "outcome = \"valid.loss\"",
            "echo '{\"progress\": 9, \"valid\": {\"loss\": 1, \"size\": 2.5}}'",
        ),
    ] {
        let stages = format!("{stages}\n[limits]\nsize = {{ at_most = 3 }}\n[stop]\ntrials = 1");
        let first = "echo '{\"progress\": 1, \"outcome\": 1, \"valid\": {\"loss\": 2}}'\n";
        let second = first.replace("\"progress\": 1", "\"progress\": 3");
        let (folder, said) = plain("budget = 1", &stages, &format!("{first}{second}{last}"));
        let trial = &folder.trials()[0];
        assert_eq!(trial["measured"]["size"], 2.5, "{last}: {trial}\n{}", said.all());
    }
}

#[test]
fn a_run_without_its_number_holds_nothing() {
    let script = "for e in 1 2 3 4 5 6 7 8 9; do echo epoch $e loss $1; done\n";
    let stages = format!("{}\n[limits]\nsize = {{ at_most = 3 }}", super::PATTERN);
    let (folder, said) = plain("budget = 30", &stages, script);
    let said = said.exits(1);
    let why = "no JSON line has the key \"size\", and no line reads size: NUMBER";
    let missed = "size was not measured in trial 0, which holds no limit then";
    assert!(said.out.contains(&format!("{missed}: {why}")), "{}", said.all());
    assert_eq!(said.all().matches(missed).count(), 1, "{}", said.all());
    assert!(said.out.contains("failed or lack a number"), "{}", said.all());
    let ended = folder.trials().into_iter().filter(|trial| trial["state"] == "complete");
    assert!(ended.into_iter().all(|trial| trial["holds"] == false));
}

#[test]
fn the_outcome_of_a_last_report_is_corrected() {
    let (folder, _) = sized("{ at_least = 1.0 }");
    let trials = folder.trials();
    for state in ["complete", "paused"] {
        let trial = trials.iter().find(|trial| trial["state"] == state).unwrap();
        let number = trial["trial"].to_string();
        let words = ["tell", "study.toml", &number, "0.125"];
        let said = folder.gittins(&words).exits(2);
        assert!(said.all().contains("in stages"), "{}", said.all());
        folder.gittins(&[&words[..], &["--correct"]].concat()).exits(0);
        let now = &folder.trials()[number.parse::<usize>().unwrap()];
        let last = now["reports"].as_array().unwrap().last().unwrap();
        assert_eq!(last["outcome"], 0.125, "{now}");
        assert_eq!(now["measured"], trial["measured"], "{now}");
    }
}
