//! The command `gittins`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Does what a command line says, whose first word is the name of the command, and returns the exit
/// code. It is to have the process for itself: it prints, and heeds signals.
#[cfg(unix)]
#[pyfunction]
pub fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| gittins_cli::run(words))
}

/// The same where there is no command.
#[cfg(not(unix))]
#[pyfunction]
pub fn command(_words: Vec<OsString>) -> PyResult<u8> {
    let message = "the command needs process groups and signals as Unix has them";
    Err(pyo3::exceptions::PyNotImplementedError::new_err(message))
}
