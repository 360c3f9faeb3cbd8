//! What the programs of this workspace share: options, a console, errors, the pictures of a stop and of a front.

pub mod backend;
pub mod console;
mod failure;
pub mod front;
pub mod run;

pub use console::Console;
pub use failure::{Failure, Result};
