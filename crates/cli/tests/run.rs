//! Runs from their beginning to their end, killed in between or not, alone or together.

use std::collections::BTreeSet;

use crate::folder::{Folder, SQUARE, TRAIN, runs, signal, until};

#[test]
fn a_run_ends_by_itself_and_begins_no_more() {
    let folder = Folder::new(&format!("price = 1e-4\n{SQUARE}[stop]\ntrials = 100"), TRAIN);
    let said = folder.train().exits(0);
    assert!(said.out.contains("\nstop: best "), "{}", said.all());
    assert!(said.out.contains("study: begins in study.journal"), "{}", said.all());
    let trials = folder.trials();
    assert!((4..100).contains(&trials.len()), "{}", said.all());
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert!((best["best"]["values"]["x"].as_f64().unwrap() - 0.3).abs() < 0.05, "{best}");
    // Whoever starts it again makes no trial.
    let again = folder.train().exits(0);
    assert!(
        again.out.contains(&format!("goes on after {} trials", trials.len())),
        "{}",
        again.all()
    );
    assert_eq!(folder.trials(), trials);
}

#[test]
fn each_limit_ends_a_run() {
    for (limit, name, count) in [
        ("trials = 3", "trials", 3..4),
        ("cost = 4", "cost", 4..5),
        ("target = 0.045", "target", 1..2),
        ("stall = 1\ntrials = 99", "verdict", 4..99),
    ] {
        let folder = Folder::new(&format!("{SQUARE}[stop]\n{limit}"), TRAIN);
        let said =
            folder.gittins(&["run", "study.toml", "--json", "--", "./train", "{x}"]).exits(0);
        assert_eq!(said.json()["ended"], name, "{limit}: {}", said.all());
        assert!(count.contains(&folder.trials().len()), "{limit}: {}", said.all());
    }
}

#[test]
fn a_budget_is_spent_or_saved() {
    let folder =
        Folder::new(&format!("budget = 5\n{SQUARE}"), "echo $((GITTINS_TRIAL * 617 % 1000))\n");
    let said = folder.train().exits(0);
    assert!(said.out.contains("\nstop: the budget of 5 is spent"), "{}", said.all());
    assert_eq!(folder.trials().len(), 5);
    // A study that is done says what it saved.
    let folder = Folder::new(&format!("budget = 90\n{SQUARE}"), TRAIN);
    let said = folder.train().exits(0);
    assert!(said.out.contains("\nstop: done early, "), "{}", said.all());
    assert!(said.out.contains(" of the budget of 90 are saved"), "{}", said.all());
    assert!(folder.trials().len() < 60, "{}", said.all());
}

#[test]
fn a_table_of_settings_ends_when_each_was_tried() {
    let study = "direction = \"maximize\"\nprice = 1e-9\n[parameters.x]\ntype = \"choice\"\nnames = [\"1\", \"2\", \"3\"]\n[cost]\nfrom = \"none\"\n[stop]\ntrials = 50";
    let folder = Folder::new(study, "echo $1\n");
    let said = folder.train().exits(0);
    let tried: BTreeSet<String> =
        folder.trials().iter().map(|trial| trial["values"]["x"].to_string()).collect();
    assert_eq!(tried.len(), 3, "{}", said.all());
}

#[test]
fn more_workers_than_settings_try_each_setting_once() {
    let grid = "direction = \"minimize\"\nprice = 1e-9\nworkers = 8\n[parameters.a]\ntype = \"int\"\nlow = 1\nhigh = 2\n[parameters.b]\ntype = \"choice\"\nnames = [\"only\"]\n[parameters.c]\ntype = \"flag\"\n[cost]\nfrom = \"none\"\n";
    let folder = Folder::new(grid, "sleep 0.2\necho $1 $2 $3 >> made\necho $1\n");
    let words = ["run", "study.toml", "--", "./train", "{a}", "{b}", "{c}"];
    let said = folder.gittins(&words).exits(0);
    let mut made = folder.lines("made");
    made.sort();
    let all = ["1 only false", "1 only true", "2 only false", "2 only true"];
    assert_eq!(made, all, "{}", said.all());
}

#[test]
fn what_would_never_end_is_not_begun() {
    let folder = Folder::new(SQUARE, TRAIN);
    let said = folder.train().exits(2);
    assert!(said.err.contains("nothing would ever end this run"), "{}", said.all());
    assert!(!folder.path("study.journal").exists());
}

/// The first two trials are quick. The third begins a process that outlives everything but a kill.
const STUCK: &str = "echo $$ >> pids\nif [ $GITTINS_TRIAL -eq 2 ] && [ ! -e unstuck ]; then\n\
    sleep 1000 &\n echo $! >> pids\n wait\nfi\necho $1\n";

#[test]
fn a_killed_run_goes_on_and_gives_up_what_it_left() {
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 6"), STUCK);
    let mut run = folder.start(&["run", "study.toml", "--", "./train", "{x}"]);
    until("the third trial", || folder.lines("pids").len() == 4);
    signal("KILL", run.id());
    run.wait().unwrap();
    assert_eq!(folder.states(), ["complete", "complete", "pending"]);
    let status = folder.gittins(&["status", "study.toml"]).exits(0);
    assert!(status.out.contains("its run is gone"), "{}", status.all());
    let doctor = folder.gittins(&["doctor", "study.toml"]).exits(1);
    assert!(doctor.out.contains("WRONG: 2 is waited for"), "{}", doctor.all());

    folder.write("unstuck", "");
    let said = folder.train().exits(0);
    assert!(
        said.out.contains("given up, because the run that made them is gone: trial 2"),
        "{}",
        said.all()
    );
    let states = folder.states();
    assert_eq!(states.iter().filter(|state| *state == "withdrawn").count(), 1);
    assert_eq!(states.iter().filter(|state| *state == "complete").count(), 6);
    // What the killed run had left running is gone, too: where the machine tells when it began.
    if std::path::Path::new("/proc/self/stat").exists() {
        let pids = folder.lines("pids");
        until("the end of the orphans", || !runs(&pids[2]) && !runs(&pids[3]));
    }
}

