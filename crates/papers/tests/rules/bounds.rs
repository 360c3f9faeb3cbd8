//! Rules on confidence bounds: the gap of the bounds, and the change of the expected regret.

use gittins::data::Direction;
use gittins::internals::ucb_beta;
use gittins::study::Search;
use gittins::{Outcome, Points, Posterior, Space, Study};
use gittins_papers::rules::internals::Change;
use gittins_papers::rules::{ConfidenceGapRule, RegretGapRule};

use super::paths::{rows, table};
use crate::support::stage::Stage;
use crate::support::tolerance::{SAME_BY_HAND, assert_within};

fn wave(x: f64) -> f64 {
    (7.0 * x).sin() + 0.5 * x
}

/// The gap of the bounds over rows, computed from the posterior itself.
fn gap_by_hand(posterior: &Posterior, rows: &[f64], seen: &[f64], beta: f64) -> f64 {
    let bound = |points: &[f64], sign: f64| {
        let moments = posterior.moments(&Points::from_rows(1, points.to_vec()).unwrap()).unwrap();
        let bounds = moments
            .mean
            .iter()
            .zip(&moments.variance)
            .map(|(mean, variance)| mean + sign * (beta * variance).sqrt());
        bounds.fold(f64::NEG_INFINITY, f64::max)
    };
    bound(rows, 1.0) - bound(seen, -1.0)
}

#[test]
fn the_confidence_gap_is_that_of_the_bounds_over_all_rows_and_over_the_evaluated_ones() {
    let rows = rows(101);
    for direction in [Direction::Maximize, Direction::Minimize] {
        let mut stage = Stage::new(table(101), direction, 0.2);
        let mut seen = Vec::new();
        for (t, &row) in [10usize, 50, 90, 30, 70, 20].iter().enumerate() {
            let x = rows[row];
            seen.push(x);
            let outcome = direction.sign() * wave(x);
            if t == 0 {
                stage.design(&[x], outcome);
            } else {
                stage.tell(&[x], outcome, 1.0);
            }
            // The next suggestion is number t + 1 after t suggested trials.
            let expected = {
                let statistic = stage.check(&mut ConfidenceGapRule::default());
                let posterior = stage.surrogate.as_ref().unwrap().posterior();
                let expected = gap_by_hand(posterior, &rows, &seen, ucb_beta(1, t + 1, 0.1));
                assert_within(
                    format!("after {t} trials"),
                    statistic.value,
                    expected,
                    SAME_BY_HAND * expected,
                );
                expected
            };
            assert!(stage.check(&mut ConfidenceGapRule::new(expected * 1.01)).fired);
            assert!(!stage.check(&mut ConfidenceGapRule::new(expected * 0.99)).fired);
        }
    }
}

#[test]
fn a_confidence_gap_closes_once_the_optimum_is_pinned_down() {
    let stops = |gap: f64| {
        let mut study = Study::maximize(Space::new().float("x", 0.0, 1.0))
            .policy(gittins::Policy::ucb())
            .stop(ConfidenceGapRule::new(gap))
            .initial(3)
            .search(Search::new(64, 4))
            .build()
            .unwrap();
        let mut stops = Vec::new();
        for _ in 0..16 {
            let ask = study.ask().unwrap();
            study.tell(ask.id(), Outcome::new(wave(ask.numbers()[0]))).unwrap();
            stops.push(study.verdict().unwrap().is_stop());
        }
        stops
    };
    let wide = stops(0.05);
    assert!(!wide[3] && wide[15], "{wide:?}");
    // The fitted noise alone keeps the bounds this far apart.
    assert_eq!(stops(1e-9), [false; 16]);
}

/// The change from one posterior to the next, term by term, for one observation and an unchanged
/// kernel. The divergence is that of the beliefs at the point.
fn change_by_hand(old: &Posterior, new: &Posterior, seen: &[f64], kappa: f64) -> f64 {
    let best = |posterior: &Posterior, seen: &[f64]| {
        let mean = posterior.moments(&Points::from_rows(1, seen.to_vec()).unwrap()).unwrap().mean;
        let at = (0..mean.len()).max_by(|&a, &b| mean[a].total_cmp(&mean[b])).unwrap();
        (seen[at], mean[at])
    };
    let (told, before) = (seen[seen.len() - 1], &seen[..seen.len() - 1]);
    let ((old_best, old_mean), (new_best, new_mean)) = (best(old, before), best(new, seen));
    let pair = new.joint(&Points::from_rows(1, vec![new_best, old_best]).unwrap()).unwrap();
    let there = Points::from_rows(1, vec![told]).unwrap();
    let [(m_old, v_old), (m_new, v_new)] = [old, new].map(|posterior| {
        let moments = posterior.moments(&there).unwrap();
        (moments.mean[0], moments.variance[0])
    });
    Change {
        new: new_mean,
        old: pair.mean[1],
        before: old_mean,
        variance: pair.covariance[(0, 0)] - 2.0 * pair.covariance[(0, 1)] + pair.covariance[(1, 1)],
        gap: kappa,
        divergence: 0.5
            * ((v_old / v_new).ln() + v_new / v_old - 1.0 + (m_new - m_old).powi(2) / v_old),
    }
    .statistic()
}

