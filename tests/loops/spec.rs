//! A study that is described by data is the study of the builder.

use std::sync::Arc;
use std::time::Duration;

use gittins::data::Warping;
use gittins::model::{Mean, Noise, Priors};
use gittins::stop::NamedRule;
use gittins::study::{Limit, Objective, Search, Stages, StudyBuilder, StudySpec};
use gittins::suggest::Incumbent;
use gittins::{
    Cost, Cpu, ErrorKind, GaussianProcess, KernelFamily, Policy, Space, Study, Table, Value,
};

fn read(json: &str) -> Result<StudySpec, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

const SPACE: &str = r#""direction": "minimize",
    "space": {"parameters": [{"name": "x", "kind": {"float": {"low": 0, "high": 1}}}]}"#;

#[test]
fn each_key_sets_what_its_setter_sets() {
    gittins_papers::register();
    let line = || Study::minimize(Space::new().float("x", 0.0, 1.0));
    let model = GaussianProcess::new;
    let cases: Vec<(&str, StudyBuilder)> = vec![
        (r#""cost": "learned""#, line().cost(Cost::learned())),
        (r#""cost": {"uniform": 2.5}"#, line().cost(Cost::uniform(2.5))),
        (
            r#""cost": {"linear": {"terms": [["x", 40]], "fixed": 5}}"#,
            line().cost(Cost::linear([("x", 40.0)], 5.0)),
        ),
        (r#""cost_floor": 0.5"#, line().cost_floor(0.5)),
        (r#""cost_unit": "s""#, line().cost_unit("s")),
        (r#""policy": "log_ei""#, line().policy(Policy::log_ei())),
        (
            r#""policy": {"name": "gittins_decay", "price": 0.1}"#,
            line().policy(Policy::gittins_decay(0.1, 2.0)),
        ),
        (
            r#""stop": {"name": "stall", "window": 7}"#,
            line().stop(NamedRule::new("stall", &[("window", 7.0)])),
        ),
        (
            r#""stop": ["stall", {"all": ["improvement_median", "regret_gap"]}]"#,
            line().stop(NamedRule::Any(vec![
                NamedRule::new("stall", &[]),
                NamedRule::All(vec![
                    NamedRule::new("improvement_median", &[]),
                    NamedRule::new("regret_gap", &[]),
                ]),
            ])),
        ),
        (
            r#""limits": {"ms": {"at_most": 20}, "share": {"at_least": 0.9}}"#,
            line().limit("ms", Limit::at_most(20.0)).limit("share", Limit::at_least(0.9)),
        ),
        (
            r#""objectives": {"ms": {"direction": "minimize", "reference": 40}}"#,
            line().objective("ms", Objective::minimize().reference(40.0)),
        ),
        (
            r#""reference": 2.5, "objectives": {"share": {"direction": "maximize"}}"#,
            line().reference(2.5).objective("share", Objective::maximize()),
        ),
        (r#""budget": 60"#, line().budget(60.0)),
        (r#""seed": 18446744073709551615"#, line().seed(u64::MAX)),
        (r#""initial": 4"#, line().initial(4)),
        (r#""first": [{"x": 0.25}, {"x": 1}]"#, line().first([("x", 0.25)]).first([("x", 1)])),
        (r#""expected_trials": 9"#, line().expected_trials(9)),
        (r#""time_limit": 0.25"#, line().time_limit(Duration::from_millis(250))),
        (r#""overdue": 3"#, line().overdue(3.0)),
        (r#""best_possible": 1"#, line().best_possible(1.0)),
        (r#""standardize": false"#, line().standardize(false)),
        (r#""warping": "none""#, line().warping(Warping::None)),
        (r#""incumbent": "best_outcome""#, line().incumbent(Incumbent::BestOutcome)),
        (
            r#""search": {"points": 200, "starts": 6, "plain": true}"#,
            line().search(Search::new(200, 6).plain()),
        ),
        (r#""search": {"plain": true}"#, line().search(Search::default().plain())),
        (
            r#""model": {"kernel": "rbf", "isotropic": true, "mean": {"fixed": 0.5},
               "noise": {"learned": {"low": 1e-6, "high": 0.1}}, "priors": "none",
               "lengthscale_bounds": [0.1, 10], "restarts": 2, "tolerance": 1e-4}"#,
            line().model(
                model()
                    .kernel(KernelFamily::Rbf)
                    .isotropic()
                    .mean(Mean::Fixed(0.5))
                    .noise(Noise::Learned { low: 1e-6, high: 0.1 })
                    .priors(Priors::None)
                    .lengthscale_bounds(0.1, 10.0)
                    .restarts(2)
                    .tolerance(1e-4),
            ),
        ),
        (
            r#""stages": {"epochs": 27, "reports": [3, 9], "resumable": false, "repeats": true}"#,
            line().stages(Stages::epochs(27).reports([3.0, 9.0]).resumable(false).repeats(true)),
        ),
        (r#""backend": "cpu""#, line().backend(Arc::new(Cpu))),
        (
            r#""cost_model": {"lengthscales": [0.3], "outputscale": 2, "noise": {"fixed": 1e-4}}"#,
            line().cost_model(model().fixed_kernel(vec![0.3], 2.0).noise(Noise::Fixed(1e-4))),
        ),
    ];
    for key in StudySpec::KEYS {
        let domain = ["direction", "space", "table"].contains(&key.name);
        let quoted = format!("\"{}\": ", key.name);
        assert!(domain || cases.iter().any(|(json, _)| json.starts_with(&quoted)), "{quoted}");
    }
    for (json, expected) in cases {
        let spec = read(&format!("{{{SPACE}, {json}}}")).unwrap();
        // As data it reads as itself.
        let again = read(&serde_json::to_string(&spec).unwrap()).unwrap();
        for spec in [spec, again] {
            let builder = spec.builder().unwrap();
            assert_eq!(format!("{builder:?}"), format!("{expected:?}"), "{json}");
            builder.backend(Arc::new(Cpu)).build().unwrap();
        }
    }
}

#[test]
fn a_table_is_described_by_its_rows() {
    let json = r#"{"direction": "maximize",
        "table": {"names": ["rate", "net"], "rows": [[0.1, "a"], [1, "b"]], "log": ["rate"]}}"#;
    let rows: Vec<Vec<Value>> = vec![vec![0.1.into(), "a".into()], vec![1.0.into(), "b".into()]];
    let table = Table::new(["rate", "net"], rows).unwrap().log("rate").unwrap();
    let (ours, expected) = (read(json).unwrap().builder().unwrap(), Study::maximize(table));
    assert_eq!(format!("{ours:?}"), format!("{expected:?}"));
}

#[test]
fn what_is_wrong_with_a_key_is_said_with_its_name() {
    let unread = [
        (r#""bugdet": 3"#, "unknown key \"bugdet\"; did you mean \"budget\"?"),
        (r#""budget": "much""#, "budget: invalid type: string \"much\", expected f64"),
        (r#""warping": "half""#, "warping: unknown variant `half`, expected `none` or `half_rank`"),
        (r#""search": {"pionts": 3}"#, "search: unknown key \"pionts\"; did you mean \"points\"?"),
        (
            r#""policy": {"name": "gittins", "price": "low"}"#,
            "policy: price: invalid type: string \"low\", expected f64",
        ),
        (r#""policy": {"price": 1}"#, "policy: missing field `name`"),
        (r#""stop": {"any": [], "price": 1}"#, "stop: \"price\" stands beside a list of rules"),
    ];
    for (json, message) in unread {
        let error = read(&format!("{{{SPACE}, {json}}}")).unwrap_err();
        assert!(error.starts_with(message), "{error}");
    }
    let bad = [
        (r#""budget": 0"#, "budget: expected a positive number, got 0"),
        (r#""time_limit": -1"#, "time_limit: expected a number of at least 0, got -1"),
        (r#""overdue": 0.5"#, "overdue: expected a number of at least 1, got 0.5"),
        (
            r#""policy": "gitins""#,
            "policy: no policy is named \"gitins\"; did you mean \"gittins\"?",
        ),
        (r#""stop": "stal""#, "stop: no stopping rule is named \"stal\"; did you mean \"stall\"?"),
        (r#""search": {"points": 3}"#, "search: points needs starts, which is missing"),
        (r#""table": {"names": [], "rows": []}"#, "expected either a space or a table"),
    ];
    for (json, message) in bad {
        let error = read(&format!("{{{SPACE}, {json}}}")).unwrap().builder().unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (ErrorKind::InvalidSetting, message)
        );
    }
    let error = read("{}").unwrap().builder().unwrap_err();
    assert_eq!(error.to_string(), "direction: expected \"minimize\" or \"maximize\", got nothing");
    // A space is checked when the study is built, with the kind of error that it is.
    let twice = r#"{"direction": "minimize", "space": {"parameters": [
        {"name": "x", "kind": "flag"}, {"name": "x", "kind": "flag"}]}}"#;
    let error = read(twice).unwrap().builder().unwrap().build().err().unwrap();
    assert_eq!(error.kind(), ErrorKind::UnknownParameter);
}
