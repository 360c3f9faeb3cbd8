//! Runs in stages that somebody else begins, as the pruner of Optuna sees them.

use gittins::study::Advice;
use gittins::{Outcome, Study};
use pyo3::prelude::*;

use crate::errors::raised;
use crate::guarded::{Guarded, nothing};
use crate::pool::compute;
use crate::scalar::{Point, values_of};
use crate::settings::staged_builder;

/// Runs in stages that somebody else begins. Any thread may call it, and calls wait for each other.
#[pyclass(name = "AnnouncedRuns", module = "gittins._gittins", frozen)]
pub struct PyAnnouncedRuns(Guarded<Box<Study>>);

#[pymethods]
impl PyAnnouncedRuns {
    /// No runs yet, of a study with these settings, which are JSON.
    #[new]
    fn make(py: Python<'_>, settings: &str) -> PyResult<Self> {
        let study = compute(py, nothing, |()| staged_builder(settings)?.build())?;
        Ok(Self(Guarded::new(Box::new(study.map_err(|error| raised(py, &error))?))))
    }

    /// Enters a run that began at a point. Returns its number.
    fn announce(&self, py: Python<'_>, point: Point) -> PyResult<usize> {
        self.0.with(py, |study| Ok(study.announce(&values_of(point))?.index()))
    }

    /// Takes what a run says, which goes on.
    fn note_report(
        &self,
        py: Python<'_>,
        run: usize,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> PyResult<()> {
        self.0.with(py, |study| study.note_report(run, progress, outcome, cost))
    }

    /// Whether a run should go on after its last report.
    fn goes_on(&self, py: Python<'_>, run: usize) -> PyResult<bool> {
        self.0.with(py, |study| Ok(matches!(study.advise(run)?, Advice::Continue { .. })))
    }

    /// Takes that a run was left for good.
    fn withdraw(&self, py: Python<'_>, run: usize) -> PyResult<()> {
        self.0.with(py, |study| study.withdraw(run))
    }

    /// Takes that a run broke.
    fn fail(&self, py: Python<'_>, run: usize, cost: f64) -> PyResult<()> {
        self.0.with(py, |study| study.tell(run, Outcome::failed().cost(cost)))
    }

    /// What a run is expected to come to: mean and deviation of its end, and words.
    fn forecast(&self, py: Python<'_>, run: usize) -> PyResult<Option<(f64, f64, String)>> {
        self.0.with(py, |study| {
            Ok(study.forecast_end(run)?.map(|found| (found.mean, found.sd, found.to_string())))
        })
    }
}
