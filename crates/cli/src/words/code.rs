//! Exit codes.

/// The exit code of the process.
pub type Code = u8;

/// What was asked is done.
pub const DONE: Code = 0;

/// Something was wrong, also with the command line.
pub const ERROR: Code = 2;
