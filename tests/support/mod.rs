//! Golden tables and tolerances.

#[cfg(feature = "gpu")]
pub mod device;
pub mod golden;
pub mod tolerance;
