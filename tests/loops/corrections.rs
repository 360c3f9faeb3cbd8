//! Trials given up, results that come late, and mistakes.

use gittins::model::Noise;
use gittins::stop::TrialLimit;
use gittins::study::{Row, Search, Seconds, StudyBuilder, TrialState, Why};
use gittins::{
    Acquisition, Ask, Cost, Domain, ErrorKind, GaussianProcess, Outcome, Result, Space, Study,
    Table, TrialId,
};
use gittins_papers::evaluation::{Course, Replay};

pub(super) fn square() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", -1.0, 1.0)
}

pub(super) fn wave(values: &[f64]) -> f64 {
    (6.0 * values[0]).sin() + 0.5 * values[0] + values[1] * values[1]
}

pub(super) fn price(values: &[f64]) -> f64 {
    0.3 + values[0]
}

/// A model with a fixed kernel, so that no fit depends on an earlier fit.
fn known() -> GaussianProcess {
    GaussianProcess::new().fixed_kernel(vec![0.3, 0.5], 1.0).noise(Noise::Fixed(1e-6))
}

pub(super) fn settings(domain: impl Into<Domain>, cost: Cost) -> StudyBuilder {
    let study = Study::minimize(domain)
        .cost(cost)
        .policy(Acquisition::gittins(1e-2))
        .initial(4)
        .search(Search::new(32, 3))
        .seed(11);
    study.model(known()).cost_model(known())
}

/// The costs of the studies. A cost that is known beforehand is the cost that is told, and money
/// that was counted is not given back.
pub(super) fn costs() -> [Cost; 3] {
    [Cost::learned(), Cost::known(|values| 0.2 + values[0]), Cost::uniform(0.2)]
}

pub(super) fn asked(study: &mut Study, count: usize) -> Vec<Ask> {
    (0..count).map(|_| study.ask().unwrap()).collect()
}

pub(super) fn tell(study: &mut Study, ask: &Ask) {
    study.tell(ask.id(), Outcome::new(wave(ask.numbers())).cost(price(ask.numbers()))).unwrap();
}

/// The rows of a record without the columns that depend on the clock.
fn timeless(study: &Study) -> Vec<Row> {
    study
        .record()
        .rows()
        .iter()
        .map(|row| {
            let mut row = row.clone();
            row.seconds = Seconds::default();
            row
        })
        .collect()
}

/// The whole visible state of a study, including its next suggestion and verdict.
fn state(study: &mut Study) -> impl PartialEq + std::fmt::Debug + use<> {
    let verdict = study.verdict().unwrap();
    let ask = study.ask().unwrap();
    let best = study.best().map(|trial| (trial.id, trial.outcome, trial.cost));
    let counts = study.counts();
    (
        verdict,
        ask,
        best,
        study.total_cost(),
        study.spent(),
        counts,
        study.history().to_vec(),
        timeless(study),
    )
}

#[test]
fn a_lost_worker_holds_nothing_up() {
    for cost in costs() {
        let mut study = settings(square(), cost.clone()).stop(TrialLimit::new(9)).build().unwrap();
        let design = asked(&mut study, 4);
        design[1..].iter().for_each(|ask| tell(&mut study, ask));
        assert_eq!(
            study.verdict().unwrap().reason().to_string(),
            "continue: 1 of 4 points of the initial design are not told yet"
        );
        let mut trials = 0;
        let verdict = loop {
            let ask = study.ask().unwrap();
            assert!(matches!(ask.why(), Why::Suggested(_)), "{}", ask.why());
            tell(&mut study, &ask);
            trials += 1;
            let verdict = study.verdict().unwrap();
            // As many trials were told as the design has points, so the rule answers.
            assert_ne!(verdict.reason().rule, "initial design", "{cost:?}");
            if verdict.is_stop() {
                break verdict;
            }
        };
        assert_eq!(
            (trials, verdict.reason().rule.as_str(), study.counts().pending),
            (6, "number of trials", 1)
        );
        // The course of the record begins at the first check of the rule.
        let record = study.record();
        let replayed =
            Replay::new(settings(square(), cost)).rule(TrialLimit::new(9)).run(&record).unwrap();
        assert_eq!(replayed.course.marks(), Course::of(&record).unwrap().marks());
        assert_eq!((replayed.course.marks()[0].adaptive, replayed.rules[0].fired), (1, Some(5)));
    }
}

