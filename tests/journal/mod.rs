//! Studies that live in a file.

mod branches;
mod changing;
mod damage;
mod ends;
mod facts;
mod foreign;
mod gone;
mod limited;
mod limits;
mod many;
mod others;
mod play;
mod resuming;
mod settings;
mod sharing;
mod stages;
mod watch;
mod written;
