//! The model of the outcome: from the observations to its posterior and fit.

use crate::data::{Cost, Observations, Points, Scaling, State, Warp, is_rounding};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::model::{Fit, Hyperparameters, seconds_of_factor};
use crate::posterior::Posterior;
use crate::surrogate::objectives::Objectives;
use crate::surrogate::refit::{Fitted, Scaled, fits_scaling};
use crate::surrogate::setup::Setup;
use crate::surrogate::streams::{Stream, seed};
use crate::surrogate::success_model::Ends;
use crate::surrogate::widening;

/// The share of the remaining time for the fit of one model. All fits together take about half, so
/// the search has as much time left.
const SHARE: f64 = 0.5;
const SHARE_OF_TWO: f64 = 0.3;

/// The share that a first fit may always take. Without a fit, the centers of the priors are a poor
/// model.
const SHARE_OF_FIRST: f64 = 0.15;

/// The earlier fit and its posterior.
pub(super) type Before<'a> = (&'a Fitted, &'a Posterior);

/// The data of the outcome's model.
pub(super) struct Modeled {
    pub inputs: Points,
    /// Warped outcomes with larger values better.
    pub outcomes: Vec<f64>,
    pub warp: Warp,
    /// The points of failed and infeasible trials.
    pub failed: Points,
    /// Which trials succeeded, in the order in which they were told.
    pub ends: Ends,
    /// The best outcome of those that hold all limits, if one does. No warp changes it.
    pub best: f64,
    /// By how much variances are larger than those of the fit, if outcomes have levels.
    widened: Option<f64>,
    /// The number of trials told.
    told: usize,
}

impl Modeled {
    /// The data; `None` while no trial is complete.
    pub fn of(setup: &Setup, observations: &Observations) -> Option<Self> {
        let (inputs, mut outcomes) = observations.complete();
        let largest = outcomes.iter().copied().reduce(f64::max)?;
        let incumbent = observations.best().and_then(|best| observations.get(best)?.outcome);
        let best = incumbent.map_or(largest, |best| observations.direction().sign() * best);
        let mut failed = Points::new(observations.dim());
        let mut ends = Ends::new(observations.dim());
        for observation in observations.iter() {
            let succeeded = observation.state == State::Complete;
            if observation.state == State::Infeasible
                && observations.measures().are_broken(&observation.measured)
            {
                // A limit says why, and its model learns from it.
                continue;
            }
            ends.push(&observation.point, succeeded);
            if !succeeded {
                failed.push(&observation.point);
            }
        }
        let warp = match Objectives::of(setup, observations) {
            Some(objectives) => objectives.warp(0).clone(),
            None => setup.warp(&outcomes, usable_median(observations)),
        };
        for outcome in &mut outcomes {
            *outcome = warp.apply(*outcome);
        }
        let widened = if setup.warps() { widening::of(observations, &warp) } else { None };
        let told = observations.told();
        Some(Self { inputs, outcomes, warp, failed, ends, best, widened, told })
    }
}

/// The median outcome of the trials that hold all limits, larger being better; none if all do, or
/// none does.
fn usable_median(observations: &Observations) -> Option<f64> {
    let complete = || observations.iter().filter(|one| one.state == State::Complete);
    if complete().all(|one| one.holds) {
        return None;
    }
    let of_use = complete().filter(|one| one.holds).filter_map(|one| one.outcome);
    let mut outcomes: Vec<f64> =
        of_use.map(|outcome| observations.direction().sign() * outcome).collect();
    outcomes.sort_by(f64::total_cmp);
    outcomes.get(outcomes.len().saturating_sub(1) / 2).copied()
}

