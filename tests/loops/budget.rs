//! The money that a study may spend.

use std::sync::Arc;

use gittins::study::{Origin, StudyBuilder, Why};
use gittins::{
    Acquisition, Cost, Cpu, ErrorKind, Outcome, Result, Space, Study, TrialId, Value, Verdict,
};

fn plane() -> Space {
    Space::new().float("x", -1.0, 1.0).float("y", -1.0, 1.0)
}

fn study() -> StudyBuilder {
    Study::minimize(plane()).backend(Arc::new(Cpu)).seed(3)
}

/// A valley that a model does not know after a few trials.
fn valley(x: f64, y: f64) -> f64 {
    (1.0 - 2.0 * x).powi(2) + 100.0 * (2.0 * y - 4.0 * x * x).powi(2)
}

fn bowl(x: f64, y: f64) -> f64 {
    (x - 0.3).powi(2) + (y + 0.2).powi(2)
}

/// Runs a study until it ends. What a trial costs follows from its point.
fn run(
    builder: StudyBuilder,
    outcome: impl Fn(f64, f64) -> f64,
    cost: impl Fn(f64, f64) -> Option<f64>,
) -> Result<(Study, Verdict)> {
    let mut study = builder.build()?;
    loop {
        let verdict = study.verdict()?;
        if verdict.is_stop() {
            return Ok((study, verdict));
        }
        let ask = study.ask()?;
        let (x, y) = (ask.get("x")?, ask.get("y")?);
        let told = Outcome::new(outcome(x, y));
        study.tell(ask.id(), cost(x, y).into_iter().fold(told, Outcome::cost))?;
    }
}

#[test]
fn a_hard_problem_uses_the_whole_budget() -> Result<()> {
    let (study, verdict) = run(study().budget(30.0), valley, |_, _| None)?;
    assert_eq!(study.history().len(), 30);
    assert_eq!(verdict.reason().to_string(), "stop: the budget of 30 is spent");
    assert_eq!(verdict.reason().rule, "budget");
    Ok(())
}

#[test]
fn money_that_rounds_buys_as_many_trials_as_it_seems() -> Result<()> {
    for (cost, trials) in [(0.1, 30), (0.7, 20), (1.0 / 3.0, 25)] {
        let budget = cost * f64::from(trials);
        let builder = study().cost(Cost::uniform(cost)).budget(budget);
        let (study, _) = run(builder, valley, |_, _| None)?;
        assert_eq!(study.history().len(), trials as usize, "{cost}");
    }
    Ok(())
}

#[test]
fn a_budget_smaller_than_the_design_ends_the_study_in_words() -> Result<()> {
    let builder = study().initial(8).cost(Cost::learned()).cost_unit("s").budget(25.0);
    let (study, verdict) = run(builder, bowl, |_, _| Some(10.0))?;
    let words = "stop: the budget of 25 s is spent: 30 s in all, 5 s beyond it, since the last trial cost more than was left";
    assert_eq!(verdict.reason().to_string(), words);
    assert_eq!(study.history().len(), 3);
    assert!(study.best().is_some());
    Ok(())
}

#[test]
fn the_design_takes_a_quarter_of_the_budget() -> Result<()> {
    let builder = study().initial(12).cost(Cost::learned()).budget(60.0);
    let (study, _) = run(builder, valley, |_, _| Some(3.0))?;
    let drawn = study.history().iter().filter(|trial| trial.origin == Origin::Initial);
    assert_eq!(drawn.count(), 5, "a quarter of 60 buys 5 trials at 3");
    assert_eq!(study.history().len(), 20);
    // Fewer than three points teach a model nothing.
    let few = self::study().initial(12).cost(Cost::learned()).budget(60.0);
    let (study, _) = run(few, valley, |_, _| Some(10.0))?;
    let drawn = study.history().iter().filter(|trial| trial.origin == Origin::Initial);
    assert_eq!(drawn.count(), 3);
    Ok(())
}

