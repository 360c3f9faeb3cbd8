//! Verdicts: the forms of the Gittins rule, budgets, wrappers, custom rules, and prices from
//! budgets.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gittins::data::{Direction, State, Warping};
use gittins::internals::{Ledger, Setup, Taken, expected_supremum, finite_supremum};
use gittins::stop::{Form, SpendingLimit, Statistic, Steadying, TrialLimit, any};
use gittins::study::{Search, StudyBuilder};
use gittins::suggest::{Incumbent, Surrogate};
use gittins::{
    Acquisition, Cost, CostForm, Cpu, ErrorKind, GaussianProcess, GittinsRule, KernelFamily,
    Maximize, Observations, Outcome, Points, Pointwise, Policy, Result, Space, StopContext,
    StopRule, Study, Table, Verdict,
};

use crate::support::golden;
use crate::support::tolerance::EXPECTED_SUPREMUM;

fn line() -> Space {
    Space::new().float("x", 0.0, 1.0)
}

fn wave(x: f64) -> f64 {
    (7.0 * x).sin() + 0.5 * x
}

fn price(values: &[f64]) -> f64 {
    0.5 + values[0]
}

/// Asks, tells and judges `trials` times. Returns the verdicts.
fn verdicts(study: &mut Study, trials: usize) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for _ in 0..trials {
        let ask = study.ask().unwrap();
        let x = ask.numbers()[0];
        study.tell(ask.id(), Outcome::new(wave(x)).cost(price(&[x]))).unwrap();
        verdicts.push(study.verdict().unwrap());
    }
    verdicts
}

fn stops(builder: StudyBuilder, trials: usize) -> Vec<bool> {
    let mut study = builder.initial(3).search(Search::new(64, 4)).seed(11).build().unwrap();
    verdicts(&mut study, trials).iter().map(Verdict::is_stop).collect()
}

/// Stops if no expected improvement exceeds its price. It computes both directly: a third form of
/// the Gittins rule.
struct NothingPays;

impl StopRule for NothingPays {
    fn name(&self) -> &'static str {
        "nothing pays"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let acquisition = Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost {
            exponent: 1.0,
            form: CostForm::Expected,
        });
        let best = context.maximize(&acquisition)?.map_or(f64::NEG_INFINITY, |best| best.value);
        Ok(Statistic::at_most(best, context.price().unwrap()))
    }
}

#[test]
fn index_improvement_per_cost_and_expected_improvement_stop_together() {
    let rows: Vec<Vec<f64>> = (0..60).map(|i| vec![f64::from(i) / 59.0]).collect();
    let table = Table::new(["x"], rows).unwrap();
    let mut both = [false; 2];
    for cost in [Cost::uniform(2.0), Cost::known(price), Cost::learned()] {
        for lambda in [1e-2, 1e-3, 1e-5] {
            let study = || {
                Study::minimize(table.clone())
                    .cost(cost.clone())
                    .policy(Acquisition::gittins(lambda))
            };
            let by_index = stops(study(), 14);
            assert_eq!(
                by_index,
                stops(study().stop(GittinsRule::new().form(Form::LogImprovementPerCost)), 14),
                "{cost:?}, {lambda}"
            );
            assert_eq!(by_index, stops(study().stop(NothingPays), 14), "{cost:?}, {lambda}");
            for &stop in &by_index {
                both[usize::from(stop)] = true;
            }
        }
    }
    assert_eq!(both, [true, true]);
}

#[test]
fn the_forms_agree_over_a_space_as_well() {
    for lambda in [1e-2, 1e-4] {
        let study = || {
            Study::maximize(line()).cost(Cost::known(price)).policy(Acquisition::gittins(lambda))
        };
        let by_index = stops(study(), 18);
        assert_eq!(
            by_index,
            stops(study().stop(GittinsRule::new().form(Form::LogImprovementPerCost)), 18)
        );
        assert_eq!(by_index, stops(study().stop(NothingPays), 18));
        assert!(by_index.contains(&true) && by_index.contains(&false), "{by_index:?}");
    }
}

