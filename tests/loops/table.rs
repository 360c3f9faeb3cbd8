//! Loops over a finite table.

use std::collections::HashSet;

use gittins::stop::TrialLimit;
use gittins::study::TrialState;
use gittins::{Acquisition, Cost, ErrorKind, Outcome, Result, Study, Table};

fn grid(side: usize) -> Table {
    let rows =
        (0..side * side).map(|i| vec![(i % side) as f64, 10f64.powi((i / side) as i32)]).collect();
    Table::new(["a", "b"], rows).unwrap().log("b").unwrap()
}

fn outcome(values: &[f64]) -> f64 {
    (values[0] - 2.0).powi(2) + (values[1].log10() - 1.0).powi(2)
}

#[test]
fn a_table_is_asked_row_by_row_until_nothing_is_left() -> Result<()> {
    let table = grid(4);
    let mut study = Study::minimize(table.clone())
        .policy(Acquisition::gittins(1e-6))
        .stop(TrialLimit::new(100))
        .build()?;
    let mut seen = HashSet::new();
    for trial in 0..16 {
        assert!(!study.verdict()?.is_stop(), "after {trial} trials");
        let ask = study.ask()?;
        let row = ask.row().unwrap();
        assert!(seen.insert(row), "row {row} was asked for twice");
        assert_eq!(ask.numbers(), table.row(row));
        study.tell(
            ask.id(),
            if trial == 3 { Outcome::failed() } else { Outcome::new(outcome(ask.numbers())) },
        )?;
    }
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    let verdict = study.verdict()?;
    assert!(verdict.is_stop());
    assert_eq!(verdict.reason().to_string(), "stop: all 16 rows were evaluated");
    Ok(())
}

#[test]
fn rows_under_way_are_not_left_and_are_not_done() -> Result<()> {
    let mut study =
        Study::minimize(grid(2)).policy(Acquisition::gittins(1e-3)).initial(2).build()?;
    for _ in 0..2 {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers())))?;
    }
    let open = [study.ask()?, study.ask()?];
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    assert_eq!(study.counts().pending, 2);
    // The two trials are not evaluated, so there is something left to compare with.
    assert!(study.verdict()?.reason().statistic.is_finite());
    for ask in &open {
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers())))?;
    }
    assert!(study.verdict()?.is_stop());
    assert!(study.history().iter().all(|t| t.state == TrialState::Complete));
    Ok(())
}

#[test]
fn a_table_with_fewer_rows_than_the_design_is_all_design() -> Result<()> {
    let mut study = Study::maximize(grid(2)).cost(Cost::known(|v| v[1])).build()?;
    for _ in 0..4 {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers())))?;
    }
    assert!(study.verdict()?.is_stop());
    assert_eq!(study.total_cost(), 22.0);
    Ok(())
}

#[test]
fn twins_are_evaluated_once() -> Result<()> {
    let rows = vec![vec![0.0], vec![1.0], vec![1.0], vec![2.0], vec![1.0]];
    let mut study = Study::minimize(Table::new(["x"], rows)?).initial(2).build()?;
    let mut asked = Vec::new();
    while let Ok(ask) = study.ask() {
        asked.push(ask.numbers()[0]);
        study.tell(ask.id(), Outcome::new(ask.numbers()[0]))?;
    }
    asked.sort_by(f64::total_cmp);
    assert_eq!(asked, [0.0, 1.0, 2.0]);
    assert!(study.verdict()?.is_stop());
    Ok(())
}

#[test]
fn imported_rows_are_taken_and_other_points_refused() -> Result<()> {
    let mut study = Study::minimize(grid(2)).initial(0).build()?;
    let id = study.import(&[1.0, 10.0], Outcome::new(3.0))?;
    assert_eq!(study.history()[id.index()].row, Some(3));
    let error = study.import(&[0.5, 10.0], Outcome::new(3.0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfBounds);
    for _ in 0..3 {
        let ask = study.ask()?;
        assert_ne!(ask.row(), Some(3));
    }
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    Ok(())
}
