//! Outcomes that never vary, or by their rounding alone, are worth nothing: a study with a price ends. And
//! reports of runs at the ends of double precision. Every study has the seed 0.

use gittins::study::{Advice, Stages};
use gittins::{Outcome, Policy, Space, Study};

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
                let played = play(&mut study.build().unwrap(), 100, outcome);
                assert!(played < 100, "{stages:?} {size:e} {difference:e}");
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

#[test]
fn whole_trials_that_never_vary_end_by_their_price_at_any_size() {
    for (size, price) in [(1e6, 1e-2), (1e6, 1e3), (1.0, 1e-7), (0.0, 1e-7), (1e-300, 1e-305)] {
        let study = Study::minimize(line()).policy(Policy::gittins(price));
        let (mut study, mut trials) = (study.build().unwrap(), 0);
        while !study.verdict().unwrap().is_stop() {
            let ask = study.ask().unwrap();
            study.tell(ask.id(), Outcome::new(size)).unwrap();
            trials += 1;
            assert!(trials < 40, "{size:e} {price:e}");
        }
    }
}
