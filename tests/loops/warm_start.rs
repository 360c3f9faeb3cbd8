//! What a study begins with after earlier studies.

use gittins::data::Direction;
use gittins::study::{Limit, Stages, warm_start};
use gittins::{ErrorKind, Outcome, Record, Space, Study, Value};

fn space() -> Space {
    Space::new()
        .choice("solver", ["adam", "sgd"])
        .float("momentum", 0.0, 1.0)
        .when("solver", ["sgd"])
        .float("x", 0.0, 1.0)
}

type Tried<'a> = (&'a str, Option<f64>, f64, f64);

/// A study that was told these: solver, momentum, x, outcome.
fn record(direction: Direction, tried: &[Tried<'_>]) -> Record {
    let mut study = match direction {
        Direction::Minimize => Study::minimize(space()),
        Direction::Maximize => Study::maximize(space()),
    }
    .build()
    .unwrap();
    for &(solver, momentum, x, outcome) in tried {
        let momentum = momentum.map_or(Value::Absent, Value::from);
        study.import(&[solver.into(), momentum, x.into()], Outcome::new(outcome)).unwrap();
    }
    study.record()
}

/// The values of `x` that are to be tried first.
fn places(earlier: &[Record], count: usize) -> Vec<f64> {
    let chosen = warm_start(space(), earlier, count).unwrap();
    chosen.iter().map(|setting| setting["x"].number().unwrap()).collect()
}

/// By hand: `x` = 0.5 is second of four in the first study and best in the others, of which one has
/// another scale and another direction. Then what helps the first study, which has 0.1 as its best.
#[test]
fn a_setting_that_is_good_everywhere_comes_first_and_then_what_helps_where_it_does_not() {
    let earlier = [
        record(
            Direction::Minimize,
            &[
                ("adam", None, 0.1, 1.0),
                ("adam", None, 0.5, 2.0),
                ("adam", None, 0.7, 3.0),
                ("adam", None, 0.9, 4.0),
            ],
        ),
        record(
            Direction::Maximize,
            &[("adam", None, 0.5, 1e6), ("adam", None, 0.1, 1e3), ("adam", None, 0.9, -7.0)],
        ),
        record(
            Direction::Minimize,
            &[("adam", None, 0.9, 5.0), ("adam", None, 0.1, 3.0), ("adam", None, 0.5, -1.0)],
        ),
    ];
    assert_eq!(places(&earlier, 2), [0.5, 0.1]);
    assert_eq!(places(&earlier, 0), [0.0; 0]);
    // The best three of each are four settings.
    assert_eq!(places(&earlier, 99).len(), 4);
}

#[test]
fn values_are_named_and_what_is_absent_is_not() {
    let earlier = record(
        Direction::Minimize,
        &[("sgd", Some(0.75), 0.5, 1.0), ("adam", None, 0.25, 2.0), ("adam", None, 1.0, 3.0)],
    );
    let chosen = warm_start(space(), &[earlier], 2).unwrap();
    let named = |pairs: &[(&str, Value)]| {
        pairs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
    };
    let first = named(&[("momentum", 0.75.into()), ("solver", "sgd".into()), ("x", 0.5.into())]);
    assert_eq!(chosen, [first, named(&[("solver", "adam".into()), ("x", 0.25.into())])]);
    let begun =
        chosen.into_iter().fold(Study::minimize(space()), gittins::study::StudyBuilder::first);
    let ask = begun.build().unwrap().ask().unwrap();
    assert_eq!(ask.values(), [Value::from("sgd"), 0.75.into(), 0.5.into()]);
}

/// A space that lacks one of the parameters and has narrower bounds.
#[test]
fn what_a_space_does_not_have_is_left_out() {
    let earlier = record(
        Direction::Minimize,
        &[("adam", None, 0.9, 1.0), ("adam", None, 0.4, 2.0), ("adam", None, 0.2, 3.0)],
    );
    let narrow = Space::new().float("x", 0.0, 0.5);
    let chosen = warm_start(narrow, std::slice::from_ref(&earlier), 1).unwrap();
    assert_eq!(chosen, [[("x".to_owned(), Value::from(0.4))].into()]);
    let other = Space::new().float("x", 0.0, 0.5).float("y", 0.0, 1.0);
    let error = warm_start(other, &[earlier], 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Empty);
    assert!(error.to_string().contains("parameter \"x\""), "{error}");
    let error = warm_start(space(), &[], 1).unwrap_err();
    assert!(error.to_string().ends_with("there is none"), "{error}");
}

#[test]
fn failed_trials_and_broken_limits_do_not_count() {
    let space = || Space::new().float("x", 0.0, 1.0);
    let mut study =
        Study::minimize(space()).limit("ms", Limit::at_most(9.0)).initial(3).build().unwrap();
    study.import(&[0.5], Outcome::new(2.0).measured("ms", 5.0)).unwrap();
    study.import(&[0.1], Outcome::new(1.0).measured("ms", 50.0)).unwrap();
    study.import(&[0.9], Outcome::failed()).unwrap();
    let chosen = warm_start(space(), &[study.record()], 9).unwrap();
    assert_eq!(chosen, [[("x".to_owned(), Value::from(0.5))].into()]);
}

#[test]
fn trials_by_items_count_by_what_is_believed_of_them() {
    let models = || Space::new().choice("model", ["a", "b", "c", "d"]);
    let mut study = Study::maximize(models()).stages(Stages::items(60)).seed(1).build().unwrap();
    for _ in 0..9 {
        let ask = study.ask().unwrap();
        let right = match ask.choice("model").unwrap() {
            "a" => 0.3,
            "b" => 0.5,
            "c" => 1.0,
            _ => 0.4,
        };
        study.report(ask.id(), ask.until(), right, 0.1).unwrap();
    }
    assert!(study.history().iter().all(|trial| trial.outcome.is_none()));
    let record = study.record();
    assert!(record.rows().iter().all(|row| row.believed.is_some()));
    let first = warm_start(models(), &[record], 1).unwrap();
    assert_eq!(first[0]["model"], study.recommendation().unwrap().unwrap().values[0]);
    assert_eq!(first[0]["model"], "c");
}
