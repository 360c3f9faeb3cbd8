//! Studies of control sets: trials given up, results that come late, and mistakes.

use gittins::study::TrialState;
use gittins::{Error, ErrorKind, Outcome};
use gittins_papers::control::{Plays, SubsetAsk, SubsetPolicy, SubsetStudy, SubsetWhy};

use crate::control::runs::study;
use crate::control::studies::{harvest, nature};

fn asked(study: &mut SubsetStudy, count: usize) -> Vec<SubsetAsk> {
    (0..count).map(|_| study.ask().unwrap()).collect()
}

/// The full point of a trial, completed by nature.
fn full(ask: &SubsetAsk) -> Vec<f64> {
    ask.completed(&nature(ask.id().index()))
}

fn tell(study: &mut SubsetStudy, ask: &SubsetAsk) {
    study.tell(ask.id(), &full(ask), Outcome::new(harvest(&full(ask)))).unwrap();
}

/// The whole visible state of a study, including its next choice, verdict and advice.
fn state(study: &mut SubsetStudy) -> impl PartialEq + std::fmt::Debug + use<> {
    let (verdict, advice) = (study.verdict().unwrap(), study.recommendations().unwrap());
    let spent = study.spent();
    let ask = study.ask().unwrap();
    (verdict, advice, spent, ask, study.best().cloned(), study.history().to_vec(), study.spent())
}

fn start(policy: SubsetPolicy) -> SubsetStudy {
    study(policy).budget(50.0).initial(3).build().unwrap()
}

fn policies() -> [SubsetPolicy; 3] {
    [
        SubsetPolicy::ucb_cvs(0.3),
        SubsetPolicy::explore_then_commit(Plays::Each(2)),
        SubsetPolicy::ucb_psq(),
    ]
}

#[test]
fn a_withdrawn_trial_gives_its_price_back() {
    for policy in policies() {
        let mut study = start(policy);
        let design = asked(&mut study, 3);
        design[..2].iter().for_each(|ask| tell(&mut study, ask));
        study.withdraw(design[2].id()).unwrap();
        assert_eq!(study.spent(), 0.4);
        // Another trial takes its place in the design.
        let other = study.ask().unwrap();
        assert_eq!(*other.why(), SubsetWhy::Initial { number: 3, of: 3 });
        assert_ne!(other.values(), design[2].values());
        tell(&mut study, &other);
        let open = asked(&mut study, 3);
        let before = study.spent();
        let verdict = study.verdict().unwrap();
        for ask in &open {
            study.withdraw(ask.id()).unwrap();
        }
        // The sum is 3 x 0.2: equal payments are counted, not added one by one.
        assert_eq!(study.spent(), 0.2 * 3.0);
        assert!(
            before > study.spent()
                && study.verdict().unwrap().reason().statistic > verdict.reason().statistic
        );
        // A late result is accepted, and its real cost is paid.
        study.tell(open[1].id(), &full(&open[1]), Outcome::new(0.25).cost(0.125)).unwrap();
        assert_eq!(study.spent(), 0.125 + 0.2 * 3.0);
        tell(&mut study, &open[0]);
        let paid: f64 = study.history().iter().filter_map(|trial| trial.cost).sum();
        assert!((study.spent() - paid).abs() <= 8.0 * f64::EPSILON * paid);
        let trial = &study.history()[open[2].id().index()];
        assert_eq!(
            (trial.state, &trial.values, trial.outcome, trial.cost),
            (TrialState::Withdrawn, &None, None, None)
        );
    }
}

#[test]
fn what_is_withdrawn_and_told_late_is_as_if_it_had_been_under_way() {
    for policy in policies() {
        let run = |withdraw: bool| {
            let mut study = start(policy.clone());
            let mut asks = asked(&mut study, 3);
            for ask in &asks {
                tell(&mut study, ask);
            }
            asks.extend(asked(&mut study, 2));
            if withdraw {
                // One trial is under way, and one was told at another point.
                study
                    .tell(
                        asks[4].id(),
                        &asks[4].completed(&nature(77)),
                        Outcome::new(1e6).cost(9.0),
                    )
                    .unwrap();
                study.recommendation().unwrap();
                study.withdraw(asks[3].id()).unwrap();
                study.withdraw(asks[4].id()).unwrap();
            }
            asks[3..].iter().for_each(|ask| tell(&mut study, ask));
            study
        };
        assert_eq!(state(&mut run(true)), state(&mut run(false)), "{policy:?}");
    }
}

/// If a play of the schedule is withdrawn, another trial plays it. A late result of the withdrawn
/// trial uses up its play.
#[test]
fn the_exploration_plays_as_often_as_it_is_to() {
    let mut study =
        study(SubsetPolicy::explore_then_commit(Plays::Each(2))).initial(1).build().unwrap();
    let ask = study.ask().unwrap();
    tell(&mut study, &ask);
    let costs = |study: &mut SubsetStudy, count: usize| {
        asked(study, count).iter().map(SubsetAsk::cost).collect::<Vec<_>>()
    };
    let first = asked(&mut study, 2);
    for ask in &first {
        study.withdraw(ask.id()).unwrap();
    }
    assert_eq!(first.iter().map(SubsetAsk::cost).collect::<Vec<_>>(), [0.2, 0.2]);
    assert_eq!(costs(&mut study, 1), [0.2]);
    tell(&mut study, &first[0]);
    assert_eq!(costs(&mut study, 2), [0.5, 0.5]);
    study.withdraw(first[0].id()).unwrap();
    assert_eq!(costs(&mut study, 1), [0.2]);
}

