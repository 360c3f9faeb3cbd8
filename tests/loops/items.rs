//! Runs that are means of items: each item is paid for, and no run need see them all.

use std::sync::Arc;

use gittins::journal::Journal;
use gittins::study::{Advice, Stages, StudyBuilder, TrialState};
use gittins::{Cost, Cpu, ErrorKind, Outcome, PerUnit, Policy, Space, Study, Value};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const ARMS: usize = 12;
const ITEMS: usize = 300;

/// What each configuration answers well: the items that are easier than it is good.
fn table(seed: u64) -> Vec<Vec<f64>> {
    let mut random = Pcg64::seed_from_u64(seed);
    let hard: Vec<f64> = (0..ITEMS).map(|_| random.random_range(-1.5..1.5)).collect();
    let mut row = |arm: usize| {
        let good = arm as f64 / ARMS as f64 - 0.5;
        let mut well = |hard: &f64| good + 0.6 * random.random_range(-1.0..1.0) > *hard;
        hard.iter().map(|hard| f64::from(u8::from(well(hard)))).collect()
    };
    (0..ARMS).map(&mut row).collect()
}

fn mean(items: &[f64]) -> f64 {
    items.iter().sum::<f64>() / items.len() as f64
}

fn study() -> StudyBuilder {
    let names: Vec<String> = (0..ARMS).map(|arm| format!("m{arm}")).collect();
    Study::maximize(Space::new().choice("model", names))
        .stages(Stages::items(ITEMS as u32))
        .seed(5)
        .backend(Arc::new(Cpu))
}

/// Plays a study on a table until it stops, an item for a unit of money.
fn play(study: &mut Study, table: &[Vec<f64>]) {
    while !study.verdict().unwrap().is_stop() {
        let ask = study.ask().unwrap();
        let name = ask.values()[0].to_string();
        let items = &table[name[1..].parse::<usize>().unwrap()];
        let (mut from, mut until) = (ask.resume().unwrap_or(0.0), ask.until());
        loop {
            let batch = &items[from as usize..until as usize];
            let cost = batch.len() as f64;
            match study.report(ask.id(), until, mean(batch), cost).unwrap() {
                Advice::Continue { until: next } => (from, until) = (until, next),
                _ => break,
            }
        }
    }
}

#[test]
fn a_good_configuration_is_found_for_a_part_of_the_table() {
    let (mut regret, mut whole, mut off) = (0.0, 0, 0.0);
    for seed in 0..4 {
        let table = table(seed);
        let truth: Vec<f64> = table.iter().map(|items| mean(items)).collect();
        let mut study = study().budget(0.25 * (ARMS * ITEMS) as f64).build().unwrap();
        play(&mut study, &table);
        assert!(study.total_cost() <= 0.25 * (ARMS * ITEMS) as f64);
        let found = study.recommendation().unwrap().unwrap();
        assert_eq!(study.best().unwrap().id, found.trial);
        let name = found.values[0].to_string();
        let value = truth[name[1..].parse::<usize>().unwrap()];
        regret += truth.iter().copied().fold(0.0, f64::max) - value;
        off += ((found.mean - value) / found.sd.max(1e-3)).powi(2);
        whole += study.history().iter().filter(|run| run.state == TrialState::Complete).count();
    }
    // Neighbors differ by 0.03: on average the best or the one beside it, and a mean is where it
    // was said to be.
    assert!(regret / 4.0 < 0.03 && off / 4.0 < 4.0, "{regret} {off}");
    assert!(whole < 8, "{whole} came to their end");
}

