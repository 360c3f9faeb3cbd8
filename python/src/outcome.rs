//! What is told of a trial.

use std::collections::BTreeMap;

use gittins::{Error, ErrorKind, Outcome};
use pyo3::prelude::*;

use crate::errors::raised;

/// The result of a trial: an outcome, or that it failed or is infeasible.
#[pyclass(name = "Outcome", module = "gittins._gittins", frozen)]
pub struct PyOutcome(pub Outcome);

#[pymethods]
impl PyOutcome {
    #[new]
    #[pyo3(signature = (
        outcome=None, *, cost=None, cost_later=false, failed=false, infeasible=false,
        measured: "dict[str, float] | None"=None
    ))]
    fn new(
        py: Python<'_>,
        outcome: Option<f64>,
        cost: Option<f64>,
        cost_later: bool,
        failed: bool,
        infeasible: bool,
        measured: Option<BTreeMap<String, f64>>,
    ) -> PyResult<Self> {
        let told = match outcome {
            _ if infeasible => Outcome::infeasible(),
            _ if failed => Outcome::failed(),
            Some(outcome) => Outcome::new(outcome),
            None => {
                let message = "expected an outcome, or that the trial failed or is infeasible";
                return Err(raised(py, &Error::new(ErrorKind::InvalidSetting, message)));
            }
        };
        let measured = measured.into_iter().flatten();
        let told = measured.fold(told, |told, (name, number)| told.measured(name, number));
        Ok(Self(match cost {
            Some(cost) => told.cost(cost),
            None if cost_later => told.cost_later(),
            None => told,
        }))
    }
}
