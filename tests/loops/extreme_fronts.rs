//! Fronts of numbers that are huge, tiny, equal or penalties. Every study has the seed 0.

use std::time::Duration;

use gittins::study::{Objective, StudyBuilder};
use gittins::{Outcome, Policy, Space, Study};

fn plane() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
}

fn two(price: f64) -> StudyBuilder {
    Study::minimize(plane())
        .objective("second", Objective::minimize())
        .policy(Policy::gittins(price))
}

/// Plays so many trials, and returns where they were.
fn play(
    study: &mut Study,
    trials: usize,
    numbers: impl Fn(f64, f64) -> (f64, f64),
) -> Vec<Vec<f64>> {
    let mut asked = Vec::new();
    for _ in 0..trials {
        let ask = study.ask().unwrap();
        let (first, second) = numbers(ask.numbers()[0], ask.numbers()[1]);
        study.tell(ask.id(), Outcome::new(first).measured("second", second)).unwrap();
        asked.push(ask.numbers().to_vec());
    }
    asked
}

#[test]
fn an_objective_of_any_size_is_sought_at_its_price() {
    let (mut before, mut said) = (Vec::new(), Vec::new());
    // Powers of two round nothing. Beyond 2^300 and below 2^-300 a posterior has another unit.
    for power in [0, -1000, -520, 515, 1000] {
        let unit = 2f64.powi(power);
        let mut study = two(1e-2 * unit).build().unwrap();
        let asked = play(&mut study, 12, |x, y| (x + 0.2 * y, unit * ((1.0 - x).powi(2) + y)));
        assert!(study.front().unwrap().len() > 2, "2^{power}");
        let verdict = study.verdict().unwrap();
        let statistic = verdict.reason().statistic;
        if power == 0 {
            (before, said) = (asked, vec![statistic]);
            continue;
        }
        // Roots and logarithms of units round, and a climb ends within its tolerance.
        for (one, two) in before.iter().flatten().zip(asked.iter().flatten()) {
            assert!((one - two).abs() < 1e-3, "2^{power}: {one} {two}");
        }
        assert!((statistic - said[0]).abs() < 1e-2, "2^{power}: {statistic} {said:?}");
    }
}

#[test]
fn the_largest_and_the_smallest_numbers_end_no_study() {
    for (first, second) in
        [(1e160, 1e160), (1.0, f64::MAX), (1e-300, 1e300), (5e-324, 5e-324), (1e300, 1e-300)]
    {
        for price in [1e-300, 1.0, 1e300] {
            let mut study = two(price).build().unwrap();
            play(&mut study, 9, |x, y| (first * x, second * (y - x)));
            let reason = study.verdict().unwrap().reason().to_string();
            assert!(!reason.contains("inf") && !reason.contains("NaN"), "{reason}");
        }
    }
}

#[test]
fn a_volume_beyond_double_precision_has_a_verdict() {
    for unit in [1e-200, 1e200] {
        let mut study = two(1e-3).objective("third", Objective::maximize()).build().unwrap();
        for _ in 0..9 {
            let ask = study.ask().unwrap();
            let (x, y) = (ask.numbers()[0], ask.numbers()[1]);
            let outcome = Outcome::new(unit * x).measured("second", unit * (1.0 - x));
            study.tell(ask.id(), outcome.measured("third", unit * y)).unwrap();
        }
        let verdict = study.verdict().unwrap();
        let reason = verdict.reason().to_string();
        assert!(!reason.contains("inf") && !reason.contains("NaN"), "{reason}");
        // All that there is weighs far less than the price, or far more.
        assert_eq!(verdict.is_stop(), unit < 1.0, "{reason}");
    }
}

#[test]
fn a_penalty_of_any_size_in_any_objective_spoils_no_front() {
    for both in [true, false] {
        let asked = |penalty: f64| {
            let mut study = two(1e-6).build().unwrap();
            play(&mut study, 16, |x, y| {
                if x + y > 1.2 {
                    (if both { penalty } else { x + y }, penalty)
                } else {
                    (x + (y - 0.5).powi(2), (1.0 - x).powi(2) + (y - 0.5).powi(2))
                }
            })
        };
        let first = asked(1e3);
        assert!(first.iter().any(|point| point[0] + point[1] > 1.2));
        for penalty in [1e6, 1e100, f64::MAX] {
            // Of the first few trials none is known for a penalty, whose fits have other roundings.
            for (one, two) in first.iter().flatten().zip(asked(penalty).iter().flatten()) {
                assert!((one - two).abs() < 1e-2, "{penalty:e}: {one} {two}");
            }
        }
    }
}

#[test]
fn objectives_that_never_vary_are_worth_nothing_at_any_size() {
    for (first, second, price) in
        [(1.0, 1.0, 1e-2), (1e6, 1e6, 1.0), (1.0, 1e-9, 1e-12), (0.0, 0.0, 1e-6)]
    {
        let mut study = two(price).build().unwrap();
        let mut trials = 0;
        while !study.verdict().unwrap().is_stop() {
            play(&mut study, 1, |_, _| (first, second));
            trials += 1;
            assert!(trials < 40, "{first} {second} {price}");
        }
    }
}

/// Without time the fit before stays, whose unit has nothing to do with what is told next.
#[test]
fn a_number_far_from_the_last_fit_ends_no_study_without_time() {
    for number in [1e200, 1e308, -1e308, f64::MIN] {
        let mut study = two(1e-3).initial(3).time_limit(Duration::ZERO).build().unwrap();
        play(&mut study, 4, |x, y| (x + y, 1.0 - x));
        let open = [study.ask().unwrap(), study.ask().unwrap()];
        play(&mut study, 1, |_, _| (0.5, number));
        study.ask().unwrap_or_else(|error| panic!("{number}: {error}"));
        assert!(study.verdict().is_ok() && !study.front().unwrap().is_empty());
        study.tell(open[0].id(), Outcome::new(0.1).measured("second", 0.2)).unwrap();
        study.ask().unwrap_or_else(|error| panic!("{number}: {error}"));
    }
}
