//! Trials in stages in a file: the file changes nothing, however often it is opened and by however many.

use std::thread;

use gittins::journal::{GiveUp, Journal, JournalOptions};
use gittins::study::{Advice, AskTell, Stages, StudyBuilder, TrialState};
use gittins::{Ask, ErrorKind, Outcome, Space, Study, Table, TrialId};
use serde_json::Value as Json;

use super::play::Place;

fn space() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
}

fn staged() -> StudyBuilder {
    let stages = Stages::of(27.0).reports([3.0, 9.0, 27.0]);
    Study::minimize(space()).stages(stages).seed(5).initial(6)
}

/// The loss of a setting after a share of a run.
fn loss(ask: &Ask, until: f64) -> f64 {
    let number = |name| ask.get::<f64>(name).unwrap();
    let (x, y) = (number("x"), number("y"));
    (x - 0.3).powi(2) + 0.5 * (y - 0.8).powi(2) + 0.6 * (-(4.0 + 8.0 * x) * until / 27.0).exp()
}

/// The `turn`-th thing that happens, with up to two pending runs; what was said of it.
fn happen(study: &mut dyn AskTell, turn: usize, under_way: &mut Vec<Ask>) -> String {
    if under_way.len() < 2 && turn % 3 != 1 {
        let ask = study.ask().unwrap();
        under_way.push(ask.clone());
        return format!("{ask:?}");
    }
    let Some(ask) = (!under_way.is_empty()).then(|| under_way.remove(0)) else {
        return format!("{:?}", study.verdict().unwrap());
    };
    let cost = ask.until() - ask.resume().unwrap_or(0.0);
    match turn % 11 {
        4 => format!("{:?}", study.tell(ask.id(), Outcome::failed().cost(0.5))),
        7 => format!("{:?}", study.withdraw(ask.id())),
        _ => {
            let mut said = String::new();
            let mut until = ask.until();
            loop {
                let advice = study.report(ask.id(), until, loss(&ask, until), cost).unwrap();
                said += &format!("{advice:?} ");
                let Advice::Continue { until: next } = advice else { return said };
                until = next;
            }
        }
    }
}

/// A study in a file says what one in memory says, to the bit, also if it is opened before each call
/// or followed by another process all the time.
#[test]
fn a_file_changes_nothing_of_runs_in_stages() {
    let mut memory = staged().build().unwrap();
    let mut under_way = Vec::new();
    let expected: Vec<String> =
        (0..70).map(|turn| happen(&mut memory, turn, &mut under_way)).collect();
    assert!(memory.history().iter().any(|run| run.state == TrialState::Complete));
    for is_opened_anew in [false, true] {
        let place = Place::new("stages");
        let mut journal = Journal::open(place.path(), staged()).unwrap();
        let mut follower = Journal::resume(place.path()).unwrap();
        let mut under_way = Vec::new();
        for (turn, expected) in expected.iter().enumerate() {
            if is_opened_anew {
                journal = Journal::open(place.path(), staged()).unwrap();
            } else if turn % 2 == 1 {
                // Two processes that take turns.
                std::mem::swap(&mut journal, &mut follower);
            }
            assert_eq!(happen(&mut journal, turn, &mut under_way), *expected, "{turn}");
        }
        follower.sync().unwrap();
        assert_eq!(follower.study().history(), memory.history());
    }
}

/// A file keeps that any stage counts, and with it what is in hand.
#[test]
fn a_file_keeps_that_any_stage_counts() {
    let place = Place::new("counts");
    let stages = Stages::of(27.0).reports([3.0, 9.0, 27.0]).any_stage_counts(true);
    let mut journal = Journal::open(place.path(), Study::minimize(space()).stages(stages)).unwrap();
    let ask = journal.ask().unwrap();
    journal.report(ask.id(), 3.0, 0.5, 1.0).unwrap();
    let again = Journal::resume(place.path()).unwrap();
    assert_eq!(again.study().best_report().map(|report| report.outcome), Some(0.5));
}

