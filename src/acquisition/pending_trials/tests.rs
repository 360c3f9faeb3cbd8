use super::*;
use crate::acquisition::CostForm;
use crate::math::normal::{h, inverse_cdf};

const E: f64 = 1.0 / 64.0;

/// The middles of equally likely intervals, in an order that mixes them.
fn spread(scale: f64, factor: usize) -> Each {
    std::array::from_fn(|k| {
        let place = (k * factor + 5) % FANTASIES;
        scale * inverse_cdf((place as f64 + 0.5) / FANTASIES as f64)
    })
}

/// `E(g)` in full, from the definition.
fn gain(pending_trials: &PendingTrials<'_>, mean: f64, sd: f64, g: f64) -> f64 {
    let e = pending_trials.missing;
    let one = |(shift, best): (&f64, &f64)| {
        let mean = mean + shift;
        (1.0 - e) * sd * h((mean - g.max(*best)) / sd) + e * sd * h((mean - g) / sd)
    };
    pending_trials.shifts.iter().zip(pending_trials.best).map(one).sum::<f64>() / FANTASIES as f64
}

fn known(mean: f64, sd: f64, cost: f64) -> Belief {
    Belief { mean, sd, cost: PointBeliefCost::Known(cost) }
}

#[test]
fn the_index_solves_its_equation_over_all_prices() {
    let shifts = spread(0.4, 7);
    let best = spread(0.5, 11).map(|b| b + 0.3);
    let pending_trials = PendingTrials { shifts: &shifts, best: &best, missing: E };
    for exponent in -280..=12 {
        let price = 10f64.powi(exponent);
        for (mean, sd) in [(0.0, 1.0), (-2.0, 0.3), (1.5, 0.01), (0.2, 1e-6)] {
            let mut shares = [0.0; FANTASIES];
            let (score, _) = Pointwise::Gittins { lambda: price }.score_pending(
                0.0,
                &known(mean, sd, 1.0),
                None,
                (&pending_trials, Some(&mut shares)),
            );
            let (alone, _) = Pointwise::Gittins { lambda: price }.score_pending(
                0.0,
                &known(mean, sd, 1.0),
                None,
                (&pending_trials, None),
            );
            assert_eq!(alone.value, score.value);
            let found = gain(&pending_trials, mean, sd, score.value);
            // The index is rounded, and so is its distance from a fantasy in units of sd. Each
            // moves the logarithm of the gain by its slope.
            let slope = 1.0 / score.d_log_cost.abs();
            let size = score.value.abs().max(1.0);
            let allowed = 1e-11 + 64.0 * f64::EPSILON * size * slope;
            if found > 1e-290 && allowed < 0.1 {
                let off = (found / price).ln().abs();
                assert!(off <= allowed, "{mean} {sd} 1e{exponent}: {off:e} > {allowed:e}");
            }
            assert!(score.value.is_finite() && score.d_mean >= 1.0 - 1e-12);
            let total: f64 = shares.iter().sum();
            assert!((total - 1.0).abs() < 1e-13, "{total}");
        }
    }
}

#[test]
fn sums_from_logarithms_are_those_in_vectors() {
    let shifts = spread(0.4, 7);
    let best = spread(0.5, 11).map(|b| b + 0.3);
    let pending_trials = PendingTrials { shifts: &shifts, best: &best, missing: E };
    let sums = Sums::new(&pending_trials, 0.1, 0.7);
    for step in -40..=120 {
        let gamma = 0.25 * f64::from(step) + 0.01;
        let quick = sums.at(gamma);
        let slow = sums.slowly(gamma);
        // Those of `math::mills` at the fantasy that counts most.
        let allowed = (64.0 + 4.0 * gamma * gamma) * f64::EPSILON;
        let pairs = [
            (quick.log_value.exp(), slow.log_value.exp()),
            (quick.mean, slow.mean),
            (quick.density, slow.density),
            (quick.fall, slow.fall),
            (quick.bend, slow.bend),
        ];
        for (quick, slow) in pairs {
            assert!((quick - slow).abs() <= allowed * slow, "{gamma}: {quick} and {slow}");
        }
    }
}

/// Every acquisition that looks at pending trials.
fn all() -> Vec<Pointwise> {
    let all = Pointwise::one_of_each();
    all.into_iter().filter(|one| one.facts().foresees_noise).collect()
}

