//! Invariants of the acquisition functions: derivatives, monotonicity, units, and finite values
//! over hundreds of decades.

use gittins::acquisition::{Belief, PointBeliefCost, Score};
use gittins::internals::normal::{FRAC_1_SQRT_2PI, log_h};
use gittins::{Acquisition, CostForm, Pointwise};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::oracles::acquisition::score;
use crate::support::tolerance::{DIFFERENCE_QUOTIENT, INDEX, LOG_OF_NORMAL, NORMAL, assert_within};

const FORMS: [CostForm; 2] = [CostForm::Expected, CostForm::ExpectedInverse];

fn variants() -> Vec<Acquisition> {
    let mut all = vec![
        Acquisition::Pointwise(Pointwise::ExpectedImprovement),
        Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
        Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement),
        Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement),
        Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 2.5 }),
        Acquisition::gittins(0.3),
        Acquisition::Pointwise(Pointwise::EstimatedMaximum { maximum: 0.0, noise: 0.0 }),
        Acquisition::Pointwise(Pointwise::EstimatedMaximum { maximum: 0.2, noise: 0.3 }),
    ];
    all.extend(Pointwise::one_of_each().into_iter().map(Acquisition::from));
    for form in FORMS {
        for exponent in [0.0, 0.4, 1.0] {
            all.push(Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost {
                exponent,
                form,
            }));
            all.push(Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                exponent,
                form,
            }));
            all.push(Acquisition::Pointwise(Pointwise::MaxValueEntropy {
                maxima: [0.0, 0.1].into(),
                exponent,
                form,
            }));
        }
    }
    all
}

fn index(lambda: f64, mean: f64, sd: f64, cost: f64) -> f64 {
    score(&Acquisition::gittins(lambda), 0.0, mean, sd, PointBeliefCost::Known(cost)).value
}

fn fields(score: &Score) -> [f64; 5] {
    [score.value, score.d_mean, score.d_sd, score.d_log_cost, score.d_log_cost_variance]
}

fn cases(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(20_250_611),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Checks a derivative against the five-point difference quotient of `f`. The offsets are in units
/// of `scale`, the scale on which `f` bends.
fn check_derivative(what: &str, f: impl Fn(f64) -> f64, scale: f64, derivative: f64) {
    let step = 1e-3;
    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| f(k * step * scale));
    let quotient = ((a - d) + 8.0 * (c - b)) / (12.0 * step);
    let size =
        [a, b, c, d].iter().fold((derivative * scale).abs(), |size, value| size.max(value.abs()));
    assert_within(what, derivative * scale, quotient, DIFFERENCE_QUOTIENT * size);
}

