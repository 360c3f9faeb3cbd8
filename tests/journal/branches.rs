//! Studies that others made: their space, and what of them is left out.

use std::fs;

use gittins::data::{Parameter, ParameterKind, Requirement};
use gittins::journal::Journal;
use gittins::{Domain, ErrorKind, Space, Study, Value};
use serde_json::{Map, Value as Json, json};

use super::play::Place;

fn float(low: f64, high: f64) -> Json {
    json!({"name": "FloatDistribution", "attributes": {"step": null, "low": low, "high": high, "log": false}})
}

fn int(low: i64, high: i64, step: i64, log: bool) -> Json {
    json!({"name": "IntDistribution", "attributes": {"log": log, "step": step, "low": low, "high": high}})
}

fn choice(choices: &[Json]) -> Json {
    json!({"name": "CategoricalDistribution", "attributes": {"choices": choices}})
}

/// The parameters of a trial: names, numbers that stand for values, distributions.
type Given<'a> = Vec<(&'a str, f64, Json)>;

/// A file of Optuna with trials that ended in a state: 1 if complete, 2 if pruned, 3 if failed.
fn file(trials: &[(u64, Given<'_>)]) -> String {
    let mut text =
        "{\"op_code\":0,\"worker_id\":\"w\",\"study_name\":\"s\",\"directions\":[1]}\n".to_owned();
    for (number, (state, given)) in trials.iter().enumerate() {
        let params: Map<_, _> =
            given.iter().map(|(name, value, _)| ((*name).to_owned(), json!(value))).collect();
        let distributions: Map<_, _> = given
            .iter()
            .map(|(name, _, distribution)| ((*name).to_owned(), json!(distribution.to_string())))
            .collect();
        let value = (*state == 1).then_some(number as f64);
        let line = json!({"op_code": 4, "worker_id": "w", "study_id": 0, "state": state,
            "value": value, "values": null, "params": params, "distributions": distributions,
            "user_attrs": {}, "system_attrs": {}, "intermediate_values": {}});
        text += &format!("{line}\n");
    }
    text
}

fn resume(place: &Place, trials: &[(u64, Given<'_>)]) -> gittins::Result<Journal> {
    fs::write(place.path(), file(trials)).unwrap();
    Journal::resume(place.path())
}

fn parameters(journal: &Journal) -> Vec<Parameter> {
    let Domain::Space(space) = journal.study().domain() else { panic!("expected a space") };
    space.parameters().to_vec()
}

/// The conditions of a parameter in words.
fn when(journal: &Journal, name: &str) -> Vec<String> {
    let parameters = parameters(journal);
    let parameter = parameters.iter().find(|parameter| parameter.name() == name).unwrap();
    parameter.conditions().iter().map(ToString::to_string).collect()
}

/// The outcomes of the trials that the study has, and how many it has not.
fn known(journal: &Journal) -> (usize, usize) {
    (journal.study().history().len(), journal.left_out().len())
}

/// Nothing of such a study was known, and nothing was said.
#[test]
fn the_branches_of_a_study_get_conditions() {
    let models = || choice(&[json!("svm"), json!("forest"), json!("none")]);
    let kernels = || choice(&[json!("rbf"), json!("linear")]);
    let mut trials: Vec<(u64, Given<'_>)> = Vec::new();
    for k in 0..12 {
        let at = f64::from(k) / 12.0;
        let mut given = vec![("model", f64::from(k % 3), models())];
        match k % 3 {
            0 => {
                given.push(("kernel", f64::from(k / 3 % 2), kernels()));
                given.push(("C", at, float(0.0, 1.0)));
                if k / 3 % 2 == 0 {
                    given.push(("gamma", at, float(0.0, 1.0)));
                }
            }
            1 => {
                given.push(("depth", f64::from(k), int(1, 30, 1, false)));
                // Deep trees have a width.
                if k > 5 {
                    given.push(("width", at, float(0.0, 1.0)));
                }
            }
            _ => {}
        }
        trials.push((1, given));
    }
    let place = Place::new("branches");
    let mut journal = resume(&place, &trials).unwrap();
    assert_eq!(known(&journal), (12, 0), "{:?}", journal.left_out());
    assert!(when(&journal, "model").is_empty());
    assert_eq!(when(&journal, "kernel"), ["\"model\" is svm"]);
    assert_eq!(when(&journal, "C"), ["\"model\" is svm"]);
    assert_eq!(when(&journal, "gamma"), ["\"kernel\" is rbf"]);
    assert_eq!(when(&journal, "depth"), ["\"model\" is forest"]);
    assert_eq!(when(&journal, "width"), ["\"depth\" is at least 5"]);
    let best = journal.study().best().unwrap();
    assert_eq!(best.outcome, Some(0.0));
    assert!(best.values.contains(&Value::from("svm")), "{best:?}");
    // The study goes on in its space, which the file has from now on.
    for _ in 0..3 {
        let ask = journal.ask().unwrap();
        journal.tell(ask.id(), gittins::Outcome::new(1.0)).unwrap();
    }
    let again = Journal::resume(place.path()).unwrap();
    assert_eq!(again.study().history(), journal.study().history());
    assert_eq!(parameters(&again), parameters(&journal));
}

/// A parameter that only failed trials had, and trials that failed before they had all of theirs.
#[test]
fn trials_that_are_not_complete_tell_of_a_branch_that_always_fails() {
    let models = || choice(&[json!("a"), json!("b")]);
    let trials: Vec<(u64, Given<'_>)> = vec![
        (1, vec![("model", 0.0, models()), ("x", 0.5, float(0.0, 1.0))]),
        (3, vec![("model", 1.0, models()), ("y", 0.5, float(0.0, 1.0))]),
        (3, vec![("model", 1.0, models())]),
        (1, vec![("model", 0.0, models()), ("x", 0.25, float(0.0, 1.0))]),
        (2, vec![("model", 0.0, models()), ("x", 0.75, float(0.0, 1.0))]),
        (3, vec![]),
    ];
    // A branch of which no trial is complete: `x` is always there as far as is known.
    let place = Place::new("failed-branch");
    let journal = resume(&place, &trials).unwrap();
    assert!(when(&journal, "x").is_empty());
    assert_eq!(when(&journal, "y"), ["\"model\" is b"]);
    let left: Vec<usize> = journal.left_out().keys().copied().collect();
    assert_eq!((journal.study().history().len(), left), (2, vec![1, 2, 4, 5]));
    // Nothing says when there is a parameter that no complete trial has.
    let mut more = trials.clone();
    more.push((3, vec![("model", 0.0, models()), ("z", 0.5, float(0.0, 1.0))]));
    let error = resume(&place, &more).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data);
    assert!(error.to_string().contains("\"z\": 0 of 2 complete trials have it"), "{error}");
    let mut with = trials.clone();
    with.push((1, vec![("model", 1.0, models()), ("y", 0.25, float(0.0, 1.0))]));
    let journal = resume(&place, &with).unwrap();
    assert_eq!(when(&journal, "x"), ["\"model\" is a"]);
    assert_eq!(when(&journal, "y"), ["\"model\" is b"]);
    let left: Vec<usize> = journal.left_out().keys().copied().collect();
    assert_eq!((journal.study().history().len(), left), (4, vec![2, 4, 5]));
}

#[test]
fn what_no_other_parameter_explains_is_counted() {
    let x = |at: f64| ("x", at, float(0.0, 1.0));
    let p = |at: f64| ("p", at, float(0.0, 1.0));
    let place = Place::new("unexplained");
    // All trials but one have it: that one is left out.
    let mut trials: Vec<(u64, Given<'_>)> =
        (0..6).map(|k| (1, vec![x(f64::from(k % 2) / 2.0), p(f64::from(k) / 6.0)])).collect();
    trials[2].1.pop();
    let journal = resume(&place, &trials).unwrap();
    assert_eq!(known(&journal), (5, 1));
    assert!(journal.left_out()[&2].contains("\"p\""), "{:?}", journal.left_out());
    // None but one has it: whether it is there cannot be asked for.
    let mut trials: Vec<(u64, Given<'_>)> =
        (0..6).map(|k| (1, vec![x(f64::from(k % 2) / 2.0)])).collect();
    trials[2].1.push(p(0.5));
    let error = resume(&place, &trials).unwrap_err().to_string();
    assert!(error.contains("parameter \"p\": 1 of 6 complete trials have it"), "{error}");
    assert!(error.contains("open the study with a space"), "{error}");
    // With a space of one's own the trials are there.
    let space = Study::minimize(Space::new().float("x", 0.0, 1.0));
    let journal = Journal::open(place.path(), space).unwrap();
    assert_eq!(known(&journal), (6, 0));
    // What lies outside of it is counted, and says why.
    let narrow = Study::minimize(Space::new().float("x", 0.25, 1.0));
    fs::write(place.path(), file(&trials)).unwrap();
    let journal = Journal::open(place.path(), narrow).unwrap();
    assert_eq!(known(&journal), (3, 3));
    assert!(
        journal.left_out()[&0].contains("\"x\": expected a number"),
        "{:?}",
        journal.left_out()
    );
}

#[test]
fn distributions_that_changed_on_the_way_are_joined() {
    let cases: Vec<(Vec<(f64, Json)>, ParameterKind)> = vec![
        // Steps that became finer.
        (
            vec![(5.0, int(0, 20, 5, false)), (3.0, int(0, 20, 1, false))],
            ParameterKind::Int { low: 0, high: 20 },
        ),
        (
            vec![(4.0, int(0, 8, 2, false)), (10.0, int(4, 12, 2, false))],
            ParameterKind::Steps { low: 0.0, high: 12.0, step: 2.0 },
        ),
        // The same steps from another beginning.
        (
            vec![(4.0, int(0, 8, 2, false)), (3.0, int(1, 9, 2, false))],
            ParameterKind::Int { low: 0, high: 9 },
        ),
        // A scale that changed: the last one counts.
        (
            vec![(4.0, int(1, 8, 1, false)), (3.0, int(1, 16, 1, true))],
            ParameterKind::LogInt { low: 1, high: 16 },
        ),
        (
            vec![(0.0, int(0, 8, 1, false)), (3.0, int(1, 16, 1, true))],
            ParameterKind::Int { low: 0, high: 16 },
        ),
        (
            vec![(3.0, int(1, 16, 1, true)), (4.0, int(1, 8, 1, false))],
            ParameterKind::Int { low: 1, high: 16 },
        ),
        // Whole numbers that became real ones.
        (
            vec![(3.0, int(1, 16, 1, false)), (0.5, float(0.0, 8.0))],
            ParameterKind::Float { low: 0.0, high: 16.0 },
        ),
        // Choices in another order, and more of them.
        (
            vec![
                (1.0, choice(&[json!("a"), json!("b")])),
                (0.0, choice(&[json!("b"), json!("a")])),
                (2.0, choice(&[json!("b"), json!("a"), json!(null)])),
            ],
            ParameterKind::Choice { names: ["a", "b", "=null"].map(Into::into).into() },
        ),
        // A single value that was given room.
        (
            vec![(3.0, int(3, 3, 1, false)), (5.0, int(3, 8, 1, false))],
            ParameterKind::Int { low: 3, high: 8 },
        ),
    ];
    let place = Place::new("joined");
    for (given, kind) in cases {
        let trials: Vec<(u64, Given<'_>)> = given
            .into_iter()
            .map(|(value, distribution)| {
                (1, vec![("p", value, distribution), ("x", 0.5, float(0.0, 1.0))])
            })
            .collect();
        let mut journal = resume(&place, &trials).unwrap();
        assert_eq!(parameters(&journal)[0].kind(), &kind);
        assert_eq!(known(&journal), (trials.len(), 0), "{kind}: {:?}", journal.left_out());
        if let ParameterKind::Choice { .. } = kind {
            let values = journal.study().history().iter().map(|trial| trial.values[0].to_string());
            assert_eq!(values.collect::<Vec<_>>(), ["b", "b", "=null"]);
        }
        let ask = journal.ask().unwrap();
        journal.tell(ask.id(), gittins::Outcome::new(0.5)).unwrap();
        let again = Journal::resume(place.path()).unwrap();
        assert_eq!(again.study().history(), journal.study().history(), "{kind}");
    }
    // Names and numbers are never one parameter: both trials are named.
    let trials: Vec<(u64, Given<'_>)> = vec![
        (1, vec![("p", 0.0, choice(&[json!("a"), json!("b")]))]),
        (1, vec![("p", 1.0, int(0, 3, 1, false))]),
    ];
    let error = resume(&place, &trials).unwrap_err().to_string();
    for words in ["\"p\"", "trial 0 has it as", "trial 1 as", "open the study with a space"] {
        assert!(error.contains(words), "{words}: {error}");
    }
}

/// Constants and flags may say which branch a trial is of.
#[test]
fn conditions_may_be_on_flags_and_constants() {
    let flag = || choice(&[json!(true), json!(false)]);
    let trials: Vec<(u64, Given<'_>)> = (0..8)
        .map(|k| {
            let at = f64::from(k) / 8.0;
            let mut given = vec![("big", f64::from(k % 2), flag()), ("x", at, float(0.0, 1.0))];
            if k % 2 == 0 {
                given.push(("only", 0.0, choice(&[json!("one")])));
                given.push(("size", at, float(0.0, 1.0)));
            }
            (1, given)
        })
        .collect();
    let place = Place::new("flags");
    let mut journal = resume(&place, &trials).unwrap();
    assert_eq!(known(&journal), (8, 0), "{:?}", journal.left_out());
    assert_eq!(when(&journal, "size"), ["\"big\" is true"]);
    assert_eq!(when(&journal, "only"), ["\"big\" is true"]);
    let big = &parameters(&journal)[0];
    assert_eq!(big.kind(), &ParameterKind::Flag);
    let parameters = parameters(&journal);
    let size = parameters.iter().find(|parameter| parameter.name() == "size").unwrap();
    assert_eq!(size.conditions()[0].requirement, Requirement::Is(vec![true.into()]));
    journal.ask().unwrap();
}
