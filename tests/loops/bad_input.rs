//! Bad input: each case either works or is an error of its kind that names the culprit. What was
//! told before is kept.

use std::env;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gittins::stop::SpendingLimit;
use gittins::study::{Search, StudyBuilder};
use gittins::{
    Acquisition, Cost, Cpu, Error, ErrorKind, GittinsRule, Outcome, Policy, Space, Study, Table,
};

fn space() -> Space {
    Space::new().float("rate", 0.0, 1.0).int("depth", 1, 8)
}

fn outcome(values: &[f64]) -> f64 {
    (values[0] - 0.3).powi(2) + values[1]
}

fn learning() -> StudyBuilder {
    Study::minimize(space())
        .cost(Cost::learned())
        .policy(Acquisition::gittins(1e-2))
        .initial(3)
        .search(Search::new(32, 2))
}

/// A misuse, the kind of its error, and a word that must be in the message.
struct Case {
    name: &'static str,
    kind: ErrorKind,
    culprit: &'static str,
    act: fn(&mut Study) -> Result<(), Error>,
}

fn case(
    name: &'static str,
    kind: ErrorKind,
    culprit: &'static str,
    act: fn(&mut Study) -> Result<(), Error>,
) -> Case {
    Case { name, kind, culprit, act }
}

/// Trial 4 is pending when a case acts.
fn cases() -> Vec<Case> {
    use ErrorKind::*;
    vec![
        case("unknown id", UnknownTrial, "trial 99", |s| s.tell(99, Outcome::new(1.0).cost(1.0))),
        case("told before", DuplicateTrial, "trial 0", |s| s.tell(0, Outcome::new(1.0).cost(1.0))),
        case("outcome NaN", NonFinite, "trial 4", |s| s.tell(4, Outcome::new(f64::NAN).cost(1.0))),
        case("outcome infinite", NonFinite, "inf", |s| {
            s.tell(4, Outcome::new(f64::INFINITY).cost(1.0))
        }),
        case("cost zero", NonPositiveCost, "trial 4", |s| s.tell(4, Outcome::new(1.0).cost(0.0))),
        case("cost negative", NonPositiveCost, "-2", |s| s.tell(4, Outcome::failed().cost(-2.0))),
        case("cost NaN", NonFinite, "trial 4", |s| s.tell(4, Outcome::new(1.0).cost(f64::NAN))),
        case("cost missing", MissingCost, "trial 4", |s| s.tell(4, Outcome::new(1.0))),
        case("one value too few", Dimension, "expected 2 values", |s| {
            s.import(&[0.5], Outcome::new(1.0).cost(1.0)).map(|_| ())
        }),
        case("no values", Dimension, "got 0", |s| {
            s.import(&[0.0; 0], Outcome::new(1.0).cost(1.0)).map(|_| ())
        }),
        case("value above its bound", OutOfBounds, "rate", |s| {
            s.import(&[1.5, 2.0], Outcome::new(1.0).cost(1.0)).map(|_| ())
        }),
        case("fraction for a whole number", OutOfBounds, "depth", |s| {
            s.import(&[0.5, 2.5], Outcome::new(1.0).cost(1.0)).map(|_| ())
        }),
        case("value NaN", NonFinite, "depth", |s| {
            s.import(&[0.5, f64::NAN], Outcome::new(1.0).cost(1.0)).map(|_| ())
        }),
        case("import without cost", MissingCost, "trial 5", |s| {
            s.import(&[0.5, 2.0], Outcome::new(1.0)).map(|_| ())
        }),
        case("unknown parameter", UnknownParameter, "width", |s| {
            s.ask()?.get::<f64>("width").map(|_| ())
        }),
        case("budget below the design", InvalidSetting, "budget", |s| {
            s.price_from_budget(0.5).map(|_| ())
        }),
        case("price of zero", InvalidSetting, "0", |s| s.change_policy(Acquisition::gittins(0.0))),
    ]
}

