//! Settings that a study begins with.

use gittins::study::{Stages, StudyBuilder, Why};
use gittins::{Cost, ErrorKind, Outcome, Space, Study, Table, Value};

fn space() -> Space {
    Space::new()
        .float("rate", 0.0, 1.0)
        .choice("solver", ["adam", "sgd"])
        .float("momentum", 0.0, 1.0)
        .when("solver", ["sgd"])
        .constant("epochs", 5)
}

fn adam(rate: f64) -> [(&'static str, Value); 2] {
    [("rate", rate.into()), ("solver", "adam".into())]
}

fn sgd(rate: f64, momentum: f64) -> [(&'static str, Value); 3] {
    [("rate", rate.into()), ("solver", "sgd".into()), ("momentum", momentum.into())]
}

/// The values of the next points, each told with an outcome of its own.
fn asked(study: &mut Study, count: usize) -> Vec<Vec<Value>> {
    let mut asked = Vec::new();
    for number in 0..count {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(number as f64).cost(1.0)).unwrap();
        asked.push(ask.values().to_vec());
    }
    asked
}

fn values(rate: f64, solver: &str, momentum: Value) -> Vec<Value> {
    vec![rate.into(), solver.into(), momentum, 5.into()]
}

#[test]
fn they_are_the_first_points_of_the_design_and_take_the_place_of_the_middle() {
    let begun = Study::minimize(space()).first(sgd(0.125, 0.5)).first(adam(0.25));
    let mut study = begun.build().unwrap();
    let ask = study.ask().unwrap();
    assert_eq!(ask.why(), &Why::Initial { number: 1, of: 6 });
    assert_eq!(ask.values(), values(0.125, "sgd", 0.5.into()));
    assert_eq!(study.ask().unwrap().values(), values(0.25, "adam", Value::Absent));
    let mut plain = Study::minimize(space()).build().unwrap();
    plain.ask().unwrap();
    assert_eq!(study.ask().unwrap().values(), plain.ask().unwrap().values(), "no middle");
}

#[test]
fn the_design_has_place_for_all_of_them() {
    let rates = [0.5, 0.25, 0.125, 0.0625];
    let begun = |builder: StudyBuilder| {
        rates.iter().fold(builder, |builder, &rate| builder.first(adam(rate))).build().unwrap()
    };
    let mut study = begun(Study::minimize(space()).initial(2));
    let expected: Vec<_> = rates.iter().map(|&rate| values(rate, "adam", Value::Absent)).collect();
    assert_eq!(asked(&mut study, 4), expected);
    assert!(matches!(study.ask().unwrap().why(), Why::Suggested(_)));
    // Also if they look expensive.
    let mut thrifty = begun(Study::minimize(space()).cost(Cost::learned()));
    for expected in expected {
        let ask = thrifty.ask().unwrap();
        assert_eq!(ask.values(), expected);
        thrifty.tell(ask.id(), Outcome::new(0.5).cost(1.0 / ask.numbers()[0])).unwrap();
    }
}

#[test]
fn one_that_is_a_trial_already_is_passed_over() {
    let begun = Study::minimize(space()).first(adam(0.25)).first(adam(0.5)).first(adam(0.25));
    let mut study = begun.build().unwrap();
    study.import(&values(0.25, "adam", Value::Absent), Outcome::new(1.0)).unwrap();
    let asked = asked(&mut study, 2);
    assert_eq!(asked[0], values(0.5, "adam", Value::Absent));
    assert_ne!(asked[1], values(0.25, "adam", Value::Absent));
}

#[test]
fn one_that_was_withdrawn_is_not_asked_for_again() {
    let mut study = Study::minimize(space()).first(adam(0.25)).build().unwrap();
    let ask = study.ask().unwrap();
    study.withdraw(ask.id()).unwrap();
    assert_ne!(study.ask().unwrap().values(), ask.values());
}

#[test]
fn rows_of_a_table_and_runs_in_stages_begin_with_them() {
    let table = Table::new(["x"], (0..9).map(|x| vec![f64::from(x)]).collect()).unwrap();
    let mut study = Study::minimize(table).first([("x", 7.0)]).build().unwrap();
    assert_eq!(study.ask().unwrap().row(), Some(7));

    let stages = Study::minimize(space()).stages(Stages::epochs(9));
    let mut study = stages.first(adam(0.25)).first(sgd(0.5, 0.25)).build().unwrap();
    assert_eq!(study.ask().unwrap().values(), values(0.25, "adam", Value::Absent));
    assert_eq!(study.ask().unwrap().values(), values(0.5, "sgd", 0.25.into()));
    study.ask().unwrap();
}

#[test]
fn a_wrong_one_is_named() {
    let refused = |setting: &[(&str, Value)]| {
        let begun = Study::minimize(space()).first(adam(0.5)).first(setting.to_vec());
        let error = begun.build().unwrap_err();
        (error.kind(), error.to_string())
    };
    let (kind, words) = refused(&[("rat", 0.5.into())]);
    assert_eq!(kind, ErrorKind::UnknownParameter);
    assert!(words.starts_with("first: setting 2: ") && words.contains("\"rate\""), "{words}");
    let (kind, words) = refused(&[("solver", "adam".into())]);
    assert_eq!(kind, ErrorKind::OutOfBounds);
    assert!(words.starts_with("first: setting 2: parameter \"rate\": "), "{words}");
    assert!(words.ends_with("it is absent"), "{words}");
    let (kind, words) = refused(&adam(3.0));
    assert_eq!(kind, ErrorKind::OutOfBounds);
    assert!(words.contains("\"rate\"") && words.contains('3'), "{words}");
    let (_, words) = refused(&[&adam(0.5)[..], &[("momentum", 0.5.into())]].concat());
    assert!(words.contains("it is given, and exists only if"), "{words}");
}

#[test]
fn one_outside_of_the_part_that_is_asked_for_is_passed_over() {
    use gittins::data::{Condition, Requirement};
    use gittins::study::Request;

    let begun = Study::minimize(space()).first(adam(0.25)).first(sgd(0.5, 0.25)).first(adam(0.75));
    let mut study = begun.build().unwrap();
    let requirement = Requirement::Is(vec!["sgd".into()]);
    let condition = Condition { parameter: "solver".to_owned(), requirement };
    let asked = study.ask_for(&Request::new().given([condition])).unwrap();
    assert_eq!(asked[0].values(), values(0.5, "sgd", 0.25.into()));
    assert_eq!(study.ask().unwrap().values(), values(0.75, "adam", Value::Absent));
}
