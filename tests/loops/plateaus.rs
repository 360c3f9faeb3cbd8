//! Outcomes with steps, on which many trials tie.

use std::sync::Arc;

use gittins::study::{Choice, StudyBuilder, Why};
use gittins::{Acquisition, Ask, Cpu, Outcome, Policy, Space, Study};

fn study() -> StudyBuilder {
    let space = Space::new().float("x", -1.0, 1.0).float("y", -1.0, 1.0);
    Study::minimize(space).backend(Arc::new(Cpu)).seed(3)
}

/// A bowl in steps, with a wide ground.
fn steps(ask: &Ask) -> f64 {
    let [x, y]: [f64; 2] = ["x", "y"].map(|name| ask.get(name).unwrap());
    (4.0 * (x - 0.3).hypot(y + 0.2)).floor().max(1.0)
}

fn is_turn(ask: &Ask) -> bool {
    matches!(ask.why(), Why::Plateau { .. })
}

/// Plays so many trials: outcome and whether it was the turn of an unguided one.
fn play(study: &mut Study, trials: usize) -> Vec<(f64, bool)> {
    let trial = |_| {
        let ask = study.ask().unwrap();
        let outcome = steps(&ask);
        study.tell(ask.id(), Outcome::new(outcome)).unwrap();
        (outcome, is_turn(&ask))
    };
    (0..trials).map(trial).collect()
}

#[test]
fn after_two_suggestions_that_tie_an_unguided_trial_has_a_turn() {
    let mut study = study().build().unwrap();
    let played = play(&mut study, 40);
    let mut ties = 0;
    let mut best = f64::INFINITY;
    let mut turns = 0;
    for (trial, &(outcome, is_turn)) in played.iter().enumerate() {
        if is_turn {
            assert!(ties >= 2, "trial {trial} of {played:?}");
            turns += 1;
        }
        ties = if is_turn || outcome < best { 0 } else { ties + usize::from(outcome == best) };
        best = best.min(outcome);
    }
    assert!(turns >= 3, "{played:?}");
}

#[test]
fn a_study_with_turns_goes_on_from_its_events_to_the_same_points() {
    let mut original = study().build().unwrap();
    for _ in 0..15 {
        play(&mut original, 2);
        let mut again = study().resume(original.events().to_vec()).unwrap();
        assert_eq!(again.ask().unwrap().numbers(), original.ask().unwrap().numbers());
        let last = original.history().last().unwrap().id;
        original.withdraw(last).unwrap();
    }
}

#[test]
fn a_study_that_is_built_anew_knows_of_turns_if_it_is_told() {
    let mut original = study().build().unwrap();
    let mut trials = Vec::new();
    let ask = loop {
        let ask = original.ask().unwrap();
        if is_turn(&ask) && trials.iter().any(|(_, _, choice)| *choice == Choice::Unguided) {
            break ask;
        }
        let choice = match ask.why() {
            Why::Initial { .. } => Choice::Initial,
            Why::Plateau { .. } => Choice::Unguided,
            Why::Suggested(said) => {
                Choice::Suggested { mean: said.mean, sd: said.sd, unguided: said.unguided }
            }
            other => panic!("{other}"),
        };
        original.tell(ask.id(), Outcome::new(steps(&ask))).unwrap();
        trials.push((ask.numbers().to_vec(), steps(&ask), choice));
        assert!(trials.len() < 60);
    };
    let words = ask.why().to_string();
    assert!(words.contains("only tie with the best outcome"), "{words}");
    let mut again = study().build().unwrap();
    for (point, outcome, choice) in &trials {
        let id = again.import(point, Outcome::new(*outcome)).unwrap();
        again.note_choice(id, *choice).unwrap();
    }
    assert!(is_turn(&again.ask().unwrap()));
}

#[test]
fn a_run_with_a_price_does_not_end_on_a_plateau_before_a_turn() {
    // The price of a trial is a thousandth of a step.
    let mut study = study().policy(Policy::gittins(0.001)).build().unwrap();
    let mut turns = 0;
    let mut waited = false;
    for _ in 0..100 {
        let verdict = study.verdict().unwrap();
        if verdict.is_stop() {
            break;
        }
        let says_so = verdict.reason().to_string().contains("only tie with the best outcome");
        let ask = study.ask().unwrap();
        assert_eq!(is_turn(&ask), says_so, "{} but {}", verdict.reason(), ask.why());
        waited |= says_so;
        turns += usize::from(is_turn(&ask));
        study.tell(ask.id(), Outcome::new(steps(&ask))).unwrap();
    }
    assert!(study.verdict().unwrap().is_stop());
    assert!(waited && turns > 0);
}

#[test]
fn a_price_that_no_unguided_trial_is_worth_has_no_turns() {
    let mut study = study().policy(Acquisition::gittins(10.0)).build().unwrap();
    let played = play(&mut study, 20);
    assert!(played.iter().all(|(_, is_turn)| !is_turn), "{played:?}");
}
