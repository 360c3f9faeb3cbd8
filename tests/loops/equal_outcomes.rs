//! Outcomes that never vary, or by their rounding alone: a study with a price ends once it has seen so many
//! that few settings can differ. And reports of runs at the ends of double precision.

use std::cell::Cell;

use gittins::model::Noise;
use gittins::stop::{StallRule, Steadying};
use gittins::study::{Advice, Limit, Objective, Stages, StudyBuilder};
use gittins::{Ask, GaussianProcess, GittinsRule, Outcome, Policy, Space, Study, Table, Verdict};
use gittins_papers::rules::GittinsBeforeRule;

fn line() -> Space {
    Space::new().float("x", 0.0, 1.0)
}

/// Plays up to so many stages, and returns how many there were before the verdict to stop.
fn play(study: &mut Study, most: usize, outcome: impl Fn(f64) -> f64) -> usize {
    let mut stages = 0;
    while stages < most && !study.verdict().unwrap().is_stop() {
        let ask = study.ask().unwrap();
        let (mut from, mut until) = (ask.resume().unwrap_or(0.0), ask.until());
        let x = ask.get::<f64>("x").unwrap();
        loop {
            stages += 1;
            match study.report(ask.id(), until, outcome(x), 0.01 * (until - from)).unwrap() {
                Advice::Continue { until: next } => (from, until) = (until, next),
                _ => break,
            }
        }
    }
    stages
}

#[test]
fn runs_in_stages_that_never_vary_end_by_their_price() {
    for stages in [Stages::folds(5), Stages::epochs(9), Stages::epochs(9).any_stage_counts(true)] {
        for size in [0.0, 1e-300, 1.0, 1e6] {
            for difference in [0.0, 1e-16, 1e-12, 1e-9] {
                let price = 0.1 * if size == 0.0 { 1.0 } else { size };
                let study =
                    Study::maximize(line()).stages(stages.clone()).policy(Policy::gittins(price));
                let outcome = |x: f64| size * (1.0 + difference * f64::from(u8::from(x > 0.5)));
                let played = play(&mut study.build().unwrap(), 400, outcome);
                assert!((29..400).contains(&played), "{stages:?} {size:e} {difference:e}");
            }
        }
    }
}

#[test]
fn reports_at_the_ends_of_double_precision_have_a_decision() {
    for stages in [Stages::folds(4), Stages::epochs(9)] {
        for unit in [5e-324, 1e-200, 1e160, f64::MAX] {
            for price in [1e-3, 1e-3 * unit] {
                let mut study = Study::minimize(line()).stages(stages.clone()).initial(4);
                if price > 0.0 {
                    study = study.policy(Policy::gittins(price));
                }
                let mut study = study.build().unwrap();
                let outcome = |x: f64| if x > 0.8 { -unit } else { unit * x };
                play(&mut study, 25, outcome);
                let reason = study.verdict().unwrap().reason().to_string();
                assert!(!reason.contains("inf") && !reason.contains("NaN"), "{reason}");
            }
        }
    }
}

/// The trials that a study makes before it is to stop, at most so many, and the last verdict.
fn trials(mut study: Study, most: usize, outcome: impl Fn(&Ask) -> Outcome) -> (usize, Verdict) {
    for made in 0..most {
        let verdict = study.verdict().unwrap();
        if verdict.is_stop() {
            return (made, verdict);
        }
        let ask = study.ask().unwrap();
        study.tell(ask.id(), outcome(&ask)).unwrap();
    }
    (most, study.verdict().unwrap())
}

fn priced(study: StudyBuilder, price: f64) -> Study {
    study.policy(Policy::gittins(price)).build().unwrap()
}

#[test]
fn whole_trials_that_never_vary_end_after_29_at_any_size_and_price() {
    let cases = [(1e6, 1e3), (0.7, 1e-7), (0.0, 1e-7), (0.0, 1e4), (-1.0, 0.1), (1e-300, 1e-305)];
    for (size, price) in cases {
        for study in [Study::minimize(line()), Study::maximize(line()).initial(1)] {
            let (made, verdict) = trials(priced(study, price), 40, |_| Outcome::new(size));
            assert_eq!(made, 29, "{size:e} {price:e}");
            let words = "stop: all 29 outcomes are equal: with 95 % fewer than a tenth of the settings differ";
            assert_eq!(verdict.reason().to_string(), words);
        }
    }
}

#[test]
fn differences_by_rounding_and_failures_are_no_differences() {
    let rounded = |ask: &Ask| match ask.get::<f64>("x").unwrap() {
        x if x > 0.9 => Outcome::failed(),
        x => Outcome::new(if x > 0.5 { 0.1 + 0.2 } else { 0.3 }),
    };
    let (made, verdict) = trials(priced(Study::minimize(line()), 0.01), 60, rounded);
    assert!((30..60).contains(&made), "{made}");
    assert!(verdict.reason().to_string().contains("all 29 outcomes are equal"));
}

#[test]
fn of_few_settings_most_are_tried() {
    // With 3 of 20 left, one pair in 63 is untried: no two settings differ. With 5 left one in 19.
    for (rows, expected) in [(6, 6), (10, 10), (20, 16)] {
        let values = (0..rows).map(|row| vec![f64::from(row)]).collect();
        let table = Table::new(["x"], values).unwrap();
        let space = Space::new().int("x", 1, i64::from(rows));
        for study in [Study::maximize(table), Study::maximize(space)] {
            let (made, _) = trials(priced(study, 0.1), 40, |_| Outcome::new(0.0));
            assert_eq!(made, expected, "{rows}");
        }
    }
}

