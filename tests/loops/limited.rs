//! Studies with limits on measured numbers: what is found, what is said, and what is in hand.

use gittins::stop::StallRule;
use gittins::study::{Limit, Objective, StudyBuilder, Why};
use gittins::{Cost, ErrorKind, Outcome, Policy, Record, Space, Study};
use gittins_papers::evaluation::{Course, Replay};
use gittins_papers::rules::GlobalWindowRule;

fn square() -> Space {
    Space::new().float("x", 0.0, 2.0).float("y", 0.0, 2.0)
}

/// The square of the distance from the origin, beyond the line `x + y = 1.2`: 0.72 at (0.6, 0.6).
fn tell(study: &mut Study, scale: f64) -> f64 {
    let ask = study.ask().unwrap();
    let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
    let outcome = Outcome::new(x * x + y * y).measured("sum", scale * (x + y)).cost(1.0);
    study.tell(ask.id(), outcome).unwrap();
    x + y
}

#[test]
fn the_end_is_on_the_limit_and_never_beyond() {
    for (policy, short_of) in [(Policy::log_ei(), 1e-5), (Policy::gittins(1e-5), 1e-5)] {
        for scale in [1.0, -1e6] {
            let limit = if scale > 0.0 { Limit::at_least } else { Limit::at_most }(1.2 * scale);
            let mut study = Study::minimize(square())
                .policy(policy.clone())
                .limit("sum", limit)
                .build()
                .unwrap();
            for _ in 0..50 {
                tell(&mut study, scale);
                let recommended = study.recommendation().unwrap();
                if let Some(recommended) = recommended {
                    let sum = recommended.measured.get("sum").unwrap();
                    assert!(limit.holds(sum), "{recommended}");
                }
            }
            let best = study.best().unwrap();
            assert!(limit.holds(best.measured.get("sum").unwrap()));
            let gap = best.outcome.unwrap() - 0.72;
            assert!((0.0..short_of).contains(&gap), "{policy:?}, {scale}: {gap}");
        }
    }
}

#[test]
fn an_impossible_limit_is_searched_for_and_then_given_up_by_name() {
    let policy = Policy::gittins(1e-3);
    let mut study = Study::minimize(square())
        .policy(policy)
        .limit("sum", Limit::at_least(5.0))
        .build()
        .unwrap();
    let mut nearest: f64 = 0.0;
    let mut trials = 0;
    while !study.verdict().unwrap().is_stop() {
        nearest = nearest.max(tell(&mut study, 1.0));
        trials += 1;
        assert!(trials < 100);
    }
    // The corner is nearest, and its surroundings were looked at.
    assert!(nearest > 3.8, "{nearest}");
    assert!(study.best().is_none() && study.recommendation().unwrap().is_none());
    let reason = study.verdict().unwrap().reason().to_string();
    assert!(reason.contains("no trial holds all limits; the nearest is trial"), "{reason}");
    assert!(reason.contains("which must be at least 5"), "{reason}");
    assert!(reason.contains("its chance to hold all limits is not worth its price"), "{reason}");
}

#[test]
fn a_limit_that_always_holds_changes_little() {
    let gap = |limited: bool| {
        let study = Study::minimize(square()).seed(4);
        let study = if limited { study.limit("sum", Limit::at_most(9.0)) } else { study };
        let mut study = study.build().unwrap();
        for _ in 0..25 {
            let ask = study.ask().unwrap();
            let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
            let outcome = Outcome::new((x - 0.7).powi(2) + (y - 1.1).powi(2));
            let outcome = if limited { outcome.measured("sum", x + y) } else { outcome };
            study.tell(ask.id(), outcome).unwrap();
        }
        study.best().unwrap().outcome.unwrap()
    };
    assert!(gap(false) < 1e-5 && gap(true) < 1e-5, "{} {}", gap(false), gap(true));
}

#[test]
fn conflicting_limits_are_never_both_held() {
    let mut study = Study::minimize(square())
        .policy(Policy::gittins(1e-2))
        .limit("sum", Limit::at_least(3.0))
        .limit("x", Limit::at_most(0.5))
        .build()
        .unwrap();
    let mut trials = 0;
    while !study.verdict().unwrap().is_stop() && trials < 80 {
        let ask = study.ask().unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        let outcome = Outcome::new(x).measured("sum", x + y).measured("x", x);
        study.tell(ask.id(), outcome).unwrap();
        trials += 1;
    }
    assert!(trials < 80);
    let reason = study.verdict().unwrap().reason().to_string();
    assert!(reason.contains("no trial holds all limits"), "{reason}");
}

#[test]
fn with_noise_a_lucky_measurement_is_not_in_hand() {
    let mut study = Study::minimize(square()).limit("sum", Limit::at_least(1.2)).build().unwrap();
    let mut state = 7.0f64;
    for _ in 0..60 {
        let ask = study.ask().unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        // Uniform enough, and the same on every machine.
        state = (state * 16_807.0) % 2_147_483_647.0;
        let sum = x + y + 0.4 * (state / 2_147_483_647.0 - 0.5);
        study.tell(ask.id(), Outcome::new(x * x + y * y).measured("sum", sum)).unwrap();
    }
    let recommended = study.recommendation().unwrap().unwrap();
    let truth: f64 = recommended.numbers().iter().sum();
    let lucky = study.best().unwrap();
    let lucky: f64 = lucky.numbers().iter().sum();
    // The best by measurement is best because it was lucky.
    assert!(lucky < truth && truth > 1.1, "{lucky}, {truth}");
}

