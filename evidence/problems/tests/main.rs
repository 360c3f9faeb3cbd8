//! The one test binary: known values, made outside the crate or by hand.

mod bump;
mod control_problems;
mod cost_family;
#[cfg(feature = "datasets")]
mod datasets;
mod functions_and_draws;
mod optimum;
mod pest_control;
mod pushing;
mod studies;
mod support;
