//! Files of which a line is gone.

use std::fs;

use gittins::journal::Journal;
use gittins::study::Stages;
use gittins::{Acquisition, Outcome, Space, Study};

use super::play::Place;

fn sample(place: &Place) -> Vec<String> {
    let space = Space::new().float("x", 0.0, 1.0);
    let builder = Study::minimize(space).policy(Acquisition::gittins(1e-3)).initial(4);
    let mut journal = Journal::open(place.path(), builder).unwrap();
    for _ in 0..6 {
        let ask = journal.ask().unwrap();
        journal.tell(ask.id(), Outcome::new(ask.numbers()[0])).unwrap();
    }
    drop(journal);
    let text = fs::read_to_string(place.path()).unwrap();
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// Its trials had each other's outcomes, and nothing was said.
#[test]
fn a_line_that_is_gone_is_missed() {
    let place = Place::new("gone");
    let lines = sample(&place);
    assert_eq!(Journal::resume(place.path()).unwrap().missing(), None);
    for gone in 0..lines.len() {
        let rest = [&lines[..gone], &lines[gone + 1..]].concat();
        fs::write(place.path(), rest.concat()).unwrap();
        let said = match Journal::resume(place.path()) {
            Ok(journal) => journal.missing(),
            Err(error) => Some(error.to_string()),
        };
        let is_last = gone + 1 == lines.len();
        // What follows a line tells of it; the last telling is missed by its trial.
        assert_eq!(said.is_some(), !is_last, "line {}: {}{said:?}", gone + 1, lines[gone]);
        let Some(said) = said else { continue };
        assert!(said.contains("gone") && said.contains("put back a copy"), "{said}");
    }
}

#[test]
fn the_line_that_made_the_study_is_missed() {
    let place = Place::new("gone-first");
    let lines = sample(&place);
    for gone in 1..4 {
        let rest = lines[gone..].concat();
        fs::write(place.path(), &rest).unwrap();
        let builder = Study::minimize(Space::new().float("x", 0.0, 1.0));
        for error in [
            Journal::resume(place.path()).unwrap_err(),
            Journal::open(place.path(), builder).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.contains(" is of a study that no line makes"), "{error}");
        }
        // Nothing was written behind it.
        assert_eq!(fs::read_to_string(place.path()).unwrap(), rest);
    }
}

#[test]
fn a_line_of_runs_in_stages_that_is_gone_is_missed() {
    let place = Place::new("gone-staged");
    let stages = Stages::of(4.0).reports([2.0, 4.0]);
    let builder =
        || Study::minimize(Space::new().float("x", 0.0, 1.0)).stages(stages.clone()).initial(3);
    let mut journal = Journal::open(place.path(), builder()).unwrap();
    for _ in 0..6 {
        let ask = journal.ask().unwrap();
        journal.report(ask.id(), ask.until(), 1.0 / ask.until(), 1.0).unwrap();
    }
    assert_eq!(journal.missing(), None);
    drop(journal);
    let text = fs::read_to_string(place.path()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let made = lines.iter().position(|line| line.starts_with("{\"op_code\":4")).unwrap();
    for gone in [0, made] {
        let rest = [&lines[..gone], &lines[gone + 1..]].concat();
        fs::write(place.path(), rest.concat()).unwrap();
        let said = match Journal::open(place.path(), builder()) {
            Ok(journal) => journal.missing().unwrap(),
            Err(error) => error.to_string(),
        };
        assert!(said.contains("gone"), "line {}: {said}", gone + 1);
    }
}
