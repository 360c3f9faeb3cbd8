//! The private module `_gittins` of the Python package.

mod errors;
mod frame;
mod pool;
mod settings;
mod study;

use gittins::math::Sobol;
use pyo3::prelude::*;

/// The scrambled Sobol point of an index, in the unit cube.
#[pyfunction]
fn quasi_random(dim: usize, seed: u64, index: usize) -> Vec<f64> {
    let mut point = vec![0.0; dim];
    Sobol::new(dim, seed).fill(index, &mut point);
    point
}

/// The price at which the rest of a budget is worth spending. Larger outcomes are better.
#[pyfunction]
fn price_of_rest(design: f64, best: f64, left: f64) -> Option<f64> {
    gittins::stop::budget::price_of_rest(design, best, left)
}

/// The engine's tables of names: settings, policies and stopping rules.
#[pyfunction]
fn tables() -> String {
    settings::tables()
}

/// Called by Python when it imports the module. It may run without the interpreter's lock.
#[pymodule(gil_used = false)]
fn _gittins(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<study::PyStudy>()?;
    module.add_function(wrap_pyfunction!(frame::arrow_stream, module)?)?;
    module.add_function(wrap_pyfunction!(price_of_rest, module)?)?;
    module.add_function(wrap_pyfunction!(tables, module)?)?;
    module.add_function(wrap_pyfunction!(quasi_random, module)?)
}
