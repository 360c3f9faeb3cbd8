//! The record of a run by columns.

use gittins::Study;
use gittins::study::{Row, Suggested};

use crate::scalar::{Point, Scalar, point_of};

/// What is known of each trial, by its name, what was measured, by its name, and the values of each
/// trial in the order of the space.
pub type Columns = (Vec<(&'static str, Point)>, Vec<(String, Point)>, Vec<Point>);

/// The columns of the record of a study.
pub fn columns(study: &Study) -> Columns {
    let record = study.record();
    let column = |cell: &dyn Fn(&Row) -> Option<Scalar>| record.rows().iter().map(cell).collect();
    let number = |cell: fn(&Row) -> Option<f64>| column(&|row| cell(row).map(Scalar::Number));
    let thought = |cell: fn(&Suggested) -> Option<f64>| {
        column(&|row| row.suggestion.as_ref().and_then(cell).map(Scalar::Number))
    };
    let whole = |number: usize| Scalar::Whole(number as i64);
    let facts = vec![
        ("trial", column(&|row| Some(whole(row.trial)))),
        ("origin", column(&|row| Some(Scalar::Text(row.origin.to_string())))),
        ("state", column(&|row| Some(Scalar::Text(row.state.to_string())))),
        ("outcome", number(|row| row.outcome)),
        ("cost", number(|row| row.cost)),
        ("spent", number(|row| row.spent)),
        ("best", number(|row| row.best)),
        ("told", column(&|row| row.told.map(whole))),
        ("mean", thought(|said| Some(said.mean))),
        ("sd", thought(|said| Some(said.sd))),
        ("expected_cost", thought(|said| said.cost)),
    ];
    let names =
        study.limits().map(|(name, _)| name).chain(study.objectives().map(|(name, _)| name));
    let measured = names.map(|name| {
        let told = |row: &Row| row.measured.get(name).map(Scalar::Number);
        (name.to_owned(), column(&told))
    });
    let values = |row: &Row| point_of(row.point.values.iter().map(|(_, value)| value));
    (facts, measured.collect(), record.rows().iter().map(values).collect())
}