#[test]
fn derivatives_agree_with_difference_quotients() {
    for acquisition in variants() {
        let logarithm = acquisition.name().starts_with("log");
        let is_index = matches!(
            acquisition,
            Acquisition::Pointwise(Pointwise::Gittins { .. } | Pointwise::EstimatedMaximum { .. })
        );
        for sd in (-12..=6).step_by(3).map(|decade| 10f64.powi(decade)) {
            for u in [-1000.0, -30.0, -5.0, -2.2, -1.0, -0.3, 0.0, 0.5, 2.0, 8.0, 50.0] {
                // The incumbent is zero. Otherwise a large mean would swallow the steps of a small
                // gap.
                let mean = u * sd;
                for log_ratio in
                    (-12..=12).step_by(4).map(|decade| f64::from(decade) * std::f64::consts::LN_10)
                {
                    let known = PointBeliefCost::Known(sd * log_ratio.exp());
                    let learned =
                        PointBeliefCost::LogNormal { mean: sd.ln() + log_ratio, variance: 0.7 };
                    for cost in [known, learned] {
                        let what = format!("{acquisition:?} at mean {mean:e}, sd {sd:e}, {cost:?}");
                        let at = score(&acquisition, 0.0, mean, sd, cost);
                        let value = |mean, sd, cost| score(&acquisition, 0.0, mean, sd, cost).value;
                        // A density bends on the scale of 1/u, and its logarithm on the scale of u.
                        // The logarithm of a probability near one is minus the small rest, so it
                        // bends like a density.
                        let logarithm = logarithm
                            && !(acquisition
                                == Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement)
                                && u > 0.0);
                        // If the mean lies above the sampled maximum, the information grows like
                        // the logarithm of the distance.
                        let information = matches!(
                            acquisition,
                            Acquisition::Pointwise(Pointwise::MaxValueEntropy { .. })
                        ) && u > 0.0;
                        let (mean_scale, sd_scale) = if information {
                            (sd.max(mean.abs()), sd)
                        } else if is_index {
                            (sd, sd)
                        } else if logarithm {
                            (sd.max(mean.abs()), sd)
                        } else {
                            (sd / (1.0 + u.abs()), sd / (1.0 + u * u))
                        };
                        check_derivative(
                            &format!("{what}, mean"),
                            |step| value(mean + step, sd, cost),
                            mean_scale,
                            at.d_mean,
                        );
                        check_derivative(
                            &format!("{what}, sd"),
                            |step| value(mean, sd + step, cost),
                            sd_scale,
                            at.d_sd,
                        );
                        match cost {
                            PointBeliefCost::Known(c) => {
                                let moved = |step: f64| {
                                    value(mean, sd, PointBeliefCost::Known(c * step.exp()))
                                };
                                check_derivative(
                                    &format!("{what}, ln c"),
                                    moved,
                                    1.0,
                                    at.d_log_cost,
                                );
                                assert_eq!(at.d_log_cost_variance, 0.0);
                            }
                            PointBeliefCost::LogNormal { mean: m, variance: v } => {
                                let moved = |dm: f64, dv: f64| {
                                    value(
                                        mean,
                                        sd,
                                        PointBeliefCost::LogNormal {
                                            mean: m + dm,
                                            variance: v + dv,
                                        },
                                    )
                                };
                                check_derivative(
                                    &format!("{what}, m"),
                                    |step| moved(step, 0.0),
                                    1.0,
                                    at.d_log_cost,
                                );
                                check_derivative(
                                    &format!("{what}, v"),
                                    |step| moved(0.0, step),
                                    1.0,
                                    at.d_log_cost_variance,
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn scores_are_finite_over_hundreds_of_decades() {
    let powers = |range: std::ops::RangeInclusive<i32>, step| {
        range.step_by(step).map(|decade| 10f64.powi(decade)).collect::<Vec<f64>>()
    };
    let mut means: Vec<f64> = powers(-300..=300, 50).iter().flat_map(|x| [*x, -x]).collect();
    means.extend([0.0, f64::MAX, f64::MIN]);
    let mut scales = powers(-300..=300, 20);
    scales.extend([5e-324, 1e-310, f64::MIN_POSITIVE, f64::MAX]);
    let mut acquisitions = variants();
    acquisitions.extend([1e-300, 1e-4, 1e300].map(Acquisition::gittins));
    for acquisition in acquisitions {
        for &mean in &means {
            for sd in scales.iter().copied().chain([0.0]) {
                for &cost in &scales {
                    for cost in [
                        PointBeliefCost::Known(cost),
                        PointBeliefCost::LogNormal { mean: cost.ln(), variance: 2.0 },
                    ] {
                        let at = score(&acquisition, 0.25, mean, sd, cost);
                        assert!(
                            fields(&at).iter().all(|x| x.is_finite()),
                            "{acquisition:?}, {mean:e}, {sd:e}, {cost:?}: {at:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn scores_are_monotone_over_two_hundred_decades() {
    // Neighbors may come out in either order if their scores differ by less than the last places.
    let rises = |last: f64, next: f64| next >= last - NORMAL * last.abs();
    let decades = || (-400..=400).map(|k| 10f64.powf(0.25 * f64::from(k)));
    for acquisition in variants() {
        let value =
            |mean, sd, cost| score(&acquisition, 0.0, mean, sd, PointBeliefCost::Known(cost)).value;
        // The means go upwards from -1e100 to 1e100.
        let mut last = f64::MIN;
        for mean in decades().collect::<Vec<f64>>().into_iter().rev().map(|x| -x).chain(decades()) {
            let next = value(mean, 1.0, 1.0);
            assert!(
                rises(last, next),
                "{acquisition:?} falls from {last:e} to {next:e} at mean {mean:e}"
            );
            last = next;
        }
        // No score rises with the cost.
        for sd in [1e-90, 1.0, 1e90] {
            let mut last = f64::MAX;
            for cost in decades() {
                let next = value(0.1 * sd, sd, cost);
                assert!(
                    rises(next, last),
                    "{acquisition:?} rises from {last:e} to {next:e} at cost {cost:e}"
                );
                last = next;
            }
        }
        // Below the incumbent a score rises with uncertainty. A probability of improvement never
        // exceeds a half there.
        let mut last = f64::MIN;
        for sd in std::iter::once(0.0).chain(decades()) {
            let next = value(-1.0, sd, 1.0);
            assert!(
                rises(last, next),
                "{acquisition:?} falls from {last:e} to {next:e} at sd {sd:e}"
            );
            last = next;
        }
    }
}

#[test]
fn logarithms_keep_a_gradient_where_the_improvement_underflows() {
    for acquisition in [
        Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
        Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement),
    ] {
        for u in [-38.0, -1e3, -1e8, -1e40, -1e100] {
            let at = score(&acquisition, 0.0, u, 1.0, PointBeliefCost::Known(1.0));
            assert!(at.d_mean >= -u && at.d_sd >= 0.9 * u * u, "{acquisition:?} at {u:e}: {at:?}");
        }
    }
}

#[test]
fn root_at_the_traps() {
    // The index of a standard normal is minus the root. At the root the logarithm of h is the
    // logarithm of the price.
    for price in [
        5e-324,
        1e-310,
        1e-308,
        1e-302,
        FRAC_1_SQRT_2PI.next_down(),
        FRAC_1_SQRT_2PI,
        FRAC_1_SQRT_2PI.next_up(),
        9.0,
        9.1,
    ] {
        let g = index(1.0, 0.0, 1.0, price);
        let bound = LOG_OF_NORMAL * (2.0 * price.ln().abs() + 1.0);
        assert_within(format!("h at the root of {price:e}"), log_h(-g), price.ln(), bound);
    }
    assert_within("kappa = phi(0)", index(1.0, 0.0, 1.0, FRAC_1_SQRT_2PI), 0.0, f64::EPSILON);
    // The branch at ln kappa = 2.2, from both sides.
    let branch = 2.2f64.exp();
    let mut price = branch;
    (0..8).for_each(|_| price = price.next_down());
    for _ in 0..16 {
        assert_within(
            "around the branch",
            index(1.0, 0.0, 1.0, price),
            -price,
            2.0 * INDEX * price,
        );
        price = price.next_up();
    }
    // A subnormal product keeps its digits: lambda c is 1e-316, and the root is the root of 1e-16.
    assert_within(
        "subnormal price",
        index(1e-160, 0.0, 1e-300, 1e-156) / 1e-300,
        index(1e-16, 0.0, 1.0, 1.0),
        1e-13,
    );
    assert_within("overflowing ratio", index(1.0, 2.5, 1e-300, 1e10), 2.5 - 1e10, 0.0);
    assert_within("a sharp box", index(1e-4, 2.5, 1e-6, 1e4), 1.5, INDEX);
}

#[test]
fn a_belief_without_meaning_scores_nan_and_spoils_no_other() {
    for acquisition in variants().into_iter().chain([Acquisition::gittins(1e-4)]) {
        let good = Belief { mean: 0.2, sd: 0.4, cost: PointBeliefCost::Known(3.0) };
        let before = acquisition.pointwise().unwrap().score(0.5, &good);
        let is_nan = |incumbent, belief: &Belief| {
            fields(&acquisition.pointwise().unwrap().score(incumbent, belief))
                .iter()
                .all(|x| x.is_nan())
        };
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(
                is_nan(0.5, &Belief { mean: bad, ..good })
                    && is_nan(0.5, &Belief { sd: bad, ..good }),
                "{acquisition:?}"
            );
            let incumbent_counts = acquisition.uses_incumbent();
            assert_eq!(is_nan(bad, &good), incumbent_counts, "{acquisition:?}");
        }
        assert!(is_nan(0.5, &Belief { sd: -1.0, ..good }), "{acquisition:?}");
        for cost in
            [PointBeliefCost::Known, |mean| PointBeliefCost::LogNormal { mean, variance: 1.0 }]
        {
            assert_eq!(
                is_nan(0.5, &Belief { cost: cost(f64::NAN), ..good }),
                acquisition.uses_cost(),
                "{acquisition:?}"
            );
        }
        for cost in [0.0, -2.0] {
            assert_eq!(
                is_nan(0.5, &Belief { cost: PointBeliefCost::Known(cost), ..good }),
                acquisition.uses_cost(),
                "{acquisition:?}"
            );
        }
        assert_eq!(acquisition.pointwise().unwrap().score(0.5, &good), before);
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn index_moves_with_the_origin_and_scales_with_the_unit(
        mean in -10.0..10.0f64, log_sd in -12.0..3.0f64, log_ratio in -30.0..5.0f64, shift in -10.0..10.0f64, log_scale in -20.0..20.0f64,
    ) {
        let (sd, scale) = (log_sd.exp(), log_scale.exp());
        let cost = sd * log_ratio.exp();
        let g = index(1.0, mean, sd, cost);
        let size = mean.abs().max((g - mean).abs()).max(sd) + shift.abs();
        let moved = index(1.0, mean + shift, sd, cost);
        prop_assert!((moved - (g + shift)).abs() <= 2.0 * INDEX * size, "{moved} {}", g + shift);
        let scaled = index(1.0, scale * mean, scale * sd, scale * cost);
        prop_assert!((scaled - scale * g).abs() <= 3.0 * INDEX * scale * size, "{scaled} {}", scale * g);
        // Outcomes and the price of a unit of cost are multiplied by the same factor.
        let priced = index(scale, scale * mean, scale * sd, cost);
        prop_assert!((priced - scale * g).abs() <= 3.0 * INDEX * scale * size, "{priced} {}", scale * g);
    }

    #[test]
    fn index_rises_with_mean_and_uncertainty_and_falls_with_cost(
        mean in -10.0..10.0f64, log_sd in -12.0..3.0f64, log_ratio in -600.0..8.0f64, step in 1e-3..1.0f64,
    ) {
        let sd = log_sd.exp();
        let cost = sd * log_ratio.exp();
        let g = index(1.0, mean, sd, cost);
        prop_assert!(index(1.0, mean + step, sd, cost) > g);
        // The slack allows for rounding if the effect is below the last place.
        let slack = 2.0 * INDEX * g.abs().max(mean.abs());
        prop_assert!(index(1.0, mean, sd * (1.0 + step), cost) >= g - slack);
        prop_assert!(index(1.0, mean, sd, cost * (1.0 + step)) <= g + slack);
    }

    #[test]
    fn a_higher_cost_never_raises_a_score(
        mean in -10.0..10.0f64, log_sd in -12.0..3.0f64, log_cost in -50.0..50.0f64, step in 0.01..5.0f64, variance in 0.0..4.0f64,
    ) {
        for acquisition in variants() {
            for (cheap, dear) in [
                (PointBeliefCost::Known(log_cost.exp()), PointBeliefCost::Known((log_cost + step).exp())),
                (PointBeliefCost::LogNormal { mean: log_cost, variance }, PointBeliefCost::LogNormal { mean: log_cost + step, variance }),
            ] {
                let [cheap, dear] = [cheap, dear].map(|cost| score(&acquisition, 0.5, mean, log_sd.exp(), cost).value);
                prop_assert!(dear <= cheap + 2.0 * INDEX * cheap.abs(), "{acquisition:?}: {cheap} {dear}");
            }
        }
    }

    #[test]
    fn log_improvement_per_cost_is_at_most_the_log_price_exactly_where_the_index_is_at_most_the_incumbent(
        mean in -5.0..5.0f64, log_sd in -8.0..2.0f64, log_lambda in -10.0..2.0f64, log_cost in -5.0..5.0f64,
        variance in 0.0..2.0f64, margin in 1e-6..3.0f64, learned in any::<bool>(),
    ) {
        let (sd, lambda) = (log_sd.exp(), log_lambda.exp());
        let cost = if learned { PointBeliefCost::LogNormal { mean: log_cost, variance } } else { PointBeliefCost::Known(log_cost.exp()) };
        let g = score(&Acquisition::gittins(lambda), 0.0, mean, sd, cost).value;
        let per_cost = Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost { exponent: 1.0, form: CostForm::Expected });
        // The incumbent differs from the index by more than the rounding of both.
        let clear = margin * (sd + g.abs());
        prop_assert!(score(&per_cost, g + clear, mean, sd, cost).value <= log_lambda);
        prop_assert!(score(&per_cost, g - clear, mean, sd, cost).value > log_lambda);
    }
}