#[test]
fn a_withdrawn_trial_is_not_under_way_and_its_point_is_free() -> Result<()> {
    let table =
        Table::new(["x", "y"], (0..6).map(|i| vec![f64::from(i) / 5.0, 0.5]).collect()).unwrap();
    let mut study =
        settings(table, Cost::uniform(1.0)).model(GaussianProcess::new()).initial(3).build()?;
    let mut all = asked(&mut study, 3);
    for ask in &all {
        tell(&mut study, ask);
    }
    all.extend(asked(&mut study, 3));
    assert_eq!(
        (study.ask().unwrap_err().kind(), study.counts().pending),
        (ErrorKind::Exhausted, 3)
    );
    // One trial is pending and one was told. Exactly these two rows can be asked for again.
    let (open, told) = (all[4].clone(), all[1].clone());
    study.withdraw(open.id())?;
    assert_eq!(study.counts().pending, 2);
    let again = study.ask()?;
    assert_eq!(again.row(), open.row());
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    study.withdraw(told.id())?;
    let again = study.ask()?;
    // The trial belonged to the design, and the design asks for another point. No other row is
    // left.
    assert_eq!((again.row(), again.why()), (told.row(), &Why::Initial { number: 3, of: 3 }));
    assert_eq!(study.history()[told.id().index()].state, TrialState::Withdrawn);
    // If two trials stood at a point, the point stays taken until both are withdrawn.
    study.tell(told.id(), Outcome::new(0.5))?;
    study.withdraw(again.id())?;
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    for trial in study.history().to_vec() {
        if trial.state == TrialState::Pending {
            study.tell(trial.id, Outcome::new(1.0))?;
        }
    }
    assert_eq!(study.verdict()?.reason().rule, "exhausted");
    study.withdraw(told.id())?;
    assert_ne!(study.verdict()?.reason().rule, "exhausted");
    Ok(())
}

#[test]
fn another_point_takes_the_place_of_one_of_the_design() -> Result<()> {
    let mut study = settings(square(), Cost::uniform(1.0)).build()?;
    let design = asked(&mut study, 4);
    study.withdraw(design[3].id())?;
    let other = study.ask()?;
    assert_eq!(*other.why(), Why::Initial { number: 4, of: 4 });
    assert!(design.iter().all(|ask| ask.numbers() != other.numbers()));
    design[..3].iter().chain([&other]).for_each(|ask| tell(&mut study, ask));
    assert!(matches!(study.ask()?.why(), Why::Suggested(_)));
    // A trial that was told and then withdrawn does not count. A withdrawn import does not count
    // either.
    study.withdraw(design[0].id())?;
    assert_eq!(*study.ask()?.why(), Why::Initial { number: 4, of: 4 });
    let id = study.import(&[0.5, 0.5], Outcome::new(1.0))?;
    study.withdraw(id)?;
    assert_eq!(
        study.verdict()?.reason().to_string(),
        "continue: 1 of 4 points of the initial design are not told yet"
    );
    // Late in a run there are enough outcomes without this trial.
    for _ in 0..4 {
        let ask = study.ask()?;
        tell(&mut study, &ask);
    }
    study.withdraw(design[1].id())?;
    assert!(matches!(study.ask()?.why(), Why::Suggested(_)));
    assert_ne!(study.verdict()?.reason().rule, "initial design");
    Ok(())
}

#[test]
fn a_result_that_comes_late_is_taken() {
    for cost in costs() {
        let run = |withdraw: bool| {
            let mut study = settings(square(), cost.clone()).build().unwrap();
            let design = asked(&mut study, 4);
            for ask in &design {
                tell(&mut study, ask);
            }
            let open = asked(&mut study, 3);
            // The bill of one trial has come already. It stays.
            study.tell_cost(open[1].id(), 7.5).unwrap();
            let spent = study.spent();
            if withdraw {
                for ask in &open {
                    study.withdraw(ask.id()).unwrap();
                }
                assert_eq!((study.counts().pending, study.spent()), (0, spent));
                let trial = &study.history()[open[1].id().index()];
                assert_eq!(
                    (trial.state, trial.cost, trial.outcome),
                    (TrialState::Withdrawn, Some(7.5), None)
                );
                // A late bill is accepted too.
                study.tell_cost(open[2].id(), 1.25).unwrap();
            } else {
                study.tell_cost(open[2].id(), 1.25).unwrap();
            }
            tell(&mut study, &open[0]);
            open[1..]
                .iter()
                .for_each(|ask| study.tell(ask.id(), Outcome::new(wave(ask.numbers()))).unwrap());
            study
        };
        let (mut late, mut usual) = (run(true), run(false));
        assert_eq!((late.counts().adaptive, late.counts().pending), (3, 0));
        assert_eq!(state(&mut late), state(&mut usual), "{cost:?}");
    }
}

