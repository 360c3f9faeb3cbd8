//! A finite table of candidates.

#[cfg(feature = "journal")]
pub(crate) mod fingerprint;

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::data::space::embedding::place_absent;
use crate::data::space::space::{check_dim, check_names, describe, unknown};
use crate::data::{ParameterKind, Points, Space, Value};
use crate::error::{Error, ErrorKind, Result};

/// A finite table of `n` candidates in `d` named columns, instead of a [`Space`](crate::Space).
///
/// Each column is mapped to the unit interval by its own smallest and largest value, or by bounds
/// from [`within`](Self::within); with [`log`](Self::log), by the logarithms of these. A constant
/// column without bounds lies at one half, since it tells no rows apart. A column of names or flags
/// is one choice among those that occur in it, any two of them equally far from each other. A clone
/// shares the rows.
///
/// ```
/// use gittins::Table;
/// let table = Table::new(["batch", "rate"], vec![vec![16.0, 1e-4], vec![64.0, 1e-2], vec![32.0, 1e-3]])?.log("rate")?;
/// assert_eq!(table.points().row(1), &[1.0, 1.0]);
/// assert_eq!(table.row_of(&[32.0, 1e-3])?, 2);
///
/// let seeds = Table::new(["variety", "depth"], vec![
///     vec!["barley".into(), 3.0.into()], vec!["oats".into(), 4.0.into()], vec!["rye".into(), gittins::Value::from(3.0)],
/// ])?;
/// assert_eq!(seeds.values(1)[0], "oats");
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    rows: Arc<Rows>,
    /// What the rows are called; nothing if they have no labels.
    labels: Arc<[String]>,
}

#[derive(Debug, PartialEq)]
struct Rows {
    names: Vec<String>,
    /// Numbers, and indices of names; NaN for what is absent.
    values: Points,
    columns: Vec<Column>,
    unit: Points,
    /// Row numbers, sorted by unit coordinates and then by number. A point and its twins are found
    /// by bisection.
    order: Vec<usize>,
}

/// What a column of the table is in the unit cube.
#[derive(Debug, Clone, PartialEq)]
enum Column {
    /// Numbers on a line.
    Line(Scale),
    /// Names or flags: a space of this one parameter says where they stand.
    Names(Space),
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
    /// both must sort as equal. What is absent stands in the middle.
    fn unit(self, value: f64) -> f64 {
        let value = if self.log { value.ln() } else { value };
        let width = 0.5 * self.high - 0.5 * self.low;
        if width > 0.0 && !value.is_nan() {
            (0.5 * value - 0.5 * self.low) / width + 0.0
        } else {
            0.5
        }
    }
}

impl Column {
    fn width(&self) -> usize {
        match self {
            Self::Line(_) => 1,
            Self::Names(space) => space.dim().max(1),
        }
    }

    /// The columns of the unit cube for a number that stands for a value.
    fn push_unit(&self, code: f64, unit: &mut Vec<f64>) {
        match self {
            Self::Line(scale) => unit.push(scale.unit(code)),
            Self::Names(_) if code.is_nan() => {
                let first = unit.len();
                unit.resize(first + self.width(), 0.0);
                place_absent(&mut unit[first..]);
            }
            Self::Names(space) if space.dim() == 0 => unit.push(1.0),
            Self::Names(space) => unit.extend(space.view().express(&[code])),
        }
    }

    fn code(&self, value: &Value) -> Result<f64> {
        match (self, value) {
            (_, Value::Absent) => Ok(f64::NAN),
            (Self::Names(space), value) => space.parameters()[0].kind().code(value),
            (Self::Line(_), value) => match value.number() {
                Some(number) if number.is_finite() => Ok(number),
                Some(number) => Err(Error::new(
                    ErrorKind::NonFinite,
                    format!("expected a finite value, got {number}"),
                )),
                None => Err(Error::new(
                    ErrorKind::OutOfBounds,
                    format!("expected a number, got {value}"),
                )),
            },
        }
    }

    fn value(&self, code: f64) -> Value {
        match self {
            _ if code.is_nan() => Value::Absent,
            Self::Line(_) => Value::Float(code),
            Self::Names(space) => space.parameters()[0].kind().value(code),
        }
    }
}

/// A value outside a column that was made of its values is of another kind than the first of them.
fn of_two_kinds(error: Error) -> Error {
    match error.kind() {
        ErrorKind::OutOfBounds => Error::new(
            ErrorKind::InvalidSetting,
            format!("a column has names, flags or numbers, not several of them: {error}"),
        ),
        _ => error,
    }
}

