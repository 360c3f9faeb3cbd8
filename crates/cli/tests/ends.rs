//! Trials and runs that end otherwise: too late, by a signal, or before they begin.

use std::os::unix::process::CommandExt;
use std::time::Instant;

use crate::folder::{Folder, SQUARE, Said, TRAIN, is_ignored, runs, signal, until};

#[test]
fn a_trial_beyond_its_time_ends_with_all_that_it_began() {
    // The second child does not end by itself.
    let script = "echo $$ >> pids\nsleep 1000 &\necho $! >> pids\n\
        sh -c 'trap \"\" TERM; while :; do sleep 0.1; done' &\necho $! >> pids\nwait\necho 1\n";
    let study = format!("time_limit = 0.4\ngrace = 0.3\n{SQUARE}[stop]\ntrials = 1\n")
        .replace("from = \"none\"", "from = \"wall_time\"");
    let folder = Folder::new(&study, script);
    let said = folder.train().exits(1);
    let trial = folder.trials().remove(0);
    assert_eq!(trial["why"], "longer than its limit of 0.4 s", "{}", said.all());
    // It was paid.
    assert!(trial["cost"].as_f64().unwrap() >= 0.4, "{trial}");
    let pids = folder.lines("pids");
    assert_eq!(pids.len(), 3);
    until("the end of all processes", || !pids.iter().any(|process| runs(process)));
}

#[test]
fn what_a_trial_leaves_running_ends_with_it() {
    let folder = Folder::new(
        &format!("grace = 0.2\n{SQUARE}[stop]\ntrials = 1\n"),
        "(trap '' TERM; sleep 1000) &\necho $! > pids\necho $1\n",
    );
    let said = folder.train().exits(0);
    assert_eq!(folder.states(), ["complete"], "{}", said.all());
    let pids = folder.lines("pids");
    until("the end of the process", || !runs(&pids[0]));
}

/// The second trial waits, and ends at a signal unless it ignores it.
fn waiting(more: &str) -> Folder {
    let script = format!(
        "{more}echo $$ >> pids\nwhile [ $GITTINS_TRIAL -gt 0 ] && [ ! -e free ]; do sleep 0.05; done\necho $1\n"
    );
    Folder::new(&format!("grace = 30\n{SQUARE}[stop]\ntrials = 4\n"), &script)
}

#[test]
fn an_interrupt_leaves_all_in_order() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        if is_ignored(number) {
            eprintln!("skipped: {name}, which this process ignores, and so does whoever it starts");
            continue;
        }
        let folder = waiting("");
        let run = folder.start(&["run", "study.toml", "--", "./train", "{x}"]);
        until("the second trial", || folder.lines("pids").len() == 2);
        signal(name, run.id());
        let said = Said::from(run.wait_with_output().unwrap()).exits(130);
        assert!(said.out.contains("interrupted"), "{}", said.all());
        assert!(said.out.contains("the same command goes on from here"), "{}", said.all());
        let pids = folder.lines("pids");
        assert!(!pids.iter().any(|process| runs(process)));
        assert_eq!(folder.states(), ["complete", "withdrawn"]);
        folder.write("free", "");
        folder.train().exits(0);
        let complete = folder.states().iter().filter(|state| *state == "complete").count();
        assert_eq!(complete, 4);
    }
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let folder = waiting("trap '' TERM\n");
    let run = folder.start(&["run", "study.toml", "--", "./train", "{x}"]);
    until("the second trial", || folder.lines("pids").len() == 2);
    let began = Instant::now();
    signal("TERM", run.id());
    // Two signals at once may come as one.
    std::thread::sleep(std::time::Duration::from_millis(500));
    signal("TERM", run.id());
    Said::from(run.wait_with_output().unwrap()).exits(130);
    // The grace is 30 seconds.
    assert!(began.elapsed().as_secs() < 20);
    let pids = folder.lines("pids");
    until("the end of the trial", || !runs(&pids[1]));
    // The trial is given up by the next run.
    folder.write("free", "");
    folder.train().exits(0);
    assert_eq!(folder.states().iter().filter(|state| *state == "complete").count(), 4);
}

#[test]
fn a_run_that_is_to_survive_a_hangup_does() {
    // Without /proc nobody knows that it is to.
    if !std::path::Path::new("/proc/self/status").exists() {
        return eprintln!("skipped: this machine has no /proc");
    }
    let folder = waiting("");
    let mut shell = std::process::Command::new("sh");
    let program = env!("CARGO_BIN_EXE_gittins");
    shell.args(["-c", &format!("trap '' HUP; exec {program} run study.toml -- ./train {{x}}")]);
    let mut run = shell.current_dir(folder.path("")).spawn().unwrap();
    until("the second trial", || folder.lines("pids").len() == 2);
    signal("HUP", run.id());
    folder.write("free", "");
    assert!(run.wait().unwrap().success());
    assert_eq!(folder.states(), ["complete"; 4]);
}

#[test]
fn points_that_are_not_allowed_are_no_failures() {
    let study =
        format!("{SQUARE}[stop]\ntrials = 4\nfailures = 2\n[outcome]\ninfeasible_exit_code = 9\n");
    let folder = Folder::new(&study, "exit 9\n");
    folder.train().exits(0);
    assert_eq!(folder.states(), ["infeasible"; 4]);
}

