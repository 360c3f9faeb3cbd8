//! Several processes, here threads with a journal each, on one file.

use std::collections::HashSet;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gittins::journal::{GiveUp, Journal, JournalOptions};
use gittins::study::{StudyBuilder, TrialState};
use gittins::{Acquisition, Cost, Cpu, ErrorKind, Outcome, Space, Study};

use super::play::Place;

fn settings() -> StudyBuilder {
    Study::minimize(Space::new().float("x", -1.0, 2.0).float("y", 0.0, 1.0))
        .cost(Cost::learned())
        .policy(Acquisition::gittins(1e-3))
        .backend(Arc::new(Cpu))
}

#[test]
fn nobody_gets_the_point_of_another_and_nothing_told_is_lost() {
    let place = Place::new("shared");
    let each = 8;
    // A point may be repeated once it was told: the workers differ, and that looks like noise.
    let under_way = Mutex::new(HashSet::new());
    let told: Vec<(usize, f64)> = std::thread::scope(|scope| {
        let worker = |number: usize| {
            let (path, under_way) = (place.path(), &under_way);
            move || {
                let mut journal = Journal::open(path, settings()).unwrap();
                let mut told = Vec::new();
                for step in 0..each {
                    let ask = journal.ask().unwrap();
                    let point: Vec<u64> = ask.numbers().iter().map(|x| x.to_bits()).collect();
                    let is_free = under_way.lock().unwrap().insert(point.clone());
                    assert!(is_free, "{} is at a point that another worker has", ask.id());
                    let value = ask.numbers()[0].powi(2) + 0.1 * number as f64;
                    under_way.lock().unwrap().remove(&point);
                    journal.tell(ask.id(), Outcome::new(value).cost(1.0 + step as f64)).unwrap();
                    told.push((journal.number(ask.id()).unwrap(), value));
                    if step % 3 == 0 {
                        journal.verdict().unwrap();
                    }
                }
                told
            }
        };
        let workers: Vec<_> = (0..4).map(|number| scope.spawn(worker(number))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let journal = Journal::open(place.path(), settings()).unwrap();
    let history = journal.study().history();
    assert_eq!(history.len(), 4 * each);
    for (number, value) in &told {
        let id = journal.trial(*number).unwrap();
        assert_eq!(history[id.index()].outcome, Some(*value));
    }
    let numbers: HashSet<usize> = told.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers.len(), told.len(), "a trial was given to two");
}

#[test]
fn what_one_tells_the_others_see() {
    let place = Place::new("seen");
    let mut one = Journal::open(place.path(), settings()).unwrap();
    let mut other = Journal::open(place.path(), settings()).unwrap();
    let ask = one.ask().unwrap();
    other.sync().unwrap();
    assert_eq!(other.study().counts().pending, 1);
    one.note(ask.id(), "host", "a \"machine\"").unwrap();
    // Whoever knows the trial can tell it.
    other.tell(ask.id(), Outcome::new(1.0).cost(2.0)).unwrap();
    assert_eq!(other.notes(ask.id())["host"], "a \"machine\"");
    let error = one.tell(ask.id(), Outcome::new(3.0).cost(2.0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DuplicateTrial);
    assert_eq!(one.study().best().unwrap().outcome, Some(1.0));
    assert_eq!(one.note(ask.id(), "late", "no").unwrap_err().kind(), ErrorKind::InvalidSetting);
    let (began, ended) = one.times(ask.id());
    assert!(began.unwrap() <= ended.unwrap());
    // A verdict of one is that of the other, without a search.
    let verdict = one.verdict().unwrap();
    other.sync().unwrap();
    let length = fs::metadata(place.path()).unwrap().len();
    assert_eq!(other.verdict().unwrap(), verdict);
    assert_eq!(fs::metadata(place.path()).unwrap().len(), length);
}

#[test]
fn a_trial_whose_worker_died_is_given_up_and_its_result_is_taken_all_the_same() {
    let place = Place::new("overdue");
    // Long beside two asks, also on a machine that is busy.
    let patience = Duration::from_secs(3);
    let options = || JournalOptions::new().give_up(GiveUp::after(patience));
    let mut dead = options().open(place.path(), settings()).unwrap();
    let lost = dead.ask().unwrap();
    let mut journal = options().open(place.path(), settings()).unwrap();
    let early = journal.ask().unwrap();
    assert_eq!(journal.study().counts().pending, 2);
    journal.tell(early.id(), Outcome::new(1.0).cost(1.0)).unwrap();
    std::thread::sleep(patience);
    journal.ask().unwrap();
    assert_eq!(journal.study().history()[lost.id().index()].state, TrialState::Withdrawn);
    dead.tell(lost.id(), Outcome::new(0.25).cost(9.0)).unwrap();
    journal.sync().unwrap();
    assert_eq!(journal.study().best().unwrap().id, lost.id());
    let again = Journal::open(place.path(), settings()).unwrap();
    assert_eq!(again.study().best().unwrap().cost, Some(9.0));
}

/// A file may hold several studies: the last fit of any of them was taken for that of each.
#[test]
fn the_studies_of_one_file_do_not_see_each_other() {
    let place = Place::new("two");
    let names = ["one", "other"];
    let mut alone = names.map(|_| settings().build().unwrap());
    for _ in 0..8 {
        for (index, study) in alone.iter_mut().enumerate() {
            let options = JournalOptions::new().name(names[index]);
            let mut journal = options.open(place.path(), settings()).unwrap();
            let (ask, expected) = (journal.ask().unwrap(), study.ask().unwrap());
            assert_eq!(ask, expected);
            let x = ask.numbers()[0];
            let value = if index == 0 { x * x } else { (9.0 * x).sin() };
            let outcome = Outcome::new(value).cost(1.0 + index as f64 * x.abs());
            journal.tell(ask.id(), outcome.clone()).unwrap();
            study.tell(ask.id(), outcome).unwrap();
        }
    }
}

/// A verdict that was found before a correction may stand behind it in the file. It was taken for
/// one of what was corrected: as much had been told.
#[test]
fn a_verdict_from_before_a_correction_is_none_after_it() {
    let place = Place::new("corrected");
    let mut one = Journal::open(place.path(), settings()).unwrap();
    let ask = one.ask().unwrap();
    one.tell(ask.id(), Outcome::new(1.0).cost(2.0)).unwrap();
    let before = fs::read_to_string(place.path()).unwrap();
    let mut other = Journal::open(place.path(), settings()).unwrap();
    other.verdict().unwrap();
    let with_verdict = fs::read_to_string(place.path()).unwrap();
    one.correct(ask.id(), Outcome::new(0.5)).unwrap();
    let whole = fs::read_to_string(place.path()).unwrap();
    let (verdict, correction) = (&with_verdict[before.len()..], &whole[with_verdict.len()..]);
    drop((one, other));
    fs::write(place.path(), [&before, correction, verdict].concat()).unwrap();
    let mut again = Journal::open(place.path(), settings()).unwrap();
    again.verdict().unwrap();
    assert!(fs::metadata(place.path()).unwrap().len() > whole.len() as u64, "it is a new verdict");
}

/// Between the look at the clock and the lock, the worker told its trial. That was taken back.
#[cfg(unix)]
#[test]
fn a_result_that_comes_as_its_trial_is_given_up_stands() {
    let place = Place::new("late");
    let options = || JournalOptions::new().give_up(GiveUp::after(Duration::from_millis(20)));
    let ask = options().open(place.path(), settings()).unwrap().ask().unwrap();
    let before = fs::metadata(place.path()).unwrap().len() as usize;
    // What its worker is about to write.
    let copy = Place::new("late-copy");
    fs::copy(place.path(), copy.path()).unwrap();
    let mut worker = Journal::open(copy.path(), settings()).unwrap();
    worker.tell(ask.id(), Outcome::new(1.0).cost(2.0)).unwrap();
    let told = fs::read(copy.path()).unwrap().split_off(before);
    std::thread::sleep(Duration::from_millis(40));
    let lock = format!("{}.lock", place.path().display());
    std::os::unix::fs::symlink("somebody", &lock).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut journal = options().open(place.path(), settings()).unwrap();
            journal.ask().unwrap();
            journal.study().history()[ask.id().index()].outcome
        });
        std::thread::sleep(Duration::from_millis(500));
        let mut file = fs::OpenOptions::new().append(true).open(place.path()).unwrap();
        std::io::Write::write_all(&mut file, &told).unwrap();
        fs::remove_file(&lock).unwrap();
        assert_eq!(waiting.join().unwrap(), Some(1.0));
    });
}
