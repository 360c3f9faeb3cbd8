//! Limits on measured numbers in a file: what was measured is kept, read of others, and judged anew.

use std::fs;
use std::sync::Arc;

use gittins::journal::Journal;
use gittins::study::{Limit, StudyBuilder};
use gittins::{Cost, Cpu, ErrorKind, Outcome, Policy, Space, Study, Trial};
use serde_json::{Value as Json, json};

use super::play::Place;

fn plain() -> StudyBuilder {
    Study::minimize(Space::new().float("x", 0.0, 2.0).float("y", 0.0, 2.0))
        .initial(3)
        .backend(Arc::new(Cpu))
}

fn settings() -> StudyBuilder {
    plain().limit("sum", Limit::at_least(1.2)).limit("size", Limit::at_most(3.0))
}

fn outcome(x: f64, y: f64) -> Outcome {
    Outcome::new(x * x + y * y).measured("sum", x + y).measured("size", 2.0 * x)
}

fn run(journal: &mut Journal, trials: usize) {
    for _ in 0..trials {
        let ask = journal.ask().unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        journal.tell(ask.id(), outcome(x, y)).unwrap();
    }
}

/// What is there to compare of trials with numbers that are none.
fn written(history: &[Trial]) -> String {
    serde_json::to_string(history).unwrap()
}

