//! The model of `ln c`: from the reported costs to its posterior and fit.

use crate::data::{Observations, Points};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::posterior::Posterior;
use crate::surrogate::outcome_model::{Before, end_of_fit, extended};
use crate::surrogate::refit::{Fitted, Scaled, scaling_of_any};
use crate::surrogate::setup::Setup;
use crate::surrogate::streams::{Stream, seed};

pub(super) fn log_costs(observations: &Observations) -> (Points, Vec<f64>) {
    let (inputs, costs) = observations.costs();
    (inputs, costs.iter().map(|cost| cost.ln()).collect())
}

/// Fits standardized `ln c` and converts the posterior back to the units of `ln c`. `None` as long
/// as no cost is known.
pub(super) fn learn_cost(
    setup: &Setup,
    observations: &Observations,
    before: Option<Before<'_>>,
    deadline: Deadline,
) -> Result<Option<(Posterior, Fitted)>> {
    let (inputs, log_costs) = log_costs(observations);
    if log_costs.is_empty() {
        return Ok(None);
    }
    let family = setup.cost_model.family();
    let is_known = setup.cost_model.known(inputs.dim())?.is_some();
    let stay = |fitted: Fitted, posterior: &Posterior| {
        Ok(Some((
            extended(posterior, &inputs, &log_costs, setup.cost_model.profiles_mean())?,
            fitted,
        )))
    };
    if let (Some((fitted, posterior)), false) = (before, is_known) {
        let mut fitted = fitted.clone();
        if fitted.stays(posterior, &inputs, &log_costs)? {
            return stay(fitted, posterior);
        }
    }
    let scaling = scaling_of_any(&log_costs);
    let fitted_before = before.map(|(fitted, _)| fitted);
    let standardized: Vec<f64> = log_costs.iter().map(|&c| scaling.apply(c)).collect();
    let fit_seed = seed(setup.seed, Stream::CostFit, observations.told());
    let end = end_of_fit(setup, deadline, &inputs, fitted_before);
    let scaled = Scaled { inputs: &inputs, values: &standardized };
    let fitted = Fitted::next(&setup.cost_model, scaled, scaling, fitted_before, fit_seed, end)?;
    if let Some((kept, posterior)) = before.filter(|_| fitted.had_no_time()) {
        return stay(kept.clone().without_time(fitted.fit.status, log_costs.len()), posterior);
    }
    let in_log_cost = fitted.fit.hyperparameters.rescaled(scaling.mean, scaling.sd);
    Ok(Some((Posterior::new(family, &in_log_cost, &inputs, &log_costs)?, fitted)))
}

/// The posterior of `ln c` by a fit of its own; `None` while no cost is known.
pub(crate) fn log_cost_of(
    setup: &Setup,
    observations: &Observations,
    deadline: Deadline,
) -> Result<Option<Posterior>> {
    let learned = learn_cost(setup, observations, None, deadline)?;
    Ok(learned.map(|(posterior, _)| posterior))
}
