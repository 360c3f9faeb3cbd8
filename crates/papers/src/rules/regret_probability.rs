//! Stop when the regret is small with high probability.

use super::binomial::clopper_pearson;
use super::path_regret::PathRegret;
use super::sampling::{LevelTest, Side, level_test, risk_share, sample_sizes};
use gittins::internals::check_positive;
use gittins::internals::check_probability;
use gittins::internals::decimal;
use gittins::stop::Statistic;
use gittins::{Error, ErrorKind, Result};
use gittins::{StopContext, StopRule};

/// Stops when the regret of the best point is at most `epsilon` with probability `1 - delta` under
/// the model (Wilson 2024, "Stopping Bayesian Optimization with Probabilistic Regret Bounds",
/// equation 3 and section 4; PRB in Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization,
/// section 4):
///
/// ```text
/// P( max f - f(best) <= epsilon | data ) >= 1 - delta
/// ```
///
/// `best` is the point of the best observed outcome, which [`Study::best`](gittins::Study::best)
/// returns. The probability is estimated on sample paths of the posterior
/// ([`Paths`](gittins::posterior::Paths)), in one of two ways:
///
/// - [`new`](Self::new) has the guarantee of the paper: `delta` is split into a part of the model
///   and a part of the estimator, half each. Each check is a [level test](level_test) of whether
///   the regret exceeds `epsilon` with probability below the model's part. The `t`-th check takes
///   the [share](risk_share) `t` of the estimator's risk, and its `k`-th round of samples takes the
///   share `k` of that. All decisions of a run together are therefore wrong with probability below
///   the estimator's part. Samples are 64, 96, 144, ... up to 1000. If the test is still undecided
///   there, the run goes on. The statistic is the upper limit of the probability. Its threshold is
///   the model's part of `delta`.
/// - [`frequency`](Self::frequency) is the form that Xie et al. ran: the share of paths that exceed
///   is at most `delta`. The `k`-th check draws the `k`-th number of samples of the same schedule.
///
/// **Where a path has its maximum.** On a table all rows are looked at (or a [subset](Self::grid)).
/// On a space of at most 4096 whole-number points all points are looked at. Otherwise these are the
/// study's number of quasi-random points, the neighborhood of the best trials and the evaluated
/// points, and the 16 best of each path climb. A maximum that is found too low makes the regret too
/// small and would stop the run too early. A path with a climb that did not converge therefore
/// counts as exceeding `epsilon`, which can only delay. What remains is a peak with no candidate
/// near it: this error stops the run early. A space with whole numbers is relaxed for the climbs.
/// This overstates the regret and can only delay.
///
/// `epsilon` is in outcome units and scales with them. The rule ignores costs, and works with any
/// acquisition. It is the most expensive rule: up to a thousand path maximizations per check. The
/// guarantee is that of independent paths. The paths drawn here share the frequencies of their
/// random features in groups of 16. A frequency is therefore some 5 % less certain than that of as
/// many independent paths.
#[derive(Debug, Clone)]
pub struct RegretProbabilityRule {
    epsilon: f64,
    risk: f64,
    method: Method,
    first: usize,
    cap: usize,
    features: usize,
    rows: usize,
    /// The numbers of observations at the checks, in rising order.
    checks: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Method {
    LevelTest { model_share: f64 },
    Frequency,
}

impl RegretProbabilityRule {
    /// The form with a guarantee: regret `epsilon` in outcome units, `delta = 0.05` split into
    /// halves, 64 to 1000 samples, 1024 features a path.
    pub fn new(epsilon: f64) -> Self {
        Self {
            epsilon,
            risk: 0.05,
            method: Method::LevelTest { model_share: 0.5 },
            first: 64,
            cap: 1000,
            features: 1024,
            rows: usize::MAX,
            checks: Vec::new(),
        }
    }

    /// The simple frequency, with the same defaults and without a guarantee.
    pub fn frequency(epsilon: f64) -> Self {
        Self { method: Method::Frequency, ..Self::new(epsilon) }
    }

    /// Sets the risk `delta`, between 0 and 1.
    pub fn risk(mut self, delta: f64) -> Self {
        self.risk = delta;
        self
    }

    /// Sets the model's share of the risk, between 0 and 1. The rest is the estimator's. The
    /// frequency does not split.
    pub fn split(mut self, model_share: f64) -> Self {
        if let Method::LevelTest { .. } = self.method {
            self.method = Method::LevelTest { model_share };
        }
        self
    }

    /// Sets the first number of samples, and the number at which a check ends.
    pub fn samples(mut self, first: usize, cap: usize) -> Self {
        self.first = first;
        self.cap = cap;
        self
    }

