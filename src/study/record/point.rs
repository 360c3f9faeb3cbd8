//! The point of a row: where its trial was evaluated.

use crate::data::Value;
use crate::error::{Error, ErrorKind, Result};
#[cfg(feature = "serde")]
use crate::math::number::list;
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
    /// What that row is called, if it has a [label](crate::data::Table::labels).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub label: Option<String>,
}

impl Point {
    /// The names of the parameters in their order.
    pub(in crate::study) fn names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(name, _)| name.as_str())
    }

    /// Whether each parameter has a single column of the unit cube.
    pub(super) fn is_single(&self) -> bool {
        self.unit.len() == self.values.len()
    }

    /// Checks it against that of the first trial, which has the same names.
    ///
    /// # Errors
    /// `Dimension` for a point of another dimension.
    pub(super) fn check(&self, first: &Self) -> Result<()> {
        let [own, known] = [self, first].map(|point| point.unit.len());
        if own != known {
            let message =
                format!("a point of {own} coordinates, while that of trial 0 has {known}");
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        Ok(())
    }
}
