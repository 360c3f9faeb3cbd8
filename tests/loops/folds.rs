//! Runs that are means of folds, and stages that begin anew.

use gittins::study::{Advice, Stages, TrialState};
use gittins::{Ask, ErrorKind, Policy, Space, Study};

const FOLDS: usize = 5;

fn space() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
}

/// The error of a setting in a fold: folds differ by more than most settings do.
fn error(x: f64, y: f64, fold: usize) -> f64 {
    let hardness = [0.3, 0.0, 0.5, 0.1, 0.4][fold];
    let rest = 0.02 * (37.0 * x + 11.0 * y + 5.0 * fold as f64).sin();
    (x - 0.3).powi(2) + 0.5 * (y - 0.8).powi(2) + hardness + rest
}

fn mean(x: f64, y: f64) -> f64 {
    (0..FOLDS).map(|fold| error(x, y, fold)).sum::<f64>() / FOLDS as f64
}

fn numbers(ask: &Ask) -> (f64, f64) {
    (ask.get::<f64>("x").unwrap(), ask.get::<f64>("y").unwrap())
}

fn step(study: &mut Study) {
    let ask = study.ask().unwrap();
    let (x, y) = numbers(&ask);
    let mut until = ask.until();
    loop {
        let advice = study.report(ask.id(), until, error(x, y, until as usize - 1), 1.0).unwrap();
        let Advice::Continue { until: next } = advice else { return };
        until = next;
    }
}

#[test]
fn most_runs_are_left_after_some_folds() {
    let builder = || Study::minimize(space()).stages(Stages::folds(5)).seed(1).budget(120.0);
    let mut study = builder().build().unwrap();
    while !study.verdict().unwrap().is_stop() {
        step(&mut study);
    }
    let finished: Vec<_> =
        study.history().iter().filter(|run| run.state == TrialState::Complete).collect();
    assert!(finished.len() >= 3 && 2 * finished.len() < study.history().len());
    for run in &finished {
        let (x, y) = (run.values[0].number().unwrap(), run.values[1].number().unwrap());
        // Five steps of a mean below two.
        assert!((run.outcome.unwrap() - mean(x, y)).abs() < 2e-15);
    }
    // The fold 1 is easy, and a run that has it alone is no better for it.
    let best = study.best().unwrap();
    assert!(best.outcome.unwrap() < mean(0.3, 0.8) + 0.02);
    // What happened makes the same study.
    let mut again = builder().resume(study.events().to_vec()).unwrap();
    step(&mut study);
    step(&mut again);
    assert_eq!(study.history(), again.history());
}

/// How hard a fold is for all says nothing of a run: a study of the same errors without it decides
/// alike.
#[test]
fn a_fold_is_compared_within_itself() {
    let left = |hardness: f64| {
        let mut study = Study::minimize(space())
            .stages(Stages::folds(5))
            .seed(2)
            .budget(150.0)
            .build()
            .unwrap();
        while !study.verdict().unwrap().is_stop() {
            let ask = study.ask().unwrap();
            let (x, y) = numbers(&ask);
            let mut until = ask.until();
            loop {
                let hard = [0.0, 1.0, -1.0, 0.5, 0.2][until as usize - 1];
                let smooth = (x - 0.3).powi(2) + 0.5 * (y - 0.8).powi(2);
                let advice = study.report(ask.id(), until, smooth + hardness * hard, 1.0).unwrap();
                let Advice::Continue { until: next } = advice else { break };
                until = next;
            }
        }
        study.best().unwrap().outcome.unwrap() - 0.14 * hardness
    };
    for hardness in [0.0, 0.2, 2.0] {
        assert!(left(hardness) < 0.005, "{hardness}: {}", left(hardness));
    }
}

#[test]
fn what_folds_do_not_have_is_refused_by_name() {
    for (stages, words) in [
        (Stages::folds(0), "folds"),
        (Stages::folds(5).any_stage_counts(true), "any_stage_counts"),
        (Stages::folds(5).repeats(true), "repeats"),
        (Stages::folds(5).reports([1.0, 3.0]), "reports"),
    ] {
        let error = Study::minimize(space()).stages(stages).build().unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let mut study = Study::minimize(space()).stages(Stages::folds(5)).build().unwrap();
    let ask = study.ask().unwrap();
    for progress in [2.0, 0.5, 0.0, 1.5] {
        let error = study.report(ask.id(), progress, 1.0, 1.0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(error.to_string().contains("fold 1"), "{error}");
    }
    study.report(ask.id(), 1.0, 1.0, 1.0).unwrap();
    study.report(ask.id(), 2.0, 2.0, 1.0).unwrap();
    assert_eq!(study.history()[0].reports[1].outcome, 1.5);
    // One fold is a whole trial.
    let mut whole = Study::minimize(space()).stages(Stages::folds(1)).build().unwrap();
    let ask = whole.ask().unwrap();
    assert_eq!(whole.report(ask.id(), 1.0, 0.5, 1.0).unwrap(), Advice::Done);
    assert_eq!(whole.best().unwrap().outcome, Some(0.5));
}

/// Where stages begin anew, a stage costs its whole progress, and the forecast says so.
#[test]
fn a_stage_that_begins_anew_costs_its_progress() {
    let rest = |repeats: bool| {
        let stages = Stages::of(16.0).reports([1.0, 4.0]).repeats(repeats);
        let mut study = Study::minimize(space()).stages(stages).seed(4).build().unwrap();
        let mut from = [0.0; 40];
        for _ in 0..40 {
            let ask = study.ask().unwrap();
            let (x, y) = numbers(&ask);
            let (before, until) = (&mut from[ask.id().index()], ask.until());
            let added = if repeats { until } else { until - *before };
            let loss = (x - 0.3).powi(2) + (y - 0.6).powi(2) + 0.3 / until;
            study.report(ask.id(), until, loss, 3.0 * added).unwrap();
            *before = until;
        }
        let waits =
            |run: &&gittins::Trial| run.state == TrialState::Paused && run.progress() == 1.0;
        let run = study.history().iter().find(waits).unwrap();
        study.forecast_end(run.id).unwrap().unwrap().cost
    };
    // All runs cost 3 for a unit of progress: 3 (4 + 16), or 3 (16 - 1). Sums of three.
    assert!((rest(true) - 60.0).abs() < 1e-12 * 60.0, "{}", rest(true));
    assert!((rest(false) - 45.0).abs() < 1e-12 * 45.0, "{}", rest(false));
}

/// A first fold that all get right says nothing of the others, and ends no search.
#[test]
fn a_fold_that_is_the_same_for_all_does_not_end_it() {
    for price in [0.1, 0.001] {
        let study = Study::maximize(space()).stages(Stages::folds(5)).seed(2);
        let mut study = study.policy(Policy::gittins(price)).build().unwrap();
        let good = |x: f64, y: f64| 1.0 - (x - 0.3).powi(2) - (y - 0.6).powi(2);
        let mut folds = 0;
        while folds < 150 && !study.verdict().unwrap().is_stop() {
            let ask = study.ask().unwrap();
            let (x, y) = numbers(&ask);
            let outcome = if ask.until() == 1.0 { 1.0 } else { good(x, y) };
            study.report(ask.id(), ask.until(), outcome, 0.01).unwrap();
            if study.history()[ask.id().index()].state == TrialState::Pending {
                study.withdraw(ask.id()).unwrap();
            }
            folds += 1;
        }
        let best = study.best().unwrap();
        let [x, y] = [0, 1].map(|k| best.values[k].number().unwrap());
        assert!(good(x, y) > 0.95, "{price}: {x} {y} after {folds}");
    }
}
