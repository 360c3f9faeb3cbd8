//! A study, alone or in a file, as the Python side sees it.

use std::collections::BTreeMap;

use gittins::study::{Advice, AskTell, Context, Measured, Report, Request, Stages};
use gittins::{Ask, Record, Result, Trial, Verdict};
use pyo3::prelude::*;

use crate::choice::Chosen;
use crate::condition::Wanted;
use crate::errors::raised;
use crate::guarded::{Guarded, nothing};
use crate::outcome::PyOutcome;
use crate::pool::{Waits, compute};
use crate::record::{Columns, columns};
use crate::scalar::{Point, point_of, values_of};
use crate::settings::{builder, options, policy, space_of};

/// A study that lives in this process, or in a file.
type Kind = Box<dyn AskTell + Send>;

/// A study. Any thread may call it, and calls wait for each other.
#[pyclass(name = "Study", module = "gittins._gittins", frozen)]
pub struct PyStudy(Guarded<Kind>);

impl PyStudy {
    /// The study that is made without the interpreter's lock.
    fn made(
        py: Python<'_>,
        waits: Waits,
        make: impl FnOnce() -> Result<Kind> + Send,
    ) -> PyResult<Self> {
        let kind = compute(py, waits, nothing, |()| make())?;
        Ok(Self(Guarded::new(kind.map_err(|error| raised(py, &error))?, waits)))
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn AskTell) -> Result<T> + Send,
    ) -> PyResult<T> {
        self.0.with(py, |study| work(&mut **study))
    }

    /// What was tried so far.
    pub fn recorded(&self, py: Python<'_>) -> PyResult<Record> {
        self.with(py, |kind| Ok(kind.study().record()))
    }
}

fn context_of(conditions: Option<Vec<Wanted>>) -> Context {
    Context::new(conditions.unwrap_or_default().into_iter().map(Into::into))
}

/// Number, values, why the point was chosen, and how; in stages the progress from which the trial goes
/// on, and that of its coming report.
type Asked = (usize, Point, String, Option<Chosen>, Option<f64>, f64);

fn asked(ask: &Ask) -> Asked {
    let words = ask.why().to_string();
    let choice = Chosen::of(ask.why());
    (ask.id().index(), point_of(ask.values()), words, choice, ask.resume(), ask.until())
}

/// The fields of `gittins.Verdict` in their order.
pub type Judged = (bool, String, f64, f64, String);

pub fn judged(verdict: &Verdict) -> Judged {
    let reason = verdict.reason();
    let words = reason.to_string();
    (verdict.is_stop(), reason.rule.clone(), reason.statistic, reason.threshold, words)
}

/// Measured numbers by their names.
type Numbers = BTreeMap<String, f64>;

fn numbers(measured: &Measured) -> Numbers {
    measured.iter().map(|(name, number)| (name.to_owned(), number)).collect()
}

/// Progress, outcome and cost of a report.
type Reported = (f64, f64, f64);

fn reported(report: &Report) -> Reported {
    (report.progress, report.outcome, report.cost)
}

/// The fields of `gittins.Trial` in their order, but for the names of the values.
type Entered =
    (usize, Point, &'static str, &'static str, Option<f64>, Option<f64>, Numbers, Vec<Reported>);

fn entered(trial: &Trial) -> Entered {
    let (state, origin) = (trial.state.name(), trial.origin.name());
    let values = point_of(&trial.values);
    let measured = numbers(&trial.measured);
    let reports = trial.reports.iter().map(reported).collect();
    (trial.id.index(), values, state, origin, trial.outcome, trial.cost, measured, reports)
}

/// The fields of `gittins.RunForecast` in their order.
type Ends = (f64, f64, f64, f64, String);

/// The fields of `gittins.Forecast` in their order.
type Expected = (f64, f64, f64, f64, f64, bool);

/// The fields of `gittins.Recommendation` in their order, but for the names of the values.
type Recommended = (usize, Point, f64, f64, f64, String, Numbers);

#[pymethods]
impl PyStudy {
    /// A study with these settings, which are JSON.
    #[new]
    fn make(py: Python<'_>, settings: &str) -> PyResult<Self> {
        Self::made(py, Waits::ForNothing, || Ok(Box::new(builder(settings)?.build()?)))
    }

    /// A study in a file, by these settings or by those of the file, and its name there.
    #[staticmethod]
    #[pyo3(signature = (path, settings=None, name=None))]
    fn open(
        py: Python<'_>,
        path: &str,
        settings: Option<&str>,
        name: Option<&str>,
    ) -> PyResult<(Self, String)> {
        let mut called = String::new();
        let study = Self::made(py, Waits::ForFiles, || {
            let journal = match settings {
                Some(settings) => options(name).open(path, builder(settings)?)?,
                None => options(name).resume(path)?,
            };
            journal.name().clone_into(&mut called);
            Ok(Box::new(journal))
        })?;
        Ok((study, called))
    }

