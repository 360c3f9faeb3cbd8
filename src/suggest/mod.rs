//! From the observations to the next point.
//!
//! ```text
//! observations -> scaling -> fits -> posteriors -> pending trials as fantasies
//!              -> policy: acquisition -> search of the domain -> suggestion
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `setup`, `streams`, `taken` | what stays the same over a run; its random numbers; points that must not be suggested |
//! | `learned`, `fitted`, `reliability`, `beliefs`, `incumbent`, `surrogate` | the models after the observations |
//! | `step`, `memo` | one step of a run; the searches already made |
//! | `search/` | the best point of an acquisition over a space, a table, a grid or plans |
//! | `estimation`, `max_value`, `knowledge_gradient`, `lookahead/`, `lambda` | what policies need |
//! | `policy` | which acquisition is used at which step |
//! | `suggestion`, `equivalents` | the reported result |

mod beliefs;
mod equivalents;
mod estimation;
mod fitted;
mod incumbent;
mod knowledge_gradient;
mod known;
mod lambda;
mod learned;
mod lookahead;
mod max_value;
mod memo;
pub(crate) mod policy;
mod reliability;
mod search;
mod setup;
mod step;
mod streams;
mod suggestion;
mod surrogate;
mod taken;

use crate::data::{Observations, Points};
use crate::error::Result;
use crate::math::clock::Deadline;

pub use equivalents::Equivalents;
pub use estimation::{Deviation, Estimation};
pub(crate) use fitted::Kept;
pub use incumbent::Incumbent;
pub(crate) use knowledge_gradient::{acquisition as knowledge_gradient, check_fantasies};
pub(crate) use lambda::for_budget as lambda_for_budget;
pub use lambda::{expected_supremum, finite_supremum};
pub use max_value::{MaxValueEntropy, MaximaSource};
pub use memo::Memo;
pub use policy::ConfidenceClock;
pub(crate) use policy::Policy;
pub(crate) use policy::price_floor;
pub(crate) use search::{Scope, best_of, grid, inward, neighborhood};
pub use setup::Setup;
pub use step::{Hints, Progress, Step};
pub(crate) use streams::{Stream, seed};
pub use suggestion::Suggestion;
pub use surrogate::Surrogate;
pub use taken::Taken;

/// The best point of the policy's acquisition, and the best points of this search as hints for the
/// next; `None` if every row of a table is taken. `progress` numbers the suggestions of a run, and
/// each has its own random numbers. At the deadline the search ends with the best point so far.
///
/// # Errors
/// Those of the policy, of the posterior, of a known cost and of the backend.
pub fn suggest(
    setup: &Setup,
    surrogate: &Surrogate,
    observations: &Observations,
    policy: &mut Policy,
    hints: &Hints<'_>,
    progress: Progress,
    deadline: Deadline,
) -> Result<Option<(Suggestion, Points)>> {
    let surrogate = &*surrogate.with_pending(hints.pending)?;
    let under_way: Taken = hints.pending.rows().collect();
    // In a finite domain every evaluated point is excluded, unless another outcome there may be
    // informative.
    let excluded = if surrogate.worth_repeating() { &under_way } else { hints.taken };
    let step = Step { setup, surrogate, observations, hints: *hints, excluded, progress, deadline };
    let acquisition = policy.acquisition(&step)?;
    let chosen = match policy.planner() {
        Some(planner) => planner.choose(&step, acquisition)?,
        None => step.best(acquisition)?,
    };
    let Some((acquisition, found)) = chosen else { return Ok(None) };
    let (scale, sign) = (surrogate.scale(), surrogate.direction().sign());
    let suggestion = Suggestion {
        value: surrogate.value_in_direction(&acquisition, found.value),
        mean: sign * scale.undo(found.mean),
        sd: surrogate.sd_at(&found.point, (found.mean, found.variance))?,
        cost: surrogate.expected_cost(&found.point)?,
        success: surrogate.success_at(&found.point)?,
        equivalents: Equivalents::of(&acquisition, found.value, sign),
        repeated: hints.taken.contains(&found.point),
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
    };
    Ok(Some((suggestion, found.finalists)))
}