/// The operations of a file.
fn lines(place: &Place) -> Vec<Json> {
    let text = std::fs::read_to_string(place.path()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What others see is what Optuna would write.
#[test]
fn runs_are_trials_of_optuna() {
    let place = Place::new("seen");
    let mut journal = Journal::open(place.path(), staged()).unwrap();
    let mut under_way = Vec::new();
    (0..70).for_each(|turn| drop(happen(&mut journal, turn, &mut under_way)));
    let lines = lines(&place);
    let of = |code: u64| lines.iter().filter(move |line| line["op_code"] == code);
    assert_eq!(of(4).count(), journal.study().history().len());
    for run in journal.study().history() {
        let trial = journal.number(run.id).unwrap();
        assert_eq!(trial, run.id.index());
        let own = |code: u64| of(code).filter(move |line| line["trial_id"] == trial);
        let values: Vec<(u64, f64)> = own(7)
            .map(|line| {
                (line["step"].as_u64().unwrap(), line["intermediate_value"].as_f64().unwrap())
            })
            .collect();
        let reports = run.reports.iter().map(|report| (report.progress as u64, report.outcome));
        assert_eq!(values, reports.collect::<Vec<_>>());
        let ends: Vec<(u64, Option<f64>)> = own(6)
            .map(|line| (line["state"].as_u64().unwrap(), line["values"][0].as_f64()))
            .collect();
        let expected = match run.state {
            TrialState::Complete => vec![(1, run.outcome)],
            TrialState::Failed | TrialState::Withdrawn => vec![(3, None)],
            TrialState::Abandoned => vec![(2, Some(run.reports.last().unwrap().outcome))],
            _ => vec![],
        };
        assert_eq!(ends, expected, "{:?}", run.state);
        let paid = own(8).next_back().map(|line| line["user_attr"]["cost"].as_f64().unwrap());
        assert_eq!(paid.unwrap_or(0.0), run.cost.unwrap_or(0.0));
    }
}

/// Processes that work at once share the runs: none is given to two, and no report is lost.
#[test]
fn workers_share_the_runs() {
    let place = Place::new("shared");
    Journal::open(place.path(), staged()).unwrap();
    let work = |_: usize| {
        let mut journal = Journal::open(place.path(), staged()).unwrap();
        let mut told = Vec::new();
        for _ in 0..12 {
            let ask = journal.ask().unwrap();
            let (mut from, mut until) = (ask.resume().unwrap_or(0.0), ask.until());
            loop {
                told.push((ask.id(), until.to_bits()));
                let advice =
                    journal.report(ask.id(), until, loss(&ask, until), until - from).unwrap();
                let Advice::Continue { until: next } = advice else { break };
                (from, until) = (until, next);
            }
        }
        told
    };
    let mut told: Vec<(TrialId, u64)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..3).map(|slot| scope.spawn(move || work(slot))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let journal = Journal::resume(place.path()).unwrap();
    let runs = journal.study().history().iter();
    let mut kept: Vec<(TrialId, u64)> = runs
        .flat_map(|run| run.reports.iter().map(|report| (run.id, report.progress.to_bits())))
        .collect();
    told.sort();
    kept.sort();
    assert_eq!(told, kept);
}

/// A run of which nothing was heard for too long waits to be resumed.
#[test]
fn a_lost_run_is_given_up() {
    let place = Place::new("lost");
    let options =
        || JournalOptions::new().give_up(GiveUp::after(std::time::Duration::from_millis(50)));
    let mut journal = options().open(place.path(), staged()).unwrap();
    let ask = journal.ask().unwrap();
    thread::sleep(std::time::Duration::from_millis(80));
    journal.ask().unwrap();
    assert_eq!(journal.study().history()[ask.id().index()].state, TrialState::Withdrawn);
    assert_eq!(journal.study().history()[1].state, TrialState::Pending);
}

/// Trials that Optuna adds are imported, and waited for as long as they run.
#[test]
fn trials_of_others_are_trials_without_reports() {
    let place = Place::new("others");
    let mut journal = Journal::open(place.path(), staged()).unwrap();
    let ask = journal.ask().unwrap();
    let made = lines(&place).into_iter().rfind(|line| line["op_code"] == 4).unwrap();
    let mut text = std::fs::read_to_string(place.path()).unwrap();
    for (state, value) in [(1, Json::from(0.125)), (0, Json::Null)] {
        let mut line = made.clone();
        (line["state"], line["value"]) = (state.into(), value);
        (line["system_attrs"], line["worker_id"]) = (Json::Object(Default::default()), "w".into());
        line["params"]["x"] = (0.25 + f64::from(state) / 4.0).into();
        text += &format!("{line}\n");
    }
    std::fs::write(place.path(), text).unwrap();
    journal.ask().unwrap();
    let states: Vec<TrialState> =
        journal.study().history().iter().map(|trial| trial.state).collect();
    let (pending, complete) = (TrialState::Pending, TrialState::Complete);
    assert_eq!(states, [pending, complete, pending, pending]);
    assert_eq!(journal.study().best().unwrap().outcome, Some(0.125));
    // It ends there, and is no report.
    let end = r#"{"op_code":6,"worker_id":"w","trial_id":2,"state":1,"values":[0.0625]}"#;
    let text = std::fs::read_to_string(place.path()).unwrap() + end + "\n";
    std::fs::write(place.path(), text).unwrap();
    journal.report(ask.id(), 3.0, 0.5, 1.0).unwrap();
    assert_eq!(journal.study().best().unwrap().outcome, Some(0.0625));
    let again = Journal::resume(place.path()).unwrap();
    assert_eq!(again.study().history(), journal.study().history());
    assert_eq!(again.study().history()[0].reports.len(), 1);
}

/// A line of a report that is gone is missed, and one that stands twice counts once.
#[test]
fn events_are_counted() {
    let place = Place::new("counted");
    let mut journal = Journal::open(place.path(), staged()).unwrap();
    for loss in [0.5, 0.25, 0.75] {
        let ask = journal.ask().unwrap();
        journal.report(ask.id(), 3.0, loss, 1.0).unwrap();
    }
    let expected = journal.study().history().to_vec();
    let text = std::fs::read_to_string(place.path()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let events: Vec<usize> =
        (0..lines.len()).filter(|&at| lines[at].contains("gittins:event")).collect();
    assert_eq!(events.len(), 3);
    for &at in &events {
        let twice = [&lines[..=at], &lines[at..]].concat().concat();
        std::fs::write(place.path(), twice).unwrap();
        let again = Journal::resume(place.path()).unwrap();
        assert_eq!((again.study().history(), again.missing()), (&expected[..], None));
    }
    let gone = [&lines[..events[1]], &lines[events[1] + 1..]].concat().concat();
    std::fs::write(place.path(), gone).unwrap();
    let missing = Journal::resume(place.path()).unwrap().missing().unwrap();
    assert!(missing.starts_with("1 of 2 events before that of"), "{missing}");
}

#[test]
fn a_file_has_stages_or_none() {
    let place = Place::new("kinds");
    Journal::open(place.path(), staged()).unwrap();
    let plain = || Study::minimize(space());
    let refused = |error: gittins::Error, words: &str| {
        assert_eq!(error.kind(), ErrorKind::InvalidSetting, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    };
    let words = "the total of the stages is 27.0 in the journal, and none here";
    refused(Journal::open(place.path(), plain()).unwrap_err(), words);
    let other = Place::new("plain");
    Journal::open(other.path(), plain()).unwrap();
    let words = "the total of the stages is none in the journal, and 27.0 here";
    refused(Journal::open(other.path(), staged()).unwrap_err(), words);
    // Both can be in one file.
    let named = |name: &str| JournalOptions::new().name(name);
    named("plain").open(place.path(), plain()).unwrap();
    let several = Journal::open(place.path(), staged()).unwrap_err();
    assert!(several.to_string().contains("several studies"), "{several}");
    assert!(named("plain").resume(place.path()).unwrap().study().stages().is_none());
    assert!(named("kinds").resume(place.path()).unwrap_err().to_string().contains("kinds"));
}

#[test]
fn settings_that_contradict_the_file_are_refused() {
    let place = Place::new("settings");
    Journal::open(place.path(), staged()).unwrap().ask().unwrap();
    let refused = |builder: StudyBuilder, words: &str| {
        let error = Journal::open(place.path(), builder).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    };
    let stages = || Stages::of(27.0).reports([3.0, 9.0, 27.0]);
    refused(Study::maximize(space()).stages(stages()), "direction is \"minimize\"");
    refused(Study::minimize(space()).stages(Stages::of(30.0)), "total of the stages");
    refused(Study::minimize(Space::new().float("x", 0.0, 1.0)).stages(stages()), "parameter \"y\"");
    // Everything else counts from here on, also for those who take the settings of the file.
    let mut journal = Journal::open(place.path(), staged().budget(0.5)).unwrap();
    journal.ask().unwrap();
    let mut again = Journal::resume(place.path()).unwrap();
    again.report(0, 3.0, 0.5, 1.0).unwrap();
    let verdict = again.verdict().unwrap();
    assert!(verdict.reason().to_string().contains("budget"), "{verdict:?}");
    // A table is not in the file.
    let table = Table::new(["a"], vec![vec![0.0], vec![0.5], vec![1.0]]).unwrap();
    let place = Place::new("table");
    Journal::open(place.path(), Study::minimize(table.clone()).stages(stages())).unwrap();
    let error = Journal::resume(place.path()).unwrap_err();
    assert!(error.to_string().contains("the table of candidates is not in the file"), "{error}");
    Journal::open(place.path(), Study::minimize(table.clone()).stages(stages())).unwrap();
}

#[test]
fn a_table_may_get_rows_and_keeps_those_of_its_trials() {
    let place = Place::new("rows");
    let open = |rows: &[f64]| {
        let table = Table::new(["a"], rows.iter().map(|row| vec![*row]).collect()).unwrap();
        Journal::open(place.path(), Study::minimize(table).stages(Stages::of(27.0))).unwrap()
    };
    let mut journal = open(&[0.0, 0.5, 1.0]);
    let made: f64 = journal.ask().unwrap().get("a").unwrap();
    journal.report(0, 3.0, 0.5, 1.0).unwrap();
    let mut journal = open(&[7.0, 1.0, 0.5, 0.0]);
    assert!(journal.missing().unwrap().contains("has 4 rows, and had 3"));
    let trial = &journal.study().history()[0];
    assert_eq!((trial.values[0].number(), trial.reports.len()), (Some(made), 1));
    journal.ask().unwrap();
    let mut journal = open(&[7.0, 9.0]);
    assert!(journal.left_out()[&0].starts_with("none of the 2 rows has a = "));
    let error = journal.ask().unwrap_err().to_string();
    assert!(error.contains("the row of trial 0 is not in the table of candidates"), "{error}");
    // What it was told is not lost.
    let mut journal = open(&[7.0, 1.0, 0.5, 0.0]);
    assert_eq!(journal.study().history()[0].reports.len(), 1);
    journal.ask().unwrap();
}

#[test]
fn what_is_refused_is_not_written() {
    let place = Place::new("refused");
    let mut journal = Journal::open(place.path(), staged()).unwrap();
    journal.ask().unwrap();
    let before = std::fs::read(place.path()).unwrap();
    assert_eq!(journal.report(9, 3.0, 0.1, 1.0).unwrap_err().kind(), ErrorKind::UnknownTrial);
    assert_eq!(journal.report(0, 3.0, f64::NAN, 1.0).unwrap_err().kind(), ErrorKind::NonFinite);
    assert!(journal.report(0, 28.0, 0.1, 1.0).is_err());
    assert_eq!(std::fs::read(place.path()).unwrap(), before);
    // The part of a line that a process left behind is taken away.
    let mut torn = before.clone();
    torn.extend(b"{\"op_code\":3,\"wor");
    std::fs::write(place.path(), &torn).unwrap();
    journal.report(0, 3.0, 0.1, 1.0).unwrap();
    assert_eq!(Journal::resume(place.path()).unwrap().study().history()[0].reports.len(), 1);
}
