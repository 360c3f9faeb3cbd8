//! A study of control sets that is made of its events after each call says the same as one that
//! stays in memory, to the bit.

use std::sync::Arc;

use gittins::study::TrialState;
use gittins::{Cpu, ErrorKind, Outcome, TrialId};
use gittins_papers::control::{SubsetEvent, SubsetPolicy, SubsetStudy, SubsetStudyBuilder};

use crate::control::runs::study;
use crate::control::studies::{field, harvest, nature, policies};

#[derive(Debug, Clone, Copy)]
enum Call {
    Ask,
    Tell,
    TellDear,
    Fail,
    Import,
    /// The last one that was told.
    Correct,
    TakeBack,
    /// The first one under way.
    GiveUp,
    /// The last one that was withdrawn.
    TellLate,
    Verdict,
    Advice,
}

use Call::*;

#[rustfmt::skip]
const CALLS: [Call; 40] = [
    Import, Ask, Verdict, Ask, Tell, Verdict, Verdict, Ask, Ask, TellDear, GiveUp, Ask, Tell, Advice, Tell,
    Verdict, Ask, Verdict, Ask, Advice, Fail, Ask, Tell, Verdict, GiveUp, Verdict, TellLate, Ask, Correct,
    Verdict, Ask, TakeBack, Advice, Verdict, TellLate, Ask, Import, Tell, Verdict, Ask,
];

/// The point of a trial: as it was asked for, and as nature made the rest.
fn happened(study: &SubsetStudy, id: TrialId) -> Vec<f64> {
    let trial = &study.history()[id.index()];
    let mut values = nature(id.index());
    if let Some(set) = trial.set {
        let controlled = &study.sets().sets()[set].controlled;
        controlled.iter().zip(&trial.chosen).for_each(|(&k, value)| values[k] = *value);
    }
    values
}

/// What a call says.
fn say(study: &mut SubsetStudy, call: Call) -> String {
    let first = |state| study.history().iter().find(|trial| trial.state == state);
    let last = |state| study.history().iter().rfind(|trial| trial.state == state);
    let (under_way, withdrawn) = (first(TrialState::Pending), last(TrialState::Withdrawn));
    let (under_way, withdrawn) = (under_way.map(|t| t.id), withdrawn.map(|t| t.id));
    let complete = last(TrialState::Complete).map(|t| t.id);
    let told = |study: &mut SubsetStudy, id: TrialId, outcome: fn(f64) -> Outcome| {
        let values = happened(study, id);
        study.tell(id, &values, outcome(harvest(&values)))
    };
    match call {
        Ask => format!("{:?}", study.ask().unwrap()),
        Tell => format!("{:?}", told(study, under_way.unwrap(), Outcome::new)),
        TellDear => {
            format!("{:?}", told(study, under_way.unwrap(), |value| Outcome::new(value).cost(0.7)))
        }
        Fail => format!("{:?}", told(study, under_way.unwrap(), |_| Outcome::failed())),
        Import => {
            let values = nature(30 + study.history().len());
            format!("{:?}", study.import(&values, Outcome::new(harvest(&values))).unwrap())
        }
        Correct => format!("{:?}", study.correct(complete.unwrap(), Outcome::new(0.4).cost(0.3))),
        TakeBack => format!("{:?}", study.withdraw(complete.unwrap())),
        GiveUp => format!("{:?}", study.withdraw(under_way.unwrap())),
        TellLate => format!("{:?}", told(study, withdrawn.unwrap(), Outcome::new)),
        Verdict => format!("{:?}", study.verdict().unwrap()),
        Advice => format!("{:?}", study.recommendations().unwrap()),
    }
}

/// A model that is fitted, and one that is known.
fn settings(policy: &SubsetPolicy, known: bool) -> SubsetStudyBuilder {
    let (space, sets) = field();
    let fitted = SubsetStudy::maximize(space, sets).policy(policy.clone());
    let fitted = fitted.samples(64).seed(5).backend(Arc::new(Cpu));
    let settings = if known { study(policy.clone()) } else { fitted };
    settings.budget(20.0).initial(3)
}

/// The events as data and back.
fn events(study: &SubsetStudy) -> Vec<SubsetEvent> {
    let text = serde_json::to_string(study.events()).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_study_is_made_of_its_events_after_each_call() {
    for policy in policies() {
        for known in [false, true] {
            let settings = || settings(&policy, known);
            let mut stays = settings().build().unwrap();
            let mut again = settings().build().unwrap();
            for (number, call) in CALLS.into_iter().enumerate() {
                let what = format!("{policy:?}, {known}, call {number}, {call:?}");
                assert_eq!(say(&mut again, call), say(&mut stays, call), "{what}");
                again = settings().resume(events(&again)).unwrap();
                assert_eq!(again.history(), stays.history(), "{what}");
                assert_eq!(again.spent(), stays.spent(), "{what}");
            }
            // What happened is all that there is: nothing else was looked at in between.
            assert_eq!(again.events().len(), stays.events().len());
        }
    }
}

#[test]
fn events_of_another_study_are_refused() {
    use ErrorKind::*;
    let policy = SubsetPolicy::ucb_psq();
    let mut study = settings(&policy, true).build().unwrap();
    CALLS[..22].iter().for_each(|call| drop(say(&mut study, *call)));
    let all = events(&study);
    settings(&policy, true).resume(all.clone()).unwrap();
    let text = |number: usize| serde_json::to_string(&all[number]).unwrap();
    let of = |wanted: fn(&SubsetEvent) -> bool| all.iter().position(wanted).unwrap();
    let asked = of(|event| matches!(event, SubsetEvent::Asked { .. }));
    let chosen = all.len()
        - 1
        - all.iter().rev().position(|event| matches!(event, SubsetEvent::Asked { .. })).unwrap();
    let told = of(|event| matches!(event, SubsetEvent::Told { .. }));
    let cases: [(usize, &str, &str, ErrorKind); 6] = [
        (asked, "\"set\":0", "\"set\":9", OutOfBounds),
        (asked, "\"query\":[", "\"query\":[0.5,", OutOfBounds),
        (asked, "\"query\":[0.", "\"query\":[7.", OutOfBounds),
        (chosen, "\"ends\":[", "\"ends\":[[0.1,0.2],", Dimension),
        (chosen, "\"values\":[", "\"values\":[0.5,", Dimension),
        (told, "\"trial\":", "\"trial\":3", UnknownTrial),
    ];
    for (number, from, to, kind) in cases {
        let before = text(number);
        let spoiled = before.replacen(from, to, 1);
        assert_ne!(before, spoiled, "{from}");
        let mut events = all.clone();
        events[number] = serde_json::from_str(&spoiled).unwrap();
        let error = settings(&policy, true).resume(events).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(&format!("event {number}")), "{error}");
    }
}
