//! Points that must not be suggested.

use std::collections::BTreeMap;

use crate::data::Table;
use crate::math::points::{ROUNDING, is_same};

/// The points that must not be suggested; in a table by their rows. Points whose coordinates differ
/// by rounding alone are the same.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// By a sum of their coordinates, in which equal points are neighbors.
    points: BTreeMap<u64, Vec<Vec<f64>>>,
    count: usize,
}

impl Taken {
    /// Takes a point, and says whether it was free.
    pub fn insert(&mut self, unit: &[f64]) -> bool {
        let is_free = !self.contains(unit);
        if is_free {
            self.points.entry(place(mark(unit).0)).or_default().push(unit.to_vec());
            self.count += 1;
        }
        is_free
    }

    /// Releases a point.
    pub fn remove(&mut self, unit: &[f64]) {
        for (_, points) in self.points.range_mut(near(unit)) {
            let before = points.len();
            points.retain(|point| !is_same(point, unit));
            self.count -= before - points.len();
        }
    }

    /// Whether this point is taken.
    pub fn contains(&self, unit: &[f64]) -> bool {
        self.count > 0
            && self
                .points
                .range(near(unit))
                .any(|(_, points)| points.iter().any(|point| is_same(point, unit)))
    }

    /// The number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// One flag per row of a table. A row equal to a taken row is taken too, because no model can
    /// tell them apart.
    pub fn rows(&self, table: &Table) -> Vec<bool> {
        table.points().rows().map(|row| self.contains(row)).collect()
    }
}

impl<'a> FromIterator<&'a [f64]> for Taken {
    fn from_iter<I: IntoIterator<Item = &'a [f64]>>(points: I) -> Self {
        let mut taken = Self::default();
        for point in points {
            taken.insert(point);
        }
        taken
    }
}

/// A sum of the coordinates in which hardly two different points are alike, and by how much that of
/// the same point may be another.
fn mark(unit: &[f64]) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut sum, mut weights, mut part) = (0.0, 0.0, 0.0);
    for u in unit {
        part = (part + GOLDEN) % 1.0;
        sum += (1.0 + part) * u;
        weights += 1.0 + part;
    }
    (sum, weights * (ROUNDING + unit.len() as f64 * f64::EPSILON))
}

/// Bits that rise with a sum. No coordinate is negative.
fn place(sum: f64) -> u64 {
    sum.max(0.0).to_bits()
}

/// Where the points are that may be the same as another one.
fn near(unit: &[f64]) -> std::ops::RangeInclusive<u64> {
    let (sum, rounding) = mark(unit);
    place(sum - rounding)..=place(sum + rounding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_differ_by_rounding_are_one() {
        let mut taken: Taken =
            [[0.0, 0.25, 1.0].as_slice(), &[0.25, 0.0, 1.0]].into_iter().collect();
        let rounded = [1e-16, 0.25 + 1e-15, 1.0 - 2.0 * f64::EPSILON];
        assert!(taken.contains(&rounded) && !taken.contains(&[0.0, 0.25, 1.0 - 1e-12]));
        taken.insert(&rounded);
        assert_eq!(taken.count(), 2);
        taken.remove(&rounded);
        assert_eq!(taken.count(), 1);
        assert!(!taken.contains(&[0.0, 0.25, 1.0]) && taken.contains(&[0.25, -0.0, 1.0]));
        // Of so many coordinates the sum is rounded by more than these are.
        let wide = vec![0.7; 2000];
        let other: Vec<f64> = wide.iter().map(|u| u + 9e-15).collect();
        taken.insert(&wide);
        assert!(taken.contains(&other));
    }
}
