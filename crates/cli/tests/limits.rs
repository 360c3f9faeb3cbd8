//! Limits on numbers that a trial prints beside its outcome.

use crate::folder::{Folder, SQUARE, TRAIN, signal, until};

/// The outcome is best at 0, and the number must be at least a half.
const LINE: &str = "echo \"size: $1\"\necho $1\n";

fn study(limits: &str, stop: &str) -> String {
    format!("{SQUARE}[limits]\n{limits}\n[stop]\n{stop}\n")
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_run_ends_at_the_best_that_holds() {
    let folder = Folder::new(&study("size = { at_least = 0.5 }", "trials = 14"), LINE);
    let said = folder.train().exits(0);
    // A number that breaks its limit is marked, and one that holds it is not.
    let lines: Vec<&str> = said.out.lines().filter(|line| line.contains("  size ")).collect();
    assert_eq!(lines.len(), 14, "{}", said.all());
    let marked = lines.iter().filter(|line| line.contains(" (under 0.5)"));
    let broken = folder.trials().iter().filter(|trial| trial["holds"] == false).count();
    assert_eq!(marked.count(), broken, "{}", said.all());
    assert!((1..13).contains(&broken), "{}", said.all());
    assert!(said.out.contains("(at least 0.5)"), "{}", said.all());

    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    for found in [&best["best"], &best["recommendation"]] {
        assert!(number(&found["measured"]["size"]) >= 0.5 && found["holds"] == true, "{best}");
    }
    let smallest =
        folder.trials().iter().map(|trial| number(&trial["outcome"])).fold(1.0, f64::min);
    assert!(smallest < 0.5 && number(&best["best"]["outcome"]) >= 0.5, "{best}");
    let limit = &best["limits"]["size"];
    assert_eq!(limit["at_least"], 0.5, "{best}");
    let counts = ["held", "broken", "not_measured"].map(|key| limit[key].as_u64().unwrap());
    assert_eq!(counts, [14 - broken as u64, broken as u64, 0]);
    let status = folder.gittins(&["status", "study.toml"]).exits(0).out;
    let words =
        format!("limit        size at least 0.5: held by {} of 14 complete trials\n", 14 - broken);
    assert!(status.contains(&words), "{status}");
    folder.gittins(&["plot", "study.toml"]).exits(0);
    assert!(folder.read("study.html").contains("breaks a limit"));
    // By the journal alone it is the same.
    let again = folder.gittins(&["best", "study.journal", "--json"]).exits(0).json();
    assert_eq!(again, best);
}

#[test]
fn each_place_of_a_number_is_read() {
    for (limit, script) in [
        ("size = { at_most = 9 }", "echo size=7; echo $1"),
        ("size = { at_most = 9 }", "echo size 7; echo $1"),
        ("size = { at_most = 9, key = \"a.b\" }", "echo '{\"a\": {\"b\": 7}}'; echo $1"),
        ("size = { at_most = 9, pattern = '(\\d+) kB' }", "echo about 7 kB; echo $1"),
        (
            "size = { at_most = 9, file = \"size.{trial}\" }",
            "echo size: 7 > size.$GITTINS_TRIAL; echo $1",
        ),
        ("size = { at_most = 9, file = \"s\", key = \"b\" }", "echo '{\"b\": 7}' > s; echo $1"),
        (
            "size = { at_most = 9 }\n[outcome]\nkey = \"valid.loss\"",
            "echo \"{\\\"size\\\": 99, \\\"valid\\\": {\\\"loss\\\": $1, \\\"size\\\": 7}}\"",
        ),
        (
            "size = { at_most = 9 }\n[outcome]\nfile = \"out\"\nkey = \"loss\"",
            "echo size: 99; printf '{\\n\"loss\": %s,\\n\"size\": 7}' $1 > out",
        ),
        // Python writes what is no number so. The trial has its outcome all the same.
        (
            "size = { at_most = 9 }\n[outcome]\nkey = \"loss\"",
            "echo '{\"loss\": 0.5, \"size\": 7, \"other\": NaN}'",
        ),
    ] {
        let folder = Folder::new(&study(limit, "trials = 1"), script);
        let said = folder.train().exits(0);
        let trial = &folder.trials()[0];
        assert_eq!(trial["measured"]["size"], 7.0, "{limit}: {trial}\n{}", said.all());
    }
}

#[test]
fn a_number_that_is_not_there_is_said_once_and_holds_nothing() {
    let script = "[ $GITTINS_TRIAL -ge 3 ] && echo '{\"size\": NaN}'\n\
        [ $GITTINS_TRIAL -lt 2 ] && echo size: 0.2\necho $1\n";
    let folder = Folder::new(&study("size = { at_most = 9 }", "trials = 6"), script);
    let said = folder.train().exits(0);
    let why = "size was not measured in trial 2, which holds no limit then: no JSON line has the key \
        \"size\", and no line reads size: NUMBER";
    assert_eq!(said.out.matches("was not measured in trial").count(), 1, "{}", said.all());
    assert!(said.out.contains(why), "{}", said.all());
    assert_eq!(said.out.matches("  size not measured  ").count(), 4, "{}", said.all());
    let trials = folder.trials();
    assert_eq!(folder.states(), ["complete"; 6]);
    assert!(trials[2]["measured"]["size"].is_null() && trials[2]["holds"] == false);
    assert!(trials[3]["why"].as_str().unwrap().contains("the number is NaN"), "{}", trials[3]);
    assert_eq!(trials[0]["measured"]["size"], 0.2);
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert!(best["best"]["trial"].as_u64().unwrap() < 2, "{best}");
    let doctor = folder.gittins(&["doctor", "study.toml"]).exits(0).out;
    assert!(doctor.contains("held by 2 of 6 complete trials; not measured in 4 of 6"), "{doctor}");
}

/// A name that the program never prints is found before the money is spent.
#[test]
fn a_run_that_never_measures_a_number_is_given_up() {
    let folder = Folder::new(&study("sise = { at_most = 9 }", "trials = 50"), LINE);
    let said = folder.train().exits(1);
    let words =
        "the first 5 trials all failed or lack a number, so something is wrong with the command";
    assert!(said.out.contains(words), "{}", said.all());
    assert!(said.out.contains("  sise was not measured: no JSON line"), "{}", said.all());
    assert!(said.out.contains("the end of its output:\n  size: "), "{}", said.all());
    assert_eq!(folder.states(), ["complete"; 5]);
    let doctor = folder.gittins(&["doctor", "study.toml"]).exits(1).out;
    let words = "WRONG: sise at most 9: never measured in 5 complete trials";
    assert!(doctor.contains(words), "{doctor}");
    // It may be wanted so.
    folder.write("study.toml", &study("sise = { at_most = 9 }", "trials = 7\nfailures = 0"));
    folder.train().exits(0);
    assert_eq!(folder.states(), ["complete"; 7]);
}

#[test]
fn if_none_holds_the_verdict_says_what_is_nearest() {
    let rule = "trials = 6\nstall = 50";
    let folder = Folder::new(&study("size = { at_least = 2.5 }", rule), LINE);
    let said = folder.train().exits(0);
    let nearest = "no trial holds all limits; the nearest is trial ";
    assert!(
        said.out.contains("\nbest         none: no trial holds all limits\n"),
        "{}",
        said.all()
    );
    assert!(
        said.out.contains("\nlimit        size at least 2.5: never held, the nearest is "),
        "{}",
        said.all()
    );
    let verdict = said.out.lines().find(|line| line.starts_with("rule         "));
    assert!(verdict.is_some_and(|line| line.contains(nearest)), "{}", said.all());
    assert!(said.out.contains("which must be at least 2.5"), "{}", said.all());
    let best = folder.gittins(&["best", "study.toml"]).exits(1).out;
    assert!(best.contains(nearest) && best.contains("best         none"), "{best}");
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(1).json();
    assert!(best["best"].is_null() && best["recommendation"].is_null(), "{best}");
    assert!(best["rule"].as_str().unwrap().contains(nearest), "{best}");
    let doctor = folder.gittins(&["doctor", "study.toml"]).exits(0).out;
    assert!(doctor.contains("size at least 2.5: never held, the nearest is "), "{doctor}");
    folder.gittins(&["plot", "study.toml"]).exits(0);
    assert!(folder.read("study.html").contains("No trial holds all limits."));
    // A study that its verdict ends says it once.
    let text = format!("price = 1e-2\n{}", study("size = { at_least = 2.5 }", "trials = 90"));
    let folder = Folder::new(&text, LINE);
    let said = folder.train().exits(0);
    assert_eq!(said.out.matches(nearest).count(), 1, "{}", said.all());
    let stop = said.out.lines().find(|line| line.starts_with("stop: "));
    assert!(stop.is_some_and(|line| line.contains(nearest)), "{}", said.all());
    // Without a rule there is no verdict on it.
    let folder = Folder::new(&study("size = { at_least = 2.5 }", "trials = 3"), LINE);
    let said = folder.train().exits(0);
    assert!(said.out.contains("never held, the nearest is "), "{}", said.all());
    assert!(!said.out.contains("\nverdict"), "{}", said.all());
}

/// A quick check that ends the trial tells which limit is broken.
#[test]
fn a_point_that_is_not_allowed_tells_the_number_that_says_so() {
    let script = "echo size: $1\nawk -v x=$1 'BEGIN { exit x < 0.5 }' || exit 7\necho $1\n";
    let text =
        study("size = { at_least = 0.5 }", "trials = 12\n[outcome]\ninfeasible_exit_code = 7");
    let folder = Folder::new(&text, script);
    let said = folder.train().exits(0);
    let trials = folder.trials();
    let broken: Vec<_> = trials.iter().filter(|trial| trial["state"] == "infeasible").collect();
    assert!(!broken.is_empty(), "{}", said.all());
    for trial in broken {
        assert!(number(&trial["measured"]["size"]) < 0.5 && trial["holds"] == false, "{trial}");
    }
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert!(number(&best["best"]["outcome"]) >= 0.5, "{best}");
}

#[test]
fn a_killed_run_keeps_its_numbers() {
    let script = "echo $$ >> pids\nif [ $GITTINS_TRIAL -eq 3 ] && [ ! -e unstuck ]; then\n\
        echo size: 5\n exec sleep 1000\nfi\necho size: $1\necho $1\n";
    let folder = Folder::new(&study("size = { at_least = 0.5 }", "trials = 8"), script);
    let mut run = folder.start(&["run", "study.toml", "--", "./train", "{x}"]);
    until("the fourth trial", || folder.lines("pids").len() == 4);
    signal("KILL", run.id());
    run.wait().unwrap();
    let before = folder.trials();
    folder.write("unstuck", "");
    let said = folder.train().exits(0);
    let trials = folder.trials();
    assert_eq!(trials[..3], before[..3], "{}", said.all());
    let complete: Vec<_> = trials.iter().filter(|trial| trial["state"] == "complete").collect();
    assert_eq!(complete.len(), 8, "{}", said.all());
    for trial in complete {
        assert_eq!(trial["measured"]["size"], trial["values"]["x"], "{trial}");
    }
    // What the killed trial printed was never told.
    assert!(trials[3]["measured"]["size"].is_null(), "{}", trials[3]);
}

#[test]
fn numbers_are_told_by_hand() {
    let limits = "size = { at_most = 3 }\naccuracy = { at_least = 0.9 }";
    let folder = Folder::new(&study(limits, "trials = 9"), TRAIN);
    for _ in 0..3 {
        folder.gittins(&["ask", "study.toml"]).exits(0);
    }
    let tell = |words: &[&str]| {
        let all = [&["tell", "study.toml"], words].concat();
        folder.gittins(&all)
    };
    for (words, message) in [
        (
            &["0", "1"][..],
            "trial 0: accuracy must be at least 0.9, and its number is missing: add --measured accuracy=NUMBER, or accuracy=nan",
        ),
        (
            &["0", "1", "--measured", "accuracy=1"],
            "trial 0: size must be at most 3, and its number",
        ),
        (
            &["0", "1", "--measured", "accuracy=1", "--measured", "size=1", "--measured", "sise=1"],
            "did you mean \"size\"?",
        ),
        (
            &["0", "1", "--measured", "size=1", "--measured", "size=2", "--measured", "accuracy=1"],
            "--measured size is there twice",
        ),
        (&["0", "1", "--measured", "size"], "expected NAME=NUMBER, got \"size\""),
        (&["0", "1", "--measured", "size=inf"], "size: expected a finite number, got \"inf\""),
        (&["0", "1", "--measured", "size=large"], "size: expected a number, got \"large\""),
    ] {
        let said = tell(words).exits(2);
        assert!(said.err.contains(message), "{words:?}: {}", said.all());
    }
    assert_eq!(folder.states(), ["pending"; 3]);
    let size = ["--measured", "size=2.5"];
    tell(&[&["0", "1"], &size[..], &["--measured", "accuracy=0.95"]].concat()).exits(0);
    tell(&[&["1", "-7"], &size[..], &["--measured", "accuracy=nan"]].concat()).exits(0);
    let fail = ["fail", "study.toml", "2", "--infeasible", "--measured", "size=4"];
    folder.gittins(&fail).exits(0);
    let trials = folder.trials();
    assert_eq!(trials[0]["measured"]["accuracy"], 0.95);
    assert_eq!((&trials[0]["holds"], &trials[1]["holds"]), (&true.into(), &false.into()));
    assert!(trials[1]["measured"]["accuracy"].is_null());
    assert_eq!((&trials[2]["measured"]["size"], &trials[2]["holds"]), (&4.0.into(), &false.into()));
    let best = || folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert_eq!(best()["best"]["trial"], 0);
    let text = folder.gittins(&["best", "study.toml"]).exits(0).out;
    assert!(
        text.contains("outcome 1, accuracy 0.95 (at least 0.9), size 2.5 (at most 3)"),
        "{text}"
    );
    // A second time is the mistake, and not that a number is missing.
    let said = tell(&["0", "1"]).exits(2);
    assert!(said.err.contains("it was told before"), "{}", said.all());
    // What is corrected keeps its numbers, unless they are corrected.
    tell(&["0", "2", "--correct"]).exits(0);
    assert_eq!(best()["best"]["outcome"], 2.0);
    tell(&[&["1", "-7", "--correct"], &size[..], &["--measured", "accuracy=0.9"]].concat())
        .exits(0);
    assert_eq!(best()["best"]["trial"], 1);
    // A study without limits takes none.
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 9"), TRAIN);
    folder.gittins(&["ask", "study.toml"]).exits(0);
    let said = folder.gittins(&["tell", "study.toml", "0", "1", "--measured", "size=1"]).exits(2);
    assert!(said.err.contains("the study has no limit on \"size\""), "{}", said.all());
}

#[test]
fn a_sheet_has_a_column_for_each_number() {
    let limits = "size = { at_most = 3 }\naccuracy = { at_least = 0.9 }";
    let folder = Folder::new(&study(limits, "trials = 9"), TRAIN);
    let sheet = "x,outcome,size,accuracy,state\n0.1,4,2.5,0.95,complete\n0.2,3,,nan,complete\n\
        0.3,2,1e-7,0.5,\n0.4,,4,,infeasible\n0.5,,,,failed\n";
    folder.write("sheet.csv", sheet);
    let import = |folder: &Folder| {
        folder.gittins(&["import", "study.toml", "sheet.csv", "--json"]).exits(0).json()
    };
    assert_eq!(import(&folder), serde_json::json!({ "imported": 5, "skipped": 0 }));
    assert_eq!(import(&folder), serde_json::json!({ "imported": 0, "skipped": 5 }));
    let trials = folder.trials();
    let numbers =
        |key: &str| trials.iter().map(|one| one["measured"][key].as_f64()).collect::<Vec<_>>();
    assert_eq!(numbers("size"), [Some(2.5), None, Some(1e-7), Some(4.0), None]);
    assert_eq!(numbers("accuracy"), [Some(0.95), None, Some(0.5), None, None]);
    let export = folder.gittins(&["export", "study.toml"]).exits(0).out;
    assert!(
        export.starts_with("trial,origin,state,x,outcome,accuracy,size,cost,why\n"),
        "{export}"
    );
    let all = folder.gittins(&["export", "study.toml", "--json"]).exits(0).json();
    assert_eq!(all["limits"]["size"]["at_most"], 3.0);
    // The same trials in another study, and nothing new in this one.
    let other = Folder::new(&study(limits, "trials = 9"), TRAIN);
    other.write("sheet.csv", &export);
    assert_eq!(import(&other), serde_json::json!({ "imported": 5, "skipped": 0 }));
    let without = |trials: Vec<serde_json::Value>| {
        trials.into_iter().map(|one| one["measured"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(without(other.trials()), without(trials));
    folder.write("sheet.csv", &export);
    assert_eq!(import(&folder), serde_json::json!({ "imported": 0, "skipped": 5 }));
    // Another number is another evaluation.
    folder.write("sheet.csv", &sheet.replace("2.5", "2.75"));
    assert_eq!(import(&folder), serde_json::json!({ "imported": 1, "skipped": 4 }));
    for (sheet, message) in [
        ("x,outcome,size\n0.1,1,2\n", "there is no column \"accuracy\" for the number that is"),
        (
            "x,outcome,size,accuracy\n0.1,1,large,2\n",
            "line 2: size: expected a number, got \"large\"",
        ),
        (
            "x,outcome,size,accuracy\n0.1,1,inf,2\n",
            "line 2: size: expected a finite number, got \"inf\"",
        ),
        (
            "x,outcome,size,accurcay\n0.1,1,2,2\n",
            "unknown column \"accurcay\"; did you mean \"accuracy\"?",
        ),
    ] {
        folder.write("sheet.csv", sheet);
        let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(2);
        assert!(said.err.contains(message), "{}", said.all());
    }
    let words = ["import", "study.toml", "sheet.csv", "--outcome", "size"];
    let said = folder.gittins(&words).exits(2);
    assert!(said.err.contains("the column \"size\" is that of a number"), "{}", said.all());
}

/// A bound may be moved: the numbers are there, and are judged by the new one.
#[test]
fn another_bound_is_another_limit_on_the_same_numbers() {
    let folder = Folder::new(&study("size = { at_least = 0.5 }", "trials = 8"), LINE);
    folder.train().exits(0);
    let held = |text: &str| {
        folder.write("study.toml", text);
        let json = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
        (json["limits"]["size"]["held"].as_u64().unwrap(), number(&json["best"]["outcome"]))
    };
    let (fewer, best) = held(&study("size = { at_least = 0.5 }", "trials = 8"));
    assert!(fewer < 8 && best >= 0.5);
    let (all, lower) = held(&study("size = { at_least = 0 }", "trials = 8"));
    assert!(all == 8 && lower < 0.5);
}
