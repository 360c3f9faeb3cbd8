//! How a surrogate is made: fitted to the observations, or restored.

use crate::data::{Observations, OutcomeScale};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::posterior::{Posterior, Usable};
use crate::surrogate::beside::{Before, Beside, CostBelief};
use crate::surrogate::front_model::FrontModel;
use crate::surrogate::incumbent::{self, Incumbent};
use crate::surrogate::limit_model;
use crate::surrogate::number_model::NumberModel;
use crate::surrogate::outcome_model::{Modeled, condition};
use crate::surrogate::refit::{Fitted, Kept};
use crate::surrogate::resolution;
use crate::surrogate::setup::Setup;
use crate::surrogate::success_model::{Ends, Reliability};
use crate::surrogate::surrogate::{Fantasized, Surrogate};

impl Surrogate {
    /// Fits to the observations. Returns `None` while no trial is complete.
    ///
    /// Fits start warm from those of the surrogate before. They are rare if there are many
    /// observations. A search from scratch follows whenever the observations have doubled. A fit
    /// that fails keeps the earlier hyperparameters and says so in its status.
    ///
    /// # Errors
    /// Those of the model, if there is no earlier fit to keep.
    #[doc(hidden)]
    pub fn fit(
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
    ) -> Result<Option<Self>> {
        Self::fit_until(setup, observations, before, setup.deadline())
    }

    /// [`fit`](Self::fit) within a task that ends at a deadline. Fits take up to half of the time
    /// left. If there is no time for a fit, the earlier hyperparameters are kept, the new inputs
    /// are appended to the factor, and the status says so
    /// ([`FitStatus::Deadline`](crate::model::FitStatus::Deadline)).
    ///
    /// # Errors
    /// Those of [`fit`](Self::fit).
    pub(crate) fn fit_until(
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
        deadline: Deadline,
    ) -> Result<Option<Self>> {
        let last = before.map(|before| (&before.outcome_fit, &before.posterior));
        let learn = |modeled: &Modeled| condition(setup, modeled, last, deadline);
        Self::make(setup, observations, learn, |ends| {
            Beside::new(setup, observations, ends, Self::beliefs(before), deadline)
        })
    }

    /// The surrogate by the outcome's model of another setup. The beliefs about the cost and about
    /// success are this one's.
    ///
    /// # Errors
    /// Those of [`fit`](Self::fit).
    pub(super) fn beside(
        &self,
        setup: &Setup,
        observations: &Observations,
        before: Option<&Surrogate>,
        deadline: Deadline,
    ) -> Result<Option<Self>> {
        let last = before.map(|before| (&before.outcome_fit, &before.posterior));
        let learn = |modeled: &Modeled| condition(setup, modeled, last, deadline);
        Self::make(setup, observations, learn, |_| {
            let (cost, cost_fit) = (self.cost.clone(), self.cost_fit.clone());
            let (reliability, slacks) = (self.reliability.clone(), self.slacks.clone());
            let objectives = self.objectives.clone();
            Ok(Beside { cost, cost_fit, reliability, slacks, objectives })
        })
    }

    /// The surrogate that was [kept](Self::keep) with these observations, to the bit. If it was made
    /// [beside](Self::beside) another one, its belief about the cost is that of the other.
    #[doc(hidden)]
    pub fn restored(
        setup: &Setup,
        observations: &Observations,
        kept: &Kept,
        first: Option<&Surrogate>,
    ) -> Result<Option<Self>> {
        let learn = |modeled: &Modeled| match &kept.outcome {
            Some(kept) if setup.model.known(modeled.inputs.dim())?.is_none() => {
                kept.restore(setup.model.family(), &modeled.inputs, &modeled.outcomes)
            }
            // The factor of a known kernel does not depend on when it is built.
            _ => condition(setup, modeled, None, Deadline::NEVER),
        };
        Self::make(setup, observations, learn, |ends| {
            let beside = Beside::restored(setup, observations, ends, kept)?;
            Ok(match first {
                Some(Self { cost, cost_fit, .. }) => {
                    Beside { cost: cost.clone(), cost_fit: cost_fit.clone(), ..beside }
                }
                None => beside,
            })
        })
    }

