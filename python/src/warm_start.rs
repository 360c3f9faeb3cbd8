//! What a study begins with, after earlier ones.

use std::collections::BTreeMap;

use gittins::study;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::scalar::{Scalar, point_of};
use crate::settings::space_read;
use crate::study::PyStudy;

/// The settings that did best in earlier studies, for a space that is JSON.
#[pyfunction]
pub fn warm_start(
    py: Python<'_>,
    space: &str,
    earlier: Vec<PyRef<'_, PyStudy>>,
    count: usize,
) -> PyResult<Vec<BTreeMap<String, Option<Scalar>>>> {
    let space = space_read(space).map_err(|error| raised(py, &error))?;
    let records = earlier.iter().map(|one| one.recorded(py)).collect::<PyResult<Vec<_>>>()?;
    let chosen = study::warm_start(space, &records, count).map_err(|error| raised(py, &error))?;
    let setting = |one: BTreeMap<String, gittins::Value>| {
        let values = point_of(one.values());
        one.into_keys().zip(values).collect()
    };
    Ok(chosen.into_iter().map(setting).collect())
}