#[test]
fn a_reason_speaks_in_the_units_of_the_user() {
    let study = Study::minimize(line())
        .cost(Cost::known(price))
        .policy(Acquisition::gittins(1e-2))
        .cost_unit("s");
    let mut study = study.initial(3).search(Search::new(64, 4)).build().unwrap();
    let verdicts = verdicts(&mut study, 12);
    assert_eq!(
        verdicts[0].reason().to_string(),
        "continue: 2 of 3 points of the initial design are not told yet"
    );
    let stop = verdicts.iter().find(|v| v.is_stop()).expect("a price of 0.01 ends the run");
    let words = stop.reason().to_string();
    let best = format!("stop: best {:.6}", study.best().unwrap().outcome.unwrap());
    assert!(words.starts_with(&best[..14]), "{words}");
    assert!(words.contains("; the next trial would cost ") && words.contains(" s and bring "));
    assert!(words.contains(" of its price "), "{words}");
    for unknown in ["index", "+-", "promise"] {
        assert!(!words.contains(unknown), "{words}");
    }
    let worth = stop.reason().worth.expect("the rule weighs a gain against a price");
    assert!(worth.gain <= worth.price, "{worth:?}");
    assert!(stop.reason().statistic <= stop.reason().threshold);
    assert_eq!(stop.reason().rule, "Gittins index");
}

#[test]
fn a_decaying_price_does_not_move_the_verdict() {
    let constant = stops(
        Study::minimize(line())
            .policy(Acquisition::Pointwise(Pointwise::ExpectedImprovement))
            .stop(GittinsRule::priced(0.05)),
        10,
    );
    assert!(constant.contains(&true));
    let mut study = Study::minimize(line())
        .policy(Policy::gittins_decay(0.05, 2.0))
        .initial(3)
        .search(Search::new(64, 4))
        .seed(11)
        .build()
        .unwrap();
    let verdicts = verdicts(&mut study, 25);
    assert!(verdicts[24].is_stop(), "{}", verdicts[24].reason());
    let Some(Acquisition::Pointwise(Pointwise::Gittins { lambda })) = suggested(&mut study) else {
        panic!("a policy of indices")
    };
    assert!(lambda < 0.05, "{lambda}");
}

fn suggested(study: &mut Study) -> Option<Acquisition> {
    match study.ask().unwrap().why() {
        gittins::study::Why::Suggested(suggestion) => Some(suggestion.acquisition.clone()),
        _ => None,
    }
}

#[test]
fn a_study_that_nothing_ends_says_so_from_its_first_verdict() -> Result<()> {
    let mut study = Study::minimize(line()).initial(2).search(Search::new(32, 2)).build()?;
    let why = "no verdict will end this study: it has no price, no budget and no stopping rule";
    let missing = "2 of 2 points of the initial design are not told yet";
    assert_eq!(study.verdict()?.reason().to_string(), format!("continue: {missing}; {why}"));
    let last = verdicts(&mut study, 3).pop().unwrap();
    assert_eq!(last.reason().to_string(), format!("continue: {why}"));
    let ended = Study::minimize(line()).initial(2).budget(9.0).build()?.verdict()?;
    assert_eq!(ended.reason().to_string(), format!("continue: {missing}"));
    let error = Study::minimize(line()).stop(GittinsRule::new()).build().err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert!(error.to_string().contains("needs a price"), "{error}");
    Ok(())
}

#[test]
fn a_limit_of_trials_counts_the_design_and_a_limit_of_money_does_not() {
    let after = |stops: Vec<bool>| stops.iter().position(|&stop| stop);
    assert_eq!(after(stops(Study::minimize(line()).stop(TrialLimit::new(4)), 9)), Some(4 - 1));
    assert_eq!(
        after(stops(Study::minimize(line()).cost(Cost::uniform(2.0)).stop(TrialLimit::new(0)), 9)),
        Some(0)
    );
    let mut study = Study::minimize(line())
        .cost(Cost::known(price))
        .stop(SpendingLimit::new(2.5))
        .initial(3)
        .search(Search::new(64, 4))
        .build()
        .unwrap();
    let verdicts = verdicts(&mut study, 9);
    let mut spent = 0.0;
    for (trial, verdict) in study.history().iter().zip(&verdicts).skip(3) {
        spent += trial.cost.unwrap();
        assert_eq!(verdict.is_stop(), spent >= 2.5);
    }
}

