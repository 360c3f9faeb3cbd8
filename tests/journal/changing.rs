//! A study that goes on with other settings than those of its file.

use std::sync::Arc;

use gittins::data::{Limit, Objective};
use gittins::journal::Journal;
use gittins::stop::Steadying;
use gittins::study::StudyBuilder;
use gittins::{Acquisition, Cost, Cpu, Outcome, Policy, Space, Study};
use gittins_papers::rules::{GittinsBeforeRule, ImprovementMedianRule};

use super::play::{Place, Script, file, play};

fn settings() -> StudyBuilder {
    Study::minimize(Space::new().float("x", -1.0, 2.0).float("y", 0.0, 1.0)).backend(Arc::new(Cpu))
}

fn step(journal: &mut Journal) -> Option<f64> {
    let ask = journal.ask().unwrap();
    let value = ask.numbers()[0].powi(2) + 0.1 * ask.numbers()[1];
    journal.tell(ask.id(), Outcome::new(value)).unwrap();
    let record = journal.study().record();
    record.rows()[ask.id().index()].suggestion.as_ref().and_then(|suggestion| suggestion.lambda)
}

/// The state of the policy from before took the place of the new policy.
#[test]
fn a_new_policy_takes_the_place_of_one_with_a_state() {
    let place = Place::new("policy");
    let open = |policy: Policy| Journal::open(place.path(), settings().policy(policy)).unwrap();
    let mut adaptive = open(Policy::gittins_adaptive());
    for _ in 0..6 {
        step(&mut adaptive);
    }
    let fixed = || Acquisition::gittins(0.125).into();
    let mut journal = open(fixed());
    assert_eq!(step(&mut journal), Some(0.125));
    assert_eq!(step(&mut journal), Some(0.125));
    assert_eq!(step(&mut open(fixed())), Some(0.125));
    // The other process is still there, and has its own.
    assert_ne!(step(&mut adaptive), Some(0.125));
    assert_eq!(step(&mut journal), Some(0.125));
    assert_eq!(adaptive.study().history().len(), 10);
}

/// The verdict at the old price stood, until something was told.
#[test]
fn a_verdict_is_that_of_the_price_of_now() {
    let place = Place::new("price");
    let open = |price: f64| {
        Journal::open(place.path(), settings().policy(Acquisition::gittins(price))).unwrap()
    };
    let mut dear = open(1e3);
    for _ in 0..5 {
        step(&mut dear);
    }
    assert!(dear.verdict().unwrap().is_stop());
    let mut cheap = open(1e-9);
    assert!(!cheap.verdict().unwrap().is_stop());
    assert!(dear.verdict().unwrap().is_stop());
    assert!(!cheap.verdict().unwrap().is_stop());
    assert!(open(1e3).verdict().unwrap().is_stop());
}

/// What one rule kept was given to another.
#[test]
fn a_rule_begins_without_what_another_kept() {
    let place = Place::new("rule");
    let priced = || settings().policy(Acquisition::gittins(1e-9));
    let median = || priced().stop(ImprovementMedianRule::new().first(2).smoothed(3));
    let before = || priced().stop(GittinsBeforeRule::priced(1e-9).smoothed(3));
    let mut journal = Journal::open(place.path(), median()).unwrap();
    for _ in 0..7 {
        step(&mut journal);
        journal.verdict().unwrap();
    }
    let mut journal = Journal::open(place.path(), before()).unwrap();
    let words = journal.verdict().unwrap().reason().to_string();
    assert!(words.contains("0 of 3 values for a mean"), "{words}");
    step(&mut journal);
    let words = journal.verdict().unwrap().reason().to_string();
    assert!(words.contains("1 of 3 values for a mean"), "{words}");
    step(&mut journal);
    drop(journal);
    let mut journal = Journal::open(place.path(), before()).unwrap();
    let words = journal.verdict().unwrap().reason().to_string();
    assert!(words.contains("2 of 3 values for a mean"), "{words}");
}

/// A cost that was announced, or never told, made trials disappear or the file unreadable.
#[test]
fn what_is_known_of_costs_may_change() {
    let kinds = [
        ("learned", Cost::learned()),
        ("uniform", Cost::uniform(2.0)),
        ("known", Cost::known(|values: &[f64]| 3.0 + values[0])),
    ];
    for (before, cost) in &kinds {
        let place = Place::new("costs");
        let builder = |cost: &Cost| settings().cost(cost.clone()).initial(100);
        let costs = *before == "learned";
        let script = Script { trials: 27, costs, accidents: true, verdicts: 0 };
        let (_, player) = play(file(&place, builder(cost)), script, |_, player| player).unwrap();
        let told = |study: &Study| -> Vec<_> {
            study.history().iter().map(|trial| (trial.state, trial.outcome)).collect()
        };
        let expected = told(player.study());
        drop(player);
        for (after, cost) in &kinds {
            let journal = Journal::open(place.path(), builder(cost))
                .unwrap_or_else(|error| panic!("{before}, then {after}: {error}"));
            assert_eq!(told(journal.study()), expected, "{before}, then {after}");
            assert!(journal.left_out().is_empty(), "{before}, then {after}");
        }
    }
}

/// A worker that did not say how costs are known made the others forget them.
#[test]
fn what_was_told_stays_known_beside_a_worker_with_other_settings() {
    let place = Place::new("fewer");
    let priced = || settings().policy(Acquisition::gittins(1e-3));
    let limited = || {
        priced()
            .cost(Cost::learned())
            .limit("size", Limit::at_most(2.0))
            .objective("time", Objective::minimize())
    };
    let mut journal = Journal::open(place.path(), limited()).unwrap();
    for _ in 0..7 {
        let ask = journal.ask().unwrap();
        let value = ask.numbers()[0].powi(2);
        let outcome = Outcome::new(value).cost(40.0).measured("size", value);
        journal.tell(ask.id(), outcome.measured("time", 1.0 - value)).unwrap();
    }
    journal.verdict().unwrap();
    let mut other = Journal::open(place.path(), priced()).unwrap();
    let said = other.missing().unwrap();
    for words in ["the cost is another", "had limits, other objectives", "and not here"] {
        assert!(said.contains(words), "{said}");
    }
    other.verdict().unwrap();
    step(&mut other);
    let mut journal = Journal::open(place.path(), limited()).unwrap();
    journal.verdict().unwrap();
    let ask = journal.ask().unwrap();
    let record = journal.study().record();
    let suggested = record.rows()[ask.id().index()].suggestion.clone().unwrap();
    assert!(suggested.cost.unwrap() > 5.0, "{suggested:?}");
}