#[test]
fn bad_input_is_named_and_loses_nothing() {
    for case in cases() {
        let mut study = learning().build().unwrap();
        for _ in 0..4 {
            let ask = study.ask().unwrap();
            study
                .tell(ask.id(), Outcome::new(outcome(ask.numbers())).cost(1.0 + ask.numbers()[1]))
                .unwrap();
        }
        let open = study.ask().unwrap();
        let (history, total) = (study.history().to_vec(), study.total_cost());
        let error = (case.act)(&mut study).expect_err(case.name);
        assert_eq!(error.kind(), case.kind, "{}: {error}", case.name);
        assert!(error.to_string().contains(case.culprit), "{}: {error}", case.name);
        assert_eq!(study.history()[..5], history, "{}", case.name);
        assert_eq!(study.total_cost(), total, "{}", case.name);
        // The study goes on: it takes the result of the trial under way and suggests the next one.
        study.tell(open.id(), Outcome::new(outcome(open.numbers())).cost(2.0)).unwrap();
        study.verdict().unwrap();
        study.ask().unwrap();
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    use ErrorKind::*;
    let refused = |builder: StudyBuilder| {
        builder.build().err().map(|error| (error.kind(), error.to_string()))
    };
    let table: [(StudyBuilder, ErrorKind, &str); 13] = [
        (Study::minimize(Space::new()), Empty, "parameter"),
        (Study::minimize(Space::new().float("x", 1.0, 0.0)), InvalidSetting, "x"),
        (Study::minimize(Space::new().float("x", 0.0, f64::NAN)), NonFinite, "x"),
        (Study::minimize(space()).cost(Cost::uniform(0.0)), NonPositiveCost, "cost"),
        (Study::minimize(space()).policy(Acquisition::gittins(0.0)), InvalidSetting, "lambda"),
        (Study::minimize(space()).policy(Acquisition::gittins(f64::NAN)), NonFinite, "lambda"),
        (Study::minimize(space()).policy(Policy::gittins_decay(-1.0, 2.0)), InvalidSetting, "-1"),
        (
            Study::minimize(space()).policy(Policy::gittins_decay(0.1, 1.0)),
            InvalidSetting,
            "factor",
        ),
        (Study::minimize(space()).policy(Policy::log_eipc_cooled(0.0)), InvalidSetting, "budget"),
        (Study::minimize(space()).stop(GittinsRule::priced(0.0)), InvalidSetting, "price"),
        (Study::minimize(space()).stop(SpendingLimit::new(f64::NAN)), InvalidSetting, "limit"),
        (Study::minimize(space()).search(Search::new(0, 4)), InvalidSetting, "point"),
        (Study::minimize(space()).search(Search::new(4, 0)), InvalidSetting, "start"),
    ];
    for (builder, kind, culprit) in table {
        let (found, message) = refused(builder).expect(culprit);
        assert_eq!(found, kind, "{message}");
        assert!(message.contains(culprit), "{message} without {culprit}");
    }
}

/// Environment variables belong to the whole process, so this test runs itself in a child process.
#[test]
fn a_backend_that_the_environment_misspells_is_refused_by_name() {
    const CHILD: &str = "GITTINS_TEST_MISSPELLS";
    if env::var_os(CHILD).is_some() {
        let error = learning().build().err().unwrap();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (ErrorKind::InvalidSetting, "GITTINS_BACKEND: expected auto, cpu or gpu, got 'cuda'")
        );
        // An explicit backend does not read the environment.
        learning().backend(Arc::new(Cpu)).build().unwrap();
        return;
    }
    let name = "loops::bad_input::a_backend_that_the_environment_misspells_is_refused_by_name";
    let mut child = Command::new(env::current_exe().unwrap());
    let ran = child
        .args(["--exact", name])
        .env(CHILD, "1")
        .env("GITTINS_BACKEND", "cuda")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && printed.contains("1 passed"), "{printed}");
}

#[test]
fn nothing_told_is_no_obstacle() {
    let mut study = Study::minimize(space())
        .initial(0)
        .search(Search::new(32, 2))
        .policy(Acquisition::gittins(0.1))
        .build()
        .unwrap();
    assert!(study.best().is_none() && study.history().is_empty());
    assert!(!study.verdict().unwrap().is_stop());
    let ask = study.ask().unwrap();
    // One observation is enough to fit a model.
    study.tell(ask.id(), Outcome::new(outcome(ask.numbers()))).unwrap();
    study.verdict().unwrap();
    study.ask().unwrap();
}

