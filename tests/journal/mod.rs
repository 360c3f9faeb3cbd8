//! Studies that live in a file.

mod play;
mod resuming;
