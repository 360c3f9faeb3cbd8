//! The library's errors as Python exceptions.

use gittins::ErrorKind;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The name of the class that `gittins.errors` has for a kind of error.
fn class_of(kind: ErrorKind) -> String {
    format!("{kind:?}Error")
}

/// The names of the classes of all kinds of errors.
#[pyfunction]
pub fn error_classes() -> Vec<String> {
    ErrorKind::ALL.map(class_of).to_vec()
}

/// The exception of an error.
pub fn raised(py: Python<'_>, error: &gittins::Error) -> PyErr {
    let class = || -> PyResult<Bound<'_, PyType>> {
        let class = py.import("gittins.errors")?.getattr(class_of(error.kind()))?;
        Ok(class.cast_into::<PyType>()?)
    };
    match class() {
        Ok(class) => PyErr::from_type(class, error.to_string()),
        Err(failed) => failed,
    }
}

/// The exception of text that should have been the settings of something.
pub fn unreadable(what: &str, error: &serde_json::Error) -> gittins::Error {
    // Where in the text it stands says nothing to whoever gave values.
    let said = error.to_string();
    let words = said.split(" at line ").next().unwrap_or_default();
    gittins::Error::new(ErrorKind::InvalidSetting, format!("{what}: {words}"))
}
