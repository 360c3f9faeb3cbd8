//! The point of a row: where its trial was evaluated.

use crate::data::Value;
use crate::data::trial::{Origin, TrialState};
use crate::error::{Error, ErrorKind, Result};
#[cfg(feature = "serde")]
use crate::math::number::list;
use crate::study::record::cells::Pass;
#[cfg(feature = "serde")]
use crate::study::record::named;

/// The point of a [`Row`](crate::study::Row): where its trial was evaluated.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Point {
    /// The parameters' names and values in their order.
    #[cfg_attr(feature = "serde", serde(with = "named"))]
    pub values: Vec<(String, Value)>,
    /// The point in the unit cube.
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub unit: Vec<f64>,
    /// Its row, in a table.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub row: Option<usize>,
}

/// What a record says of a point, which is not the same for every kind of study.
pub trait RowPoint: Clone {
    /// What its names are names of.
    const NAMED: &str;
    /// Whether a cost may be told apart from its outcome.
    const PAID_APART: bool;

    /// A point to be filled. Each name has a `single` column of the unit cube, or one has not.
    fn blank(names: &[&str], single: bool) -> Self;

    /// The names of the parameters or variables in their order.
    fn names(&self) -> impl Iterator<Item = &str>;

    /// Whether each name has a single column of the unit cube.
    fn is_single(&self) -> bool;

    /// Checks the point of a trial against that of the first one, which has the same names.
    fn check(&self, first: &Self, origin: Origin, state: TrialState) -> Result<()>;

    /// Its columns.
    fn go_over(&mut self, names: &[&str], pass: &mut impl Pass) -> Result<()>;
}

impl RowPoint for Point {
    const NAMED: &str = "parameters";
    const PAID_APART: bool = true;

    fn blank(names: &[&str], single: bool) -> Self {
        Self {
            values: names.iter().map(|name| (name.to_string(), Value::Absent)).collect(),
            unit: vec![0.0; if single { names.len() } else { 0 }],
            row: None,
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(name, _)| name.as_str())
    }

    fn is_single(&self) -> bool {
        self.unit.len() == self.values.len()
    }

    fn check(&self, first: &Self, _: Origin, _: TrialState) -> Result<()> {
        let [own, known] = [self, first].map(|point| point.unit.len());
        if own != known {
            let message =
                format!("a point of {own} coordinates, while that of trial 0 has {known}");
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        Ok(())
    }

    fn go_over(&mut self, names: &[&str], pass: &mut impl Pass) -> Result<()> {
        for (name, value) in &mut self.values {
            pass.field(&format!("value.{name}"), value)?;
        }
        if self.is_single() {
            for (name, u) in names.iter().zip(&mut self.unit) {
                pass.field(&format!("unit.{name}"), u)?;
            }
        } else {
            pass.field("unit", &mut self.unit)?;
        }
        pass.maybe("row", &mut self.row)
    }
}
