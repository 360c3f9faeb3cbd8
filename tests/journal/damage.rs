//! Files that were cut, torn or changed.

use std::fs;
use std::sync::Arc;

use gittins::journal::Journal;
use gittins::study::{StudyBuilder, Why};
use gittins::{Acquisition, Cost, Cpu, ErrorKind, Outcome, Space, Study};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::play::{Place, Script, file, play};

fn settings() -> StudyBuilder {
    Study::minimize(Space::new().float("x", -1.0, 2.0).choice("kind", ["a", "b\"\\\n\u{1F600}"]))
        .cost(Cost::learned())
        .policy(Acquisition::gittins(1e-3))
        .initial(3)
        .backend(Arc::new(Cpu))
}

const SCRIPT: Script = Script { trials: 6, costs: true, accidents: false, verdicts: 2 };

fn sample() -> Vec<u8> {
    let place = Place::new("sample");
    drop(play(file(&place, settings()), SCRIPT, |_, player| player).unwrap());
    fs::read(place.path()).unwrap()
}

/// Wherever the file is cut, what stands in whole lines is there, and the study goes on.
#[test]
fn a_file_that_is_cut_anywhere_is_opened_and_goes_on() {
    let bytes = sample();
    let place = Place::new("cut");
    let whole =
        |cut: usize| bytes[..cut].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let mut asked = None;
    for cut in 0..=bytes.len() {
        fs::write(place.path(), &bytes[..cut]).unwrap();
        let mut journal = Journal::open(place.path(), settings())
            .unwrap_or_else(|error| panic!("cut after {cut} bytes: {error}"));
        let told = journal.study().history().iter().filter(|trial| trial.outcome.is_some()).count();
        let lines = String::from_utf8_lossy(&bytes[..whole(cut)]).into_owned();
        // A line that lacks nothing but its end counts as soon as somebody writes.
        let complete = lines.lines().filter(|line| line.contains("\"values\":[")).count();
        assert!(told == complete, "cut after {cut} bytes: {told} of {complete}");
        // The next write mends it. To ask takes long, so only once for each number of trials.
        let trials = journal.study().history().len();
        if asked == Some(trials) {
            journal
                .import(&[0.1.into(), gittins::Value::from("a")], Outcome::new(1.0).cost(2.0))
                .unwrap();
        } else {
            asked = Some(trials);
            let ask = journal.ask().unwrap();
            journal.tell(ask.id(), Outcome::new(0.5).cost(1.0)).unwrap();
        }
        let length = journal.study().history().len();
        drop(journal);
        let text = fs::read_to_string(place.path()).unwrap();
        assert!(text.ends_with('\n'), "cut after {cut} bytes");
        let lines: Result<Vec<serde_json::Value>, _> =
            text.lines().map(serde_json::from_str).collect();
        lines.unwrap_or_else(|error| panic!("cut after {cut} bytes: {error}"));
        let again = Journal::open(place.path(), settings()).unwrap();
        assert_eq!(again.study().history().len(), length, "cut after {cut} bytes");
    }
}

/// Another program went on writing behind a part of a line.
#[test]
fn what_was_written_behind_a_torn_line_is_read_and_the_file_is_mended() {
    let bytes = sample();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let place = Place::new("torn");
    for torn in 2..lines.len() {
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            if index == torn {
                text.push_str(&lines[1][..lines[1].len() / 2]);
            }
            text.push_str(line);
            text.push('\n');
        }
        fs::write(place.path(), &text).unwrap();
        let mut journal = Journal::open(place.path(), settings()).unwrap();
        assert_eq!(journal.study().history().len(), SCRIPT.trials);
        journal
            .import(&[0.1.into(), gittins::Value::from("a")], Outcome::new(1.0).cost(2.0))
            .unwrap();
        let mended = fs::read_to_string(place.path()).unwrap();
        assert!(mended.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
        assert!(mended.len() > text.len());
    }
}

/// Two deaths in a row, with nobody who wrote in between.
#[test]
fn what_two_deaths_left_behind_each_other_is_mended() {
    let bytes = sample();
    let begun = &bytes[..bytes.iter().position(|byte| *byte == b',').unwrap() + 4];
    let zeros = [0_u8; 3];
    let left: [Vec<u8>; 3] = [zeros.to_vec(), begun.to_vec(), [begun, &zeros].concat()];
    let place = Place::new("two-deaths");
    for (first, second) in left.iter().flat_map(|first| left.iter().map(move |next| (first, next)))
    {
        fs::write(place.path(), [&bytes[..], first, second].concat()).unwrap();
        let mut journal = Journal::open(place.path(), settings()).unwrap();
        journal
            .import(&[0.1.into(), gittins::Value::from("a")], Outcome::new(1.0).cost(2.0))
            .unwrap();
        assert_eq!(journal.study().history().len(), SCRIPT.trials + 1);
        assert!(fs::read(place.path()).unwrap().starts_with(&bytes));
        let again = Journal::open(place.path(), settings()).unwrap();
        assert_eq!(again.study().history().len(), SCRIPT.trials + 1);
    }
}

