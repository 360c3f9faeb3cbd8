//! Studies with several objectives: their fronts, limits beside them, when they stop, and what is said.

use gittins::study::{Limit, Objective};
use gittins::suggest::Incumbent;
use gittins::{ErrorKind, Outcome, Policy, Space, Study, Trial};

fn plane() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
}

/// Two bowls: the front is the line between their centers, (0.2, 0.5) and (0.8, 0.5).
fn bowls(x: f64, y: f64) -> (f64, f64) {
    let bowl = |center: f64| (x - center).powi(2) + (y - 0.5).powi(2);
    (bowl(0.2), bowl(0.8))
}

fn tell(study: &mut Study, sign: f64) -> (f64, f64) {
    let ask = study.ask().unwrap();
    let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
    let (first, second) = bowls(x, y);
    let outcome = Outcome::new(first).measured("second", sign * second);
    study.tell(ask.id(), outcome).unwrap();
    (x, y)
}

/// The area that some trials dominate, up to references of 0.4.
fn volume(trials: &[Trial], sign: f64) -> f64 {
    let mut points: Vec<(f64, f64)> = trials
        .iter()
        .map(|trial| (trial.outcome.unwrap(), sign * trial.measured.get("second").unwrap()))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut area, mut last) = (0.0, 0.4);
    for (first, second) in points.into_iter().filter(|point| point.0 < 0.4) {
        if second < last {
            area += (0.4 - first) * (last - second);
            last = second;
        }
    }
    area
}

/// The area below the whole front: `f2 = (0.6 - sqrt(f1))^2` for `f1` from 0 to 0.36.
fn whole() -> f64 {
    let steps = 100_000;
    let step = 0.4 / f64::from(steps);
    let below = |i: u32| {
        let first = (f64::from(i) + 0.5) * step;
        0.4 - (0.6 - first.sqrt().min(0.6)).powi(2)
    };
    (0..steps).map(|i| below(i) * step).sum()
}

#[test]
fn the_front_fills_in_either_direction() {
    for sign in [1.0, -1.0] {
        let other = if sign > 0.0 { Objective::minimize() } else { Objective::maximize() };
        let mut study = Study::minimize(plane())
            .reference(0.4)
            .objective("second", other.reference(0.4 * sign))
            .build()
            .unwrap();
        for _ in 0..40 {
            tell(&mut study, sign);
        }
        assert!(study.best().is_none() && study.recommendation().unwrap().is_none());
        let front = study.front().unwrap();
        let share = volume(&front, sign) / whole();
        assert!(front.len() > 12 && share > 0.98, "{} trials, {share}", front.len());
        // No trial dominates another.
        for one in &front {
            let (a, b) = (one.outcome.unwrap(), sign * one.measured.get("second").unwrap());
            let beats = |two: &Trial| {
                two.outcome.unwrap() < a && sign * two.measured.get("second").unwrap() < b
            };
            assert!(!front.iter().any(beats));
        }
    }
}

#[test]
fn without_references_they_are_inferred() {
    let mut study =
        Study::minimize(plane()).objective("second", Objective::minimize()).build().unwrap();
    for _ in 0..40 {
        tell(&mut study, 1.0);
    }
    let front = study.front().unwrap();
    let share = volume(&front, 1.0) / whole();
    assert!(share > 0.97, "{share}");
}

#[test]
fn the_run_ends_once_no_trial_is_worth_its_price() {
    let mut ends = Vec::new();
    for price in [1e-2, 1e-3] {
        let mut study = Study::minimize(plane())
            .reference(0.4)
            .objective("second", Objective::minimize().reference(0.4))
            .policy(Policy::gittins(price))
            .build()
            .unwrap();
        let mut trials = 0;
        while !study.verdict().unwrap().is_stop() {
            tell(&mut study, 1.0);
            trials += 1;
            assert!(trials < 150);
        }
        let reason = study.verdict().unwrap().reason().to_string();
        assert!(reason.contains("the front has") && reason.contains("volume"), "{reason}");
        // Running on adds less than it costs.
        let at_stop = volume(&study.front().unwrap(), 1.0);
        for _ in 0..5 {
            tell(&mut study, 1.0);
        }
        let gained = volume(&study.front().unwrap(), 1.0) - at_stop;
        assert!(gained < 5.0 * price, "{gained} for {price}");
        ends.push(trials);
    }
    assert!(ends[0] < ends[1], "{ends:?}");
}

