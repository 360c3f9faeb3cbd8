//! Whole runs with control sets: directions, units, threads, the order of sets, and the stated
//! error of advice.

use std::sync::Arc;

use gittins::math::Sobol;
use gittins::model::{Mean, Noise};
use gittins::{Cpu, GaussianProcess, Hyperparameters, KernelFamily, Outcome, Posterior, Space};
use gittins_papers::control::{
    ControlSets, Law, PathIncumbent, Plays, Sampling, SetScore, SetSearch, SubsetPolicy,
    SubsetStudy, SubsetStudyBuilder,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::control::expectations::completed;
use crate::support::control as allowed;
use crate::support::extremes::{costs, outcomes};
use crate::support::tolerance::assert_within;

/// A model with known hyper-parameters, as in the publication.
pub fn fixed(family: KernelFamily, dim: usize, lengthscale: f64) -> GaussianProcess {
    let model = GaussianProcess::new().kernel(family).fixed_kernel(vec![lengthscale; dim], 1.0);
    model.noise(Noise::Fixed(1e-3)).mean(Mean::Fixed(0.0))
}

/// Two variables to control and one that is left to nature.
pub fn field() -> (Space, ControlSets) {
    let space =
        Space::new().float("lime", 0.0, 4.0).float("seed", 10.0, 20.0).float("rain", 200.0, 900.0);
    let sets = ControlSets::new().set("lime", ["lime"], 0.2).set("seed", ["seed"], 0.2).set(
        "both",
        ["lime", "seed"],
        0.5,
    );
    (
        space,
        sets.set("greenhouse", ["lime", "seed", "rain"], 1.0)
            .law("lime", Law::Uniform)
            .law("seed", Law::normal(14.0, 2.0))
            .law("rain", Law::normal(600.0, 120.0)),
    )
}

/// The outcome. Larger is better, and the best point is 2.5, 16 and 700.
pub fn harvest(values: &[f64]) -> f64 {
    let [lime, seed, rain] =
        [(values[0] - 2.5) / 2.0, (values[1] - 16.0) / 5.0, (values[2] - 700.0) / 250.0];
    (-(lime * lime + seed * seed + 0.5 * rain * rain + 0.5 * lime * seed)).exp()
}

/// The values of nature in trial `k`.
pub fn nature(k: usize) -> Vec<f64> {
    let u = Sobol::new(3, 99).points(k, 1);
    vec![4.0 * u.row(0)[0], 10.0 + 10.0 * u.row(0)[1], 450.0 + 300.0 * u.row(0)[2]]
}

/// One policy of each kind.
pub fn policies() -> Vec<SubsetPolicy> {
    let small = |policy: SubsetPolicy| {
        let score = match policy.score {
            SetScore::UpperBound { beta } => SetScore::UpperBound { beta },
            SetScore::Thompson { .. } => SetScore::Thompson { features: 128 },
            SetScore::ExpectedImprovement { incumbent, .. } => {
                SetScore::ExpectedImprovement { paths: 8, features: 128, incumbent }
            }
            other => other,
        };
        SubsetPolicy { score, ..policy }
    };
    let played = SubsetPolicy {
        score: SetScore::ExpectedImprovement {
            paths: 8,
            features: 128,
            incumbent: PathIncumbent::Played,
        },
        ..SubsetPolicy::ei_psq()
    };
    let all = vec![
        SubsetPolicy::ucb_cvs(0.3),
        SubsetPolicy::explore_then_commit(Plays::Each(2)),
        SubsetPolicy::ucb_psq(),
        SubsetPolicy::ts_psq(),
        SubsetPolicy::ei_psq(),
        played,
        SubsetPolicy::ucb_psq().per_unit_cost(),
        SubsetPolicy::ts_psq().per_unit_cost(),
        SubsetPolicy::ei_psq().per_unit_cost(),
    ];
    all.into_iter().map(small).collect()
}

/// Plays some trials. Returns the sets with the controlled values, and the study's advice.
fn play(
    builder: SubsetStudyBuilder,
    trials: usize,
    outcome: impl Fn(&[f64]) -> f64,
) -> (Vec<(String, Vec<f64>)>, Vec<f64>) {
    let mut study = builder.initial(3).samples(64).seed(5).backend(Arc::new(Cpu)).build().unwrap();
    let mut asked = Vec::new();
    for k in 0..trials {
        let ask = study.ask().unwrap();
        asked.push((ask.set().to_owned(), ask.values().to_vec()));
        let full = ask.completed(&nature(k));
        study.tell(ask.id(), &full, Outcome::new(outcome(&full))).unwrap();
    }
    let advice = study.recommendation().unwrap().unwrap();
    (asked, [advice.values, vec![advice.expected, advice.error, advice.spread]].concat())
}

fn assert_same_run(
    what: &str,
    got: &[(String, Vec<f64>)],
    expected: &[(String, Vec<f64>)],
    bound: f64,
) {
    for (trial, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert_eq!(got.0, expected.0, "{what}, trial {trial}");
        for (got, expected) in got.1.iter().zip(&expected.1) {
            assert_within(
                format!("{what}, trial {trial}"),
                *got,
                *expected,
                bound * expected.abs(),
            );
        }
    }
}

#[test]
fn minimizing_the_negative_is_maximizing() {
    for policy in policies() {
        let (space, sets) = field();
        let model = || fixed(KernelFamily::Rbf, 3, 0.4);
        let (up, best) = play(
            SubsetStudy::maximize(space.clone(), sets.clone())
                .model(model())
                .policy(policy.clone()),
            7,
            harvest,
        );
        let (down, least) = play(
            SubsetStudy::minimize(space, sets).model(model()).policy(policy.clone()),
            7,
            |x| -harvest(x),
        );
        assert_eq!(up, down, "{policy:?}");
        let last = best.len() - 3;
        assert_eq!(
            (&best[..last], best[last], &best[last + 1..]),
            (&least[..last], -least[last], &least[last + 1..]),
            "{policy:?}"
        );
    }
}

/// Standardized outcomes are the same up to rounding. Relaxations are in outcome units.
#[test]
fn the_unit_of_the_outcome_does_not_matter() {
    for policy in policies() {
        // A later trial may magnify the differences of the searches before it.
        for (scale, shift) in [(1024.0, 0.0), (1e-6, 0.0), (1e6, 3e6)] {
            let (space, sets) = field();
            let study = |policy: &SubsetPolicy| {
                SubsetStudy::maximize(space.clone(), sets.clone())
                    .model(fixed(KernelFamily::Rbf, 3, 0.4))
                    .policy(policy.clone())
            };
            let scaled = if policy == policies()[0] {
                SubsetPolicy::ucb_cvs(0.3 * scale)
            } else {
                policy.clone()
            };
            let (one, advice) = play(study(&policy), 5, harvest);
            let (other, scaled_advice) = play(study(&scaled), 5, |x| scale * harvest(x) + shift);
            let what = format!("{policy:?}, {scale} {shift}");
            assert_same_run(&what, &other, &one, allowed::SAME_QUERY);
            let last = advice.len() - 3;
            for (k, (got, expected)) in scaled_advice.iter().zip(&advice).enumerate() {
                let expected = if k < last {
                    *expected
                } else {
                    scale * expected + if k == last { shift } else { 0.0 }
                };
                assert_within(
                    format!("{what}, advice {k}"),
                    *got,
                    expected,
                    allowed::SAME_QUERY * expected.abs(),
                );
            }
        }
    }
}

#[test]
fn one_seed_fixes_the_run_on_any_number_of_threads() {
    for policy in policies() {
        let run = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (space, sets) = field();
            let policy = policy.clone();
            pool.install(move || {
                let mut study = SubsetStudy::maximize(space, sets)
                    .policy(policy)
                    .initial(3)
                    .samples(64)
                    .seed(seed)
                    .backend(Arc::new(Cpu))
                    .build()
                    .unwrap();
                for k in 0..6 {
                    let ask = study.ask().unwrap();
                    let full = ask.completed(&nature(k));
                    study.tell(ask.id(), &full, Outcome::new(harvest(&full))).unwrap();
                }
                (study.recommendations().unwrap(), study.history().to_vec())
            })
        };
        let one = run(1, 5);
        assert_eq!(one, run(4, 5), "{policy:?}");
        assert_ne!(one.1, run(4, 6).1, "{policy:?}");
    }
}

