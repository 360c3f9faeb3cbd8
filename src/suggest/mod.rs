//! From what is believed to the next point.
//!
//! ```text
//! surrogate -> policy: acquisition -> search of the domain -> suggestion
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `step`, `memo` | one step of a run; the searches already made |
//! | `search/` | the best point of an acquisition over a space, a table, a grid or plans |
//! | `estimation`, `max_value`, `knowledge_gradient`, `lookahead/`, `lambda`, `rest` | what policies need |
//! | `policy`, `round` | which acquisition is used at which step; several suggestions at a time |
//! | `suggestion`, `equivalents` | the reported result |

mod equivalents;
mod estimation;
mod knowledge_gradient;
mod known;
mod lambda;
mod lookahead;
mod max_value;
mod memo;
pub(crate) mod policy;
mod rest;
mod round;
mod search;
mod step;
mod suggestion;

use crate::acquisition::Acquisition;
use crate::data::{Observations, Points};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::maximize::Maximum;
use crate::surrogate::{Stream, seed};

pub use crate::surrogate::{Awaited, Incumbent, Setup, Surrogate, Taken};
pub use equivalents::Equivalents;
pub use estimation::{Deviation, Estimation};
pub(crate) use knowledge_gradient::{acquisition as knowledge_gradient, check_fantasies};
pub(crate) use lambda::for_budget as lambda_for_budget;
pub use lambda::{expected_supremum, finite_supremum};
pub use max_value::{MaxValueEntropy, MaximaSource};
pub use memo::Memo;
pub use policy::ConfidenceClock;
pub(crate) use policy::Policy;
pub(crate) use policy::price_floor;
pub(crate) use rest::Rest;
pub use rest::{SHARE, price_of_rest};
pub use round::Round;
pub(crate) use search::{Scope, best_of, grid, inward, neighborhood};
pub use step::{Hints, Progress, Step};
pub use suggestion::Suggestion;

/// What a search for the next point came to.
#[derive(Debug)]
pub enum Next {
    /// A suggestion, the best points of this search as hints for the next, and whether the best
    /// point of all costs more than the [limit](Hints::within).
    Found(Box<Suggestion>, Points, bool),
    /// Every row of a table is taken.
    Exhausted,
    /// No point that may be suggested is within the limit.
    TooDear,
}

/// The best point of the policy's acquisition within the limit of the cost, if there is one.
/// `progress` numbers the suggestions of a run, and each has its own random numbers. At the deadline
/// the search ends with the best point so far. The suggestions of a round share their work.
///
/// # Errors
/// Those of the policy, of the posterior, of a known cost and of the backend.
pub fn suggest(
    setup: &Setup,
    surrogate: &Surrogate,
    observations: &Observations,
    policy: &mut Policy,
    (hints, round): (&Hints<'_>, &mut Round),
    progress: Progress,
    deadline: Deadline,
) -> Result<Next> {
    let fantasies = seed(setup.seed, Stream::Pending, observations.told());
    let surrogate = round.awaiting(surrogate, hints.awaited, fantasies)?;
    let found = next((setup, &surrogate), observations, policy, (hints, round), progress, deadline);
    round.keep(surrogate, hints.awaited.len());
    found
}

/// The same with models that know of the trials under way.
fn next(
    (setup, surrogate): (&Setup, &Surrogate),
    observations: &Observations,
    policy: &mut Policy,
    (hints, round): (&Hints<'_>, &mut Round),
    progress: Progress,
    deadline: Deadline,
) -> Result<Next> {
    let under_way: Taken = hints.pending.rows().collect();
    // In a finite domain every evaluated point is excluded, unless another outcome there may be
    // informative.
    let excluded = if surrogate.worth_repeating() { &under_way } else { hints.taken };
    let step = Step { setup, surrogate, observations, hints: *hints, excluded, progress, deadline };
    let acquisition = policy.acquisition(&step)?;
    let mut choose = |step: &Step<'_>, round: &mut Round| match policy.planner() {
        Some(planner) => planner.choose(step, acquisition.clone()),
        None => step.best_in(round, acquisition.clone()),
    };
    let Some(limit) = hints.within else {
        return match choose(&step, round)? {
            Some(chosen) => step.found(chosen, false),
            None => Ok(Next::Exhausted),
        };
    };
    let Some(chosen) = choose(&step.part(HALF), round)? else { return Ok(Next::Exhausted) };
    if step.fits(&chosen.1, limit)? {
        return step.found(chosen, false);
    }
    let within = match step.excluded_within(limit)? {
        Some(excluded) => {
            // What was searched before was not searched within the limit.
            let hints = Hints { memo: &Memo::default(), ..*hints };
            let step = Step { excluded: &excluded, hints, ..step };
            let found = choose(&step, round)?;
            found.filter(|(_, found)| !excluded.contains(&found.point))
        }
        None => step.best_within(chosen.0, &chosen.1, limit)?,
    };
    within.map_or(Ok(Next::TooDear), |chosen| step.found(chosen, true))
}

/// The share of the time for the search without the limit.
const HALF: f64 = 0.5;

/// A better place for a point that was suggested while all others of `hints.pending` are under way;
/// `None` if a climb from it, or a search of a finite domain, finds none.
///
/// # Errors
/// Those of [`suggest`].
pub fn improve(
    (setup, surrogate): (&Setup, &Surrogate),
    observations: &Observations,
    suggested: &Suggestion,
    hints: &Hints<'_>,
    progress: Progress,
    deadline: Deadline,
) -> Result<Option<Suggestion>> {
    let fantasies = seed(setup.seed, Stream::Pending, observations.told());
    let surrogate = &*surrogate.awaiting(hints.awaited, fantasies)?;
    let under_way: Taken = hints.pending.rows().collect();
    let excluded = if surrogate.worth_repeating() { &under_way } else { hints.taken };
    let step = Step { setup, surrogate, observations, hints: *hints, excluded, progress, deadline };
    let acquisition = suggested.acquisition.clone();
    let before = surrogate.score_at(&acquisition, &suggested.unit)?;
    let found = step.best_from(&acquisition, &suggested.unit)?;
    let better = found.filter(|found| found.value > before && !excluded.contains(&found.point));
    better.map(|found| step.suggestion(acquisition, found)).transpose()
}

impl Step<'_> {
    /// What is said of the chosen point.
    fn found(&self, (acquisition, found): (Acquisition, Maximum), limited: bool) -> Result<Next> {
        let runners_up = found.finalists.clone();
        let suggestion = self.suggestion(acquisition, found)?;
        Ok(Next::Found(Box::new(suggestion), runners_up, limited))
    }

    /// The same without what comes next.
    fn suggestion(&self, acquisition: Acquisition, found: Maximum) -> Result<Suggestion> {
        let Self { surrogate, hints, .. } = self;
        let (scale, sign) = (surrogate.scale(), surrogate.direction().sign());
        Ok(Suggestion {
            value: surrogate.value_in_direction(&acquisition, found.value),
            mean: sign * scale.undo(found.mean),
            sd: surrogate.sd_at(&found.point, (found.mean, found.variance))?,
            cost: surrogate.expected_cost(&found.point)?,
            success: surrogate.success_at(&found.point)?,
            equivalents: Equivalents::of(&acquisition, found.value, sign),
            unguided: None,
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
        })
    }
}
