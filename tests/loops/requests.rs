//! Requests whose options combine: several points, refined together, within a limit of the cost, in
//! a part of the space.

use std::sync::Arc;

use gittins::data::{Condition, Requirement};
use gittins::study::{Request, StudyBuilder, Why};
use gittins::{
    Acquisition, Ask, Cost, Cpu, ErrorKind, Outcome, Pointwise, Policy, Space, Study, Table,
};

fn cost(at: &[f64]) -> f64 {
    (1.0 + 2.0 * at[0]).exp()
}

fn outcome(at: &[f64]) -> f64 {
    (at[0] - 0.8).powi(2) + 0.4 * (at[1] - 0.6).powi(2) + 0.05 * (9.0 * at[0]).sin()
}

fn told(builder: StudyBuilder, policy: &Policy, learned: bool) -> Study {
    let builder =
        if learned { builder.cost(Cost::learned()) } else { builder.cost(Cost::known(cost)) };
    let builder = builder.policy(policy.clone()).backend(Arc::new(Cpu)).seed(5);
    let mut study = builder.build().unwrap();
    for _ in 0..9 {
        let ask = study.ask().unwrap();
        let told = Outcome::new(outcome(ask.numbers()));
        let told = if learned { told.cost(cost(ask.numbers())) } else { told };
        study.tell(ask.id(), told).unwrap();
    }
    study
}

fn plane() -> StudyBuilder {
    Study::minimize(Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0).int("n", 1, 9))
}

fn grid() -> StudyBuilder {
    Study::minimize(Space::new().int("x", 0, 9).int("y", 0, 9))
}

fn condition(parameter: &str, requirement: Requirement) -> Condition {
    Condition { parameter: parameter.to_owned(), requirement }
}

fn policies() -> [Policy; 3] {
    [
        Acquisition::gittins(1e-4).into(),
        Acquisition::from(Pointwise::LogExpectedImprovement).into(),
        Policy::thompson(),
    ]
}

fn units(study: &Study, asks: &[Ask]) -> Vec<Vec<u64>> {
    let unit = |ask: &Ask| study.history()[ask.id().index()].unit.clone();
    asks.iter().map(|ask| unit(ask).into_iter().map(f64::to_bits).collect()).collect()
}

#[test]
fn every_point_of_a_round_is_within_the_limit_and_in_the_part() {
    let below = || condition("y", Requirement::AtMost(0.5));
    let fixed = || condition("n", Requirement::Is(vec![4.into()]));
    for policy in policies() {
        for learned in [false, true] {
            for jointly in [false, true] {
                let mut study = told(plane(), &policy, learned);
                let request = Request::new().count(5).within(7.0).given([below()]).given([fixed()]);
                let request = if jointly { request.jointly() } else { request };
                let asks = study.ask_for(&request).unwrap();
                assert_eq!(asks.len(), 5, "{policy:?}");
                for ask in &asks {
                    let Why::Suggested(said) = ask.why() else { panic!("{}", ask.why()) };
                    assert!(said.cost <= 7.0, "{policy:?} {}", said.cost);
                    assert!(ask.get::<f64>("y").unwrap() <= 0.5 + 1e-15);
                    assert_eq!(ask.get::<i64>("n").unwrap(), 4);
                    // The trial under way is where the answer says.
                    assert_eq!(study.history()[ask.id().index()].values, ask.values());
                }
                let mut points = units(&study, &asks);
                points.sort();
                points.dedup();
                assert_eq!(points.len(), 5, "{policy:?}");
                // The whole is searched again afterwards.
                assert_eq!(study.ask_many(2).unwrap().len(), 2);
            }
        }
    }
}

#[test]
fn a_round_within_a_limit_is_moved_together_and_stays_within_it() {
    let policy: Policy = Acquisition::gittins(1e-4).into();
    for builder in [plane as fn() -> StudyBuilder, grid] {
        let limit = if builder().build().unwrap().domain().is_finite() { 1e4 } else { 7.0 };
        let request = Request::new().count(6).within(limit);
        let (mut alone, mut jointly) =
            (told(builder(), &policy, false), told(builder(), &policy, false));
        let one_by_one = alone.ask_for(&request).unwrap();
        let together = jointly.ask_for(&request.jointly()).unwrap();
        assert_eq!((one_by_one.len(), together.len()), (6, 6));
        for ask in &together {
            assert!(cost(ask.numbers()) <= limit * (1.0 + 1e-12));
        }
        let moved = units(&alone, &one_by_one) != units(&jointly, &together);
        assert!(moved || jointly.domain().is_finite());
    }
}

#[test]
fn a_limit_that_excludes_nothing_changes_nothing() {
    for policy in policies() {
        for request in [Request::new().count(4), Request::new().count(4).jointly()] {
            let (mut free, mut limited) =
                (told(plane(), &policy, false), told(plane(), &policy, false));
            let asks = free.ask_for(&request).unwrap();
            let same = limited.ask_for(&request.within(1e9)).unwrap();
            assert_eq!(units(&free, &asks), units(&limited, &same), "{policy:?}");
        }
    }
}

#[test]
fn a_round_ends_early_if_nothing_else_is_within_the_limit() {
    let rows: Vec<Vec<f64>> = (0..12).map(|i| vec![f64::from(i)]).collect();
    let table = Table::new(["x"], rows).unwrap();
    let mut study = Study::minimize(table)
        .cost(Cost::known(|x: &[f64]| 1.0 + x[0]))
        .backend(Arc::new(Cpu))
        .initial(2)
        .build()
        .unwrap();
    for ask in study.ask_many(2).unwrap() {
        study.tell(ask.id(), Outcome::new(ask.numbers()[0])).unwrap();
    }
    let taken = study.history().iter().filter(|trial| trial.unit[0] * 11.0 < 3.5).count();
    let request = Request::new().count(9).within(4.5);
    let asks = study.ask_for(&request).unwrap();
    assert_eq!(asks.len(), 4 - taken);
    assert!(asks.iter().all(|ask| ask.numbers()[0] <= 3.5));
    assert!(study.ask_for(&request).unwrap().is_empty());
    // What is not asked of a table is not refused.
    assert!(!study.ask_for(&request.within(9.0).jointly().given([])).unwrap().is_empty());
}

#[test]
fn what_makes_no_sense_is_refused_by_name_and_changes_nothing() {
    let policy: Policy = Acquisition::gittins(1e-4).into();
    let mut study = told(plane(), &policy, true);
    let at = |requirement| condition("x", requirement);
    let apart = [at(Requirement::AtMost(0.2)), at(Requirement::AtLeast(0.4))];
    for (request, kind, words) in [
        (Request::new().within(0.0), ErrorKind::InvalidSetting, "limit"),
        (Request::new().count(3).within(f64::NAN), ErrorKind::InvalidSetting, "limit"),
        (Request::new().count(0).within(-1.0), ErrorKind::InvalidSetting, "limit"),
        (Request::new().count(2).given(apart), ErrorKind::OutOfBounds, "\"x\""),
        (
            Request::new().given([condition("z", Requirement::AtMost(0.5))]),
            ErrorKind::UnknownParameter,
            "\"z\"",
        ),
    ] {
        let error = study.ask_for(&request).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    assert!(study.ask_for(&Request::new().count(0)).unwrap().is_empty());
    assert_eq!(study.history().len(), 9);
}
