//! The private module `_gittins` of the Python package.

mod choice;
mod command;
mod condition;
mod errors;
mod frame;
mod guarded;
mod outcome;
mod pool;
mod record;
mod scalar;
mod settings;
mod sheet;
mod study;
mod warm_start;

use gittins::math::Sobol;
use gittins::study::Stages;
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

/// The number of points of an initial design that is not set.
#[pyfunction]
fn usual_design(varied: usize, patterns: usize) -> usize {
    gittins::study::usual_design(varied, patterns, None)
}

/// The shares of a run at which it reports, the end being the last: those that are wanted, or the
/// usual ones.
#[pyfunction]
#[pyo3(signature = (wanted=None))]
fn shares(py: Python<'_>, wanted: Option<Vec<f64>>) -> PyResult<Vec<f64>> {
    let stages = wanted.into_iter().fold(Stages::of(1.0), Stages::reports);
    stages.progress().map_err(|error| errors::raised(py, &error))
}

/// The engine's tables of names, which are JSON: settings, policies and stopping rules.
#[pyfunction]
fn tables() -> String {
    settings::tables()
}

/// The engine. It may run without the interpreter's lock.
#[pymodule(gil_used = false)]
mod _gittins {
    use gittins::data::ParameterKind;

    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::errors::error_classes;
    #[pymodule_export]
    use super::frame::arrow_stream;
    #[pymodule_export]
    use super::outcome::PyOutcome;
    #[pymodule_export]
    use super::sheet::{sheet_column, sheet_rows};
    #[pymodule_export]
    use super::study::PyStudy;
    #[pymodule_export]
    use super::warm_start::warm_start;
    #[pymodule_export]
    use super::{price_of_rest, quasi_random, shares, tables, usual_design};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name of it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    const LARGEST_WHOLE: i64 = ParameterKind::LARGEST_WHOLE;

    #[pymodule_export]
    const LARGEST_LOG: i64 = ParameterKind::LARGEST_LOG;

    #[pymodule_export]
    const SLACK: f64 = ParameterKind::SLACK;
}
