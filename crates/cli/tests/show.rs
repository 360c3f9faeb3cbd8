//! Why a trial failed, and all else that is known of one.

use crate::folder::{Folder, SQUARE};

/// Fails beyond 0.5, and says why in its last line of errors.
const FAILING: &str = "echo begins\nawk -v x=$1 'BEGIN { exit !(x > 0.5) }' || {\n\
    awk -v x=$1 'BEGIN { print (x - 0.3)^2 }'; exit; }\n\
    echo Traceback >&2; echo 'RuntimeError: out of memory' >&2; exit 1\n";

fn failing(more: &str) -> Folder {
    let text = format!("price = 1e-4\n{more}{SQUARE}[stop]\ntrials = 9\n");
    Folder::new(&text, FAILING)
}

/// The number of a trial in this state.
fn with(folder: &Folder, state: &str) -> String {
    let states = folder.states();
    states.iter().position(|one| one == state).unwrap().to_string()
}

#[test]
fn a_failure_is_told_with_the_last_line_of_its_errors() {
    let folder = failing("");
    let said = folder.train().exits(0);
    let reason = "exit code 1: RuntimeError: out of memory";
    assert!(said.out.contains(&format!("failed: {reason}  ")), "{}", said.all());
    let number = with(&folder, "failed");
    let trial = &folder.trials()[number.parse::<usize>().unwrap()];
    assert_eq!(trial["why"], reason);
    let sheet = folder.gittins(&["export", "study.toml"]).exits(0);
    assert!(sheet.out.contains(reason), "{}", sheet.all());
    folder.gittins(&["plot", "study.toml"]).exits(0);
    assert!(folder.read("study.html").contains(reason));
    // The table with reasons can be imported.
    folder.write("sheet.csv", &sheet.out);
    folder.write("study.toml", &folder.read("study.toml").replace("price", "name = \"b\"\nprice"));
    folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(0);
    // What is next, once.
    let words = "next         gittins plot study.toml draws it; gittins show study.toml ";
    assert_eq!(said.out.matches(words).count(), 1, "{}", said.all());
}

#[test]
fn all_that_is_known_of_a_trial_is_shown() {
    let folder = failing("");
    folder.train().exits(0);
    let failed = with(&folder, "failed");
    for file in ["study.toml", "study.journal"] {
        let said = folder.gittins(&["show", file, &failed]).exits(0);
        for words in [
            &format!("trial        {failed} of study: failed"),
            "values       x = 0.",
            "why          exit code 1: RuntimeError: out of memory",
            "stdout:\n  begins\n",
            "stderr:\n  Traceback\n  RuntimeError: out of memory",
        ] {
            assert!(said.out.contains(words), "{words}: {}", said.all());
        }
    }
    let shown = folder.gittins(&["show", "study.toml", &failed, "--json"]).exits(0).json();
    assert_eq!(shown["why"], "exit code 1: RuntimeError: out of memory");
    assert_eq!(shown["stderr"], "Traceback\nRuntimeError: out of memory");
    assert_eq!(shown["state"], "failed");
    let suggested = folder.trials().iter().rposition(|trial| trial["origin"] == "suggested");
    let suggested = suggested.unwrap().to_string();
    let shown = folder.gittins(&["show", "study.toml", &suggested, "--json"]).exits(0).json();
    assert!(shown["expected"]["outcome"].is_number() && shown["stderr"].is_null(), "{shown}");
    assert!(shown["asked"].as_str().unwrap().starts_with("suggested by Gittins index"), "{shown}");
    let said = folder.gittins(&["show", "study.toml", &suggested]).exits(0);
    assert!(said.out.contains(", expected "), "{}", said.all());
}

#[test]
fn a_wrong_number_of_a_trial_names_those_there_are() {
    let folder = failing("");
    folder.gittins(&["ask", "study.toml"]).exits(0);
    let said = folder.gittins(&["show", "study.toml", "7"]).exits(2);
    assert!(said.err.contains("has no trial 7, only trial 0"), "{}", said.all());
    folder.gittins(&["ask", "study.toml"]).exits(0);
    for words in [&["show", "study.toml", "7"][..], &["tell", "study.toml", "7", "1"]] {
        let said = folder.gittins(words).exits(2);
        assert!(said.err.contains("has no trial 7: they are 0 to 1"), "{}", said.all());
    }
    let said = folder.gittins(&["show", "study.toml", "-1"]).exits(2);
    assert!(said.err.contains("expected the number of a trial"), "{}", said.all());
    let said = folder.gittins(&["show", "study.toml", "1"]).exits(0);
    assert!(said.out.contains("pending") && said.out.contains("asked for by hand"), "{}", said.out);
}

#[test]
fn a_trial_of_stages_is_shown_with_its_reports() {
    let script = "echo '{\"progress\": 1, \"outcome\": '$1'}'\n\
        echo '{\"progress\": 3, \"outcome\": '$1'}'; echo 'loss is nan' >&2; exit 1\n";
    let text = format!(
        "command = [\"./train\", \"{{x}}\", \"{{checkpoint}}\"]\n{SQUARE}[stages]\nepochs = 9\n\
         reports = [1, 3, 9]\n[stop]\ntrials = 3\nfailures = 3\n"
    );
    let folder = Folder::new(&text, script);
    let said = folder.gittins(&["run", "study.toml"]);
    assert!(said.out.contains("exit code 1: loss is nan"), "{}", said.all());
    // Left at its last report or not, it broke after it.
    let said = folder.gittins(&["show", "study.toml", "0"]).exits(0);
    for words in [
        "report       0.",
        " at 1, cost ",
        "why          exit code 1: loss is nan",
        "stderr:\n  loss is nan",
        "folder       study.trials/",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.all());
    }
    let shown = folder.gittins(&["show", "study.journal", "0", "--json"]).exits(0).json();
    assert_eq!(shown["why"], "exit code 1: loss is nan");
    folder.gittins(&["plot", "study.toml"]).exits(0);
    assert!(folder.read("study.html").contains("exit code 1: loss is nan"));
    let said = folder.gittins(&["show", "study.toml", "99"]).exits(2);
    assert!(said.err.contains("has no trial 99"), "{}", said.all());
}
