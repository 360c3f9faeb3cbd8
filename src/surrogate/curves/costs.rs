//! What the stages of runs are expected to cost.
//!
//! The rate of a run, its cost for a whole run, is known from what was paid as soon as something was.
//! Before, it is `e^m p`, with the cost `p` of its setting by a price list, or 1 without one, and `m`
//! learned from the other runs: a Gaussian process over settings models what `ln(rate / p)` was.

use super::entry::Entry;
use crate::data::trial::reports::Report;
use crate::data::trial::trial::Trial;
use crate::data::{BoundCost, PointCost, Points, Scaling};
use crate::error::Result;
use crate::math::order::ends;
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

/// What runs are paid for, and what is known of it before.
#[derive(Debug, Clone)]
pub struct Tariff {
    pub paid: Paid,
    /// What a whole run costs by a price list, if there is one.
    pub listed: Option<BoundCost>,
}

impl Tariff {
    /// The logarithm of the listed cost of a setting; 0 without a list.
    ///
    /// # Errors
    /// Those of the cost.
    fn log_listed(&self, unit: &[f64]) -> Result<f64> {
        self.listed.as_ref().map_or(Ok(0.0), |listed| Ok(listed.cost(unit, None)?.ln()))
    }

    /// The settings of runs that were paid for, by the reports of a log.
    fn known(&self, runs: &[Trial], log: &[Entry], dim: usize) -> Result<Known> {
        let mut told = vec![0; runs.len()];
        for entry in log.iter().filter(|entry| entry.outcome.is_some()) {
            told[entry.run] += 1;
        }
        let rate = |(run, &told): (&Trial, &usize)| self.paid.rate(&run.reports[..told]);
        let paid = runs.iter().zip(&told).filter_map(|of| Some((&of.0.unit, rate(of)?.ln())));
        let mut paid: Vec<(&Vec<f64>, f64)> = paid.collect();
        paid.drain(..paid.len().saturating_sub(FITTED));
        let mut known = Known { points: Points::new(dim), rates: Vec::new(), modeled: Vec::new() };
        for (unit, rate) in paid {
            known.points.push(unit);
            known.modeled.push(rate - self.log_listed(unit)?);
            known.rates.push(rate);
        }
        Ok(known)
    }
}

/// Runs that were paid for.
struct Known {
    points: Points,
    /// The logarithms of their rates.
    rates: Vec<f64>,
    /// The logarithms of what these are of the listed costs.
    modeled: Vec<f64>,
}

/// The middle one; 0 of none.
fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// The logarithm of the rate of a run over settings: that of each run by what it has cost so far.
#[derive(Debug, Clone)]
pub struct Rates {
    tariff: Tariff,
    model: Option<Posterior>,
    middle: f64,
    /// The middle one of what is modeled.
    middle_modeled: f64,
    /// The logarithms between which an expected cost stays: a model of few runs may promise anything
    /// far from them.
    range: [f64; 2],
}

/// What fits of rates find.
pub struct FoundRates {
    /// The parameters of the model; none while a middle rate says it all.
    pub hyperparameters: Option<Hyperparameters>,
    pub middle: Option<f64>,
}

impl Rates {
    /// Finds the parameters of the model.
    ///
    /// # Errors
    /// Those of the fit, and of a listed cost.
    pub fn find(
        tariff: &Tariff,
        model: &GaussianProcess,
        before: Option<&Hyperparameters>,
        runs: &[Trial],
        log: &[Entry],
        dim: usize,
        seed: u64,
    ) -> Result<FoundRates> {
        let Known { points, rates, modeled } = tariff.known(runs, log, dim)?;
        let middle = (!rates.is_empty()).then(|| middle(rates).exp().min(f64::MAX));
        let [least, most] = ends(modeled.iter().copied());
        if modeled.len() < 3 || most - least < 1e-9 {
            return Ok(FoundRates { hyperparameters: None, middle });
        }
        let scaling = Scaling::standardize(&modeled);
        let scaled: Vec<f64> = modeled.iter().map(|rate| scaling.apply(*rate)).collect();
        let fit = model.fit(&points, &scaled, before, seed)?;
        Ok(FoundRates { hyperparameters: Some(fit.hyperparameters), middle })
    }

    /// The model with these parameters.
    ///
    /// # Errors
    /// Those of the factor, and of a listed cost.
    pub fn new(
        tariff: &Tariff,
        model: &GaussianProcess,
        found: Option<&Hyperparameters>,
        middle: Option<f64>,
        runs: &[Trial],
        log: &[Entry],
        dim: usize,
    ) -> Result<Self> {
        let Known { points, modeled, .. } = tariff.known(runs, log, dim)?;
        let [least, most] = ends(modeled.iter().copied());
        let model = match found {
            None => None,
            Some(found) => {
                let scaling = Scaling::standardize(&modeled);
                let found = found.rescaled(scaling.mean, scaling.sd);
                Some(Posterior::new(model.family(), &found, &points, &modeled)?)
            }
        };
        Ok(Self {
            tariff: tariff.clone(),
            model,
            middle: middle.unwrap_or(1.0),
            middle_modeled: self::middle(modeled),
            range: [least - BEYOND, most + BEYOND],
        })
    }

    /// The rate in the middle of those that are known.
    pub fn middle(&self) -> f64 {
        self.middle
    }

    /// The expected rates `p exp(m + v/2)` of runs at these settings.
    ///
    /// # Errors
    /// Those of the posterior, and of a listed cost.
    pub fn of_settings(&self, points: &Points) -> Result<Vec<f64>> {
        let Some(model) = &self.model else {
            return points.rows().map(|unit| self.rate(unit, self.middle_modeled)).collect();
        };
        let moments = model.moments(points)?;
        let [low, high] = self.range;
        let expected = moments.mean.iter().zip(&moments.variance);
        let expected = expected.map(|(mean, variance)| (mean + 0.5 * variance).clamp(low, high));
        points.rows().zip(expected).map(|(unit, modeled)| self.rate(unit, modeled)).collect()
    }

    /// The rate at a setting by the logarithm of what it is of the listed cost.
    fn rate(&self, unit: &[f64], modeled: f64) -> Result<f64> {
        Ok((modeled + self.tariff.log_listed(unit)?).exp().min(f64::MAX))
    }

    /// The rate of a run that has begun, if it goes on as so far.
    pub fn of_run(&self, run: &Trial) -> f64 {
        let own = self.tariff.paid.rate(&run.reports);
        own.unwrap_or_else(|| self.rate(&run.unit, self.middle_modeled).unwrap_or(self.middle))
    }

    /// The costs of the coming stages after a share of a run, at a rate.
    pub fn stages(&self, rate: f64, done: f64, coming: &[f64]) -> Vec<f64> {
        let before = std::iter::once(done).chain(coming.iter().copied());
        before.zip(coming).map(|(from, to)| rate * self.tariff.paid.share(from, *to)).collect()
    }
}
