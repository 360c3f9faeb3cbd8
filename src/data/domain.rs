//! What is searched: a space or a table.

use crate::data::{Space, Table, Value};
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
    /// The number of columns of the unit cube.
    pub fn dim(&self) -> usize {
        match self {
            Self::Space(space) => space.dim(),
            Self::Table(table) => table.dim(),
        }
    }

    /// Whether it has finitely many points: the rows of a table, or the points of a space without real
    /// numbers that may stand anywhere. In any other domain a point that was evaluated has others
    /// arbitrarily near. The best of all points is then as good as the best point that was not
    /// evaluated.
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

    /// What a row of a table is called, if it has a [label](Table::labels).
    pub fn label(&self, row: Option<usize>) -> Option<&str> {
        match self {
            Self::Space(_) => None,
            Self::Table(table) => table.label(row?),
        }
    }

    /// Checks a space as [`Space::validate`] does. A table was checked when it was made.
    ///
    /// # Errors
    /// Those of [`Space::validate`].
    pub(crate) fn validate(&self) -> Result<()> {
        match self {
            Self::Space(space) => space.validate(),
            Self::Table(_) => Ok(()),
        }
    }

    /// The parameter of each column of the unit cube, constants not counted. The columns of one
    /// parameter have one lengthscale.
    pub(crate) fn groups(&self) -> Vec<usize> {
        match self {
            Self::Space(space) => space.view().groups(),
            Self::Table(table) => table.groups(),
        }
    }

    /// Whether each parameter that varies is a flag or a name in no order.
    pub(crate) fn are_names(&self) -> Vec<bool> {
        match self {
            Self::Space(space) => space.view().are_names(),
            Self::Table(table) => table.are_names(),
        }
    }

    /// How many patterns there are of parameters that exist together; 1 without conditions.
    pub(crate) fn patterns(&self) -> usize {
        match self {
            Self::Space(space) => space.view().patterns(),
            Self::Table(_) => 1,
        }
    }

    /// The number of parameters that vary.
    pub(crate) fn varied(&self) -> usize {
        self.groups().last().map_or(0, |last| last + 1)
    }

    /// The user's values as a point of the unit cube. For a table they must be those of a row.
    ///
    /// # Errors
    /// Those of [`Space::to_unit`] and of [`Table::row_of`].
    pub fn to_unit<V: Into<Value> + Clone>(&self, values: &[V]) -> Result<Vec<f64>> {
        match self {
            Self::Space(space) => space.to_unit(values),
            Self::Table(table) => Ok(table.points().row(table.row_of(values)?).to_vec()),
        }
    }

    /// The user's values at a point of the unit cube. For a table these are those of the nearest
    /// row.
    ///
    /// # Panics
    /// If the point has another dimension than the domain.
    pub fn values_at(&self, unit: &[f64]) -> Vec<Value> {
        match self {
            Self::Space(space) => space.values_at(unit),
            Self::Table(table) => table.values(nearest(table, unit)),
        }
    }

    /// The same as numbers: a flag is 0 or 1, a name counts by its index, and NaN stands for what
    /// is absent.
    ///
    /// # Panics
    /// If the point has another dimension than the domain.
    pub fn numbers_at(&self, unit: &[f64]) -> Vec<f64> {
        match self {
            Self::Space(space) => space.numbers_at(unit),
            Self::Table(table) => table.row(nearest(table, unit)).to_vec(),
        }
    }
}

fn nearest(table: &Table, unit: &[f64]) -> usize {
    assert_eq!(unit.len(), table.dim(), "a point of the table's dimension");
    table.nearest(unit)
}
