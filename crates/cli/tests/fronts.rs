//! Studies with several objectives: numbers that a trial prints beside its outcome.

use serde_json::Value;

use crate::folder::{Folder, SQUARE, TRAIN, signal, until};

/// Two bowls: the front are the values between 0.3 and 0.8.
const LINE: &str = "awk -v x=$1 'BEGIN { print \"late: \" (x - 0.8)^2; print (x - 0.3)^2 }'\n";

const LATE: &str = "late = { reference = 0.5 }";

fn study(objectives: &str, rest: &str) -> String {
    format!("{SQUARE}[objectives]\n{objectives}\n[outcome]\nreference = 0.5\n{rest}\n")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn numbers(trials: &Value) -> Vec<u64> {
    trials.as_array().unwrap().iter().map(|one| one["trial"].as_u64().unwrap()).collect()
}

/// The trials that no other dominates, by what a sheet says of them: smaller is better in these
/// columns. The first of equals stays.
fn not_dominated(sheet: &str, columns: &[&str]) -> Vec<u64> {
    let mut lines = sheet.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let place = |name: &str| head.iter().position(|one| *one == name).unwrap();
    let complete = lines.filter(|cells| cells[place("state")] == "complete");
    let point = |cells: &[&str]| {
        columns.iter().map(|name| cells[place(name)].parse().unwrap()).collect::<Vec<f64>>()
    };
    let trials: Vec<(u64, Vec<f64>)> =
        complete.map(|cells| (cells[0].parse().unwrap(), point(&cells))).collect();
    let beats = |one: &(u64, Vec<f64>), other: &(u64, Vec<f64>)| {
        let pairs = || one.1.iter().zip(&other.1);
        pairs().all(|(a, b)| a <= b) && (one.0 < other.0 || pairs().any(|(a, b)| a < b))
    };
    let stands = |one: &&(u64, Vec<f64>)| !trials.iter().any(|other| beats(other, one));
    trials.iter().filter(stands).map(|one| one.0).collect()
}

/// The lines of trials that a run printed.
fn trial_lines(out: &str) -> Vec<&str> {
    out.lines().filter(|line| line.contains("  late ") && line.contains("  spent ")).collect()
}

#[test]
fn a_run_ends_with_the_front() {
    let text = format!("price = 1e-3\n{}", study(LATE, "[stop]\ntrials = 60"));
    let folder = Folder::new(&text, LINE);
    let said = folder.train().exits(0);
    assert!(said.out.contains("\nstop: the front has "), "{}", said.all());
    let sheet = folder.gittins(&["export", "study.toml"]).exits(0).out;
    assert!(sheet.starts_with("trial,origin,state,x,outcome,late,cost,why\n"), "{sheet}");
    let expected = not_dominated(&sheet, &["outcome", "late"]);
    assert!(expected.len() > 5, "{sheet}");

    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    let mut front = numbers(&best["front"]);
    front.sort_unstable();
    assert_eq!(front, expected, "{sheet}");
    let outcomes: Vec<f64> =
        best["front"].as_array().unwrap().iter().map(|one| number(&one["outcome"])).collect();
    assert!(outcomes.is_sorted(), "{best}");
    assert!(best["best"].is_null() && best["recommendation"].is_null(), "{best}");
    let late = &best["objectives"]["late"];
    assert_eq!((&late["direction"], &late["reference"]), (&"minimize".into(), &0.5.into()));
    assert_eq!(late["not_measured"], 0);
    assert!(best["verdict"].as_str().unwrap().starts_with("stop: the front has "), "{best}");

    // The table has a row for each of them, below its head, in the order of outcomes.
    let text = folder.gittins(&["best", "study.toml"]).exits(0).out;
    for table in [&text, &said.out] {
        let (_, rest) = table.split_once("front        trial").unwrap();
        let rows = rest.lines().skip(1).take_while(|line| line.starts_with("      "));
        let first = rows.map(|line| line.split_whitespace().next().unwrap().parse().unwrap());
        assert_eq!(first.collect::<Vec<u64>>(), numbers(&best["front"]), "{table}");
    }
    assert!(text.contains("\nverdict      stop: the front has "), "{text}");

    // Each line of a trial has the number and how many are on the front; the last one is as the
    // end.
    let lines = trial_lines(&said.out);
    assert_eq!(lines.len(), folder.trials().len(), "{}", said.all());
    assert!(lines[0].contains("  front 1  *"), "{}", lines[0]);
    assert!(lines.iter().any(|line| !line.contains('*')), "{}", said.all());
    let last = format!("  front {:<3}", front.len());
    assert!(lines.last().unwrap().contains(&last), "{last}: {}", said.all());

    let status = folder.gittins(&["status", "study.toml"]).exits(0).out;
    let counted = format!("\nfront        {} of {} complete trials\n", front.len(), lines.len());
    assert!(status.contains(&counted), "{counted}{status}");
    assert!(status.contains("\nverdict      stop: the front has "), "{status}");
    let status = folder.gittins(&["status", "study.toml", "--json"]).exits(0).json();
    assert_eq!(status["front"], best["front"]);
    assert!(status["stop"] == true, "{status}");

    folder.gittins(&["plot", "study.toml", "--svg", "pictures"]).exits(0);
    let picture = folder.read("pictures/front.svg");
    // A dot for each, and one in the legend; and words for every trial.
    assert_eq!(picture.matches("class=\"dot mark\"").count(), front.len() + 1);
    assert!(picture.contains("class=\"dot soft\"") && picture.contains(">dominated<"));
    assert_eq!(picture.matches("<title>").count(), lines.len());
    folder.gittins(&["plot", "study.toml"]).exits(0);
    let page = folder.read("study.html");
    let (_, table) = page.split_once("<table id=\"front\">").unwrap();
    assert_eq!(table.matches("<tr><td").count(), front.len());
    assert!(page.contains(&format!("<strong>{}</strong> trials are on the front", front.len())));
    let doctor = folder.gittins(&["doctor", "study.toml"]).exits(0).out;
    assert!(doctor.contains("objective late, minimized: from "), "{doctor}");
    // By the journal alone it is the same.
    let again = folder.gittins(&["best", "study.journal", "--json"]).exits(0).json();
    assert_eq!(again, best);
}

#[test]
fn a_front_may_have_three_objectives() {
    let script = "awk -v x=$1 'BEGIN { print \"late: \" (x - 0.8)^2; print \"heavy: \" x; \
        print (x - 0.3)^2 }'\n";
    let objectives = "late = {}\nheavy = { reference = 1 }";
    let folder = Folder::new(&study(objectives, "[stop]\ntrials = 12"), script);
    let said = folder.train().exits(0);
    assert!(!said.out.contains("\nrule"), "{}", said.all());
    let sheet = folder.gittins(&["export", "study.toml"]).exits(0).out;
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    let mut front = numbers(&best["front"]);
    front.sort_unstable();
    let expected = not_dominated(&sheet, &["outcome", "late", "heavy"]);
    assert_eq!(front, expected, "{sheet}");
    // Small values are light, and on no front of the first two.
    assert!(not_dominated(&sheet, &["outcome", "late"]).len() < front.len(), "{sheet}");
    assert!(best["objectives"]["late"]["reference"].is_null(), "{best}");
}

#[test]
fn a_trial_that_breaks_a_limit_is_on_no_front() {
    let script = format!("echo \"size: $1\"\n{LINE}");
    let rest = "[limits]\nsize = { at_least = 0.5 }\n[stop]\ntrials = 16";
    let folder = Folder::new(&study(LATE, rest), &script);
    let said = folder.train().exits(0);
    let marked = said.out.lines().filter(|line| line.contains(" (under 0.5)"));
    let marked: Vec<&str> = marked.collect();
    assert!(!marked.is_empty() && marked.iter().all(|line| !line.contains('*')), "{}", said.all());
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    let front = best["front"].as_array().unwrap();
    assert!(front.len() > 1, "{best}");
    for trial in front {
        assert!(number(&trial["measured"]["size"]) >= 0.5 && trial["holds"] == true, "{trial}");
    }
    folder.gittins(&["plot", "study.toml", "--svg", "pictures"]).exits(0);
    let picture = folder.read("pictures/front.svg");
    assert_eq!(picture.matches(", breaks a limit").count(), marked.len());
    // One is in the legend.
    assert!(picture.matches("class=\"ring soft\"").count() > 1, "{picture}");
    // With a bound that nothing holds there is no front, and that is said.
    folder.write("study.toml", &study(LATE, &rest.replace("0.5", "2.5")));
    let best = folder.gittins(&["best", "study.toml"]).exits(1).out;
    assert!(best.contains("front        none: no trial holds all limits\n"), "{best}");
    assert!(best.contains("\nlimit        size at least 2.5: never held"), "{best}");
}

#[test]
fn a_larger_number_may_be_better_and_stands_where_the_file_says() {
    let script =
        "awk -v x=$1 'BEGIN { printf \"{\\\"a\\\": {\\\"b\\\": %g}}\\n\", x; print x^2 }'\n";
    let objectives = "good = { direction = \"maximize\", key = \"a.b\", reference = 0 }";
    let folder = Folder::new(&study(objectives, "[stop]\ntrials = 8"), script);
    folder.train().exits(0);
    // Whatever is larger costs more: every trial is on the front.
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert_eq!(best["front"].as_array().unwrap().len(), 8, "{best}");
    for trial in folder.trials() {
        let (x, good) = (number(&trial["values"]["x"]), number(&trial["measured"]["good"]));
        // Six digits are printed, so the last one is off by half of it at most.
        assert!((x - good).abs() <= 5e-7, "{trial}");
        assert!(trial.get("holds").is_none(), "{trial}");
    }
    assert_eq!(best["objectives"]["good"]["direction"], "maximize");
}

#[test]
fn a_number_that_is_not_there_is_said_once_and_keeps_its_trial_off_the_front() {
    let script = format!("[ $GITTINS_TRIAL -ge 2 ] && exec echo $1\n{LINE}");
    let folder = Folder::new(&study(LATE, "[stop]\ntrials = 6"), &script);
    let said = folder.train().exits(0);
    let why = "late was not measured in trial 2, which is on no front then: no JSON line has the key \
        \"late\", and no line reads late: NUMBER";
    assert_eq!(said.out.matches("was not measured in trial").count(), 1, "{}", said.all());
    assert!(said.out.contains(why), "{}", said.all());
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert!(numbers(&best["front"]).iter().all(|trial| *trial < 2), "{best}");
    assert_eq!(best["objectives"]["late"]["not_measured"], 4);
    let doctor = folder.gittins(&["doctor", "study.toml"]).exits(0).out;
    assert!(doctor.contains("; not measured in 4 of 6"), "{doctor}");
}

#[test]
fn the_doctor_names_an_objective_that_says_nothing() {
    let folder = Folder::new(&study("latte = {}", "[stop]\ntrials = 50"), LINE);
    let said = folder.train().exits(1);
    assert!(said.out.contains("  latte was not measured: no JSON line"), "{}", said.all());
    assert!(
        said.out.contains("\nfront        none: no trial has all its numbers\n"),
        "{}",
        said.all()
    );
    folder.gittins(&["best", "study.toml"]).exits(1);
    let doctor = folder.gittins(&["doctor", "study.toml"]).exits(1).out;
    let never = "WRONG: latte, minimized: never measured in 5 complete trials";
    assert!(doctor.contains(never), "{doctor}");
    let script = "echo late: 3\necho $1\n";
    let folder = Folder::new(&study("late = {}", "[stop]\ntrials = 6"), script);
    folder.train().exits(0);
    let doctor = folder.gittins(&["doctor", "study.toml"]).exits(1).out;
    let constant =
        "WRONG: late, minimized: 3 in all 6 trials that measured it, so it changes nothing";
    assert!(doctor.contains(constant), "{doctor}");
}

#[test]
fn a_killed_run_keeps_its_numbers() {
    let script = format!(
        "echo $$ >> pids\nif [ $GITTINS_TRIAL -eq 3 ] && [ ! -e unstuck ]; then\n echo late: 5\n \
         exec sleep 1000\nfi\n{LINE}"
    );
    let folder = Folder::new(&study(LATE, "[stop]\ntrials = 8"), &script);
    let mut run = folder.start(&["run", "study.toml", "--", "./train", "{x}"]);
    until("the fourth trial", || folder.lines("pids").len() == 4);
    signal("KILL", run.id());
    run.wait().unwrap();
    let before = folder.trials();
    folder.write("unstuck", "");
    let said = folder.train().exits(0);
    let trials = folder.trials();
    assert_eq!(trials[..3], before[..3], "{}", said.all());
    let complete = trials.iter().filter(|trial| trial["state"] == "complete");
    assert_eq!(complete.clone().count(), 8, "{}", said.all());
    for trial in complete {
        assert!(number(&trial["measured"]["late"]) < 1.0, "{trial}");
    }
    // What the killed trial printed was never told.
    assert!(trials[3]["measured"]["late"].is_null(), "{}", trials[3]);
    let sheet = folder.gittins(&["export", "study.toml"]).exits(0).out;
    let last = *trial_lines(&said.out).last().unwrap();
    let count = not_dominated(&sheet, &["outcome", "late"]).len();
    assert!(last.contains(&format!("  front {count:<3}")), "{count}: {last}");
}

#[test]
fn numbers_are_told_by_hand_and_stand_in_a_sheet() {
    let rest = "[limits]\nsize = { at_most = 3 }\n[stop]\ntrials = 9";
    let folder = Folder::new(&study(LATE, rest), TRAIN);
    for _ in 0..2 {
        folder.gittins(&["ask", "study.toml"]).exits(0);
    }
    let size = ["tell", "study.toml", "0", "1", "--measured", "size=2"];
    let said = folder.gittins(&size).exits(2);
    let missing = "trial 0: late is an objective, and its number is missing: add --measured late=NUMBER, \
        or late=nan if it could not be measured";
    assert!(said.err.contains(missing), "{}", said.all());
    folder.gittins(&[&size[..], &["--measured", "late=0.25"]].concat()).exits(0);
    let second =
        ["tell", "study.toml", "1", "0.5", "--measured", "size=2", "--measured", "late=nan"];
    folder.gittins(&second).exits(0);
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert_eq!(numbers(&best["front"]), [0]);
    let export = folder.gittins(&["export", "study.toml"]).exits(0).out;
    assert!(export.starts_with("trial,origin,state,x,outcome,size,late,cost,why\n"), "{export}");
    let all = folder.gittins(&["export", "study.toml", "--json"]).exits(0).json();
    assert_eq!(all["objectives"]["late"]["reference"], 0.5);
    // The same trials in another study, once.
    let other = Folder::new(&study(LATE, rest), TRAIN);
    other.write("sheet.csv", &export);
    for (imported, skipped) in [(2, 0), (0, 2)] {
        let said = other.gittins(&["import", "study.toml", "sheet.csv", "--json"]).exits(0);
        assert_eq!(said.json(), serde_json::json!({ "imported": imported, "skipped": skipped }));
    }
    let measured = |folder: &Folder| {
        folder.trials().iter().map(|trial| trial["measured"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(measured(&other), measured(&folder));
    other.write("sheet.csv", "x,outcome,size\n0.1,1,2\n");
    let said = other.gittins(&["import", "study.toml", "sheet.csv"]).exits(2);
    assert!(said.err.contains("there is no column \"late\" for the number"), "{}", said.all());
}
