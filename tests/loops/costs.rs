//! Costs told apart from their outcomes, and failed trials that cost.

use gittins::stop::{Form, SpendingLimit};
use gittins::study::{Search, StudyBuilder, TrialState, Why};
use gittins::suggest::Suggestion;
use gittins::{
    Acquisition, Ask, Cost, CostForm, ErrorKind, GittinsRule, Outcome, Pointwise, Policy, Result,
    Space, StopRule, Study, TrialId,
};
use gittins_papers::rules::{GittinsBeforeRule, ImprovementMedianRule};

use crate::support::tolerance::SAME_COSTS;

pub(super) fn line() -> Space {
    Space::new().float("x", 0.0, 1.0)
}

pub(super) fn wave(x: f64) -> f64 {
    (7.0 * x).sin() + 0.5 * x
}

/// A cost that spans eight decades.
fn decades(x: f64) -> f64 {
    10f64.powf(8.0 * x - 3.0)
}

fn learning(policy: impl Into<Policy>) -> StudyBuilder {
    Study::minimize(line())
        .cost(Cost::learned())
        .policy(policy)
        .initial(4)
        .search(Search::new(64, 4))
        .seed(5)
}

pub(super) fn quick(policy: impl Into<Policy>) -> Study {
    learning(policy).build().unwrap()
}

pub(super) fn x(ask: &Ask) -> f64 {
    ask.numbers()[0]
}

fn suggestion(study: &mut Study) -> Suggestion {
    match study.ask().unwrap().why() {
        Why::Suggested(suggestion) => (**suggestion).clone(),
        why => panic!("{why}"),
    }
}

/// The time at which the cost of a trial is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum When {
    With,
    Before,
    After,
}

pub(super) fn tell(
    study: &mut Study,
    ask: &Ask,
    outcome: Outcome,
    cost: f64,
    when: When,
) -> Result<()> {
    match when {
        When::With => study.tell(ask.id(), outcome.cost(cost)),
        When::Before => {
            study.tell_cost(ask.id(), cost)?;
            study.tell(ask.id(), outcome)
        }
        When::After => {
            study.tell(ask.id(), outcome.cost_later())?;
            study.tell_cost(ask.id(), cost)
        }
    }
}

#[test]
fn a_run_does_not_depend_on_which_comes_first() -> Result<()> {
    let run = |when: When| -> Result<_> {
        let mut study = quick(Acquisition::gittins(1e-3));
        let mut seen = Vec::new();
        for trial in 0..9 {
            let ask = study.ask()?;
            let outcome = if trial == 6 { Outcome::failed() } else { Outcome::new(wave(x(&ask))) };
            tell(&mut study, &ask, outcome, 0.5 + x(&ask), when)?;
            let verdict = study.verdict()?;
            seen.push((
                x(&ask).to_bits(),
                verdict,
                study.spent(),
                study.total_cost(),
                study.history()[trial].cost,
            ));
        }
        Ok(seen)
    };
    assert_eq!(run(When::With)?, run(When::Before)?);
    assert_eq!(run(When::With)?, run(When::After)?);
    Ok(())
}