/// The posterior of the scaled outcomes, and its fit. If the kernel is known or unchanged, its
/// factor is kept from step to step and new inputs are appended.
pub(super) fn condition(
    setup: &Setup,
    modeled: &Modeled,
    before: Option<Before<'_>>,
    deadline: Deadline,
) -> Result<(Posterior, Fitted)> {
    let Modeled { inputs, outcomes, widened, told, .. } = modeled;
    let of_levels = widened.map(|_| setup.model.of_levels());
    let model = of_levels.as_ref().unwrap_or(&setup.model);
    let family = model.family();
    let scaled_as =
        |scaling: Scaling| -> Vec<f64> { outcomes.iter().map(|&y| scaling.apply(y)).collect() };
    let known = model.known(inputs.dim())?;
    if let (Some((fitted, posterior)), None) = (before, &known) {
        let (mut fitted, outcomes) = (fitted.clone(), scaled_as(fitted.scaling()));
        if fitted.stays(posterior, inputs, &outcomes)? {
            return Ok((extended(posterior, inputs, &outcomes, model.profiles_mean())?, fitted));
        }
    }
    let scaling = setup.scaling(outcomes);
    let outcomes = scaled_as(scaling);
    let fitted_before = before.map(|(fitted, _)| fitted);
    let Some((known, profiled)) = known else {
        let end = end_of_fit(setup, deadline, inputs, fitted_before);
        let seed = seed(setup.seed, Stream::OutcomeFit, *told);
        let scaled = Scaled { inputs, values: &outcomes };
        let fitted = Fitted::next(model, scaled, scaling, fitted_before, seed, end)?;
        if let Some((kept, posterior)) = before
            .filter(|(kept, _)| fitted.had_no_time() && fits_scaling(&scaled_as(kept.scaling())))
        {
            let kept = kept.clone().without_time(fitted.fit.status, outcomes.len());
            let outcomes = scaled_as(kept.scaling());
            return Ok((extended(posterior, inputs, &outcomes, model.profiles_mean())?, kept));
        }
        let found = &fitted.fit.hyperparameters;
        let known = if setup.standardize { with_doubt(found, &outcomes) } else { found.clone() };
        let used = known.widened(widened.unwrap_or(1.0));
        return Ok((Posterior::new(family, &used, inputs, &outcomes)?, fitted));
    };
    // A factor that cannot be kept is built in the same way, row by row. So its bits do not depend
    // on when it is built. Under a time limit they do.
    let first = || Posterior::new(family, &known, &inputs.select([0]), &outcomes[..1]).ok();
    let kept = before.and_then(|(_, posterior)| posterior.grown(&known, inputs, &outcomes));
    let grown =
        kept.or_else(|| first().filter(|_| !deadline.is_set())?.grown(&known, inputs, &outcomes));
    let posterior = grown.map_or_else(|| Posterior::new(family, &known, inputs, &outcomes), Ok)?;
    let posterior = if profiled { posterior.with_profiled_mean() } else { posterior };
    let fit = Fit::of_known_kernel(
        posterior.hyperparameters().clone(),
        posterior.log_marginal_likelihood(),
    );
    Ok((posterior, Fitted::given(fit, scaling, fitted_before, outcomes.len())))
}

/// These hyperparameters, unless two standardized outcomes or more are equal. To a likelihood they have no
/// deviation, however few they are. As of one outcome more that is a unit away, the variance of `n` is
/// at least `1/(n + 1)`.
fn with_doubt(found: &Hyperparameters, outcomes: &[f64]) -> Hyperparameters {
    let least = 1.0 / (outcomes.len() + 1) as f64;
    let is_known = outcomes.len() < 2 || found.outputscale >= least;
    if is_known || outcomes.iter().any(|outcome| !is_rounding(1.0 + outcome, 1.0 + outcomes[0])) {
        return found.clone();
    }
    found.clone().widened(least / found.outputscale)
}

/// When a fit within a larger task must end, so that its posterior still has time.
pub(super) fn end_of_fit(
    setup: &Setup,
    deadline: Deadline,
    inputs: &Points,
    before: Option<&Fitted>,
) -> Deadline {
    let share = if matches!(setup.cost, Cost::Learned) { SHARE_OF_TWO } else { SHARE };
    let factor = seconds_of_factor(setup.model.family(), inputs.len(), inputs.dim());
    let end = deadline.part(share).before(factor);
    if before.is_some() { end } else { end.later(deadline.part(SHARE_OF_FIRST)) }
}

/// The posterior of more data under the same kernel and noise. If `profiled`, the mean is profiled
/// anew.
pub(super) fn extended(
    before: &Posterior,
    inputs: &Points,
    values: &[f64],
    profiled: bool,
) -> Result<Posterior> {
    let hyperparameters = before.hyperparameters();
    let grown = before.grown(hyperparameters, inputs, values);
    let posterior = grown
        .map_or_else(|| Posterior::new(before.family(), hyperparameters, inputs, values), Ok)?;
    Ok(if profiled { posterior.with_profiled_mean() } else { posterior })
}
