//! What can be set by a name: keys with what may stand there, and things that are made from a name
//! and numbers.
//!
//! | file | holds |
//! | --- | --- |
//! | `nearest` | the known name that somebody probably meant |
//! | `key` | a key, and what may stand at it |
//! | `entry` | a line of a table of things that have names, and the name with numbers that picks one |
//! | `keyed` | structs of settings, from the table of their keys |

mod entry;
mod key;
mod keyed;
mod nearest;

pub use entry::{Entry, Named};
pub use key::{Key, Shape};
pub(crate) use keyed::keyed;
pub use nearest::{hint, nearest};
