//! The watch for being stuck, and for suggestions that only tie.

use std::sync::Arc;

use gittins::data::Warping;
use gittins::study::{Choice, Objective, Origin, StudyBuilder, Why};
use gittins::{Acquisition, Ask, Cpu, ErrorKind, Outcome, Policy, Result, Space, Study};

fn study() -> StudyBuilder {
    let space = Space::new().float("x", -1.0, 1.0).float("y", -1.0, 1.0);
    Study::minimize(space).backend(Arc::new(Cpu)).seed(5)
}

/// A bowl with a ground beyond which nothing better is to be found. It rises from trial to trial,
/// so that no two trials tie.
fn bowl(x: f64, y: f64, trial: usize) -> f64 {
    ((x - 0.3).powi(2) + (y + 0.2).powi(2)).max(1e-4 + 1e-9 * trial as f64)
}

/// Who made each trial: `d` the design, `m` the model, `o` the other model.
fn makers(builder: StudyBuilder, trials: usize, unit: f64) -> Result<(Study, String)> {
    let mut study = builder.build()?;
    let mut makers = String::new();
    for trial in 0..trials {
        let ask = study.ask()?;
        makers.push(match ask.why() {
            Why::Initial { .. } => 'd',
            Why::Suggested(suggestion) if suggestion.random_restart.is_some() => 'o',
            Why::Suggested(_) => 'm',
            other => panic!("{other}"),
        });
        let outcome = unit * bowl(ask.get("x")?, ask.get("y")?, trial);
        study.tell(ask.id(), Outcome::new(outcome))?;
    }
    Ok((study, makers))
}

#[test]
fn a_study_that_finds_nothing_more_lets_others_have_turns_ever_more_rarely() {
    let (study, makers) = makers(study(), 90, 1.0).unwrap();
    let turns: Vec<usize> = makers.match_indices('o').map(|(place, _)| place).collect();
    // The ground is found within some twenty trials. Then ten suggestions are idle, twenty, forty.
    assert!((2..=4).contains(&turns.len()), "{makers}");
    let gaps: Vec<usize> = turns.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().zip([21, 41]).all(|(gap, least)| *gap >= least), "{makers}");

    // The record says which they were.
    let record = study.record();
    for (row, maker) in record.rows().iter().zip(makers.chars()) {
        let random_restart = row.suggestion.as_ref().map(|said| said.random_restart.is_some());
        assert_eq!(
            random_restart,
            match maker {
                'o' => Some(true),
                'm' => Some(false),
                _ => None,
            }
        );
        assert_eq!(row.origin == Origin::Initial, maker == 'd');
    }
    assert!(record.columns().contains(&"suggestion.random_restart".to_owned()));
}

#[test]
fn units_of_the_outcome_do_not_matter() {
    let (_, expected) = makers(study(), 60, 1.0).unwrap();
    for unit in [2f64.powi(-30), 2f64.powi(30)] {
        assert_eq!(makers(study(), 60, unit).unwrap().1, expected, "{unit:e}");
    }
}

#[test]
fn outcomes_that_are_modeled_as_they_are_have_no_other_model_and_no_watch() {
    let (_, makers) = makers(study().warping(Warping::None), 60, 1.0).unwrap();
    assert!(makers.chars().all(|maker| "dm".contains(maker)), "{makers}");
}

#[test]
fn a_run_that_is_to_end_by_itself_is_not_watched() {
    let (_, makers) = makers(study().policy(Acquisition::gittins(1e-9)), 60, 1.0).unwrap();
    assert!(makers.chars().all(|maker| "dm".contains(maker)), "{makers}");
}

#[test]
fn words_say_why_another_model_chose() {
    let mut study = study().build().unwrap();
    for trial in 0..90 {
        let ask = study.ask().unwrap();
        let outcome = bowl(ask.get("x").unwrap(), ask.get("y").unwrap(), trial);
        study.tell(ask.id(), Outcome::new(outcome)).unwrap();
        if let Why::Suggested(suggestion) = ask.why()
            && suggestion.random_restart.is_some()
        {
            let words = ask.why().to_string();
            assert!(words.contains("by a model without the warp"), "{words}");
            return;
        }
    }
    panic!("the watch found nothing");
}

/// How the engine chose a point.
fn choice(why: &Why) -> Choice {
    match why {
        Why::Initial { .. } => Choice::Initial,
        Why::Plateau { .. } => Choice::RandomRestart,
        Why::Suggested(said) => {
            Choice::Suggested { mean: said.mean, sd: said.sd, random_restart: said.random_restart }
        }
        other => panic!("{other}"),
    }
}

fn is_turn(why: &Why) -> bool {
    matches!(why, Why::Suggested(said) if said.random_restart.is_some())
}

