//! The other commands, the page and the example.

use super::{reported, steps};
use crate::folder::Folder;

#[test]
fn the_other_commands_know_runs_in_stages() {
    let folder = steps("budget = 3");
    let fresh = folder.gittins(&["status", "study.toml"]).exits(2);
    assert!(fresh.err.contains("does not exist yet: no trial was asked for"), "{}", fresh.all());
    folder.gittins(&["should-stop", "study.toml"]).exits(1);
    folder.gittins(&["run", "study.toml"]).exits(0);
    for file in ["study.toml", "study.journal"] {
        let best = folder.gittins(&["best", file, "--json"]).exits(0).json();
        assert_eq!(best["best"]["state"], "complete", "{best}");
        assert_eq!(best["best"]["progress"], 9.0, "{best}");
        let status = folder.gittins(&["status", file, "--json"]).exits(0).json();
        assert_eq!(status["stop"], true, "{status}");
        assert_eq!(status["counts"]["pending"], 0, "{status}");
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
    assert!(said.err.contains("and not pending"), "{}", said.all());
    let said = folder.gittins(&["withdraw", "study.toml", "99"]).exits(2);
    assert!(said.err.contains("has no trial 99"), "{}", said.all());
    let said = folder.gittins(&["export", "study.toml", "--record"]).exits(2);
    assert!(said.err.contains("have no record"), "{}", said.all());
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
    let page = include_str!("../../../../docs/command.md");
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
        folder.states().iter().all(|state| state == "complete" || state == "paused"),
        "{}",
        said.all()
    );
    assert!(folder.path("study.trials/0/checkpoint/state.json").exists());
}

#[test]
fn the_example_runs() {
    let study = include_str!("../../../../examples/stages/study.toml");
    assert!(study.contains("\nbudget = 8 "));
    let folder = Folder::new(&study.replace("\nbudget = 8 ", "\nbudget = 3 "), "");
    folder.write("train.sh", include_str!("../../../../examples/stages/train.sh"));
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(
        folder.states().iter().all(|state| state == "complete" || state == "paused"),
        "{}",
        said.all()
    );
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
        assert!(said.err.contains("the total of the stages is"), "{}", said.all());
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
    assert!(said.err.contains("the total of the stages is none in the journal"), "{}", said.all());
}
