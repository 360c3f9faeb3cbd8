//! What the fitted models say about outcome and cost.

use std::borrow::Cow;
use std::sync::Arc;

use crate::acquisition::{Acquisition, Pointwise, Quantity};
use crate::backend::{Backend, Cpu, Job, JobCost, Scores};
use crate::data::{Direction, Observations, OutcomeScale, PointCost, Points, Scaling};
use crate::error::Result;
use crate::math::{normal, student};
use crate::model::{Fit, Hyperparameters};
use crate::posterior::{Pending, Posterior, Usable};
use crate::surrogate::awaited::Awaited;
use crate::surrogate::beside::CostBelief;
use crate::surrogate::cost_model::log_costs;
use crate::surrogate::front_model::FrontModel;
use crate::surrogate::limit_model::Slack;
use crate::surrogate::number_model::NumberModel;
use crate::surrogate::outcome_model::Modeled;
use crate::surrogate::refit::{self, Fitted};
use crate::surrogate::setup::Setup;
use crate::surrogate::success_model::Reliability;

/// The models of outcome and cost at one moment of a run: fitted, and conditioned on all
/// observations.
///
/// Inside, outcomes are warped and standardized, and larger is better. `scale` and `direction`
/// convert back.
/// A failed or infeasible trial has no outcome. It teaches where trials fail: the probability of
/// success enters the acquisition ([`Job::usable`]). The model of the outcome is conditioned on
/// what another trial there would be worth, after its hyperparameters were found without it: its
/// own posterior mean in case of success, a poor outcome in case of failure. So the trial is not
/// suggested again, and its region is penalized as far as other trials failed there too.
#[derive(Debug, Clone)]
pub struct Surrogate {
    pub(super) posterior: Posterior,
    pub(super) cost: CostBelief,
    pub(super) scale: OutcomeScale,
    pub(super) direction: Direction,
    pub(super) incumbent: f64,
    /// What a trial must improve upon: the incumbent, or more if outcomes have steps.
    pub(super) bar: f64,
    /// The noise of an outcome that improvements foresee, standardized; zero if improvements are
    /// those of the function.
    pub(super) foreseen_noise: f64,
    /// The complete trial with the largest posterior mean: its index among the observations, and
    /// its point.
    pub(super) recommended: (usize, Vec<f64>),
    /// Whether it is feasible: it holds all limits. Otherwise it is the one closest to feasibility,
    /// and the incumbent is the smallest mean.
    pub(super) has_incumbent: bool,
    /// The posterior with the incumbent treated as known; `None` if outcomes determine the
    /// incumbent to all relevant digits.
    pub(super) against_incumbent: Option<Posterior>,
    pub(super) pending_trials: Fantasized,
    pub(super) worth_repeating: bool,
    pub(super) outcome_fit: Fitted,
    pub(super) cost_fit: Option<Fitted>,
    /// None while no trial failed.
    pub(super) reliability: Option<Arc<Reliability>>,
    /// One for each limit; none while its number was not measured.
    pub(super) slacks: Vec<Option<Slack>>,
    /// None while no trial failed and no limit has a model.
    pub(super) usable: Option<Usable>,
    /// One for each objective beside the outcome; none while it was not measured.
    pub(super) objectives: Vec<Option<NumberModel>>,
    /// None without other objectives, and while one of them was not measured.
    pub(super) front: Option<FrontModel>,
}

/// The pending trials that the models know of.
#[derive(Debug, Clone, Default)]
pub(super) struct Fantasized {
    /// How many there are, and how many rows they have in the posterior that improvements use.
    trials: usize,
    rows: usize,
    /// The sum of their chances to bring nothing.
    missing: f64,
    /// Their fantasies, in that posterior.
    fantasies: Option<Pending>,
}

