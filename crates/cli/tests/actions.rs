//! The commands besides `run`, as a loop of one's own uses them.

use crate::folder::{Folder, SQUARE, TRAIN};

const ASKED: &str = "direction = \"minimize\"\nprice = 1e-3\n[parameters.x]\ntype = \"float\"\nlow = 0\nhigh = 1\n\
    [parameters.name]\ntype = \"choice\"\nnames = [\"it's\", \"a b\"]\n\
    [parameters.depth]\ntype = \"int\"\nlow = 1\nhigh = 3\nwhen = { name = \"a b\" }\n[cost]\nfrom = \"output\"\nkey = \"c\"\n";

#[test]
fn a_loop_of_its_own_asks_and_tells_until_it_should_stop() {
    let folder = Folder::new(&format!("{ASKED}[stop]\ntrials = 60"), "");
    let mut stopped = false;
    for round in 0..60 {
        let ask = folder.gittins(&["ask", "study.toml", "--json"]).exits(0).json();
        let number = ask["trial"].to_string();
        assert_eq!(ask["trial"], round);
        let values = &ask["values"];
        assert_eq!(values["depth"].is_null(), values["name"] == "it's");
        let x = values["x"].as_f64().unwrap();
        if round == 3 {
            let why = ["fail", "study.toml", &number, "--cost", "0.5", "--why", "too hot"];
            folder.gittins(&why).exits(0);
        } else {
            let value = ((x - 0.3).powi(2) - 1.0).to_string();
            folder.gittins(&["tell", "study.toml", &number, &value, "--cost", "2"]).exits(0);
        }
        let asked = folder.gittins(&["should-stop", "study.toml"]);
        match asked.code {
            Some(0) => {
                stopped = true;
                break;
            }
            Some(1) => {}
            _ => panic!("{}", asked.all()),
        }
    }
    assert!(stopped);
    // A journal alone says the same.
    let by_file = folder.gittins(&["best", "study.toml", "--json"]).exits(0);
    let by_journal = folder.gittins(&["best", "study.journal", "--json"]).exits(0);
    assert_eq!(by_file.json(), by_journal.json());
    let status = folder.gittins(&["status", "study.journal", "--json"]).exits(0).json();
    assert_eq!((&status["stop"], &status["counts"]["failed"]), (&true.into(), &1.into()));
    assert_eq!(folder.trials()[3]["why"], "too hot");
}

#[test]
fn an_ask_for_a_shell_can_be_read_by_it() {
    let folder = Folder::new(ASKED, "");
    for _ in 0..6 {
        let program = env!("CARGO_BIN_EXE_gittins");
        let script = format!(
            "set -eu; eval \"$({program} ask study.toml --env)\"; printf '%s|%s|%s' \"$GITTINS_TRIAL\" \"$GITTINS_NAME\" \"${{GITTINS_DEPTH-}}\""
        );
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder.path("")).env("GITTINS_DEPTH", "outside");
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        let trial = folder.trials().pop().unwrap();
        let values = &trial["values"];
        let depth = values["depth"].as_i64().map_or(String::new(), |depth| depth.to_string());
        let expected = format!("{}|{}|{depth}", trial["trial"], values["name"].as_str().unwrap());
        assert_eq!(said, expected);
    }
}

#[test]
fn what_was_told_can_be_corrected_and_taken_back() {
    let folder = Folder::new(SQUARE, "");
    for _ in 0..2 {
        folder.gittins(&["ask", "study.toml"]).exits(0);
    }
    folder.gittins(&["tell", "study.toml", "0", "-1.5"]).exits(0);
    let twice = folder.gittins(&["tell", "study.toml", "0", "2"]).exits(2);
    assert!(twice.err.contains("trial 0"), "{}", twice.all());
    folder.gittins(&["tell", "study.toml", "0", "2", "--correct"]).exits(0);
    assert_eq!(folder.trials()[0]["outcome"], 2.0);
    folder.gittins(&["withdraw", "study.toml", "1"]).exits(0);
    folder.gittins(&["fail", "study.toml", "1", "--infeasible"]).exits(0);
    assert_eq!(folder.states(), ["complete", "infeasible"]);
}