    /// The data from which it is [restored](Self::restored).
    pub(super) fn keep(&self) -> Kept {
        let cost = self.cost_fit.as_ref().zip(self.log_cost());
        let keep = |model: &Option<NumberModel>| model.as_ref().map(NumberModel::keep);
        Kept {
            outcome: Some(self.outcome_fit.keep(&self.posterior)),
            cost: cost.map(|(fit, posterior)| fit.keep(posterior)),
            objectives: self.objectives.iter().map(keep).collect(),
            slacks: self
                .slacks
                .iter()
                .map(|slack| slack.as_ref().map(|slack| slack.model.keep()))
                .collect(),
        }
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
        let Beside { cost, cost_fit, reliability, slacks, objectives } = beside(&ends)?;
        let feasible = limit_model::feasible(observations, &slacks, setup.incumbent);
        let found = incumbent::recommended(observations, &posterior, &feasible);
        let has_incumbent = found.is_some();
        let nearest = || limit_model::nearest(observations, &slacks);
        let found = found.or_else(|| incumbent::without_any(observations, &posterior, nearest()));
        let Some((recommended, mean)) = found else { return Ok(None) };
        let front =
            FrontModel::new(setup, observations, &objectives, &posterior, &scale, &feasible)?;
        let (incumbent, foreseen_noise, worth_repeating) = match setup.incumbent {
            Incumbent::BestOutcome if has_incumbent => (scale.apply(best), 0.0, false),
            Incumbent::BestOutcome => (mean, 0.0, false),
            Incumbent::PosteriorMean => {
                let noise = posterior.hyperparameters().noise + posterior.jitter();
                (mean, noise, incumbent::worth_repeating(observations, &posterior))
            }
        };
        // Published experiments know of no steps.
        let sees_steps = has_incumbent
            && setup.incumbent == Incumbent::PosteriorMean
            && !observations.measures().have_objectives();
        let above = if sees_steps { resolution::above(observations, &feasible) } else { None };
        let bar = incumbent + above.map_or(0.0, |above| scale.apply_difference(above));
        let recommended = (
            recommended,
            observations
                .get(recommended)
                .map_or_else(Vec::new, |observation| observation.point.clone()),
        );
        if let Some(reliability) = &reliability {
            let outcomes = reliability.outcomes_of_failures(&failed, &posterior)?;
            posterior.believe(&failed, &outcomes)?;
        } else {
            posterior = posterior.fantasize(&failed)?;
        }
        let against_incumbent = if worth_repeating && has_incumbent {
            posterior.knowing(&recommended.1)?
        } else {
            None
        };
        let success = reliability.as_deref().map(Reliability::success);
        let of_limits =
            slacks.iter().flatten().map(|slack| slack.model.posterior.clone()).collect();
        let usable = Usable::new(success.cloned(), of_limits);
        let direction = observations.direction();
        Ok(Some(Self {
            posterior,
            cost,
            scale,
            direction,
            incumbent,
            bar,
            foreseen_noise,
            recommended,
            has_incumbent,
            against_incumbent,
            pending_trials: Fantasized::default(),
            worth_repeating,
            outcome_fit,
            cost_fit,
            reliability,
            slacks,
            usable,
            objectives,
            front,
        }))
    }

    /// The fits of cost and success, from which the next ones start.
    fn beliefs(of: Option<&Self>) -> Before<'_> {
        let Some(of) = of else { return Before::default() };
        let cost = of.cost_fit.as_ref().and_then(|fit| Some((fit, of.log_cost()?)));
        Before {
            cost,
            reliability: of.reliability.as_deref(),
            slacks: &of.slacks,
            objectives: &of.objectives,
        }
    }

    /// This model of the outcome with the cost learned anew. Use it if only costs were told since.
    ///
    /// # Errors
    /// Those of the cost's model.
    pub(crate) fn with_costs(
        &self,
        setup: &Setup,
        observations: &Observations,
        deadline: Deadline,
    ) -> Result<Self> {
        let (cost, cost_fit) =
            CostBelief::new(setup, observations, Self::beliefs(Some(self)), deadline)?;
        Ok(Self { cost, cost_fit, ..self.clone() })
    }
}
