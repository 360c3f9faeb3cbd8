//! What other programs write into a journal, and what they copy.

use std::fs;
use std::path::Path;

use gittins::journal::{Journal, JournalOptions};
use gittins::study::{StudyBuilder, TrialState};
use gittins::{Cost, ErrorKind, Outcome, Space, Study, TrialId, Value};
use serde_json::{Value as Json, json};

use super::play::Place;

fn settings() -> StudyBuilder {
    Study::minimize(Space::new().float("y", 0.0, 1.0).float("x", 0.0, 1.0)).cost(Cost::learned())
}

fn lines(path: &Path) -> Vec<Json> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write(path: &Path, lines: &[Json]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let before = fs::read_to_string(path).unwrap_or_default();
    fs::write(path, before + &text).unwrap();
}

fn study(name: &str) -> Json {
    json!({"op_code": 0, "worker_id": "w", "study_name": name, "directions": [1]})
}

/// A trial of others, under way since noon.
fn trial(study: usize) -> Json {
    json!({"op_code": 4, "worker_id": "w", "study_id": study,
        "datetime_start": "2026-11-22T12:00:00.000000+00:00"})
}

fn parameter(trial: usize, name: &str, value: f64, distribution: &Json) -> Json {
    json!({"op_code": 5, "worker_id": "w", "trial_id": trial, "param_name": name,
        "param_value_internal": value, "distribution": distribution.to_string()})
}

fn float(high: f64) -> Json {
    json!({"name": "FloatDistribution",
        "attributes": {"step": null, "low": 0.0, "high": high, "log": false}})
}

fn choices(choices: &Json) -> Json {
    json!({"name": "CategoricalDistribution", "attributes": {"choices": choices}})
}

/// A trial of others from its start to its end.
fn complete(trial_id: usize, values: &[(&str, f64, Json)], outcome: f64) -> Vec<Json> {
    let mut lines = vec![trial(0)];
    for (name, value, distribution) in values {
        lines.push(parameter(trial_id, name, *value, distribution));
    }
    lines.push(json!({"op_code": 6, "worker_id": "w", "trial_id": trial_id, "state": 1,
        "values": [outcome], "datetime_complete": "2026-11-22T12:00:30.000000+00:00"}));
    lines
}

/// A line without an end was taken for one that a process had begun, whatever it was.
#[test]
fn a_file_of_another_kind_is_not_shortened() {
    let place = Place::new("kind");
    for content in ["SQLite format 3\0", "{\"a\": 1}", "{\"weights\": [1, 2", "text", "\0\0\0"] {
        fs::write(place.path(), content).unwrap();
        let error = Journal::open(place.path(), settings()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Data, "{error}");
        assert!(error.to_string().contains("line 1"), "{error}");
        assert_eq!(fs::read_to_string(place.path()).unwrap(), content);
    }
    // What a process began to write is taken away all the same.
    for begun in ["{", "{\"op_code\":0,\"wor"] {
        fs::write(place.path(), begun).unwrap();
        let mut journal = Journal::open(place.path(), settings()).unwrap();
        journal.ask().unwrap();
        assert_eq!(lines(place.path()).len(), 3);
    }
}