#[test]
fn what_was_corrected_is_as_if_it_had_been_told_so() {
    let right = |ask: &SubsetAsk| Outcome::new(harvest(&full(ask))).cost(0.3);
    let wrongs = [
        Outcome::new(-1e6).cost(0.3),
        Outcome::failed().cost(7.0),
        Outcome::infeasible(),
        Outcome::new(1e300).cost(0.1),
    ];
    for policy in policies() {
        for at in [1, 4] {
            let run = |wrong: Option<Outcome>| {
                let mut study = start(policy.clone());
                let mut asks = asked(&mut study, 3);
                if at > 2 {
                    for ask in &asks {
                        tell(&mut study, ask);
                    }
                    asks.extend(asked(&mut study, 2));
                }
                study
                    .tell(
                        asks[at].id(),
                        &full(&asks[at]),
                        wrong.clone().unwrap_or(right(&asks[at])),
                    )
                    .unwrap();
                // Only the advice is looked at with the wrong number. A verdict would leave the
                // ends of its searches, and the next searches begin there.
                if wrong.is_some() {
                    study.recommendation().unwrap();
                }
                for ask in &asks {
                    if study.history()[ask.id().index()].state == TrialState::Pending {
                        tell(&mut study, ask);
                    }
                }
                if wrong.is_some() {
                    study.correct(asks[at].id(), right(&asks[at])).unwrap();
                }
                study
            };
            let mut rightly = run(None);
            let expected = state(&mut rightly);
            for wrong in &wrongs {
                assert_eq!(state(&mut run(Some(wrong.clone()))), expected, "{policy:?}, {wrong:?}");
            }
        }
    }
}

#[test]
fn an_import_is_withdrawn_and_corrected_and_never_paid_for() {
    let mut study = start(SubsetPolicy::ucb_cvs(0.3));
    let id = study.import(&nature(0), Outcome::failed().cost(5.0)).unwrap();
    study.correct(id, Outcome::new(0.75)).unwrap();
    assert_eq!(
        (study.spent(), study.history()[0].cost, study.best().unwrap().outcome),
        (0.0, Some(5.0), Some(0.75))
    );
    assert_eq!(*study.ask().unwrap().why(), SubsetWhy::Initial { number: 2, of: 3 });
    study.withdraw(id).unwrap();
    assert_eq!((study.spent(), study.best()), (0.2, None));
    study.tell(id, &nature(1), Outcome::new(0.5)).unwrap();
    assert_eq!(
        (study.spent(), study.best().unwrap().values.as_deref()),
        (0.2, Some(&nature(1)[..]))
    );
    // The cost is corrected, or left out. The spent money stays the same.
    study.correct(id, Outcome::new(0.25).cost(8.0)).unwrap();
    assert_eq!(
        (study.spent(), study.history()[0].cost, study.best().unwrap().outcome),
        (0.2, Some(8.0), Some(0.25))
    );
}

#[test]
fn what_cannot_be_corrected_or_withdrawn_is_named_and_changes_nothing() {
    use ErrorKind::*;
    // Trials 0 and 1 are told, 2 is withdrawn, 3 is under way.
    let start = || {
        let mut study = start(SubsetPolicy::ucb_cvs(0.3));
        let asks = asked(&mut study, 3);
        asks[..2].iter().for_each(|ask| tell(&mut study, ask));
        study.withdraw(2).unwrap();
        study.ask().unwrap();
        study
    };
    type Act = fn(&mut SubsetStudy) -> Result<(), Error>;
    let cases: [(Act, ErrorKind, &str); 9] = [
        (|s| s.withdraw(4), UnknownTrial, "trial 4: expected one of the 4"),
        (|s| s.correct(9, Outcome::new(1.0)), UnknownTrial, "trial 9: expected one of the 4"),
        (|s| s.withdraw(2), DuplicateTrial, "trial 2: withdrawn before"),
        (|s| s.correct(2, Outcome::new(1.0)), InvalidSetting, "trial 2: it is withdrawn"),
        (|s| s.correct(3, Outcome::new(1.0)), InvalidSetting, "trial 3: it is pending"),
        (|s| s.correct(0, Outcome::new(f64::NAN)), NonFinite, "trial 0"),
        (|s| s.correct(0, Outcome::new(1.0).cost(0.0)), NonPositiveCost, "trial 0"),
        (|s| s.correct(1, Outcome::failed().cost(f64::INFINITY)), NonFinite, "trial 1"),
        (|s| s.tell(2, &[1.0], Outcome::new(1.0)), Dimension, "trial 2"),
    ];
    for (act, kind, culprit) in cases {
        let (mut study, mut untouched) = (start(), start());
        let error = act(&mut study).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error} without {culprit}");
        assert_eq!(state(&mut study), state(&mut untouched), "{culprit}");
    }
}