#[test]
fn a_study_whose_space_was_changed_does_not_go_on() {
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 2\n"), TRAIN);
    folder.train().exits(0);
    let wider = SQUARE.replace("high = 1", "high = 2");
    folder.write("study.toml", &format!("{wider}[stop]\ntrials = 4\n"));
    let said = folder.train().exits(2);
    assert!(said.err.contains("study.journal: ") && said.err.contains('x'), "{}", said.all());
    // Another policy, price or limit may be taken at any time.
    folder.write("study.toml", &format!("price = 1e-9\n{SQUARE}[stop]\ntrials = 4\n"));
    folder.train().exits(0);
    assert_eq!(folder.states(), ["complete"; 4]);
}

#[test]
fn what_fails_from_the_start_ends_the_run() {
    let folder = Folder::new(
        &format!("{SQUARE}[stop]\ntrials = 50\nfailures = 3\n"),
        "echo 'No module named torch' >&2; exit 1\n",
    );
    let said = folder.train().exits(1);
    assert!(said.out.contains("the first 3 trials all failed"), "{}", said.all());
    assert!(said.out.contains("No module named torch"), "{}", said.all());
    assert_eq!(folder.states(), ["failed"; 3]);
    // Once it is mended the same command goes on.
    folder.script("train", TRAIN);
    folder.write("study.toml", &format!("{SQUARE}[stop]\ntrials = 5\nfailures = 3\n"));
    folder.train().exits(0);
    assert_eq!(folder.states(), ["failed", "failed", "failed", "complete", "complete"]);
}

#[test]
fn a_program_that_is_not_there_is_an_error_and_no_trial() {
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 5\n"), TRAIN);
    let said = folder.gittins(&["run", "study.toml", "--", "./tarin", "{x}"]).exits(2);
    assert!(said.err.contains("cannot start \"./tarin\": No such file"), "{}", said.all());
    assert_eq!(folder.states(), ["withdrawn"]);
    let json = folder.gittins(&["run", "study.toml", "--json", "--", "./tarin", "{x}"]).exits(2);
    assert!(json.json()["error"].as_str().unwrap().contains("./tarin"));
}

#[test]
fn a_journal_that_cannot_be_written_is_an_error() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 2\n"), TRAIN);
    folder.train().exits(0);
    folder.write("study.toml", &format!("{SQUARE}[stop]\ntrials = 5\n"));
    let readable = |name: &str, mode: u32| {
        fs::set_permissions(folder.path(name), Permissions::from_mode(mode)).unwrap();
    };
    readable("study.journal", 0o444);
    readable("", 0o555);
    // Whoever may do everything writes all the same, so it is done as somebody else. He has to find
    // the program.
    let program = tempfile::TempDir::new().unwrap();
    fs::set_permissions(program.path(), Permissions::from_mode(0o755)).unwrap();
    let copy = program.path().join("gittins");
    // A process of its own copies it. What this one has open for writing, a process that another
    // test starts at this moment has open too, and then the system calls the program busy.
    let source = env!("CARGO_BIN_EXE_gittins");
    let copied = std::process::Command::new("cp").arg(source).arg(&copy).status().unwrap();
    assert!(copied.success());
    let by_other = |words: &[&str]| -> Said {
        let mut command = std::process::Command::new(&copy);
        command.args(words).current_dir(folder.path(""));
        if fs::OpenOptions::new().append(true).open(folder.path("study.journal")).is_ok() {
            command.uid(65534).gid(65534);
        }
        command.output().unwrap().into()
    };
    let said = by_other(&["run", "study.toml", "--", "./train", "{x}"]).exits(2);
    assert!(said.err.contains("study.journal"), "{}", said.all());
    // To read it is possible.
    let said = by_other(&["best", "study.toml"]).exits(0);
    assert!(said.out.contains("recommended"), "{}", said.all());
    let said = by_other(&["status", "study.toml"]).exits(0);
    assert!(said.out.contains("2 complete"), "{}", said.all());
    readable("", 0o755);
}

#[test]
fn a_lock_that_a_killed_process_left_is_spoken_of_and_taken_over() {
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 2\n"), TRAIN);
    folder.train().exits(0);
    std::os::unix::fs::symlink("study.journal", folder.path("study.journal.lock")).unwrap();
    until("the lock to be old", || folder.gittins(&["doctor", "study.toml"]).code == Some(1));
    let doctor = folder.gittins(&["doctor", "study.toml"]);
    assert!(doctor.out.contains("study.journal.lock is there since"), "{}", doctor.all());
    folder.write("study.toml", &format!("{SQUARE}[stop]\ntrials = 3\n"));
    let said = folder.train().exits(0);
    assert!(said.out.contains("it is taken over when it is 30 s old"), "{}", said.all());
    assert_eq!(folder.states(), ["complete"; 3]);
}

#[test]
fn a_file_that_is_no_journal_is_an_error_and_stays() {
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 2\n"), TRAIN);
    folder.write("study.journal", "something else\n");
    let said = folder.train().exits(2);
    assert!(said.err.contains("study.journal"), "{}", said.all());
    assert_eq!(folder.read("study.journal"), "something else\n");
}

/// What was made elsewhere says nothing of the command.
#[test]
fn imported_evaluations_do_not_excuse_a_command_that_always_fails() {
    let folder = Folder::new(
        &format!("{SQUARE}[stop]\ntrials = 50\nfailures = 3\n"),
        "echo 'No module named torch' >&2; exit 1\n",
    );
    folder.write("known.csv", "x,outcome\n0.1,0.04\n0.9,0.36\n");
    folder.gittins(&["import", "study.toml", "known.csv"]).exits(0);
    let said = folder.train().exits(1);
    assert!(said.out.contains("3 trials all failed"), "{}", said.all());
    assert_eq!(folder.states().iter().filter(|state| *state == "failed").count(), 3);
}
