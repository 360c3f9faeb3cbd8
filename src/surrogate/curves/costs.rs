//! What the stages of runs are expected to cost.

use super::scale::Entry;
use crate::data::reports::Report;
use crate::data::trial::Trial;
use crate::data::{Points, Scaling};
use crate::error::Result;
use crate::model::{GaussianProcess, Hyperparameters};
use crate::posterior::Posterior;

/// A fit sees the rates of no more runs than this, the latest.
const FITTED: usize = 200;

/// Expected costs stay within this factor, `e^2`, of what was seen.
const BEYOND: f64 = 2.0;

/// What a stage is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    /// What it adds to the run.
    Added,
    /// All that the run has done after it: each stage begins anew.
    Whole,
}

impl Paid {
    /// How a stage between two shares of a run is paid for, as a share of it.
    fn share(self, from: f64, to: f64) -> f64 {
        match self {
            Self::Added => to - from,
            Self::Whole => to,
        }
    }

    /// The rate of a run: what it has cost for the shares that were paid for. For stages that go on
    /// it is the cost of a whole run, for stages that begin anew that of its last one.
    fn rate(self, reports: &[Report]) -> Option<f64> {
        let cost: f64 = reports.iter().map(|report| report.cost).sum();
        let paid = match self {
            Self::Added => reports.last()?.share,
            Self::Whole => reports.iter().map(|report| report.share).sum(),
        };
        (cost > 0.0).then_some((cost / paid).min(f64::MAX))
    }

    /// The rate in the middle of those that are known.
    pub fn middle(self, runs: &[Trial]) -> Option<f64> {
        let mut known: Vec<f64> = runs.iter().filter_map(|run| self.rate(&run.reports)).collect();
        known.sort_by(f64::total_cmp);
        known.get(known.len() / 2).copied()
    }

    /// The expected cost of the next stage of a run until a progress: at its own rate, otherwise at
    /// the middle one of the others. None before any has cost something.
    #[cfg(feature = "journal")]
    pub fn expected(self, runs: &[Trial], run: &Trial, until: f64, total: f64) -> Option<f64> {
        let rate = self.rate(&run.reports).or_else(|| self.middle(runs))?;
        Some(rate * self.share(run.progress() / total, until / total))
    }
}

/// The logarithm of the rate of a run over settings: that of each run by what it has cost so far.
#[derive(Debug, Clone)]
pub struct Rates {
    paid: Paid,
    model: Option<Posterior>,
    middle: f64,
    /// The logarithms between which an expected cost stays: a model of few runs may promise anything
    /// far from them.
    range: [f64; 2],
}

/// What fits of rates find.
pub struct FoundRates {
    pub hyperparameters: Option<Hyperparameters>,
    pub middle: Option<f64>,
}

/// Settings and logarithms of rates of runs, by the reports of a log.
fn rates(paid: Paid, runs: &[Trial], log: &[Entry], dim: usize) -> (Points, Vec<f64>) {
    let mut told = vec![0; runs.len()];
    for entry in log.iter().filter(|entry| entry.outcome.is_some()) {
        told[entry.run] += 1;
    }
    let known = runs
        .iter()
        .zip(&told)
        .filter_map(|(run, &told)| Some((&run.unit[..], paid.rate(&run.reports[..told])?.ln())));
    let mut known: Vec<(&[f64], f64)> = known.collect();
    known.drain(..known.len().saturating_sub(FITTED));
    let mut points = Points::new(dim);
    known.iter().for_each(|(unit, _)| points.push(unit));
    (points, known.into_iter().map(|(_, rate)| rate).collect())
}

impl Rates {
    /// Finds the parameters of the model.
    ///
    /// # Errors
    /// Those of the fit.
    pub fn find(
        paid: Paid,
        model: &GaussianProcess,
        before: Option<&Hyperparameters>,
        runs: &[Trial],
        log: &[Entry],
        dim: usize,
        seed: u64,
    ) -> Result<FoundRates> {
        let (points, rates) = rates(paid, runs, log, dim);
        if rates.is_empty() {
            return Ok(FoundRates { hyperparameters: None, middle: None });
        }
        let mut sorted = rates.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = Some(sorted[sorted.len() / 2].exp().min(f64::MAX));
        let spread = sorted[sorted.len() - 1] - sorted[0];
        if rates.len() < 3 || spread < 1e-9 {
            return Ok(FoundRates { hyperparameters: None, middle });
        }
        let scaling = Scaling::standardize(&rates);
        let scaled: Vec<f64> = rates.iter().map(|rate| scaling.apply(*rate)).collect();
        let fit = model.fit(&points, &scaled, before, seed)?;
        Ok(FoundRates { hyperparameters: Some(fit.hyperparameters), middle })
    }

    /// The model with these parameters.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn new(
        paid: Paid,
        model: &GaussianProcess,
        found: Option<&Hyperparameters>,
        middle: Option<f64>,
        runs: &[Trial],
        log: &[Entry],
        dim: usize,
    ) -> Result<Self> {
        let (points, rates) = rates(paid, runs, log, dim);
        let range = [
            rates.iter().copied().fold(f64::INFINITY, f64::min) - BEYOND,
            rates.iter().copied().fold(f64::NEG_INFINITY, f64::max) + BEYOND,
        ];
        let posterior = match found {
            None => None,
            Some(found) => {
                let scaling = Scaling::standardize(&rates);
                let found = found.rescaled(scaling.mean, scaling.sd);
                Some(Posterior::new(model.family(), &found, &points, &rates)?)
            }
        };
        Ok(Self { paid, model: posterior, middle: middle.unwrap_or(1.0), range })
    }

    /// The rate in the middle of those that are known.
    pub fn middle(&self) -> f64 {
        self.middle
    }

    /// The expected rates `exp(m + v/2)` of runs at these settings.
    ///
    /// # Errors
    /// Those of the posterior.
    pub fn of_settings(&self, points: &Points) -> Result<Vec<f64>> {
        let Some(model) = &self.model else { return Ok(vec![self.middle; points.len()]) };
        let moments = model.moments(points)?;
        let [low, high] = self.range;
        let expected = |(mean, variance): (&f64, &f64)| {
            (mean + 0.5 * variance).clamp(low, high).exp().min(f64::MAX)
        };
        Ok(moments.mean.iter().zip(&moments.variance).map(expected).collect())
    }

    /// The rate of a run that has begun, if it goes on as so far.
    pub fn of_run(&self, run: &Trial) -> f64 {
        self.paid.rate(&run.reports).unwrap_or(self.middle)
    }

    /// The costs of the coming stages after a share of a run, at a rate.
    pub fn stages(&self, rate: f64, done: f64, coming: &[f64]) -> Vec<f64> {
        let before = std::iter::once(done).chain(coming.iter().copied());
        before.zip(coming).map(|(from, to)| rate * self.paid.share(from, *to)).collect()
    }
}
