//! The point of a trial: in the unit cube, in a table, and in the user's values.

use crate::data::{Domain, Value};
use crate::error::{Error, ErrorKind, Result};

/// A point in the unit cube, and its row in a table.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub unit: Vec<f64>,
    pub row: Option<usize>,
}

/// Where a trial is that somebody else chose.
pub struct Located {
    pub drawn: Drawn,
    /// The values as the domain has them.
    pub values: Vec<Value>,
}

impl Located {
    /// The place of these values.
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the values, naming the parameter; for a table
    /// also those of values that no row has.
    pub fn new<V: Into<Value> + Clone>(domain: &Domain, values: &[V]) -> Result<Self> {
        Ok(match domain {
            Domain::Space(space) => {
                let (unit, values) = space.read(values)?;
                Self { drawn: Drawn { unit, row: None }, values }
            }
            Domain::Table(table) => {
                let row = table.row_of(values)?;
                let unit = table.points().row(row).to_vec();
                Self { drawn: Drawn { unit, row: Some(row) }, values: table.values(row) }
            }
        })
    }
}

/// The values of a point, and the same as numbers.
pub(in crate::study) fn written(domain: &Domain, drawn: &Drawn) -> (Vec<Value>, Vec<f64>) {
    match (domain, drawn.row) {
        (Domain::Table(table), Some(row)) => (table.values(row), table.row(row).to_vec()),
        (domain, _) => (domain.values_at(&drawn.unit), domain.numbers_at(&drawn.unit)),
    }
}

/// Checks that a point lies in the unit cube and, in a table, is that of its row.
pub(in crate::study) fn check_place(domain: &Domain, drawn: &Drawn) -> Result<()> {
    let Drawn { unit, row } = drawn;
    check_dim(domain.dim(), unit)?;
    let Domain::Table(table) = domain else { return Ok(()) };
    if row.is_some_and(|row| row < table.len() && table.points().row(row) == *unit) {
        return Ok(());
    }
    let rows = table.len();
    let message = match row {
        Some(row) => {
            format!("its point is not that of row {row} of the study's table of {rows} rows")
        }
        None => format!("it has no row of the study's table of {rows} rows"),
    };
    Err(Error::new(ErrorKind::OutOfBounds, message))
}

/// Checks that a point lies in the unit cube of `dim` dimensions.
pub(in crate::study) fn check_dim(dim: usize, point: &[f64]) -> Result<()> {
    if point.len() == dim && point.iter().all(|u| (0.0..=1.0).contains(u)) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::OutOfBounds,
        format!("expected a point of the unit cube in {dim} dimensions, got {point:?}"),
    ))
}
