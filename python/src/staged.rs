//! A study of runs in stages, alone or in a file, as the Python side sees it.

use gittins::study::{Advice, AskTell, TrialState};
use gittins::{Outcome, Result, Trial};
use pyo3::prelude::*;

use crate::errors::raised;
use crate::guarded::{Guarded, nothing};
use crate::pool::compute;
use crate::scalar::{Point, point_of};
use crate::settings::{options, space_of, staged_builder};
use crate::study::{Judged, judged};

/// A study of runs in stages. Any thread may call it, and calls wait for each other.
#[pyclass(name = "Study", module = "gittins._gittins", frozen)]
pub struct PyStudy(Guarded<Box<dyn AskTell + Send>>);

/// Number, values, the progress from which a run goes on and that of its coming report, and words.
type Asked = (usize, Point, Option<f64>, f64, String);

/// The fields of `gittins.RunForecast` in their order.
type Expected = (f64, f64, f64, f64, String);

/// Number, values, state, cost, and progress, outcome and cost of each report.
type Ran = (usize, Point, &'static str, f64, Vec<(f64, f64, f64)>);

fn ran(run: &Trial) -> Ran {
    let reports = run.reports.iter().map(|report| (report.progress, report.outcome, report.cost));
    let state = match run.state {
        TrialState::Pending => "running",
        TrialState::Complete => "finished",
        TrialState::Withdrawn => "abandoned",
        state => state.name(),
    };
    let cost = run.cost.unwrap_or(0.0);
    (run.id.index(), point_of(&run.values), state, cost, reports.collect())
}

impl PyStudy {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn AskTell) -> Result<T> + Send,
    ) -> PyResult<T> {
        self.0.with(py, |study| work(&mut **study))
    }
}

#[pymethods]
impl PyStudy {
    /// A study with these settings, which are JSON.
    #[new]
    fn make(py: Python<'_>, settings: &str) -> PyResult<Self> {
        let study = compute(py, nothing, |()| staged_builder(settings)?.build())?;
        Ok(Self(Guarded::new(Box::new(study.map_err(|error| raised(py, &error))?))))
    }

    /// A study in a file: by these settings, or by those of the file.
    #[staticmethod]
    #[pyo3(signature = (path, settings=None, name=None))]
    fn open(
        py: Python<'_>,
        path: &str,
        settings: Option<&str>,
        name: Option<&str>,
    ) -> PyResult<Self> {
        let journal = compute(py, nothing, |()| {
            let options = options(name);
            match settings {
                Some(settings) => options.open_staged(path, staged_builder(settings)?),
                None => options.resume_staged(path),
            }
        })?;
        Ok(Self(Guarded::new(Box::new(journal.map_err(|error| raised(py, &error))?))))
    }

    /// What to begin or to resume.
    fn ask(&self, py: Python<'_>) -> PyResult<Asked> {
        self.with(py, |study| {
            let ask = study.ask()?;
            let words = ask.why().to_string();
            Ok((ask.id().index(), point_of(ask.values()), ask.resume(), ask.until(), words))
        })
    }

    /// Takes what a run says. Returns what it does, by its name, and until where it goes on.
    fn report(
        &self,
        py: Python<'_>,
        run: usize,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> PyResult<(&'static str, Option<f64>)> {
        self.with(py, |study| {
            Ok(match study.report(run.into(), progress, outcome, cost)? {
                Advice::Continue { until } => ("continue", Some(until)),
                Advice::Pause => ("pause", None),
                Advice::Abandon => ("abandon", None),
                _ => ("done", None),
            })
        })
    }

    /// Takes that a run broke.
    fn fail(&self, py: Python<'_>, run: usize, cost: f64) -> PyResult<()> {
        self.with(py, |study| study.tell(run.into(), Outcome::failed().cost(cost)))
    }

    /// Takes that a run was lost with its worker.
    fn withdraw(&self, py: Python<'_>, run: usize) -> PyResult<()> {
        self.with(py, |study| study.withdraw(run.into()))
    }

    /// Whether to stop, and why.
    fn verdict(&self, py: Python<'_>) -> PyResult<Judged> {
        self.with(py, |study| Ok(judged(&study.verdict()?)))
    }

    /// The best run that came to its end, if one did.
    fn best(&self, py: Python<'_>) -> PyResult<Option<Ran>> {
        self.with(py, |study| Ok(study.study().best().map(ran)))
    }

    /// Progress, outcome and cost of the incumbent report, if there is one.
    fn best_report(&self, py: Python<'_>) -> PyResult<Option<(f64, f64, f64)>> {
        self.with(py, |study| {
            let report = study.study().best_report();
            Ok(report.map(|report| (report.progress, report.outcome, report.cost)))
        })
    }

    /// What a run is expected to come to: mean and deviation of its end, the cost still to come,
    /// its index, and words.
    fn forecast(&self, py: Python<'_>, run: usize) -> PyResult<Option<Expected>> {
        self.with(py, |study| {
            let forecast = study.study().forecast_end(run)?;
            Ok(forecast.map(|f| (f.mean, f.sd, f.cost, f.index, f.to_string())))
        })
    }

    /// All runs.
    fn runs(&self, py: Python<'_>) -> PyResult<Vec<Ran>> {
        self.with(py, |study| Ok(study.study().history().iter().map(ran).collect()))
    }

    /// What all runs have cost.
    fn spent(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |study| Ok(study.study().total_cost()))
    }

    /// The space as data in JSON; `null` if a table is searched.
    fn space(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |study| space_of(study.study().domain()))
    }

    /// Which outcomes are better.
    fn direction(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |study| Ok(study.study().direction().to_string()))
    }

    /// Reads what other processes wrote to the file.
    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |study| study.sync())
    }
}