/// A wrong message and its correction.
struct Mistake {
    wrong: fn(&Ask) -> Outcome,
    right: fn(&Ask) -> Outcome,
    correction: fn(&Ask) -> Outcome,
}

fn mistakes() -> Vec<Mistake> {
    let complete: fn(&Ask) -> Outcome =
        |ask| Outcome::new(wave(ask.numbers())).cost(price(ask.numbers()));
    vec![
        Mistake {
            wrong: |ask| Outcome::new(-1e6).cost(price(ask.numbers())),
            right: complete,
            correction: |ask| Outcome::new(wave(ask.numbers())),
        },
        Mistake {
            wrong: |ask| Outcome::new(wave(ask.numbers())).cost(1e6),
            right: complete,
            correction: complete,
        },
        Mistake { wrong: |_| Outcome::failed().cost(0.1), right: complete, correction: complete },
        Mistake {
            wrong: complete,
            right: |_| Outcome::failed().cost(0.1),
            correction: |_| Outcome::failed().cost(0.1),
        },
        Mistake {
            wrong: complete,
            right: |ask| Outcome::infeasible().cost(price(ask.numbers())),
            correction: |_| Outcome::infeasible(),
        },
        Mistake {
            wrong: |_| Outcome::infeasible().cost(3.0),
            right: complete,
            correction: complete,
        },
    ]
}

/// A wrong value, cost or state leaves no trace after its correction. The test covers trials of the
/// design, later trials and pending trials, corrected at once or after other trials were told.
#[test]
fn what_was_corrected_is_as_if_it_had_been_told_so() {
    for cost in costs() {
        for Mistake { wrong, right, correction } in mistakes() {
            for at in [0, 2, 5] {
                let run = |mistaken: bool| {
                    let mut study = settings(square(), cost.clone()).build().unwrap();
                    let mut asks = asked(&mut study, 4);
                    asks[1..]
                        .iter()
                        .filter(|ask| ask.id().index() != at)
                        .for_each(|ask| tell(&mut study, ask));
                    asks.extend(asked(&mut study, 2));
                    let first = if mistaken { wrong } else { right };
                    study.tell(asks[at].id(), first(&asks[at])).unwrap();
                    if mistaken {
                        // A verdict is made from the wrong number. The correction removes it from
                        // the record. The same holds for a first, wrong correction.
                        study.verdict().unwrap();
                        study
                            .correct(
                                asks[at].id(),
                                Outcome::new(1e300).cost(price(asks[at].numbers())),
                            )
                            .unwrap();
                        study.correct(asks[at].id(), first(&asks[at])).unwrap();
                    }
                    asks.iter()
                        .filter(|ask| {
                            [0, 4, 5].contains(&ask.id().index()) && ask.id().index() != at
                        })
                        .for_each(|ask| tell(&mut study, ask));
                    if mistaken {
                        study.correct(asks[at].id(), correction(&asks[at])).unwrap();
                    }
                    study
                };
                assert_eq!(state(&mut run(true)), state(&mut run(false)), "{cost:?}, trial {at}");
            }
        }
    }
}

#[test]
fn an_import_is_corrected_like_any_trial() -> Result<()> {
    for cost in costs() {
        let run = |wrong: Option<Outcome>| -> Result<Study> {
            let mut study = settings(square(), cost.clone()).build()?;
            let right = Outcome::new(0.7).cost(1.5);
            let id = study.import(&[0.25, 0.5], wrong.clone().unwrap_or(right.clone()))?;
            // A failed import does not count toward the design. It counts once it is corrected.
            if wrong.is_some() {
                study.correct(id, right)?;
            }
            for number in 2..=4 {
                let ask = study.ask()?;
                assert_eq!(*ask.why(), Why::Initial { number, of: 4 });
                tell(&mut study, &ask);
            }
            Ok(study)
        };
        let mut rightly = run(None)?;
        let expected = state(&mut rightly);
        for wrong in [
            Outcome::failed().cost(9.0),
            Outcome::new(-50.0).cost(1.5),
            Outcome::infeasible().cost(0.1),
        ] {
            assert_eq!(state(&mut run(Some(wrong.clone()))?), expected, "{wrong:?}");
        }
    }
    Ok(())
}