/// A rule that answers from a script and counts its checks.
#[derive(Clone)]
struct Scripted {
    values: Vec<f64>,
    asked: Arc<AtomicUsize>,
}

impl Scripted {
    fn new(values: &[f64]) -> Self {
        Self { values: values.to_vec(), asked: Arc::default() }
    }
}

impl StopRule for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn check(&mut self, _context: &StopContext<'_>) -> Result<Statistic> {
        let at = self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(Statistic::at_most(self.values[at], 0.0))
    }
}

/// The verdicts after the only point of the design and after each suggestion.
fn scripted(rule: impl StopRule + 'static, count: usize) -> Vec<bool> {
    let mut study =
        Study::minimize(line()).stop(rule).initial(1).search(Search::new(16, 1)).build().unwrap();
    verdicts(&mut study, count).iter().map(Verdict::is_stop).collect()
}

const YES: f64 = -1.0;
const NO: f64 = 1.0;

#[test]
fn wrappers_steady_a_rule() {
    let script = [YES, YES, NO, YES, YES, YES, NO];
    let rule = || Scripted::new(&script);
    assert_eq!(scripted(rule(), 7), [true, true, false, true, true, true, false]);
    assert_eq!(scripted(rule().after(2), 7), [false, false, false, true, true, true, false]);
    assert_eq!(scripted(rule().debounced(2), 7), [false, true, false, false, true, true, false]);
    // The means of two values are -1, 0, 0, -1, -1, 0. A tie fires.
    assert_eq!(scripted(rule().smoothed(2), 7), [false, true, true, true, true, true, true]);
    assert_eq!(scripted(rule().smoothed(3), 7), [false, false, true, true, true, true, true]);
}

#[test]
fn wrappers_have_one_order_however_they_are_written() {
    let script = [YES, YES, YES, 3.0, YES, YES, YES, YES];
    // The means of two values are -, -1, -1, 1, 1, -1, -1, -1. They count from the second
    // suggestion on, and the second in a row fires.
    let expected = [false, false, false, false, false, false, true, true];
    assert_eq!(scripted(Scripted::new(&script).smoothed(2).after(2).debounced(2), 8), expected);
    assert_eq!(scripted(Scripted::new(&script).debounced(2).smoothed(2).after(2), 8), expected);
    // A value before the minimum of trials does not count as fired: the count in a row starts at
    // the minimum.
    assert_eq!(
        scripted(Scripted::new(&[YES; 5]).after(2).debounced(2), 5),
        [false, false, false, true, true]
    );
}

#[test]
fn a_window_ignores_what_was_not_known_yet_and_refuses_to_be_empty() {
    assert_eq!(
        scripted(Scripted::new(&[f64::INFINITY, YES, YES, f64::NEG_INFINITY]).smoothed(2), 4),
        [false, false, true, true]
    );
    assert_eq!(scripted(Scripted::new(&[f64::NAN, YES]), 2), [false, true]);
    for rule in [GittinsRule::priced(1.0).smoothed(0), GittinsRule::priced(1.0).debounced(0)] {
        assert_eq!(
            Study::minimize(line()).stop(rule).build().err().unwrap().kind(),
            ErrorKind::InvalidSetting
        );
    }
}

#[test]
fn any_of_several_rules_may_end_a_run_and_is_named() -> Result<()> {
    let silent = Scripted::new(&[NO; 4]);
    let rules: [Box<dyn StopRule>; 3] = [
        Box::new(silent.clone()),
        Box::new(TrialLimit::new(3)),
        Box::new(GittinsRule::priced(1e-9).after(9)),
    ];
    let mut study =
        Study::minimize(line()).stop(any(rules)).initial(1).search(Search::new(32, 2)).build()?;
    let verdicts = verdicts(&mut study, 4);
    assert_eq!(
        verdicts.iter().map(Verdict::is_stop).collect::<Vec<_>>(),
        [false, false, true, true]
    );
    assert_eq!(verdicts[0].reason().rule, "scripted");
    assert_eq!(verdicts[2].reason().to_string(), "stop: 3 of 3 trials were told");
    assert_eq!(verdicts[2].reason().rule, "number of trials");
    assert_eq!(silent.asked.load(Ordering::Relaxed), 4);
    assert_eq!(
        Study::minimize(line()).stop(any([])).build().err().unwrap().kind(),
        ErrorKind::Empty
    );
    Ok(())
}