/// The trials of a study that was copied came with their ends, and stayed under way.
#[test]
fn the_trials_of_a_copy_have_ended() {
    let place = Place::new("copy");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    let asks = [journal.ask().unwrap(), journal.ask().unwrap(), journal.ask().unwrap()];
    journal.tell(asks[0].id(), Outcome::new(2.0).cost(3.0)).unwrap();
    journal.tell_cost(asks[1].id(), 5.0).unwrap();
    journal.tell(asks[1].id(), Outcome::failed()).unwrap();
    let told: Vec<_> = journal.study().history().to_vec();
    let name = journal.name().to_owned();
    // As `optuna.copy_study` does: settings first, then each trial in one operation.
    let all = lines(place.path());
    let settings_line = all.iter().find(|line| line["op_code"] == 3).unwrap();
    let mut copy = vec![study("copy"), settings_line.clone()];
    copy[1]["study_id"] = json!(1);
    for (index, trial) in told.iter().enumerate() {
        let made = all.iter().filter(|line| line["op_code"] == 4).nth(index).unwrap();
        let mut made = made.clone();
        made["study_id"] = json!(1);
        for line in all.iter().filter(|line| line["trial_id"] == index) {
            for (one, many) in [("user_attr", "user_attrs"), ("system_attr", "system_attrs")] {
                for (key, value) in line[one].as_object().into_iter().flatten() {
                    made[many][key] = value.clone();
                }
            }
            if line["op_code"] == 6 {
                made["state"] = line["state"].clone();
                made["value"] = line["values"][0].clone();
                made["datetime_complete"] = line["datetime_complete"].clone();
            }
        }
        assert_eq!(trial.state == TrialState::Pending, made["state"] == 0);
        copy.push(made);
    }
    write(place.path(), &copy);
    let copied = JournalOptions::new().name("copy").open(place.path(), settings()).unwrap();
    assert_eq!(copied.study().history(), told);
    let first = JournalOptions::new().name(name).open(place.path(), settings()).unwrap();
    assert_eq!(first.study().history(), told);
}

/// A copy without our settings has its parameters in another order: the points of the trials were
/// read in that order.
#[test]
fn the_trials_of_a_copy_without_settings_keep_their_values() {
    let place = Place::new("bare-copy");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    let ask = journal.ask().unwrap();
    let ask = if ask.numbers() == [0.5, 0.5] {
        journal.tell(ask.id(), Outcome::new(1.0).cost(1.0)).unwrap();
        journal.ask().unwrap()
    } else {
        ask
    };
    journal.tell(ask.id(), Outcome::new(2.0).cost(3.0)).unwrap();
    drop(journal);
    let all: Vec<Json> =
        lines(place.path()).into_iter().filter(|line| line["op_code"] != 3).collect();
    fs::remove_file(place.path()).unwrap();
    write(place.path(), &all);
    let journal = Journal::resume(place.path()).unwrap();
    let trial = &journal.study().history()[ask.id().index()];
    let [y, x] = [ask.numbers()[0], ask.numbers()[1]];
    assert_ne!(x, y);
    assert_eq!((trial.values.clone(), trial.outcome), (vec![x.into(), y.into()], Some(2.0)));
}

/// The study was asked on, and the answer was that the trial is not in the journal.
#[test]
fn a_study_that_was_deleted_says_so() {
    let place = Place::new("deleted");
    let mut journal = Journal::open(place.path(), settings()).unwrap();
    let ask = journal.ask().unwrap();
    let delete = json!({"op_code": 1, "worker_id": "w", "study_id": 0});
    write(place.path(), &[delete]);
    let before = lines(place.path());
    let name = format!("{:?} was deleted", journal.name());
    for error in [
        journal.ask().unwrap_err(),
        journal.tell(ask.id(), Outcome::failed()).unwrap_err(),
        journal.sync().unwrap_err(),
        journal.verdict().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Data, "{error}");
        assert!(error.to_string().contains(&name), "{error}");
    }
    assert_eq!(lines(place.path()), before);
}

/// Optuna leaves a second start and a parameter of another kind undone. They counted here.
#[test]
fn what_optuna_leaves_undone_is_left_undone() {
    let place = Place::new("undone");
    let mut all = vec![study("a")];
    all.extend(complete(0, &[("x", 0.5, float(1.0)), ("y", 0.25, float(1.0))], 1.0));
    let again = json!({"op_code": 6, "worker_id": "v", "trial_id": 1, "state": 0, "values": null,
        "datetime_start": "2026-11-22T12:00:20.000000+00:00"});
    let mut second = complete(1, &[("x", 0.5, float(1.0)), ("y", 0.5, float(1.0))], 2.0);
    second.insert(1, again);
    let whole = json!({"name": "IntDistribution",
        "attributes": {"step": 1, "low": 0, "high": 1, "log": false}});
    second.insert(4, parameter(1, "x", 1.0, &whole));
    all.extend(second);
    write(place.path(), &all);
    let journal = Journal::open(place.path(), settings()).unwrap();
    let trial = &journal.study().history()[1];
    assert_eq!(trial.values, vec![Value::from(0.5), Value::from(0.5)]);
    // Costs of others are their times.
    assert_eq!(trial.cost, Some(30.0));
}

