//! Invariants of the maximum of independent normal variables and of its estimates: units, order,
//! decades of scales, bounded work.

use gittins::acquisition::MaximumEstimate;
use gittins::internals::gauss_kronrod::{MOST_PANELS, NODES, integrate};
use gittins::internals::normal::{cdf, pdf};
use gittins::internals::{Gumbel, IndependentMaximum};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::support::tolerance::{ESTIMATE, QUANTILE, TABLE_IN_DOUBLE, assert_within, kolmogorov};

const ALL: [MaximumEstimate; 4] = [
    MaximumEstimate::Integral,
    MaximumEstimate::NUMERICAL,
    MaximumEstimate::ANALYTIC,
    MaximumEstimate::ConsistentHalfGaussian { offset: 1.0 },
];

/// The expectation of the larger of two independent normals is `m1 Phi(d) + m2 Phi(-d) + t phi(d)`,
/// with `t^2 = s1^2 + s2^2` and `d = (m1 - m2)/t` (Clark 1961).
fn larger_of_two(mean: [f64; 2], sd: [f64; 2]) -> f64 {
    let t = sd[0].hypot(sd[1]);
    let d = (mean[0] - mean[1]) / t;
    mean[0] * cdf(d) + mean[1] * cdf(-d) + t * pdf(d)
}

#[test]
fn the_larger_of_two_over_decades_of_deviations() {
    for first in -12..=3 {
        for second in -12..=3 {
            for shift in [0.0, 0.3, -1.0, 2.5] {
                let sd = [10f64.powi(first), 10f64.powi(second)];
                let mean = [0.0, shift * sd[1]];
                let variables = IndependentMaximum::new(&mean, &sd).unwrap();
                // At forty deviations below both means nothing of either variable is left out.
                let level = -40.0 * (sd[0] + sd[1]);
                let expected = larger_of_two(mean, sd);
                let excess = variables.expected_excess(level);
                assert_within(
                    format!("{mean:?} +- {sd:?}"),
                    level + excess,
                    expected,
                    ESTIMATE * excess,
                );
                for p in [0.01, 0.25, 0.5, 0.75, 0.99] {
                    let w = variables.quantile(p);
                    assert_within(
                        format!("quantile {p} of {mean:?} +- {sd:?}"),
                        variables.log_cdf(w),
                        p.ln(),
                        QUANTILE,
                    );
                }
            }
        }
    }
}

#[test]
fn many_alike_ones_have_the_maximum_of_order_statistics() {
    // The expectation of the largest of n standard normals, n = 3, 4, 5. For n = 3 it is 3/(2 sqrt
    // pi). The others are integrals with a closed form (Godwin 1949).
    for (n, expected) in
        [(3, 0.846_284_375_321_634_4), (4, 1.029_375_373_003_964), (5, 1.162_964_473_640_518_8)]
    {
        let variables = IndependentMaximum::new(&vec![0.0; n], &vec![1.0; n]).unwrap();
        assert_within(n, variables.expected_excess(-50.0) - 50.0, expected, 51.0 * ESTIMATE);
    }
}

#[test]
fn known_numbers_are_a_floor() {
    let with_known = IndependentMaximum::new(&[0.0, 0.7, 0.2], &[1.0, 0.0, 0.0]).unwrap();
    let without = IndependentMaximum::new(&[0.0], &[1.0]).unwrap();
    // E max(f, 0.7) minus 0.7. From 0.2 it is 0.5 more.
    assert_within("floor", with_known.expected_excess(0.7), without.expected_excess(0.7), 0.0);
    assert_within(
        "below",
        with_known.expected_excess(0.2),
        0.5 + without.expected_excess(0.7),
        1e-15,
    );
    assert_eq!((with_known.quantile(0.5), with_known.exceedance(0.69)), (0.7, 1.0));
    let known = IndependentMaximum::new(&[0.3, -1.0], &[0.0, 0.0]).unwrap();
    assert_eq!(
        (known.quantile(0.9), known.expected_excess(0.0), known.expected_excess(1.0)),
        (0.3, 0.3, 0.0)
    );
    assert_eq!(known.gumbel(), Gumbel { location: 0.3, scale: 0.0 });
}

#[test]
fn the_work_is_bounded_where_a_sum_would_not_end() {
    let n = 10_000;
    let spread =
        |scale: f64| (0..n).map(|i| scale * f64::from(i) / f64::from(n)).collect::<Vec<f64>>();
    // The sums would have 2e13 terms up to far means, and 1e9 terms over wide deviations. The third
    // case has both, on a million scales.
    for (mean, sd) in [
        (spread(1e-3).iter().map(|x| 1e12 + x).collect::<Vec<f64>>(), vec![1e-3; n as usize]),
        (vec![0.0; n as usize], vec![1e7; n as usize]),
        (spread(1e6), spread(1.0).iter().map(|x| 10f64.powf(12.0 * x - 9.0)).collect()),
    ] {
        let of = |estimate: MaximumEstimate| estimate.maximum(&mean, &sd, 0.0).unwrap();
        let (integral, sum) = (of(MaximumEstimate::Integral), of(MaximumEstimate::NUMERICAL));
        // A left sum lies above its integral by less than a step.
        let rounding = ESTIMATE * integral;
        assert!(
            sum >= integral - rounding && sum <= integral + 0.05 + rounding,
            "{sum} and {integral}"
        );
        assert!(ALL.map(of).iter().all(|maximum| maximum.is_finite()));
    }
    // No number of halvings turns a step into a polynomial.
    let mut evaluations = 0;
    let step = |x: &[f64; NODES]| {
        evaluations += 1;
        x.map(|x| if x < 1.0 / 3.0 { 1.0 } else { 0.0 })
    };
    let integral = integrate(step, &[0.0, 1.0], 0.0, 0.0);
    assert!(integral.panels <= MOST_PANELS && evaluations < 2 * MOST_PANELS);
    assert_within("a step", integral.value, 1.0 / 3.0, 1e-13);
}

