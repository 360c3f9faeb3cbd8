//! Invariants of fronts: one set of points makes one front, cells cover what is not dominated once,
//! and scores have the derivatives, the units and the limits that they should have.

use gittins::acquisition::{Belief, PointBeliefCost};
use gittins::internals::{Cells, Front, FrontScore, FrontScratch, LOG_ZERO};
use gittins::{ErrorKind, Pointwise};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::support::tolerance::assert_within;
use crate::support::tolerance::front::{VOLUME, log_volume, volume_difference, volume_slope};

fn cases(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(20_190_612),
        failure_persistence: None,
        ..Config::default()
    }
}

/// A list of points of two or three objectives with ties: multiples of an eighth between -1 and 2.
fn tied() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let value = (-8..=16_i32).prop_map(|eighths| f64::from(eighths) / 8.0);
    (2..=3_usize).prop_flat_map(move |m| lists(value.clone(), m))
}

/// A list of points of two or three objectives in `[0, 1)`.
fn spread() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (2..=3_usize).prop_flat_map(|m| lists(0.0..1.0, m))
}

/// One to 30 points.
fn lists(value: impl Strategy<Value = f64>, m: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(value, m), 1..30)
}

/// The front of these points over the origin.
fn front(points: &[Vec<f64>]) -> Front {
    Front::new(vec![0.0; points[0].len()], points).unwrap()
}

