//! Several trials at once, limits of the cost and running times in a file.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use gittins::journal::Journal;
use gittins::study::{Request, StudyBuilder, TrialState};
use gittins::{Acquisition, Ask, Cost, Cpu, Outcome, Policy, Space, Study};

use super::play::Place;

fn settings(policy: impl Into<Policy>) -> StudyBuilder {
    Study::minimize(Space::new().float("x", -1.0, 2.0).log_float("rate", 1e-4, 1.0))
        .cost(Cost::learned())
        .policy(policy)
        .backend(Arc::new(Cpu))
        .seed(4)
}

fn outcome(ask: &Ask) -> Outcome {
    let [x, rate] = ask.numbers() else { panic!("two numbers") };
    let value = (x - 0.4).powi(2) + 0.1 * (rate.ln() + 3.0).powi(2) + 0.1 * (5.0 * x).sin();
    Outcome::new(value).cost((1.0 + 0.5 * x).exp())
}

fn bits(ask: &Ask) -> (usize, Vec<u64>, String) {
    let numbers = ask.numbers().iter().map(|number| number.to_bits()).collect();
    (ask.id().index(), numbers, ask.why().to_string())
}

fn said(asks: &[Ask]) -> Vec<(usize, Vec<u64>, String)> {
    asks.iter().map(bits).collect()
}

/// Rounds of several points, with verdicts between, to the bit as in memory. The file is opened anew
/// for each call if `reopened`.
fn check(policy: &Policy, reopened: bool) {
    let place = Place::new("many");
    let open = || Journal::open(place.path(), settings(policy.clone())).unwrap();
    let mut journal = open();
    let mut study = settings(policy.clone()).build().unwrap();
    let mut under_way: Vec<Ask> = Vec::new();
    let (mut within, mut without) = (0, 0);
    for round in 0..7 {
        let call = |journal: &mut Journal| {
            if reopened {
                *journal = open();
            }
        };
        call(&mut journal);
        let asks = journal.ask_many(3).unwrap();
        let expected = study.ask_many(3).unwrap();
        assert_eq!(said(&asks), said(&expected), "{policy:?} {round}");
        under_way.extend(asks);
        // Two of the trials end, the last one first.
        for _ in 0..2 {
            let ask = under_way.pop().unwrap();
            call(&mut journal);
            journal.tell(ask.id(), outcome(&ask)).unwrap();
            study.tell(ask.id(), outcome(&ask)).unwrap();
        }
        call(&mut journal);
        let beside = journal.verdict_on_another().unwrap();
        assert_eq!(beside, study.verdict_on_another().unwrap(), "{policy:?} {round}");
        call(&mut journal);
        assert_eq!(journal.verdict().unwrap(), study.verdict().unwrap());
        if round < 2 {
            continue;
        }
        let limit = [1.8, 3.0, 1e-3, 6.0, 2.2][round - 2];
        call(&mut journal);
        let request = Request::new().within(limit);
        let (asks, expected) =
            (journal.ask_for(&request).unwrap(), study.ask_for(&request).unwrap());
        assert_eq!(said(&asks), said(&expected), "{policy:?} {round}");
        within += asks.len();
        without += usize::from(asks.is_empty());
        under_way.extend(asks);
    }
    assert!(within >= 3 && without >= 1, "{within} {without}");
    let again = open();
    assert_eq!(again.study().counts(), study.counts());
    for (mine, theirs) in again.study().record().rows().iter().zip(study.record().rows()) {
        let (mut mine, mut theirs) = (mine.clone(), theirs.clone());
        (mine.seconds, theirs.seconds) = Default::default();
        assert_eq!(mine, theirs);
    }
}

#[test]
fn a_file_changes_nothing_of_rounds_and_limits() {
    check(&Acquisition::gittins(1e-3).into(), false);
    check(&Policy::gittins_decay(0.5, 2.0), false);
}

#[test]
fn nor_does_opening_it_for_each_call() {
    check(&Acquisition::gittins(1e-3).into(), true);
    check(&Policy::gittins_decay(0.5, 2.0), true);
}

#[test]
fn rounds_of_several_processes_have_no_point_twice() {
    let place = Place::new("rounds");
    let open = || Journal::open(place.path(), settings(Acquisition::gittins(1e-3))).unwrap();
    let asked = || {
        let mut journal = open();
        let mut all = Vec::new();
        for _ in 0..3 {
            for ask in journal.ask_many(2).unwrap() {
                journal.tell(ask.id(), outcome(&ask)).unwrap();
                all.push((journal.number(ask.id()).unwrap(), bits(&ask).1));
            }
        }
        all
    };
    let mut all: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..3).map(|_| scope.spawn(asked)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    all.sort();
    let numbers: Vec<usize> = all.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (0..18).collect::<Vec<_>>());
    let mut points: Vec<_> = all.into_iter().map(|(_, point)| point).collect();
    points.sort();
    points.dedup();
    assert_eq!(points.len(), 18);
    let journal = open();
    assert!(journal.study().history().iter().all(|trial| trial.state == TrialState::Complete));
}

#[test]
fn processes_share_the_settings_of_a_finite_space() {
    let place = Place::new("settings");
    let space = gittins::Space::new().int("a", 1, 3).flag("b").choice("c", ["only"]);
    let open = || {
        let study = gittins::Study::minimize(space.clone()).seed(2);
        Journal::open(place.path(), study).unwrap()
    };
    let mut journals = vec![open(), open(), open()];
    let mut asked: Vec<String> =
        (0..6).map(|turn| format!("{:?}", journals[turn % 3].ask().unwrap().values())).collect();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 6);
    for journal in &mut journals {
        assert_eq!(journal.ask().unwrap_err().kind(), gittins::ErrorKind::Exhausted);
        assert_eq!(journal.ask_many(3).unwrap_err().kind(), gittins::ErrorKind::Exhausted);
        assert_eq!(journal.study().history().len(), 6);
    }
}

#[test]
fn running_times_are_those_since_the_start() {
    for (unit, seconds) in [("s", 1.0), ("min", 60.0)] {
        let place = Place::new("times");
        let open = || {
            let settings = settings(Acquisition::gittins(1e-3)).cost_unit(unit);
            Journal::open(place.path(), settings).unwrap()
        };
        let mut journal = open();
        for ask in journal.ask_many(5).unwrap() {
            journal.tell(ask.id(), outcome(&ask)).unwrap();
        }
        let slow = journal.ask().unwrap();
        let began = journal.times(slow.id()).0.unwrap();
        thread::sleep(Duration::from_millis(120));
        // Another process knows it too.
        let mut other = open();
        let forecast = other.forecast(slow.id()).unwrap().unwrap();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let passed = (now.as_secs_f64() - began) / seconds;
        assert!(forecast.so_far() >= 0.12 / seconds && forecast.so_far() <= passed + 1e-6);
        assert!(forecast.rest() > 0.0 && !forecast.is_overdue());
        journal.tell(slow.id(), outcome(&slow)).unwrap();
        assert_eq!(other.forecast(slow.id()).unwrap(), None);
    }
    // Money has no clock.
    let place = Place::new("money");
    let settings = settings(Acquisition::gittins(1e-3)).cost_unit("EUR");
    let mut journal = Journal::open(place.path(), settings).unwrap();
    for ask in journal.ask_many(5).unwrap() {
        journal.tell(ask.id(), outcome(&ask)).unwrap();
    }
    let ask = journal.ask().unwrap();
    thread::sleep(Duration::from_millis(20));
    assert_eq!(journal.forecast(ask.id()).unwrap().unwrap().so_far(), 0.0);
}
