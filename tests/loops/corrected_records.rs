//! Records, replays and stopping rules of runs with withdrawn and corrected trials.

use gittins::stop::{Steadying, TrialLimit};
use gittins::study::{Origin, Row, TrialState};
use gittins::{Cost, GittinsRule, Outcome, Record, StopRule, Study, Verdict};
use gittins_papers::evaluation::{Course, Replay};
use gittins_papers::rules::{
    ConfidenceGapRule, GittinsBeforeRule, ImprovementMedianRule, RegretGapRule,
    RegretProbabilityRule,
};

use super::corrections::{asked, costs, price, settings, square, tell, wave};
use crate::support::tolerance::SAME_PEAK;

/// A run with every kind of event: lost and late trials, mistakes that are found at once or late,
/// costs told apart, imports, and workers that overtake each other.
fn motley(study: &mut Study, learned: bool) {
    let later = |values: &[f64]| {
        if learned { Outcome::new(wave(values)).cost_later() } else { Outcome::new(wave(values)) }
    };
    let design = asked(study, 4);
    study.import(&[0.1, 0.0], Outcome::failed().cost(0.5)).unwrap();
    let import = study.import(&[0.9, 0.2], Outcome::new(-80.0).cost(0.5)).unwrap();
    study.withdraw(design[1].id()).unwrap();
    tell(study, &design[0]);
    study.withdraw(import).unwrap();
    let other = study.ask().unwrap();
    tell(study, &other);
    tell(study, &design[2]);
    study.tell(import, Outcome::new(1.4).cost(0.25)).unwrap();
    tell(study, &design[3]);
    study.verdict().unwrap();
    for round in 0..3 {
        let [early, late, wrong, lost] = [(); 4].map(|()| study.ask().unwrap());
        study.tell_cost(early.id(), price(early.numbers())).unwrap();
        study.tell(late.id(), later(late.numbers())).unwrap();
        study.tell(wrong.id(), Outcome::new(1e5).cost(40.0)).unwrap();
        study.verdict().unwrap();
        study.withdraw(lost.id()).unwrap();
        let between = study.ask().unwrap();
        study.tell(early.id(), Outcome::new(wave(early.numbers()))).unwrap();
        study.tell_cost(late.id(), price(late.numbers())).unwrap();
        study.verdict().unwrap();
        match round {
            0 => study
                .correct(
                    wrong.id(),
                    Outcome::new(wave(wrong.numbers())).cost(price(wrong.numbers())),
                )
                .unwrap(),
            1 => study.withdraw(wrong.id()).unwrap(),
            _ => study.correct(wrong.id(), Outcome::failed().cost(0.5)).unwrap(),
        }
        tell(study, &between);
        study.correct(early.id(), Outcome::new(wave(early.numbers()) + 0.125).cost(0.75)).unwrap();
        study.verdict().unwrap();
        match round {
            0 => tell(study, &lost),
            1 => study.tell_cost(lost.id(), 0.2).unwrap(),
            _ => {}
        }
    }
    // The first trial of the design is told last, after another trial has taken its place.
    tell(study, &design[1]);
}

