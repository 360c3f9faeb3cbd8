//! From what is believed to the next point.
//!
//! ```text
//! surrogate -> policy: acquisition -> search of the domain -> suggestion
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `memo`, `known` | the searches already made; posterior moments over a finite set |
//! | `search/` | the best point of an acquisition over a space, a table, a grid or plans; it knows no policy |
//! | `step`, `rest` | one step of a run; what is left of a budget |
//! | `policy/` | which acquisition is used at which step |
//! | `round` | several suggestions at a time |
//! | `within`, `again` | the point to suggest within a limit of the cost; in place of one that is not to be asked for again |
//! | `suggestion`, `equivalents` | the reported result |

mod duplicate;
mod equivalents;
mod known;
mod memo;
pub(crate) mod policy;
pub(crate) mod rest_of_budget;
mod round;
pub(crate) mod search;
mod step;
mod suggestion;
mod within;

use crate::acquisition::Acquisition;
use crate::data::Points;
use crate::error::Result;
use crate::maximize::Maximum;
use crate::surrogate::{Stream, Taken, View, seed};

pub use crate::surrogate::{Incumbent, Surrogate};
pub use equivalents::Equivalents;
pub(crate) use memo::Memo;
pub(crate) use policy::Policy;
pub use policy::estimation::{Deviation, Estimation};
pub(crate) use policy::knowledge_gradient::{acquisition as knowledge_gradient, check_fantasies};
pub(crate) use policy::lambda::for_budget as lambda_for_budget;
pub use policy::max_value::{MaxValueEntropy, MaximaSource};
pub(crate) use policy::price_floor;
pub(crate) use rest_of_budget::RestOfBudget;
pub(crate) use round::Round;
pub(crate) use search::{Scope, jitter};
pub(crate) use step::{Progress, Step};
pub use suggestion::Suggestion;

/// The result of a search for the next point.
#[derive(Debug)]
pub(crate) enum Next {
    /// A suggestion, the best points of this search as hints for the next, and whether the best
    /// point of all costs more than the limit.
    Found(Box<Suggestion>, Points, bool),
    /// Every row of a table, or every point of a finite space, is taken.
    Exhausted,
    /// No point that may be suggested is within the limit.
    OverBudget,
}

/// The point to suggest, and the acquisition that chose it.
struct Chosen {
    pub acquisition: Acquisition,
    pub found: Maximum,
}

/// The best point of the policy's acquisition, `within` a limit of the expected cost if there is
/// one. The suggestions of a run are numbered by their progress, and each has its own random
/// numbers. At the deadline the search ends with the best point so far. The suggestions of a round
/// share their work.
pub(crate) fn suggest(
    step: &Step<'_>,
    policy: &mut Policy,
    round: &mut Round,
    within: Option<f64>,
) -> Result<Next> {
    let awaited = &step.pending_trials.awaited;
    let surrogate = round.awaiting(step.view.surrogate, awaited, step.seed_of_fantasies())?;
    let pending_trials: Taken = step.pending_trials.points.rows().collect();
    let step = step.given(&surrogate, &pending_trials);
    let acquisition = policy.acquisition(&step)?;
    let next = match within {
        Some(limit) => step.choose_within(limit, &acquisition, policy, round)?,
        None => match step.choose(&acquisition, policy, round)? {
            Some(chosen) => step.found(chosen, false)?,
            None => Next::Exhausted,
        },
    };
    round.keep(surrogate, awaited.len());
    Ok(next)
}

