//! The best point of an acquisition over the domain of a run.
//!
//! [`best`] decides which search runs: over a space, over the rows of a table, over the points of a
//! small grid, or over the trees of a plan. The host has computed the scores that it returns. The
//! searches of a [`Step`] stand at the top of this file.

mod finalists;
mod grid;
pub(crate) mod inward;
mod knowledge_gradient;
mod neighborhood;
mod plan;
mod scope;
mod within;

use crate::acquisition::{Acquisition, Joint};
use crate::backend::{Cpu, Job};
use crate::data::{Domain, Observations, Points, Space, Table};
use crate::error::Result;
use crate::maximize::{Maximum, TwoPhase, argmax_until};
use crate::suggest::known::fair_order;
use crate::suggest::step::{BEFORE, Hints, Step};
use crate::surrogate::{Stream, Surrogate};

use finalists::Finalists;

pub(crate) use grid::grid;
pub(super) use knowledge_gradient::MEAN;
pub(crate) use neighborhood::neighborhood;
pub(super) use plan::best_plan;
pub(crate) use scope::Scope;

impl Step<'_> {
    /// The point to suggest by an acquisition, and the acquisition; `None` if every row of a table
    /// is taken.
    pub(super) fn best(&self, acquisition: Acquisition) -> Result<Option<(Acquisition, Maximum)>> {
        let Some(found) = self.search(&acquisition, Stream::Search)? else { return Ok(None) };
        let found = self.not_again(&acquisition, found)?;
        Ok(Some((acquisition, found)))
    }

    /// The best point of an acquisition, with its price in the user's outcome units. Each stream
    /// has its own random numbers. A search that a stopping rule already made is not repeated.
    pub(super) fn search(
        &self,
        acquisition: &Acquisition,
        stream: Stream,
    ) -> Result<Option<Maximum>> {
        let Hints { pending, runners_up, memo, .. } = self.hints;
        let scope = self.scope(stream);
        let search = || best_of(&scope, self.surrogate, self.observations, acquisition, runners_up);
        match stream {
            Stream::Search if pending.is_empty() => {
                memo.or_search(acquisition, self.deadline, search)
            }
            _ => search(),
        }
    }

    /// The largest value of an acquisition among points that are not taken, in the user's outcome
    /// units; `None` if every row of a table is taken. The acquisition's price is in the user's
    /// outcome units.
    ///
    /// # Errors
    /// Those of a known cost and of the backend.
    pub fn maximum(&self, acquisition: &Acquisition) -> Result<Option<f64>> {
        let found = self.part(BEFORE).search(acquisition, Stream::Policy)?;
        Ok(found.map(|found| self.surrogate.value(acquisition, found.value)))
    }

    /// The scope of a search of a stream.
    pub(super) fn scope(&self, stream: Stream) -> Scope<'_> {
        let (setup, taken, deadline) = (self.setup, self.excluded, self.deadline);
        Scope { setup, taken, seed: self.seed(stream), deadline }
    }

    /// Returns the point found, unless it is pending, or was evaluated and another outcome there
    /// would tell nothing, or the model cannot tell it from a pending point and there is no noise
    /// for which a repetition would be worth it. Then returns the best point one step away from it,
    /// because the next basin may be far worse.
    pub(super) fn not_again(&self, acquisition: &Acquisition, found: Maximum) -> Result<Maximum> {
        let Domain::Space(space) = &self.setup.domain else { return Ok(found) };
        let (posterior, pending) = (self.surrogate.posterior(), self.hints.pending);
        let repeats = self.surrogate.worth_repeating();
        let is_again = |point: &[f64]| match repeats {
            true => pending.rows().any(|other| other == point),
            false => self.hints.taken.contains(point) || posterior.confuses(point, pending),
        };
        if space.is_finite() || !is_again(&found.point) {
            return Ok(found);
        }
        let lengthscales = &posterior.hyperparameters().lengthscales;
        let near = inward::around(space, &found.point, lengthscales, self.seed(Stream::Inward));
        let near = near.select((0..near.len()).filter(|&row| !is_again(near.row(row))));
        // A plan or a knowledge gradient has no value at one point. Taking the best mean loses
        // little of it.
        let pointwise = acquisition.points() == 1;
        let scored = if pointwise { acquisition } else { &Acquisition::MEAN };
        let standardized = self.surrogate.standardized(scored);
        let job = self.surrogate.job(&standardized);
        let mut finalists =
            Finalists::new(space, &job, TwoPhase::new(&Cpu), self.hints.taken, self.deadline);
        finalists.add(&self.setup.search.clamped(&near))?;
        Ok(match finalists.choose_free() {
            None => found,
            Some(stepped) => Maximum {
                point: stepped.point,
                value: if pointwise { stepped.value } else { found.value },
                mean: stepped.mean,
                variance: stepped.variance,
                evaluations: found.evaluations + stepped.evaluations,
                ..found
            },
        })
    }
}

