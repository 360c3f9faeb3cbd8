//! The one test binary: known values, invariants, whole loops, and the device.

mod control;
mod evaluation;
mod rules;
mod support;
