//! Scores of partial queries: expectations over nature of bounds, means and paths.

pub(in crate::control) mod bound;
pub(in crate::control) mod expectation;
pub(in crate::control) mod kernel;
pub(in crate::control) mod objective;
pub(in crate::control) mod paths;
