//! A study that goes on from its events: with the same books, and to the same points.

use std::sync::Arc;

use gittins::stop::TrialLimit;
use gittins::study::{Row, Search, StudyBuilder};
use gittins::{
    Acquisition, Ask, Cost, Cpu, ErrorKind, GittinsRule, Outcome, Pointwise, Policy, Space, Study,
    Table, Value,
};
use gittins_papers::evaluation::Replay;

fn plain() -> Space {
    Space::new().float("x", -1.0, 2.0).log_float("rate", 1e-4, 1.0).int("n", 1, 9)
}

fn outcome(ask: &Ask, learned: bool) -> Outcome {
    let sum: f64 = ask.numbers().iter().map(|x| if x.is_nan() { 0.5 } else { *x }).sum();
    let outcome = Outcome::new((3.0 * sum).sin() + 0.1 * sum);
    if learned { outcome.cost(1.0 + sum.abs()) } else { outcome }
}

/// Trials that are told late, fail, are given up, paid before and after, announced and imported.
fn motley(study: &mut Study, learned: bool) {
    let mut late = None;
    for trial in 0..13 {
        let ask = study.ask().unwrap();
        let sound = outcome(&ask, learned);
        match trial {
            3 => study.withdraw(ask.id()).unwrap(),
            4 => study.tell(ask.id(), Outcome::failed()).unwrap(),
            5 => late = Some(ask),
            6 if learned => {
                study.tell_cost(ask.id(), 2.5).unwrap();
                study.tell(ask.id(), Outcome::new(0.7)).unwrap();
            }
            7 if learned => study.tell(ask.id(), Outcome::new(0.6).cost_later()).unwrap(),
            8 => {
                study.tell(ask.id(), sound.clone()).unwrap();
                let first = study.history()[0].values.clone();
                study.import(&first, sound.clone()).unwrap();
                // The way to the cube is exact there.
                let corner = [0.5.into(), 1.0.into(), 5.into()].to_vec();
                let place = if ask.row().is_some() { first } else { corner };
                let id = study.announce(&place).unwrap();
                study.tell(id, sound).unwrap();
            }
            9 => {
                let late = late.take().unwrap();
                study.tell(late.id(), outcome(&late, learned)).unwrap();
                study.tell(ask.id(), Outcome::infeasible()).unwrap();
            }
            10 if learned => {
                study.tell_cost(7, 1.5).unwrap();
                study.tell(ask.id(), sound).unwrap();
            }
            11 => {}
            _ => study.tell(ask.id(), sound).unwrap(),
        }
    }
}

/// What a study asks for from now on.
fn goes_on(study: &mut Study, learned: bool) -> Vec<(Vec<Value>, u64, u64)> {
    let step = |_| {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), outcome(&ask, learned)).unwrap();
        let price = study.spent().to_bits();
        (ask.values().to_vec(), ask.numbers()[0].to_bits(), price)
    };
    (0..4).map(step).collect()
}

fn check(name: &str, learned: bool, settings: impl Fn() -> StudyBuilder) {
    let settings = || settings().backend(Arc::new(Cpu)).seed(3);
    let mut study = settings().build().unwrap();
    motley(&mut study, learned);
    let mut resumed = settings().resume(study.events().to_vec()).unwrap();
    assert_eq!(resumed.history(), study.history(), "{name}");
    assert_eq!(
        (resumed.spent(), resumed.total_cost(), resumed.counts()),
        (study.spent(), study.total_cost(), study.counts()),
        "{name}"
    );
    assert_eq!(goes_on(&mut resumed, learned), goes_on(&mut study, learned), "{name}");
}

#[test]
fn a_study_goes_on_from_its_events() {
    let log_ei = || Pointwise::LogExpectedImprovement;
    check("known", false, || Study::minimize(plain()).policy(log_ei()));
    check("index", false, || Study::maximize(plain()).policy(Acquisition::gittins(1e-3)));
    check("learned", true, || {
        Study::minimize(plain()).cost(Cost::learned()).policy(Acquisition::gittins(1e-3))
    });
    // Its price falls by the recorded indices.
    check("falling", true, || {
        Study::maximize(plain()).cost(Cost::learned()).policy(Policy::gittins_decay(0.5, 2.0))
    });
    // In the midst of the design, whose next point is not one of those before.
    check("design", true, || Study::minimize(plain()).cost(Cost::learned()).initial(15));
    let rows = (0..60).map(|i| vec![Value::from(f64::from(i % 8)), Value::from(f64::from(i / 8))]);
    let table = Table::new(["seed", "amount"], rows.collect()).unwrap();
    check("table", false, || Study::minimize(table.clone()).policy(log_ei()));
}