    /// Whether its trials run in stages.
    fn has_stages(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |kind| Ok(kind.study().stages().is_some()))
    }

    /// The numbers of the items in their order; empty if trials are no means of items.
    fn order(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        self.with(py, |kind| Ok(kind.study().stages().map(Stages::order).unwrap_or_default()))
    }

    /// Takes what a trial says in stages. Returns what it does, and until where it goes on.
    fn report(
        &self,
        py: Python<'_>,
        trial: usize,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> PyResult<(&'static str, Option<f64>)> {
        self.with(py, |kind| {
            Ok(match kind.report(trial.into(), progress, outcome, cost)? {
                Advice::Continue { until } => ("continue", Some(until)),
                Advice::Pause => ("pause", None),
                Advice::Abandon => ("abandon", None),
                _ => ("done", None),
            })
        })
    }

    /// Takes what a trial says in stages, which goes on.
    fn note_report(
        &self,
        py: Python<'_>,
        trial: usize,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> PyResult<()> {
        self.with(py, |kind| kind.note_report(trial.into(), progress, outcome, cost))
    }

    /// Whether a trial that somebody else began should go on after its last report.
    fn goes_on(&self, py: Python<'_>, trial: usize) -> PyResult<bool> {
        self.with(py, |kind| Ok(matches!(kind.advise(trial.into())?, Advice::Continue { .. })))
    }

    /// What a trial in stages is expected to come to: mean and deviation of its end, the cost still
    /// to come, its index, and words.
    fn forecast_end(&self, py: Python<'_>, trial: usize) -> PyResult<Option<Ends>> {
        self.with(py, |kind| {
            let forecast = kind.study().forecast_end(trial)?;
            Ok(forecast.map(|f| (f.mean, f.sd, f.cost, f.index, f.to_string())))
        })
    }

    /// In stages, the report that counts of the best trial.
    fn best_report(&self, py: Python<'_>) -> PyResult<Option<Reported>> {
        self.with(py, |kind| Ok(kind.study().best_report().map(reported)))
    }

    /// The next points, each chosen given those before: within a limit of the expected cost, where
    /// conditions hold, improved together.
    #[pyo3(signature = (
        count=1, within=None, conditions: "list[dict[str, object]] | None"=None, jointly=false,
        context: "list[dict[str, object]] | None"=None
    ))]
    fn ask_for(
        &self,
        py: Python<'_>,
        count: usize,
        within: Option<f64>,
        conditions: Option<Vec<Wanted>>,
        jointly: bool,
        context: Option<Vec<Wanted>>,
    ) -> PyResult<Vec<Asked>> {
        self.with(py, |kind| {
            let request = Request::new().count(count);
            let request = within.into_iter().fold(request, Request::within);
            let conditions = conditions.unwrap_or_default().into_iter().map(Into::into);
            let request = request.given(conditions).context(&context_of(context));
            let request = if jointly { request.jointly() } else { request };
            Ok(kind.ask_for(&request)?.iter().map(asked).collect())
        })
    }

    /// Tells the result of a trial.
    fn tell(&self, py: Python<'_>, trial: usize, told: &PyOutcome) -> PyResult<()> {
        self.with(py, |kind| kind.tell(trial.into(), told.0.clone()))
    }

    /// Tells what a trial cost.
    fn tell_cost(&self, py: Python<'_>, trial: usize, cost: f64) -> PyResult<()> {
        self.with(py, |kind| kind.tell_cost(trial.into(), cost))
    }

    /// Replaces what was told of a trial.
    fn correct(&self, py: Python<'_>, trial: usize, told: &PyOutcome) -> PyResult<()> {
        self.with(py, |kind| kind.correct(trial.into(), told.0.clone()))
    }

    /// Gives a trial up, or takes back what was told of it.
    fn withdraw(&self, py: Python<'_>, trial: usize) -> PyResult<()> {
        self.with(py, |kind| kind.withdraw(trial.into()))
    }

    /// Takes a trial over that was not asked for. Returns its number.
    fn enter(&self, py: Python<'_>, point: Point, told: &PyOutcome) -> PyResult<usize> {
        self.with(py, |kind| Ok(kind.import(&values_of(point), told.0.clone())?.index()))
    }

    /// Takes a pending trial over. Returns its number.
    fn announce(&self, py: Python<'_>, point: Point) -> PyResult<usize> {
        self.with(py, |kind| Ok(kind.announce(&values_of(point))?.index()))
    }

    /// Notes how a trial was chosen that another study asked for.
    fn note_choice(&self, py: Python<'_>, trial: usize, choice: Chosen) -> PyResult<()> {
        self.with(py, |kind| kind.note_choice(trial.into(), choice.choice()?))
    }

    /// Notes what a pending trial has cost so far.
    fn note_running(&self, py: Python<'_>, trial: usize, cost: f64) -> PyResult<()> {
        self.with(py, |kind| kind.note_running(trial.into(), cost))
    }

    /// What a pending trial is expected to cost, if something is known of costs.
    fn forecast(&self, py: Python<'_>, trial: usize) -> PyResult<Option<Expected>> {
        self.with(py, |kind| {
            Ok(kind.forecast(trial.into())?.map(|forecast| {
                let expected = forecast.expected();
                let median = forecast.quantile(0.5);
                let (so_far, rest) = (forecast.so_far(), forecast.rest());
                (expected, median, so_far, rest, forecast.dead(), forecast.is_overdue())
            }))
        })
    }

    /// Whether to stop, and why; in a context if one is given.
    #[pyo3(signature = (context: "list[dict[str, object]] | None"=None))]
    fn verdict(&self, py: Python<'_>, context: Option<Vec<Wanted>>) -> PyResult<Judged> {
        self.with(py, |kind| {
            if context.is_some() {
                Ok(judged(&context_of(context).verdict(kind)?))
            } else {
                Ok(judged(&kind.verdict()?))
            }
        })
    }

    /// Whether one more trial is worth its price given the pending ones.
    fn verdict_on_another(&self, py: Python<'_>) -> PyResult<Judged> {
        self.with(py, |kind| Ok(judged(&kind.verdict_on_another()?)))
    }

    /// The trial to use, if one is complete; in a context if one is given.
    #[pyo3(signature = (context: "list[dict[str, object]] | None"=None))]
    fn recommendation(
        &self,
        py: Python<'_>,
        context: Option<Vec<Wanted>>,
    ) -> PyResult<Option<Recommended>> {
        self.with(py, |kind| {
            let best = if context.is_some() {
                context_of(context).recommendation(kind)?
            } else {
                kind.recommendation()?
            };
            Ok(best.map(|best| {
                let words = best.to_string();
                let values = point_of(&best.values);
                let measured = numbers(&best.measured);
                (best.trial.index(), values, best.outcome, best.mean, best.sd, words, measured)
            }))
        })
    }

    /// The trials of which no other is as good in every objective and better in one.
    fn front(&self, py: Python<'_>) -> PyResult<Vec<Entered>> {
        self.with(py, |kind| Ok(kind.front()?.iter().map(entered).collect()))
    }

    /// The price at which a run is expected to cost no more than `budget`.
    fn price_from_budget(&self, py: Python<'_>, budget: f64) -> PyResult<f64> {
        self.with(py, |kind| kind.price_from_budget(budget))
    }

    /// Chooses by another policy from now on, which is JSON.
    fn change_policy(&self, py: Python<'_>, named: &str) -> PyResult<()> {
        self.with(py, |kind| kind.change_policy(policy(named)?))
    }

    /// The trial with the best outcome, if one is complete.
    fn best(&self, py: Python<'_>) -> PyResult<Option<Entered>> {
        self.with(py, |kind| Ok(kind.study().best().map(entered)))
    }

    /// All trials.
    fn trials(&self, py: Python<'_>) -> PyResult<Vec<Entered>> {
        self.with(py, |kind| Ok(kind.study().history().iter().map(entered).collect()))
    }

    /// The record: what is known of each trial and what was measured, by columns, and the values of
    /// each trial.
    fn record(&self, py: Python<'_>) -> PyResult<Columns> {
        self.with(py, |kind| Ok(columns(kind.study())))
    }

    /// The space as data in JSON; `null` if a table is searched.
    fn space(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |kind| space_of(kind.study().domain()))
    }

    /// Which outcomes are better.
    fn direction(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |kind| Ok(kind.study().direction().to_string()))
    }

    /// The unit of cost, if it has one.
    fn cost_unit(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |kind| Ok(kind.study().cost_unit().map(str::to_owned)))
    }

    /// What the suggested trials have cost, and what all have.
    fn money(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        self.with(py, |kind| Ok((kind.study().spent(), kind.study().total_cost())))
    }

    /// The number of all trials, and of the pending ones.
    fn counts(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.with(py, |kind| Ok((kind.study().history().len(), kind.study().counts().pending)))
    }

    /// The trials of others in the file that the study has not, and why, by their numbers; and what
    /// the file must have had and lacks.
    fn lacks(&self, py: Python<'_>) -> PyResult<(BTreeMap<usize, String>, Option<String>)> {
        self.with(py, |kind| Ok((kind.left_out(), kind.missing())))
    }

    /// Reads what other processes wrote to the file.
    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |kind| kind.sync())
    }
}