#[test]
fn the_unit_of_an_objective_does_not_matter() {
    let mut found: Vec<Vec<(f64, f64)>> = Vec::new();
    // Powers of two, so that rounding stays the same.
    for unit in [1.0, 1024.0] {
        let mut study = Study::minimize(plane())
            .reference(0.4)
            .objective("second", Objective::minimize().reference(0.4 * unit))
            .policy(Policy::gittins(1e-3 * unit))
            .build()
            .unwrap();
        found.push((0..25).map(|_| tell(&mut study, unit)).collect());
        study.verdict().unwrap();
    }
    // Roots and logarithms of scales round, and a climb ends within its tolerance.
    for (one, two) in found[0].iter().zip(&found[1]) {
        assert!((one.0 - two.0).abs() < 1e-4 && (one.1 - two.1).abs() < 1e-4, "{found:?}");
    }
}

#[test]
fn limits_count_beside_objectives() {
    let mut study = Study::minimize(plane())
        .reference(0.4)
        .objective("second", Objective::minimize().reference(0.4))
        .limit("x", Limit::at_most(0.5))
        .build()
        .unwrap();
    for _ in 0..35 {
        let ask = study.ask().unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        let (first, second) = bowls(x, y);
        let outcome = Outcome::new(first).measured("second", second).measured("x", x);
        study.tell(ask.id(), outcome).unwrap();
    }
    let front = study.front().unwrap();
    assert!(front.len() > 5);
    assert!(front.iter().all(|trial| trial.measured.get("x").unwrap() <= 0.5));
    let largest = front.iter().map(|trial| trial.measured.get("x").unwrap()).fold(0.0, f64::max);
    assert!(largest > 0.49, "{largest}");
}

#[test]
fn three_objectives_have_a_front_and_four_are_refused() {
    let objective = |study: gittins::study::StudyBuilder, name: &str| {
        study.objective(name, Objective::minimize())
    };
    let mut study = objective(objective(Study::minimize(plane()), "b"), "c").build().unwrap();
    for _ in 0..25 {
        let ask = study.ask().unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        let bowl = |a: f64, b: f64| (x - a).powi(2) + (y - b).powi(2);
        let outcome = Outcome::new(bowl(0.2, 0.2));
        let outcome = outcome.measured("b", bowl(0.8, 0.2)).measured("c", bowl(0.5, 0.8));
        study.tell(ask.id(), outcome).unwrap();
    }
    assert!(study.front().unwrap().len() > 10);
    let many = ["b", "c", "d"].iter().fold(Study::minimize(plane()), |s, name| objective(s, name));
    let error = many.build().unwrap_err();
    assert!(error.to_string().contains("at most 3 objectives"), "{error}");
}

#[test]
fn a_constant_objective_and_unknown_numbers_hurt_nobody() {
    let mut study =
        Study::minimize(plane()).objective("second", Objective::maximize()).build().unwrap();
    for trial in 0..20 {
        let ask = study.ask().unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        let second = if trial % 4 == 0 { f64::NAN } else { 7.0 };
        study.tell(ask.id(), Outcome::new(bowls(x, y).0).measured("second", second)).unwrap();
    }
    // The best outcome alone, as the other objective tells nothing.
    let front = study.front().unwrap();
    assert_eq!(front.len(), 1);
    assert!(front[0].outcome.unwrap() < 1e-3, "{:?}", front[0]);
    let mut study =
        Study::minimize(plane()).objective("second", Objective::maximize()).build().unwrap();
    for _ in 0..10 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(1.0).measured("second", f64::NAN)).unwrap();
    }
    assert!(study.front().unwrap().is_empty());
}

#[test]
fn trials_under_way_are_not_suggested_again() {
    let mut study = Study::minimize(plane())
        .reference(0.4)
        .objective("second", Objective::minimize().reference(0.4))
        .build()
        .unwrap();
    for _ in 0..15 {
        tell(&mut study, 1.0);
    }
    let asks: Vec<Vec<f64>> = (0..6).map(|_| study.ask().unwrap().numbers().to_vec()).collect();
    for (i, one) in asks.iter().enumerate() {
        for other in &asks[..i] {
            let apart = one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart > 1e-3, "{asks:?}");
        }
    }
}

#[test]
fn another_trial_is_judged_beside_those_under_way() {
    let mut study = Study::minimize(plane())
        .reference(0.4)
        .objective("second", Objective::minimize().reference(0.4))
        .policy(Policy::gittins(3e-4))
        .build()
        .unwrap();
    for _ in 0..12 {
        tell(&mut study, 1.0);
    }
    let mut under_way = 0;
    while !study.verdict_on_another().unwrap().is_stop() {
        study.ask().unwrap();
        under_way += 1;
        assert!(under_way < 60);
    }
    // One by itself is worth its price.
    assert!(under_way > 1 && !study.verdict().unwrap().is_stop());
}