fn score(cells: &Cells, mean: &[f64], sd: &[f64]) -> FrontScore {
    cells.log_expected_improvement(mean, sd, &mut FrontScratch::default())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn cells_cover_what_is_not_dominated_once(points in tied(), places in tied()) {
        let m = points[0].len();
        let front = front(&points);
        let cells = front.cells();
        let n = front.points().len();
        let most = if m == 2 { n + 1 } else { 2 * n + 1 };
        prop_assert!(cells.boxes().len() <= most);
        for mut intervals in cells.boxes() {
            prop_assert!(intervals.all(|(lower, upper)| lower < upper));
        }
        for place in places.iter().filter(|place| place.len() >= m).chain(&points) {
            let above = |point: &[f64]| point.iter().zip(place).all(|(high, low)| high > low);
            let dominated = points.iter().any(|point| above(point));
            let counts = place[..m].iter().all(|value| *value >= 0.0) && !dominated;
            let covering = cells.boxes().filter_map(|intervals| {
                let mut both = intervals.zip(place);
                both.all(|((lower, upper), value)| (lower..upper).contains(value)).then_some(())
            });
            prop_assert_eq!(covering.count(), usize::from(counts), "{:?}", place);
        }
    }

    #[test]
    fn a_front_does_not_depend_on_the_order_of_its_points(points in tied(), turn in 0..30_usize) {
        let whole = front(&points);
        let mut turned = points.clone();
        turned.rotate_left(turn % points.len());
        prop_assert_eq!(&front(&turned), &whole);
        // The points of a front make it, and so does adding them one by one.
        prop_assert_eq!(&Front::new(whole.reference().to_vec(), whole.points()).unwrap(), &whole);
        let mut grown = front(&points[..1]);
        let before = Front::new(whole.reference().to_vec(), &points[..points.len() - 1]).unwrap();
        let added = points[1..].iter().map(|point| grown.add(point).unwrap());
        let changes: Vec<bool> = added.collect();
        prop_assert_eq!(&grown, &whole);
        prop_assert_eq!(grown.cells(), whole.cells());
        if let Some(changed) = changes.last() {
            prop_assert_eq!(*changed, before != whole);
            let gain = before.improvement(points.last().unwrap()).unwrap();
            prop_assert_eq!(gain > 0.0, *changed);
            // Multiples of 1/512 are exact.
            prop_assert_eq!(before.hypervolume() + gain, whole.hypervolume());
        }
    }

    #[test]
    fn a_dominated_point_changes_nothing(
        points in spread(),
        which in 0..30_usize,
        share in 0.0..1.0,
    ) {
        let whole = front(&points);
        let point = &points[which % points.len()];
        let lower: Vec<f64> = point.iter().map(|value| share * value).collect();
        let mut with = whole.clone();
        prop_assert!(!with.add(&lower).unwrap());
        prop_assert_eq!(&with, &whole);
        prop_assert_eq!(whole.improvement(&lower).unwrap(), 0.0);
    }

    #[test]
    fn objectives_may_be_permuted(
        points in spread(),
        mean in prop::collection::vec(-1.0..1.5, 3),
        log_sd in prop::collection::vec(-4.0..1.0, 3),
        turn in 1..3_usize,
        mirror: bool,
    ) {
        let m = points[0].len();
        let permuted = |row: &[f64]| {
            let mut row = row[..m].to_vec();
            row.rotate_left(turn % m);
            if mirror {
                row.reverse();
            }
            row
        };
        let sd: Vec<f64> = log_sd.iter().map(|log: &f64| log.exp()).collect();
        let rows: Vec<Vec<f64>> = points.iter().map(|point| permuted(point)).collect();
        let (one, other) = (front(&points), front(&rows));
        let volume = one.hypervolume();
        assert_within("volume", other.hypervolume(), volume, VOLUME * volume);
        let at = score(&one.cells(), &mean[..m], &sd[..m]);
        let there = score(&other.cells(), &permuted(&mean), &permuted(&sd));
        // The distances are at most those from the origin and from the largest values.
        let logs: f64 = (0..m).map(|k| (2.5 / sd[k]).powi(2) / 2.0).sum();
        assert_within("value", there.value, at.value, 2.0 * log_volume(m, logs));
        for (one, other) in [(at.d_mean, there.d_mean), (at.d_sd, there.d_sd)] {
            let terms = permuted(&one);
            for (k, sd) in permuted(&sd).iter().enumerate() {
                // The terms of opposite signs are at most as large as the ratio of a factor to it.
                let size = terms[k].abs().max(1.0 / sd) * (1.0 + logs);
                assert_within(k, other[k], terms[k], 2.0 * volume_slope(m, logs, size, *sd));
            }
        }
    }

    #[test]
    fn units_of_objectives_scale_the_volume(
        points in spread(),
        mean in prop::collection::vec(-1.0..1.5, 3),
        sd in prop::collection::vec(0.02..1.0, 3),
        which in 0..3_usize,
        doublings in -20..20_i32,
    ) {
        let m = points[0].len();
        let (which, factor) = (which % m, f64::from(doublings).exp2());
        let scaled = |row: &[f64]| {
            let mut row = row[..m].to_vec();
            row[which] *= factor;
            row
        };
        let rows: Vec<Vec<f64>> = points.iter().map(|point| scaled(point)).collect();
        let (one, other) = (front(&points), front(&rows));
        prop_assert_eq!(other.hypervolume(), factor * one.hypervolume());
        prop_assert_eq!(
            other.improvement(&scaled(&mean)).unwrap(),
            factor * one.improvement(&mean[..m]).unwrap()
        );
        let at = score(&one.cells(), &mean[..m], &sd[..m]);
        let there = score(&other.cells(), &scaled(&mean), &scaled(&sd));
        let logs = at.value.abs() + factor.ln().abs();
        assert_within("value", there.value, at.value + factor.ln(), log_volume(m, logs));
        let tolerance = log_volume(m, logs);
        for (k, sd) in sd[..m].iter().enumerate() {
            let unit = if k == which { factor } else { 1.0 };
            let size = at.d_mean[k].abs().max(1.0 / sd) * (1.0 + at.value.abs());
            assert_within(k, unit * there.d_mean[k], at.d_mean[k], tolerance * size);
            assert_within(k, unit * there.d_sd[k], at.d_sd[k], tolerance * size);
        }
    }
}

#[test]
fn derivatives_agree_with_difference_quotients() {
    let points = [[0.9, 0.2, 0.5], [0.5, 0.6, 0.4], [0.50001, 0.59999, 0.4], [0.1, 0.8, 0.7]];
    for m in [2, 3] {
        let points: Vec<Vec<f64>> = points.iter().map(|point| point[..m].to_vec()).collect();
        let cells = front(&points).cells();
        for deviation in [1e-2, 0.3, 1.0, 50.0] {
            for from in [[0.0, 0.0, 0.0], [0.5, 0.6, 0.4], [1.0, 0.1, 0.3], [0.3, 0.3, 0.3]] {
                for u in [-300.0, -40.0, -5.0, -1.0, 0.0, 0.4, 3.0] {
                    let mean: Vec<f64> = (0..m).map(|k| from[k] + u * deviation).collect();
                    let sd: Vec<f64> = (0..m).map(|k| deviation * (1.0 + k as f64 / 2.0)).collect();
                    check_slopes(&cells, &mean, &sd);
                }
            }
        }
    }
}

