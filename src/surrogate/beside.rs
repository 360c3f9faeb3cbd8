//! What is believed besides the outcome: the cost, whether a trial succeeds, and whether it holds limits.

use std::sync::Arc;

use crate::data::{BoundCost, Cost, Observations};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::posterior::Posterior;
use crate::surrogate::cost_model::{learn_cost, log_costs};
use crate::surrogate::front_model;
use crate::surrogate::limit_model::Slack;
use crate::surrogate::number_model::NumberModel;
use crate::surrogate::refit::{Fitted, Kept, not_kept};
use crate::surrogate::setup::Setup;
use crate::surrogate::success_model::{Ends, Reliability};

/// The fits from which the next beliefs start.
#[derive(Clone, Copy, Default)]
pub(super) struct Before<'a> {
    /// The fit of the cost's model and the posterior of `ln c`.
    pub cost: Option<(&'a Fitted, &'a Posterior)>,
    pub reliability: Option<&'a Reliability>,
    pub slacks: &'a [Option<Slack>],
    pub objectives: &'a [Option<NumberModel>],
}

/// The beliefs about cost, success, limits and further objectives.
pub(super) struct Beside {
    pub cost: CostBelief,
    pub cost_fit: Option<Fitted>,
    pub reliability: Option<Arc<Reliability>>,
    /// One for each limit; none while its number was not measured.
    pub slacks: Vec<Option<Slack>>,
    /// One for each objective beside the outcome, likewise.
    pub objectives: Vec<Option<NumberModel>>,
}

impl Beside {
    /// What is believed next.
    pub fn new(
        setup: &Setup,
        observations: &Observations,
        ends: &Ends,
        before: Before<'_>,
        deadline: Deadline,
    ) -> Result<Self> {
        let (cost, cost_fit) = CostBelief::new(setup, observations, before, deadline)?;
        let reliability = Reliability::next(&setup.model, ends, before.reliability, deadline);
        let reliability = reliability.map(Arc::new);
        let limits = observations.measures().limits().map(|(_, limit)| limit).enumerate();
        let learn = |(number, limit)| {
            let before = before.slacks.get(number).and_then(Option::as_ref);
            Slack::learn(setup, observations, number, limit, before, deadline)
        };
        let slacks = limits.map(learn).collect::<Result<_>>()?;
        let objectives = front_model::learn(setup, observations, before.objectives, deadline)?;
        Ok(Self { cost, cost_fit, reliability, slacks, objectives })
    }

    /// The beliefs that were kept with these observations, to the bit.
    ///
    /// # Errors
    /// Those of the kept fits.
    pub fn restored(
        setup: &Setup,
        observations: &Observations,
        ends: &Ends,
        kept: &Kept,
    ) -> Result<Self> {
        let (cost, cost_fit) = match (&setup.cost, &kept.cost) {
            (Cost::Learned, Some(kept)) => {
                let (inputs, log_costs) = log_costs(observations);
                let family = setup.cost_model.family();
                let posterior = kept.posterior(family, &inputs, &log_costs)?;
                (CostBelief::Learned(Arc::new(posterior)), Some(kept.fitted()))
            }
            (Cost::Learned, None) if log_costs(observations).1.is_empty() => {
                (CostBelief::Unknown, None)
            }
            (Cost::Learned, None) => return Err(not_kept("the cost")),
            _ => {
                let nothing = Before::default();
                CostBelief::new(setup, observations, nothing, Deadline::NEVER)?
            }
        };
        let reliability = Reliability::next(&setup.model, ends, None, Deadline::NEVER);
        let limits = observations.measures().limits().map(|(_, limit)| limit).enumerate();
        let restore = |(number, limit)| match kept.slacks.get(number).and_then(Option::as_ref) {
            Some(kept) => Slack::restored(setup, observations, number, limit, kept),
            None if observations.measured(number).next().is_none() => Ok(None),
            None => Err(not_kept("a limit")),
        };
        let slacks = limits.map(restore).collect::<Result<_>>()?;
        let objectives = front_model::restored(setup, observations, &kept.objectives)?;
        let reliability = reliability.map(Arc::new);
        Ok(Self { cost, cost_fit, reliability, slacks, objectives })
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
    /// The belief about the cost, with its fit if the cost is learned.
    pub fn new(
        setup: &Setup,
        observations: &Observations,
        before: Before<'_>,
        deadline: Deadline,
    ) -> Result<(Self, Option<Fitted>)> {
        Ok(match &setup.cost {
            Cost::Uniform(cost) => {
                (Self::Uniform(setup.cost_floor.map_or(*cost, |floor| cost.max(floor))), None)
            }
            Cost::Known(known) => {
                (Self::Known(known.on(&setup.domain).floored(setup.cost_floor)), None)
            }
            Cost::Learned => match learn_cost(setup, observations, before.cost, deadline)? {
                Some((posterior, fit)) => (Self::Learned(Arc::new(posterior)), Some(fit)),
                None => (Self::Unknown, None),
            },
        })
    }
}
