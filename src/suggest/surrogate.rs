//! What is believed of outcome and cost once models were fitted to what was told.

use std::borrow::Cow;
use std::sync::Arc;

use crate::acquisition::{Acquisition, Quantity};
use crate::backend::{Backend, Cpu, Job, JobCost, Scores};
use crate::data::PointCost;
use crate::data::{BoundCost, Cost, Direction, Observations, Points, Scaling};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::model::{Fit, Hyperparameters};
use crate::posterior::Posterior;
use crate::suggest::fitted::{self, Fitted};
use crate::suggest::incumbent::{self, Incumbent};
use crate::suggest::learned::{Modeled, condition, learn_cost, log_costs, scaling_of_log_costs};
use crate::suggest::setup::Setup;
use crate::suggest::streams::{Stream, seed};

/// What is believed of outcome and cost at one moment of a run: the fitted models conditioned on
/// everything told.
///
/// Inside, outcomes are turned so that larger is better and standardized; `scaling` and `direction`
/// lead back. An infeasible trial stands in the data with the worst outcome so far. A failed one
/// has no outcome: it is conditioned on at its own posterior mean, which leaves the mean as it was
/// and takes the uncertainty there, so that it is not asked again and its region is not punished.
#[derive(Debug, Clone)]
pub struct Surrogate {
    posterior: Posterior,
    cost: CostBelief,
    scaling: Scaling,
    direction: Direction,
    incumbent: f64,
    /// The noise of an outcome that improvements foresee, standardized; none where they are those
    /// of the function.
    foreseen_noise: f64,
    /// The complete trial with the largest posterior mean, by its place among the observations, and
    /// where it is.
    recommended: (usize, Vec<f64>),
    /// What is believed if what is in hand is taken as known; none where outcomes tell it to all
    /// digits that matter.
    against_incumbent: Option<Posterior>,
    worth_repeating: bool,
    outcome_fit: Fitted,
    cost_fit: Option<Fitted>,
}

/// What is believed of the cost.
#[derive(Debug, Clone)]
enum CostBelief {
    Uniform(f64),
    Known(BoundCost),
    Learned(Arc<Posterior>),
    /// To be learned, from costs that are all still to come.
    Unknown,
}

impl Surrogate {
    /// Fits to the observations; `None` as long as no trial is complete.
    ///
    /// Fits start warm from those of the surrogate before, and are made rarely if there are many
    /// observations; a search from scratch follows whenever the observations have doubled. A fit
    /// that fails keeps the hyper-parameters from before and says so in its status.
    ///
    /// # Errors
    /// Those of the model, where there is nothing from before to keep.
    pub fn fit(
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
    ) -> Result<Option<Self>> {
        Self::fit_until(setup, observations, before, setup.deadline())
    }

    /// The same as a part of something that ends at a deadline: fits take up to half of the time
    /// left. If there is no time for a fit, the hyper-parameters from before are kept, the new
    /// inputs are appended to the factor, and the status says so
    /// ([`FitStatus::Deadline`](crate::model::FitStatus::Deadline)).
    ///
    /// # Errors
    /// As for [`fit`](Self::fit).
    pub fn fit_until(
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
        deadline: Deadline,
    ) -> Result<Option<Self>> {
        Self::make(setup, observations, before, [None, None], deadline)
    }

    /// The surrogate whose fits found these hyper-parameters (of the standardized outcome, of the
    /// standardized `ln c`), without searching for them again; a model without any is fitted.
    ///
    /// # Errors
    /// Those of [`fit`](Self::fit) and of [`Hyperparameters::validate`].
    pub(crate) fn with_hyperparameters(
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
        found: [Option<&Hyperparameters>; 2],
    ) -> Result<Option<Self>> {
        let dim = setup.domain.dim();
        for (what, found) in ["the outcome's model", "the cost's model"].into_iter().zip(found) {
            found.map_or(Ok(()), |found| found.validate(dim)).map_err(|error| error.at(what))?;
        }
        Self::make(setup, observations, before, found, Deadline::NEVER)
    }

