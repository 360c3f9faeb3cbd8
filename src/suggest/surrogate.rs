//! What the fitted models say about outcome and cost.

use std::borrow::Cow;
use std::sync::Arc;

use crate::acquisition::{Acquisition, Quantity};
use crate::backend::{Backend, Cpu, Job, JobCost, Scores};
use crate::data::{Direction, Observations, OutcomeScale, PointCost, Points, Scaling};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::model::{Fit, GaussianProcess, Hyperparameters};
use crate::posterior::{Pending, Posterior, Success};
use crate::suggest::awaited::Awaited;
use crate::suggest::beliefs::{Before, Beside, CostBelief};
use crate::suggest::fitted::{self, Fitted, Kept};
use crate::suggest::incumbent::{self, Incumbent};
use crate::suggest::learned::{Modeled, condition, log_costs, scaling_of_log_costs};
use crate::suggest::reliability::{Ends, Reliability};
use crate::suggest::setup::Setup;
use crate::suggest::streams::{Stream, seed};

/// The models of outcome and cost at one moment of a run: fitted, and conditioned on all
/// observations.
///
/// Inside, outcomes are warped and standardized, and larger is better. `scale` and `direction`
/// convert back.
/// A failed or infeasible trial has no outcome. It teaches where trials fail: the probability of
/// success enters the acquisition ([`Job::success`]). The model of the outcome is conditioned on
/// what another trial there would be worth, after its hyperparameters were found without it: its
/// own posterior mean in case of success, a poor outcome in case of failure. So the trial is not
/// suggested again, and its region is penalized as far as other trials failed there too.
#[derive(Debug, Clone)]
pub struct Surrogate {
    posterior: Posterior,
    cost: CostBelief,
    scale: OutcomeScale,
    direction: Direction,
    incumbent: f64,
    /// The noise of an outcome that improvements foresee, standardized; zero if improvements are
    /// those of the function.
    foreseen_noise: f64,
    /// The complete trial with the largest posterior mean: its index among the observations, and
    /// its point.
    recommended: (usize, Vec<f64>),
    /// The posterior with the incumbent treated as known; `None` if outcomes determine the
    /// incumbent to all relevant digits.
    against_incumbent: Option<Posterior>,
    under_way: UnderWay,
    worth_repeating: bool,
    outcome_fit: Fitted,
    cost_fit: Option<Fitted>,
    /// None as long as no trial failed.
    reliability: Option<Arc<Reliability>>,
}

/// The trials under way.
#[derive(Debug, Clone, Default)]
struct UnderWay {
    /// How many there are, and how many rows they have in the posterior that improvements use.
    trials: usize,
    rows: usize,
    /// The sum of their chances to bring nothing.
    missing: f64,
    /// Their fantasies, in that posterior.
    fantasies: Option<Pending>,
}

impl Surrogate {
    /// Fits to the observations. Returns `None` as long as no trial is complete.
    ///
    /// Fits start warm from those of the surrogate before. They are rare if there are many
    /// observations. A search from scratch follows whenever the observations have doubled. A fit
    /// that fails keeps the earlier hyperparameters and says so in its status.
    ///
    /// # Errors
    /// Those of the model, if there is no earlier fit to keep.
    pub fn fit(
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
    ) -> Result<Option<Self>> {
        Self::fit_until(setup, observations, before, setup.deadline())
    }

    /// The same within a task that ends at a deadline. Fits take up to half of the remaining time.
    /// If there is no time for a fit, the earlier hyperparameters are kept, the new inputs are
    /// appended to the factor, and the status says so
    /// ([`FitStatus::Deadline`](crate::model::FitStatus::Deadline)).
    ///
    /// # Errors
    /// Those of [`fit`](Self::fit).
    pub fn fit_until(
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
        deadline: Deadline,
    ) -> Result<Option<Self>> {
        let learn = |modeled: &Modeled| {
            Self::learn((setup, &setup.model), (modeled, observations), before, None, deadline)
        };
        Self::make(setup, observations, learn, |ends| {
            Beside::new(setup, observations, ends, Self::beliefs(before), None, deadline)
        })
    }