/// The sets have another order, and so have the variables within a set.
#[test]
fn the_order_of_sets_does_not_matter() {
    for policy in policies() {
        let (space, sets) = field();
        let other = ControlSets::new().set("greenhouse", ["rain", "seed", "lime"], 1.0).set(
            "both",
            ["seed", "lime"],
            0.5,
        );
        let other = other
            .law("rain", Law::normal(600.0, 120.0))
            .law("seed", Law::normal(14.0, 2.0))
            .law("lime", Law::Uniform);
        // In the initial design the sets take turns in their order.
        let other = other.set("lime", ["lime"], 0.2).set("seed", ["seed"], 0.2);
        let run = |sets: ControlSets| {
            play(
                SubsetStudy::maximize(space.clone(), sets)
                    .model(fixed(KernelFamily::Rbf, 3, 0.4))
                    .policy(policy.clone()),
                7,
                harvest,
            )
        };
        assert_eq!(run(sets), run(other), "{policy:?}");
    }
}

/// The deviation of an expected outcome is the deviation of the mean over all completions under the
/// joint posterior, even if little of it is left.
#[test]
fn the_error_of_advice_is_that_of_a_mean_under_the_joint_posterior() {
    for family in [KernelFamily::Matern32, KernelFamily::Rbf] {
        for sampling in [Sampling::QuasiRandom, Sampling::Plain] {
            let (space, sets) = field();
            let study = SubsetStudy::maximize(space.clone(), sets)
                .model(fixed(family, 3, 0.6))
                .standardize(false)
                .initial(0);
            let mut study = study.samples(512).sampling(sampling).build().unwrap();
            let inputs = Sobol::new(3, 4).points(0, 80);
            let mut outcomes = Vec::new();
            for row in inputs.rows() {
                let values = space.numbers_at(row);
                outcomes.push(harvest(&values));
                study.import(&values, Outcome::new(harvest(&values))).unwrap();
            }
            let hyperparameters = Hyperparameters {
                lengthscales: vec![0.6; 3],
                outputscale: 1.0,
                noise: 1e-3,
                mean: 0.0,
            };
            let posterior = Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap();
            let samples = study.samples().clone();
            for advice in study.recommendations().unwrap() {
                let set = &study.sets().sets()[advice.set];
                let all = completed(set, &advice.query, &samples);
                let all = if set.random.is_empty() { all.select([0]) } else { all };
                let joint = posterior.joint(&all).unwrap();
                let what = format!("{family:?} {sampling:?} {}", advice.name);
                let error = joint.covariance.mean().sqrt();
                let expected = joint.mean.mean();
                let spread = (joint.mean.iter().map(|m| (m - expected).powi(2)).sum::<f64>()
                    / all.len() as f64
                    + joint.covariance.diagonal().mean())
                .sqrt();
                assert_within(
                    format!("{what}, expected"),
                    advice.expected,
                    expected,
                    allowed::advice(80, 1.0, 1e-3),
                );
                assert_within(
                    format!("{what}, spread"),
                    advice.spread,
                    spread,
                    allowed::deviation(80, (1.0, 1e-3), spread),
                );
                println!("{what}: error {} {error}", advice.error);
                assert_within(
                    format!("{what}, error"),
                    advice.error,
                    error,
                    allowed::FEW_COMPLETIONS * error,
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, rng_seed: RngSeed::Fixed(13), ..ProptestConfig::default() })]

    #[test]
    fn a_study_of_control_sets_takes_any_finite_outcomes(outcomes in outcomes(), costs in costs(), (minimize, policy) in (any::<bool>(), 0_usize..9)) {
        let (space, sets) = field();
        let study = if minimize { SubsetStudy::minimize(space, sets) } else { SubsetStudy::maximize(space, sets) };
        let study = study.policy(policies().swap_remove(policy)).initial(3).samples(16).search(SetSearch { raw: 16, raw_full: 64, starts: 2, ..SetSearch::new(3) });
        let mut study = study.budget(f64::MAX).build().unwrap();
        for (k, (&outcome, &cost)) in outcomes.iter().zip(&costs).enumerate() {
            let ask = study.ask().unwrap();
            let words = ask.why().to_string();
            prop_assert!(!words.contains("NaN") && !words.contains("inf"), "{words}");
            study.tell(ask.id(), &ask.completed(&nature(k)), Outcome::new(outcome).cost(cost)).unwrap();
            let verdict = study.verdict().unwrap();
            prop_assert!(verdict.reason().statistic.is_finite(), "{verdict:?}");
            for advice in study.recommendations().unwrap() {
                prop_assert!([advice.expected, advice.error, advice.spread].iter().all(|number| number.is_finite()), "{advice:?}");
            }
        }
    }
}