#[test]
fn money_counts_when_it_is_told() -> Result<()> {
    let mut study = learning(Acquisition::Pointwise(Pointwise::LogExpectedImprovement))
        .stop(SpendingLimit::new(10.0))
        .build()?;
    for _ in 0..4 {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(wave(x(&ask))).cost(1.0))?;
    }
    let open: Vec<Ask> = (0..3).map(|_| study.ask()).collect::<Result<_>>()?;
    // The first trial gets its outcome, the second its cost, the third a failure.
    study.tell(open[0].id(), Outcome::new(0.3).cost_later())?;
    assert_eq!(
        (study.spent(), study.total_cost(), study.counts().adaptive, study.counts().pending),
        (0.0, 4.0, 1, 2)
    );
    study.tell_cost(open[1].id(), 6.0)?;
    assert_eq!(
        (study.spent(), study.total_cost(), study.counts().adaptive, study.counts().pending),
        (6.0, 10.0, 1, 2)
    );
    let trial = &study.history()[open[1].id().index()];
    assert_eq!((trial.state, trial.cost, trial.outcome), (TrialState::Pending, Some(6.0), None));
    assert_eq!(study.verdict()?.reason().statistic, 4.0);
    study.tell(open[2].id(), Outcome::failed())?;
    assert_eq!(study.verdict()?.reason().statistic, 4.0);
    study.tell_cost(open[2].id(), 3.0)?;
    assert!(!study.verdict()?.is_stop());
    // The last message is a cost alone, and it ends the run.
    study.tell_cost(open[0].id(), 1.0)?;
    assert!(study.verdict()?.is_stop());
    study.tell(open[1].id(), Outcome::new(-0.1))?;
    assert_eq!(
        (study.spent(), study.total_cost(), study.counts().adaptive, study.counts().pending),
        (10.0, 14.0, 3, 0)
    );
    Ok(())
}

#[test]
fn every_cost_is_learned_at_once_whatever_became_of_its_trial() -> Result<()> {
    let expected = |act: &dyn Fn(&mut Study, TrialId) -> Result<()>| -> Result<f64> {
        let mut study = quick(Acquisition::gittins(1e-3));
        for _ in 0..5 {
            let ask = study.ask()?;
            study.tell(ask.id(), Outcome::new(wave(x(&ask))).cost(1.0))?;
        }
        let open = study.ask()?;
        // One suggestion was made before, so a model of the cost exists and has to be rebuilt.
        study.ask()?;
        act(&mut study, open.id())?;
        Ok(suggestion(&mut study).cost)
    };
    let untold = expected(&|_, _| Ok(()))?;
    assert!((untold - 1.0).abs() < SAME_COSTS, "nothing but ones was told: {untold}");
    let dear = 50.0;
    type Act<'a> = (&'a str, &'a dyn Fn(&mut Study, TrialId) -> Result<()>);
    let acts: [Act<'_>; 4] = [
        ("under way", &|s, id| s.tell_cost(id, dear)),
        ("failed with its cost", &|s, id| s.tell(id, Outcome::failed().cost(dear))),
        ("failed, cost later", &|s, id| {
            s.tell(id, Outcome::failed())?;
            s.ask()?;
            s.tell_cost(id, dear)
        }),
        ("infeasible, cost later", &|s, id| {
            s.tell(id, Outcome::infeasible().cost_later())?;
            s.tell_cost(id, dear)
        }),
    ];
    for (name, act) in acts {
        let told = expected(act)?;
        // The suggestion avoids the dear place. Its own expected cost moves all the same.
        assert!((told - untold).abs() > 1e-3, "{name}: expected {told}");
    }
    // A failure without a cost teaches the model of the cost nothing.
    assert!((expected(&|s, id| s.tell(id, Outcome::failed()))? - 1.0).abs() < SAME_COSTS);
    Ok(())
}

#[test]
fn the_outcome_does_not_wait_for_its_cost() -> Result<()> {
    let mut study = quick(Acquisition::Pointwise(Pointwise::LogExpectedImprovement));
    let mut other = quick(Acquisition::Pointwise(Pointwise::LogExpectedImprovement));
    for trial in 0..8 {
        let (ask, same) = (study.ask()?, other.ask()?);
        assert_eq!(ask.numbers(), same.numbers(), "trial {trial}");
        // Every other bill is never sent.
        let outcome = Outcome::new(wave(x(&ask)));
        study.tell(
            ask.id(),
            if trial % 2 == 0 { outcome.clone().cost(2.0) } else { outcome.clone().cost_later() },
        )?;
        other.tell(ask.id(), outcome.cost(2.0))?;
        assert_eq!(study.best().unwrap().outcome, other.best().unwrap().outcome);
    }
    Ok(())
}