/// A list of prices says what a configuration costs before it was begun, and reports say better.
#[test]
fn a_list_of_prices_counts_before_anything_is_paid() {
    let table = table(3);
    let listed = |cost: fn(usize) -> f64| {
        let of = |arm| (format!("m{arm}"), cost(arm) * ITEMS as f64);
        Cost::linear([("model", PerUnit::Names((0..ARMS).map(of).collect()))], 0.0)
    };
    let begin = |cost, initial| {
        let budget = 0.1 * (ARMS * ITEMS) as f64;
        study().cost(cost).budget(budget).initial(initial).build().unwrap()
    };
    let asked = |study: &Study| -> Vec<_> {
        study.history().iter().map(|run| (run.values.clone(), run.reports.len())).collect()
    };
    // A list by which all cost the same says nothing, whatever its unit.
    let mut same = [Cost::learned(), listed(|_| 7.0)].map(|cost| begin(cost, 10));
    for study in &mut same {
        play(study, &table);
    }
    assert_eq!(asked(&same[0]), asked(&same[1]));
    assert_eq!(same[0].total_cost(), same[1].total_cost());
    // What is dear by the list waits, and what was paid corrects it.
    let is_dear =
        |values: &[Value]| values[0].to_string()[1..].parse::<usize>().unwrap() < ARMS / 3;
    let mut study = begin(listed(|arm| if arm < ARMS / 3 { 50.0 } else { 1.0 }), 4);
    let first = study.ask_many(4).unwrap();
    assert!(first.iter().all(|ask| !is_dear(ask.values())));
    for (ask, outcome) in first.iter().zip([0.2, 0.4, 0.6, 0.8]) {
        study.report(ask.id(), 2.0, outcome, 6.0).unwrap();
    }
    // All cost three times what is listed, and so will what has not begun.
    let asked = study.ask().unwrap();
    assert!(!is_dear(asked.values()), "{}", asked.why());
    for run in study.history().to_vec() {
        let forecast = study.forecast_end(run.id).unwrap().unwrap();
        let left = 3.0 * (ITEMS as f64 - run.progress());
        assert!((forecast.cost - left).abs() < 1e-9 * left, "{forecast}");
    }
}

#[test]
fn a_price_ends_it() {
    let table = table(9);
    let mut study = study().policy(gittins::Policy::gittins(1e-5)).build().unwrap();
    play(&mut study, &table);
    let spent = study.total_cost() / (ARMS * ITEMS) as f64;
    assert!(spent > 0.02 && spent < 0.8, "{spent}");
    let words = study.verdict().unwrap().reason().to_string();
    assert!(words.contains("nothing is worth its price"), "{words}");
}

/// A stop names stages that are expected to bring less than they cost.
#[test]
fn a_stop_names_what_is_below_its_price() {
    for seed in 0..6 {
        let price = 10f64.powf(-3.0 - 0.5 * seed as f64);
        let mut study = study().policy(gittins::Policy::gittins(price)).build().unwrap();
        play(&mut study, &table(seed));
        let words = study.verdict().unwrap().reason().to_string();
        let after = |mark: &str| words.split_once(mark).map(|(_, rest)| rest.to_owned());
        let number = |text: String| text.split([' ', ',']).next().unwrap().parse::<f64>().unwrap();
        if let Some(gain) = after("for an expected ").map(number) {
            let cost =
                number(after("next would be: ").unwrap().split_once(": ").unwrap().1.to_owned());
            // Three digits of either.
            assert!(gain <= 1.01 * price * cost, "{words}");
            assert!(words.ends_with("of its price"), "{words}");
        }
    }
}

/// Answers that agree leave in doubt what the others are, whatever the price is.
#[test]
fn answers_that_agree_are_not_taken_for_certain() {
    let after = |price: f64, right: f64, runs: usize| {
        let mut study = study().policy(gittins::Policy::gittins(price)).build().unwrap();
        for _ in 0..runs {
            let ask = study.ask().unwrap();
            study.note_report(ask.id(), ask.until(), right, 0.01).unwrap();
            study.withdraw(ask.id()).unwrap();
        }
        let best = study.recommendation().unwrap().unwrap();
        (best.mean, best.sd, study.verdict().unwrap().is_stop())
    };
    for right in [0.0, 1.0] {
        let (mean, sd, stops) = after(1e-6, right, 4);
        assert!(sd > 0.05 && (mean - right).abs() > 0.05 && !stops, "{mean} {sd}");
        for price in [1e-9, 1e-3, 10.0] {
            assert_eq!(after(price, right, 4).1.to_bits(), sd.to_bits());
        }
    }
}

