//! The record of a run by columns.

use gittins::Record;
use gittins::study::{Row, Suggested};

use crate::scalar::{Point, Scalar, point_of};

/// What is known of each trial, by its name, and the values of each trial in the order of the space.
pub type Columns = (Vec<(&'static str, Point)>, Vec<Point>);

/// The columns of a record.
pub fn columns(record: &Record) -> Columns {
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
    let values = |row: &Row| point_of(row.point.values.iter().map(|(_, value)| value));
    (facts, record.rows().iter().map(values).collect())
}