    fn make(
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
        [of_outcome, of_cost]: [Option<&Hyperparameters>; 2],
        deadline: Deadline,
    ) -> Result<Option<Self>> {
        let Some(Modeled { inputs, outcomes, failed, best }) = Modeled::of(observations) else {
            return Ok(None);
        };
        let fit_seed = seed(setup.seed, Stream::OutcomeFit, observations.len());
        let (mut posterior, outcome_fit) = condition(
            setup,
            (&inputs, &outcomes),
            before.map(|before| (&before.outcome_fit, &before.posterior)),
            of_outcome,
            (fit_seed, deadline),
        )?;
        let scaling = outcome_fit.scaling;
        let Some((recommended, mean)) = incumbent::recommended(observations, &posterior) else {
            return Ok(None);
        };
        let (incumbent, foreseen_noise, worth_repeating) = match setup.incumbent {
            Incumbent::BestOutcome => (scaling.apply(best), 0.0, false),
            Incumbent::PosteriorMean => {
                let noise = posterior.hyperparameters().noise + posterior.jitter();
                (mean, noise, incumbent::worth_repeating(observations, &posterior))
            }
        };
        let recommended = (
            recommended,
            observations
                .get(recommended)
                .map_or_else(Vec::new, |observation| observation.point.clone()),
        );
        if !failed.is_empty() {
            posterior = posterior.fantasize(&failed)?;
        }
        let against_incumbent =
            if worth_repeating { posterior.knowing(&recommended.1)? } else { None };
        let (cost, cost_fit) = CostBelief::new(setup, observations, before, of_cost, deadline)?;
        let direction = observations.direction();
        Ok(Some(Self {
            posterior,
            cost,
            scaling,
            direction,
            incumbent,
            foreseen_noise,
            recommended,
            against_incumbent,
            worth_repeating,
            outcome_fit,
            cost_fit,
        }))
    }

    /// The same belief of the outcome, with the cost learned anew: what to do where nothing but
    /// costs was told since.
    ///
    /// # Errors
    /// Those of the cost's model.
    pub fn with_costs(
        &self,
        setup: &Setup,
        observations: &Observations,
        deadline: Deadline,
    ) -> Result<Self> {
        let (cost, cost_fit) = CostBelief::new(setup, observations, Some(self), None, deadline)?;
        Ok(Self { cost, cost_fit, ..self.clone() })
    }

