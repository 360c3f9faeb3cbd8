//! Parameters with one value, of each kind, are constants.

use gittins::data::{Condition, ParameterKind, Requirement};
use gittins::study::Request;
use gittins::{ErrorKind, Outcome, Space, Study, Value};

/// One of each kind with its value.
fn kinds() -> Vec<(ParameterKind, Value)> {
    let names: std::sync::Arc<[std::sync::Arc<str>]> = ["adam".into()].into();
    let numbers = |value: f64| ParameterKind::Numbers { values: [value].into() };
    vec![
        (ParameterKind::Float { low: 0.5, high: 0.5 }, 0.5.into()),
        (ParameterKind::LogFloat { low: 1e-3, high: 1e-3 }, 1e-3.into()),
        (ParameterKind::Float { low: -1e308, high: -1e308 }, (-1e308).into()),
        (ParameterKind::Float { low: 5e-324, high: 5e-324 }, 5e-324.into()),
        (ParameterKind::Int { low: 3, high: 3 }, 3.into()),
        (ParameterKind::LogInt { low: 7, high: 7 }, 7.into()),
        (ParameterKind::Steps { low: 0.5, high: 0.5, step: 0.1 }, 0.5.into()),
        (ParameterKind::Steps { low: 2.0, high: 2.0, step: 4.0 }, 2.into()),
        (numbers(0.25), 0.25.into()),
        (numbers(64.0), 64.into()),
        (ParameterKind::Ordinal { names: names.clone() }, "adam".into()),
        (ParameterKind::Choice { names }, "adam".into()),
    ]
}

#[test]
fn what_has_one_value_has_no_column_and_comes_back_typed() {
    for (kind, value) in kinds() {
        let space = Space::new().parameter("c", kind.clone()).float("x", 0.0, 1.0).flag("f");
        space.validate().unwrap();
        assert_eq!(space.dim(), 2, "{kind}");
        let unit = space.to_unit(&[value.clone(), 0.25.into(), true.into()]).unwrap();
        assert_eq!(space.values_at(&unit), [value.clone(), 0.25.into(), true.into()], "{kind}");
        assert_eq!(kind.only(), Some(value.clone()), "{kind}");

        let mut study = Study::minimize(space.clone()).seed(1).build().unwrap();
        for _ in 0..6 {
            let ask = study.ask().unwrap();
            assert_eq!(ask.values()[0], value, "{kind}");
            study.tell(ask.id(), Outcome::new(ask.get::<f64>("x").unwrap())).unwrap();
        }
        let other: Value = if value.number().is_some() { 99.5.into() } else { "sgd".into() };
        let error = study.import(&[other, 0.5.into(), false.into()], Outcome::new(1.0));
        assert_eq!(error.unwrap_err().kind(), ErrorKind::OutOfBounds, "{kind}");
        study.import(&[value, 0.5.into(), false.into()], Outcome::new(1.0)).unwrap();
    }
}

#[test]
fn conditions_on_what_has_one_value_hold_or_are_refused() {
    for (kind, value) in kinds() {
        let space = Space::new().parameter("c", kind.clone()).float("x", 0.0, 1.0);
        let child = space.clone().flag("f").when("c", [value.clone()]);
        child.validate().unwrap();
        assert_eq!(child.dim(), 2, "{kind}");
        assert!(child.values_at(&[0.5, 1.0])[2] == Value::Flag(true), "{kind}");
        let other: Value = if value.number().is_some() { 99.5.into() } else { "sgd".into() };
        let refused = space.clone().flag("f").when("c", [other]).validate().unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::OutOfBounds, "{kind}");
        if let Some(number) = value.number() {
            let above = space.clone().flag("f").when_at_least("c", number.next_up());
            above.validate().unwrap();
            assert_eq!(above.values_at(&[0.5, 0.5])[2], Value::Absent, "{kind}");
        }
        let mut study = Study::minimize(child).seed(2).build().unwrap();
        let requirement = Requirement::Is(vec![value]);
        let given = Condition { parameter: "c".into(), requirement };
        assert_eq!(study.ask_for(&Request::new().given([given])).unwrap().len(), 1);
    }
}

#[test]
fn one_value_may_exist_under_conditions() {
    let space = Space::new().flag("on").choice("solver", ["adam"]).when("on", [true]);
    let mut study = Study::minimize(space).seed(3).build().unwrap();
    let asks = study.ask_many(2).unwrap();
    for ask in asks {
        let solver = ask.get::<Option<String>>("solver").unwrap();
        assert_eq!(solver.as_deref(), ask.get::<bool>("on").unwrap().then_some("adam"));
    }
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
}

#[test]
fn a_space_in_which_nothing_varies_is_refused() {
    for (kind, _) in kinds() {
        let error = Space::new().parameter("c", kind).validate().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Empty);
    }
}

#[test]
fn a_value_beyond_a_bound_by_rounding_is_on_it() {
    let space =
        Space::new().float("x", 0.0, 0.3).log_float("y", 0.1, 1e10).numbers("n", [0.1, 0.3]);
    let sum = 0.1 + 0.2;
    assert!(sum > 0.3);
    let values = space.typed(&[sum, 0.1 - 1e-17, sum]).unwrap();
    assert_eq!(values, [0.3.into(), 0.1.into(), Value::Float(0.3)]);
    for (at, far) in [(0, 0.3 + 1e-12), (0, -1e-12), (1, 0.0999), (2, 0.2)] {
        let mut values = [0.1, 1.0, 0.1];
        values[at] = far;
        assert_eq!(space.to_unit(&values).unwrap_err().kind(), ErrorKind::OutOfBounds, "{far}");
    }
}

#[test]
fn few_floats_between_two_bounds_are_values_of_their_own() {
    let ends =
        [(0.0, 2e-323), (-1e-323, 1e-323), (1e16, 1e16 + 8.0), (1.0, 1.0 + 4.0 * f64::EPSILON)];
    for (low, high) in ends {
        let space = Space::new().float("x", low, high).constant("c", 1);
        let mut study = Study::minimize(space).seed(4).build().unwrap();
        let mut values: Vec<f64> =
            study.ask_many(5).unwrap().iter().map(|ask| ask.numbers()[0]).collect();
        values.sort_by(f64::total_cmp);
        assert_eq!((values[0], values[4]), (low, high));
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
        assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    }
}
