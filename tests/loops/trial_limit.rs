//! A limit of trials is kept to the trial, and its words are true.

use gittins::stop::{Steadying, TrialLimit, all, any};
use gittins::study::{Search, StudyBuilder};
use gittins::{Outcome, Policy, Result, Space, StopRule, Study, Verdict};

fn study() -> StudyBuilder {
    let space = Space::new().float("x", 0.0, 1.0);
    Study::minimize(space).initial(4).search(Search::new(16, 2)).seed(3)
}

/// Asks and tells until the study stops. Every third trial fails.
fn run(study: &mut Study) -> Result<Verdict> {
    for trial in 0..30 {
        let verdict = study.verdict()?;
        if verdict.is_stop() {
            return Ok(verdict);
        }
        let ask = study.ask()?;
        let outcome = Outcome::new((ask.numbers()[0] - 0.3).powi(2));
        study.tell(ask.id(), if trial % 3 == 1 { Outcome::failed() } else { outcome })?;
    }
    study.verdict()
}

#[test]
fn a_limit_of_twelve_trials_made_sixteen() -> Result<()> {
    // Also fewer than the design has, one, and none at all.
    for most in [12, 5, 4, 3, 1, 0] {
        let mut study = study().stop(TrialLimit::new(most)).build()?;
        let verdict = run(&mut study)?;
        assert_eq!(study.history().len(), most);
        let words = format!("stop: {most} of {most} trials were told");
        assert_eq!(verdict.reason().to_string(), words);
    }
    Ok(())
}

#[test]
fn imported_and_withdrawn_trials_are_none_of_a_limit() -> Result<()> {
    let mut study = study().stop(TrialLimit::new(6)).build()?;
    for x in [0.1, 0.5, 0.9] {
        study.import(&[x], Outcome::new(x))?;
    }
    let lost = study.ask()?;
    study.withdraw(lost.id())?;
    let mistaken = study.ask()?;
    study.tell(mistaken.id(), Outcome::new(0.5))?;
    study.withdraw(mistaken.id())?;
    let verdict = run(&mut study)?;
    assert_eq!(study.counts().told, 6);
    assert_eq!(study.history().len(), 6 + 3 + 2);
    assert_eq!(
        verdict.reason().to_string(),
        "stop: 6 of 6 trials were told; 3 imported ones do not count"
    );
    Ok(())
}

#[test]
fn trials_under_way_take_their_places_of_a_limit() -> Result<()> {
    for policy in [Policy::gittins(1e-6), Policy::log_eipc()] {
        let mut study = study().policy(policy).stop(TrialLimit::new(6)).build()?;
        let mut open = Vec::new();
        while !study.verdict_on_another()?.is_stop() {
            open.push(study.ask()?);
            if open.len() > 3 {
                let ask = open.remove(0);
                study.tell(ask.id(), Outcome::new(ask.numbers()[0].sin()))?;
            }
        }
        assert_eq!(
            study.verdict_on_another()?.reason().to_string(),
            "stop: 6 of 6 trials were told or are pending"
        );
        assert!(!study.verdict()?.is_stop());
        for ask in open {
            study.tell(ask.id(), Outcome::new(ask.numbers()[0].sin()))?;
        }
        assert!(study.verdict()?.is_stop());
        assert_eq!((study.history().len(), study.counts().told), (6, 6));
    }
    Ok(())
}

#[test]
fn joined_rules_limit_trials_as_their_parts_do() -> Result<()> {
    let limit = |most| -> Box<dyn StopRule> { Box::new(TrialLimit::new(most)) };
    let steady = || -> Box<dyn StopRule> { Box::new(TrialLimit::new(2).after(3)) };
    let cases = [
        (any([limit(3), limit(9)]), 3),
        (all([limit(3), limit(2)]), 3),
        // One that waits for suggested trials limits no design.
        (any([steady(), limit(9)]), 7),
        (all([limit(2), steady()]), 7),
    ];
    for (rule, most) in cases {
        let mut study = study().stop(rule).build()?;
        run(&mut study)?;
        assert_eq!(study.history().len(), most);
    }
    Ok(())
}
