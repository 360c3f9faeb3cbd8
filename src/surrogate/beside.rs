//! What is believed besides the outcome: the cost, and whether a trial succeeds.

use std::sync::Arc;

use crate::data::{BoundCost, Cost, Observations};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::model::Hyperparameters;
use crate::posterior::Posterior;
use crate::surrogate::cost_model::{learn_cost, log_costs};
use crate::surrogate::refit::{Fitted, KeptFit};
use crate::surrogate::setup::Setup;
use crate::surrogate::success_model::{Ends, Reliability};

/// The fits from which the next beliefs start.
#[derive(Clone, Copy, Default)]
pub(super) struct Before<'a> {
    /// The fit of the cost's model and the posterior of `ln c`.
    pub cost: Option<(&'a Fitted, &'a Posterior)>,
    pub reliability: Option<&'a Reliability>,
}

/// The beliefs about cost and success.
pub(super) struct Beside {
    pub cost: CostBelief,
    pub cost_fit: Option<Fitted>,
    pub reliability: Option<Arc<Reliability>>,
}

impl Beside {
    /// `found` holds the cost model's hyperparameters if they are known.
    pub fn new(
        setup: &Setup,
        observations: &Observations,
        ends: &Ends,
        before: Before<'_>,
        found: Option<&Hyperparameters>,
        deadline: Deadline,
    ) -> Result<Self> {
        let (cost, cost_fit) = CostBelief::new(setup, observations, before, found, deadline)?;
        let reliability = Reliability::next(&setup.model, ends, before.reliability, deadline);
        let reliability = reliability.map(Arc::new);
        Ok(Self { cost, cost_fit, reliability })
    }
    /// The beliefs that were kept with these observations, to the bit: `kept` is of the cost's
    /// model.
    ///
    /// # Errors
    /// Those of [`KeptFit::posterior`].
    pub fn restored(
        setup: &Setup,
        observations: &Observations,
        ends: &Ends,
        kept: Option<&KeptFit>,
    ) -> Result<Self> {
        let (cost, cost_fit) = match (&setup.cost, kept) {
            (Cost::Learned, Some(kept)) => {
                let (inputs, log_costs) = log_costs(observations);
                let family = setup.cost_model.family();
                let posterior = kept.posterior(family, &inputs, &log_costs)?;
                (CostBelief::Learned(Arc::new(posterior)), Some(kept.fitted()))
            }
            (Cost::Learned, None) => (CostBelief::Unknown, None),
            _ => {
                let nothing = Before::default();
                CostBelief::new(setup, observations, nothing, None, Deadline::NEVER)?
            }
        };
        let reliability = Reliability::next(&setup.model, ends, None, Deadline::NEVER);
        Ok(Self { cost, cost_fit, reliability: reliability.map(Arc::new) })
    }
}

/// The belief about the cost.
#[derive(Debug, Clone)]
pub(super) enum CostBelief {
    Uniform(f64),
    Known(BoundCost),
    Learned(Arc<Posterior>),
    /// To be learned; no cost is known yet.
    Unknown,
}

impl CostBelief {
    /// The belief about the cost, with its fit if the cost is learned. `found` holds the cost
    /// model's hyperparameters if they are known.
    pub fn new(
        setup: &Setup,
        observations: &Observations,
        before: Before<'_>,
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
            Cost::Learned => match learn_cost(setup, observations, before.cost, found, deadline)? {
                Some((posterior, fit)) => (Self::Learned(Arc::new(posterior)), Some(fit)),
                None => (Self::Unknown, None),
            },
        })
    }
}
