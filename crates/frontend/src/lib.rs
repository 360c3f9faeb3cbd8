//! What the programs of this workspace share: options, a console, errors, the picture of a stop.

pub mod backend;
pub mod console;
mod failure;
pub mod run;

pub use console::Console;
pub use failure::{Failure, Result};