#[test]
fn as_long_as_no_cost_is_known_suggestions_ignore_it_and_the_run_goes_on() -> Result<()> {
    let policies = || -> [(Policy, &str); 6] {
        [
            (Acquisition::gittins(1e3).into(), "Gittins index"),
            (Policy::gittins_decay(1e3, 2.0), "Gittins index"),
            (Policy::gittins_decay_from_budget(1e3, 2.0), "Gittins index"),
            (Policy::gittins_adaptive(), "Gittins index"),
            (Policy::ei_puc_cc(1e3), "log expected improvement per cost"),
            (
                Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost {
                    exponent: 1.0,
                    form: CostForm::Expected,
                })
                .into(),
                "expected improvement per cost",
            ),
        ]
    };
    let mut places = Vec::new();
    for (policy, name) in policies() {
        let mut study = quick(policy.clone());
        for _ in 0..4 {
            let ask = study.ask()?;
            study.tell(ask.id(), Outcome::new(wave(x(&ask))).cost_later())?;
        }
        let priced = policy.price().is_some();
        let verdict = study.verdict()?;
        assert!(!verdict.is_stop());
        assert_eq!(
            priced,
            verdict.reason().to_string() == "continue: no cost is known yet",
            "{}",
            verdict.reason()
        );
        let ask = study.ask()?;
        places.push(x(&ask));
        let Why::Suggested(first) = ask.why() else { panic!("{}", ask.why()) };
        assert_eq!(first.acquisition, Acquisition::Pointwise(Pointwise::LogExpectedImprovement));
        assert!(first.cost.is_nan() && first.cost_fit.is_none());
        assert!(ask.why().to_string().contains("expected cost not known yet"), "{}", ask.why());
        // After one bill the policy applies as set. A price above every promise then ends the run.
        study.tell_cost(2, 4.0)?;
        assert_eq!(study.verdict()?.is_stop(), priced);
        let second = suggestion(&mut study);
        assert_eq!(second.acquisition.name(), name);
        // One bill of 4 says nothing about the spread: `E[c] = 4 exp(v/2)`, with a variance between
        // zero and the prior's.
        assert!(
            second.cost_fit.is_some()
                && second.cost.is_finite()
                && second.cost >= 4.0 * (1.0 - SAME_COSTS),
            "{}",
            second.cost
        );
    }
    assert!(places.iter().all(|place| *place == places[0]), "{places:?}");
    Ok(())
}

#[test]
fn bills_in_any_order_with_a_batch_under_way() -> Result<()> {
    let mut study = quick(Acquisition::gittins(1e-6));
    let mut unpaid: Vec<(TrialId, f64)> = Vec::new();
    let mut open: Vec<Ask> = Vec::new();
    for round in 0..6 {
        while open.len() < 4 {
            open.push(study.ask()?);
        }
        let ask = open.remove(if round % 2 == 0 { 2 } else { 0 });
        study.tell(ask.id(), Outcome::new(wave(x(&ask))).cost_later())?;
        if study.history()[ask.id().index()].cost.is_none() {
            unpaid.push((ask.id(), decades(x(&ask))));
        }
        // Tells the cost of one trial under way, and the last but one of the late costs.
        let early = open
            .iter()
            .find(|ask| study.history()[ask.id().index()].cost.is_none())
            .expect("one of three");
        study.tell_cost(early.id(), decades(x(early)))?;
        if unpaid.len() > 1 {
            let (id, cost) = unpaid.remove(unpaid.len() - 2);
            study.tell_cost(id, cost)?;
        }
        study.verdict()?;
        open.retain(|ask| {
            study.history()[ask.id().index()].cost.is_none() || round % 3 != 2 || {
                study.tell(ask.id(), Outcome::new(wave(x(ask)))).unwrap();
                false
            }
        });
        let costs = study.history().iter().filter_map(|trial| trial.cost);
        let total: f64 = costs.clone().sum();
        assert!(
            (study.total_cost() - total).abs() <= 32.0 * f64::EPSILON * total,
            "{} and {total}",
            study.total_cost()
        );
        assert_eq!(study.counts().pending, open.len());
    }
    // Costs of eight decades that are told in pieces are learned. `ln c` is a straight line, and a
    // thirtieth of its span of 18 is allowed.
    for (id, cost) in unpaid {
        study.tell_cost(id, cost)?;
    }
    let next = suggestion(&mut study);
    let truth = decades(next.unit[0]);
    assert!((next.cost / truth).ln().abs() < 18.0 / 30.0, "{} for {truth}", next.cost);
    Ok(())
}

