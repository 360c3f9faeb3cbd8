//! Control sets: known values, invariants, whole loops, and the device.

mod corrections;
mod errors;
mod events;
mod expectations;
mod regrets;
mod runs;
#[cfg(feature = "gpu")]
mod shaders;
mod studies;
mod tables;