#[test]
fn a_trial_of_a_run_that_lives_is_not_given_up() {
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 3"), STUCK);
    let mut run = folder.start(&["run", "study.toml", "--", "./train", "{x}"]);
    until("the third trial", || folder.lines("pids").len() == 4);
    let status = folder.gittins(&["status", "study.toml"]).exits(0);
    assert!(status.out.contains("running      trial 2, for "), "{}", status.all());
    // Another run has nothing to do, and leaves it alone.
    folder.train().exits(0);
    assert_eq!(folder.states(), ["complete", "complete", "pending"]);
    signal("TERM", run.id());
    run.wait().unwrap();
}

/// A trial that was begun before says so.
const ONCE: &str = "mkdir seen/$GITTINS_TRIAL || echo $GITTINS_TRIAL >> twice\n\
    echo $GITTINS_TRIAL >> made\nsleep 0.05\necho $1\n";

#[test]
fn several_workers_and_runs_make_each_trial_once() {
    let folder = Folder::new(&format!("workers = 4\n{SQUARE}[stop]\ntrials = 24"), ONCE);
    std::fs::create_dir(folder.path("seen")).unwrap();
    let words = ["run", "study.toml", "--json", "--", "./train", "{x}"];
    let runs = [folder.start(&words), folder.start(&words)];
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(folder.lines("twice").is_empty());
    let made = folder.lines("made");
    let states = folder.states();
    assert!(states.iter().all(|state| state == "complete"), "{states:?}");
    // Two runs that look at the same time may both begin the last trials.
    assert!((24..32).contains(&states.len()), "{}", states.len());
    assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), states.len());
    assert_eq!(made.len(), states.len());
}

#[test]
fn several_workers_run_at_once() {
    // Each trial waits until four are there.
    let script = "touch here.$GITTINS_TRIAL worker.$GITTINS_WORKER\nwhile [ $(ls here.* | wc -l) -lt 4 ]; do sleep 0.02; done\necho $1\n";
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 4"), script);
    folder.gittins(&["run", "study.toml", "--workers", "4", "--", "./train", "{x}"]).exits(0);
    assert_eq!(folder.states(), ["complete"; 4]);
    assert!((0..4).all(|worker| folder.path(&format!("worker.{worker}")).exists()));
}

#[test]
fn workers_that_are_free_begin_nothing_that_is_not_worth_its_price() {
    // Trials from the sixth on wait. Two of them are worth their price beside each other, and a
    // third is not.
    let script = "echo $GITTINS_TRIAL >> made\n\
        while [ $GITTINS_TRIAL -ge 6 ] && [ ! -e free ]; do sleep 0.02; done\n\
        awk -v x=\"$1\" 'BEGIN { print (x - 0.3)^2 + 0.3 * sin(9 * x) }'\n";
    let study = |limit: usize| format!("price = 3e-3\n{SQUARE}[stop]\ntrials = {limit}\n");
    let folder = Folder::new(&study(6), script);
    folder.train().exits(0);
    folder.write("study.toml", &study(60));
    let run = folder.start(&["run", "study.toml", "--workers", "4", "--", "./train", "{x}"]);
    until("the trials that are worth it", || folder.lines("made").len() >= 8);
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert_eq!(folder.lines("made").len(), 8);
    folder.write("free", "");
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("stop: best "), "{said}");
    assert!(folder.states().iter().all(|state| state == "complete"));
}

#[test]
fn a_reader_that_goes_away_does_not_end_a_run() {
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 3"), TRAIN);
    let mut run = folder.start(&["run", "study.toml", "--", "./train", "{x}"]);
    drop(run.stdout.take());
    run.wait().unwrap();
    assert_eq!(folder.states(), ["complete"; 3]);
}

#[test]
fn what_somebody_else_tells_of_a_trial_under_way_stands() {
    // Trials 1, 2 and 3 wait until somebody told, failed and gave up one each.
    let script = "touch here.$GITTINS_TRIAL\n\
        while [ $GITTINS_TRIAL -gt 0 ] && [ ! -e free ]; do sleep 0.02; done\n\
        [ $GITTINS_TRIAL -ne 3 ] && echo $1\n";
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 6\n"), script);
    let run = folder.start(&["run", "study.toml", "--workers", "3", "--", "./train", "{x}"]);
    until("the fourth trial", || folder.path("here.3").exists());
    folder.gittins(&["tell", "study.toml", "1", "-7"]).exits(0);
    folder.gittins(&["fail", "study.toml", "2"]).exits(0);
    folder.gittins(&["withdraw", "study.toml", "3"]).exits(0);
    folder.write("free", "");
    let said = crate::folder::Said::from(run.wait_with_output().unwrap()).exits(0);
    assert_eq!(said.out.matches("was told by somebody else").count(), 2, "{}", said.all());
    let trials = folder.trials();
    assert_eq!(trials[1]["outcome"], -7.0);
    // The result of the one that was given up came all the same, and failed.
    let states = folder.states();
    assert_eq!(states[1..4], ["complete", "failed", "failed"]);
}
