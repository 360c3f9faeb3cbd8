//! Whole runs with an estimated maximum and with max-value entropy.

use gittins::acquisition::MaximumEstimate;
use gittins::acquisition::{Belief, PointBeliefCost};
use gittins::data::Warping;
use gittins::study::{Search, Why};
use gittins::suggest::{Deviation, Estimation, MaxValueEntropy, MaximaSource, Suggestion};
use gittins::{Acquisition, Cost, ErrorKind, Outcome, Pointwise, Policy, Study, Table};

use super::ask_tell::{bowl, square as space};
use crate::support::tolerance::{RESCALED_SUGGESTION, SUGGESTED, assert_within};

fn policies() -> Vec<Policy> {
    let mut all: Vec<Policy> = [
        MaximumEstimate::Integral,
        MaximumEstimate::NUMERICAL,
        MaximumEstimate::ANALYTIC,
        MaximumEstimate::ConsistentHalfGaussian { offset: 1.0 },
    ]
    .map(Policy::estimation)
    .into();
    all.push(Policy::estimation(Estimation {
        deviation: Deviation::Predictive,
        points: 300,
        ..Estimation::default()
    }));
    all.push(Policy::max_value_entropy(MaxValueEntropy::default()));
    all.push(Policy::max_value_entropy(MaxValueEntropy {
        source: MaximaSource::Paths,
        ..MaxValueEntropy::default()
    }));
    all.push(Policy::max_value_entropy(MaxValueEntropy::per_cost()));
    all
}

fn study(policy: Policy, seed: u64) -> Study {
    let builder = Study::minimize(space()).cost(Cost::known(|values: &[f64]| 2.0 + values[0]));
    // Without a warp a mean and a deviation say all about a belief, so it can be scored again.
    builder
        .policy(policy)
        .warping(Warping::None)
        .initial(5)
        .search(Search::new(64, 4))
        .seed(seed)
        .build()
        .unwrap()
}

/// Asks and tells. Returns the suggestions with the values that they suggest.
fn drive(
    study: &mut Study,
    trials: usize,
    outcome: impl Fn(&[f64]) -> f64,
) -> Vec<(Suggestion, Vec<f64>)> {
    let mut suggestions = Vec::new();
    for _ in 0..trials {
        let ask = study.ask().unwrap();
        if let Why::Suggested(suggestion) = ask.why() {
            suggestions.push(((**suggestion).clone(), ask.numbers().to_vec()));
        }
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers()))).unwrap();
    }
    suggestions
}

#[test]
fn runs_find_the_bottom_of_a_bowl() {
    for policy in policies() {
        let mut study = study(policy.clone(), 3);
        drive(&mut study, 22, bowl);
        let best = study.best().unwrap();
        assert!(best.outcome.unwrap() < 0.05, "{policy:?}: {best:?}");
    }
}

#[test]
fn suggestions_say_which_other_rules_agree() {
    for deviation in [Deviation::Latent, Deviation::Predictive] {
        let mut study =
            study(Policy::estimation(Estimation { deviation, ..Estimation::default() }), 8);
        for (suggestion, _) in drive(&mut study, 12, |values| 10.0 + 3.0 * bowl(values)) {
            let Acquisition::Pointwise(Pointwise::EstimatedMaximum { maximum, noise }) =
                suggestion.acquisition
            else {
                panic!("{suggestion:?}")
            };
            assert_eq!(noise > 0.0, deviation == Deviation::Predictive);
            let equivalents = suggestion.equivalents.unwrap();
            assert_eq!((equivalents.target, equivalents.lambda), (-maximum, -suggestion.value));
            // The outcome is minimized, so the target lies below all outcomes, and the lower
            // confidence bound reaches the target at the suggestion.
            let best = study.best().unwrap().outcome.unwrap();
            assert!(
                equivalents.target < suggestion.mean
                    && equivalents.lambda > 0.0
                    && equivalents.target < best + 9.0
            );
            let bound = suggestion.mean - equivalents.lambda * suggestion.sd.hypot(noise.sqrt());
            assert_within(
                "lower confidence bound",
                bound,
                equivalents.target,
                SUGGESTED * suggestion.mean.abs(),
            );
            let text = suggestion.to_string();
            for word in [
                "distance to the estimated maximum",
                "most likely to be better than",
                "deviations",
                "rounds",
            ] {
                assert!(text.contains(word), "{text}");
            }
        }
    }
}

