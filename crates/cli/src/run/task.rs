//! A whole trial to make.

use gittins::Ask;

/// A trial to make.
pub struct Task {
    /// What was asked.
    pub ask: Ask,
    /// The number in the journal.
    pub number: usize,
    /// How many seconds it took to choose it.
    pub choosing: f64,
}