#[test]
fn a_gumbel_distribution_has_the_quartiles_and_its_draws_have_the_distribution() {
    let mean: Vec<f64> = (0..300).map(|i| (f64::from(i) * 0.37).sin()).collect();
    let sd: Vec<f64> = (0..300).map(|i| 0.05 + 0.6 * (f64::from(i) * 0.11).cos().powi(2)).collect();
    let variables = IndependentMaximum::new(&mean, &sd).unwrap();
    let gumbel = variables.gumbel();
    // The fit keeps the median and the distance of the outer quartiles.
    let [low, median, high] = [0.25, 0.5, 0.75].map(|p| variables.quantile(p));
    assert_within("median", gumbel.quantile(0.5), median, 1e-13);
    assert_within("quartiles", gumbel.quantile(0.75) - gumbel.quantile(0.25), high - low, 1e-13);
    let count = 20_000;
    let mut draws = gumbel.draws(count, 5);
    assert_eq!(draws, gumbel.draws(count, 5));
    assert_ne!(draws, gumbel.draws(count, 6));
    draws.sort_by(f64::total_cmp);
    let distribution = |x: f64| (-(-(x - gumbel.location) / gumbel.scale).exp()).exp();
    let apart = draws
        .iter()
        .enumerate()
        .map(|(i, &x)| (distribution(x) - (i as f64 + 0.5) / count as f64).abs())
        .fold(0.0, f64::max);
    assert!(apart < kolmogorov(count), "{apart}");
}

proptest! {
    #![proptest_config(Config { cases: 300, rng_seed: RngSeed::Fixed(20_160_509), failure_persistence: None, ..Config::default() })]

    #[test]
    fn estimates_scale_with_the_unit_and_move_with_the_origin(
        set in prop::collection::vec((-2.0..2.0f64, -6.0..1.0f64), 1..40), best in -3.0..3.0f64, log_scale in -20.0..20.0f64, shift in -5.0..5.0f64,
    ) {
        let scale = log_scale.exp();
        let (mean, sd): (Vec<f64>, Vec<f64>) = set.iter().map(|(mean, log_sd)| (*mean, log_sd.exp())).unzip();
        let (moved, scaled): (Vec<f64>, Vec<f64>) = mean.iter().zip(&sd).map(|(mean, sd)| (scale * (mean + shift), scale * sd)).unzip();
        for estimate in ALL {
            let before = estimate.maximum(&mean, &sd, best).unwrap();
            let after = estimate.scaled(scale).maximum(&moved, &scaled, scale * (best + shift)).unwrap();
            prop_assert!(before >= best, "{estimate:?}");
            // The levels are rounded again. This counts as much as the slope of g in units of the
            // smallest deviation.
            let bound = TABLE_IN_DOUBLE * (1.0 + (before - best).abs());
            // A width is fitted to the digits of a sample near 1, and rounding changes these
            // digits.
            let digits = matches!(estimate, MaximumEstimate::HalfGaussian { .. } | MaximumEstimate::ConsistentHalfGaussian { .. });
            if !digits || before - best < 5.0 {
                prop_assert!((after / scale - shift - before).abs() <= bound, "{estimate:?}: {before} and {}", after / scale - shift);
            }
        }
    }

    #[test]
    fn a_better_outcome_and_a_larger_set_raise_the_estimate(
        set in prop::collection::vec((-2.0..2.0f64, -6.0..1.0f64), 2..40), best in -3.0..3.0f64, step in 0.01..1.0f64,
    ) {
        let (mean, sd): (Vec<f64>, Vec<f64>) = set.iter().map(|(mean, log_sd)| (*mean, log_sd.exp())).unzip();
        let of = |count: usize, best: f64| MaximumEstimate::Integral.maximum(&mean[..count], &sd[..count], best).unwrap();
        let slack = 2.0 * ESTIMATE * (1.0 + of(mean.len(), best) - best);
        prop_assert!(of(mean.len(), best + step) >= of(mean.len(), best) - slack);
        prop_assert!(of(mean.len(), best + step) <= of(mean.len(), best) + step + slack);
        prop_assert!(of(mean.len(), best) >= of(mean.len() / 2, best) - slack);
    }
}