#[test]
fn a_study_that_is_done_ends_early_and_says_what_it_saved() -> Result<()> {
    let builder = || study().cost(Cost::learned()).cost_unit("s");
    let (study, verdict) = run(builder().budget(200.0), bowl, |x, _| Some(2.0 + x))?;
    let words = verdict.reason().to_string();
    let saved = 200.0 - study.total_cost();
    assert!(saved > 50.0, "{words}");
    assert!(words.starts_with("stop: done early, "), "{words}");
    assert!(words.contains(" s of the budget of 200 s are saved"), "{words}");
    let best = study.best().unwrap().outcome.unwrap();
    assert!(best < 1e-3 * bowl(0.0, 0.0), "{words}");
    Ok(())
}

#[test]
fn units_change_no_verdict() -> Result<()> {
    let played = |outcomes: f64, money: f64| -> Result<(usize, bool)> {
        let builder = study().cost(Cost::learned()).budget(200.0 * money);
        let (study, verdict) =
            run(builder, |x, y| outcomes * bowl(x, y), |x, _| Some(money * (2.0 + x)))?;
        Ok((study.history().len(), verdict.reason().to_string().contains("done early")))
    };
    let one = played(1.0, 1.0)?;
    assert!(one.1);
    for (outcomes, money) in [(1024.0, 1.0), (1.0, 2_f64.powi(-12)), (2_f64.powi(-30), 4096.0)] {
        assert_eq!(played(outcomes, money)?, one, "{outcomes} {money}");
    }
    Ok(())
}

#[test]
fn maximizing_is_minimizing_with_the_other_sign() -> Result<()> {
    let builder = Study::maximize(plane()).backend(Arc::new(Cpu)).seed(3).budget(80.0);
    let (up, said) = run(builder, |x, y| -bowl(x, y), |_, _| None)?;
    let (down, _) = run(study().budget(80.0), bowl, |_, _| None)?;
    assert_eq!(up.history().len(), down.history().len());
    assert!(said.reason().to_string().contains("done early"), "{}", said.reason());
    Ok(())
}

#[test]
fn trials_under_way_owe_what_they_are_expected_to_cost() -> Result<()> {
    let mut study = study().cost(Cost::learned()).budget(100.0).build()?;
    for _ in 0..8 {
        let ask = study.ask()?;
        let (x, y) = (ask.get("x")?, ask.get("y")?);
        study.tell(ask.id(), Outcome::new(valley(x, y)).cost(10.0))?;
    }
    study.ask()?;
    assert!(!study.verdict_on_another()?.is_stop(), "20 are left, 10 are owed");
    study.ask()?;
    let verdict = study.verdict_on_another()?;
    assert!(verdict.is_stop());
    let words = verdict.reason().to_string();
    assert!(words.contains("are left, and pending trials are expected to cost"), "{words}");
    assert!(!study.verdict()?.is_stop(), "what is pending is not paid yet");
    Ok(())
}

#[test]
fn the_rest_of_the_money_goes_to_what_it_can_pay() -> Result<()> {
    // The best points are on the dear side.
    let dear = |x: f64| 1.0 + 9.0 * (x + 1.0);
    let mut study =
        study().cost(Cost::known(move |at: &[f64]| dear(at[0]))).budget(60.0).build()?;
    let mut left = 60.0;
    while !study.verdict()?.is_stop() {
        let ask = study.ask()?;
        let (x, y) = (ask.get("x")?, ask.get("y")?);
        if let Why::Suggested(suggestion) = ask.why() {
            assert!(suggestion.cost <= left || left < dear(-1.0), "{} of {left}", suggestion.cost);
        }
        study.tell(ask.id(), Outcome::new(valley(x, y) - 300.0 * x))?;
        left -= dear(x);
    }
    assert!(left < dear(-1.0), "{left} would have paid for one more");
    Ok(())
}

#[test]
fn what_others_paid_for_is_not_of_the_budget() -> Result<()> {
    let mut study = study().cost(Cost::learned()).budget(10.0).build()?;
    for k in 0..6 {
        let x = f64::from(k) / 6.0;
        study.import(&[x, -x], Outcome::new(valley(x, -x)).cost(100.0))?;
    }
    assert!(!study.verdict()?.is_stop(), "{}", study.verdict()?.reason());
    let ask = study.ask()?;
    study.tell(ask.id(), Outcome::failed().cost(10.0))?;
    assert!(study.verdict()?.is_stop(), "a failed trial is paid");
    Ok(())
}

