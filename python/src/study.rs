//! A study, alone or in a file, as the Python side sees it: text in JSON goes in and comes out.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use gittins::data::Condition;
use gittins::journal::JournalOptions;
use gittins::study::{AskTell, Choice, Request, Why};

use gittins::{Ask, Domain, Error, ErrorKind, Result, Trial, Value, Verdict};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

use crate::errors::{raised, unreadable};
use crate::pool::compute;
use crate::settings::{builder, outcome, policy};

/// A study that lives in this process, or in a file.
type Kind = Box<dyn AskTell + Send>;

/// A study. Any thread may call it, and calls wait for each other.
#[pyclass(name = "Study", module = "gittins._gittins", frozen)]
pub struct PyStudy {
    kind: Mutex<Kind>,
    /// The process that called it last.
    process: AtomicU32,
}

impl PyStudy {
    fn new(kind: Kind) -> Self {
        Self { kind: Mutex::new(kind), process: AtomicU32::new(process::id()) }
    }

    /// Waits until no other thread uses the study. What another thread was doing when this process
    /// was forked never ends.
    fn lock(&self) -> Result<MutexGuard<'_, Kind>> {
        let here = process::id();
        if self.process.load(Ordering::Acquire) == here {
            return Ok(self.kind.lock().unwrap_or_else(PoisonError::into_inner));
        }
        match self.kind.try_lock() {
            Ok(kind) => {
                self.process.store(here, Ordering::Release);
                Ok(kind)
            }
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Error::new(
                ErrorKind::InvalidSetting,
                "this process was forked while another thread used the study, of which it therefore has no copy: make the study anew",
            )),
        }
    }

    /// Does something with the study, while other threads of Python go on.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Kind) -> Result<T> + Send,
    ) -> PyResult<T> {
        compute(py, || self.lock(), work)?.map_err(|error| raised(py, &error))
    }
}

/// Nothing that has to be waited for.
fn nothing() -> Result<Box<()>> {
    Ok(Box::new(()))
}

fn asked(ask: &Ask) -> Json {
    json!({
        "trial": ask.id().index(),
        "values": ask.values(),
        "why": ask.why().to_string(),
        "choice": choice(ask.why()),
    })
}

/// How a point was chosen, for a study that is built anew.
fn choice(why: &Why) -> Option<Choice> {
    match why {
        Why::Initial { .. } => Some(Choice::Initial),
        Why::Suggested(said) => {
            Some(Choice::Suggested { mean: said.mean, sd: said.sd, unguided: said.unguided })
        }
        _ => None,
    }
}

fn judged(verdict: &Verdict) -> String {
    let reason = verdict.reason();
    json!({
        "stop": verdict.is_stop(),
        "rule": reason.rule,
        "statistic": finite(reason.statistic),
        "threshold": finite(reason.threshold),
        "words": reason.to_string(),
    })
    .to_string()
}

/// A number, or the name of one that JSON does not have.
fn finite(number: f64) -> Json {
    if number.is_finite() { json!(number) } else { json!(number.to_string()) }
}

fn trial(trial: &Trial) -> Json {
    json!({
        "trial": trial.id.index(),
        "values": trial.values,
        "state": trial.state,
        "origin": trial.origin,
        "outcome": trial.outcome,
        "cost": trial.cost,
    })
}

fn values(text: &str) -> Result<Vec<Value>> {
    serde_json::from_str(text).map_err(|error| unreadable("the values", &error))
}

