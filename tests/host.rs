//! The tests that meet the sources of the library without the feature `gpu`. All other sources are
//! the same with it, and `tests/main.rs` meets them.

#![allow(dead_code, reason = "the support of all tests")]

#[path = "loops/ask_tell.rs"]
mod ask_tell;
#[path = "properties/backend.rs"]
mod backend;
#[path = "properties/pathwise.rs"]
mod pathwise;
#[path = "loops/policies.rs"]
mod policies;
#[path = "properties/posterior.rs"]
mod posterior;
#[path = "loops/record.rs"]
mod record;
mod support;
#[path = "loops/thompson.rs"]
mod thompson;
#[path = "properties/two_phases.rs"]
mod two_phases;