    /// Sets the number of features of a path; even.
    pub fn features(mut self, features: usize) -> Self {
        self.features = features;
        self
    }

    /// Looks only at this many rows of a table, drawn once by the study's seed, and at the
    /// evaluated rows. Maxima elsewhere are missed, which stops the run too early. Use it only for
    /// tables that are too large.
    pub fn grid(mut self, rows: usize) -> Self {
        self.rows = rows;
        self
    }

    /// The level and the risk of the `t`-th check.
    fn level(&self, model_share: f64, t: usize) -> (f64, f64) {
        (model_share * self.risk, risk_share(t) * (1.0 - model_share) * self.risk)
    }

    fn invalid(&self, message: String) -> Result<()> {
        Err(Error::new(
            ErrorKind::InvalidSetting,
            format!("the regret probability rule: {message}"),
        ))
    }
}

/// The note if the time was up.
fn late(regret: &PathRegret<'_>) -> &'static str {
    if regret.was_cut() {
        " (with those that there was no time for, as the time for the search was up)"
    } else {
        ""
    }
}

impl StopRule for RegretProbabilityRule {
    fn name(&self) -> &'static str {
        "probability of small regret"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let threshold = match self.method {
            Method::LevelTest { model_share } => model_share * self.risk,
            Method::Frequency => self.risk,
        };
        let Some(regret) = PathRegret::new(context, self.features, self.rows) else {
            return Ok(Statistic::unknown(threshold));
        };
        // A check with no more observations draws with the same numbers and takes no more risk.
        // Decisions from a trial that was corrected or withdrawn since do not count any more.
        let told = context.observations().len();
        self.checks.truncate(self.checks.partition_point(|before| *before < told));
        self.checks.push(told);
        let epsilon = decimal(self.epsilon, 3);
        match self.method {
            Method::LevelTest { model_share } => {
                let (level, risk) = self.level(model_share, self.checks.len());
                let draw = |round, count| regret.exceedances(self.epsilon, round, count);
                let sizes = sample_sizes(self.first, self.cap).take_while(|_| !regret.is_late());
                let LevelTest { side, events, samples, interval } =
                    level_test(level, risk, sizes, draw)?;
                let words = match side {
                    Side::Undecided => "too few samples to tell",
                    Side::Above => "more than may be",
                    Side::Below => "few enough",
                };
                let words = format!(
                    "the regret exceeds {epsilon} on {events} of {samples} sample paths{}, {words}",
                    late(&regret)
                );
                let mut statistic = Statistic::at_most(interval.1, threshold).note(words);
                statistic.fired = side == Side::Below;
                Ok(statistic)
            }
            Method::Frequency => {
                let samples = sample_sizes(self.first, self.cap)
                    .take(self.checks.len())
                    .last()
                    .unwrap_or(self.first);
                let events = regret.exceedances(self.epsilon, 1, samples)?;
                let words = format!(
                    "the regret exceeds {epsilon} on {events} of {samples} sample paths{}",
                    late(&regret)
                );
                Ok(Statistic::at_most(events as f64 / samples as f64, threshold).note(words))
            }
        }
    }

    fn state(&self) -> Vec<f64> {
        self.checks.iter().map(|told| *told as f64).collect()
    }

    fn restore(&mut self, state: &[f64]) {
        self.checks = state.iter().map(|told| *told as usize).collect();
    }

    fn validate(&self, _price: Option<f64>) -> Result<()> {
        check_positive("the regret epsilon of the regret probability rule", self.epsilon)?;
        check_probability("the risk delta of the regret probability rule", self.risk)?;
        if self.first == 0 || self.cap < self.first {
            return self.invalid(format!(
                "expected from 1 to as many first samples as in all, got {} and {}",
                self.first, self.cap
            ));
        }
        if self.features == 0 || !self.features.is_multiple_of(2) {
            return self
                .invalid(format!("expected an even number of features, got {}", self.features));
        }
        if self.rows == 0 {
            return self.invalid("expected at least one row of the table, got 0".to_owned());
        }
        let Method::LevelTest { model_share } = self.method else { return Ok(()) };
        check_probability(
            "the model's share of the risk of the regret probability rule",
            model_share,
        )?;
        let (level, risk) = self.level(model_share, 1);
        let rounds = sample_sizes(self.first, self.cap).count();
        let (_, least) = clopper_pearson(0, self.cap, risk_share(rounds) * risk);
        if least >= level {
            return self.invalid(format!(
                "{} samples can never show a probability below {level}, at best {least}",
                self.cap
            ));
        }
        Ok(())
    }
}
