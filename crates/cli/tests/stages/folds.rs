//! Trials that are means of folds, and stages that begin anew.

use super::reported;
use crate::folder::{Folder, SQUARE};

/// Trains in the fold that it is told, which is some 0.1 harder for all the later it is.
const FOLD: &str = "awk -v x=$1 -v f=$2 'BEGIN { printf \"{\\\"fold\\\": %d, \\\"error\\\": %.6f}\\n\", f, (x - 0.3)^2 + f / 10 }'\n";

const COMMAND: &str = "command = [\"./train\", \"{x}\", \"{until}\"]\n";

fn folds(more: &str, stages: &str) -> String {
    format!(
        "{COMMAND}{more}\n{SQUARE}[stages]\n{stages}\nprogress = \"fold\"\noutcome = \"error\"\n"
    )
}

#[test]
fn a_process_trains_one_fold_and_needs_no_checkpoint() {
    let folder = Folder::new(&folds("budget = 12", "folds = 4"), FOLD);
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    let trials = folder.trials();
    assert!(trials.len() > 12, "{}", said.all());
    for trial in &trials {
        let reports = reported(trial);
        assert_eq!(reports, [1.0, 2.0, 3.0, 4.0][..reports.len()]);
        let cost = reports.len() as f64 / 4.0;
        assert!((trial["cost"].as_f64().unwrap() - cost).abs() < 1e-9, "{trial}");
    }
    // It comes to the mean of all folds, (1 + 2 + 3 + 4)/40, however easy the first one is.
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    let outcome = best["best"]["outcome"].as_f64().unwrap();
    assert!((0.25..0.26).contains(&outcome), "{best}");
}

#[test]
fn a_fold_that_is_not_the_next_one_is_a_failure() {
    let stop = "[stop]\nfailures = 2\n";
    let study = format!("{}{stop}", folds("budget = 2", "folds = 4"));
    let folder = Folder::new(&study, "echo '{\"fold\": 3, \"error\": 1}'");
    let said = folder.gittins(&["run", "study.toml"]).exits(1);
    assert!(said.all().contains("reported fold 3 where fold 1 comes next"), "{}", said.all());
}

#[test]
fn what_folds_do_not_have_is_named_with_its_line() {
    for (stages, words) in [
        ("folds = 0", "folds"),
        ("folds = 4\nepochs = 3", "expected one of total, epochs, folds and items"),
        ("folds = 4\nreports = [2, 4]", "each fold is a report"),
        ("folds = 4\nany_stage_counts = true", "any_stage_counts"),
        ("folds = 4\nrepeats = true", "repeats"),
    ] {
        let folder = Folder::new(&folds("budget = 2", stages), FOLD);
        let said = folder.gittins(&["run", "study.toml"]).exits(2);
        assert!(
            said.err.contains(words) && said.err.contains("study.toml, line"),
            "{}",
            said.all()
        );
    }
}

/// A training on a part of the rows is made anew on more of them, and paid as a whole.
#[test]
fn a_stage_that_begins_anew_needs_no_checkpoint() {
    let script = "awk -v x=$1 -v n=$2 'BEGIN { printf \"{\\\"fold\\\": %d, \\\"error\\\": %.6f}\\n\", n, (x - 0.3)^2 + 1 / n }'\n";
    let stages = "total = 16\nreports = [1, 4, 16]\nrepeats = true";
    let folder = Folder::new(&folds("budget = 8", stages), script);
    folder.gittins(&["run", "study.toml"]).exits(0);
    let trials = folder.trials();
    let ended = trials.iter().find(|trial| reported(trial).len() == 3).unwrap();
    let cost = ended["cost"].as_f64().unwrap();
    assert!((cost - 21.0 / 16.0).abs() < 1e-9, "{ended}");
    assert!(trials.iter().any(|trial| reported(trial).len() == 1));
}
