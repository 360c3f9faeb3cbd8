//! Runs in stages that somebody else begins.

use gittins::study::{Advice, Event, Stages, StudyBuilder, TrialState};
use gittins::{ErrorKind, Policy, Space, Study, Table};

const REPORTS: [f64; 3] = [3.0, 9.0, 27.0];

fn stages() -> Stages {
    Stages::of(27.0).reports(REPORTS).resumable(false)
}

fn space() -> Space {
    Space::new().float("x", 0.0, 1.0)
}

fn study() -> StudyBuilder {
    Study::minimize(space()).stages(stages())
}

/// The loss is the better the smaller the setting is.
fn loss(x: f64, progress: f64) -> f64 {
    x + 1.0 / progress
}

fn note(study: &mut Study, x: f64, reports: usize) -> gittins::TrialId {
    let run = study.announce(&[x]).unwrap();
    let mut before = 0.0;
    for &progress in &REPORTS[..reports] {
        study.note_report(run, progress, loss(x, progress), progress - before).unwrap();
        before = progress;
    }
    run
}

/// Ten runs that came to their end, from 0.1 to 1.
fn told(builder: StudyBuilder) -> Study {
    let mut study = builder.build().unwrap();
    for place in 1..=10 {
        note(&mut study, 0.1 * f64::from(place), REPORTS.len());
    }
    assert!(study.history().iter().all(|run| run.state == TrialState::Complete));
    study
}

#[test]
fn a_run_goes_on_if_its_rest_brings_more_than_others() {
    let mut study = told(study());
    assert_eq!(study.best().unwrap().outcome, Some(loss(0.1, 27.0)));
    let good = note(&mut study, 0.01, 1);
    let bad = note(&mut study, 0.95, 1);
    assert_eq!(study.advise(good).unwrap(), Advice::Continue { until: 9.0 });
    assert_eq!(study.advise(bad).unwrap(), Advice::Abandon);
    let states = [good, bad].map(|run| study.history()[run.index()].state);
    assert_eq!(states, [TrialState::Pending, TrialState::Abandoned]);
    // Asked again, it answers the same.
    assert_eq!(study.advise(bad).unwrap(), Advice::Abandon);
}

#[test]
fn everything_goes_on_while_nothing_is_in_hand() {
    let mut study = study().build().unwrap();
    let runs = [0.1, 0.5, 0.9, 1.0].map(|x| note(&mut study, x, 2));
    for run in runs {
        assert_eq!(study.advise(run).unwrap(), Advice::Continue { until: 27.0 });
    }
    let fresh = study.announce(&[0.3]).unwrap();
    assert_eq!(study.advise(fresh).unwrap(), Advice::Continue { until: 3.0 });
}

#[test]
fn a_rest_that_is_not_worth_the_price_is_left() {
    // The run is expected to end 0.09 better than what is in hand, for another 24.
    for (price, goes_on) in [(0.02, false), (1e-5, true)] {
        let mut study = told(study().policy(Policy::gittins(price)));
        let run = note(&mut study, 0.01, 1);
        let advice = study.advise(run).unwrap();
        assert_eq!(matches!(advice, Advice::Continue { .. }), goes_on, "{price}");
    }
}

/// Others are worth nothing where the money does not reach them.
#[test]
fn a_run_goes_on_if_no_other_can_be_paid() {
    let [poor, rich] = [290.0, 10_000.0].map(|budget| {
        let mut study = told(study().budget(budget));
        // It may end a little better than what is in hand, and those that began last much more so.
        let run = note(&mut study, 0.1, 2);
        for place in 0..20 {
            note(&mut study, 0.002 * f64::from(place), 0);
        }
        study.advise(run).unwrap()
    });
    assert_eq!(poor, Advice::Continue { until: 27.0 });
    assert_eq!(rich, Advice::Abandon);
}

#[test]
fn a_run_that_was_left_may_come_to_its_end() {
    let mut study = told(study());
    let run = note(&mut study, 0.95, 1);
    assert_eq!(study.advise(run).unwrap(), Advice::Abandon);
    study.note_report(run, 9.0, 0.5, 6.0).unwrap();
    assert_eq!(study.history()[run.index()].state, TrialState::Abandoned);
    study.note_report(run, 27.0, 0.0, 18.0).unwrap();
    assert_eq!(study.best().unwrap().id, run);
    assert_eq!(study.advise(run).unwrap(), Advice::Done);
}

#[test]
fn what_can_be_resumed_is_paused() {
    let stages = Stages::of(27.0).reports(REPORTS);
    let mut study = told(Study::minimize(space()).stages(stages));
    let run = note(&mut study, 0.95, 1);
    assert_eq!(study.advise(run).unwrap(), Advice::Pause);
    assert_eq!(study.history()[run.index()].state, TrialState::Paused);
}

#[test]
fn a_table_has_announced_rows() {
    let rows = (1..=12).map(|row| vec![f64::from(row) / 12.0]).collect();
    let table = Table::new(["x"], rows).unwrap();
    let mut study = Study::minimize(table).stages(stages()).build().unwrap();
    for row in 2..=10 {
        note(&mut study, f64::from(row) / 12.0, 3);
    }
    let run = note(&mut study, 11.0 / 12.0, 1);
    assert_eq!(study.history()[run.index()].row, Some(10));
    assert_eq!(study.advise(run).unwrap(), Advice::Abandon);
    assert_eq!(study.announce(&[0.3]).unwrap_err().kind(), ErrorKind::OutOfBounds);
}

#[test]
fn announced_runs_replay_to_the_bit() {
    let mut live = told(study());
    for x in [0.02, 0.7, 0.05, 0.4] {
        let run = note(&mut live, x, 2);
        live.advise(run).unwrap();
    }
    let text = serde_json::to_string(live.events()).unwrap();
    let events: Vec<Event> = serde_json::from_str(&text).unwrap();
    let mut again = study().resume(events).unwrap();
    assert_eq!(again.history(), live.history());
    let next = [&mut again, &mut live].map(|study| {
        let run = note(study, 0.15, 1);
        (study.advise(run).unwrap(), study.forecast_end(run).unwrap())
    });
    assert_eq!(next[0], next[1]);
}

#[test]
fn errors_name_the_culprit() {
    let mut study = study().build().unwrap();
    let error = study.announce(&[1.5]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfBounds);
    assert!(error.to_string().contains('x'), "{error}");
    assert_eq!(study.announce(&[0.1, 0.2]).unwrap_err().kind(), ErrorKind::Dimension);
    assert_eq!(study.announce(&[f64::NAN]).unwrap_err().kind(), ErrorKind::NonFinite);
    assert!(study.history().is_empty());
    for error in [study.note_report(0, 3.0, 1.0, 1.0), study.advise(0).map(|_| ())] {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::UnknownTrial);
    }
    let run = study.announce(&[0.5]).unwrap();
    for (progress, outcome, cost) in [(0.0, 1.0, 1.0), (28.0, 1.0, 1.0), (3.0, 1.0, -1.0)] {
        let error = study.note_report(run, progress, outcome, cost).unwrap_err();
        assert!(error.to_string().contains(&run.to_string()), "{error}");
    }
    assert_eq!(
        study.note_report(run, 3.0, f64::NAN, 1.0).unwrap_err().kind(),
        ErrorKind::NonFinite
    );
    assert_eq!(study.events().len(), 1);
}
