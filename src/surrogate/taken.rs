//! Points that must not be suggested.

use std::collections::HashSet;

use crate::data::Table;

/// The points that must not be suggested, by their exact coordinates; in a table by their rows.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    points: HashSet<Vec<u64>>,
}

impl Taken {
    /// Takes a point.
    pub fn insert(&mut self, unit: &[f64]) {
        self.points.insert(key(unit));
    }

    /// Releases a point.
    pub fn remove(&mut self, unit: &[f64]) {
        self.points.remove(&key(unit));
    }

    /// Whether exactly this point is taken.
    pub fn contains(&self, unit: &[f64]) -> bool {
        self.points.contains(&key(unit))
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// One flag per row of a table. A row equal to a taken row is taken too, because no model can
    /// tell them apart.
    pub fn rows(&self, table: &Table) -> Vec<bool> {
        table.points().rows().map(|row| self.contains(row)).collect()
    }
}

impl<'a> FromIterator<&'a [f64]> for Taken {
    fn from_iter<I: IntoIterator<Item = &'a [f64]>>(points: I) -> Self {
        Self { points: points.into_iter().map(key).collect() }
    }
}

/// The bits of the coordinates. Adding zero turns -0 into 0.
pub(crate) fn key(unit: &[f64]) -> Vec<u64> {
    unit.iter().map(|u| (u + 0.0).to_bits()).collect()
}
