//! Studies that live in a file.

mod changing;
mod damage;
mod facts;
mod filed;
mod foreign;
mod limited;
mod limits;
mod many;
mod others;
mod play;
mod resuming;
mod settings;
mod sharing;
mod watch;
mod written;