/// A better place for a point that was suggested while all others are pending, `within` a limit of
/// the expected cost if there is one; `None` if a climb from it, or a search of a finite domain,
/// finds none.
pub(crate) fn improve(
    step: &Step<'_>,
    suggested: &Suggestion,
    within: Option<f64>,
) -> Result<Option<Suggestion>> {
    let awaited = &step.pending_trials.awaited;
    let surrogate = step.view.surrogate.awaiting(awaited, step.seed_of_fantasies())?;
    let pending_trials: Taken = step.pending_trials.points.rows().collect();
    let step = step.given(&surrogate, &pending_trials);
    let acquisition = suggested.acquisition.clone();
    let before = surrogate.score_at(&acquisition, &suggested.unit)?;
    let found = match within {
        Some(limit) => step.best_from_within(limit, &acquisition, &suggested.unit)?,
        None => step.best_from(&acquisition, &suggested.unit)?,
    };
    let better =
        found.filter(|found| found.value > before && !step.excluded.contains(&found.point));
    better.map(|found| step.suggestion(Chosen { acquisition, found })).transpose()
}

impl<'a> Step<'a> {
    /// The point to suggest by an acquisition of this policy; `None` if every row of a table, or
    /// every point of a finite space, is taken.
    fn choose(
        &self,
        acquisition: &Acquisition,
        policy: &mut Policy,
        round: &mut Round,
    ) -> Result<Option<Chosen>> {
        let mut acquisition = acquisition.clone();
        // A plan needs an incumbent.
        let mut planner = policy.planner().filter(|_| self.view.surrogate.has_incumbent());
        let found = if let Some(planner) = &mut planner {
            planner.search(self, &mut acquisition)?
        } else if let Some(found) = round.serve(self, &acquisition)? {
            Some(found)
        } else {
            let found = self.scope(Stream::Search).best(&acquisition, self.runners_up)?;
            round.keep_points(self, &acquisition, found.as_ref())?;
            found
        };
        let Some(found) = found else { return Ok(None) };
        let Some(found) = self.not_again(&acquisition, found)? else { return Ok(None) };
        if let Some(planner) = planner {
            planner.settle(self, &found)?;
        }
        Ok(Some(Chosen { acquisition, found }))
    }

    /// The seed of the fantasies of the pending trials.
    fn seed_of_fantasies(&self) -> u64 {
        seed(self.view.setup.seed, Stream::Pending, self.view.observations.told())
    }

    /// This step with models that know of the pending trials. In a finite domain every evaluated
    /// point is excluded, unless another outcome there may be informative.
    fn given<'b>(&self, surrogate: &'b Surrogate, pending_trials: &'b Taken) -> Step<'b>
    where
        'a: 'b,
    {
        let excluded = if surrogate.worth_repeating() { pending_trials } else { self.taken };
        Step { view: View { surrogate, ..self.view }, excluded, ..*self }
    }

    /// The suggestion for the chosen point, and its runners-up. `limited` says that the best point
    /// of all costs more than the limit.
    fn found(&self, chosen: Chosen, limited: bool) -> Result<Next> {
        let runners_up = chosen.found.finalists.clone();
        Ok(Next::Found(Box::new(self.suggestion(chosen)?), runners_up, limited))
    }

    /// The suggestion for the chosen point, in the user's units.
    fn suggestion(&self, chosen: Chosen) -> Result<Suggestion> {
        let Chosen { acquisition, found } = chosen;
        let surrogate = self.view.surrogate;
        let (scale, sign) = (surrogate.scale(), surrogate.direction().sign());
        Ok(Suggestion {
            value: surrogate.value_in_direction(&acquisition, found.value),
            mean: sign * scale.undo(found.mean),
            sd: surrogate.sd_at(&found.point, found.mean, found.variance)?,
            cost: surrogate.expected_cost(&found.point)?,
            usable: surrogate.usable_at(&found.point)?,
            equivalents: Equivalents::of(&acquisition, found.value, sign),
            random_restart: None,
            repeated: self.taken.contains(&found.point),
            unit: found.point,
            row: found.row,
            acquisition,
            ended: found.ended,
            rounds: found.rounds,
            evaluations: found.evaluations,
            jitter: surrogate.posterior().jitter(),
            fit: surrogate.outcome_fit().status.clone(),
            cost_fit: surrogate.cost_fit().map(|fit| fit.status.clone()),
            basins: found.basins,
            provenance: found.provenance,
        })
    }
}