#[test]
fn one_or_two_hits_are_no_unit_and_three_are() {
    // The hit is told once, wherever it is: the others are equal.
    for hits in [1, 2] {
        let told = Cell::new(0_usize);
        let outcome = |_: &Ask| {
            told.set(told.get() + 1);
            Outcome::new(if told.get().is_multiple_of(4) && told.get() <= 4 * hits {
                1.0
            } else {
                0.0
            })
        };
        let (made, _) = trials(priced(Study::maximize(line()), 10.0), 60, outcome);
        assert!(made >= 29 + hits, "{made} with {hits} hits");
    }
    let smooth = |ask: &Ask| Outcome::new(ask.get::<f64>("x").unwrap());
    assert!(trials(priced(Study::maximize(line()), 10.0), 60, smooth).0 < 10);
}

#[test]
fn a_hill_on_a_plain_is_found_by_a_unit_of_any_size() {
    let square = || line().float("y", 0.0, 1.0);
    let hill = |ask: &Ask, unit: f64| {
        let [x, y] = ["x", "y"].map(|name| ask.get::<f64>(name).unwrap());
        Outcome::new(unit * (1.0 - 4.0 * (x - 0.8).hypot(y - 0.25)).max(0.0))
    };
    for seed in 0..4 {
        let made = [1.0, 2f64.powi(40)].map(|unit| {
            let study = priced(Study::maximize(square()).seed(seed), 1e-3 * unit);
            trials(study, 60, |ask| hill(ask, unit))
        });
        assert_eq!(made[0].0, made[1].0);
        let words = made[0].1.reason().to_string();
        assert!(
            made[0].1.is_stop() && !words.contains("best 0;") && !words.contains("equal"),
            "{words}"
        );
    }
}

#[test]
fn objectives_and_limits_that_vary_are_differences() {
    let seconds = |ask: &Ask| Outcome::new(0.0).measured("seconds", ask.get::<f64>("x").unwrap());
    let front = || Study::maximize(line()).objective("seconds", Objective::minimize());
    let equal = |_: &Ask| Outcome::new(0.0).measured("seconds", 1.0);
    let (made, verdict) = trials(priced(front(), 1e-6), 60, equal);
    assert_eq!((made, verdict.is_stop()), (29, true));
    // What the volume is worth is known no sooner: one of its sides never varied.
    assert!(trials(priced(front(), 1e3), 60, seconds).0 >= 29);
    // A limit that no trial holds is looked for, whatever the outcomes.
    let limited = Study::maximize(line()).limit("seconds", Limit::at_most(-1.0));
    assert!(trials(priced(limited, 1e3), 60, seconds).0 >= 29);
    let held = Study::maximize(line()).limit("seconds", Limit::at_most(2.0));
    assert_eq!(trials(priced(held, 1e3), 60, seconds).0, 29);
}

#[test]
fn the_same_is_so_of_steadied_and_joined_rules_and_not_of_others() {
    let study = || Study::maximize(line()).policy(Policy::gittins(0.1));
    let zero = |_: &Ask| Outcome::new(0.0);
    let steady = GittinsRule::new().smoothed(20).debounced(3);
    assert_eq!(trials(study().stop(steady).build().unwrap(), 60, zero).0, 31);
    assert_eq!(trials(study().stop(GittinsBeforeRule::new()).build().unwrap(), 60, zero).0, 29);
    assert!(trials(study().stop(StallRule::new()).build().unwrap(), 60, zero).0 < 29);
    assert_eq!(trials(study().budget(12.0).build().unwrap(), 60, zero).0, 12);
    let known = GaussianProcess::new().noise(Noise::Fixed(1e-6)).fixed_kernel(vec![0.3], 1.0);
    assert!(trials(study().model(known).build().unwrap(), 60, zero).0 < 29);
}

#[test]
fn outcomes_that_end_where_many_tie_end_a_study_at_the_lowest_price() {
    let clipped =
        |ask: &Ask| Outcome::new((1.5 - (ask.get::<f64>("x").unwrap() - 0.4).abs()).min(1.3));
    for seed in 0..3 {
        let (made, verdict) =
            trials(priced(Study::maximize(line()).seed(seed), 1e-12), 120, clipped);
        assert!(verdict.is_stop() && made < 120, "{made}: {}", verdict.reason());
    }
}

#[test]
fn the_best_possible_outcome_ends_a_study() {
    let outcome = |ask: &Ask| Outcome::new((2.0 * ask.get::<f64>("x").unwrap()).min(1.0));
    let study = || Study::maximize(line()).best_possible(1.0);
    let (made, verdict) = trials(study().build().unwrap(), 60, outcome);
    assert!(
        made < 10 && verdict.reason().to_string() == "stop: best 1, and no outcome can be better"
    );
    let beyond = |_: &Ask| Outcome::new(-2.0);
    let study = Study::minimize(line()).best_possible(-1.0).build().unwrap();
    let (made, verdict) = trials(study, 60, beyond);
    assert_eq!(
        (made, verdict.reason().to_string().as_str()),
        (1, "stop: best -2, beyond the best possible -1")
    );
    assert!(
        !trials(Study::minimize(line()).best_possible(-9.0).build().unwrap(), 9, beyond)
            .1
            .is_stop()
    );
    for wrong in [f64::NAN, f64::INFINITY] {
        let error = Study::minimize(line()).best_possible(wrong).build().unwrap_err();
        assert!(error.to_string().contains("best_possible: expected a finite number"), "{error}");
    }
}
