//! The command as a process, with trials that are short scripts.

mod actions;
mod ends;
mod folder;
mod outputs;
mod run;
mod values;
