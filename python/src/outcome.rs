//! What is told of a trial.

use gittins::{Error, ErrorKind, Outcome};
use pyo3::prelude::*;

use crate::errors::raised;

/// What came of a trial: an outcome, or that it failed or is infeasible.
#[pyclass(name = "Outcome", module = "gittins._gittins", frozen)]
pub struct PyOutcome(pub Outcome);

#[pymethods]
impl PyOutcome {
    #[new]
    #[pyo3(signature = (outcome=None, *, cost=None, cost_later=false, failed=false, infeasible=false))]
    fn new(
        py: Python<'_>,
        outcome: Option<f64>,
        cost: Option<f64>,
        cost_later: bool,
        failed: bool,
        infeasible: bool,
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
        Ok(Self(match cost {
            Some(cost) => told.cost(cost),
            None if cost_later => told.cost_later(),
            None => told,
        }))
    }
}