/// Compares the derivatives with five-point difference quotients. The bounds lie in `[0, 1]`.
fn check_slopes(cells: &Cells, mean: &[f64], sd: &[f64]) {
    let at = score(cells, mean, sd);
    // The logarithm of a sum of boxes bends where one box takes over from another. Their logarithms
    // have slopes of up to `u` by a mean and `u^2` by a deviation, in units of the deviation.
    let farthest =
        mean.iter().zip(sd).map(|(mean, sd)| (mean.abs() + 1.0) / sd).fold(1.0, f64::max);
    for k in 0..mean.len() {
        let value = |of_mean: f64, of_sd: f64| {
            let (mut mean, mut sd) = (mean.to_vec(), sd.to_vec());
            mean[k] += of_mean;
            sd[k] += of_sd;
            score(cells, &mean, &sd).value
        };
        let quotient = |f: &dyn Fn(f64) -> f64| {
            let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(f);
            ((a - d) + 8.0 * (c - b)) / 12.0
        };
        let allowed = volume_difference(mean.len(), at.value.abs());
        let what = format!("objective {k} at {mean:?}, {sd:?}");
        let step = 1e-3 * sd[k] / farthest;
        let by_mean = quotient(&|t| value(t * step, 0.0));
        assert_within(format!("mean of {what}"), at.d_mean[k] * step, by_mean, allowed);
        let step = step / farthest;
        let by_sd = quotient(&|t| value(0.0, t * step));
        assert_within(format!("sd of {what}"), at.d_sd[k] * step, by_sd, allowed);
    }
}

#[test]
fn one_objective_is_the_expected_improvement() {
    let free = PointBeliefCost::Known(1.0);
    for points in [vec![], vec![[0.7]], vec![[0.2], [0.7], [-3.0]]] {
        let front = Front::new(vec![-0.5], &points).unwrap();
        let best = if points.is_empty() { -0.5 } else { 0.7 };
        assert_eq!(front.hypervolume(), best + 0.5);
        assert_eq!(front.improvement(&[1.5]).unwrap(), 1.5 - best);
        for mean in [-1e5, -40.0, -0.5, 0.1, 0.7, 0.71, 9.0] {
            for sd in [0.0, 1e-9, 0.02, 1.0, 1e4] {
                let at = score(&front.cells(), &[mean], &[sd]);
                let expected =
                    Pointwise::LogExpectedImprovement.score(best, &Belief { mean, sd, cost: free });
                assert_eq!(at.value, expected.value, "{mean} {sd}");
                assert_eq!(at.d_mean, [expected.d_mean, 0.0, 0.0]);
                assert_eq!(at.d_sd, [expected.d_sd, 0.0, 0.0]);
            }
        }
    }
}

#[test]
fn a_small_deviation_tends_to_a_known_objective() {
    let points = [[0.9, 0.2, 0.5], [0.5, 0.6, 0.4], [0.1, 0.8, 0.7]];
    for m in [2, 3] {
        let points: Vec<Vec<f64>> = points.iter().map(|point| point[..m].to_vec()).collect();
        let front = front(&points);
        let cells = front.cells();
        for mean in [[0.6, 0.7, 0.9], [0.95, 0.1, 0.2], [0.3, 0.3, 0.3], [2.0, 2.0, 2.0]] {
            let known = score(&cells, &mean[..m], &[0.0; 3][..m]);
            let gain = front.improvement(&mean[..m]).unwrap();
            if gain == 0.0 {
                assert_eq!((known.value, known.d_mean, known.d_sd), (LOG_ZERO, [0.0; 3], [0.0; 3]));
                continue;
            }
            assert_within("value", known.value, gain.ln(), log_volume(m, gain.ln().abs()));
            for sd in [1e-300, 1e-9, 1e-3] {
                // No bound is within 90 of these deviations.
                let at = score(&cells, &mean[..m], &[sd; 3][..m]);
                assert_within(
                    format!("{sd:e}"),
                    at.value,
                    known.value,
                    log_volume(m, gain.ln().abs()),
                );
                for k in 0..m {
                    let slope = known.d_mean[k];
                    assert_within(
                        format!("{sd:e}"),
                        at.d_mean[k],
                        slope,
                        volume_slope(m, 1.0, slope, 1.0),
                    );
                    assert_eq!(at.d_sd[k], 0.0);
                }
            }
        }
    }
}