/// The record of a run with corrections is a valid record: it can be read back, and its columns
/// describe the trials as they now stand.
#[test]
fn the_record_of_a_corrected_run_is_one() {
    type Known = Option<fn(&[f64]) -> f64>;
    let known: [Known; 3] = [None, Some(|values| 0.2 + values[0]), Some(|_| 0.2)];
    for (cost, known_cost) in costs().into_iter().zip(known) {
        let mut study = settings(square(), cost).build().unwrap();
        motley(&mut study, known_cost.is_none());
        let record = study.record();
        let width = record.columns().len();
        assert!(record.cells().all(|cells| cells.len() == width));
        let rows: Vec<Row> = record
            .rows()
            .iter()
            .map(|row| serde_json::from_str(&serde_json::to_string(row).unwrap()).unwrap())
            .collect();
        assert_eq!(Record::new(rows).unwrap(), record);
        let (mut spent, mut best, mut known) = (Vec::<(usize, f64)>::new(), f64::INFINITY, false);
        let mut places: Vec<(usize, &Row, bool)> = Vec::new();
        for row in record.rows() {
            let trial = &study.history()[row.trial];
            assert_eq!(
                (row.state, row.outcome, row.cost),
                (trial.state, trial.outcome, trial.cost)
            );
            assert_eq!(
                row.told.is_some(),
                !matches!(row.state, TrialState::Pending | TrialState::Withdrawn),
                "{row:?}"
            );
            assert_eq!(row.spent.is_some(), row.told.is_some());
            assert!(
                row.told.is_some()
                    || (row.best.is_none() && row.verdict.is_none() && row.outcome.is_none()),
                "{row:?}"
            );
            places.extend(row.told.map(|place| (place, row, false)));
            places.extend(row.paid.map(|place| (place, row, true)));
        }
        places.sort_by_key(|(place, ..)| *place);
        assert!(places.iter().enumerate().all(|(at, (place, ..))| at == *place));
        for (_, row, cost_alone) in places {
            let suggested = row.origin == Origin::Suggested;
            // A known cost is used until the bill comes. Then the bill replaces it.
            let stands_in = || {
                Some(known_cost.filter(|_| row.paid > row.told)?(
                    &study.history()[row.trial].numbers(),
                ))
            };
            match (cost_alone, row.paid) {
                (true, _) => {
                    spent.retain(|(trial, _)| *trial != row.trial);
                    spent.extend(row.cost.filter(|_| suggested).map(|cost| (row.trial, cost)));
                }
                (false, None) => {
                    spent.extend(row.cost.filter(|_| suggested).map(|cost| (row.trial, cost)));
                }
                (false, Some(_)) => {
                    spent.extend(stands_in().filter(|_| suggested).map(|cost| (row.trial, cost)));
                }
            }
            if !cost_alone {
                known |= row.state == TrialState::Complete;
                best = row
                    .outcome
                    .filter(|_| row.state == TrialState::Complete)
                    .map_or(best, |outcome| best.min(outcome));
                assert_eq!(
                    (row.spent, row.best),
                    (Some(spent.iter().map(|(_, cost)| cost).sum()), Some(best).filter(|_| known)),
                    "{row:?}"
                );
            }
        }
        assert_eq!(
            (study.spent(), study.best().unwrap().outcome),
            (spent.iter().map(|(_, cost)| cost).sum(), Some(best))
        );
        // Some suggestion was made from wrong numbers. Its model is not in the record.
        assert!(
            record
                .rows()
                .iter()
                .filter_map(|row| row.suggestion.as_ref())
                .any(|suggestion| suggestion.outcome_model.is_none())
        );
        assert!(
            record.rows().iter().filter_map(|row| row.outcome).all(|outcome| outcome.abs() < 10.0)
        );
    }
}

fn rules() -> Vec<Box<dyn StopRule>> {
    vec![
        Box::new(GittinsRule::new()),
        Box::new(GittinsRule::priced(1e-4).smoothed(3).debounced(2)),
        Box::new(GittinsBeforeRule::new()),
        Box::new(ConfidenceGapRule::new(0.5)),
        Box::new(ImprovementMedianRule::new().first(2)),
        Box::new(RegretGapRule::new().first(2)),
        Box::new(RegretProbabilityRule::frequency(0.2).samples(8, 24).features(32)),
        Box::new(TrialLimit::new(5)),
    ]
}

