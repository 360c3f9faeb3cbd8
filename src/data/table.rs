//! A finite table of candidates.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::data::Points;
use crate::data::space::{check_dim, check_names, describe, unknown};
use crate::error::{Error, ErrorKind, Result};

/// A finite table of `n` candidates in `d` named columns, instead of a [`Space`](crate::Space).
///
/// Each column is mapped to the unit interval by its own smallest and largest value, or by bounds
/// from [`within`](Self::within); with [`log`](Self::log), by the logarithms of these. A constant
/// column without bounds lies at one half, since it tells no rows apart. A clone shares the rows.
///
/// ```
/// use gittins::Table;
/// let table = Table::new(["batch", "rate"], vec![vec![16.0, 1e-4], vec![64.0, 1e-2], vec![32.0, 1e-3]])?.log("rate")?;
/// assert_eq!(table.points().row(1), &[1.0, 1.0]);
/// assert_eq!(table.row_of(&[32.0, 1e-3])?, 2);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    rows: Arc<Rows>,
}

#[derive(Debug, PartialEq)]
struct Rows {
    names: Vec<String>,
    values: Points,
    scales: Vec<Scale>,
    unit: Points,
    /// Row numbers, sorted by unit coordinates and then by number. A point and its twins are found
    /// by bisection.
    order: Vec<usize>,
}

/// The map of one column onto the unit interval.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    log: bool,
    /// The bounds that were set, in the user's values.
    bounds: Option<[f64; 2]>,
    low: f64,
    high: f64,
}

impl Scale {
    /// Halves keep the width finite for any finite bounds. Adding zero turns -0 into 0, because
    /// both must sort as equal.
    fn unit(self, value: f64) -> f64 {
        let value = if self.log { value.ln() } else { value };
        let width = 0.5 * self.high - 0.5 * self.low;
        if width > 0.0 { (0.5 * value - 0.5 * self.low) / width + 0.0 } else { 0.5 }
    }
}

