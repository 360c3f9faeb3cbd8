//! Trials in stages have what any trial has: limits, corrections, imports, records, rules.

use gittins::stop::{NamedRule, TrialLimit};
use gittins::study::{Advice, Limit, Objective, Request, Rule, Stages, StudyBuilder, TrialState};
use gittins::{Ask, Cost, ErrorKind, Outcome, Policy, Space, Study, Value};
use gittins_papers::evaluation::Replay;

const REPORTS: [f64; 3] = [3.0, 9.0, 27.0];

fn settings() -> StudyBuilder {
    let space = Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0);
    Study::minimize(space).stages(Stages::of(27.0).reports(REPORTS)).seed(3)
}

/// A loss that falls to an end which is least at `(0.8, 0.6)`.
fn loss(x: f64, y: f64, until: f64) -> f64 {
    (x - 0.8).powi(2) + 0.5 * (y - 0.6).powi(2) + 0.4 * (-until / 6.0).exp()
}

fn point(ask: &Ask) -> (f64, f64) {
    (ask.get("x").unwrap(), ask.get("y").unwrap())
}

/// One ask, followed to its pause or end, where `end` tells it.
fn step(study: &mut Study, end: impl Fn(f64, f64) -> Outcome) {
    let ask = study.ask().unwrap();
    let ((x, y), mut from) = (point(&ask), ask.resume().unwrap_or(0.0));
    let mut until = ask.until();
    while until < 27.0 {
        match study.report(ask.id(), until, loss(x, y, until), until - from).unwrap() {
            Advice::Continue { until: next } => (from, until) = (until, next),
            _ => return,
        }
    }
    study.tell(ask.id(), end(x, y).cost(until - from)).unwrap();
}

/// Half of the space breaks a limit, and the least loss of all is there.
#[test]
fn limits_count_where_runs_end() {
    let limited = || settings().limit("size", Limit::at_most(0.5)).budget(1500.0);
    let mut study = limited().build().unwrap();
    let measured = |x: f64, y: f64| Outcome::new(loss(x, y, 27.0)).measured("size", x);
    while !study.verdict().unwrap().is_stop() {
        step(&mut study, measured);
    }
    let best = study.best().unwrap();
    assert!(best.measured.get("size").unwrap() <= 0.5, "{best:?}");
    let outcome = best.outcome.unwrap();
    assert!(outcome < 0.12 && study.best_report().unwrap().outcome == outcome, "{outcome}");
    // Without what is known of the limit most would end where the loss is least.
    let ended = study.history().iter().filter(|trial| trial.state == TrialState::Complete);
    let last: Vec<f64> = ended.map(|trial| trial.values[0].number().unwrap()).collect();
    let late = &last[last.len() / 2..];
    let held = late.iter().filter(|x| **x <= 0.5).count();
    assert!(late.len() >= 4 && 5 * held >= 2 * late.len(), "{held} of {}", late.len());
    // An end without its number is refused, and can be told again.
    let id = study.announce(&[0.2, 0.6]).unwrap();
    let error = study.report(id, 27.0, 0.1, 1.0).unwrap_err();
    assert!(error.to_string().contains("size"), "{error}");
    assert_eq!(study.tell(id, Outcome::new(0.01).cost(1.0)).unwrap_err().kind(), error.kind());
    study.tell(id, Outcome::new(0.01).cost(1.0).measured("size", 0.2)).unwrap();
    assert_eq!(study.best().unwrap().id, id);
    // It is the same study by its events.
    let mut again = limited().resume(study.events().to_vec()).unwrap();
    assert_eq!(again.history(), study.history());
    assert_eq!(again.ask().unwrap(), study.ask().unwrap());
}

#[test]
fn what_was_reported_is_corrected_and_others_are_imported() {
    let mut study = settings().initial(3).build().unwrap();
    for _ in 0..8 {
        step(&mut study, |x, y| Outcome::new(loss(x, y, 27.0)));
    }
    let bought = study.total_cost();
    let id = study.import(&[0.8, 0.6], Outcome::new(-2.0).cost(40.0)).unwrap();
    assert_eq!(study.best().unwrap().id, id);
    assert_eq!((study.history()[id.index()].progress(), study.total_cost()), (27.0, bought + 40.0));
    // A slip of the pen.
    study.correct(id, Outcome::new(0.2)).unwrap();
    assert_eq!(study.history()[id.index()].outcome, Some(0.2));
    assert_eq!(study.history()[id.index()].reports[0].outcome, 0.2);
    let paused = study.history().iter().find(|trial| trial.state == TrialState::Paused).unwrap();
    let (paused, reports) = (paused.id, paused.reports.len());
    study.correct(paused, Outcome::new(5.0)).unwrap();
    assert_eq!(study.history()[paused.index()].reports[reports - 1].outcome, 5.0);
    // What ended without an outcome has none to correct, also if it reported before.
    let id = study.announce(&[0.1, 0.1]).unwrap();
    study.note_report(id, 3.0, 0.9, 1.0).unwrap();
    study.tell(id, Outcome::infeasible().cost(1.0)).unwrap();
    assert!(study.correct(id, Outcome::new(0.1)).unwrap_err().to_string().contains("nothing"));
    // Two reports later, with what was found after the correction.
    for _ in 0..2 {
        study.verdict().unwrap();
        step(&mut study, |x, y| Outcome::new(loss(x, y, 27.0)));
    }
    let mut again = settings().initial(3).resume(study.events().to_vec()).unwrap();
    assert_eq!(again.history(), study.history());
    assert_eq!(again.ask().unwrap(), study.ask().unwrap());
    // The record has each trial, and only ends have an outcome there.
    let record = study.record();
    assert_eq!(record.rows().len(), study.history().len());
    for (row, trial) in record.rows().iter().zip(study.history()) {
        assert_eq!((row.outcome, row.cost, row.state), (trial.outcome, trial.cost, trial.state));
    }
    let error = Replay::new(settings()).rule(TrialLimit::new(3)).run(&record).unwrap_err();
    assert!(error.to_string().contains("no reports"), "{error}");
}

