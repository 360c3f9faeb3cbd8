//! The rules: known values, and what they say over runs.

mod bounds;
mod names;
mod numbers;
mod paths;
