//! Golden tables and tolerances.

#[allow(dead_code, reason = "the support of all tests")]
#[path = "../../../../tests/support/golden.rs"]
pub mod golden;
pub mod tolerance;