#[test]
fn errors_are_objects_with_json_and_words_without() {
    let folder = Folder::new(SQUARE, TRAIN);
    folder.write("other.toml", SQUARE);
    folder.gittins(&["ask", "other.toml"]).exits(0);
    for (words, message) in [
        (&["best", "study.toml"][..], "does not exist yet"),
        (&["best", "nothing.toml"], "nothing.toml: No such file"),
        (&["tell", "study.toml", "7", "1"], "does not exist yet"),
        (&["tell", "other.toml", "7", "1"], "has no trial 7"),
        (&["tell", "study.toml", "0", "nan"], "a finite number"),
        (&["tell", "study.toml", "0"], "required arguments were not provided"),
        (&["plato"], "unrecognized subcommand"),
        (&["import", "study.toml", "nothing.csv"], "nothing.csv: No such file"),
        (&["run", "study.toml"], "there is no command"),
    ] {
        let said = folder.gittins(words).exits(2);
        assert!(said.err.contains(message) && said.out.is_empty(), "{words:?}: {}", said.all());
        let mut with_json = words.to_vec();
        with_json.push("--json");
        let said = folder.gittins(&with_json).exits(2);
        assert!(said.json()["error"].as_str().unwrap().contains(message), "{}", said.all());
        assert!(said.err.is_empty(), "{}", said.all());
    }
}

#[test]
fn an_export_can_be_imported() {
    let folder = Folder::new(ASKED, "");
    for number in 0..8 {
        folder.gittins(&["ask", "study.toml"]).exits(0);
        let (number, value) = (number.to_string(), (f64::from(number) / 3.0).to_string());
        match number.as_str() {
            "5" => folder.gittins(&["fail", "study.toml", "5", "--cost", "4"]).exits(0),
            "6" => continue,
            _ => folder.gittins(&["tell", "study.toml", &number, &value, "--cost", "1.5"]).exits(0),
        };
    }
    let sheet = folder.gittins(&["export", "study.toml"]).exits(0).out;
    folder.write("sheet.csv", &sheet);
    let before = folder.trials();
    folder.write("other.toml", ASKED);
    folder.gittins(&["import", "other.toml", "sheet.csv"]).exits(0);
    let after = folder.gittins(&["export", "other.toml", "--json"]).exits(0).json();
    let kept = |trial: &serde_json::Value| {
        ["values", "state", "outcome", "cost"].map(|key| trial[key].clone())
    };
    let told = before.iter().filter(|trial| trial["state"] != "pending");
    let after = after["trials"].as_array().unwrap();
    assert!(told.map(kept).eq(after.iter().map(kept)));
    // The record has all that is known, a line for each trial.
    let record = folder.gittins(&["export", "study.toml", "--record"]).exits(0).out;
    assert_eq!(record.lines().count(), 8);
    assert!(record.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}

#[test]
fn a_wrong_sheet_imports_nothing() {
    let folder = Folder::new(ASKED, "");
    for (sheet, message) in [
        ("x,name,outcome,cost\n0.5,a b,1,2\n", "line 2: "),
        ("x,name,depth,outcome\n0.5,a b,2,1\n2,it's,,1\n", "line 3: "),
        ("x,name,depth,outcome\n0.5,it's,2,1\n", "line 2: "),
        (
            "x,name,depth,outcome\nhalf,it's,,1\n",
            "line 2: x: expected a number in [0, 1], got \"half\"",
        ),
        ("x,name,depth,outcome\n0.5,its,,1\n", "line 2: "),
        ("x,name,depth,outcome\n0.5,it's,,inf\n", "line 2: outcome: expected a finite number"),
        ("x,name,depth,outcome,cost\n0.5,it's,,1,0\n", "line 2: cost: expected a positive number"),
        ("x,nmae,outcome\n", "unknown column \"nmae\"; did you mean \"name\"?"),
        ("x,outcome\n", "no column for the parameter \"name\""),
        ("x,name\n", "there is no column \"outcome\""),
        ("x,x,name,outcome\n", "two columns are named \"x\""),
        ("x,name,depth,outcome,state\n0.5,it's,,1,broken\n", "no state of a trial is named"),
    ] {
        folder.write("sheet.csv", sheet);
        let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(2);
        assert!(said.err.contains(message), "{sheet}: {}", said.all());
        assert!(!folder.path("study.journal").exists());
    }
}

#[test]
fn what_belongs_to_an_installation_is_printed() {
    let folder = Folder::new(SQUARE, "");
    let schema = folder.gittins(&["schema"]).exits(0).json();
    assert!(schema["properties"]["parameters"].is_object());
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = folder.gittins(&["completions", shell]).exits(0);
        assert!(said.out.contains("should-stop"), "{shell}");
    }
    assert!(folder.gittins(&["man"]).exits(0).out.contains(".TH gittins"));
    folder.gittins(&["man", "--out", "pages"]).exits(0);
    assert!(folder.read("pages/gittins-run.1").contains("gittins\\-run"));
    let doctor = folder.gittins(&["doctor", "--json"]).exits(0).json();
    assert_eq!(doctor["healthy"], true);
}