#[test]
fn the_regret_gap_is_the_change_from_the_model_before() {
    let rows = rows(101);
    let mut stage = Stage::new(table(101), Direction::Maximize, 0.2);
    let mut rule = RegretGapRule::new();
    let (mut seen, mut before) = (Vec::new(), None::<Posterior>);
    for (t, &row) in [10usize, 50, 90, 30, 70, 20, 25].iter().enumerate() {
        let x = rows[row];
        seen.push(x);
        if t == 0 {
            stage.design(&[x], wave(x));
        } else {
            stage.tell(&[x], wave(x), 1.0);
        }
        let statistic = stage.check(&mut rule);
        let now = stage.surrogate.as_ref().unwrap().posterior().clone();
        match &before {
            None => assert_eq!(statistic.value, f64::INFINITY),
            Some(before) => {
                let kappa = gap_by_hand(before, &rows, &seen[..t], ucb_beta(1, t, 0.1));
                let expected = change_by_hand(before, &now, &seen, kappa);
                // The variance left at an observation is its noise, 1e-6 of the prior's variance.
                // Rounding matters at this size.
                assert_within(
                    format!("after {t} trials"),
                    statistic.value,
                    expected,
                    SAME_BY_HAND * expected / 1e-6f64.sqrt(),
                );
            }
        }
        assert!(!statistic.fired);
        before = Some(now);
    }
}

#[test]
fn several_observations_at_once_diverge_as_their_joint_belief_does() {
    // If the kernel between two observations vanishes, their divergences add up. A twin of an
    // observation only repeats it.
    let told = |points: &[(f64, f64)], learned_scale: bool| {
        let mut stage = Stage::new(Space::new().float("x", 0.0, 1.0), Direction::Maximize, 0.01);
        stage.setup.standardize = learned_scale;
        stage.design(&[0.5], 1.0);
        stage.design(&[0.4], -1.0);
        let mut rule = RegretGapRule::new();
        stage.check(&mut rule);
        for &(x, y) in points {
            stage.tell(&[x], y, 1.0);
        }
        stage.check(&mut rule).value
    };
    // The incumbent stays, so only the third term is left: kappa sqrt(KL/2).
    let (left, right) = (told(&[(0.1, 0.3)], false), told(&[(0.9, -0.7)], false));
    let both = told(&[(0.1, 0.3), (0.9, -0.7)], false);
    assert_within("both", both, left.hypot(right), SAME_BY_HAND * both);
    let repeated = told(&[(0.1, 0.3), (0.1, 0.3)], false);
    assert!(repeated > left && repeated < 1.1 * left, "{repeated}, {left}");
    // If the scaling changes, the beliefs are compared as they are.
    let rescaled = told(&[(0.1, 0.3), (0.9, -0.7)], true);
    assert!(rescaled.is_finite() && rescaled > 0.0, "{rescaled}");
}

#[test]
fn the_regret_gap_waits_for_its_median_and_then_fires() {
    let mut stage = Stage::new(table(201), Direction::Maximize, 0.2);
    let mut rule = RegretGapRule::new().first(4).share(0.5);
    let mut fired = Vec::new();
    for i in 0..30 {
        // The trials sweep the rows. After the sweep every mean is known.
        let x = f64::from((i * 7) % 30) / 30.0;
        let row = (x * 200.0).round() / 200.0;
        if i == 0 {
            stage.design(&[row], wave(row));
        } else {
            stage.tell(&[row], wave(row), 1.0);
        }
        let statistic = stage.check(&mut rule);
        assert_eq!(statistic.threshold == f64::NEG_INFINITY, i <= 4, "{i}: {statistic:?}");
        fired.push(statistic.fired);
    }
    assert!(!fired[..5].contains(&true) && fired[25..].contains(&true), "{fired:?}");
}
