//! The expected improvement of a front as an acquisition.

use std::sync::Arc;

use super::Cells;
use crate::posterior::Posterior;

/// What the acquisition knows of a front: the region above it, and what is believed of the objectives
/// beside the outcome.
#[derive(Debug, Clone)]
pub struct FrontImprovement {
    /// The region that no point of the front dominates. The first objective is the outcome, in the units
    /// of the job's posterior; the others are in those of theirs.
    pub cells: Cells,
    /// The posterior of each objective after the first, larger being better, and the variance of the
    /// noise of its number.
    pub others: Vec<(Arc<Posterior>, f64)>,
    /// The logarithm of the product of the units of these posteriors: the value is in the users' units of
    /// the objectives after the first.
    pub log_unit: f64,
    /// Whether the value is per unit of expected cost.
    pub per_cost: bool,
}

impl PartialEq for FrontImprovement {
    /// Of the same front and the same posteriors, not only of equal ones.
    fn eq(&self, other: &Self) -> bool {
        self.cells == other.cells
            && self.log_unit == other.log_unit
            && self.per_cost == other.per_cost
            && self.others.len() == other.others.len()
            && self
                .others
                .iter()
                .zip(&other.others)
                .all(|((one, noise), (two, other))| Arc::ptr_eq(one, two) && noise == other)
    }
}
