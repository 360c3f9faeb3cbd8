//! What the examples share.

mod console;
mod failure;

pub use console::Console;
pub use failure::Result;