#[test]
fn identical_points_and_constant_outcomes_work() {
    let values = [0.5, 4.0];
    let mut study = learning().build().unwrap();
    for (outcome, cost) in [(1.0, 3.0), (1.0, 3.0), (1.0, 3.0), (1.0, 3.0)] {
        study.import(&values, Outcome::new(outcome).cost(cost)).unwrap();
    }
    study.verdict().unwrap();
    let ask = study.ask().unwrap();
    assert_ne!(ask.numbers(), values);
    for outcome in [1.0, 0.0, 1e6] {
        study.import(&values, Outcome::new(outcome).cost(1.0)).unwrap();
        study.ask().unwrap();
    }
    for scale in [0.0, 1e-200, 1e200] {
        let mut study = learning().build().unwrap();
        for i in 0..5 {
            study
                .import(&[f64::from(i) / 5.0, 2.0], Outcome::new(scale).cost(1.0 + f64::from(i)))
                .unwrap();
        }
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(scale).cost(1.0)).unwrap();
        study.verdict().unwrap();
    }
}

#[test]
fn one_dimension_and_two_hundred_work() {
    for dim in [1, 200] {
        let space = (0..dim).fold(Space::new(), |space, i| space.float(format!("x{i}"), -1.0, 1.0));
        let mut study = Study::minimize(space)
            .policy(Acquisition::gittins(1e-3))
            .initial(4)
            .search(Search::new(32, 2))
            .build()
            .unwrap();
        for _ in 0..6 {
            let ask = study.ask().unwrap();
            assert_eq!(ask.numbers().len(), dim);
            study.tell(ask.id(), Outcome::new(ask.numbers().iter().map(|x| x * x).sum())).unwrap();
            study.verdict().unwrap();
        }
    }
}

#[test]
fn telling_after_stop_is_fine() {
    let mut study = Study::minimize(space())
        .stop(gittins::stop::TrialLimit::new(1))
        .initial(2)
        .search(Search::new(32, 2))
        .build()
        .unwrap();
    let asks: Vec<_> = (0..2).map(|_| study.ask().unwrap()).collect();
    for ask in &asks {
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers()))).unwrap();
    }
    let asks: Vec<_> = (0..3).map(|_| study.ask().unwrap()).collect();
    for ask in asks {
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers()))).unwrap();
        assert!(study.verdict().unwrap().is_stop());
    }
    assert_eq!(study.counts().adaptive, 3);
    study.ask().unwrap();
}

#[test]
fn a_known_cost_that_is_none_is_an_error_of_the_trial_and_can_be_told_by_hand() {
    static BROKEN: AtomicBool = AtomicBool::new(false);
    let cost =
        Cost::known(|values| if BROKEN.load(Ordering::Relaxed) { -1.0 } else { 1.0 + values[0] });
    let mut study =
        Study::minimize(space()).cost(cost).initial(3).search(Search::new(32, 2)).build().unwrap();
    for _ in 0..4 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers()))).unwrap();
    }
    let open = study.ask().unwrap();
    BROKEN.store(true, Ordering::Relaxed);
    let error = study.tell(open.id(), Outcome::new(1.0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NonPositiveCost);
    assert!(error.to_string().contains("trial 4"), "{error}");
    study.tell(open.id(), Outcome::new(1.0).cost(2.0)).unwrap();
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::NonPositiveCost);
    BROKEN.store(false, Ordering::Relaxed);
    study.ask().unwrap();
    assert_eq!(study.history()[4].cost, Some(2.0));
}

#[test]
fn tables_of_nothing_are_refused() {
    assert_eq!(Table::new(["x"], Vec::<Vec<f64>>::new()).unwrap_err().kind(), ErrorKind::Empty);
    let mut study = Study::minimize(Table::new(["x"], vec![vec![1.0]]).unwrap()).build().unwrap();
    let ask = study.ask().unwrap();
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    study.tell(ask.id(), Outcome::new(1.0)).unwrap();
    assert!(study.verdict().unwrap().is_stop());
}