#[test]
fn a_verdict_repeats_itself_until_something_is_told() -> Result<()> {
    let rule = Scripted::new(&[NO, NO, NO]);
    let mut study =
        Study::minimize(line()).stop(rule.clone()).initial(1).search(Search::new(32, 2)).build()?;
    for trial in 1..=3 {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(wave(ask.numbers()[0])))?;
        assert_eq!(study.verdict()?, study.verdict()?);
        assert_eq!(rule.asked.load(Ordering::Relaxed), trial);
    }
    Ok(())
}

#[test]
fn the_expected_supremum_agrees_with_the_table() {
    let table = golden::table("pbgi");
    let rows = table["expected_supremum"].as_array().unwrap();
    assert!(rows.len() > 10);
    for row in rows {
        let dim = row["d"].as_u64().unwrap() as usize;
        let (lengthscale, expected) =
            (golden::number(&row["lengthscale"]), golden::number(&row["U"]));
        let supremum =
            expected_supremum(KernelFamily::Matern52, &vec![lengthscale; dim], 1.0).unwrap();
        assert!(
            (supremum - expected).abs() <= EXPECTED_SUPREMUM * expected,
            "d = {dim}, {lengthscale}: {supremum} for {expected}"
        );
        let scaled =
            expected_supremum(KernelFamily::Matern52, &vec![lengthscale; dim], 9.0).unwrap();
        assert!((scaled - 3.0 * expected).abs() <= 3.0 * EXPECTED_SUPREMUM * expected);
    }
}

#[test]
fn the_expected_supremum_has_its_limits() {
    // A process that hardly varies is nearly linear: f = f(0) + a x, with a normal slope a of
    // deviation sqrt(5/3)/ell. So E max(0, a) = deviation / sqrt(2 pi).
    let deviation = (5.0f64 / 3.0).sqrt() / 1e3;
    let flat = expected_supremum(KernelFamily::Matern52, &[1e3], 1.0).unwrap();
    assert!(
        (flat / (deviation / (2.0 * std::f64::consts::PI).sqrt()) - 1.0).abs() < 1e-9,
        "{flat}"
    );
    // Rougher kernels and shorter lengthscales reach higher. Hundreds of dimensions neither
    // overflow nor vanish.
    let of = |family, lengthscale: f64, dim: usize| {
        expected_supremum(family, &vec![lengthscale; dim], 1.0).unwrap()
    };
    assert!(of(KernelFamily::Rbf, 0.2, 3) < of(KernelFamily::Matern52, 0.2, 3));
    assert!(of(KernelFamily::Matern52, 0.2, 3) < of(KernelFamily::Matern32, 0.2, 3));
    let mut before = 0.0;
    for dim in [1, 2, 5, 20, 60, 200, 400] {
        let supremum = of(KernelFamily::Matern52, 0.1, dim);
        assert!(supremum > before && supremum < 100.0, "d = {dim}: {supremum}");
        before = supremum;
    }
    let kind = |family, lengthscales: &[f64], outputscale| {
        expected_supremum(family, lengthscales, outputscale).unwrap_err().kind()
    };
    assert_eq!(kind(KernelFamily::Matern12, &[0.1], 1.0), ErrorKind::InvalidSetting);
    assert_eq!(kind(KernelFamily::Rbf, &[0.1, 0.0], 1.0), ErrorKind::InvalidSetting);
    assert_eq!(kind(KernelFamily::Rbf, &[0.1], f64::NAN), ErrorKind::InvalidSetting);
    assert_eq!(kind(KernelFamily::Rbf, &[], 1.0), ErrorKind::Empty);
    assert_eq!(finite_supremum(1, 4.0), 0.0);
}