    /// The surrogate by another model of the outcome. The beliefs about the cost and about success
    /// are this one's.
    ///
    /// # Errors
    /// Those of [`fit`](Self::fit).
    pub(crate) fn beside(
        &self,
        setup: &Setup,
        model: &GaussianProcess,
        observations: &Observations,
        before: Option<&Surrogate>,
        deadline: Deadline,
    ) -> Result<Option<Self>> {
        let learn = |modeled: &Modeled| {
            Self::learn((setup, model), (modeled, observations), before, None, deadline)
        };
        Self::make(setup, observations, learn, |_| {
            let (cost, cost_fit) = (self.cost.clone(), self.cost_fit.clone());
            Ok(Beside { cost, cost_fit, reliability: self.reliability.clone() })
        })
    }

    /// The surrogate with given hyperparameters (of the standardized outcome, of the standardized
    /// `ln c`), without a search for them. A model without given ones is fitted.
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
        let [of_outcome, of_cost] = found;
        let never = Deadline::NEVER;
        let learn = |modeled: &Modeled| {
            let by = (setup, &setup.model);
            Self::learn(by, (modeled, observations), before, of_outcome, never)
        };
        Self::make(setup, observations, learn, |ends| {
            Beside::new(setup, observations, ends, Self::beliefs(before), of_cost, never)
        })
    }

    /// The surrogate that was [kept](Self::keep) with these observations, to the bit. If it was made
    /// [beside](Self::beside) another one, its belief about the cost is that of the other.
    ///
    /// # Errors
    /// Those of the posteriors.
    pub(crate) fn restored(
        (setup, model): (&Setup, &GaussianProcess),
        observations: &Observations,
        kept: &Kept,
        first: Option<&Surrogate>,
    ) -> Result<Option<Self>> {
        let learn = |Modeled { inputs, outcomes, .. }: &Modeled| match &kept.outcome {
            Some(kept) if model.known(inputs.dim())?.is_none() => {
                kept.restore(model.family(), inputs, outcomes)
            }
            // The factor of a known kernel does not depend on when it is built.
            _ => {
                let fit_seed = seed(setup.seed, Stream::OutcomeFit, observations.told());
                let by = (fit_seed, Deadline::NEVER);
                condition((setup, model), (inputs, outcomes), None, None, by)
            }
        };
        Self::make(setup, observations, learn, |ends| {
            let beside = Beside::restored(setup, observations, ends, kept.cost.as_ref())?;
            Ok(match first {
                Some(Self { cost, cost_fit, .. }) => {
                    Beside { cost: cost.clone(), cost_fit: cost_fit.clone(), ..beside }
                }
                None => beside,
            })
        })
    }

    /// What is needed to [restore](Self::restored) it.
    #[cfg(feature = "journal")]
    pub(crate) fn keep(&self) -> Kept {
        let cost = self.cost_fit.as_ref().zip(self.log_cost());
        Kept {
            outcome: Some(self.outcome_fit.keep(&self.posterior)),
            cost: cost.map(|(fit, posterior)| fit.keep(posterior)),
        }
    }

    fn learn(
        (setup, model): (&Setup, &GaussianProcess),
        (modeled, observations): (&Modeled, &Observations),
        before: Option<&Surrogate>,
        of_outcome: Option<&Hyperparameters>,
        deadline: Deadline,
    ) -> Result<(Posterior, Fitted)> {
        let fit_seed = seed(setup.seed, Stream::OutcomeFit, observations.told());
        condition(
            (setup, model),
            (&modeled.inputs, &modeled.outcomes),
            before.map(|before| (&before.outcome_fit, &before.posterior)),
            of_outcome,
            (fit_seed, deadline),
        )
    }

    fn make(
        setup: &Setup,
        observations: &Observations,
        learn: impl FnOnce(&Modeled) -> Result<(Posterior, Fitted)>,
        beside: impl FnOnce(&Ends) -> Result<Beside>,
    ) -> Result<Option<Self>> {
        let Some(modeled) = Modeled::of(setup, observations) else {
            return Ok(None);
        };
        let (mut posterior, outcome_fit) = learn(&modeled)?;
        let Modeled { warp, failed, ends, best, .. } = modeled;
        let scale = OutcomeScale::new(warp, outcome_fit.scaling());
        let Some((recommended, mean)) = incumbent::recommended(observations, &posterior) else {
            return Ok(None);
        };
        let (incumbent, foreseen_noise, worth_repeating) = match setup.incumbent {
            Incumbent::BestOutcome => (scale.apply(best), 0.0, false),
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
        let Beside { cost, cost_fit, reliability } = beside(&ends)?;
        if let Some(reliability) = &reliability {
            let outcomes = reliability.outcomes_of_failures(&failed, &posterior)?;
            posterior.believe(&failed, &outcomes)?;
        } else {
            posterior = posterior.fantasize(&failed)?;
        }
        let against_incumbent =
            if worth_repeating { posterior.knowing(&recommended.1)? } else { None };
        let direction = observations.direction();
        Ok(Some(Self {
            posterior,
            cost,
            scale,
            direction,
            incumbent,
            foreseen_noise,
            recommended,
            against_incumbent,
            under_way: UnderWay::default(),
            worth_repeating,
            outcome_fit,
            cost_fit,
            reliability,
        }))
    }

    /// What it believes besides the outcome.
    fn beliefs(of: Option<&Self>) -> Before<'_> {
        let Some(of) = of else { return Before::default() };
        let cost = of.cost_fit.as_ref().and_then(|fit| Some((fit, of.log_cost()?)));
        Before { cost, reliability: of.reliability.as_deref() }
    }

    /// The same model of the outcome with the cost learned anew. Use it if only costs were told
    /// since.
    ///
    /// # Errors
    /// Those of the cost's model.
    pub fn with_costs(
        &self,
        setup: &Setup,
        observations: &Observations,
        deadline: Deadline,
    ) -> Result<Self> {
        let (cost, cost_fit) =
            CostBelief::new(setup, observations, Self::beliefs(Some(self)), None, deadline)?;
        Ok(Self { cost, cost_fit, ..self.clone() })
    }

    /// The same models with trials under way at these points. Their outcomes are fantasies for
    /// improvements, their probabilities and the Gittins index ([`Job::pending`]); all else has them
    /// at their posterior means. A trial brings nothing if it fails or if its worker dies, of which
    /// the chance is 1/64. The fantasies have the mean of these chances.
    ///
    /// If the incumbent is treated as known, the fantasies are those given its value.
    ///
    /// # Errors
    /// Those of [`Posterior::with_pending`].
    pub fn with_pending(&self, pending: &Points, seed: u64) -> Result<Cow<'_, Self>> {
        if pending.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        self.awaiting(&Awaited::at(pending), seed)
    }

    /// The same with trials whose workers may be [dead](Awaited::dead).
    ///
    /// # Errors
    /// Those of [`Posterior::with_pending`].
    pub(crate) fn awaiting(&self, awaited: &Awaited, seed: u64) -> Result<Cow<'_, Self>> {
        if awaited.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let mut with = self.clone();
        with.await_also(awaited, seed)?;
        Ok(Cow::Owned(with))
    }

    /// Adds trials under way to those that there are.
    ///
    /// # Errors
    /// Those of [`with_pending`](Self::with_pending).
    pub(crate) fn await_also(&mut self, awaited: &Awaited, seed: u64) -> Result<()> {
        let pending = awaited.points();
        let mut added = self.posterior.await_outcomes(pending)?;
        if let Some(against) = &mut self.against_incumbent {
            added = against.await_outcomes(pending)?;
        }
        let succeeding = match self.reliability.as_deref().map(Reliability::success) {
            Some(success) => success.probabilities(pending)?,
            None => vec![1.0; pending.len()],
        };
        let missing = awaited.dead().iter().zip(succeeding).map(|(dead, p)| 1.0 - (1.0 - dead) * p);
        self.under_way.missing += missing.sum::<f64>();
        self.under_way.trials += pending.len();
        self.under_way.rows += added;
        let UnderWay { trials, rows, missing, .. } = self.under_way;
        let missing = (missing / trials.max(1) as f64).clamp(0.0, 1.0);
        let posterior = self.against_incumbent.as_ref().unwrap_or(&self.posterior);
        self.under_way.fantasies = posterior.fantasies(rows, missing, seed)?;
        Ok(())
    }

    /// Converts an acquisition from the user's outcome units (larger is better) to units of the
    /// posterior. A sample path is already in these units.
    pub fn standardized(&self, acquisition: &Acquisition) -> Acquisition {
        acquisition.standardized(&self.scale)
    }

    /// Whether the cost is known or modeled. It is not as long as costs are learned and none was
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
        let fantasies = self.under_way.fantasies.as_ref();
        Job::new(posterior, cost, acquisition, self.incumbent)
            .gradient(true)
            .noise(self.foreseen_noise)
            .success(self.success())
            .pending(fantasies.filter(|_| acquisition.uses_pending()))
    }

    /// The probability that a trial succeeds; `None` as long as no trial failed.
    pub fn success(&self) -> Option<&Success> {
        self.reliability.as_deref().map(Reliability::success)
    }

    /// The probability that a trial at a point of the unit cube succeeds.
    ///
    /// # Errors
    /// Those of [`Success::probabilities`].
    pub(crate) fn success_at(&self, unit: &[f64]) -> Result<Option<f64>> {
        let point = Points::from_rows(unit.len(), unit.to_vec())?;
        self.success().map(|success| Ok(success.probabilities(&point)?[0])).transpose()
    }

    /// The score of an acquisition, in units of the posterior, at a point found with another
    /// acquisition. The acquisition's price is in the user's units.
    ///
    /// # Errors
    /// Those of a known cost at this point.
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
    pub(crate) fn sd_at(&self, unit: &[f64], (mean, found): (f64, f64)) -> Result<f64> {
        let variance = match self.against_incumbent {
            // The found variance is what remains with the incumbent known.
            Some(_) => {
                self.posterior.moments(&Points::from_rows(unit.len(), unit.to_vec())?)?.variance[0]
            }
            None => found,
        };
        Ok(self.scale.undo_deviation(mean, variance))
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
    pub fn value_in_direction(&self, acquisition: &Acquisition, value: f64) -> f64 {
        let value = self.value(acquisition, value);
        match acquisition.quantity() {
            Quantity::Level => self.direction.sign() * value,
            Quantity::Gain | Quantity::LogGain | Quantity::Number => value,
        }
    }

    /// The expected cost at a point of the unit cube, in the user's units. `exp(m + v/2)` if `ln c`
    /// is learned. At least the floor if the cost is known. NaN as long as
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
    /// complete trial, or the best outcome ([`Incumbent`]).
    pub fn incumbent(&self) -> f64 {
        self.incumbent
    }

    /// The index among the observations of the complete trial with the largest posterior mean.
    pub fn recommended(&self) -> usize {
        self.recommended.0
    }

    /// Whether another outcome at an evaluated point may be informative: the model believes in
    /// noise, and no observation refutes it.
    pub fn worth_repeating(&self) -> bool {
        self.worth_repeating
    }

    /// The fit of the outcome's model.
    pub fn outcome_fit(&self) -> &Fit {
        &self.outcome_fit.fit
    }

    /// The hyperparameters in use for the standardized outcome and the standardized `ln c`, with
    /// the standardization of the present observations.
    /// [`with_hyperparameters`](Self::with_hyperparameters) makes this surrogate again from them.
    pub(crate) fn hyperparameters(
        &self,
        setup: &Setup,
        observations: &Observations,
    ) -> (Hyperparameters, Option<Hyperparameters>) {
        let outcome = match self.outcome_fit.is_fresh() {
            true => self.outcome_fit.fit.hyperparameters.clone(),
            false => {
                let scaling = self.scale.scaling();
                let now = Modeled::of(setup, observations)
                    .map_or(scaling, |modeled| setup.scaling(&modeled.outcomes));
                fitted::between(self.posterior.hyperparameters(), scaling, now)
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

    /// The fit of the cost's model, to standardized `ln c`; `None` unless the cost is learned.
    pub fn cost_fit(&self) -> Option<&Fit> {
        self.cost_fit.as_ref().map(|fitted| &fitted.fit)
    }
}