#[test]
fn any_rule_ends_a_study_in_stages() {
    let stall = || NamedRule::new("stall", &[("window", 3.0)]).into();
    for (rule, name) in [(stall(), "stall"), (Rule::from(TrialLimit::new(5)), "trials")] {
        let mut study = settings().stop(rule).build().unwrap();
        let mut asked = 0;
        while !study.verdict().unwrap().is_stop() {
            step(&mut study, |x, y| Outcome::new(loss(x, y, 27.0)));
            asked += 1;
            assert!(asked < 400, "{name}");
        }
        let ended = study.history().iter().filter(|trial| trial.state == TrialState::Complete);
        assert!(ended.count() >= 4, "{name}");
        assert_ne!(study.verdict().unwrap().reason().rule, "stages");
    }
    gittins_papers::register();
    // Those that ask a model ask that of trials that came to their end.
    for rule in [
        NamedRule::new("gittins", &[("price", 1e-3)]),
        NamedRule::new("expected_improvement", &[("threshold", 1e-9)]),
        NamedRule::new("confidence_gap", &[("gap", 1e-9)]),
        NamedRule::new("global_window", &[("window", 5.0)]),
    ] {
        let mut study = settings().initial(3).stop(rule).build().unwrap();
        for _ in 0..12 {
            step(&mut study, |x, y| Outcome::new(loss(x, y, 27.0)));
            let verdict = study.verdict().unwrap();
            assert_eq!(study.verdict().unwrap(), verdict);
        }
        let events = study.events().to_vec();
        let rule = study.verdict().unwrap().reason().rule.clone();
        assert!(events.len() > 20 && rule != "stages", "{rule}");
    }
}

/// A request has a count alone in stages, and whole trials have no stages.
#[test]
fn what_the_other_kind_has_is_refused() {
    let mut study = settings().initial(3).build().unwrap();
    let refused = |result: gittins::Result<()>, says: &str| {
        let error = result.unwrap_err();
        let words = error.to_string();
        assert!(error.kind() == ErrorKind::InvalidSetting && words.contains(says), "{words}");
    };
    refused(study.ask_for(&Request::new().within(3.0)).map(drop), "count alone");
    refused(study.ask_for(&Request::new().jointly()).map(drop), "count alone");
    refused(study.change_policy(Policy::log_eipc()), "with a price");
    assert!(study.events().is_empty());
    let mut whole = Study::minimize(Space::new().float("x", 0.0, 1.0)).build().unwrap();
    let ask = whole.ask().unwrap();
    assert_eq!((ask.resume(), ask.until()), (None, 1.0));
    refused(whole.forecast_end(ask.id()).map(drop), "no stages");
    assert!(whole.best_report().is_none() && whole.stages().is_none());
}

#[test]
fn settings_that_make_no_sense_in_stages_are_refused() {
    let any = || settings().stages(Stages::of(27.0).any_stage_counts(true));
    for (builder, says) in [
        (settings().cost(Cost::uniform(2.0)), "cost"),
        (settings().policy(Policy::log_eipc()), "policy"),
        (settings().policy(Policy::gittins_decay(0.5, 2.0)), "policy"),
        (settings().objective("size", Objective::minimize()), "objectives"),
        (any().limit("size", Limit::at_most(1.0)), "limits"),
        (settings().initial(0), "initial"),
    ] {
        let error = builder.build().unwrap_err();
        let words = error.to_string();
        assert!(words.starts_with(&format!("in stages, {says}: ")), "{words}");
    }
    settings().cost(Cost::learned()).build().unwrap();
    let values: Vec<Value> = vec![0.1.into(), 0.2.into()];
    let folds = || settings().stages(Stages::folds(3)).build().unwrap();
    assert!(folds().import(&values, Outcome::new(0.1)).is_err());
    assert!(folds().import(&values, Outcome::failed()).is_ok());
}