#[test]
fn a_record_of_another_study_is_refused() {
    use ErrorKind::*;
    let mut study = Study::minimize(plain()).initial(5).build().unwrap();
    motley(&mut study, false);
    let record = study.record();
    let other = Space::new().float("x", -1.0, 2.0).float("y", 0.0, 1.0).int("n", 1, 9);
    let table = Table::new(["x", "rate", "n"], vec![vec![0.0, 0.5, 3.0]]).unwrap();
    for (builder, kind, says) in [
        (Study::maximize(plain()), InvalidSetting, "to minimize, and the study to maximize"),
        (Study::minimize(other), UnknownParameter, "trial 0 of the record: its parameters"),
        (Study::minimize(table), OutOfBounds, "trial 0 of the record: it has no row"),
        (Study::minimize(plain()).initial(2), InvalidSetting, "one point more than"),
    ] {
        let error = Replay::new(builder).rule(TrialLimit::new(9)).run(&record).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}, not {says}");
    }
}

/// A verdict after a suggestion, before the next outcome, is that of a study made again: both search
/// from the same hints.
#[test]
fn a_verdict_after_a_suggestion_is_that_of_a_study_made_again() {
    let search = Search::new(1, 1);
    let settings = |seed| {
        let study = Study::minimize(plain()).policy(Acquisition::gittins(1e-3)).search(search);
        study.initial(4).seed(seed).backend(Arc::new(Cpu))
    };
    for seed in 0..12 {
        let mut study = settings(seed).build().unwrap();
        for _ in 0..5 {
            let ask = study.ask().unwrap();
            study.tell(ask.id(), outcome(&ask, false)).unwrap();
        }
        study.ask().unwrap();
        let mut again = settings(seed).resume(study.events().to_vec()).unwrap();
        let [own, other] = [&mut study, &mut again].map(|one| one.verdict().unwrap());
        assert_eq!(own, other, "seed {seed}");
    }
}

/// Outcomes with steps tie, and then deviations are widened by the errors of earlier suggestions, which
/// are known from the events and from the record.
#[test]
fn a_widened_deviation_is_that_of_a_study_made_again() {
    let settings = || {
        let space = Space::new().float("x", -1.0, 2.0).float("y", 0.0, 1.0);
        Study::minimize(space).policy(Acquisition::gittins(1e-6)).seed(5).backend(Arc::new(Cpu))
    };
    let outcome = |ask: &Ask| {
        let [x, y] = [ask.numbers()[0], ask.numbers()[1]];
        Outcome::new(((40.0 * x).sin() + (31.0 * y).cos()).round())
    };
    let mut study = settings().build().unwrap();
    let step = |study: &mut Study| {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), outcome(&ask)).unwrap();
        let reason = study.verdict().unwrap().reason().clone();
        (ask.values().to_vec(), reason.rule, reason.statistic.to_bits())
    };
    let verdicts: Vec<u64> = (0..30)
        .map(|_| step(&mut study))
        .filter(|(_, rule, _)| rule == "Gittins index")
        .map(|(_, _, statistic)| statistic)
        .collect();
    // A replay has the verdicts of the run.
    let replay = Replay::new(settings()).rule(GittinsRule::new()).run(&study.record()).unwrap();
    let checks: Vec<u64> =
        replay.rules[0].checks.iter().map(|check| check.statistic.to_bits()).collect();
    assert_eq!(checks, verdicts);
    let widened = |row: &Row| {
        let said = row.suggestion.as_ref()?;
        let [low, high] = said.foreseen?;
        Some(said.sd > 0.5 * (high - low).abs() * 1.01)
    };
    let count =
        |study: &Study| study.record().rows().iter().filter_map(widened).filter(|w| *w).count();
    assert!(count(&study) > 0, "{:?}", study.record());
    // A correction forgets what was foreseen with it. From here on the forecasts are new.
    for again in [false, true] {
        if again {
            study.correct(4, Outcome::new(3.0)).unwrap();
            study.withdraw(7).unwrap();
            let record = study.record();
            let mut said = record.rows().iter().filter_map(|row| row.suggestion.as_ref()).skip(1);
            assert!(said.all(|said| said.foreseen.is_none()), "{record:?}");
            (0..7).for_each(|_| _ = step(&mut study));
        }
        let mut other = settings().resume(study.events().to_vec()).unwrap();
        let [own, others] =
            [&mut study, &mut other].map(|one| (0..3).map(|_| step(one)).collect::<Vec<_>>());
        assert_eq!(own, others);
    }
}
