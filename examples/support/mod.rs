//! What the examples share.

pub mod console;
mod failure;

pub use console::Console;
pub use failure::Result;
