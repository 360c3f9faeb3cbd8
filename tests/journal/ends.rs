//! What may stand at the end of a file, and between its lines, besides lines: blanks, and the zeros
//! that a file system leaves which lost power.

use std::fs;
use std::path::Path;

use gittins::journal::Journal;
use gittins::study::{Stages, StudyBuilder};
use gittins::{Acquisition, Outcome, Space, Study};
use serde_json::Value as Json;

use super::play::Place;

fn settings() -> StudyBuilder {
    Study::minimize(Space::new().float("x", 0.0, 1.0)).policy(Acquisition::gittins(1e-3)).initial(3)
}

/// Five complete trials.
fn sample(path: &Path) -> Vec<u8> {
    let mut journal = Journal::open(path, settings()).unwrap();
    for number in 0..5 {
        journal.import(&[f64::from(number) / 5.0], Outcome::new(1.0)).unwrap();
    }
    fs::read(path).unwrap()
}

/// The ends that a whole file may have, and places between its lines.
fn damaged(whole: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let zeros = [0; 300];
    let behind = |bytes: &[u8], more: &[u8]| [bytes, more].concat();
    let without = |count: usize| &whole[..whole.len() - count];
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let between = |middle: &[u8]| {
        let (first, rest) = lines.split_at(lines.len() - 2);
        [first.concat(), middle.to_vec(), rest.concat()].concat()
    };
    let joined = |middle: &[u8]| {
        let (last, first) = lines.split_last().unwrap();
        let first = first.concat();
        [&first[..first.len() - 1], middle, last].concat()
    };
    vec![
        ("a blank line", behind(whole, b"\n")),
        ("blank lines and blanks", behind(whole, b"\r\n  \n\t")),
        ("zeros", behind(whole, &zeros)),
        ("zeros and a line's end", behind(whole, &[&zeros[..], b"\n"].concat())),
        ("no line's end", without(1).to_vec()),
        ("zeros in place of the line's end", behind(without(1), &zeros)),
        ("zeros and then a line's end", behind(without(1), &[&zeros[..], b"\n"].concat())),
        ("a blank line between", between(b"\n")),
        ("blank lines between", between(b"\n \r\n\n")),
        ("zeros before a line", between(&zeros)),
        ("zeros on a line of their own", between(b"\0\0\n")),
        ("zeros in place of a line's end", joined(&zeros)),
        ("a zero in place of a line's end", joined(b"\0")),
        (
            "lines of Windows",
            String::from_utf8(whole.to_vec()).unwrap().replace('\n', "\r\n").into(),
        ),
        ("a mark of UTF-8", behind("\u{feff}".as_bytes(), whole)),
    ]
}

/// Checks that each line is JSON, as Optuna reads it.
fn is_whole(path: &Path, what: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "{what}");
    for line in text.trim_start_matches('\u{feff}').lines() {
        assert!(serde_json::from_str::<Json>(line).is_ok(), "{what}: {line:?}");
    }
}

#[test]
fn blanks_and_zeros_are_read_over_and_mended() {
    let place = Place::new("ends");
    let whole = sample(place.path());
    let mut reader = None;
    for (what, bytes) in damaged(&whole) {
        fs::write(place.path(), &bytes).unwrap();
        let mut journal = Journal::open(place.path(), settings())
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        // A last line without its end counts as soon as somebody writes.
        let is_open =
            !bytes.ends_with(b"\n") && !matches!(what, "zeros" | "blank lines and blanks");
        assert_eq!(journal.study().history().len(), 5 - usize::from(is_open), "{what}");
        assert!(fs::read(place.path()).unwrap() == bytes, "{what}: reading changes nothing");
        reader.replace(Journal::open(place.path(), settings()).unwrap());
        journal.import(&[0.9], Outcome::new(2.0)).unwrap();
        assert_eq!(journal.study().history().len(), 6, "{what}");
        is_whole(place.path(), what);
        // Another process that had the file open goes on as well.
        let reader = reader.as_mut().unwrap();
        reader.sync().unwrap_or_else(|error| panic!("{what}: {error}"));
        reader.import(&[0.95], Outcome::new(2.0)).unwrap();
        let again = Journal::open(place.path(), settings()).unwrap();
        assert_eq!(again.study().history().len(), 7, "{what}");
        assert_eq!(again.missing(), None, "{what}");
    }
}

/// An error names the line as an editor counts it.
#[test]
fn blank_lines_count_as_lines() {
    let place = Place::new("ends-lines");
    let whole = sample(place.path());
    let count = whole.split(|byte| *byte == b'\n').count() - 1;
    fs::write(place.path(), [&whole[..], b"\n  \nwhat is this\n"].concat()).unwrap();
    let error = Journal::open(place.path(), settings()).unwrap_err().to_string();
    assert!(error.contains(&format!("line {}:", count + 3)), "{error}");
    // Nothing but blanks is an empty file. Zeros alone may be anything.
    for (bytes, is_empty) in
        [(&b"\n \n"[..], true), (b"  ", true), (b"\0\0", false), (b"\0\n", false)]
    {
        fs::write(place.path(), bytes).unwrap();
        let opened = Journal::open(place.path(), settings());
        assert_eq!(opened.is_ok(), is_empty, "{bytes:?}");
        assert_eq!(fs::read(place.path()).unwrap() == bytes, !is_empty, "{bytes:?}");
    }
}

#[test]
fn the_files_of_trials_in_stages_are_mended_too() {
    let place = Place::new("ends-staged");
    let space = || Space::new().float("x", 0.0, 1.0);
    let staged = || Study::minimize(space()).stages(Stages::of(4.0).reports([2.0, 4.0])).initial(3);
    let mut journal = Journal::open(place.path(), staged()).unwrap();
    for _ in 0..3 {
        let ask = journal.ask().unwrap();
        journal.report(ask.id(), ask.until(), 1.0, 1.0).unwrap();
    }
    let runs = journal.study().history().len();
    drop(journal);
    let whole = fs::read(place.path()).unwrap();
    for (what, bytes) in damaged(&whole) {
        fs::write(place.path(), &bytes).unwrap();
        let mut journal =
            Journal::open(place.path(), staged()).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(journal.study().history().len(), runs, "{what}");
        let ask = journal.ask().unwrap();
        journal.report(ask.id(), ask.until(), 0.5, 1.0).unwrap();
        is_whole(place.path(), what);
        assert_eq!(Journal::open(place.path(), staged()).unwrap().missing(), None, "{what}");
    }
}