#[test]
fn a_price_or_a_rule_of_ones_own_ends_the_study_before_the_money() -> Result<()> {
    let priced = study().policy(Acquisition::gittins(1e-2)).budget(100.0);
    let (_, verdict) = run(priced, bowl, |_, _| None)?;
    assert_eq!(verdict.reason().rule, "Gittins index");
    let ruled = study().stop(gittins::stop::TrialLimit::new(7)).initial(3).budget(100.0);
    let (study, verdict) = run(ruled, bowl, |_, _| None)?;
    assert_eq!((verdict.reason().rule.as_str(), study.history().len()), ("number of trials", 7));
    Ok(())
}

#[test]
fn outcomes_that_are_all_equal_use_the_budget() -> Result<()> {
    let (study, verdict) = run(study().budget(15.0), |_, _| 0.25, |_, _| None)?;
    assert_eq!(study.history().len(), 15);
    assert_eq!(verdict.reason().rule, "budget");
    Ok(())
}

#[test]
fn failures_alone_spend_the_budget() -> Result<()> {
    let mut study = study().budget(9.0).build()?;
    let mut trials: Vec<TrialId> = Vec::new();
    while !study.verdict()?.is_stop() {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::failed())?;
        trials.push(ask.id());
    }
    assert_eq!(trials.len(), 9);
    Ok(())
}

#[test]
fn a_budget_is_positive_and_finite() {
    for budget in [0.0, -3.0, f64::NAN, f64::INFINITY] {
        let error = study().budget(budget).build().err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(error.to_string().contains("the budget"), "{error}");
    }
}

#[test]
fn a_study_in_a_file_keeps_its_budget() -> Result<()> {
    use gittins::journal::Journal;
    let folder = std::env::temp_dir().join(format!("gittins-budget-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("study.journal");
    let mut first = Journal::open(&path, study().budget(6.0))?;
    for _ in 0..4 {
        let ask = first.ask()?;
        let (x, y) = (ask.get("x")?, ask.get("y")?);
        first.tell(ask.id(), Outcome::new(valley(x, y)))?;
    }
    drop(first);
    let mut again = Journal::resume(&path)?;
    for left in [2, 1] {
        assert!(!again.verdict()?.is_stop(), "{left} left");
        let ask = again.ask()?;
        let values: Vec<Value> = ask.values().to_vec();
        assert_eq!(values.len(), 2);
        again.tell(ask.id(), Outcome::new(valley(ask.get("x")?, ask.get("y")?)))?;
    }
    let words = again.verdict()?.reason().to_string();
    assert_eq!(words, "stop: the budget of 6 is spent");
    // More money, and it goes on.
    let mut more = Journal::open(&path, study().budget(7.0))?;
    assert!(!more.verdict()?.is_stop());
    drop((again, more));
    std::fs::remove_dir_all(&folder).unwrap();
    Ok(())
}

#[test]
fn what_is_spent_beyond_a_budget_is_said_with_why() -> Result<()> {
    let at_once = "the budget of 25 is spent";
    let cases = [
        (2, [10.0, 15.0, 0.0, 0.0], at_once.to_owned()),
        (
            3,
            [10.0, 15.0, 4.0, 0.0],
            format!(
                "{at_once}: 29 in all, 4 beyond it, since one more trial was told once it was spent"
            ),
        ),
        (
            4,
            [10.0, 16.0, 4.0, 2.0],
            format!(
                "{at_once}: 32 in all, 7 beyond it, since 2 more trials were told once it was spent"
            ),
        ),
    ];
    for (count, costs, words) in cases {
        let mut study = study().cost(Cost::learned()).budget(25.0).build()?;
        let asks = study.ask_many(count)?;
        for (ask, cost) in asks.iter().zip(costs) {
            study.tell(ask.id(), Outcome::new(cost).cost(cost))?;
        }
        assert_eq!(study.verdict()?.reason().to_string(), format!("stop: {words}"));
    }
    Ok(())
}