/// A trial that was told, withdrawn and told again counts as told at the later time.
#[test]
fn what_was_taken_back_is_as_if_it_had_not_been_told() {
    for cost in costs() {
        let run = |mistaken: bool| {
            let mut study = settings(square(), cost.clone()).build().unwrap();
            let mut asks = asked(&mut study, 4);
            for ask in &asks {
                tell(&mut study, ask);
            }
            asks.extend(asked(&mut study, 3));
            study.tell_cost(asks[5].id(), 0.1).unwrap();
            if mistaken {
                study.tell(asks[4].id(), Outcome::new(-1e9).cost(1e9)).unwrap();
                study.tell(asks[5].id(), Outcome::new(wave(asks[5].numbers()))).unwrap();
                study.withdraw(asks[4].id()).unwrap();
            } else {
                study.tell(asks[5].id(), Outcome::new(wave(asks[5].numbers()))).unwrap();
                study.withdraw(asks[4].id()).unwrap();
            }
            (study, asks)
        };
        let (mut mistaken, asks) = run(true);
        let (mut rightly, _) = run(false);
        assert_eq!(
            (mistaken.counts(), mistaken.total_cost()),
            (rightly.counts(), rightly.total_cost())
        );
        assert_eq!(timeless(&mistaken), timeless(&rightly));
        // A cost that was told apart goes together with its outcome.
        let mut both = run(true).0;
        both.withdraw(asks[5].id()).unwrap();
        assert_eq!((both.spent(), both.history()[5].cost), (0.0, None));
        both.tell(asks[5].id(), Outcome::new(0.3).cost(0.2)).unwrap();
        assert_eq!(both.spent(), 0.2);
        for study in [&mut mistaken, &mut rightly] {
            tell(study, &asks[4]);
        }
        let rows = timeless(&mistaken);
        assert_eq!((rows[4].told, rows[5].told, rows[5].paid), (Some(6), Some(5), Some(4)));
        assert_eq!(state(&mut mistaken), state(&mut rightly), "{cost:?}");
    }
}

