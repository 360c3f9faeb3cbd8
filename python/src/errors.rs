//! The library's errors as Python exceptions.

use pyo3::prelude::*;
use pyo3::types::PyType;

/// The exception of an error: the class that `gittins.errors` has for its kind.
pub fn raised(py: Python<'_>, error: &gittins::Error) -> PyErr {
    let class = || -> PyResult<Bound<'_, PyType>> {
        let kind = format!("{:?}", error.kind());
        let class = py.import("gittins.errors")?.call_method1("of_kind", (kind,))?;
        Ok(class.cast_into::<PyType>()?)
    };
    match class() {
        Ok(class) => PyErr::from_type(class, error.to_string()),
        Err(failed) => failed,
    }
}

/// The exception of text that should have been the settings, conditions or values of something.
pub fn unreadable(what: &str, error: &serde_json::Error) -> gittins::Error {
    // Where in the text it stands says nothing to whoever gave values.
    let said = error.to_string();
    let words = said.split(" at line ").next().unwrap_or_default();
    gittins::Error::new(gittins::ErrorKind::InvalidSetting, format!("{what}: {words}"))
}