#[test]
fn what_is_told_replaces_what_is_known() -> Result<()> {
    for cost in [Cost::uniform(2.0), Cost::known(|values| 2.0 + 0.0 * values[0])] {
        let mut study =
            Study::minimize(line()).cost(cost).initial(2).search(Search::new(32, 2)).build()?;
        let asks = [study.ask()?, study.ask()?];
        study.tell(asks[0].id(), Outcome::new(1.0))?;
        study.tell_cost(asks[1].id(), 0.1)?;
        study.tell(asks[1].id(), Outcome::new(2.0))?;
        assert_eq!(study.total_cost(), 2.1);
        let third = study.ask()?;
        study.tell(third.id(), Outcome::failed())?;
        assert_eq!((study.spent(), study.total_cost()), (2.0, 4.1));
        study.tell_cost(third.id(), 0.5)?;
        study.tell_cost(asks[0].id(), 1e17)?;
        assert_eq!((study.spent(), study.total_cost()), (0.5, 1e17));
        // The bill is far too large, but it stands.
        let error = study.tell_cost(asks[0].id(), 3.0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DuplicateTrial);
        assert_eq!(
            study.history().iter().map(|trial| trial.cost).collect::<Vec<_>>(),
            [Some(1e17), Some(0.1), Some(0.5)]
        );
        // The expected cost of a trial is the known cost.
        assert_eq!(suggestion(&mut study).cost, 2.0);
    }
    Ok(())
}

#[test]
fn misuse_is_named_and_loses_nothing() -> Result<()> {
    use ErrorKind::*;
    type Act = fn(&mut Study) -> Result<()>;
    // Trial 0 has both, 1 has no cost, 2 no outcome, 3 neither, and 4 failed without a cost.
    let learned: [(Act, ErrorKind, &str); 15] = [
        (|s| s.tell_cost(5, 1.0), UnknownTrial, "trial 5: expected one of the 5"),
        (|s| s.tell_cost(0, 3.0), DuplicateTrial, "trial 0: its cost was told before as 2"),
        (|s| s.tell_cost(2, 3.0), DuplicateTrial, "trial 2: its cost was told before as 7"),
        (
            |s| s.tell(2, Outcome::new(1.0).cost(7.0)),
            DuplicateTrial,
            "trial 2: its cost was told before as 7",
        ),
        (|s| s.tell(1, Outcome::new(1.0).cost(7.0)), DuplicateTrial, "trial 1: told before"),
        (|s| s.tell_cost(1, -1.0), NonPositiveCost, "trial 1: expected a positive cost, got -1"),
        (|s| s.tell_cost(1, 0.0), NonPositiveCost, "cost_floor"),
        (|s| s.tell_cost(1, f64::NAN), NonFinite, "trial 1: expected a finite cost, got NaN"),
        (|s| s.tell_cost(3, f64::INFINITY), NonFinite, "trial 3"),
        (|s| s.tell_cost(3, -0.5), NonPositiveCost, "trial 3"),
        (|s| s.tell_cost(4, f64::NAN), NonFinite, "trial 4"),
        (
            |s| s.tell(3, Outcome::new(1.0)),
            MissingCost,
            "trial 3: expected the cost of a complete trial",
        ),
        (|s| s.tell(3, Outcome::new(1.0)), MissingCost, "by `cost`"),
        (|s| s.tell(3, Outcome::new(1.0)), MissingCost, "`cost_later`"),
        (|s| s.tell(2, Outcome::new(f64::NAN)), NonFinite, "trial 2"),
    ];
    for (act, kind, culprit) in learned {
        let mut study = learning(Acquisition::gittins(1e-3)).initial(5).build()?;
        (0..5).try_for_each(|_| study.ask().map(|_| ()))?;
        study.tell(0, Outcome::new(0.5).cost(2.0))?;
        study.tell(1, Outcome::new(0.7).cost_later())?;
        study.tell_cost(2, 7.0)?;
        study.tell(4, Outcome::failed().cost_later())?;
        let (history, total) = (study.history().to_vec(), study.total_cost());
        let error = act(&mut study).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error} without {culprit}");
        assert_eq!((study.history(), study.total_cost()), (&history[..], total));
        // The study goes on.
        study.tell(2, Outcome::new(0.1))?;
        study.tell(3, Outcome::new(0.2).cost(1.0))?;
        study.tell_cost(1, 2.0)?;
        study.tell_cost(4, 2.0)?;
        assert_eq!(study.total_cost(), 14.0);
        study.ask()?;
    }
    for cost in [Cost::uniform(1.0), Cost::known(|values| 1.0 + values[0])] {
        let mut study = Study::minimize(line()).cost(cost).build()?;
        let ask = study.ask()?;
        for outcome in [Outcome::new(1.0), Outcome::failed()] {
            let error = study.tell(ask.id(), outcome.cost_later()).unwrap_err();
            assert_eq!(error.kind(), InvalidSetting);
            assert!(
                error.to_string().contains("trial 0") && error.to_string().contains("tell_cost"),
                "{error}"
            );
        }
        assert_eq!(study.history()[0].state, TrialState::Pending);
        // The last setting of an outcome counts.
        study.tell(ask.id(), Outcome::new(1.0).cost_later().cost(3.0))?;
        assert_eq!(study.total_cost(), 3.0);
    }
    Ok(())
}

