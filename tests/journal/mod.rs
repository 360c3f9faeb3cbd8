//! Studies that live in a file.

mod changing;
mod damage;
mod foreign;
mod limits;
mod others;
mod play;
mod resuming;
mod sharing;
