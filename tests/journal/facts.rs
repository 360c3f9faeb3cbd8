//! What a study in a file is told besides outcomes and costs, and requests whose options combine: all
//! of it as in memory.

use std::sync::Arc;

use gittins::data::{Condition, Requirement};
use gittins::journal::Journal;
use gittins::study::{Choice, Request, StudyBuilder, TrialState};
use gittins::{Acquisition, Ask, Cost, Cpu, ErrorKind, Outcome, Policy, Space, Study, TrialId};

use super::play::{Place, Player, file, memory};

fn falling() -> Policy {
    Policy::gittins_decay(0.5, 2.0)
}

fn settings() -> StudyBuilder {
    let space = Space::new().float("x", 0.0, 1.0).log_float("rate", 1e-4, 1.0).int("n", 1, 9);
    Study::minimize(space).cost(Cost::learned()).policy(falling()).backend(Arc::new(Cpu)).seed(3)
}

fn outcome(ask: &Ask) -> Outcome {
    let [x, rate, n] = ask.numbers() else { panic!("three numbers") };
    Outcome::new((x - 0.3).powi(2) + 0.1 * rate + 0.01 * n).cost(1.0 + x)
}

/// The points of an ask, to the bit.
type Asked = Vec<(TrialId, Vec<u64>)>;

fn bits(asks: &[Ask]) -> Asked {
    let numbers = |ask: &Ask| ask.numbers().iter().map(|number| number.to_bits()).collect();
    asks.iter().map(|ask| (ask.id(), numbers(ask))).collect()
}

/// Calls of every kind, and what they gave. `next` may put another player in the place of the last.
fn play(
    mut player: Player,
    mut next: impl FnMut(Player, &Policy) -> Player,
) -> (Vec<Asked>, Vec<String>, Player) {
    let (mut asked, mut said) = (Vec::new(), Vec::new());
    let mut policy = falling();
    let high = Condition { parameter: "x".to_owned(), requirement: Requirement::AtLeast(0.25) };
    let request = Request::new().count(3).jointly().within(1.75).given([high]);
    let running = player.announce(&[0.5.into(), 0.01.into(), 4.into()]).unwrap();
    player = next(player, &policy);
    for round in 0..6 {
        let asks = match round {
            2 | 4 => player.ask_for(&request).unwrap(),
            _ => vec![player.ask().unwrap(), player.ask().unwrap()],
        };
        player = next(player, &policy);
        asked.push(bits(&asks));
        for ask in &asks {
            player.tell(ask.id(), outcome(ask)).unwrap();
            player = next(player, &policy);
        }
        match round {
            1 => {
                let id =
                    player.import(&[0.1.into(), 0.5.into(), 2.into()], Outcome::new(0.5).cost(1.5));
                player = next(player, &policy);
                let choice: Choice = serde_json::from_str(
                    r#"{"suggested": {"mean": 0.25, "sd": 0.125, "random_restart": 0.5}}"#,
                )
                .unwrap();
                player.note_choice(id.unwrap(), choice).unwrap();
            }
            2 => {
                said.push(player.price_from_budget(40.0).unwrap().to_string());
                player = next(player, &policy);
                policy = Acquisition::gittins(1e-3).into();
                player.change_policy(policy.clone()).unwrap();
            }
            3 => {
                player.tell(running, Outcome::new(0.75).cost(1.25)).unwrap();
                player = next(player, &policy);
                // The price begins anew.
                policy = falling();
                player.change_policy(policy.clone()).unwrap();
            }
            4 => player.change_policy(falling()).unwrap(),
            _ => {}
        }
        player = next(player, &policy);
        said.push(player.verdict().unwrap().reason().to_string());
        player = next(player, &policy);
    }
    (asked, said, player)
}

#[test]
fn a_file_changes_nothing_of_it_whoever_opens_it() {
    let (asked, said, player) = play(memory(settings()), |player, _| player);
    assert!(asked.iter().any(|asks| asks.len() == 3));
    let place = Place::new("facts");
    let in_file = play(file(&place, settings()), |player, _| player);
    assert_eq!((&in_file.0, &in_file.1), (&asked, &said));
    let place = Place::new("facts");
    let reopened = |player, policy: &Policy| {
        drop(player);
        file(&place, settings().policy(policy.clone()))
    };
    let resumed = play(file(&place, settings()), reopened);
    assert_eq!((&resumed.0, &resumed.1), (&asked, &said));
    for (mine, theirs) in
        resumed.2.study().record().rows().iter().zip(player.study().record().rows())
    {
        let (mut mine, mut theirs) = (mine.clone(), theirs.clone());
        (mine.seconds, theirs.seconds) = Default::default();
        assert_eq!(mine, theirs);
    }
    // The policy is in the file.
    let again = Journal::resume(place.path()).unwrap();
    assert_eq!(format!("{:?}", again.study()), format!("{:?}", resumed.2.study()));
}

#[test]
fn an_announced_trial_is_under_way_for_every_process() {
    let place = Place::new("announced");
    let open = || Journal::open(place.path(), settings()).unwrap();
    let (mut one, mut other) = (open(), open());
    let id = one.announce(&[0.5, 0.01, 4.0]).unwrap();
    other.sync().unwrap();
    assert_eq!(other.study().history()[id.index()].state, TrialState::Pending);
    let choice = Choice::Initial;
    other.note_choice(id, choice).unwrap();
    let asked = other.ask().unwrap();
    assert_eq!(
        other.note_choice(asked.id(), choice).unwrap_err().kind(),
        ErrorKind::InvalidSetting
    );
    one.tell(id, Outcome::new(0.5).cost(2.0)).unwrap();
    assert!(other.announce(&[2.0, 0.01, 4.0]).is_err());
    other.sync().unwrap();
    assert_eq!(other.study().history()[id.index()].outcome, Some(0.5));
    assert_eq!(other.study().history().len(), 2);
}

#[test]
fn what_is_noted_of_running_trials_outlives_what_others_write() {
    for unit in [None, Some("s")] {
        let place = Place::new("running");
        let open = || {
            let settings = unit.into_iter().fold(settings(), StudyBuilder::cost_unit);
            Journal::open(place.path(), settings).unwrap()
        };
        let (mut one, mut other) = (open(), open());
        for ask in one.ask_many(6).unwrap() {
            one.tell(ask.id(), outcome(&ask)).unwrap();
        }
        let slow = one.ask().unwrap();
        one.note_running(slow.id(), 1e3).unwrap();
        let told = other.ask().unwrap();
        other.tell(told.id(), outcome(&told)).unwrap();
        let forecast = one.forecast(slow.id()).unwrap().unwrap();
        assert_eq!((forecast.so_far(), forecast.is_overdue()), (1e3, true));
        // It is no fact about the study.
        assert!(other.forecast(slow.id()).unwrap().unwrap().so_far() < 1e3);
        one.tell(slow.id(), outcome(&slow)).unwrap();
        assert_eq!(one.note_running(slow.id(), 1.0).unwrap_err().kind(), ErrorKind::InvalidSetting);
    }
}
