//! What is said to people and to programs: numbers, tables, errors, exit codes.

pub mod code;
pub mod console;
pub mod failure;
pub mod number;
pub mod show;
pub mod table;
