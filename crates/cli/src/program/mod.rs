//! The program of a trial: its command, and how its numbers are found in what it prints.

pub mod candidates;
pub mod command;
pub mod finder;
pub mod template;