#[test]
fn a_study_of_several_objectives_goes_on_from_its_events_to_the_bit() {
    let settings = || {
        Study::minimize(plane())
            .objective("second", Objective::minimize())
            .policy(Policy::gittins(1e-4))
    };
    let mut study = settings().build().unwrap();
    for _ in 0..14 {
        tell(&mut study, 1.0);
    }
    study.verdict().unwrap();
    let mut again = settings().resume(study.events().to_vec()).unwrap();
    for _ in 0..3 {
        assert_eq!(tell(&mut again, 1.0), tell(&mut study, 1.0));
        assert_eq!(again.verdict().unwrap(), study.verdict().unwrap());
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let study = || Study::minimize(plane()).objective("second", Objective::minimize());
    for (builder, words) in [
        (study().policy(Policy::thompson()), "knows one objective"),
        (study().limit("second", Limit::at_most(1.0)), "has a limit and is an objective"),
        (Study::minimize(plane()).reference(1.0), "a reference is of several objectives"),
        (
            Study::minimize(plane()).objective("b", Objective::minimize().reference(f64::NAN)),
            "the reference of b",
        ),
        (study().reference(f64::INFINITY), "the reference of the outcome"),
    ] {
        let error = builder.build().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let mut study = study().build().unwrap();
    let ask = study.ask().unwrap();
    let error = study.tell(ask.id(), Outcome::new(1.0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert!(error.to_string().contains("\"second\", which is an objective"), "{error}");
}

/// A front by numbers, all minimized: of which no other is as good in both and better in one, the first
/// of equals.
fn measured_front(study: &Study) -> Vec<gittins::TrialId> {
    let numbers = |trial: &Trial| [trial.outcome.unwrap(), trial.measured.get("second").unwrap()];
    let beats = |other: &Trial, one: &Trial| {
        let pairs = || numbers(other).into_iter().zip(numbers(one));
        pairs().all(|(a, b)| a <= b) && (pairs().any(|(a, b)| a < b) || other.id < one.id)
    };
    let trials = study.history();
    let stands = |one: &&Trial| !trials.iter().any(|other| beats(other, one));
    trials.iter().filter(stands).map(|trial| trial.id).collect()
}

/// Far rougher than a model believes, which then takes the rest for noise.
fn rough(x: f64) -> (f64, f64) {
    let noise = |k: f64| 0.1 * (1e4 * k * x).sin();
    ((x - 0.2).powi(2) + noise(1.7), (x - 0.8).powi(2) + noise(2.9))
}

#[test]
fn without_noise_a_front_is_that_of_the_numbers_as_told() {
    for is_repeated in [false, true] {
        let study = Study::minimize(Space::new().float("x", 0.0, 1.0));
        let study = study.objective("second", Objective::minimize());
        let mut study = if is_repeated {
            study.build().unwrap()
        } else {
            study.incumbent(Incumbent::BestOutcome).build().unwrap()
        };
        for k in 0..24 {
            let x = f64::from(k * 7 % 24) / 23.0;
            let (first, second) = rough(x);
            for _ in 0..if is_repeated && k == 3 { 2 } else { 1 } {
                study.import(&[x], Outcome::new(first).measured("second", second)).unwrap();
            }
        }
        let front: Vec<_> = study.front().unwrap().iter().map(|trial| trial.id).collect();
        assert_eq!(front, measured_front(&study));
        assert!((2..24).contains(&front.len()), "{front:?}");
    }
}

#[test]
fn a_noisy_objective_counts_by_its_means_beside_an_exact_one() {
    let study = Study::minimize(Space::new().float("x", 0.0, 1.0));
    let mut study = study.objective("second", Objective::minimize()).build().unwrap();
    // Of two trials at a point the later one is lucky.
    for (k, noise) in (0..24).flat_map(|k| [(k, 0.2), (k, -0.2)]) {
        let x = f64::from(k) / 23.0;
        let noise = noise * (1.0 + (5.0 * x).sin());
        let outcome = Outcome::new(1.0 - x + noise).measured("second", x.powi(2));
        study.import(&[x], outcome).unwrap();
    }
    let front: Vec<_> = study.front().unwrap().iter().map(|trial| trial.id.index()).collect();
    // The means fall with x and the exact numbers rise: each point is on the front, and once.
    assert!(front.iter().map(|index| index / 2).eq(0..24), "{front:?}");
    // By the numbers as told a later trial beats the one before it.
    assert!(measured_front(&study).iter().all(|id| id.index() % 2 == 1));
    assert!(front.iter().any(|index| index % 2 == 0), "{front:?}");
}