#[test]
fn what_cannot_be_corrected_or_withdrawn_is_named_and_changes_nothing() {
    use ErrorKind::*;
    type Act = fn(&mut Study) -> Result<()>;
    // Trials 0 and 4 are told with their costs, 1 awaits its bill, 2 is pending and paid for, 3
    // is withdrawn, 5 failed without a cost, 6 is imported, 7 is pending.
    let start = |cost: Cost| {
        let learned = matches!(cost, Cost::Learned);
        let mut study = settings(square(), cost).initial(6).build().unwrap();
        asked(&mut study, 6);
        study.tell(0, Outcome::new(0.5).cost(2.0)).unwrap();
        study
            .tell(1, if learned { Outcome::new(0.7).cost_later() } else { Outcome::new(0.7) })
            .unwrap();
        study.tell_cost(2, 7.0).unwrap();
        study.withdraw(3).unwrap();
        study.tell(4, Outcome::infeasible().cost(1.0)).unwrap();
        study.tell(5, Outcome::failed()).unwrap();
        study.import(&[0.5, 0.5], Outcome::new(0.1).cost(3.0)).unwrap();
        study.ask().unwrap();
        study
    };
    let cases: [(Act, ErrorKind, &str); 19] = [
        (|s| s.withdraw(8), UnknownTrial, "trial 8: expected one of the 8"),
        (|s| s.correct(8, Outcome::new(1.0)), UnknownTrial, "trial 8: expected one of the 8"),
        (|s| s.withdraw(3), DuplicateTrial, "trial 3: withdrawn before"),
        (|s| s.correct(3, Outcome::new(1.0)), InvalidSetting, "trial 3: it is withdrawn"),
        (|s| s.correct(2, Outcome::new(1.0)), InvalidSetting, "trial 2: it is pending"),
        (|s| s.correct(7, Outcome::failed()), InvalidSetting, "trial 7: it is pending"),
        (
            |s| s.correct(0, Outcome::new(f64::NAN)),
            NonFinite,
            "trial 0: expected a finite outcome, got NaN",
        ),
        (|s| s.correct(0, Outcome::new(f64::INFINITY)), NonFinite, "trial 0"),
        (|s| s.correct(6, Outcome::new(f64::NEG_INFINITY)), NonFinite, "trial 6"),
        (
            |s| s.correct(0, Outcome::new(1.0).cost(0.0)),
            NonPositiveCost,
            "trial 0: expected a positive cost, got 0",
        ),
        (|s| s.correct(0, Outcome::new(1.0).cost(-1.0)), NonPositiveCost, "trial 0"),
        (
            |s| s.correct(0, Outcome::failed().cost(f64::NAN)),
            NonFinite,
            "trial 0: expected a finite cost",
        ),
        (|s| s.correct(4, Outcome::infeasible().cost(f64::INFINITY)), NonFinite, "trial 4"),
        (
            |s| s.correct(5, Outcome::new(1.0)),
            MissingCost,
            "trial 5: expected the cost of a complete trial",
        ),
        (
            |s| s.correct(0, Outcome::new(1.0).cost_later()),
            InvalidSetting,
            "trial 0: its cost was told before as 2",
        ),
        (
            |s| s.tell(0, Outcome::new(1.0).cost(1.0)),
            DuplicateTrial,
            "trial 0: told before as complete, outcome 0.5; that stands",
        ),
        (|s| s.tell(3, Outcome::new(f64::NAN).cost(1.0)), NonFinite, "trial 3"),
        (|s| s.tell(3, Outcome::new(1.0)), MissingCost, "trial 3"),
        (|s| s.tell_cost(3, 0.0), NonPositiveCost, "trial 3"),
    ];
    let known = [(|s: &mut Study| s.correct(0, Outcome::new(1.0).cost_later())) as Act, |s| {
        s.correct(1, Outcome::failed().cost_later())
    }];
    let known =
        known.map(|act| (act, InvalidSetting, "a cost comes later only where costs are learned"));
    let of_learned = cases.into_iter().map(|case| (Cost::learned(), case));
    for (cost, (act, kind, culprit)) in
        of_learned.chain(known.into_iter().map(|case| (Cost::uniform(1.0), case)))
    {
        let (mut study, mut untouched) = (start(cost.clone()), start(cost));
        study.verdict().unwrap();
        untouched.verdict().unwrap();
        let error = act(&mut study).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error} without {culprit}");
        assert_eq!(study.history(), untouched.history());
        assert_eq!(state(&mut study), state(&mut untouched), "{culprit}");
        // The study goes on.
        study.tell(2, Outcome::new(0.1)).unwrap();
        study.correct(5, Outcome::new(1.0).cost(1.5)).unwrap();
        study.withdraw(7).unwrap();
        study.ask().unwrap();
    }
}

/// A correction may announce that the cost comes later. Then the bill is accepted.
#[test]
fn a_bill_may_follow_a_correction() -> Result<()> {
    let mut study = settings(square(), Cost::learned()).initial(2).build()?;
    asked(&mut study, 2);
    study.tell(0, Outcome::failed())?;
    study.correct(0, Outcome::new(0.3).cost_later())?;
    study.correct(0, Outcome::new(0.4))?;
    assert_eq!((study.best().unwrap().outcome, study.total_cost()), (Some(0.4), 0.0));
    study.tell_cost(0, 5.0)?;
    study.correct(0, Outcome::new(0.2).cost(6.0))?;
    assert_eq!((study.best().unwrap().outcome, study.total_cost()), (Some(0.2), 6.0));
    assert_eq!(study.tell_cost(0, 5.0).unwrap_err().kind(), ErrorKind::DuplicateTrial);
    // A known cost that was corrected counts as told.
    let mut study = settings(square(), Cost::uniform(3.0)).build()?;
    asked(&mut study, 2);
    study.tell(0, Outcome::new(1.0))?;
    study.correct(0, Outcome::new(2.0))?;
    assert_eq!(study.total_cost(), 3.0);
    study.correct(0, Outcome::new(2.0).cost(0.1))?;
    assert_eq!(study.tell_cost(0, 5.0).unwrap_err().kind(), ErrorKind::DuplicateTrial);
    assert_eq!((study.total_cost(), study.history()[0].cost), (0.1, Some(0.1)));
    let ids: Vec<TrialId> = study.history().iter().map(|trial| trial.id).collect();
    assert_eq!(ids, [TrialId::from(0), TrialId::from(1)]);
    Ok(())
}