/// The best point of an acquisition, with its price in the user's outcome units. The search starts
/// from its own points, from the neighborhood of the best trials, and from hints.
///
/// In a finite domain a taken point is never the result; `None` if every row of a table is taken.
/// In a continuous domain any point may be the result: the largest value at points that are not
/// taken comes arbitrarily close to the largest value at all points.
///
/// # Errors
/// Those of a known cost and of the backend.
pub(crate) fn best_of(
    scope: &Scope<'_>,
    surrogate: &Surrogate,
    observations: &Observations,
    acquisition: &Acquisition,
    hints: &Points,
) -> Result<Option<Maximum>> {
    let acquisition = surrogate.standardized(acquisition);
    let seen = (observations, &scope.setup.domain);
    let mut starts = neighborhood(surrogate, seen, scope.seed);
    starts.extend(hints);
    best(scope, &surrogate.job(&acquisition), &starts)
}

/// The same for a job, from these hints alone.
///
/// # Errors
/// Those of a known cost and of the backend.
pub(crate) fn best(scope: &Scope<'_>, job: &Job<'_>, hints: &Points) -> Result<Option<Maximum>> {
    match job.acquisition {
        Acquisition::Pointwise(_)
        | Acquisition::Joint(
            Joint::ThompsonSample { .. } | Joint::FiniteKnowledgeGradient { .. },
        ) => over_domain(scope, job, hints),
        Acquisition::Joint(Joint::KnowledgeGradient { .. }) => over_roots(scope, job, hints),
        Acquisition::Joint(Joint::MultiStepImprovement { .. }) => plan::best_anew(scope, job),
    }
}

fn over_domain(scope: &Scope<'_>, job: &Job<'_>, hints: &Points) -> Result<Option<Maximum>> {
    match &scope.setup.domain {
        Domain::Table(table) => over_table(scope, table, job),
        Domain::Space(space) => match grid(space) {
            Some(grid) => over_grid(scope, (space, &grid), job).map(Some),
            None => {
                let maximum = scope.maximize().run(scope.backend(), job, hints)?;
                settle(scope, space, job, hints, maximum).map(Some)
            }
        },
    }
}

/// The best point at which an evaluation is possible, among the ends of a search and others.
///
/// # Errors
/// Those of a known cost and of the backend.
pub(in crate::suggest) fn finalists_of(
    scope: &Scope<'_>,
    (space, others): (&Space, Option<&Points>),
    job: &Job<'_>,
    maximum: Maximum,
) -> Result<Maximum> {
    let phases = TwoPhase::after(scope.backend(), &maximum);
    let mut finalists = Finalists::new(space, job, phases, scope.taken, scope.deadline);
    finalists.add_found(&maximum)?;
    others.map_or(Ok(()), |others| finalists.add(others))?;
    Ok(finalists.choose(Some(maximum)))
}

/// Searches the roots of a knowledge gradient. In the end the knowledge gradient over a finite set
/// is scored.
fn over_roots(scope: &Scope<'_>, job: &Job<'_>, hints: &Points) -> Result<Option<Maximum>> {
    match &scope.setup.domain {
        Domain::Table(table) => {
            let acquisition = &knowledge_gradient::over_set(scope, job, table.points())?;
            over_table(scope, table, &job.acquisition(acquisition))
        }
        Domain::Space(space) => match grid(space) {
            Some(grid) => {
                let acquisition = &knowledge_gradient::over_set(scope, job, &grid)?;
                over_grid(scope, (space, &grid), &job.acquisition(acquisition)).map(Some)
            }
            None => {
                let (maximum, acquisition) =
                    knowledge_gradient::over_space(scope, space, job, hints)?;
                let job = job.acquisition(&acquisition);
                settle(scope, space, &job, hints, maximum).map(Some)
            }
        },
    }
}

fn over_table(scope: &Scope<'_>, table: &Table, job: &Job<'_>) -> Result<Option<Maximum>> {
    let taken = scope.taken.rows(table);
    argmax_until(scope.backend(), job, table.points(), &taken, (scope.deadline, scope.seed))
}

/// Searches a grid. If the whole grid is scored, the maximum is exact and an exhausted grid is
/// recognized.
fn over_grid(
    scope: &Scope<'_>,
    (space, grid): (&Space, &Points),
    job: &Job<'_>,
) -> Result<Maximum> {
    let Scope { taken, seed, deadline, .. } = *scope;
    let mut finalists = Finalists::new(space, job, TwoPhase::new(scope.backend()), taken, deadline);
    if deadline.is_set() {
        // The points reached in time are then a fair sample of the points that can be suggested.
        let mut order = fair_order(grid.len(), (seed, deadline));
        order.sort_by_key(|&point| taken.contains(grid.row(point)));
        finalists.add(&grid.select(order))?;
    } else {
        finalists.add(grid)?;
    }
    Ok(finalists.choose(None))
}

/// The best point at which an evaluation is possible, among the ends of a search. If snapping moved
/// these, or if all of them are taken in a finite space, many other points are scored too.
fn settle(
    scope: &Scope<'_>,
    space: &Space,
    job: &Job<'_>,
    hints: &Points,
    maximum: Maximum,
) -> Result<Maximum> {
    let phases = TwoPhase::after(scope.backend(), &maximum);
    let mut finalists = Finalists::new(space, job, phases, scope.taken, scope.deadline);
    finalists.add_found(&maximum)?;
    // Snapping moves a relaxed optimum off its peak. A point of the grid that no start climbed to
    // may be better.
    if space.has_cells() {
        finalists.add(&scope.setup.search.clamped(hints))?;
        let search = &scope.setup.search;
        finalists.add(&search.sequence(space.dim(), scope.seed).points(0..search.raw))?;
    }
    Ok(finalists.choose(Some(maximum)))
}
