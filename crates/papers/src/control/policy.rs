//! How partial queries are scored, and which set is played.

use std::fmt;
use std::sync::Arc;

use gittins::internals::{check_positive, frequency_count};
use gittins::{Error, ErrorKind, Result};

use crate::control::select::Plays;

/// The worth of a partial query.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SetScore {
    /// The expected upper confidence bound `E [mu + beta sigma]`, `beta` in standard deviations
    /// (section 4.1).
    UpperBound {
        /// 2 as published.
        beta: f64,
    },
    /// The expectation of one sample path, drawn anew for each trial.
    Thompson {
        /// Sines and cosines of the path; 2048 as published.
        features: usize,
    },
    /// The mean over sample paths of what the path's expectation promises beyond an incumbent of
    /// that path.
    ExpectedImprovement {
        /// 32 as published.
        paths: usize,
        /// Sines and cosines of each path.
        features: usize,
        /// The value to be improved upon.
        incumbent: PathIncumbent,
    },
}

/// The value that the expectation of a path must improve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PathIncumbent {
    /// The largest value of the path at an observed point, as the published program has it. If no
    /// set controls everything, luck of nature may have raised it above all that a query can
    /// expect.
    #[default]
    Observed,
    /// The largest expectation of the path among the queries that were played, as the publication
    /// words it. Before any was played, the same as above.
    Played,
}

/// Which set is played, once each has its best query.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SetChoice {
    /// The cheapest of the sets whose value comes within a relaxation of the largest.
    Relaxed(Relaxation),
    /// The set with the largest value per unit of cost. Values are those of the model (standardized
    /// outcomes, larger is better). A small cost makes a negative value worse, so the rule is for
    /// comparing.
    PerUnitCost,
    /// Explore, then commit: cheap sets first, a number of times each; then the one with the
    /// largest value.
    ExploreThenCommit(Plays),
}

/// By how much a set's value may fall short of the largest, in the user's outcome units. The trials
/// after the initial design are counted from 1. Regret per unit of cost vanishes if the sum of the
/// relaxations grows slower than the number of trials (theorem 4.2).
#[derive(Clone)]
#[non_exhaustive]
pub enum Relaxation {
    /// Always the same. With zero, costs do not matter.
    Constant(f64),
    /// `start max(1 - t / cutoff, 0)`.
    Linear {
        /// The value it falls from.
        start: f64,
        /// The trial from which it is zero.
        cutoff: usize,
    },
    /// Any function of the trial's number.
    Schedule(Arc<dyn Fn(usize) -> f64 + Send + Sync>),
}

/// How partial queries are scored, and which set is played.
///
/// | policy | score | choice |
/// | --- | --- | --- |
/// | [`ucb_cvs`](Self::ucb_cvs) | upper bound | relaxed |
/// | [`explore_then_commit`](Self::explore_then_commit) | upper bound | explore, then commit: ETC-50, ETC-100, ETC-Ada |
/// | [`ucb_psq`](Self::ucb_psq), [`ts_psq`](Self::ts_psq), [`ei_psq`](Self::ei_psq) | upper bound, Thompson, improvement | the largest value, whatever the cost |
/// | any of them [`per_unit_cost`](Self::per_unit_cost) | | value per unit of cost |
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetPolicy {
    /// The worth of a query.
    pub score: SetScore,
    /// Which set is played.
    pub choice: SetChoice,
}

impl SetScore {
    /// The score's name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::UpperBound { .. } => "expected upper bound",
            Self::Thompson { .. } => "expected sample path",
            Self::ExpectedImprovement { .. } => "expected improvement",
        }
    }
}

impl SubsetPolicy {
    /// UCB-CVS: of the sets whose expected upper bound comes within the relaxation of the largest,
    /// the cheapest (algorithm 1), with `beta = 2`.
    pub fn ucb_cvs(relaxation: impl Into<Relaxation>) -> Self {
        Self {
            score: SetScore::UpperBound { beta: 2.0 },
            choice: SetChoice::Relaxed(relaxation.into()),
        }
    }

    /// UCB-CVS that explores cheap sets first and then commits itself to the largest bound (section
    /// 4.3): ETC-50 is `Plays::Each(50)`, ETC-Ada `Plays::MostExpensive(4.0)`.
    pub fn explore_then_commit(plays: Plays) -> Self {
        Self { choice: SetChoice::ExploreThenCommit(plays), ..Self::ucb_psq() }
    }