/// Means keep within what the judged items leave possible, and those of all items are known.
#[test]
fn means_keep_within_the_bounds_of_their_items() {
    let table = table(3);
    let mut study = study().policy(gittins::Policy::gittins(3e-5)).build().unwrap();
    for _ in 0..60 {
        let ask = study.ask().unwrap();
        let name = ask.values()[0].to_string();
        let items = &table[name[1..].parse::<usize>().unwrap()];
        let batch = &items[ask.resume().unwrap_or(0.0) as usize..ask.until() as usize];
        study.report(ask.id(), ask.until(), mean(batch), 1.0).unwrap();
        for run in 0..study.history().len() {
            let Some(seen) = study.history()[run].reports.last().copied() else { continue };
            let Some(forecast) = study.forecast_end(run).unwrap() else { continue };
            let sum = seen.outcome * seen.share;
            let high = sum + 1.0 - seen.share;
            assert!(forecast.mean >= sum - 1e-9 && forecast.mean <= high + 1e-9, "{forecast}");
        }
        if study.history()[ask.id().index()].state == TrialState::Pending {
            study.withdraw(ask.id()).unwrap();
        }
    }
}

#[test]
fn reports_of_batches_make_the_mean_of_their_items() {
    let mut study = study().build().unwrap();
    let ask = study.ask().unwrap();
    assert_eq!(ask.until(), 2.0);
    study.report(ask.id(), 4.0, 0.5, 4.0).unwrap();
    study.note_report(ask.id(), 10.0, 1.0, 6.0).unwrap();
    let run = &study.history()[0];
    assert_eq!(run.reports.last().unwrap().outcome, 0.8);
    for (progress, words) in [
        (10.0, "above 10"),
        (10.5, "expected a whole number of items so far, got 10.5"),
        (301.0, "at most 300"),
    ] {
        let error = study.note_report(ask.id(), progress, 1.0, 6.0).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Items one by one are folds.
#[test]
fn a_few_items_that_report_each_are_believed_as_folds_are() {
    let space = || Space::new().float("x", 0.0, 1.0);
    let forecast = |stages: Stages| {
        let mut study = Study::minimize(space()).stages(stages).seed(1).initial(4).build().unwrap();
        for _ in 0..6 {
            let ask = study.ask().unwrap();
            let x = ask.get::<f64>("x").unwrap();
            study.note_report(ask.id(), 1.0, x + 0.3, 1.0).unwrap();
            study.note_report(ask.id(), 2.0, x - 0.1 * x * x, 1.0).unwrap();
        }
        let found = study.forecast_end(0).unwrap().unwrap();
        (found.mean, found.sd)
    };
    let each = Stages::items(5).reports([1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(forecast(each), forecast(Stages::folds(5)));
}

#[test]
fn what_makes_no_items_is_said_in_words() {
    let mut both = Stages::items(5);
    both.folds = Some(2);
    let cases = [
        (Stages::items(5).reports([1.5]), "report 1: expected a whole number of items, got 1.5"),
        (Stages::items(5).any_stage_counts(true), "the mean of all of its items"),
        (Stages::items(5).repeats(true), "repeats: a stage of items"),
        (both, "expected one of total, epochs, folds"),
        (Stages::items(0), "items"),
    ];
    for (stages, words) in cases {
        let error = study().stages(stages).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(error.to_string().contains(words), "{error}");
    }
    for (count, first) in [(1, 1.0), (3, 2.0), (100, 2.0), (800, 2.0), (4000, 10.0)] {
        let reports = Stages::items(count).progress().unwrap();
        assert!(reports[0] == first && reports[reports.len() - 1] == f64::from(count));
        assert!(reports.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(reports.iter().all(|report| report.fract() == 0.0), "{reports:?}");
    }
}

/// One call of many fails: what was paid counts, and the trial goes on where it was.
#[test]
fn a_batch_that_fails_is_paid_and_tried_again() {
    let folder = std::env::temp_dir().join(format!("gittins-missed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("items.log");
    let table = table(3);
    let builder = || study().policy(Policy::gittins(1e-4));
    let mut alone = builder().build().unwrap();
    let (mut calls, mut paid, mut failures) = (0, 0.0, 0);
    for _ in 0..60 {
        let mut journal = Journal::open(&path, builder()).unwrap();
        let (ask, there) = (alone.ask().unwrap(), journal.ask().unwrap());
        assert_eq!((ask.values(), ask.resume(), ask.until()), {
            (there.values(), there.resume(), there.until())
        });
        let id = ask.id();
        let (mut from, mut until) = (ask.resume().unwrap_or(0.0), ask.until());
        loop {
            calls += 1;
            if calls % 3 == 0 {
                let before = alone.history()[id.index()].reports.clone();
                alone.tell(id, Outcome::failed().cost(0.5)).unwrap();
                journal.tell(there.id(), Outcome::failed().cost(0.5)).unwrap();
                (paid, failures) = (paid + 0.5, failures + 1);
                let trial = &alone.history()[id.index()];
                let expected = if from > 0.0 { TrialState::Paused } else { TrialState::Withdrawn };
                assert_eq!((trial.state, &trial.reports), (expected, &before));
                break;
            }
            let items = alone.stages().unwrap().order();
            let items = &items[from as usize..until as usize];
            let arm: usize = ask.get::<String>("model").unwrap()[1..].parse().unwrap();
            let answers: Vec<f64> = items.iter().map(|item| table[arm][*item as usize]).collect();
            let (outcome, cost) = (mean(&answers), until - from);
            paid += cost;
            let advice = alone.report(id, until, outcome, cost).unwrap();
            assert_eq!(journal.report(there.id(), until, outcome, cost).unwrap(), advice);
            let Advice::Continue { until: next } = advice else { break };
            (from, until) = (until, next);
        }
        assert_eq!(alone.total_cost(), paid);
        assert_eq!(alone.history(), journal.study().history());
    }
    assert!(failures > 10 && alone.history().iter().any(|trial| trial.reports.len() > 3));
    let resumed = builder().resume(alone.events().iter().cloned()).unwrap();
    assert_eq!(resumed.history(), alone.history());
    let own = alone.tell_cost(alone.history()[0].id, 1.0).unwrap_err();
    assert!(own.to_string().contains("its reports tell what it cost"), "{own}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn three_failures_in_a_row_are_the_end_of_a_configuration() {
    for reports in [0, 1] {
        let space = Space::new().choice("model", ["a", "b"]);
        let stages = Stages::items(40).reports((1..=20).map(|k| 2.0 * f64::from(k)));
        let mut study = Study::maximize(space).stages(stages).seed(2).build().unwrap();
        let (mut states, mut answered) = (Vec::new(), 0);
        while states.last() != Some(&TrialState::Failed) {
            let ask = study.ask().unwrap();
            let is_failing = ask.get::<String>("model").unwrap() == "a";
            if is_failing && answered == reports {
                study.tell(ask.id(), Outcome::failed().cost(1.0)).unwrap();
                states.push(study.history()[ask.id().index()].state);
                assert!(states.len() <= 3, "{states:?}");
                continue;
            }
            answered += usize::from(is_failing);
            // Told as by a worker that takes one batch at a time.
            study.note_report(ask.id(), ask.until(), 0.5, 1.0).unwrap();
            study.withdraw(ask.id()).unwrap();
        }
        let waits = if reports > 0 { TrialState::Paused } else { TrialState::Withdrawn };
        assert_eq!(states, [waits, waits, TrialState::Failed]);
        // What is not allowed is over at once.
        let ask = study.ask().unwrap();
        assert_eq!(ask.get::<String>("model").unwrap(), "b");
        study.tell(ask.id(), Outcome::infeasible()).unwrap();
        assert_eq!(study.history()[ask.id().index()].state, TrialState::Infeasible);
    }
}