impl Table {
    /// A table from the names of its columns and its rows. All columns are linear.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a column or a row, [`ErrorKind::UnknownParameter`] if two
    /// columns share a name, [`ErrorKind::InvalidSetting`] for an empty name,
    /// [`ErrorKind::Dimension`] for a row of another length, and [`ErrorKind::NonFinite`] for a
    /// value that is not finite, naming row and column.
    pub fn new(
        names: impl IntoIterator<Item = impl Into<String>>,
        rows: Vec<Vec<f64>>,
    ) -> Result<Self> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        check_names(names.iter().map(String::as_str))?;
        if rows.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "expected at least one row, got none"));
        }
        let mut values = Points::with_capacity(names.len(), rows.len());
        for (index, row) in rows.iter().enumerate() {
            check_dim(row.len(), names.len()).map_err(|error| error.at(format!("row {index}")))?;
            if let Some(column) = row.iter().position(|value| !value.is_finite()) {
                let message = format!(
                    "row {index}, column {:?}: expected a finite value, got {}",
                    names[column], row[column]
                );
                return Err(Error::new(ErrorKind::NonFinite, message));
            }
            values.push(row);
        }
        let maps = vec![(false, None); names.len()];
        Ok(Self::build(names, values, &maps))
    }

    /// Puts a column on a log scale.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownParameter`] if no column has the name, [`ErrorKind::InvalidSetting`] if
    /// a value of the column is not positive, naming its row.
    pub fn log(self, name: &str) -> Result<Self> {
        let column = self.column(name)?;
        if let Some(row) = (0..self.len()).find(|&row| self.row(row)[column] <= 0.0) {
            let message = format!(
                "row {row}, column {name:?}: a log scale needs positive values, got {}",
                self.row(row)[column]
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        if let Some([low, _]) = self.rows.scales[column].bounds.filter(|[low, _]| *low <= 0.0) {
            let message = format!("column {name:?}: a log scale needs positive bounds, got {low}");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        Ok(self.remapped(column, |(log, _)| *log = true))
    }

    /// Maps a column to the unit interval by these bounds instead of its own extremes, for rows
    /// that were drawn from a known box. A value outside widens the bounds, so every row stays
    /// inside the unit cube.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownParameter`] if no column has the name, [`ErrorKind::NonFinite`] for a
    /// bound that is not finite, and [`ErrorKind::InvalidSetting`] if the bounds do not rise or, on
    /// a log scale, are not positive.
    pub fn within(self, name: &str, low: f64, high: f64) -> Result<Self> {
        let column = self.column(name)?;
        if !low.is_finite() || !high.is_finite() {
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("column {name:?}: bounds must be finite, got [{low}, {high}]"),
            ));
        }
        if low >= high || (self.rows.scales[column].log && low <= 0.0) {
            let message = format!(
                "column {name:?}: bounds must rise, and be positive on a log scale, got [{low}, {high}]"
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        Ok(self.remapped(column, |(_, bounds)| *bounds = Some([low, high])))
    }

    fn column(&self, name: &str) -> Result<usize> {
        self.names().position(|other| other == name).ok_or_else(|| unknown(name, self.names()))
    }

    /// The same rows with another map of one column.
    fn remapped(self, column: usize, change: impl FnOnce(&mut (bool, Option<[f64; 2]>))) -> Self {
        let mut maps: Vec<_> =
            self.rows.scales.iter().map(|scale| (scale.log, scale.bounds)).collect();
        change(&mut maps[column]);
        Self::build(self.rows.names.clone(), self.rows.values.clone(), &maps)
    }

    fn build(names: Vec<String>, values: Points, maps: &[(bool, Option<[f64; 2]>)]) -> Self {
        let scale = |(column, &(log, bounds)): (usize, &(bool, Option<[f64; 2]>))| {
            let seen = values.rows().map(|row| row[column]).chain(bounds.into_iter().flatten());
            let (low, high) =
                seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    let value = if log { value.ln() } else { value };
                    (low.min(value), high.max(value))
                });
            Scale { log, bounds, low, high }
        };
        let scales: Vec<Scale> = maps.iter().enumerate().map(scale).collect();
        let mut unit = Points::with_capacity(values.dim(), values.len());
        for row in values.rows() {
            unit.push(&to_unit(&scales, row));
        }
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| compare(unit.row(a), unit.row(b)).then(a.cmp(&b)));
        Self { rows: Arc::new(Rows { names, values, scales, unit, order }) }
    }

    /// The number of rows `n`.
    pub fn len(&self) -> usize {
        self.rows.values.len()
    }

    /// Whether there is no row; a table always has one.
    pub fn is_empty(&self) -> bool {
        self.rows.values.is_empty()
    }

    /// The number of columns `d`.
    pub fn dim(&self) -> usize {
        self.rows.names.len()
    }

    /// The names of the columns in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.names.iter().map(String::as_str)
    }

    /// All rows as points of the unit cube, `n x d`.
    pub fn points(&self) -> &Points {
        &self.rows.unit
    }

    /// A row in the user's values.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, index: usize) -> &[f64] {
        self.rows.values.row(index)
    }

    /// The first row with exactly these values.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for another number of values, [`ErrorKind::NonFinite`] for a value
    /// that is not finite, [`ErrorKind::OutOfBounds`] if no row has them.
    pub fn row_of(&self, values: &[f64]) -> Result<usize> {
        check_dim(values.len(), self.dim())?;
        if let Some((name, value)) = self.names().zip(values).find(|(_, value)| !value.is_finite())
        {
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("column {name:?}: expected a finite value, got {value}"),
            ));
        }
        // The same arithmetic on the same values gives the same coordinates. The logarithm of a
        // value that is not positive matches no row.
        let found = &self.rows.order[self.range(&to_unit(&self.rows.scales, values))];
        found.iter().copied().find(|&row| self.row(row) == values).ok_or_else(|| {
            Error::new(
                ErrorKind::OutOfBounds,
                format!("none of the {} rows has {}", self.len(), describe(self.names(), values)),
            )
        })
    }

    /// The rows with the same unit coordinates as a row, itself included, in order. To a model they
    /// are one point.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn twins(&self, index: usize) -> &[usize] {
        &self.rows.order[self.range(self.rows.unit.row(index))]
    }

    /// The number of rows that differ from each other in the unit cube.
    pub fn different(&self) -> usize {
        (0..self.len()).filter(|&row| self.twins(row)[0] == row).count()
    }

    /// The row nearest to a point of the unit cube; the first if several are equally near.
    pub(super) fn nearest(&self, unit: &[f64]) -> usize {
        if let Some(&row) = self.rows.order[self.range(unit)].first() {
            return row;
        }
        let distance =
            |row: &[f64]| row.iter().zip(unit).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let distances = self.rows.unit.rows().map(distance).enumerate();
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(row, _)| row)
    }

    /// The range of the rows with these coordinates in the sorted order.
    fn range(&self, unit: &[f64]) -> Range<usize> {
        let Rows { order, unit: points, .. } = &*self.rows;
        let start = order.partition_point(|&row| compare(points.row(row), unit) == Ordering::Less);
        let end = start
            + order[start..]
                .partition_point(|&row| compare(points.row(row), unit) == Ordering::Equal);
        start..end
    }
}

fn to_unit(scales: &[Scale], values: &[f64]) -> Vec<f64> {
    scales.iter().zip(values).map(|(scale, &value)| scale.unit(value)).collect()
}

/// Lexicographic order of coordinates.
fn compare(a: &[f64], b: &[f64]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.total_cmp(b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