impl Surrogate {
    /// These models with pending trials. Their outcomes are fantasies for improvements, their
    /// probabilities and the Gittins index ([`Job::pending`]); all else has them at their posterior
    /// means. A trial brings nothing if it is of no use or if its worker is [dead](Awaited::dead).
    /// The fantasies have the mean of these chances.
    ///
    /// If the incumbent is treated as known, the fantasies are those given its value.
    ///
    /// # Errors
    /// Those of [`Posterior::with_pending`].
    #[doc(hidden)]
    pub fn awaiting(&self, awaited: &Awaited, seed: u64) -> Result<Cow<'_, Self>> {
        if awaited.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let mut with = self.clone();
        with.await_also(awaited, seed)?;
        Ok(Cow::Owned(with))
    }

    /// Conditions on additional pending trials.
    ///
    /// # Errors
    /// Those of [`Posterior::with_pending`].
    pub(crate) fn await_also(&mut self, awaited: &Awaited, seed: u64) -> Result<()> {
        let pending = awaited.points();
        let mut added = self.posterior.await_outcomes(pending)?;
        if let Some(against) = &mut self.against_incumbent {
            added = against.await_outcomes(pending)?;
        }
        if let Some(front) = &mut self.front {
            front.await_also(&self.posterior, pending)?;
        }
        let succeeding = match &self.usable {
            Some(usable) => usable.probabilities(pending)?,
            None => vec![1.0; pending.len()],
        };
        let missing = awaited.dead().iter().zip(succeeding).map(|(dead, p)| 1.0 - (1.0 - dead) * p);
        self.pending_trials.missing += missing.sum::<f64>();
        self.pending_trials.trials += pending.len();
        self.pending_trials.rows += added;
        let Fantasized { trials, rows, missing, .. } = self.pending_trials;
        let missing = (missing / trials.max(1) as f64).clamp(0.0, 1.0);
        let posterior = self.against_incumbent.as_ref().unwrap_or(&self.posterior);
        self.pending_trials.fantasies = posterior.fantasies(rows, missing, seed)?;
        Ok(())
    }

    /// The logarithm of what one more trial is expected to bring: the improvement of the front if
    /// there are several objectives, otherwise of the outcome; per expected cost if so wanted.
    pub(crate) fn improvement(&self, per_cost: bool) -> Acquisition {
        match &self.front {
            Some(front) if self.has_incumbent => front.acquisition(per_cost),
            _ if per_cost => Acquisition::log_eipc(),
            _ => Pointwise::LogExpectedImprovement.into(),
        }
    }

    /// The observations on the front, if there are several objectives.
    pub(crate) fn front(&self) -> Option<&[usize]> {
        self.front.as_ref().filter(|_| self.has_incumbent).map(|front| front.rows.as_slice())
    }

    /// The hypervolume of the front in the user's units, if there are several objectives.
    pub(crate) fn hypervolume(&self) -> Option<f64> {
        let front = self.front.as_ref().filter(|_| self.has_incumbent)?;
        Some(front.hypervolume(&self.scale))
    }

    /// Converts an acquisition from the user's outcome units (larger is better) to units of the
    /// posterior. A sample path is already in these units.
    pub fn standardized(&self, acquisition: &Acquisition) -> Acquisition {
        acquisition.standardized(&self.scale)
    }

    /// Whether the cost is known or modeled. It is not while costs are learned and none was
    /// told.
    pub fn knows_cost(&self) -> bool {
        !matches!(self.cost, CostBelief::Unknown)
    }

    /// The job of a [standardized](Self::standardized) acquisition. While
    /// [no cost is known](Self::knows_cost), each point costs 1.
    pub fn job<'a>(&'a self, acquisition: &'a Acquisition) -> Job<'a> {
        let cost = match &self.cost {
            CostBelief::Uniform(cost) => JobCost::Uniform(*cost),
            CostBelief::Known(known) => JobCost::Known(known),
            CostBelief::Learned(posterior) => JobCost::Learned(posterior),
            CostBelief::Unknown => JobCost::Uniform(1.0),
        };
        let posterior = match &self.against_incumbent {
            Some(against) if acquisition.foresees_noise() => against,
            _ => &self.posterior,
        };
        let fantasies = self.pending_trials.fantasies.as_ref();
        Job::new(posterior, cost, acquisition, self.bar)
            .gradient(true)
            .noise(self.foreseen_noise)
            .usable(self.usable())
            .pending(fantasies.filter(|_| acquisition.uses_pending()))
    }

    /// The probability that a trial may be used: it succeeds, and holds all limits. `None` while no
    /// trial failed and no limited number was measured.
    pub fn usable(&self) -> Option<&Usable> {
        self.usable.as_ref()
    }

    /// The probability that a trial at a point of the unit cube may be used.
    ///
    /// # Errors
    /// Those of [`Usable::probabilities`].
    pub(crate) fn usable_at(&self, unit: &[f64]) -> Result<Option<f64>> {
        let point = Points::from_rows(unit.len(), unit.to_vec())?;
        self.usable().map(|usable| Ok(usable.probabilities(&point)?[0])).transpose()
    }

    /// By how much the logarithm of the probability that limits hold at a point grows if the
    /// deviation of each slack is taken as known from its trials alone: a Student distribution in
    /// place of the normal one, with one degree of freedom less than there are trials. The tail of
    /// the normal one is too thin to rule something out by a few trials.
    ///
    /// # Errors
    /// Those of [`Posterior::moments`].
    pub(crate) fn log_doubt_at(&self, unit: &[f64]) -> Result<f64> {
        let point = Points::from_rows(unit.len(), unit.to_vec())?;
        self.slacks.iter().flatten().try_fold(0.0, |sum, slack| {
            let moments = slack.model.posterior.moments(&point)?;
            let z = moments.mean[0] / moments.variance[0].sqrt();
            let few = student::cdf(z, slack.model.posterior.len().saturating_sub(1));
            Ok(sum + few.max(f64::MIN_POSITIVE).ln() - normal::log_cdf(z))
        })
    }

    /// Whether some complete trial is feasible: it holds all limits.
    pub fn has_incumbent(&self) -> bool {
        self.has_incumbent
    }

    /// The score of an acquisition, in units of the posterior, at a point found with another
    /// acquisition. The acquisition's price is in the user's units.
    pub(crate) fn score_at(&self, acquisition: &Acquisition, unit: &[f64]) -> Result<f64> {
        let acquisition = self.standardized(acquisition);
        let mut scores = Scores::default();
        Cpu.evaluate(
            &self.job(&acquisition).gradient(false),
            &Points::from_rows(unit.len(), unit.to_vec())?,
            &mut scores,
        )?;
        Ok(scores.value[0])
    }

    /// The standard deviation of the function, in the user's outcome units, at a point for which a
    /// search found this mean and this variance.
    ///
    /// # Errors
    /// [`Dimension`](crate::ErrorKind::Dimension) for a point of another dimension.
    pub(crate) fn sd_at(&self, unit: &[f64], mean: f64, found: f64) -> Result<f64> {
        let variance = match self.against_incumbent {
            // The found variance is what remains with the incumbent known.
            Some(_) => {
                self.posterior.moments(&Points::from_rows(unit.len(), unit.to_vec())?)?.variance[0]
            }
            None => found,
        };
        Ok(self.scale.undo_deviation(mean, variance))
    }

    /// What is expected of an outcome at a point, in the user's units: one deviation below and above,
    /// before deviations are [widened](crate::surrogate::widening). None if these are no numbers.
    pub(crate) fn foreseen(&self, unit: &[f64]) -> Option<[f64; 2]> {
        let moments = self.posterior.moments(&Points::from_rows(unit.len(), unit.to_vec()).ok()?);
        let moments = moments.ok()?;
        let used = self.posterior.hyperparameters();
        let widened = used.outputscale / self.outcome_fit.fit.hyperparameters.outputscale;
        let deviation = ((moments.variance[0] + used.noise) / widened).sqrt();
        let side =
            |z: f64| self.direction.sign() * self.scale.undo(moments.mean[0] + z * deviation);
        Some([side(-1.0), side(1.0)]).filter(|sides| sides.iter().all(|side| side.is_finite()))
    }

    /// The posterior of `ln c`, if the cost is learned and some cost was told.
    pub fn log_cost(&self) -> Option<&Posterior> {
        match &self.cost {
            CostBelief::Learned(posterior) => Some(posterior),
            _ => None,
        }
    }

    /// The acquisition's value in the user's outcome units; larger is still better.
    pub fn value(&self, acquisition: &Acquisition, value: f64) -> f64 {
        acquisition.quantity().undo(&self.scale, value)
    }

    /// The acquisition's value in the user's outcome units and direction. If outcomes are
    /// minimized, an index, a bound or the value of a sample path changes its sign.
    #[doc(hidden)]
    pub fn value_in_direction(&self, acquisition: &Acquisition, value: f64) -> f64 {
        let value = self.value(acquisition, value);
        match acquisition.quantity() {
            Quantity::Level => self.direction.sign() * value,
            Quantity::Gain | Quantity::LogGain | Quantity::Number => value,
        }
    }

    /// The expected cost at a point of the unit cube, in the user's units. `exp(m + v/2)` if `ln c`
    /// is learned. At least the floor if the cost is known. NaN while
    /// [no cost is known](Self::knows_cost).
    ///
    /// # Errors
    /// Those of a known cost at this point.
    pub fn expected_cost(&self, unit: &[f64]) -> Result<f64> {
        match &self.cost {
            CostBelief::Uniform(cost) => Ok(*cost),
            CostBelief::Known(known) => known.cost(unit, None),
            CostBelief::Learned(posterior) => {
                let moments = posterior.moments(&Points::from_rows(unit.len(), unit.to_vec())?)?;
                // Far from all known costs the exponential may overflow.
                Ok((moments.mean[0] + 0.5 * moments.variance[0])
                    .exp()
                    .clamp(f64::MIN_POSITIVE, f64::MAX))
            }
            CostBelief::Unknown => Ok(f64::NAN),
        }
    }

    /// The posterior of the standardized outcome; larger is better.
    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    /// The map from outcomes (larger is better) to modeled outcomes: the warp, and the
    /// standardization.
    pub fn scale(&self) -> &OutcomeScale {
        &self.scale
    }

    /// Which of the user's outcomes are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The incumbent, standardized; larger is better. It is the largest posterior mean at a
    /// complete trial that holds all limits, or the best outcome there
    /// ([`Incumbent`](crate::surrogate::Incumbent)). While there is none, it is the smallest mean.
    pub fn incumbent(&self) -> f64 {
        self.incumbent
    }

    /// What a trial must improve upon, standardized: the [incumbent](Self::incumbent). If outcomes
    /// have steps and the best of them tie, it lies above it, because a small improvement changes
    /// no outcome.
    pub(crate) fn bar(&self) -> f64 {
        self.bar
    }

    /// The index among the observations of the complete trial with the largest posterior mean of
    /// those that hold all limits; of the one closest to feasibility, while [there is
    /// none](Self::has_incumbent).
    pub fn recommended(&self) -> usize {
        self.recommended.0
    }

    /// Whether another outcome at an evaluated point may be informative: the model believes in
    /// noise, and no observation refutes it.
    #[doc(hidden)]
    pub fn worth_repeating(&self) -> bool {
        self.worth_repeating
    }

    /// The fit of the outcome's model.
    pub(crate) fn outcome_fit(&self) -> &Fit {
        &self.outcome_fit.fit
    }

    /// The hyperparameters found for the standardized outcome, before they are widened, and for the
    /// standardized `ln c`, with the standardization of the present observations.
    #[doc(hidden)]
    pub fn hyperparameters(
        &self,
        setup: &Setup,
        observations: &Observations,
    ) -> (Hyperparameters, Option<Hyperparameters>) {
        let outcome = if self.outcome_fit.is_fresh() {
            self.outcome_fit.fit.hyperparameters.clone()
        } else {
            let scaling = self.scale.scaling();
            let now = Modeled::of(setup, observations)
                .map_or(scaling, |modeled| setup.scaling(&modeled.outcomes));
            let mean = self.posterior.hyperparameters().mean;
            let found = self.outcome_fit.fit.hyperparameters.clone();
            refit::between(&Hyperparameters { mean, ..found }, scaling, now)
        };
        let cost = self.log_cost().zip(self.cost_fit.as_ref()).map(|(posterior, fitted)| {
            if fitted.is_fresh() {
                fitted.fit.hyperparameters.clone()
            } else {
                let now = refit::scaling_of_any(&log_costs(observations).1);
                refit::between(posterior.hyperparameters(), Scaling::identity(), now)
            }
        });
        (outcome, cost)
    }

    /// The fit of the cost's model, to standardized `ln c`; `None` unless the cost is learned.
    pub(crate) fn cost_fit(&self) -> Option<&Fit> {
        self.cost_fit.as_ref().map(|fitted| &fitted.fit)
    }
}