#[test]
fn a_price_from_a_budget_falls_with_the_budget_and_scales_with_the_outcome() -> Result<()> {
    let study = |scale: f64| -> Result<Study> {
        let mut study =
            Study::minimize(line()).initial(4).search(Search::new(32, 2)).seed(2).build()?;
        assert_eq!(study.price_from_budget(10.0).unwrap_err().kind(), ErrorKind::Empty);
        for _ in 0..4 {
            let ask = study.ask()?;
            study.tell(ask.id(), Outcome::new(scale * wave(ask.numbers()[0])).cost(2.0))?;
        }
        Ok(study)
    };
    let mut one = study(1.0)?;
    // The design cost 8. The rest of a budget of 10 is a quarter of the rest of a budget of 16.
    let lambda = one.price_from_budget(10.0)?;
    assert!((lambda / one.price_from_budget(16.0)? - 4.0).abs() < 1e-12);
    assert_eq!(study(4.0)?.price_from_budget(10.0)?, 4.0 * lambda);
    for budget in [8.0, 3.0, f64::INFINITY, f64::NAN] {
        let error = one.price_from_budget(budget).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    }
    one.change_policy(Acquisition::gittins(lambda))?;
    assert_eq!(suggested(&mut one), Some(Acquisition::gittins(lambda)));
    assert_eq!(one.verdict()?.reason().rule, "Gittins index");
    Ok(())
}

#[test]
fn the_rule_works_on_stages_put_together_by_hand() -> Result<()> {
    let setup = Setup {
        domain: line().into(),
        cost: Cost::uniform(1.0),
        listed: None,
        cost_floor: None,
        incumbent: Incumbent::BestOutcome,
        model: GaussianProcess::new(),
        cost_model: GaussianProcess::new(),
        standardize: true,
        warping: Warping::HalfRank,
        backend: Arc::new(Cpu),
        search: Maximize::new(1),
        trees: Maximize::for_trees(1),
        time_limit: None,
        seed: 1,
    };
    let mut observations = Observations::new(1, Direction::Maximize);
    let mut evaluated = Taken::default();
    for i in 0..8 {
        let x = f64::from(i) / 7.0;
        observations.push(&[x], State::Complete, Some(wave(x)), Some(1.0))?;
        evaluated.insert(&[x]);
    }
    let surrogate = Surrogate::fit(&setup, &observations, None)?.expect("eight outcomes");
    let (hints, ledger) = (Points::new(1), Ledger::default());
    let context =
        StopContext::new(&setup, Some(&surrogate), &observations, &evaluated, &hints, &ledger);
    assert_eq!(
        context.incumbent(),
        (0..8).map(|i| wave(f64::from(i) / 7.0)).fold(f64::NEG_INFINITY, f64::max)
    );
    let dear = GittinsRule::priced(10.0).check(&context)?;
    let cheap = GittinsRule::priced(1e-9).check(&context)?;
    assert!(dear.fired && !cheap.fired, "{dear:?}, {cheap:?}");
    // The remaining improvement is also in the units of the outcome.
    let best = context
        .maximize(&Acquisition::Pointwise(Pointwise::ExpectedImprovement))?
        .expect("a space is never used up");
    assert!(
        (best.improvement - best.value).abs() < 1e-12 * best.value && best.sd > best.improvement,
        "{best:?}"
    );
    let there =
        context.moments(&Points::from_rows(1, best.unit.clone())?)?.expect("a fitted model");
    assert!(
        (there.variance[0].sqrt() / best.sd - 1.0).abs() < 1e-9
            && (there.mean[0] - best.mean).abs() < 1e-9,
        "{there:?}, {best:?}"
    );
    // The moments are in the units of the outcome: they reproduce the data.
    let moments =
        context.moments(&Points::from_rows(1, vec![3.0 / 7.0])?)?.expect("a fitted model");
    assert!(
        (moments.mean[0] - wave(3.0 / 7.0)).abs() < 0.01 && moments.variance[0].sqrt() < 0.01,
        "{moments:?}"
    );
    Ok(())
}
