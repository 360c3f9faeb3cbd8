//! The numeric parts of stopping rules.

use gittins_papers::rules::internals::{
    Change, Side, by_observation, clopper_pearson, level_test, risk_share, sample_sizes,
};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardUniform};
use rand_pcg::Pcg64;

use crate::support::golden::{number, numbers, table};
use crate::support::runs::{NEAR_BINOMIAL, REGRET_GAP};
use crate::support::tolerance::{assert_within, frequency};

#[test]
fn the_terms_of_the_regret_gap_agree_with_the_table() {
    let golden = table("stopping");
    for row in golden["srgap"].as_array().unwrap() {
        let of = |name: &str| number(&row[name]);
        let divergence = by_observation(of("v_tm1"), of("noise"), of("resid"));
        assert_within("divergence", divergence, of("kl"), REGRET_GAP * of("kl"));
        let variance = of("k_nn") - 2.0 * of("k_no") + of("k_oo");
        let (new, old, before, gap) =
            (of("mu_t_new"), of("mu_t_old"), of("mu_tm1_old"), of("kappa"));
        let change = Change { new, old, before, variance, gap, divergence };
        // The gain is a small difference of larger terms if the new incumbent is the worse one.
        assert_within("gain", change.gain(), of("ei_term"), REGRET_GAP * (of("ei_term") + of("v")));
        assert_within(
            "statistic",
            change.statistic(),
            of("statistic"),
            REGRET_GAP * of("statistic"),
        );
    }
}

#[test]
fn a_gain_without_variance_is_the_difference_of_the_means() {
    let change =
        |new, variance| Change { new, old: 1.0, before: 1.0, variance, gap: 0.0, divergence: 0.0 };
    for variance in [0.0, -1e-12, 1e-320] {
        assert_eq!((change(3.0, variance).gain(), change(0.5, variance).gain()), (2.0, 0.0));
    }
}

#[test]
fn intervals_of_clopper_and_pearson_agree_with_the_table() {
    let golden = table("stopping");
    let rows = golden["clopper_pearson"].as_array().unwrap();
    assert!(rows.len() > 10);
    for row in rows {
        let of = |name: &str| row[name].as_u64().unwrap() as usize;
        let (lower, upper) = clopper_pearson(of("successes"), of("trials"), number(&row["risk"]));
        for (end, expected) in [(lower, number(&row["lower"])), (upper, number(&row["upper"]))] {
            assert_within(row, end, expected, NEAR_BINOMIAL * expected);
        }
    }
}

#[test]
fn an_interval_mirrors_and_nothing_seen_tells_nothing() {
    for (successes, trials) in [(0, 1), (1, 7), (30, 100), (999, 1000)] {
        let (lower, upper) = clopper_pearson(successes, trials, 1e-3);
        let (mirrored_lower, mirrored_upper) = clopper_pearson(trials - successes, trials, 1e-3);
        assert_within("lower", 1.0 - lower, mirrored_upper, NEAR_BINOMIAL);
        assert_within("upper", 1.0 - upper, mirrored_lower, NEAR_BINOMIAL);
        assert!(
            lower < successes as f64 / trials as f64 + f64::EPSILON
                && upper > successes as f64 / trials as f64 - f64::EPSILON
        );
    }
    assert_eq!([clopper_pearson(0, 0, 0.05), clopper_pearson(3, 2, 0.05)], [(0.0, 1.0); 2]);
}

#[test]
fn samples_grow_by_the_schedule_and_risks_add_up_to_less_than_one() {
    let golden = table("stopping");
    let expected: Vec<usize> =
        numbers(&golden["prb_sample_schedule"]).iter().map(|&size| size as usize).collect();
    assert_eq!(sample_sizes(64, 1000).collect::<Vec<_>>(), expected);
    assert_eq!(sample_sizes(1, 5).collect::<Vec<_>>(), [1, 2, 3, 5]);
    assert_eq!(sample_sizes(64, 64).collect::<Vec<_>>(), [64]);
    assert_eq!(sample_sizes(80, 64).collect::<Vec<_>>(), [64]);
    // The rest of the sum after n terms is smaller than its integral, 10 n^-0.1.
    let n = 100_000;
    let sum: f64 = (1..=n).map(risk_share).sum();
    assert!(sum + 0.1 / 1.1 * 10.0 * (n as f64).powf(-0.1) < 1.0, "{sum}");
}

/// Counts how a thousand tests of a level end: below, above or undecided.
fn ends(level: f64, probability: f64, risk: f64) -> [usize; 3] {
    let mut generator = Pcg64::seed_from_u64(9);
    let mut ends = [0; 3];
    for _ in 0..TESTS {
        let draw = |_: usize, count: usize| {
            let events = (0..count).filter(|_| {
                let uniform: f64 = StandardUniform.sample(&mut generator);
                uniform < probability
            });
            Ok(events.count())
        };
        ends[match level_test(level, risk, sample_sizes(64, 1000), draw).unwrap().side {
            Side::Below => 0,
            Side::Above => 1,
            Side::Undecided => 2,
        }] += 1;
    }
    ends
}

const TESTS: usize = 1000;

#[test]
fn a_level_test_is_wrong_no_more_often_than_its_risk_and_tells_clear_cases() {
    let (level, risk) = (0.1, 0.5);
    let wrongly_below = ends(level, level, risk)[0] as f64 / TESTS as f64;
    let wrongly_above = ends(level, 0.999 * level, risk)[1] as f64 / TESTS as f64;
    for wrong in [wrongly_below, wrongly_above] {
        assert!(wrong <= risk + frequency(risk, TESTS), "{wrong}");
    }
    assert_eq!(ends(level, level / 4.0, risk), [TESTS, 0, 0]);
    assert_eq!(ends(level, 4.0 * level, risk), [0, TESTS, 0]);
    let near = ends(level, level, 1e-3);
    assert!(near[2] > TESTS / 2, "{near:?}");
}