#[test]
fn information_per_cost_is_the_score_of_what_is_believed() {
    let mut study = study(
        Policy::max_value_entropy(MaxValueEntropy { exponent: 0.5, ..MaxValueEntropy::default() }),
        4,
    );
    for (suggestion, values) in drive(&mut study, 12, bowl) {
        let Acquisition::Pointwise(Pointwise::MaxValueEntropy { maxima, exponent, .. }) =
            &suggestion.acquisition
        else {
            panic!("{suggestion:?}")
        };
        assert_eq!((maxima.len(), *exponent, suggestion.equivalents), (10, 0.5, None));
        assert_within("cost", suggestion.cost, 2.0 + values[0], SUGGESTED);
        // The sign of a minimized outcome is turned round.
        let belief = Belief {
            mean: -suggestion.mean,
            sd: suggestion.sd,
            cost: PointBeliefCost::Known(suggestion.cost),
        };
        let score = suggestion.acquisition.pointwise().unwrap().score(0.0, &belief);
        assert_within(
            "information",
            suggestion.value,
            score.value,
            SUGGESTED * (1.0 + score.value) / suggestion.sd.min(1.0),
        );
        // No sampled minimum lies above the known data.
        let best =
            study.history().iter().filter_map(|trial| trial.outcome).fold(f64::INFINITY, f64::min);
        assert!(maxima.iter().all(|maximum| maximum.is_finite() && -maximum < best + 9.0));
    }
}

#[test]
fn the_unit_of_the_outcome_does_not_matter_nor_does_the_number_of_threads() {
    for policy in policies() {
        let run =
            |scale: f64| drive(&mut study(policy.clone(), 5), 9, |values| scale * bowl(values));
        let (plain, scaled) = (run(1.0), run(10.0));
        for ((a, _), (b, _)) in plain.iter().zip(&scaled).take(2) {
            for (a, b) in a.unit.iter().zip(&b.unit) {
                assert_within(format!("{policy:?}"), *a, *b, RESCALED_SUGGESTION);
            }
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let bits = |run: &[(Suggestion, Vec<f64>)]| {
            run.iter().flat_map(|(s, _)| s.unit.clone()).map(f64::to_bits).collect::<Vec<u64>>()
        };
        assert_eq!(bits(&pool.install(|| run(1.0))), bits(&plain), "{policy:?}");
    }
}

#[test]
fn rows_of_a_table_are_the_set() {
    let rows: Vec<Vec<f64>> =
        (0..60).map(|i| vec![f64::from(i % 10) / 10.0, f64::from(i / 10)]).collect();
    let value = |values: &[f64]| (5.0 * values[0]).sin() - (values[1] - 2.0).powi(2) / 5.0;
    let top = rows.iter().map(|row| value(row)).fold(f64::MIN, f64::max);
    for policy in policies() {
        let table = Table::new(["a", "b"], rows.clone()).unwrap();
        let mut study =
            Study::maximize(table).policy(policy.clone()).initial(6).seed(2).build().unwrap();
        let suggestions = drive(&mut study, 30, value);
        assert!(study.best().unwrap().outcome.unwrap() > top - 0.05, "{policy:?}");
        assert!(
            suggestions
                .iter()
                .all(|(suggestion, _)| suggestion.row.is_some() && !suggestion.repeated)
        );
    }
}

#[test]
fn settings_without_sense_are_named() {
    for (policy, kind, culprit) in [
        (
            Policy::estimation(Estimation { points: 0, ..Estimation::default() }),
            ErrorKind::Empty,
            "estimated maximum",
        ),
        (
            Policy::estimation(MaximumEstimate::LeftSum { step: -1.0 }),
            ErrorKind::InvalidSetting,
            "step",
        ),
        (
            Policy::max_value_entropy(MaxValueEntropy { samples: 0, ..MaxValueEntropy::default() }),
            ErrorKind::Empty,
            "sample",
        ),
        (
            Policy::max_value_entropy(MaxValueEntropy {
                exponent: -0.5,
                ..MaxValueEntropy::default()
            }),
            ErrorKind::InvalidSetting,
            "exponent",
        ),
    ] {
        let error = Study::minimize(space()).policy(policy).build().err().unwrap();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error}");
    }
}
