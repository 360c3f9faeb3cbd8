//! Rounds of several trials, if choosing takes longer than the trials.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use gittins::Outcome;
use tempfile::TempDir;

use super::*;
use crate::file::StudyFile;
use crate::process::Groups;
use crate::run::screen::Screen;

const STUDY: &str = "direction = \"minimize\"\n[parameters.x]\ntype = \"float\"\nlow = 0\nhigh = 1\n\
    [cost]\nfrom = \"none\"\n";

/// What workers share, in a folder of its own.
fn shared(folder: &TempDir, stop: &str) -> Shared {
    shared_by(folder, &format!("{STUDY}[stop]\n{stop}\n"))
}

fn shared_by(folder: &TempDir, study: &str) -> Shared {
    let path = folder.path().join("study.toml");
    fs::write(&path, study).unwrap();
    let file = StudyFile::read(&path).unwrap();
    let journal = file.open().unwrap();
    let screen = Screen::new(true, None);
    Shared::new(file, State::new(journal, screen), Groups::default(), Arc::default())
}

/// Makes choosing slow, so that a search gives as many trials as it may.
fn slow(shared: &Shared) {
    let mut state = shared.lock();
    state.pace.made(Duration::from_micros(1));
    state.pace.chose(Duration::from_secs(100));
    assert!(state.pace.round() > 1);
}

fn tell(shared: &Shared, task: &Task, value: f64) {
    let mut state = shared.lock();
    state.running.remove(&task.ask.id());
    state.journal.tell(task.ask.id(), Outcome::new(value)).unwrap();
}

fn states(shared: &Shared) -> Vec<TrialState> {
    shared.lock().journal.study().history().iter().map(|trial| trial.state).collect()
}

#[test]
fn a_run_whose_trials_take_longer_gets_one_trial_from_a_search() {
    let folder = TempDir::new().unwrap();
    let shared = shared(&folder, "trials = 6");
    for number in 0..6 {
        let task = shared.next().unwrap();
        shared.lock().pace.made(Duration::from_secs(100));
        assert!(shared.lock().ahead.is_empty());
        tell(&shared, &task, f64::from(number));
    }
    assert!(shared.next().is_none());
}

#[test]
fn a_round_keeps_within_the_limit_of_trials() {
    let folder = TempDir::new().unwrap();
    let shared = shared(&folder, "trials = 9");
    let first = shared.next().unwrap();
    tell(&shared, &first, 1.0);
    slow(&shared);
    for made in 0..8 {
        let task = shared.next().unwrap();
        assert_eq!(shared.lock().ahead.len(), 7 - made);
        assert_eq!(states(&shared).len(), 9);
        let x: f64 = task.ask.get("x").unwrap();
        tell(&shared, &task, (x - 0.3).powi(2));
    }
    assert!(shared.next().is_none());
    assert!(states(&shared).iter().all(|state| *state == TrialState::Complete));
    assert_eq!(shared.into_state().1, Ok(Ending::Trials(9)));
}

/// A budget that is spent in the midst of a round ends it, in the words of the verdict.
#[test]
fn a_round_exceeds_no_budget() {
    let folder = TempDir::new().unwrap();
    let shared = shared_by(&folder, &format!("budget = 3\n{STUDY}"));
    for value in [1.0, 0.5] {
        let task = shared.next().unwrap();
        tell(&shared, &task, value);
    }
    slow(&shared);
    let task = shared.next().unwrap();
    assert!(!shared.lock().ahead.is_empty());
    tell(&shared, &task, 0.25);
    assert!(shared.next().is_none());
    assert!(!states(&shared).contains(&TrialState::Pending));
    let ended = shared.into_state().1;
    let Ok(Ending::Verdict(words)) = ended else { panic!("{ended:?}") };
    assert_eq!(words, "stop: the budget of 3 is spent");
}

/// A limit that is reached in the midst of a round ends it, and nobody has its other trials.
#[test]
fn a_round_ends_at_a_limit_and_gives_its_trials_back() {
    for stop in ["trials = 40\ncost = 3", "trials = 40\ntarget = -1"] {
        let folder = TempDir::new().unwrap();
        let shared = shared(&folder, stop);
        let first = shared.next().unwrap();
        tell(&shared, &first, 1.0);
        slow(&shared);
        for value in [0.5, -2.0] {
            let task = shared.next().unwrap();
            tell(&shared, &task, value);
        }
        assert!(shared.next().is_none(), "{stop}");
        let states = states(&shared);
        let count = |wanted| states.iter().filter(|state| **state == wanted).count();
        assert_eq!(count(TrialState::Complete), 3, "{stop}");
        assert_eq!(count(TrialState::Withdrawn), states.len() - 3, "{stop}");
        assert!(states.len() > 3, "{stop}");
        assert!(shared.into_state().1.is_ok());
    }
}

#[test]
fn a_run_that_is_interrupted_gives_the_trials_of_its_round_back() {
    let folder = TempDir::new().unwrap();
    let shared = shared(&folder, "trials = 40");
    let first = shared.next().unwrap();
    tell(&shared, &first, 1.0);
    slow(&shared);
    let task = shared.next().unwrap();
    shared.interrupt();
    assert!(shared.next().is_none());
    shared.withdraw(&task, None);
    let (state, _) = shared.into_state();
    let pending = state.journal.study().counts().pending;
    assert_eq!((pending, state.ahead.len()), (0, 0));
}

/// What somebody else told in the meantime is not made again.
#[test]
fn a_trial_of_a_round_that_somebody_told_is_left_out() {
    let folder = TempDir::new().unwrap();
    let shared = shared(&folder, "trials = 5");
    let first = shared.next().unwrap();
    tell(&shared, &first, 1.0);
    slow(&shared);
    let second = shared.next().unwrap();
    let mut other = shared.file.open().unwrap();
    let other_id = other.trial(2).unwrap();
    other.tell(other_id, Outcome::new(0.25)).unwrap();
    tell(&shared, &second, 0.5);
    let numbers: Vec<usize> = (0..2)
        .map(|_| {
            let task = shared.next().unwrap();
            tell(&shared, &task, 0.75);
            task.number
        })
        .collect();
    assert_eq!(numbers, [3, 4]);
    assert!(shared.next().is_none());
}