#[test]
fn a_number_that_was_not_measured_holds_nothing_and_stops_nothing() {
    let mut study = Study::minimize(square()).limit("sum", Limit::at_least(1.2)).build().unwrap();
    for trial in 0..20 {
        let ask = study.ask().unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        let sum = if trial % 3 == 0 { f64::NAN } else { x + y };
        study.tell(ask.id(), Outcome::new(x * x + y * y).measured("sum", sum)).unwrap();
    }
    let best = study.best().unwrap();
    assert!(best.measured.get("sum").unwrap() >= 1.2);
    // None of them was ever measured.
    let mut study = Study::minimize(square()).limit("sum", Limit::at_least(1.2)).build().unwrap();
    for _ in 0..12 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(1.0).measured("sum", f64::NAN)).unwrap();
    }
    assert!(study.best().is_none() && study.recommendation().unwrap().is_none());
}

#[test]
fn a_quick_check_teaches_the_limit_and_not_that_trials_fail() {
    let mut study = Study::minimize(square())
        .cost(Cost::learned())
        .limit("size", Limit::at_most(2.0))
        .build()
        .unwrap();
    let mut checked = 0;
    for _ in 0..25 {
        let ask = study.ask().unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        let size = x + y;
        let outcome = if size > 2.0 {
            Outcome::infeasible().measured("size", size).cost(0.01)
        } else {
            Outcome::new(-x - 2.0 * y).measured("size", size).cost(1.0)
        };
        checked += usize::from(size > 2.0);
        study.tell(ask.id(), outcome).unwrap();
    }
    let best = study.best().unwrap();
    assert!(checked > 0 && best.outcome.unwrap() < -3.99, "{checked}: {best:?}");
}

#[test]
fn what_is_told_by_mistake_is_named() {
    let mut study = Study::minimize(square()).limit("sum", Limit::at_least(1.2)).build().unwrap();
    let ask = study.ask().unwrap();
    for (outcome, kind, words) in [
        (Outcome::new(1.0), ErrorKind::InvalidSetting, "\"sum\", which must be at least 1.2"),
        (
            Outcome::new(1.0).measured("sun", 1.0),
            ErrorKind::InvalidSetting,
            "did you mean \"sum\"?",
        ),
        (Outcome::new(1.0).measured("sum", f64::INFINITY), ErrorKind::NonFinite, "NaN says"),
    ] {
        let error = study.tell(ask.id(), outcome).unwrap_err();
        assert_eq!(error.kind(), kind);
        let text = error.to_string();
        assert!(text.contains(words) && text.contains("trial 0"), "{text}");
    }
    // A trial that is not there lacks no number.
    assert_eq!(study.tell(9, Outcome::new(1.0)).unwrap_err().kind(), ErrorKind::UnknownTrial);
    study.tell(ask.id(), Outcome::new(1.0).measured("sum", 1.1)).unwrap();
    assert!(study.best().is_none());
    study.correct(ask.id(), Outcome::new(1.0).measured("sum", 1.3)).unwrap();
    assert_eq!(study.best().unwrap().measured.get("sum"), Some(1.3));
    // Without a new number the old one stays.
    study.correct(ask.id(), Outcome::new(2.0)).unwrap();
    assert_eq!(study.best().unwrap().measured.get("sum"), Some(1.3));
    let error = Study::minimize(square())
        .policy(Policy::ucb())
        .limit("sum", Limit::at_least(1.2))
        .build()
        .unwrap_err();
    assert!(error.to_string().contains("ignores limits"), "{error}");
}

#[test]
fn a_study_with_limits_goes_on_from_its_events_to_the_bit() {
    let settings = || {
        Study::minimize(square()).limit("sum", Limit::at_least(1.2)).policy(Policy::gittins(1e-4))
    };
    let mut study = settings().build().unwrap();
    for _ in 0..12 {
        tell(&mut study, 1.0);
    }
    study.verdict().unwrap();
    let mut again = settings().resume(study.events().to_vec()).unwrap();
    for _ in 0..4 {
        assert_eq!(tell(&mut again, 1.0).to_bits(), tell(&mut study, 1.0).to_bits());
        assert_eq!(again.verdict().unwrap(), study.verdict().unwrap());
    }
}