#[test]
fn scores_are_finite_over_all_decades() {
    let wide = [-1e300, -1e30, -1.0, 0.0, 0.5, 1.0, 1e30, 1e300];
    let deviations = [0.0, 1e-300, 1e-30, 1e-3, 1.0, 1e30, 1e300];
    let fronts = [
        Front::new(vec![0.0, 0.0], [[1.0, 0.5], [0.5, 1.0]]),
        Front::new(vec![-1e300, 0.0], [[1e300, 1e-300], [0.5, 1.0]]),
        Front::new(vec![0.0; 3], [[1.0, 0.5, 0.5], [0.5, 1.0, 0.7]]),
        Front::new(vec![-f64::MAX; 3], [[f64::MAX, 0.5, 0.5], [0.5, f64::MAX, 0.7]]),
    ];
    for front in fronts {
        let front = front.unwrap();
        let (cells, m) = (front.cells(), front.objectives());
        for (i, mean) in wide.iter().enumerate() {
            for (j, sd) in deviations.iter().enumerate() {
                for other in 0..wide.len() * deviations.len() {
                    let (p, q) = (other % wide.len(), other / wide.len());
                    let means = [*mean, wide[p], wide[(i + p) % wide.len()]];
                    let sds = [*sd, deviations[q], deviations[(j + q) % deviations.len()]];
                    let FrontScore { value, d_mean, d_sd } = score(&cells, &means[..m], &sds[..m]);
                    let all = [&d_mean[..], &d_sd[..], &[value]].concat();
                    assert!(all.iter().all(|x| x.is_finite()), "{all:?} at {means:?} {sds:?}");
                    assert!(value >= LOG_ZERO && d_mean.iter().all(|slope| *slope >= 0.0));
                }
            }
        }
    }
}

#[test]
fn a_meaningless_belief_has_no_score() {
    let cells = Front::new(vec![0.0, 0.0], [[1.0, 1.0]]).unwrap().cells();
    let meaningless: [(&[f64], &[f64]); 6] = [
        (&[f64::NAN, 0.0], &[1.0, 1.0]),
        (&[f64::INFINITY, 0.0], &[1.0, 1.0]),
        (&[0.0, 0.0], &[1.0, -1.0]),
        (&[0.0, 0.0], &[1.0, f64::NAN]),
        (&[0.0], &[1.0]),
        (&[0.0, 0.0, 0.0], &[1.0, 1.0]),
    ];
    for (mean, sd) in meaningless {
        let FrontScore { value, d_mean, d_sd } = score(&cells, mean, sd);
        assert!([d_mean, d_sd].concat().iter().all(|slope| slope.is_nan()) && value.is_nan());
    }
}

#[test]
fn bad_points_are_named() {
    let error = Front::new(vec![0.0; 4], [[1.0; 4]]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert!(error.to_string().contains('4'), "{error}");
    let none: [[f64; 0]; 0] = [];
    assert_eq!(Front::new(vec![], none).unwrap_err().kind(), ErrorKind::InvalidSetting);
    let error = Front::new(vec![0.0, f64::NAN], [[1.0, 1.0]]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NonFinite);
    assert!(
        error.to_string().starts_with("the reference point: the value of objective 1"),
        "{error}"
    );
    let error = Front::new(vec![0.0, 0.0], [[1.0, 1.0], [f64::INFINITY, 1.0]]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NonFinite);
    assert!(error.to_string().starts_with("point 1: the value of objective 0"), "{error}");
    let error = Front::new(vec![0.0, 0.0], [vec![1.0, 1.0], vec![1.0]]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Dimension);
    assert!(error.to_string().starts_with("point 1: 2 objectives, and 1 value"), "{error}");
    let mut front = Front::new(vec![0.0, 0.0], [[1.0, 1.0]]).unwrap();
    assert_eq!(front.add(&[1.0]).unwrap_err().kind(), ErrorKind::Dimension);
    assert_eq!(front.improvement(&[1.0, f64::NAN]).unwrap_err().kind(), ErrorKind::NonFinite);
    assert_eq!(front.points().collect::<Vec<_>>(), [[1.0, 1.0]]);
}