    /// The largest expected upper bound, whatever the cost (Hayashi, Honda, Kashima 2022, "Bayesian
    /// Optimization with Partially Specified Queries").
    pub fn ucb_psq() -> Self {
        Self::ucb_cvs(0.0)
    }

    /// Thompson sampling of partial queries (the same authors).
    pub fn ts_psq() -> Self {
        Self { score: SetScore::Thompson { features: 2048 }, ..Self::ucb_psq() }
    }

    /// Expected improvement of partial queries, on 32 sample paths.
    pub fn ei_psq() -> Self {
        let score = SetScore::ExpectedImprovement {
            paths: 32,
            features: 2048,
            incumbent: PathIncumbent::Observed,
        };
        Self { score, ..Self::ucb_psq() }
    }

    /// This score per unit of cost. Any other choice of the set, such as exploring cheap sets
    /// first, is dropped.
    pub fn per_unit_cost(self) -> Self {
        Self { choice: SetChoice::PerUnitCost, ..self }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`], naming what is out of range.
    pub(crate) fn validate(&self) -> Result<()> {
        match self.score {
            SetScore::UpperBound { beta } if !(beta >= 0.0 && beta.is_finite()) => {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("beta: expected a finite number of at least 0, got {beta}"),
                ));
            }
            SetScore::ExpectedImprovement { paths: 0, .. } => {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    "paths: expected at least one, got 0",
                ));
            }
            SetScore::Thompson { features } | SetScore::ExpectedImprovement { features, .. } => {
                frequency_count(features).map(drop)?;
            }
            SetScore::UpperBound { .. } => {}
        }
        match &self.choice {
            SetChoice::ExploreThenCommit(Plays::MostExpensive(plays)) => {
                check_positive("the plays of the dearest set whose money explores a group", *plays)
            }
            SetChoice::Relaxed(
                Relaxation::Constant(value) | Relaxation::Linear { start: value, .. },
            ) => Relaxation::check(*value, 1).map(drop),
            SetChoice::Relaxed(Relaxation::Schedule(_))
            | SetChoice::PerUnitCost
            | SetChoice::ExploreThenCommit(Plays::Each(_)) => Ok(()),
        }
    }
}

impl Default for SubsetPolicy {
    /// ETC-Ada, which the publication found competitive under all costs.
    fn default() -> Self {
        Self::explore_then_commit(Plays::MostExpensive(4.0))
    }
}

impl Relaxation {
    /// Any function of the trial's number.
    pub fn schedule(schedule: impl Fn(usize) -> f64 + Send + Sync + 'static) -> Self {
        Self::Schedule(Arc::new(schedule))
    }

    /// The relaxation for a trial.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for a relaxation that is negative or no number.
    pub fn at(&self, trial: usize) -> Result<f64> {
        let value = match self {
            Self::Constant(value) => *value,
            Self::Linear { start, cutoff } => {
                start * (1.0 - trial as f64 / (*cutoff).max(1) as f64).max(0.0)
            }
            Self::Schedule(schedule) => schedule(trial),
        };
        Self::check(value, trial)
    }

    fn check(value: f64, trial: usize) -> Result<f64> {
        if value >= 0.0 && value.is_finite() {
            return Ok(value);
        }
        let message = format!(
            "the relaxation for trial {trial}: expected a finite number of at least 0, got {value}"
        );
        Err(Error::new(ErrorKind::InvalidSetting, message))
    }
}

impl From<f64> for Relaxation {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

impl fmt::Debug for Relaxation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "Constant({value})"),
            Self::Linear { start, cutoff } => {
                write!(f, "Linear {{ start: {start}, cutoff: {cutoff} }}")
            }
            Self::Schedule(_) => f.write_str("Schedule(..)"),
        }
    }
}

/// Schedules are equal if they are the same function.
impl PartialEq for Relaxation {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) => a == b,
            (Self::Linear { start: a, cutoff: c }, Self::Linear { start: b, cutoff: d }) => {
                a == b && c == d
            }
            (Self::Schedule(a), Self::Schedule(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}
