//! Golden tables and tolerances, shared with the tests of the library.

#![allow(dead_code, reason = "the support of all tests")]

#[cfg(feature = "gpu")]
#[path = "../../../../tests/support/comparer.rs"]
pub mod comparer;
pub mod control;
#[cfg(feature = "gpu")]
#[path = "../../../../tests/support/device.rs"]
pub mod device;
#[path = "../../../../tests/support/extremes.rs"]
pub mod extremes;
#[path = "../../../../tests/support/families.rs"]
pub mod families;
#[path = "../../../../tests/support/golden.rs"]
pub mod golden;
pub mod runs;
#[path = "../../../../tests/support/smooth.rs"]
pub mod smooth;
#[path = "../../../../tests/support/stage.rs"]
pub mod stage;
#[path = "../../../../tests/support/tolerance/mod.rs"]
pub mod tolerance;
