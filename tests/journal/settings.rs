//! What a file keeps of a study's settings.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use gittins::journal::Journal;
use gittins::stop::NamedRule;
use gittins::study::StudyBuilder;
use gittins::{Cost, Cpu, Outcome, Policy, Space, Study};

use super::play::Place;

/// A file without trials, by the settings below.
const WRITTEN: &str = include_str!("files/settings.log");

fn many_settings() -> StudyBuilder {
    let space = Space::new().log_float("rate", 1e-5, 1e-1).int("depth", 2, 12);
    Study::maximize(space.choice("net", ["a", "b"]))
        .cost(Cost::learned())
        .cost_floor(0.1)
        .cost_unit("s")
        .seed((1 << 63) + 5)
        .initial(4)
        .expected_trials(30)
        .time_limit(Duration::from_secs_f64(2.5))
        .overdue(7.0)
        .budget(200.0)
        .policy(Policy::gittins_decay(1e-3, 2.0))
}

/// What a line says, without who wrote it.
fn said(file: &str, line: usize) -> &str {
    file.lines().nth(line).unwrap().split_once("system_attr").unwrap().1
}

#[test]
fn settings_are_written_as_they_always_were() {
    let place = Place::new("written");
    drop(Journal::open(place.path(), many_settings().backend(Arc::new(Cpu))).unwrap());
    let text = fs::read_to_string(place.path()).unwrap();
    assert_eq!(said(&text, 1), said(WRITTEN, 1));
}

#[test]
fn a_rule_that_was_set_by_its_name_is_there_again() {
    let place = Place::new("named");
    let rule = NamedRule::All(vec![
        NamedRule::new("stall", &[("window", 3.0)]),
        NamedRule::new("trial_limit", &[("trials", 4.0), ("after", 2.0)]),
    ]);
    let settings = || {
        let space = Space::new().float("x", 0.0, 1.0);
        Study::minimize(space).initial(2).stop(rule.clone()).backend(Arc::new(Cpu))
    };
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    let mut study = settings().build().unwrap();
    for trial in 0..8 {
        let (ask, alone) = (journal.ask().unwrap(), study.ask().unwrap());
        assert_eq!(ask.values(), alone.values());
        let outcome = Outcome::new(f64::from(trial));
        journal.tell(ask.id(), outcome.clone()).unwrap();
        study.tell(alone.id(), outcome).unwrap();
        drop(journal);
        // What is resumed takes a device if there is one.
        journal = Journal::resume(place.path()).unwrap();
        assert_eq!(journal.verdict().unwrap(), study.verdict().unwrap(), "{trial}");
        drop(journal);
        journal = Journal::open(place.path(), settings()).unwrap();
    }
    let verdict = study.verdict().unwrap();
    assert!(verdict.is_stop() && verdict.reason().rule == "no new best", "{verdict:?}");
    // The same rule as code has a name in the file and no more.
    let place = Place::new("code");
    let code = settings().stop(rule.rule().unwrap());
    let mut journal = Journal::open(place.path(), code).unwrap();
    journal.import(&[0.5], Outcome::new(1.0)).unwrap();
    drop(journal);
    let error = Journal::resume(place.path()).unwrap().verdict().unwrap_err();
    assert!(error.to_string().contains("\"all of several\": open it with the rule"), "{error}");
}

#[test]
fn a_file_goes_on_with_the_next_setting_to_begin_with() {
    let place = Place::new("first");
    let begun = || {
        let space = Space::new().float("x", 0.0, 1.0);
        Study::minimize(space).first([("x", 0.25)]).first([("x", 0.5)])
    };
    let mut journal = Journal::open(place.path(), begun()).unwrap();
    let ask = journal.ask().unwrap();
    journal.tell(ask.id(), Outcome::new(1.0)).unwrap();
    drop(journal);
    let ask = Journal::resume(place.path()).unwrap().ask().unwrap();
    assert_eq!(ask.numbers(), [0.5]);
}