/// A study whose numbers have names with what has a meaning in cells, and some trials of no use.
fn named() -> (StudyBuilder, Study) {
    let names = ["a=b;c%3D", "latency_ms", "\u{d6}l, \"cold\""];
    let limits = names.map(|name| (name, Limit::at_most(1.0)));
    let settings = || {
        let study = Study::minimize(square()).initial(3);
        limits.iter().fold(study, |study, (name, limit)| study.limit(*name, *limit))
    };
    let mut study = settings().build().unwrap();
    let numbers = [
        [0.1 + 0.2, 5e-324, -0.0],
        [f64::NAN, 1.0, -f64::MAX],
        [1.5, 0.5, 0.5],
        [-1e300, 0.75, 0.25],
    ];
    for (trial, numbers) in numbers.iter().enumerate() {
        let ask = study.ask().unwrap();
        let outcome = Outcome::new(4.0 - trial as f64);
        let told = names
            .iter()
            .zip(numbers)
            .fold(outcome, |told, (name, number)| told.measured(*name, *number));
        study.tell(ask.id(), told).unwrap();
        study.verdict().unwrap();
    }
    let ask = study.ask().unwrap();
    study.tell(ask.id(), Outcome::infeasible().measured(names[1], 7.0)).unwrap();
    study.ask().unwrap();
    (settings(), study)
}

#[test]
fn measured_numbers_of_a_record_survive_cells_and_json() {
    let (_, study) = named();
    let record = study.record();
    let (columns, cells): (_, Vec<Vec<String>>) = (record.columns(), record.cells().collect());
    let at = columns.iter().position(|name| name == "measured").unwrap();
    let text = "a%3Db%3Bc%253D=0.30000000000000004;latency_ms=5e-324;\u{d6}l, \"cold\"=-0.0";
    assert_eq!(cells[0][at], text);
    assert_eq!((cells[4][at].as_str(), cells[5][at].as_str()), ("latency_ms=7.0", ""));
    let json = serde_json::to_string(&record).unwrap();
    let back: Record = serde_json::from_str(&json).unwrap();
    // NaN is not equal to itself.
    assert_eq!(format!("{back:?}"), format!("{record:?}"));
    // A record without such numbers has no such column.
    let mut study = Study::minimize(square()).build().unwrap();
    let ask = study.ask().unwrap();
    study.tell(ask.id(), Outcome::new(1.0)).unwrap();
    assert!(!study.record().columns().contains(&"measured".to_owned()));
}

/// The course of a run, rules that count and a policy that is changed to: all looked at outcomes alone.
#[test]
fn what_is_of_no_use_is_no_progress() {
    let (settings, mut study) = named();
    let record = study.record();
    let best: Vec<f64> =
        Course::of(&record).unwrap().marks().iter().map(|mark| mark.best).collect();
    assert_eq!(best, [4.0, 1.0, 1.0]);
    let replay =
        Replay::new(settings).rule(StallRule::new().window(1)).rule(GlobalWindowRule::new());
    assert_eq!(replay.run(&record).unwrap().course, Course::of(&record).unwrap());
    let error = study.change_policy(Policy::ucb()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    study.change_policy(Policy::gittins(1e-2)).unwrap();

    let limited = |bound: f64, tells: &[f64]| {
        let study = Study::minimize(square()).initial(1).stop(StallRule::new().window(2));
        let mut study = study.limit("sum", Limit::at_least(bound)).build().unwrap();
        for &outcome in tells {
            let ask = study.ask().unwrap();
            study.tell(ask.id(), Outcome::new(outcome).measured("sum", outcome)).unwrap();
        }
        study.verdict().unwrap()
    };
    // The last two are better, and of no use.
    assert!(limited(2.5, &[4.0, 3.0, 2.0, 1.0]).is_stop());
    assert!(!limited(0.0, &[4.0, 3.0, 2.0, 1.0]).is_stop());
    // Nothing was in hand two trials ago.
    let verdict = limited(9.0, &[4.0, 3.0, 2.0, 1.0]);
    assert!(
        !verdict.is_stop() && verdict.reason().to_string().contains("there is no incumbent yet")
    );
}

/// A quarter of the budget ends the design once there is something to learn from. That was only what
/// held all limits.
#[test]
fn trials_of_no_use_end_a_design_that_costs_too_much() {
    let study = Study::minimize(square()).cost(Cost::uniform(1.0)).budget(8.0).initial(6);
    let mut study = study.limit("sum", Limit::at_least(9.0)).build().unwrap();
    for trial in 0..4 {
        let ask = study.ask().unwrap();
        assert_eq!(matches!(ask.why(), Why::Suggested(_)), trial == 3, "{}", ask.why());
        let sum: f64 = ask.numbers().iter().sum();
        study.tell(ask.id(), Outcome::new(sum).measured("sum", sum)).unwrap();
    }
}

/// A study without limits spoke of them where an objective was told by another name.
#[test]
fn an_objective_that_nobody_measures_is_named() {
    let mut study = Study::minimize(square())
        .policy(Policy::gittins(1e-2))
        .objective("latncy", Objective::minimize().reference(2.0))
        .reference(3.0)
        .build()
        .unwrap();
    for _ in 0..12 {
        let ask = study.ask().unwrap();
        study
            .tell(ask.id(), Outcome::new(ask.get("x").unwrap()).measured("latncy", f64::NAN))
            .unwrap();
    }
    let reason = study.verdict().unwrap().reason().to_string();
    let words = "no trial has all objectives; the nearest is trial";
    assert!(reason.contains(words) && reason.contains("latncy was not measured"), "{reason}");
    assert!(!reason.contains("limits"), "{reason}");
}
