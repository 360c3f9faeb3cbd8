//! Studies that live in a file.

mod others;
mod play;
mod resuming;