/// The replay of a record with corrections is the run of a study that was told the corrected
/// numbers in the order of the record.
#[test]
fn a_corrected_record_replays_as_what_it_says() {
    for (cost, learned) in costs().into_iter().zip([true, false, false]) {
        let builder = || settings(square(), cost.clone());
        let mut study = builder().build().unwrap();
        motley(&mut study, learned);
        let record = study.record();
        let replay = || rules().into_iter().fold(Replay::new(builder()), Replay::rule);
        let replayed = replay().run(&record).unwrap();
        assert_eq!(replay().run_study(&study).unwrap(), replayed);
        // The course equals the course of the record in their common part, and ends where the study
        // stands.
        let (course, marks) = (Course::of(&record).unwrap(), replayed.course.marks());
        if learned {
            assert_eq!(course.marks(), &marks[marks.len() - course.marks().len()..]);
        }
        let last = marks.last().unwrap();
        assert_eq!(
            (last.adaptive, last.spent, Some(last.best)),
            (study.counts().adaptive, study.spent(), study.best().unwrap().outcome)
        );
        // Every point that the record calls withdrawn is withdrawn for good. Only trials that were
        // told count.
        let told = record
            .rows()
            .iter()
            .filter(|row| row.origin == Origin::Suggested && row.told.is_some())
            .count();
        assert_eq!(told, study.counts().adaptive);
    }
}

/// A mistake is told, judged, corrected and judged again. Then the rules agree with a run without
/// the mistake, from the next trial on at the latest, because they count each trial once.
#[test]
fn rules_count_a_corrected_trial_once() {
    let run = |rule: Box<dyn StopRule>, mistake: Option<usize>, withdraw: bool| -> Vec<Verdict> {
        let mut study = settings(square(), Cost::uniform(1.0)).stop(rule).build().unwrap();
        let mut verdicts = Vec::new();
        for trial in 0..14 {
            let ask = study.ask().unwrap();
            if mistake == Some(trial) {
                study.tell(ask.id(), Outcome::new(wave(ask.numbers()) - 3.0)).unwrap();
                study.verdict().unwrap();
                if withdraw {
                    study.withdraw(ask.id()).unwrap();
                    study.verdict().unwrap();
                    study.tell(ask.id(), Outcome::new(wave(ask.numbers()))).unwrap();
                } else {
                    study.correct(ask.id(), Outcome::new(wave(ask.numbers()))).unwrap();
                }
            } else {
                study.tell(ask.id(), Outcome::new(wave(ask.numbers()))).unwrap();
            }
            let verdict = study.verdict().unwrap();
            assert_eq!(study.verdict().unwrap(), verdict, "asked again it repeats itself");
            verdicts.push(verdict);
        }
        verdicts
    };
    for k in 0..rules().len() {
        let rule = || rules().swap_remove(k);
        let name = rule().name().to_owned();
        let expected = run(rule(), None, false);
        for at in [5, 9] {
            for withdraw in [false, true] {
                let corrected = run(rule(), Some(at), withdraw);
                assert_eq!(corrected[..at], expected[..at], "{name}");
                // Two rules compare with the model of the check before. After a correction that
                // model knew other data, so these rules say nothing until the next trial. One of
                // them takes a median of its values, and this check adds no value.
                let compares =
                    ["Gittins index before the update", "regret gap"].contains(&name.as_str());
                let silent = compares && !withdraw;
                let from = at + usize::from(silent);
                assert!(
                    !silent
                        || (!corrected[at].is_stop()
                            && corrected[at].reason().statistic == f64::INFINITY),
                    "{name}"
                );
                for (corrected, expected) in corrected[from..].iter().zip(&expected[from..]) {
                    if withdraw || compares {
                        // The check after a withdrawal searched from other hints than the check
                        // before the trial.
                        let (got, wanted) =
                            (corrected.reason().statistic, expected.reason().statistic);
                        assert!(
                            got == wanted || (got - wanted).abs() <= SAME_PEAK,
                            "{name}: {got} and {wanted}"
                        );
                        // The threshold of one of them is a median over all checks so far, and a
                        // withdrawal makes one more.
                        if corrected.reason().threshold == expected.reason().threshold {
                            assert_eq!(corrected.is_stop(), expected.is_stop(), "{name}");
                        }
                    } else {
                        assert_eq!(corrected, expected, "{name}, withdrawn: {withdraw}");
                    }
                }
            }
        }
    }
}
