//! The expected improvement of a front as an acquisition.

use std::fmt;
use std::sync::Arc;

use super::Cells;
use crate::posterior::Posterior;

/// What the acquisition knows of a front: the region above it, and what is believed of the objectives
/// beside the outcome.
#[derive(Clone)]
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

impl fmt::Debug for FrontImprovement {
    /// The cells, with the number of objectives in place of their posteriors: a suggestion says its
    /// acquisition.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrontImprovement")
            .field("cells", &self.cells)
            .field("objectives", &(1 + self.others.len()))
            .field("log_unit", &self.log_unit)
            .field("per_cost", &self.per_cost)
            .finish_non_exhaustive()
    }
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