#[test]
fn a_file_that_is_no_journal_is_an_error_that_names_it_and_its_line() {
    let place = Place::new("foreign");
    let cases: [(&[u8], &str); 6] = [
        (b"alpha,beta\n1,2\n", "line 1"),
        (b"{\"name\": 1}\n", "line 1"),
        (b"[1, 2]\n{}\n", "line 1"),
        (b"\xff\xfe\x00\n", "line 1"),
        (b"{\"op_code\":0,\"worker_id\":\"w\",\"study_name\":\"a\",\"directions\":[1]}\nnonsense\n", "line 2"),
        (b"{\"op_code\":0,\"worker_id\":\"w\"}\n", "study_name"),
    ];
    for (bytes, named) in cases {
        fs::write(place.path(), bytes).unwrap();
        let error = Journal::open(place.path(), settings()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Data, "{error}");
        let path = place.path().display().to_string();
        assert!(error.to_string().contains(&path), "{error}");
        assert!(error.to_string().contains(named), "{error}");
        assert_eq!(fs::read(place.path()).unwrap(), bytes, "it is left alone");
    }
    let folder = std::env::temp_dir();
    assert_eq!(Journal::open(&folder, settings()).unwrap_err().kind(), ErrorKind::Storage);
    let nowhere = folder.join("nonexistent").join("a.log");
    let error = Journal::open(&nowhere, settings()).unwrap_err();
    assert!(error.to_string().contains("nonexistent"), "{error}");
    assert_eq!(
        Journal::resume(place.path().with_extension("none")).unwrap_err().kind(),
        ErrorKind::Storage
    );
}

#[test]
fn settings_that_contradict_the_file_are_errors() {
    let place = Place::new("settings");
    drop(play(file(&place, settings()), SCRIPT, |_, player| player).unwrap());
    let space = || Space::new().float("x", -1.0, 2.0);
    let error = |builder| Journal::open(place.path(), builder).unwrap_err();
    assert!(error(Study::minimize(space())).to_string().contains("kind"));
    let same = Space::new().float("x", -1.0, 2.0).choice("kind", ["a", "b\"\\\n\u{1F600}"]);
    let other = error(Study::maximize(same.clone()));
    assert!(other.to_string().contains("direction"), "{other}");
    // A price may change.
    let cheaper = Study::minimize(same).cost(Cost::learned()).policy(Acquisition::gittins(1e-5));
    let mut journal = Journal::open(place.path(), cheaper).unwrap();
    assert!(journal.verdict().is_ok());
    drop(journal);
    let resumed = Journal::resume(place.path()).unwrap();
    assert_eq!(resumed.study().history().len(), SCRIPT.trials);
}

