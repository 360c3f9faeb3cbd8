//! Data that are written are read back unchanged. Invalid data are refused.

use gittins::data::ParameterKind;
use gittins::stop::Statistic;
use gittins::{Cost, Hyperparameters, KernelFamily, Points, Space, Verdict};
use serde_json::{from_str, from_value, json, to_string, to_value};

#[test]
fn a_space_comes_back() {
    let space = Space::new().float("x", -1.5, 2.0).log_float("rate", 1e-5, 0.1).int("depth", 2, 12);
    let text = to_string(&space).unwrap();
    assert_eq!(from_str::<Space>(&text).unwrap(), space);
    let expected = json!({"parameters": [
        {"name": "x", "kind": {"float": {"low": -1.5, "high": 2.0}}},
        {"name": "rate", "kind": {"log_float": {"low": 1e-5, "high": 0.1}}},
        {"name": "depth", "kind": {"int": {"low": 2, "high": 12}}},
    ]});
    assert_eq!(to_value(&space).unwrap(), expected);
    assert_eq!(space.parameters()[2].kind(), &ParameterKind::Int { low: 2, high: 12 });
}

#[test]
fn a_space_is_checked_when_it_is_read() {
    let parameter = |name: &str, low: f64| json!({"name": name, "kind": {"log_float": {"low": low, "high": 1.0}}});
    for (parameters, expected) in [
        (vec![], "expected at least one parameter, got none"),
        (vec![parameter("a", 0.1), parameter("a", 0.1)], "another one is named \"a\" already"),
        (vec![parameter("", 0.1)], "parameter 0: the name is empty"),
        (
            vec![parameter("a", 0.0)],
            "parameter \"a\": the lower bound must be positive on a log scale",
        ),
        (vec![parameter("a", 2.0)], "parameter \"a\": the lower bound must be below the upper one"),
    ] {
        let error = from_value::<Space>(json!({"parameters": parameters})).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn points_come_back_and_are_checked() {
    let points = Points::from_rows(2, vec![0.1, 0.2, 0.3, 0.4]).unwrap();
    assert_eq!(from_str::<Points>(&to_string(&points).unwrap()).unwrap(), points);
    let error = from_value::<Points>(json!({"dim": 2, "values": [0.1]})).unwrap_err().to_string();
    assert!(error.contains("1 values do not make rows of 2"), "{error}");
}

#[test]
fn a_cost_comes_back_unless_it_is_a_function() {
    assert_eq!(to_value(Cost::uniform(2.5)).unwrap(), json!({"uniform": 2.5}));
    assert_eq!(to_value(Cost::learned()).unwrap(), json!("learned"));
    assert!(matches!(from_value(json!({"uniform": 2.5})).unwrap(), Cost::Uniform(2.5)));
    assert!(matches!(from_value(json!("learned")).unwrap(), Cost::Learned));
    let linear = json!({"linear": {"terms": [["resin", 40.0], ["water", 0.1]], "fixed": 5.0}});
    assert_eq!(to_value(Cost::linear([("resin", 40.0), ("water", 0.1)], 5.0)).unwrap(), linear);
    assert_eq!(to_value(from_value::<Cost>(linear.clone()).unwrap()).unwrap(), linear);
    assert!(from_value::<Cost>(json!({"linear": {"terms": []}})).is_ok());
    let error = to_value(Cost::known(|_: &[f64]| 1.0)).unwrap_err().to_string();
    assert_eq!(error, "a cost that is given as a function cannot be serialized");
    let error = from_value::<Cost>(json!({"known": null})).unwrap_err().to_string();
    assert!(error.contains("expected one of `uniform`, `linear`, `learned`"), "{error}");
}

#[test]
fn a_kernel_family_is_written_as_its_name() {
    for family in KernelFamily::ALL {
        assert_eq!(to_value(family).unwrap(), json!(family.name()));
        assert_eq!(from_value::<KernelFamily>(json!(family.name())).unwrap(), family);
    }
}

#[test]
fn hyperparameters_come_back() {
    let hyperparameters = Hyperparameters {
        lengthscales: vec![0.1, 1.0 / 3.0],
        outputscale: 1e300,
        noise: 0.0,
        mean: f64::NEG_INFINITY,
    };
    let text = to_string(&hyperparameters).unwrap();
    assert_eq!(from_str::<Hyperparameters>(&text).unwrap(), hyperparameters);
}

#[test]
fn a_verdict_comes_back() {
    for statistic in [Statistic::at_most(0.5, 1.0).note("enough"), Statistic::unknown(1.0)] {
        let verdict = statistic.verdict("some rule");
        let text = to_string(&verdict).unwrap();
        assert_eq!(from_str::<Verdict>(&text).unwrap(), verdict);
        assert_eq!(to_value(&verdict).unwrap()["stop"], json!(verdict.is_stop()));
    }
}
