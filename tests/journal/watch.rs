//! A watched study in a file.

use std::sync::Arc;

use gittins::journal::Journal;
use gittins::study::{StudyBuilder, Why};
use gittins::{Ask, Cpu, Outcome, Space, Study};

use super::play::Place;

fn study() -> StudyBuilder {
    let space = Space::new().float("x", -1.0, 1.0).float("y", -1.0, 1.0);
    Study::minimize(space).backend(Arc::new(Cpu)).seed(5)
}

/// A bowl with a flat ground, where a study is stuck.
fn told(ask: &Ask) -> Outcome {
    let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
    Outcome::new(((x - 0.3).powi(2) + (y + 0.2).powi(2)).max(1e-4))
}

#[test]
fn a_file_that_is_opened_for_each_trial_has_the_turns_of_a_study_in_memory() {
    let place = Place::new("watch");
    let mut memory = study().build().unwrap();
    let mut turns = 0;
    for trial in 0..70 {
        let expected = memory.ask().unwrap();
        memory.tell(expected.id(), told(&expected)).unwrap();
        let mut journal = Journal::open(place.path(), study()).unwrap();
        let ask = journal.ask().unwrap();
        assert_eq!(ask.numbers(), expected.numbers(), "{trial}: {} {}", ask.why(), expected.why());
        journal.tell(ask.id(), told(&ask)).unwrap();
        turns += usize::from(
            matches!(ask.why(), Why::Suggested(suggestion) if suggestion.random_restart.is_some()),
        );
    }
    assert!(turns >= 2, "{turns}");
}
