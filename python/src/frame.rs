//! A table as Arrow's stream, which libraries of data frames read.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::scalar::Scalar;

/// The type of a column: by what is said of it, or the least that holds all its cells.
fn array(said: Option<&str>, cells: &[Option<Scalar>]) -> PyResult<ArrayRef> {
    let all = |fits: fn(&Scalar) -> bool| cells.iter().flatten().all(fits);
    let is_empty = cells.iter().all(Option::is_none);
    let kind = match said {
        Some(kind) => kind,
        // Nothing tells the type of nothing.
        None if is_empty => "float",
        None if all(|cell| matches!(cell, Scalar::Flag(_))) => "bool",
        None if all(|cell| matches!(cell, Scalar::Whole(_))) => "int",
        None if all(|cell| cell.number().is_some()) => "float",
        None => "str",
    };
    let cells = cells.iter().map(Option::as_ref);
    Ok(match kind {
        "bool" => Arc::new(BooleanArray::from_iter(cells.map(|cell| match cell? {
            Scalar::Flag(flag) => Some(*flag),
            _ => None,
        }))),
        "int" => Arc::new(Int64Array::from_iter(cells.map(|cell| match cell? {
            Scalar::Whole(whole) => Some(*whole),
            _ => None,
        }))),
        "float" => Arc::new(Float64Array::from_iter(cells.map(|cell| cell?.number()))),
        "str" => Arc::new(StringArray::from_iter(cells.map(|cell| cell.map(Scalar::text)))),
        _ => {
            let message = format!("expected 'bool', 'int', 'float' or 'str', got {kind:?}");
            return Err(PyValueError::new_err(message));
        }
    })
}

fn refused(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A table as a capsule. Each column has a name, a type if that is known, and cells.
#[pyfunction]
#[pyo3(signature = (columns) -> "object")]
pub fn arrow_stream(
    py: Python<'_>,
    columns: Vec<(String, Option<String>, Vec<Option<Scalar>>)>,
) -> PyResult<Bound<'_, PyCapsule>> {
    let mut fields = Vec::with_capacity(columns.len());
    let mut arrays = Vec::with_capacity(columns.len());
    for (name, said, cells) in &columns {
        let array = array(said.as_deref(), cells)?;
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let batch =
        RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|error| refused(&error))?;
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    // Whoever takes the stream out of the capsule frees it; else the capsule does.
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
