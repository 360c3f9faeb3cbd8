//! Numbers at the ends of double precision. For any finite outcomes and costs a study goes on, and
//! its numbers are finite, or infinities that the documentation names.

use gittins::acquisition::MaximumEstimate;
use gittins::data::{Direction, State};
use gittins::internals::Scaling;
use gittins::stop::{Form, StallRule, Steadying, ThresholdRule};
use gittins::study::{Row, Search, StudyBuilder, Why};
use gittins::suggest::{Deviation, Estimation, MaxValueEntropy};
use gittins::{
    Acquisition, Cost, Domain, ErrorKind, GittinsRule, Observations, Outcome, Pointwise, Policy,
    Record, Space, StopRule, Study, Table,
};
use gittins_papers::rules::{
    ConfidenceGapRule, GittinsBeforeRule, GlobalWindowRule, ImprovementMedianRule, RegretGapRule,
    RegretProbabilityRule,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::support::extremes::{costs, number, outcomes, size};

fn policy(kind: usize, price: f64) -> Policy {
    match kind {
        0 => Acquisition::gittins(price).into(),
        1 => Policy::gittins_decay(price, 2.0),
        2 => Policy::gittins_adaptive(),
        3 => Policy::log_eipc_cooled(price),
        4 => Policy::ucb(),
        5 => Policy::thompson(),
        6 => Policy::estimation(MaximumEstimate::Integral),
        7 => Policy::max_value_entropy(MaxValueEntropy::per_cost()),
        8 => Policy::knowledge_gradient(4),
        9 => Acquisition::multi_step_lookahead(1, &[2]).into(),
        10 => Acquisition::budgeted_lookahead(1, &[2]).budget(price).into(),
        11 => Policy::estimation(Estimation {
            deviation: Deviation::Predictive,
            ..Estimation::default()
        }),
        _ => Acquisition::Pointwise(Pointwise::ExpectedImprovement).into(),
    }
}

fn rules(price: f64) -> Vec<Box<dyn StopRule>> {
    vec![
        Box::new(GittinsRule::priced(price)),
        Box::new(GittinsRule::priced(price).form(Form::LogImprovementPerCost).smoothed(2)),
        Box::new(GittinsRule::priced(price).form(Form::ImprovementPerCost).smoothed(2)),
        Box::new(GittinsBeforeRule::priced(price)),
        Box::new(ConfidenceGapRule::new(price)),
        Box::new(ImprovementMedianRule::new().first(1)),
        Box::new(RegretGapRule::new().first(1)),
        Box::new(RegretProbabilityRule::frequency(price).samples(8, 8).features(16)),
        Box::new(ThresholdRule::expected_improvement(price)),
        Box::new(ThresholdRule::knowledge_gradient(4, price)),
        Box::new(StallRule::new().window(2)),
        Box::new(GlobalWindowRule::new().window(2)),
    ]
}

fn domain(kind: usize) -> Domain {
    match kind {
        0 => Space::new().float("x", 0.0, 1.0).into(),
        1 => Space::new().float("x", 0.0, 1.0).int("k", 1, 9).into(),
        2 => Space::new().int("k", 1, 30).into(),
        _ => Table::new(["x"], (0..20).map(|i| vec![f64::from(i)]).collect()).unwrap().into(),
    }
}

/// The words of a rule whose statistic is infinite.
const INFINITE: [&str; 8] = [
    "are not told yet",
    "nothing to compare",
    "no index is known",
    "to look back over",
    "no outcome is known yet",
    "there is no incumbent yet",
    "no cost is known yet",
    "nothing is left",
];

/// One run with a failure and a forbidden point.
#[derive(Debug, Clone)]
struct Run {
    outcomes: Vec<f64>,
    costs: Vec<f64>,
    price: f64,
    minimize: bool,
    domain: usize,
    cost: usize,
    policy: usize,
    rule: usize,
}

fn run() -> impl Strategy<Value = Run> {
    let choices = (any::<bool>(), 0_usize..4, 0_usize..3, 0_usize..13, 0_usize..12);
    (outcomes(), costs(), size(), choices).prop_map(
        |(outcomes, costs, price, (minimize, domain, cost, policy, rule))| Run {
            outcomes,
            costs,
            price,
            minimize,
            domain,
            cost,
            policy,
            rule,
        },
    )
}

fn settings(run: &Run) -> StudyBuilder {
    let known = run.costs[0];
    let cost = [
        Cost::learned(),
        Cost::uniform(known),
        Cost::known(move |values| known * (0.5 + values[0] / 64.0)),
    ];
    let study = if run.minimize {
        Study::minimize(domain(run.domain))
    } else {
        Study::maximize(domain(run.domain))
    };
    // Half of a subnormal cost may be zero, so the costs have a floor.
    let study = study.cost(cost[run.cost].clone()).cost_floor(f64::MIN_POSITIVE);
    study
        .policy(policy(run.policy, run.price))
        .stop(rules(run.price).swap_remove(run.rule))
        .initial(3)
        .search(Search::new(16, 2))
}

fn problem(run: &Run) -> Result<(), String> {
    let mut study = settings(run).build().unwrap();
    for (trial, (&outcome, &cost)) in run.outcomes.iter().zip(&run.costs).enumerate() {
        let ask = study.ask().map_err(|error| format!("ask: {error}"))?;
        if let Why::Suggested(why) = ask.why() {
            if ![why.value, why.mean, why.sd, why.cost].iter().all(|number| number.is_finite()) {
                return Err(format!("suggestion: {why:?}"));
            }
            if ["NaN", "inf"].iter().any(|word| why.to_string().contains(word)) {
                return Err(format!("words: {why}"));
            }
        }
        let outcome = match trial {
            3 => Outcome::failed(),
            4 => Outcome::infeasible(),
            _ => Outcome::new(outcome),
        };
        study.tell(ask.id(), outcome.cost(cost)).map_err(|error| format!("tell: {error}"))?;
        let verdict = study.verdict().map_err(|error| format!("verdict: {error}"))?;
        let (reason, words) = (verdict.reason(), verdict.reason().to_string());
        let documented =
            reason.statistic.is_finite() || INFINITE.iter().any(|why| words.contains(why));
        if reason.statistic.is_nan()
            || reason.threshold.is_nan()
            || reason.threshold == f64::INFINITY
            || words.contains("NaN")
            || !documented
        {
            return Err(format!("verdict: {reason:?}"));
        }
    }
    study.ask().map_err(|error| format!("ask: {error}"))?;
    let record = study.record();
    let lines: Vec<String> =
        record.rows().iter().map(|row| serde_json::to_string(row).unwrap()).collect();
    let rows: Result<Vec<Row>, _> = lines.iter().map(|line| serde_json::from_str(line)).collect();
    let rows = rows.map_err(|error| format!("record: {error}"))?;
    if Record::new(rows).as_ref() != Ok(&record) {
        return Err("the record comes back as another".to_owned());
    }
    match study.price_from_budget(study.total_cost() + run.price) {
        Ok(price) if price.is_normal() && price > 0.0 => Ok(()),
        Err(error) if error.kind() == ErrorKind::InvalidSetting => Ok(()),
        other => Err(format!("a price for a budget: {other:?}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, rng_seed: RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn a_study_takes_any_finite_numbers(run in run()) {
        prop_assert_eq!(problem(&run), Ok(()));
    }
}

/// The differences of these outcomes overflow.
#[test]
fn outcomes_at_both_ends_are_outcomes() {
    for sign in [1.0, -1.0] {
        let mut study = Study::maximize(Space::new().float("x", 0.0, 1.0))
            .policy(Acquisition::gittins(1e300))
            .initial(3)
            .build()
            .unwrap();
        for outcome in [f64::MAX, f64::MAX, -f64::MAX] {
            let ask = study.ask().unwrap();
            study.tell(ask.id(), Outcome::new(sign * outcome)).unwrap();
        }
        for _ in 0..4 {
            let ask = study.ask().unwrap();
            let Why::Suggested(why) = ask.why() else { panic!("{}", ask.why()) };
            assert!([why.value, why.mean, why.sd].iter().all(|number| number.is_finite()), "{why}");
            // The model expects more at the places of the larger outcomes.
            study
                .tell(ask.id(), Outcome::new(sign * (1.0 - 2.0 * ask.numbers()[0]) * f64::MAX))
                .unwrap();
            assert!(!study.verdict().unwrap().reason().statistic.is_nan());
        }
        assert_eq!(study.best().unwrap().outcome, Some(f64::MAX));
    }
}

/// A power of two changes no digit: a run at either end of the range equals the run in the middle.
#[test]
fn a_run_at_the_ends_of_the_range_is_the_run_in_the_middle() {
    let drive = |scale: f64, rule: Box<dyn StopRule>| {
        let study = Study::minimize(Space::new().float("x", 0.0, 1.0))
            .policy(Acquisition::gittins(0.0625 * scale));
        let mut study = study.stop(rule).initial(3).search(Search::new(32, 3)).build().unwrap();
        let mut said = Vec::new();
        for _ in 0..7 {
            let ask = study.ask().unwrap();
            let x = ask.numbers()[0];
            if let Why::Suggested(why) = ask.why() {
                said.extend([why.value / scale, why.mean / scale, why.sd / scale]);
            }
            study.tell(ask.id(), Outcome::new(scale * (x - 0.4) * (x + 0.5))).unwrap();
            let verdict = study.verdict().unwrap();
            said.extend([x, verdict.reason().statistic / scale, f64::from(verdict.is_stop())]);
        }
        said.push(study.price_from_budget(study.total_cost() + 8.0).unwrap() / scale);
        said
    };
    let rules: [fn(f64) -> Box<dyn StopRule>; 5] = [
        |scale| Box::new(ConfidenceGapRule::new(0.5 * scale)),
        |_| Box::new(RegretGapRule::new().first(1)),
        |scale| {
            Box::new(GittinsRule::priced(0.25 * scale).form(Form::ImprovementPerCost).smoothed(2))
        },
        |_| Box::new(GittinsBeforeRule::new()),
        |_| Box::new(GlobalWindowRule::new().window(2)),
    ];
    for rule in rules {
        let middle = drive(1.0, rule(1.0));
        for exponent in [-990, -600, 600, 1000] {
            let scale = 2f64.powi(exponent);
            let ends = drive(scale, rule(scale));
            // A deviation is the root of a variance. Here the variance leaves the range, so the
            // deviation is computed in another way. The results differ by some roundings, and
            // differences of bounds may amplify them tenfold.
            let same = |(a, b): (&f64, &f64)| a == b || (a / b - 1.0).abs() <= 64.0 * f64::EPSILON;
            assert!(ends.iter().zip(&middle).all(same), "2^{exponent}: {ends:?}, {middle:?}");
        }
    }
}

/// A price is found even if an intermediate result leaves the range: outcomes times promise, or the
/// sum over the money. If the price itself is not a number, the error says so.
#[test]
fn a_price_for_a_budget_is_a_number_or_an_error_that_names_its_culprits() {
    let study = |outcome: f64, cost: f64| {
        let study = Study::minimize(Space::new().float("x", 0.0, 1.0))
            .cost(Cost::learned())
            .initial(4)
            .search(Search::new(16, 2));
        let mut study = study.build().unwrap();
        for _ in 0..4 {
            let ask = study.ask().unwrap();
            study
                .tell(ask.id(), Outcome::new(outcome * (ask.numbers()[0] - 0.5)).cost(cost))
                .unwrap();
        }
        study
    };
    let middle = study(1.0, 1.0).price_from_budget(12.0).unwrap();
    for (outcome, cost) in
        [(1000, 900), (-1000, -900), (1023, 20), (-1000, 8), (1000, 1000), (-1000, -995)]
    {
        let [outcome, cost] = [outcome, cost].map(|exponent| 2f64.powi(exponent));
        let price = study(outcome, cost).price_from_budget(12.0 * cost).unwrap();
        // Fits to the costs do not matter, and fits to the outcomes get the same numbers.
        assert_eq!(price * (cost / outcome), middle, "{outcome:e}, {cost:e}");
    }
    for (outcome, cost, budget, words) in [
        (1e300, 1e-300, 12e-300, ["budget of 1.2e-299", "magnitude 7.76e298", "come to inf"]),
        (1e-300, 1e300, 12e300, ["budget of 1.2e301", "magnitude 7.76e-302", "come to 0e0"]),
    ] {
        let error = study(outcome, cost).price_from_budget(budget).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
    }
    let error = study(1.0, 1e300).price_from_budget(1e300).unwrap_err();
    assert!(
        error.to_string().contains("above the 4e300 that the design cost, got 1e300"),
        "{error}"
    );
}

fn plain(scaling: &Scaling, value: f64) -> [f64; 4] {
    let Scaling { mean, sd } = *scaling;
    [(value - mean) / sd, mean + value * sd, value / sd, value * sd]
}

fn guarded(scaling: &Scaling, value: f64) -> [f64; 4] {
    [
        scaling.apply(value),
        scaling.undo(value),
        scaling.apply_difference(value),
        scaling.undo_difference(value),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: RngSeed::Fixed(5), ..ProptestConfig::default() })]

    /// For ordinary numbers every bit equals the plain formulas.
    #[test]
    fn ordinary_numbers_are_scaled_as_ever(values in prop::collection::vec(-1e6..1e6_f64, 1..9), value in -1e9..1e9_f64) {
        let scaling = Scaling::standardize(&values);
        prop_assert_eq!(guarded(&scaling, value).map(f64::to_bits), plain(&scaling, value).map(f64::to_bits));
    }

    /// For finite numbers every result is finite. It equals the plain formulas if these are finite,
    /// except for differences that would vanish.
    #[test]
    fn scaling_keeps_what_is_finite_finite(values in prop::collection::vec(number(), 0..9), value in number()) {
        let scaling = Scaling::standardize(&values);
        prop_assert!(scaling.mean.is_finite() && scaling.sd.is_normal() && scaling.sd > 0.0, "{scaling:?}");
        for (guarded, plain) in guarded(&scaling, value).into_iter().zip(plain(&scaling, value)) {
            prop_assert!(guarded.is_finite());
            prop_assert!(guarded == plain || !plain.is_finite() || plain.abs() < f64::MIN_POSITIVE, "{guarded} and {plain}");
        }
        prop_assert!(value == 0.0 || scaling.apply_difference(value).is_normal());
        for &value in &values {
            let standardized = scaling.apply(value);
            // Of n values, none lies farther than (n - 1) / sqrt(n) deviations from the mean. If
            // the deviation was cut to the largest number, none lies farther than 2 deviations.
            prop_assert!(standardized.abs() <= 3.0, "{value} is {standardized}");
            let back = scaling.undo(standardized);
            // The errors of three roundings at the magnitude of the mean and the deviation, and of
            // subnormal roundings.
            let error = 4.0 * f64::EPSILON * (0.25 * scaling.mean.abs() + 0.75 * scaling.sd) + 5e-324;
            prop_assert!((0.25 * back - 0.25 * value).abs() <= error, "{value} came back as {back}");
        }
    }

    /// The range of outcomes is finite.
    #[test]
    fn the_range_of_outcomes_is_finite(values in prop::collection::vec(number(), 1..6), minimize in any::<bool>()) {
        let mut observations = Observations::new(1, if minimize { Direction::Minimize } else { Direction::Maximize });
        for &value in &values {
            observations.push(&[0.5], State::Complete, Some(value), Some(1.0)).unwrap();
        }
        let plain = values.iter().copied().fold(f64::MIN, f64::max) - values.iter().copied().fold(f64::MAX, f64::min);
        prop_assert_eq!(observations.range(), plain.min(f64::MAX));
    }
}