impl Table {
    /// A table from the names of its columns and its rows. All columns of numbers are linear.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a column or a row, [`ErrorKind::UnknownParameter`] if two
    /// columns share a name, [`ErrorKind::InvalidSetting`] for an empty name and for a column with
    /// names and numbers, names and flags, or numbers after flags (a flag among numbers is 0 or 1),
    /// [`ErrorKind::Dimension`] for a row of another length, and [`ErrorKind::NonFinite`] for a
    /// value that is not finite, naming row and column.
    pub fn new<V: Into<Value> + Clone>(
        names: impl IntoIterator<Item = impl Into<String>>,
        rows: Vec<Vec<V>>,
    ) -> Result<Self> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        check_names(names.iter().map(String::as_str))?;
        if rows.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "expected at least one row, got none"));
        }
        let mut values: Vec<Vec<Value>> = Vec::with_capacity(rows.len());
        for (index, row) in rows.into_iter().enumerate() {
            check_dim(row.len(), names.len()).map_err(|error| error.at(format!("row {index}")))?;
            values.push(row.into_iter().map(Into::into).collect());
        }
        let columns: Vec<Column> = (0..names.len())
            .map(|column| column_of(values.iter().map(|row| &row[column])))
            .collect();
        let mut codes = Points::with_capacity(names.len(), values.len());
        for (index, row) in values.iter().enumerate() {
            let code = |((column, value), name): ((&Column, &Value), &String)| {
                column
                    .code(value)
                    .map_err(of_two_kinds)
                    .map_err(|error| error.at(format!("row {index}, column {name:?}")))
            };
            let row: Result<Vec<f64>> = columns.iter().zip(row).zip(&names).map(code).collect();
            codes.push(&row?);
        }
        Ok(Self::build(names, codes, columns))
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
        if let Some([low, _]) = self.scale(column)?.bounds.filter(|[low, _]| *low <= 0.0) {
            let message = format!("column {name:?}: a log scale needs positive bounds, got {low}");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        Ok(self.remapped(column, |scale| scale.log = true))
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
        if low >= high || (self.scale(column)?.log && low <= 0.0) {
            let message = format!(
                "column {name:?}: bounds must rise, and be positive on a log scale, got [{low}, {high}]"
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        Ok(self.remapped(column, |scale| scale.bounds = Some([low, high])))
    }

    /// Calls each row by a label, such as the name of a model, which stands beside its values wherever
    /// the row is shown. No model sees labels.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] unless there is a label for each row.
    pub fn labels(self, labels: impl IntoIterator<Item = impl Into<String>>) -> Result<Self> {
        let labels: Vec<String> = labels.into_iter().map(Into::into).collect();
        check_dim(labels.len(), self.len()).map_err(|error| error.at("labels"))?;
        Ok(Self { labels: labels.into(), ..self })
    }

    /// What a row is called, if it has a label.
    pub(in crate::data) fn label(&self, row: usize) -> Option<&str> {
        self.labels.get(row).map(String::as_str).filter(|label| !label.is_empty())
    }

    fn column(&self, name: &str) -> Result<usize> {
        self.names().position(|other| other == name).ok_or_else(|| unknown(name, self.names()))
    }

    /// The scale of a column of numbers.
    fn scale(&self, column: usize) -> Result<Scale> {
        match &self.rows.columns[column] {
            Column::Line(scale) => Ok(*scale),
            Column::Names(_) => Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("column {:?}: names have no scale", self.rows.names[column]),
            )),
        }
    }

    /// The same rows with another map of one column.
    fn remapped(self, column: usize, change: impl FnOnce(&mut Scale)) -> Self {
        let mut columns = self.rows.columns.clone();
        if let Column::Line(scale) = &mut columns[column] {
            change(scale);
        }
        let table = Self::build(self.rows.names.clone(), self.rows.values.clone(), columns);
        Self { labels: self.labels, ..table }
    }

    fn build(names: Vec<String>, values: Points, mut columns: Vec<Column>) -> Self {
        for (column, kind) in columns.iter_mut().enumerate() {
            let Column::Line(scale) = kind else { continue };
            let told = values.rows().map(|row| row[column]).filter(|value| !value.is_nan());
            let seen = told.chain(scale.bounds.into_iter().flatten());
            (scale.low, scale.high) =
                seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    let value = if scale.log { value.ln() } else { value };
                    (low.min(value), high.max(value))
                });
        }
        let width = columns.iter().map(Column::width).sum();
        let mut unit = Points::with_capacity(width, values.len());
        for row in values.rows() {
            unit.push(&to_unit(&columns, row));
        }
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| compare(unit.row(a), unit.row(b)).then(a.cmp(&b)));
        Self { rows: Arc::new(Rows { names, values, columns, unit, order }), labels: [].into() }
    }

    /// The number of rows `n`.
    pub fn len(&self) -> usize {
        self.rows.values.len()
    }

    /// Whether there is no row; a table always has one.
    pub fn is_empty(&self) -> bool {
        self.rows.values.is_empty()
    }

    /// The number of columns of the unit cube: one for a column of numbers, as for a parameter of a
    /// [`Space`](crate::Space) for a column of names.
    pub fn dim(&self) -> usize {
        self.rows.unit.dim()
    }

    /// The column of the table that each column of the unit cube belongs to.
    pub(in crate::data) fn groups(&self) -> Vec<usize> {
        let widths = self.rows.columns.iter().map(Column::width).filter(|width| *width > 0);
        let groups = widths.enumerate();
        groups.flat_map(|(column, width)| std::iter::repeat_n(column, width)).collect()
    }

    /// The names of the columns in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.names.iter().map(String::as_str)
    }

    /// All rows as points of the unit cube, `n x d`.
    pub fn points(&self) -> &Points {
        &self.rows.unit
    }

    /// Whether each column of the table that tells rows apart has flags or names.
    pub(in crate::data) fn are_names(&self) -> Vec<bool> {
        let varied = self.rows.columns.iter().filter(|column| column.width() > 0);
        varied.map(|column| matches!(column, Column::Names(_))).collect()
    }

    /// The kind of a column of flags or names; none for one of numbers.
    pub(in crate::data) fn kind(&self, column: usize) -> Option<&ParameterKind> {
        match &self.rows.columns[column] {
            Column::Line(_) => None,
            Column::Names(space) => Some(space.parameters()[0].kind()),
        }
    }

    /// A row as numbers: those of the user, or the index of a name among those of its column in the
    /// order of the rows, 0 and 1 for a flag, NaN for what is absent.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, index: usize) -> &[f64] {
        self.rows.values.row(index)
    }

    /// A row in the user's values.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn values(&self, index: usize) -> Vec<Value> {
        let value = |(column, &code): (&Column, &f64)| column.value(code);
        self.rows.columns.iter().zip(self.row(index)).map(value).collect()
    }

    /// The first row with exactly these values.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for another number of values, [`ErrorKind::NonFinite`] for a value
    /// that is not finite, [`ErrorKind::OutOfBounds`] if no row has them.
    pub fn row_of<V: Into<Value> + Clone>(&self, values: &[V]) -> Result<usize> {
        let values: Vec<Value> = values.iter().cloned().map(Into::into).collect();
        check_dim(values.len(), self.names().count())?;
        let code = |((column, value), name): ((&Column, &Value), &str)| {
            column.code(value).map_err(|error| error.at(format!("column {name:?}")))
        };
        let codes: Result<Vec<f64>> =
            self.rows.columns.iter().zip(&values).zip(self.names()).map(code).collect();
        let codes = codes?;
        // The same arithmetic on the same values gives the same coordinates. The logarithm of a
        // value that is not positive matches no row.
        let same = |&row: &usize| {
            let pairs = self.row(row).iter().zip(&codes);
            pairs.into_iter().all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
        };
        let found = &self.rows.order[self.range(&to_unit(&self.rows.columns, &codes))];
        found.iter().copied().find(same).ok_or_else(|| {
            Error::new(
                ErrorKind::OutOfBounds,
                format!("none of the {} rows has {}", self.len(), describe(self.names(), &values)),
            )
        })
    }

    /// The rows with the same unit coordinates as a row, itself included, in order. To a model they
    /// are one point.
    ///
    /// # Panics
    /// If there is no such row.
    #[doc(hidden)]
    pub fn twins(&self, index: usize) -> &[usize] {
        &self.rows.order[self.range(self.rows.unit.row(index))]
    }

    /// The number of rows that differ from each other in the unit cube.
    #[doc(hidden)]
    pub fn different(&self) -> usize {
        (0..self.len()).filter(|&row| self.twins(row)[0] == row).count()
    }

    /// The row nearest to a point of the unit cube; the first if several are equally near.
    pub(in crate::data) fn nearest(&self, unit: &[f64]) -> usize {
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

fn to_unit(columns: &[Column], codes: &[f64]) -> Vec<f64> {
    let mut unit = Vec::with_capacity(codes.len());
    columns.iter().zip(codes).for_each(|(column, &code)| column.push_unit(code, &mut unit));
    unit
}

/// The column of these values: names, flags or numbers, as the first of them that is there.
fn column_of<'a>(values: impl Iterator<Item = &'a Value> + Clone) -> Column {
    let line = Scale { log: false, bounds: None, low: 0.0, high: 0.0 };
    let kind = match values.clone().find(|value| **value != Value::Absent) {
        Some(Value::Flag(_)) => ParameterKind::Flag,
        Some(Value::Name(_)) => {
            let mut names: Vec<Arc<str>> = Vec::new();
            for value in values {
                if let Value::Name(name) = value
                    && !names.contains(name)
                {
                    names.push(name.clone());
                }
            }
            match &names[..] {
                // A single name stands where a flag that is true does: rows without it differ.
                [name] => ParameterKind::Constant { value: Value::Name(name.clone()) },
                _ => ParameterKind::Choice { names: names.into() },
            }
        }
        _ => return Column::Line(line),
    };
    Column::Names(Space::new().parameter("column", kind))
}

/// Lexicographic order of coordinates.
fn compare(a: &[f64], b: &[f64]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.total_cmp(b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
