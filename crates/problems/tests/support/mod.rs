//! Golden tables and tolerances.

pub mod golden;
pub mod tolerance;