/// Choices that are no names were written as names, and steps of a real number as whole numbers:
/// Optuna's samplers refuse a parameter that changes.
#[test]
fn parameters_of_others_are_written_as_they_have_them() {
    let place = Place::new("manner");
    let steps = json!({"name": "FloatDistribution",
        "attributes": {"step": 1.0, "low": 0.0, "high": 4.0, "log": false}});
    let values = [
        ("mixed", 1.0, choices(&json!(["a", null, true, 2]))),
        ("numbers", 0.0, choices(&json!([16, 32]))),
        (
            "one",
            0.5,
            json!({"name": "FloatDistribution",
            "attributes": {"step": null, "low": 0.5, "high": 0.5, "log": false}}),
        ),
        ("steps", 3.0, steps),
        ("turned", 0.0, choices(&json!([true, false]))),
    ];
    let mut all = vec![study("a")];
    all.extend(complete(0, &values, 1.0));
    write(place.path(), &all);
    let mut journal = Journal::resume(place.path()).unwrap();
    let trial = &journal.study().history()[0];
    let expected: Vec<Value> =
        vec!["=null".into(), "=16".into(), 0.5.into(), 3.into(), true.into()];
    assert_eq!(trial.values, expected);
    let ask = journal.ask().unwrap();
    let made = lines(place.path()).into_iter().rfind(|line| line["op_code"] == 4).unwrap();
    for (name, _, distribution) in &values {
        let written: Json =
            serde_json::from_str(made["distributions"][name].as_str().unwrap()).unwrap();
        assert_eq!(written, *distribution, "{name}");
        assert!(made["params"][name].is_f64(), "{name}: {made}");
    }
    journal.tell(ask.id(), Outcome::new(0.0)).unwrap();
    let again = Journal::resume(place.path()).unwrap();
    assert_eq!(again.study().history()[1].values, ask.values());
}

/// `NaN` among choices made the whole file unreadable.
#[test]
fn choices_that_json_does_not_have_are_read_and_written() {
    let place = Place::new("limits");
    let text =
        r#"{"name": "CategoricalDistribution", "attributes": {"choices": [1.5, Infinity, NaN]}}"#;
    let mut line = parameter(0, "x", 1.0, &Json::Null);
    line["distribution"] = json!(text);
    let mut all = complete(0, &[], 1.0);
    all.insert(1, line);
    all.insert(0, study("a"));
    write(place.path(), &all);
    let mut journal = Journal::resume(place.path()).unwrap();
    assert_eq!(journal.study().history()[0].values, vec![Value::from("inf")]);
    journal.ask().unwrap();
    let made = lines(place.path()).into_iter().rfind(|line| line["op_code"] == 4).unwrap();
    assert_eq!(made["distributions"]["x"], text);
}

/// A list of whole numbers is one in Python too: it was one of floats there.
#[test]
fn whole_numbers_are_whole_in_the_file() {
    let place = Place::new("whole");
    let space = Space::new().numbers("batch", [16.0, 32.0, 64.0]).numbers("half", [0.5, 1.0]);
    let mut journal = Journal::open(place.path(), Study::minimize(space)).unwrap();
    let ask = journal.ask().unwrap();
    let made = lines(place.path()).pop().unwrap();
    let written = |name: &str| made["distributions"][name].as_str().unwrap().to_owned();
    assert!(written("batch").contains("[16,32,64]"), "{made}");
    assert!(written("half").contains("[0.5,1.0]"), "{made}");
    assert_eq!(ask.id(), TrialId::from(0));
}
