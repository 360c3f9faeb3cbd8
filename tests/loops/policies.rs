//! Policies whose parameter follows from the data: prices from a budget, and prices that adapt.

use gittins::internals::ConfidenceClock;
use gittins::model::{Mean, Noise};
use gittins::study::{StudyBuilder, TrialState, Why};
use gittins::suggest::Suggestion;
use gittins::{
    Acquisition, Ask, Cost, CostForm, ErrorKind, GaussianProcess, Outcome, Pointwise, Policy,
    Space, Study, Table,
};

fn wave(x: f64) -> f64 {
    (7.0 * x).sin() + 0.5 * x
}

fn price(values: &[f64]) -> f64 {
    0.5 + values[0]
}

/// A model without a fit. Two studies with the same data have the same model, for any
/// earlier course.
fn known_model() -> GaussianProcess {
    GaussianProcess::new()
        .fixed_kernel(vec![0.2], 1.0)
        .noise(Noise::Fixed(1e-6))
        .mean(Mean::Profiled)
}

fn rows() -> Table {
    Table::new(["x"], (0..200).map(|i| vec![f64::from(i) / 199.0]).collect()).unwrap()
}

fn over_rows() -> StudyBuilder {
    Study::maximize(rows()).cost(Cost::known(price)).model(known_model()).initial(3).seed(5)
}

fn tell(study: &mut Study, ask: &Ask) {
    study.tell(ask.id(), Outcome::new(wave(ask.numbers()[0]))).unwrap();
}

fn suggestion(ask: &Ask) -> &Suggestion {
    match ask.why() {
        Why::Suggested(suggestion) => suggestion,
        other => panic!("{other}"),
    }
}

fn lambda(ask: &Ask) -> f64 {
    match suggestion(ask).acquisition {
        Acquisition::Pointwise(Pointwise::Gittins { lambda }) => lambda,
        ref other => panic!("{other:?}"),
    }
}

/// The largest expected improvement per cost among the rows that were not asked for. A second study
/// is told the same data.
fn best_improvement_per_cost(study: &Study) -> f64 {
    let log = Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
        exponent: 1.0,
        form: CostForm::Expected,
    });
    let mut twin = over_rows().initial(1).policy(log).build().unwrap();
    for trial in study.history().iter().filter(|trial| trial.state == TrialState::Complete) {
        twin.import(&trial.values, Outcome::new(trial.outcome.unwrap())).unwrap();
    }
    suggestion(&twin.ask().unwrap()).value.exp()
}

fn range(study: &Study) -> f64 {
    let outcomes = || study.history().iter().filter_map(|trial| trial.outcome);
    outcomes().fold(f64::MIN, f64::max) - outcomes().fold(f64::MAX, f64::min)
}

#[test]
fn an_adaptive_price_is_half_the_best_improvement_per_cost_and_never_rises() {
    let mut study = over_rows().policy(Policy::gittins_adaptive()).build().unwrap();
    for _ in 0..3 {
        let ask = study.ask().unwrap();
        tell(&mut study, &ask);
    }
    let (mut before, mut due, mut renewed) = (f64::MAX, true, 0);
    for _ in 0..25 {
        let half = 0.5 * best_improvement_per_cost(&study);
        let ask = study.ask().unwrap();
        let price = lambda(&ask);
        let costs: Vec<f64> = study.history().iter().filter_map(|trial| trial.cost).collect();
        let mean_cost = costs.iter().sum::<f64>() / costs.len() as f64;
        let expected =
            if due { half.max(1e-12 * range(&study) / mean_cost).min(before) } else { before };
        // The numbers come from the same posterior and differ only by rounding. The logarithm of an
        // improvement magnifies the rounding by its u^2 < 100.
        assert!(
            (price - expected).abs() <= 1e-9 * expected,
            "{price:e} and {expected:e}, due: {due}"
        );
        renewed += usize::from(due);
        before = price;
        tell(&mut study, &ask);
        due = suggestion(&ask).value < study.best().unwrap().outcome.unwrap();
    }
    assert!(renewed > 2 && renewed < 25, "{renewed}");
}

#[test]
fn a_falling_price_can_start_from_a_budget() {
    let build = |policy: Policy| {
        let mut study = Study::minimize(Space::new().float("x", 0.0, 1.0))
            .cost(Cost::learned())
            .policy(policy)
            .initial(4)
            .build()
            .unwrap();
        for _ in 0..4 {
            let ask = study.ask().unwrap();
            let x = ask.numbers()[0];
            study.tell(ask.id(), Outcome::new(wave(x)).cost(price(&[x]))).unwrap();
        }
        study
    };
    let paid = build(Policy::ucb()).total_cost();
    let mut study = build(Policy::gittins_decay_from_budget(10.0 + paid, 2.0));
    let expected = study.price_from_budget(10.0 + paid).unwrap();
    let first = lambda(&study.ask().unwrap());
    assert_eq!(first, expected);
    assert_eq!(lambda(&study.ask().unwrap()), first, "nothing was told, so nothing decayed");

    let mut broke = build(Policy::gittins_decay_from_budget(0.5 * paid, 2.0));
    let error = broke.ask().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert!(error.to_string().contains("the design cost"), "{error}");
    assert_eq!((broke.history().len(), broke.total_cost()), (4, paid));

    for (budget, factor) in [(0.0, 2.0), (f64::NAN, 2.0), (10.0, 1.0)] {
        let builder = Study::minimize(Space::new().float("x", 0.0, 1.0));
        assert!(
            builder.policy(Policy::gittins_decay_from_budget(budget, factor)).build().is_err(),
            "{budget} {factor}"
        );
    }
}

#[test]
fn a_price_that_nobody_named_is_no_threshold() {
    for policy in [Policy::gittins_adaptive(), Policy::gittins_decay_from_budget(10.0, 2.0)] {
        assert_eq!((policy.price(), policy.current_price()), (None, None));
        let mut study = over_rows().policy(policy).build().unwrap();
        for _ in 0..6 {
            let ask = study.ask().unwrap();
            tell(&mut study, &ask);
            let verdict = study.verdict().unwrap();
            assert!(!verdict.is_stop(), "{}", verdict.reason());
        }
    }
}

#[test]
fn optimism_grows_with_the_trials_or_with_the_money() {
    for (clock, price) in [
        (ConfidenceClock::Suggestions, 1.0),
        (ConfidenceClock::Spent, 1.0),
        (ConfidenceClock::Suggestions, 2.5),
        (ConfidenceClock::Spent, 2.5),
    ] {
        let mut study = over_rows()
            .cost(Cost::uniform(price))
            .policy(Policy::ucb_with_clock(clock))
            .build()
            .unwrap();
        for trial in 0..9 {
            let ask = study.ask().unwrap();
            if trial >= 3 {
                let suggestions = f64::from(trial - 3);
                let time = match clock {
                    ConfidenceClock::Spent => 1.0 + price * suggestions,
                    _ => 1.0 + suggestions,
                };
                let expected = 0.4 * (time * time * std::f64::consts::PI.powi(2) / 0.6).ln();
                let Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta }) =
                    suggestion(&ask).acquisition
                else {
                    panic!("{ask:?}")
                };
                assert!((beta - expected).abs() < 1e-14 * expected, "{clock:?} {trial}");
            }
            tell(&mut study, &ask);
        }
    }
}