    /// The same belief with trials under way conditioned on at their posterior means.
    ///
    /// # Errors
    /// Those of [`Posterior::fantasize`].
    pub fn with_pending(&self, pending: &Points) -> Result<Cow<'_, Self>> {
        if pending.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let posterior = self.posterior.fantasize(pending)?;
        let against_incumbent = if self.against_incumbent.is_some() {
            posterior.knowing(&self.recommended.1)?
        } else {
            None
        };
        Ok(Cow::Owned(Self {
            posterior,
            against_incumbent,
            cost: self.cost.clone(),
            recommended: self.recommended.clone(),
            outcome_fit: self.outcome_fit.clone(),
            cost_fit: self.cost_fit.clone(),
            ..*self
        }))
    }

    /// An acquisition with settings in the user's outcome units (turned so that larger is better),
    /// in units of the posterior. A sample path is in these already.
    pub fn standardized(&self, acquisition: &Acquisition) -> Acquisition {
        acquisition.standardized(&self.scaling)
    }

    /// Whether anything is known of the cost: it is not as long as costs are learned and none was
    /// told.
    pub fn knows_cost(&self) -> bool {
        !matches!(self.cost, CostBelief::Unknown)
    }

    /// The job of a [standardized](Self::standardized) acquisition. As long as
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
        Job {
            posterior,
            cost,
            acquisition,
            incumbent: self.incumbent,
            gradient: true,
            noise: self.foreseen_noise,
            keep: None,
        }
    }

    /// The score of an acquisition whose price is in the user's units, in those of the posterior,
    /// at a point where another was maximized.
    ///
    /// # Errors
    /// Those of a known cost there.
    pub(crate) fn score_at(&self, acquisition: &Acquisition, unit: &[f64]) -> Result<f64> {
        let acquisition = self.standardized(acquisition);
        let mut scores = Scores::default();
        Cpu.evaluate(
            &Job { gradient: false, ..self.job(&acquisition) },
            &Points::from_rows(unit.len(), unit.to_vec())?,
            &mut scores,
        )?;
        Ok(scores.value[0])
    }

    /// The standard deviation of the function, in the user's outcome units, at a point where a
    /// search found this variance.
    ///
    /// # Errors
    /// [`Dimension`](crate::ErrorKind::Dimension) for a point of another dimension.
    pub(crate) fn sd_at(&self, unit: &[f64], found: f64) -> Result<f64> {
        let variance = match self.against_incumbent {
            // What was found is what the incumbent does not tell.
            Some(_) => {
                self.posterior.moments(&Points::from_rows(unit.len(), unit.to_vec())?)?.variance[0]
            }
            None => found,
        };
        Ok(self.scaling.undo_difference(variance.sqrt()))
    }

    /// The posterior of `ln c`, where the cost is learned and some cost was told.
    pub fn log_cost(&self) -> Option<&Posterior> {
        match &self.cost {
            CostBelief::Learned(posterior) => Some(posterior),
            _ => None,
        }
    }

    /// The acquisition's value in the user's outcome units, larger still being better.
    pub fn value(&self, acquisition: &Acquisition, value: f64) -> f64 {
        acquisition.quantity().undo(&self.scaling, value)
    }

    /// The acquisition's value in the user's outcome units and direction. If outcomes are
    /// minimized, an index, a bound or the value of a sample path is turned back.
    pub fn value_in_direction(&self, acquisition: &Acquisition, value: f64) -> f64 {
        let value = self.value(acquisition, value);
        match acquisition.quantity() {
            Quantity::Level => self.direction.sign() * value,
            Quantity::Gain | Quantity::LogGain | Quantity::Number => value,
        }
    }

    /// The expected cost at a point of the unit cube, in the user's units: `exp(m + v/2)` where
    /// `ln c` is learned, no less than the floor where the cost is known, and NaN as long as
    /// [no cost is known](Self::knows_cost).
    ///
    /// # Errors
    /// Those of a known cost there.
    pub fn expected_cost(&self, unit: &[f64]) -> Result<f64> {
        match &self.cost {
            CostBelief::Uniform(cost) => Ok(*cost),
            CostBelief::Known(known) => known.cost(unit, None),
            CostBelief::Learned(posterior) => {
                let moments = posterior.moments(&Points::from_rows(unit.len(), unit.to_vec())?)?;
                // Far from all bills the logarithm may leave the range of an exponential.
                Ok((moments.mean[0] + 0.5 * moments.variance[0])
                    .exp()
                    .clamp(f64::MIN_POSITIVE, f64::MAX))
            }
            CostBelief::Unknown => Ok(f64::NAN),
        }
    }

    /// The posterior of the standardized outcome, larger being better.
    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    /// The map from outcomes (turned so that larger is better) to standardized ones.
    pub fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// Which of the user's outcomes are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// What is in hand, standardized, larger being better: the largest posterior mean at a complete
    /// trial, or the best outcome ([`Incumbent`]).
    pub fn incumbent(&self) -> f64 {
        self.incumbent
    }

    /// The complete trial with the largest posterior mean, by its place among the observations.
    pub fn recommended(&self) -> usize {
        self.recommended.0
    }

    /// Whether another outcome at a point that has one may tell something: the model believes in
    /// noise, and nothing told says otherwise.
    pub fn worth_repeating(&self) -> bool {
        self.worth_repeating
    }

    /// The fit of the outcome's model.
    pub fn outcome_fit(&self) -> &Fit {
        &self.outcome_fit.fit
    }

    /// The hyper-parameters in use for the standardized outcome and the standardized `ln c`, as
    /// these are standardized by what was told so far: from them
    /// [`with_hyperparameters`](Self::with_hyperparameters) makes this surrogate again.
    pub(crate) fn hyperparameters(
        &self,
        setup: &Setup,
        observations: &Observations,
    ) -> (Hyperparameters, Option<Hyperparameters>) {
        let outcome = match self.outcome_fit.is_fresh() {
            true => self.outcome_fit.fit.hyperparameters.clone(),
            false => {
                let now = Modeled::of(observations)
                    .map_or(self.scaling, |modeled| setup.scaling(&modeled.outcomes));
                fitted::between(self.posterior.hyperparameters(), self.scaling, now)
            }
        };
        let cost = self.log_cost().zip(self.cost_fit.as_ref()).map(|(posterior, fitted)| {
            match fitted.is_fresh() {
                true => fitted.fit.hyperparameters.clone(),
                false => {
                    let now = scaling_of_log_costs(&log_costs(observations).1);
                    fitted::between(posterior.hyperparameters(), Scaling::identity(), now)
                }
            }
        });
        (outcome, cost)
    }

    /// The fit of the cost's model, to standardized `ln c`; none unless the cost is learned.
    pub fn cost_fit(&self) -> Option<&Fit> {
        self.cost_fit.as_ref().map(|fitted| &fitted.fit)
    }
}

impl CostBelief {
    /// What is believed of the cost, with the fit behind it where it is learned; `found` are its
    /// hyper-parameters, if they are known.
    fn new(
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
        found: Option<&Hyperparameters>,
        deadline: Deadline,
    ) -> Result<(Self, Option<Fitted>)> {
        Ok(match &setup.cost {
            Cost::Uniform(cost) => {
                (Self::Uniform(setup.cost_floor.map_or(*cost, |floor| cost.max(floor))), None)
            }
            Cost::Known(known) => {
                (Self::Known(known.on(&setup.domain).floored(setup.cost_floor)), None)
            }
            Cost::Learned => {
                let before =
                    before.and_then(|before| Some((before.cost_fit.as_ref()?, before.log_cost()?)));
                match learn_cost(setup, observations, before, found, deadline)? {
                    Some((posterior, fit)) => (Self::Learned(Arc::new(posterior)), Some(fit)),
                    None => (Self::Unknown, None),
                }
            }
        })
    }
}
