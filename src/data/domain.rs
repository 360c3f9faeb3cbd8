//! What is searched: a space or a table.

use crate::data::{Space, Table};
use crate::error::Result;

/// What is searched: a continuous or mixed [`Space`], or a finite [`Table`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Domain {
    /// A box of named parameters.
    Space(Space),
    /// A list of candidates.
    Table(Table),
}

impl From<Space> for Domain {
    fn from(space: Space) -> Self {
        Self::Space(space)
    }
}

impl From<Table> for Domain {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl Domain {
    /// The number of parameters `d`.
    pub fn dim(&self) -> usize {
        match self {
            Self::Space(space) => space.dim(),
            Self::Table(table) => table.dim(),
        }
    }

    /// Whether it has finitely many points: the rows of a table, or the cells of a space of whole
    /// numbers only. In any other domain a point that was evaluated has others arbitrarily near.
    /// The best of all points is then as good as the best point that was not evaluated.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Space(space) => space.is_finite(),
            Self::Table(_) => true,
        }
    }

    /// The names of the parameters in order.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Space(space) => space.names().collect(),
            Self::Table(table) => table.names().collect(),
        }
    }

    /// Checks a space as [`Space::validate`] does. A table was checked when it was made.
    ///
    /// # Errors
    /// Those of [`Space::validate`].
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Space(space) => space.validate(),
            Self::Table(_) => Ok(()),
        }
    }

    /// The user's values as a point of the unit cube. For a table they must be those of a row.
    ///
    /// # Errors
    /// Those of [`Space::to_unit`] and of [`Table::row_of`].
    pub fn to_unit(&self, values: &[f64]) -> Result<Vec<f64>> {
        match self {
            Self::Space(space) => space.to_unit(values),
            Self::Table(table) => Ok(table.points().row(table.row_of(values)?).to_vec()),
        }
    }

    /// A point of the unit cube as the user's values. For a table these are the values of the
    /// nearest row.
    ///
    /// # Panics
    /// If the point has another dimension than the domain.
    pub fn user_values(&self, unit: &[f64]) -> Vec<f64> {
        match self {
            Self::Space(space) => space.from_unit(unit),
            Self::Table(table) => {
                assert_eq!(unit.len(), table.dim(), "a point of the table's dimension");
                table.row(table.nearest(unit)).to_vec()
            }
        }
    }
}
