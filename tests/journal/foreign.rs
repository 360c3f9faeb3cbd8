//! Files that Optuna wrote.

use std::fs;

use gittins::journal::{Journal, JournalOptions};
use gittins::study::TrialState;
use gittins::{Cost, ErrorKind, Outcome, Space, Study, Value};

use super::play::Place;

/// Written by Optuna 5.0.0, worker names shortened: two studies; floats, a log scale, whole
/// numbers, steps, choices of all kinds; complete, failed, pruned, running, waiting trials; infinite
/// outcomes and attributes.
const OPTUNA: &str = include_str!("../golden/optuna_journal.log");

#[test]
fn trials_of_optuna_are_imported() {
    let place = Place::new("optuna");
    fs::write(place.path(), OPTUNA).unwrap();
    let error = Journal::resume(place.path()).unwrap_err();
    assert!(error.to_string().contains("first, second"), "{error}");
    let options = || JournalOptions::new().name("first");
    let mut journal = options().resume(place.path()).unwrap();
    let history = journal.study().history();
    let states: Vec<TrialState> = history.iter().map(|trial| trial.state).collect();
    // Complete, failed, infinite: each infinite outcome is a failure.
    assert_eq!(
        states,
        [
            TrialState::Complete,
            TrialState::Failed,
            TrialState::Failed,
            TrialState::Failed,
            TrialState::Complete
        ]
    );
    assert_eq!(history[0].values[0], Value::from(0.25));
    assert_eq!(history[0].outcome, Some(1.5));
    let left: Vec<(usize, &str)> =
        journal.left_out().iter().map(|(number, why)| (*number, why.as_str())).collect();
    assert_eq!(left, [(2, "it was pruned")]);
    // The running trial counts once a point is wanted.
    let ask = journal.ask().unwrap();
    assert_eq!(journal.study().counts().pending, 2);
    journal.tell(ask.id(), Outcome::new(0.5)).unwrap();
    assert_eq!(journal.number(ask.id()).unwrap(), 7);
    // With settings of one's own: the space must hold the trials.
    let narrow = Study::minimize(Space::new().float("x", 0.0, 1.0));
    let error = options().open(place.path(), narrow).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
}

#[test]
fn durations_are_costs_if_costs_are_learned() {
    let place = Place::new("durations");
    fs::write(place.path(), OPTUNA).unwrap();
    let space = Space::new().float("x", -5.0, 5.0);
    let builder = Study::maximize(space).cost(Cost::learned());
    let journal = JournalOptions::new().name("second").open(place.path(), builder).unwrap();
    let costs: Vec<Option<f64>> =
        journal.study().history().iter().map(|trial| trial.cost).collect();
    // One has the attribute, the other lasted two seconds.
    assert_eq!(costs, [Some(12.5), Some(2.0)]);
}