#[test]
fn derivatives_are_those_of_differences() {
    let shifts = spread(0.4, 7);
    let best = spread(0.5, 11).map(|b| b + 0.3);
    let mut checked = 0;
    for acquisition in all() {
        for price in [1e-12, 1e-6, 1e-3, 0.1, 3.0, 1e3] {
            for log_usable in [None, Some(-0.7)] {
                let cost = PointBeliefCost::LogNormal { mean: f64::ln(price), variance: 0.2 };
                let belief = Belief { mean: 0.1, sd: 0.6, cost };
                let score = |belief: &Belief, shifts: &Each, log_usable: Option<f64>| {
                    let pending_trials = PendingTrials { shifts, best: &best, missing: E };
                    let mut shares = [0.0; FANTASIES];
                    let others = (&pending_trials, Some(&mut shares));
                    let found = acquisition.score_pending(0.4, belief, log_usable, others);
                    (found, shares)
                };
                let ((got, by_success), shares) = score(&belief, &shifts, log_usable);
                let value =
                    |belief: &Belief, shifts: &Each| score(belief, shifts, log_usable).0.0.value;
                let step = 1e-5;
                let check = |what: &str, derivative: f64, up: f64, down: f64| {
                    let difference = (up - down) / (2.0 * step);
                    // Truncation of the second order, and rounding of the values.
                    let allowed = 1e-6 * (derivative.abs() + got.value.abs())
                        + 1e-13 * got.value.abs().max(1e-300) / step;
                    assert!(
                        (derivative - difference).abs() <= allowed,
                        "{acquisition:?} at price {price}, {what}: {derivative} and {difference}"
                    );
                };
                let moved = |by: f64| shifts.map(|shift| shift + by);
                check(
                    "mean",
                    got.d_mean,
                    value(&belief, &moved(step)),
                    value(&belief, &moved(-step)),
                );
                let sd = |by: f64| value(&Belief { sd: 0.6 + by, ..belief }, &shifts);
                check("sd", got.d_sd, sd(step), sd(-step));
                let log_cost = |by: f64, more: f64| {
                    let cost =
                        PointBeliefCost::LogNormal { mean: price.ln() + by, variance: 0.2 + more };
                    value(&Belief { cost, ..belief }, &shifts)
                };
                check("cost", got.d_log_cost, log_cost(step, 0.0), log_cost(-step, 0.0));
                let by_variance = got.d_log_cost_variance;
                check("variance", by_variance, log_cost(0.0, step), log_cost(0.0, -step));
                for k in [0, 9, 31] {
                    let one = |by: f64| {
                        let mut shifts = shifts;
                        shifts[k] += by;
                        value(&belief, &shifts)
                    };
                    check("a shift", got.d_mean * shares[k], one(step), one(-step));
                }
                if let Some(log_usable) = log_usable {
                    let p = |by: f64| score(&belief, &shifts, Some(log_usable + by)).0.0.value;
                    check("success", by_success, p(step), p(-step));
                }
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 7 * 6 * 2);
}

#[test]
fn the_improvement_is_worth_its_price_if_and_only_if_the_index_exceeds_the_incumbent() {
    let shifts = spread(0.4, 7);
    let best = spread(0.5, 11).map(|b| b + 0.3);
    let pending_trials = PendingTrials { shifts: &shifts, best: &best, missing: E };
    let per_cost =
        Pointwise::LogExpectedImprovementPerCost { exponent: 1.0, form: CostForm::Expected };
    let (mut worth, mut not) = (0, 0);
    for step in 0..400 {
        let mean = -1.0 + 0.01 * f64::from(step);
        let lambda = 0.03;
        let belief = known(mean, 0.3, 0.7);
        let mut shares = [0.0; FANTASIES];
        let index = Pointwise::Gittins { lambda };
        let of = |of: &Pointwise, shares: &mut Each| {
            of.score_pending(0.6, &belief, None, (&pending_trials, Some(shares))).0.value
        };
        let excess = of(&index, &mut shares) - 0.6;
        let gain = of(&per_cost, &mut shares) - lambda.ln();
        assert!(excess * gain > 0.0 || excess.abs() < 1e-12, "{excess} and {gain}");
        if gain > 0.0 { worth += 1 } else { not += 1 }
    }
    assert!(worth > 50 && not > 50, "{worth} {not}");
}

#[test]
fn without_a_pending_value_in_the_way_only_the_fantasies_are_left() {
    // All pending values are far below: E(g) is the mean of h over the fantasies.
    let shifts = spread(0.4, 7);
    let best = [-1e6; FANTASIES];
    let far = PendingTrials { shifts: &shifts, best: &best, missing: E };
    let still = PendingTrials { shifts: &[0.0; FANTASIES], ..far };
    let mut shares = [0.0; FANTASIES];
    let mut least = f64::INFINITY;
    for acquisition in all() {
        let belief = known(0.3, 0.5, 0.2);
        // A point that the pending trials tell nothing about has its ordinary score.
        let (alone, _) = acquisition.score_pending(0.5, &belief, None, (&still, Some(&mut shares)));
        let ordinary = acquisition.score(0.5, &belief);
        for (a, b) in [
            (alone.value, ordinary.value),
            (alone.d_mean, ordinary.d_mean),
            (alone.d_sd, ordinary.d_sd),
            (alone.d_log_cost, ordinary.d_log_cost),
        ] {
            assert!((a - b).abs() <= 1e-13 * b.abs().max(1.0), "{acquisition:?}: {a} and {b}");
        }
        // With a pending value in the way, above the index too, the score falls.
        let ahead = PendingTrials { best: &[3.0; FANTASIES], ..still };
        let (less, _) = acquisition.score_pending(0.5, &belief, None, (&ahead, Some(&mut shares)));
        least = least.min(ordinary.value - less.value);
    }
    assert!(least > 1e-3, "{least}");
}

#[test]
fn nothing_is_undefined() {
    let extremes = [-1e300, -1e10, -3.0, 0.0, 2.0, 1e10, 1e300];
    for acquisition in all() {
        for shift in [0.0, 1e-300, 1.0, 1e200] {
            for best in extremes {
                for mean in extremes {
                    for sd in [0.0, 1e-320, 1e-160, 1e-6, 1.0, 1e100, 1e300] {
                        for cost in [1e-300, 1.0, 1e300] {
                            let shifts = spread(shift, 7);
                            let best = [best; FANTASIES];
                            let pending_trials =
                                PendingTrials { shifts: &shifts, best: &best, missing: E };
                            let mut shares = [0.0; FANTASIES];
                            let (score, by_success) = acquisition.score_pending(
                                0.5,
                                &known(mean, sd, cost),
                                Some(-1.0),
                                (&pending_trials, Some(&mut shares)),
                            );
                            let Score { value, d_mean, d_sd, d_log_cost, .. } = score;
                            for number in [value, d_mean, d_sd, d_log_cost, by_success] {
                                assert!(
                                    number.is_finite(),
                                    "{acquisition:?} {shift} {mean} {sd} {cost}: {score:?}"
                                );
                            }
                            assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
                        }
                    }
                }
            }
        }
    }
}