/// Bytes are changed, taken out and put in, lines are doubled and swapped: the file is read or
/// refused. `survive --mutations` does the same a million times.
#[test]
fn a_file_that_was_changed_anywhere_is_read_or_refused() {
    let bytes = sample();
    let place = Place::new("changed");
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(1500) });
    let change = (0usize..4, any::<prop::sample::Index>(), any::<u8>(), 1usize..40);
    let changes = proptest::collection::vec(change, 1..6);
    let outcome = runner.run(&changes, |changes| {
        let mut bytes = bytes.clone();
        for (kind, place, byte, count) in changes {
            let at = place.index(bytes.len());
            let end = (at + count).min(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.drain(at..end)),
                2 => bytes.insert(at, byte),
                _ => {
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        fs::write(place.path(), &bytes).unwrap();
        match Journal::open(place.path(), settings()) {
            Ok(journal) => prop_assert!(journal.study().history().len() <= 16),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        Ok(())
    });
    outcome.unwrap();
}

/// A process may die between the lines of one telling. What it had written of the cost, or of a
/// cost that comes later, was taken for a part of the next telling.
#[test]
fn the_beginning_of_a_telling_does_not_speak_for_the_next() {
    let begun = [
        Outcome::new(1.0).cost(2.0),
        Outcome::new(1.0).cost_later(),
        Outcome::failed().cost(2.0),
        Outcome::infeasible().cost(2.0),
    ];
    let told = [
        Outcome::new(3.0).cost(4.0),
        Outcome::new(3.0).cost_later(),
        Outcome::failed(),
        Outcome::infeasible().cost(4.0),
    ];
    for (first, second) in
        begun.iter().flat_map(|first| told.iter().map(move |second| (first, second)))
    {
        let place = Place::new("begun");
        let mut journal = Journal::open(place.path(), settings()).unwrap();
        let ask = journal.ask().unwrap();
        let before = fs::read_to_string(place.path()).unwrap();
        journal.tell(ask.id(), first.clone()).unwrap();
        drop(journal);
        let whole = fs::read_to_string(place.path()).unwrap();
        let lines: Vec<&str> = whole[before.len()..].split_inclusive('\n').collect();
        for kept in 1..lines.len() {
            fs::write(place.path(), format!("{before}{}", lines[..kept].concat())).unwrap();
            let mut journal = Journal::open(place.path(), settings()).unwrap();
            journal.tell(ask.id(), second.clone()).unwrap();
            let again = Journal::open(place.path(), settings()).unwrap();
            let case = format!("{kept} lines of {first:?}, then {second:?}");
            assert_eq!(again.study().history(), journal.study().history(), "{case}");
            assert!(again.left_out().is_empty(), "{case}");
            assert_eq!(again.study().total_cost(), journal.study().total_cost(), "{case}");
        }
    }
}

/// A full disk takes lines back that another process has read. That process was stuck.
#[test]
fn a_file_that_became_shorter_is_said_once_and_then_read_again() {
    let place = Place::new("shorter");
    let mut writer = Journal::open(place.path(), settings()).unwrap();
    let ask = writer.ask().unwrap();
    let before = fs::metadata(place.path()).unwrap().len();
    writer.tell(ask.id(), Outcome::new(1.0).cost(2.0)).unwrap();
    let mut reader = Journal::open(place.path(), settings()).unwrap();
    drop(writer);
    let shorten = |length: u64| {
        fs::OpenOptions::new().write(true).open(place.path()).unwrap().set_len(length).unwrap();
    };
    shorten(before);
    let error = reader.sync().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
    reader.sync().unwrap();
    assert_eq!(reader.study().best(), None);
    reader.tell(ask.id(), Outcome::new(3.0).cost(2.0)).unwrap();
    let again = Journal::open(place.path(), settings()).unwrap();
    assert_eq!(again.study().best().unwrap().outcome, Some(3.0));
    // Without its study no call does anything, and none panics.
    shorten(0);
    assert_eq!(reader.sync().unwrap_err().kind(), ErrorKind::Storage);
    for error in [
        reader.ask().unwrap_err(),
        reader.tell(ask.id(), Outcome::failed()).unwrap_err(),
        reader.verdict().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Data, "{error}");
        assert!(error.to_string().contains(&place.path().display().to_string()), "{error}");
    }
    assert_eq!(fs::metadata(place.path()).unwrap().len(), 0);
}

/// Shorter, and then longer than before: the rest of a line is no line.
#[test]
fn a_file_that_changed_before_the_place_where_reading_goes_on_is_read_again() {
    let place = Place::new("changed-before");
    let mut writer = Journal::open(place.path(), settings()).unwrap();
    let ask = writer.ask().unwrap();
    let before = fs::read_to_string(place.path()).unwrap();
    writer.note(ask.id(), "host", "a").unwrap();
    let mut reader = Journal::open(place.path(), settings()).unwrap();
    drop(writer);
    fs::write(place.path(), before).unwrap();
    let mut writer = Journal::open(place.path(), settings()).unwrap();
    writer.note(ask.id(), "host", "a name that is longer").unwrap();
    writer.tell(ask.id(), Outcome::new(1.0).cost(2.0)).unwrap();
    assert_eq!(reader.sync().unwrap_err().kind(), ErrorKind::Storage);
    reader.sync().unwrap();
    assert_eq!(reader.study().history(), writer.study().history());
    assert_eq!(reader.notes(ask.id()), writer.notes(ask.id()));
}

/// A fit with other numbers than a fit can have is no reason to stop.
#[test]
fn a_fit_with_numbers_that_make_no_sense_is_not_gone_on_from() {
    let place = Place::new("nonsense");
    fs::write(place.path(), sample()).unwrap();
    // The last fit is one of all that was told.
    Journal::open(place.path(), settings()).unwrap().verdict().unwrap();
    let text = fs::read_to_string(place.path()).unwrap();
    for field in ["at", "searched", "found_on", "seen", "built"] {
        let named = format!("\"{field}\":");
        assert!(text.contains(&named), "{field}");
        for number in ["18446744073709551615,\"_\":", "9000", "0,\"_\":"] {
            fs::write(place.path(), text.replace(&named, &format!("{named}{number}"))).unwrap();
            let mut journal = Journal::open(place.path(), settings()).unwrap();
            let ask = journal.ask().unwrap();
            assert!(matches!(ask.why(), Why::Suggested(_)), "{field} {number}: {}", ask.why());
            journal.tell(ask.id(), Outcome::new(0.5).cost(1.0)).unwrap();
            journal.ask().unwrap();
        }
    }
}

/// Another machine may compute other last digits of a logarithmic parameter.
#[test]
fn a_trial_is_ours_if_its_values_differ_in_the_last_digits() {
    let place = Place::new("digits");
    let builder = || Study::minimize(Space::new().log_float("x", 1e-4, 1.0)).initial(3);
    let mut journal = Journal::open(place.path(), builder()).unwrap();
    let asks = [journal.ask().unwrap(), journal.ask().unwrap()];
    let expected = journal.study().history().to_vec();
    drop(journal);
    let text = fs::read_to_string(place.path()).unwrap();
    let mut lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in lines.iter_mut().filter(|line| line["op_code"] == 4) {
        let x = line["params"]["x"].as_f64().unwrap();
        line["params"]["x"] = x.next_up().next_up().into();
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(place.path(), text).unwrap();
    let mut journal = Journal::open(place.path(), builder()).unwrap();
    assert_eq!(journal.study().history(), expected);
    journal.tell(asks[1].id(), Outcome::new(1.0)).unwrap();
}
