//! What the programs of this workspace share: a console, errors, pictures as files.

pub mod console;
mod failure;
mod picture;

pub use console::Console;
pub use failure::{Failure, Result};
pub use picture::write_picture;