fn lines(place: &Place) -> Vec<Json> {
    let text = fs::read_to_string(place.path()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What is said of trials under a key of their system attributes.
fn said(place: &Place, key: &str) -> Vec<Json> {
    let attrs = |line: &Json| {
        let alone = line["system_attr"].get(key).or(line["system_attrs"].get(key)).cloned();
        alone.into_iter().collect::<Vec<_>>()
    };
    lines(place).iter().flat_map(attrs).collect()
}

#[test]
fn numbers_survive_reopening_and_the_study_goes_on_to_the_bit() {
    let place = Place::new("limited");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    let mut alone = settings().build().unwrap();
    run(&mut journal, 7);
    let ask = journal.ask().unwrap();
    let told = Outcome::new(0.1).measured("sum", f64::NAN).measured("size", 1.0);
    journal.tell(ask.id(), told.clone()).unwrap();
    journal.tell(ask.id(), told.clone()).unwrap_err();
    let values = ["0.25", "1.5"].map(|text| text.parse::<f64>().unwrap());
    journal.import(&values, outcome(0.25, 1.5)).unwrap();
    journal.correct(0, outcome(2.0, 0.5)).unwrap();
    for _ in 0..7 {
        let ask = alone.ask().unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        alone.tell(ask.id(), outcome(x, y)).unwrap();
    }
    let ask = alone.ask().unwrap();
    alone.tell(ask.id(), told).unwrap();
    alone.import(&values, outcome(0.25, 1.5)).unwrap();
    alone.correct(0, outcome(2.0, 0.5)).unwrap();
    let expected = written(alone.history());
    assert_eq!(written(journal.study().history()), expected);
    drop(journal);
    // The limits are in the file.
    let mut again = Journal::resume(place.path()).unwrap();
    assert_eq!(written(again.study().history()), expected);
    let limits: Vec<_> = again.study().limits().collect();
    assert_eq!(limits, [("size", Limit::at_most(3.0)), ("sum", Limit::at_least(1.2))]);
    assert_eq!(again.study().best(), alone.best());
    for _ in 0..2 {
        let (ask, other) = (again.ask().unwrap(), alone.ask().unwrap());
        assert_eq!(ask, other);
        again.tell(ask.id(), outcome(ask.numbers()[0], ask.numbers()[1])).unwrap();
        alone.tell(ask.id(), outcome(ask.numbers()[0], ask.numbers()[1])).unwrap();
    }
    assert_eq!(again.verdict().unwrap(), alone.verdict().unwrap());
}

/// Optuna and its samplers write a trial with attributes of the user's.
#[test]
fn a_trial_of_another_program_has_its_numbers_in_user_attributes() {
    let place = Place::new("attributes");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    run(&mut journal, 1);
    let params =
        lines(&place).iter().find(|line| line["op_code"] == 4).unwrap()["distributions"].clone();
    let add = |attrs: Json| {
        let line = json!({
            "op_code": 4, "worker_id": "another", "study_id": 0, "datetime_start": "2026-01-02T03:04:05",
            "datetime_complete": "2026-01-02T03:04:06", "state": 1, "value": 0.5, "values": null,
            "params": {"x": 0.5, "y": 1.0}, "distributions": params, "user_attrs": attrs,
            "system_attrs": {}, "intermediate_values": {},
        });
        let text = fs::read_to_string(place.path()).unwrap();
        fs::write(place.path(), format!("{text}{line}\n")).unwrap();
    };
    add(json!({"sum": 1.5, "size": 1.0, "other": 3.0}));
    add(json!({"sum": 1.5, "size": "large"}));
    add(json!({"sum": 1.5}));
    journal.sync().unwrap();
    assert!(journal.left_out().is_empty(), "{:?}", journal.left_out());
    let history = journal.study().history();
    assert_eq!(history.len(), 4);
    let numbers = |trial: &Trial| ["sum", "size"].map(|name| trial.measured.get(name).unwrap());
    assert_eq!(numbers(&history[1]), [1.5, 1.0]);
    assert_eq!(history[1].measured.get("other"), None);
    // What is no number, or is not there, was not measured, and holds nothing.
    for trial in &history[2..] {
        assert_eq!(numbers(trial)[0], 1.5);
        assert!(numbers(trial)[1].is_nan());
    }
    let holds = |trial: &Trial| {
        trial.measured.get("sum") >= Some(1.2) && trial.measured.get("size") <= Some(3.0)
    };
    let best = history.iter().filter(|trial| holds(trial)).filter_map(|trial| trial.outcome);
    assert_eq!(journal.study().best().unwrap().outcome, best.reduce(f64::min));
    journal.ask().unwrap();
}

/// A process may die between the lines of one telling: what it had written of measured numbers is
/// none of the next.
#[test]
fn the_beginning_of_a_telling_does_not_speak_for_the_next() {
    let settings = || settings().cost(Cost::learned());
    // No closure: two calls of one with equal arguments are miscompiled by rustc 1.95 where it
    // optimizes (rust-lang/rust#155241).
    fn both(outcome: Outcome) -> Outcome {
        outcome.measured("sum", 1.5).measured("size", 2.0)
    }
    let begun = [
        both(Outcome::new(1.0)).cost(2.0),
        both(Outcome::new(1.0)).cost_later(),
        Outcome::infeasible().measured("size", 9.0).cost(2.0),
        Outcome::new(1.0).measured("sum", f64::NAN).measured("size", 2.0).cost(2.0),
    ];
    let told = [
        Outcome::new(3.0).measured("sum", 4.0).measured("size", 1.0).cost(4.0),
        Outcome::new(3.0).measured("sum", f64::NAN).measured("size", f64::NAN).cost(4.0),
        Outcome::infeasible().measured("sum", 0.5).cost(4.0),
        Outcome::failed(),
    ];
    for (first, second) in
        begun.iter().flat_map(|first| told.iter().map(move |second| (first, second)))
    {
        let place = Place::new("begun-limited");
        let mut journal = Journal::open(place.path(), settings()).unwrap();
        let ask = journal.ask().unwrap();
        let before = fs::read_to_string(place.path()).unwrap();
        journal.tell(ask.id(), first.clone()).unwrap();
        drop(journal);
        let whole = fs::read_to_string(place.path()).unwrap();
        let lines: Vec<&str> = whole[before.len()..].split_inclusive('\n').collect();
        // The last line is the end of the trial.
        assert!(lines.len() > 2, "{whole}");
        for kept in 1..lines.len() {
            fs::write(place.path(), format!("{before}{}", lines[..kept].concat())).unwrap();
            let mut journal = Journal::open(place.path(), settings()).unwrap();
            journal.tell(ask.id(), second.clone()).unwrap();
            let case = format!("{kept} lines of {first:?}, then {second:?}");
            // The study that never heard of the first telling is what both must be.
            let mut alone = settings().build().unwrap();
            let asked = alone.ask().unwrap();
            alone.tell(asked.id(), second.clone()).unwrap();
            assert_eq!(written(journal.study().history()), written(alone.history()), "{case}");
            let again = Journal::open(place.path(), settings()).unwrap();
            let known = |study: &Study| {
                let numbers = |trial: &Trial| {
                    let number = |name| trial.measured.get(name).unwrap_or(f64::NAN).to_bits();
                    (trial.state, trial.outcome, trial.cost, ["sum", "size"].map(number))
                };
                study.history().iter().map(numbers).collect::<Vec<_>>()
            };
            assert_eq!(known(again.study()), known(&alone), "{case}");
            assert!(again.left_out().is_empty(), "{case}");
            let constraints = said(&place, "constraints");
            let holds = constraints.last().filter(|last| !last.is_null());
            let measured =
                |name| alone.history()[0].measured.get(name).is_some_and(|number| !number.is_nan());
            assert_eq!(
                holds.is_some(),
                measured("sum") && measured("size"),
                "{case}: {constraints:?}"
            );
        }
    }
}

#[test]
fn other_limits_judge_the_numbers_of_old_trials() {
    let place = Place::new("judged");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    run(&mut journal, 8);
    let numbers = written(journal.study().history());
    let best = |journal: &Journal| journal.study().best().and_then(|trial| trial.outcome);
    let of_use = |bound: f64| {
        let history = journal.study().history();
        let holds = |trial: &&Trial| {
            trial.measured.get("sum") >= Some(bound) && trial.measured.get("size") <= Some(3.0)
        };
        history.iter().filter(holds).filter_map(|trial| trial.outcome).reduce(f64::min)
    };
    assert!(of_use(1.2).is_some());
    for bound in [0.1, 1.2, 2.0, 9.0] {
        let other = settings().limit("sum", Limit::at_least(bound));
        let mut other = Journal::open(place.path(), other).unwrap();
        assert_eq!(best(&other), of_use(bound), "{bound}");
        assert_eq!(written(other.study().history()), numbers);
        other.recommendation().unwrap();
    }
    // A limit that is removed takes none of its numbers along.
    let without = plain().limit("size", Limit::at_most(3.0));
    let mut without = Journal::open(place.path(), without).unwrap();
    let ask = without.ask().unwrap();
    without.tell(ask.id(), Outcome::new(-1.0).measured("size", 1.0)).unwrap();
    assert_eq!(best(&without), Some(-1.0));
    drop(without);
    let again = Journal::open(place.path(), settings()).unwrap();
    let history = again.study().history();
    assert_eq!(written(&history[..8]), numbers);
    // What was told without the limit was not measured for it.
    assert!(history[8].measured.get("sum").unwrap().is_nan());
    assert_eq!(best(&again), of_use(1.2));
}

#[test]
fn optuna_reads_by_how_much_limits_are_exceeded() {
    let place = Place::new("constraints");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    let tell = |journal: &mut Journal, outcome: Outcome| {
        let ask = journal.ask().unwrap();
        journal.tell(ask.id(), outcome).unwrap();
    };
    tell(&mut journal, Outcome::new(1.0).measured("sum", 2.2).measured("size", 2.0));
    tell(&mut journal, Outcome::infeasible().measured("sum", 1.0).measured("size", 3.5));
    journal
        .import(&[0.5, 0.5], Outcome::new(1.0).measured("sum", 1.2).measured("size", 3.0))
        .unwrap();
    tell(&mut journal, Outcome::new(1.0).measured("sum", f64::NAN).measured("size", 3.0));
    tell(&mut journal, Outcome::failed());
    // In the order of names: size, sum. At most 0 is held, and what was not measured says nothing.
    let expected = [[-1.0, 1.2 - 2.2], [0.5, 1.2 - 1.0], [0.0, 0.0]].map(|list| json!(list));
    let found: Vec<Json> = said(&place, "constraints");
    assert_eq!(found.len(), expected.len(), "{found:?}");
    let holds = |list: &Json| {
        list.as_array().unwrap().iter().map(|one| one.as_f64().unwrap() <= 0.0).collect::<Vec<_>>()
    };
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
        assert_eq!(holds(found), holds(expected));
    }
    // Without limits nothing of the kind is written.
    let place = Place::new("no-constraints");
    let mut journal = Journal::open(place.path(), plain()).unwrap();
    tell(&mut journal, Outcome::new(1.0));
    assert!(said(&place, "constraints").is_empty());
}

#[test]
fn what_does_not_belong_to_a_limit_is_refused() {
    let place = Place::new("refused");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    let ask = journal.ask().unwrap();
    let before = fs::read(place.path()).unwrap();
    let error = journal.note(ask.id(), "sum", "1.5").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert!(error.to_string().contains("measured beside the outcome"), "{error}");
    let error = journal.tell(ask.id(), Outcome::new(1.0).measured("sum", 1.0)).unwrap_err();
    assert!(error.to_string().contains("\"size\""), "{error}");
    let error = journal.change_policy(Policy::ucb()).unwrap_err();
    assert!(error.to_string().contains("ignores limits"), "{error}");
    assert_eq!(fs::read(place.path()).unwrap(), before);
    journal.note(ask.id(), "host", "a").unwrap();
    journal.tell(ask.id(), outcome(1.0, 1.0)).unwrap();
}
