//! A disk that is full, and a file that may not be written. Both need a process of their own: the
//! ignored tests are what it runs.

use std::fs;
use std::path::PathBuf;
#[cfg(unix)]
use std::process::{Command, Output};

use gittins::journal::Journal;
use gittins::study::StudyBuilder;
use gittins::{ErrorKind, Outcome, Space, Study};

use super::play::Place;

const PATH: &str = "GITTINS_TEST_JOURNAL";

fn settings() -> StudyBuilder {
    Study::minimize(Space::new().float("x", 0.0, 1.0)).initial(500)
}

/// Runs an ignored test of this file in a shell that does something first.
#[cfg(unix)]
fn child(test: &str, place: &Place, first: &str) -> Output {
    let program = std::env::current_exe().unwrap();
    let run = format!("{first} \"$0\" --exact journal::limits::{test} --ignored --nocapture");
    let mut command = Command::new("bash");
    command.args(["-c", &run]).arg(program).env(PATH, place.path());
    command.output().unwrap()
}

/// The shell limits the size of files: a write beyond it is cut short, and the next one fails.
#[cfg(unix)]
#[test]
fn on_a_full_disk_nothing_told_is_lost() {
    let place = Place::new("full");
    drop(Journal::open(place.path(), settings()).unwrap());
    let output = child("until_the_disk_is_full", &place, "trap '' XFSZ; ulimit -f 24; exec");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let told = text.lines().filter(|line| line.starts_with("told ")).count();
    assert!(told > 5, "{text}");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    let best = journal.study().history().iter().filter(|trial| trial.outcome.is_some());
    assert_eq!(best.count(), told);
    let ask = journal.ask().unwrap();
    journal.tell(ask.id(), Outcome::new(-1.0)).unwrap();
    assert_eq!(journal.study().best().unwrap().id, ask.id());
}

#[test]
#[ignore = "a part of another test"]
fn until_the_disk_is_full() {
    let path = PathBuf::from(std::env::var_os(PATH).unwrap());
    let mut journal = Journal::open(&path, settings()).unwrap();
    let error = loop {
        let ask = match journal.ask() {
            Ok(ask) => ask,
            Err(error) => break error,
        };
        match journal.tell(ask.id(), Outcome::new(ask.numbers()[0])) {
            Ok(()) => println!("told {}", ask.id()),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    // The study is as it was, which is what the file has.
    let before = journal.study().history().to_vec();
    let again = Journal::open(&path, settings()).unwrap();
    assert_eq!(again.study().history(), before);
    journal.sync().unwrap();
    assert_eq!(journal.study().history(), before);
    assert!(fs::read_to_string(&path).unwrap().ends_with('\n'));
}

/// Nobody may write the file: it can be read and judged, and each write says why not.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new("readonly");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    let ask = journal.ask().unwrap();
    journal.tell(ask.id(), Outcome::new(0.5)).unwrap();
    drop(journal);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o444)).unwrap();
    // Root may write everything.
    let as_nobody = "[ $(id -u) -ne 0 ] && exec \"$0\" --exact journal::limits::read_only --ignored --nocapture; \
        command -v setpriv >/dev/null || exit 77; exec setpriv --reuid=65534 --clear-groups";
    let output = child("read_only", &place, as_nobody);
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    if output.status.code() == Some(77) || text.contains("Permission denied (os error 13)\n") {
        println!("skipped: a file that may not be written (nobody cannot run the test)");
        return;
    }
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "a part of another test"]
fn read_only() {
    let path = PathBuf::from(std::env::var_os(PATH).unwrap());
    let mut journal = Journal::open(&path, settings()).unwrap();
    assert_eq!(journal.study().best().unwrap().outcome, Some(0.5));
    assert!(!journal.verdict().unwrap().is_stop());
    assert!(journal.recommendation().unwrap().is_some());
    let errors = [
        journal.ask().map(|_| ()),
        journal.tell(0, Outcome::new(1.0)),
        journal.import(&[0.5], Outcome::new(1.0)).map(|_| ()),
    ];
    for error in errors.map(Result::unwrap_err) {
        assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}
