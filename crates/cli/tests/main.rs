//! The command as a process, with trials that are short scripts.

mod actions;
mod answers;
mod changes;
mod ends;
mod folder;
mod foreign;
mod fronts;
mod init;
mod limits;
mod mistakes;
mod numbers;
mod outputs;
mod run;
mod sheets;
mod show;
mod stages;
mod tables;
mod values;
mod words;
