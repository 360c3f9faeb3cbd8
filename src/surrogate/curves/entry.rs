//! What was told of runs, in its order.

/// A report, or the failure of a run, in the order in which they were told.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The number of the run.
    pub run: usize,
    /// The share of it that was done.
    pub share: f64,
    /// Its outcome there; none if it broke.
    pub outcome: Option<f64>,
}
