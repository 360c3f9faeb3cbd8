//! What the programs of this workspace share: options, a console, errors and pictures.

pub mod backend;
pub mod chart;
pub mod console;
mod failure;
pub mod ink;
pub mod run;

pub use console::Console;
pub use failure::{Failure, Result};