#[test]
fn a_study_that_is_built_anew_goes_on_watching_if_it_is_told_how_trials_were_chosen() {
    let mut study = study().build().unwrap();
    let mut trials: Vec<([f64; 2], f64, Choice)> = Vec::new();
    for _ in 0..90 {
        let ask = study.ask().unwrap();
        if is_turn(ask.why()) && trials.iter().any(|(_, _, choice)| is_other(*choice)) {
            // The second turn: the first one doubled the patience.
            let mut noted = self::study().build().unwrap();
            let mut silent = self::study().build().unwrap();
            for (point, outcome, choice) in &trials {
                let id = noted.import(point, Outcome::new(*outcome)).unwrap();
                noted.note_choice(id, *choice).unwrap();
                silent.import(point, Outcome::new(*outcome)).unwrap();
            }
            assert!(is_turn(noted.ask().unwrap().why()));
            assert!(!is_turn(silent.ask().unwrap().why()));
            return;
        }
        let point = ["x", "y"].map(|name| ask.get(name).unwrap());
        let outcome = bowl(point[0], point[1], trials.len());
        study.tell(ask.id(), Outcome::new(outcome)).unwrap();
        trials.push((point, outcome, choice(ask.why())));
    }
    panic!("the watch found nothing twice");
}

fn is_other(choice: Choice) -> bool {
    matches!(choice, Choice::Suggested { random_restart: Some(_), .. })
}

#[test]
fn choices_that_make_no_sense_are_refused_by_the_name_of_the_trial() {
    let mut study = study().build().unwrap();
    let asked = study.ask().unwrap().id();
    let own = study.import(&[0.0, 0.0], Outcome::new(1.0)).unwrap();
    let said = |mean, sd| Choice::Suggested { mean, sd, random_restart: None };
    for (id, choice, kind) in [
        (asked.index(), Choice::Initial, ErrorKind::InvalidSetting),
        (7, Choice::Initial, ErrorKind::UnknownTrial),
        (own.index(), said(f64::NAN, 1.0), ErrorKind::NonFinite),
        (own.index(), said(0.0, f64::INFINITY), ErrorKind::NonFinite),
        (own.index(), said(0.0, -1.0), ErrorKind::InvalidSetting),
    ] {
        let error = study.note_choice(id, choice).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(&format!("trial {id}")), "{error}");
    }
    study.note_choice(own, said(0.0, 0.0)).unwrap();
}

/// A bowl in steps, with a wide ground.
fn steps(ask: &Ask) -> f64 {
    let [x, y]: [f64; 2] = ["x", "y"].map(|name| ask.get(name).unwrap());
    (4.0 * (x - 0.3).hypot(y + 0.2)).floor().max(1.0)
}

fn is_plateau(ask: &Ask) -> bool {
    matches!(ask.why(), Why::Plateau { .. })
}

/// Plays so many trials: outcome and whether it was the turn of a random one.
fn play(study: &mut Study, trials: usize) -> Vec<(f64, bool)> {
    let trial = |_| {
        let ask = study.ask().unwrap();
        let outcome = steps(&ask);
        study.tell(ask.id(), Outcome::new(outcome)).unwrap();
        (outcome, is_plateau(&ask))
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
        if is_plateau(&ask) && trials.iter().any(|(_, _, choice)| *choice == Choice::RandomRestart)
        {
            break ask;
        }
        original.tell(ask.id(), Outcome::new(steps(&ask))).unwrap();
        trials.push((ask.numbers().to_vec(), steps(&ask), choice(ask.why())));
        assert!(trials.len() < 60);
    };
    let words = ask.why().to_string();
    assert!(words.contains("only tie with the best outcome"), "{words}");
    let mut again = study().build().unwrap();
    for (point, outcome, choice) in &trials {
        let id = again.import(point, Outcome::new(*outcome)).unwrap();
        again.note_choice(id, *choice).unwrap();
    }
    assert!(is_plateau(&again.ask().unwrap()));
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
        assert_eq!(is_plateau(&ask), says_so, "{} but {}", verdict.reason(), ask.why());
        waited |= says_so;
        turns += usize::from(is_plateau(&ask));
        study.tell(ask.id(), Outcome::new(steps(&ask))).unwrap();
    }
    assert!(study.verdict().unwrap().is_stop());
    assert!(waited && turns > 0);
}

#[test]
fn what_ties_in_one_of_two_objectives_may_be_better_in_the_other() {
    let mut study = study().objective("x", Objective::minimize()).build().unwrap();
    for _ in 0..25 {
        let ask = study.ask().unwrap();
        assert!(!is_plateau(&ask), "{}", ask.why());
        let x: f64 = ask.get("x").unwrap();
        study.tell(ask.id(), Outcome::new(steps(&ask)).measured("x", x)).unwrap();
    }
}

#[test]
fn a_price_that_no_unguided_trial_is_worth_has_no_turns() {
    let mut study = study().policy(Acquisition::gittins(10.0)).build().unwrap();
    let played = play(&mut study, 20);
    assert!(played.iter().all(|(_, is_turn)| !is_turn), "{played:?}");
}