#[pymethods]
impl PyStudy {
    /// A study with these settings.
    #[new]
    fn make(py: Python<'_>, settings: &str) -> PyResult<Self> {
        let study = compute(py, nothing, |()| builder(settings)?.build())?;
        Ok(Self::new(Box::new(study.map_err(|error| raised(py, &error))?)))
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
            let options = JournalOptions::new();
            let options = name.into_iter().fold(options, JournalOptions::name);
            match settings {
                Some(settings) => options.open(path, builder(settings)?),
                None => options.resume(path),
            }
        })?;
        Ok(Self::new(Box::new(journal.map_err(|error| raised(py, &error))?)))
    }

    fn ask(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |kind| Ok(asked(&kind.ask()?).to_string()))
    }

    #[pyo3(signature = (count=1, within=None, conditions=None, jointly=false))]
    fn ask_for(
        &self,
        py: Python<'_>,
        count: usize,
        within: Option<f64>,
        conditions: Option<&str>,
        jointly: bool,
    ) -> PyResult<String> {
        self.with(py, |kind| {
            let request = Request::new().count(count);
            let mut request = within.into_iter().fold(request, Request::within);
            if let Some(conditions) = conditions {
                let conditions: Vec<Condition> = serde_json::from_str(conditions)
                    .map_err(|error| unreadable("the conditions", &error))?;
                request = request.given(conditions);
            }
            let request = if jointly { request.jointly() } else { request };
            Ok(Json::from_iter(kind.ask_for(&request)?.iter().map(asked)).to_string())
        })
    }

    fn tell(&self, py: Python<'_>, trial: usize, told: &str) -> PyResult<()> {
        self.with(py, |kind| kind.tell(trial.into(), outcome(told)?))
    }

    fn tell_cost(&self, py: Python<'_>, trial: usize, cost: f64) -> PyResult<()> {
        self.with(py, |kind| kind.tell_cost(trial.into(), cost))
    }

    fn correct(&self, py: Python<'_>, trial: usize, told: &str) -> PyResult<()> {
        self.with(py, |kind| kind.correct(trial.into(), outcome(told)?))
    }

    fn withdraw(&self, py: Python<'_>, trial: usize) -> PyResult<()> {
        self.with(py, |kind| kind.withdraw(trial.into()))
    }

    fn enter(&self, py: Python<'_>, point: &str, told: &str) -> PyResult<usize> {
        self.with(py, |kind| {
            let (point, outcome) = (values(point)?, outcome(told)?);
            Ok(kind.import(&point, outcome)?.index())
        })
    }

    fn announce(&self, py: Python<'_>, point: &str) -> PyResult<usize> {
        self.with(py, |kind| {
            let point = values(point)?;
            Ok(kind.announce(&point)?.index())
        })
    }

    fn note_choice(&self, py: Python<'_>, trial: usize, choice: &str) -> PyResult<()> {
        self.with(py, |kind| {
            let choice = serde_json::from_str(choice)
                .map_err(|error| unreadable("how the trial was chosen", &error))?;
            kind.note_choice(trial.into(), choice)
        })
    }

    fn note_running(&self, py: Python<'_>, trial: usize, cost: f64) -> PyResult<()> {
        self.with(py, |kind| kind.note_running(trial.into(), cost))
    }

    fn forecast(&self, py: Python<'_>, trial: usize) -> PyResult<Option<String>> {
        self.with(py, |kind| {
            let forecast = kind.forecast(trial.into())?;
            Ok(forecast.map(|forecast| {
                json!({
                    "expected": finite(forecast.expected()),
                    "median": finite(forecast.quantile(0.5)),
                    "so_far": forecast.so_far(),
                    "rest": finite(forecast.rest()),
                    "dead": forecast.dead(),
                    "overdue": forecast.is_overdue(),
                })
                .to_string()
            }))
        })
    }

    fn verdict(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |kind| Ok(judged(&kind.verdict()?)))
    }

    fn verdict_on_another(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |kind| Ok(judged(&kind.verdict_on_another()?)))
    }

    fn recommendation(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |kind| {
            let recommendation = kind.recommendation()?;
            Ok(recommendation.map(|best| {
                json!({
                    "trial": best.trial.index(),
                    "values": best.values,
                    "outcome": best.outcome,
                    "mean": finite(best.mean),
                    "sd": finite(best.sd),
                    "words": best.to_string(),
                })
                .to_string()
            }))
        })
    }

    fn lambda_from_budget(&self, py: Python<'_>, budget: f64) -> PyResult<f64> {
        self.with(py, |kind| kind.lambda_from_budget(budget))
    }

    fn change_policy(&self, py: Python<'_>, named: &str) -> PyResult<()> {
        self.with(py, |kind| kind.change_policy(policy(named)?))
    }

    fn best(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |kind| Ok(kind.study().best().map(|best| trial(best).to_string())))
    }

    fn trials(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |kind| {
            Ok(Json::from_iter(kind.study().history().iter().map(trial)).to_string())
        })
    }

    fn record(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |kind| {
            serde_json::to_string(&kind.study().record())
                .map_err(|error| unreadable("the record", &error))
        })
    }

    fn described(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |kind| {
            let study = kind.study();
            let counts = study.counts();
            let space = match study.domain() {
                Domain::Space(space) => serde_json::to_value(space).ok(),
                _ => None,
            };
            Ok(json!({
                "space": space,
                "names": study.names(),
                "direction": study.direction(),
                "cost_unit": study.cost_unit(),
                "spent": study.spent(),
                "total_cost": study.total_cost(),
                "pending": counts.pending,
                "trials": study.history().len(),
            })
            .to_string())
        })
    }

    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |kind| kind.sync())
    }
}