#[test]
fn the_loop_on_the_page_runs() {
    let page = include_str!("../../../docs/command.md");
    let begins = page.find("while gittins should-stop").unwrap();
    let recipe = page[begins..].split("\ndone\n").next().unwrap();
    let study = "direction = \"minimize\"\n[parameters.rate]\ntype = \"float\"\nlow = 0\nhigh = 1\n[stop]\ntrials = 5\n";
    // The third trial fails.
    let script = "[ $GITTINS_TRIAL -ne 2 ] && echo $2\n";
    let folder = Folder::new(study, script);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_gittins"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("{recipe}\ndone")]).current_dir(folder.path("")).env("PATH", path);
    let output = shell.output().unwrap();
    let states = folder.states();
    assert_eq!(states, ["complete", "complete", "failed", "complete", "complete"], "{output:?}");
}

#[test]
fn a_study_is_drawn_as_one_page_or_as_pictures() {
    let folder = Folder::new(ASKED, "");
    for _ in 0..5 {
        let ask = folder.gittins(&["ask", "study.toml", "--json"]).exits(0).json();
        let number = ask["trial"].to_string();
        folder.gittins(&["tell", "study.toml", &number, "0.25", "--cost", "2"]).exits(0);
    }
    let written = folder.gittins(&["plot", "study.journal", "--json"]).exits(0).json();
    assert_eq!(written["written"].as_array().unwrap().len(), 1);
    let page = std::fs::read_to_string(folder.path("study.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("it&#39;s") && !page.contains("<script"));
    folder.gittins(&["plot", "study.toml", "--svg", "pictures"]).exits(0);
    let pictures = std::fs::read_dir(folder.path("pictures")).unwrap().count();
    // The course, the verdict, two predictions and three parameters.
    assert_eq!(pictures, 7);
    let part = |name| format!("[parameters.{name}]\ntype = \"float\"\nlow = 0\nhigh = 1\n");
    let parts = ["flour", "water", "rye"].map(part).concat();
    let sum = "[[constraints]]\nterms = { flour = 1, water = 1, rye = 1 }\nequal_to = 1\n";
    let folder = Folder::new(&format!("direction = \"maximize\"\n{parts}{sum}"), "");
    for number in ["0", "1"] {
        folder.gittins(&["ask", "study.toml"]).exits(0);
        folder.gittins(&["tell", "study.toml", number, number, "--cost", "1"]).exits(0);
    }
    folder.gittins(&["plot", "study.toml"]).exits(0);
    assert!(folder.read("study.html").contains(">100 % rye<"));
    folder.gittins(&["plot", "study.toml", "--svg", "pictures"]).exits(0);
    assert!(folder.read("pictures/mixture-1.svg").contains(">100 % rye<"));
    let none = folder.gittins(&["plot", "none.journal"]).exits(2);
    assert!(none.all().contains("none.journal"), "{}", none.all());
}

/// Asks and tells so many trials of the study with costs in the output, which are `1 + 9 x`.
fn tell_some(folder: &Folder, count: usize) {
    for _ in 0..count {
        let ask = folder.gittins(&["ask", "study.toml", "--json"]).exits(0).json();
        let (number, x) = (ask["trial"].to_string(), ask["values"]["x"].as_f64().unwrap());
        let (value, cost) = (((x - 0.8).powi(2)).to_string(), (1.0 + 9.0 * x).to_string());
        folder.gittins(&["tell", "study.toml", &number, &value, "--cost", &cost]).exits(0);
    }
}

#[test]
fn several_trials_are_asked_for_at_once() {
    let folder = Folder::new(ASKED, "");
    tell_some(&folder, 8);
    let asked = folder.gittins(&["ask", "study.toml", "--count", "3", "--json"]).exits(0).json();
    let trials = asked["trials"].as_array().unwrap();
    let numbers: Vec<u64> = trials.iter().map(|trial| trial["trial"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [8, 9, 10]);
    assert!(
        trials[0]["values"] != trials[1]["values"] && trials[1]["values"] != trials[2]["values"]
    );
    let text = folder.gittins(&["ask", "study.toml", "--count", "2"]).exits(0).out;
    assert!(text.contains("trial 11\n") && text.contains("trial 12\n"), "{text}");
    assert_eq!(folder.states().iter().filter(|state| *state == "pending").count(), 5);
    let both = ["ask", "study.toml", "--count", "2", "--within", "3", "--json"];
    let cheap = folder.gittins(&both).exits(0).json();
    let cheap = cheap["trials"].as_array().unwrap();
    assert_eq!(cheap.len(), 2);
    for trial in cheap {
        // The model knows the cost of 1 + 9 x from eight trials to a few percent.
        assert!(trial["values"]["x"].as_f64().unwrap() < 0.25, "{trial}");
    }
}

#[test]
fn a_trial_within_a_limit_is_asked_for_if_there_is_one() {
    let study = "direction = \"minimize\"\nprice = 1e-3\n[parameters.x]\ntype = \"float\"\n\
        low = 0\nhigh = 1\n[cost]\nfrom = \"output\"\nkey = \"c\"\n";
    let folder = Folder::new(study, "");
    let nothing = folder.gittins(&["ask", "study.toml", "--within", "3"]).exits(2);
    assert!(nothing.err.contains("no cost is known yet"), "{}", nothing.all());
    tell_some(&folder, 9);
    let cheap = folder.gittins(&["ask", "study.toml", "--within", "4", "--json"]).exits(0).json();
    // The model knows the cost of 1 + 9 x from nine trials to a few percent.
    assert!(cheap["values"]["x"].as_f64().unwrap() < 0.4, "{cheap}");
    let none = folder.gittins(&["ask", "study.toml", "--within", "0.01"]).exits(1);
    assert!(none.out.contains("expected to cost at most 0.01"), "{}", none.all());
    let none = folder.gittins(&["ask", "study.toml", "--within", "0.01", "--json"]).exits(1);
    assert!(none.json()["trial"].is_null());
    let wrong = folder.gittins(&["ask", "study.toml", "--within", "-1"]).exits(2);
    assert!(!wrong.err.is_empty());
    assert_eq!(folder.states().len(), 10);
}

#[test]
fn a_status_says_when_a_trial_is_due() {
    let study = "direction = \"minimize\"\nprice = 1e-6\n[parameters.x]\ntype = \"float\"\n\
        low = 0\nhigh = 1\n";
    let folder = Folder::new(study, "");
    folder.gittins(&["ask", "study.toml"]).exits(0);
    let early = folder.gittins(&["status", "study.toml", "--json"]).exits(0).json();
    assert!(early["running"][0]["due_in"].is_null(), "nothing is known yet: {early}");
    folder.gittins(&["tell", "study.toml", "0", "1", "--cost", "50"]).exits(0);
    tell_some(&folder, 6);
    folder.gittins(&["ask", "study.toml"]).exits(0);
    let status = folder.gittins(&["status", "study.toml", "--json"]).exits(0).json();
    let running = &status["running"][0];
    let (due, age) = (running["due_in"].as_f64().unwrap(), running["age"].as_f64().unwrap());
    // Trials cost 1 to 10 seconds, and one 50.
    assert!(due > 0.1 && due < 200.0 && age < 60.0, "{running}");
    let text = folder.gittins(&["status", "study.toml"]).exits(0).out;
    assert!(text.contains(", due in about ") || text.contains(", overdue: "), "{text}");
}