/// Rules that look at the cost wait for the first cost. They count trials, not bills.
#[test]
fn rules_that_weigh_costs_wait_for_one_and_count_no_bill_as_a_trial() -> Result<()> {
    let rules = || -> [Box<dyn StopRule>; 3] {
        [
            Box::new(GittinsRule::priced(1e3).form(Form::LogImprovementPerCost)),
            Box::new(GittinsBeforeRule::priced(1e3)),
            Box::new(ImprovementMedianRule::new()),
        ]
    };
    for rule in rules() {
        let mut study = learning(Acquisition::Pointwise(Pointwise::LogExpectedImprovement))
            .stop(rule)
            .build()?;
        for _ in 0..4 {
            let ask = study.ask()?;
            study.tell(ask.id(), Outcome::new(wave(x(&ask))).cost_later())?;
        }
        assert_eq!(study.verdict()?.reason().to_string(), "continue: no cost is known yet");
        study.tell_cost(1, 2.0)?;
        assert_ne!(study.verdict()?.reason().to_string(), "continue: no cost is known yet");
    }
    // The index before the last trial keeps the value from that time. Later changes of costs do not
    // change it.
    let mut study = learning(Acquisition::gittins(1e-2)).stop(GittinsBeforeRule::new()).build()?;
    for _ in 0..6 {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(wave(x(&ask))).cost(1.0))?;
        study.verdict()?;
    }
    let ask = study.ask()?;
    study.tell(ask.id(), Outcome::new(wave(x(&ask))).cost_later())?;
    let verdict = study.verdict()?;
    study.tell_cost(ask.id(), 1e3)?;
    assert_eq!(study.verdict()?, verdict);
    Ok(())
}

#[test]
fn imports_may_be_billed_later() -> Result<()> {
    let mut study = quick(Acquisition::gittins(1e-3));
    let id = study.import(&[0.5], Outcome::new(1.0).cost_later())?;
    assert_eq!((study.total_cost(), study.history()[0].cost), (0.0, None));
    study.tell_cost(id, 3.0)?;
    assert_eq!((study.total_cost(), study.spent(), study.history()[0].cost), (3.0, 0.0, Some(3.0)));
    Ok(())
}
