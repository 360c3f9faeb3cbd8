//! The best point of an acquisition over the domain of a run.
//!
//! Which search runs is decided in this file. [`Step::choose`] lets a policy plan, serves a round
//! from the points that it kept, or searches. [`Scope::best`] searches plans, the rows of a table,
//! the points of a small grid, or a space. The host has computed the scores that are returned.

mod finalists;
mod grid;
pub(crate) mod inward;
mod knowledge_gradient;
mod neighborhood;
mod plan;
mod scope;
mod within;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::acquisition::Acquisition;
use crate::backend::Job;
use crate::data::{Domain, Points, Space, Table};
use crate::error::Result;
use crate::maximize::{Maximum, argmax_until};
use crate::suggest::known::fair_order;
use crate::suggest::memo::Memo;
use crate::suggest::policy::Policy;
use crate::suggest::round::Round;
use crate::suggest::step::Step;
use crate::surrogate::{Stream, Taken};

use grid::LARGEST_GRID;
use knowledge_gradient::is_one_shot;

pub(crate) use grid::grid;
pub(super) use knowledge_gradient::MEAN;
pub(crate) use neighborhood::neighborhood;
pub(super) use plan::best_plan;
pub(crate) use scope::Scope;

/// The point to suggest, and the acquisition that chose it.
pub(super) struct Chosen {
    pub acquisition: Acquisition,
    pub found: Maximum,
}

impl Step<'_> {
    /// The point to suggest by an acquisition of this policy; `None` if every row of a table, or
    /// every point of a finite space, is taken.
    pub(super) fn choose(
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

    /// Returns the point found, unless it is pending, or was evaluated and another outcome there
    /// would tell nothing, or the model cannot tell it from a pending point and there is no noise
    /// for which a repetition would be worth it. Then returns the best point one step away from it,
    /// because the next basin may be far worse; without such a step the best free point of all. `None`
    /// if no point is free.
    pub(super) fn not_again(
        &self,
        acquisition: &Acquisition,
        found: Maximum,
    ) -> Result<Option<Maximum>> {
        let (setup, surrogate) = (self.view.setup, self.view.surrogate);
        let Domain::Space(space) = &setup.domain else { return Ok(Some(found)) };
        let (posterior, pending) = (surrogate.posterior(), &self.under_way.points);
        let repeats = surrogate.worth_repeating();
        let is_again = |point: &[f64]| match repeats {
            true => pending.rows().any(|other| other == point),
            false => self.taken.contains(point) || posterior.confuses(point, pending),
        };
        let is_excluded = self.excluded.contains(&found.point);
        if !is_excluded && (space.is_finite() || !is_again(&found.point)) {
            return Ok(Some(found));
        }
        if !space.is_finite()
            && let Some(stepped) = self.best_near(space, acquisition, &found, is_again)?
        {
            return Ok(Some(stepped));
        }
        if !is_excluded {
            return Ok(Some(found));
        }
        let mut random = Pcg64::seed_from_u64(self.seed(Stream::Inward));
        let is_free = |point: &[f64]| !self.excluded.contains(point);
        let free = space.view().first(LARGEST_GRID, is_free, || random.random());
        self.best_instead(space, acquisition, &found, &free, self.excluded)
    }

    /// The best point a step away from the point found.
    fn best_near(
        &self,
        space: &Space,
        acquisition: &Acquisition,
        found: &Maximum,
        is_again: impl Fn(&[f64]) -> bool,
    ) -> Result<Option<Maximum>> {
        let lengthscales = &self.view.surrogate.posterior().hyperparameters().lengthscales;
        let near = inward::around(space, &found.point, lengthscales, self.seed(Stream::Inward));
        let near = near.select((0..near.len()).filter(|&row| !is_again(near.row(row))));
        let near = self.view.setup.search.clamped(&near);
        self.best_instead(space, acquisition, found, &near, self.taken)
    }

    /// The best of other points that are not taken, in place of the point found.
    fn best_instead(
        &self,
        space: &Space,
        acquisition: &Acquisition,
        found: &Maximum,
        others: &Points,
        taken: &Taken,
    ) -> Result<Option<Maximum>> {
        let surrogate = self.view.surrogate;
        // A plan or a knowledge gradient has no value at one point. Taking the best mean loses
        // little of it.
        let pointwise = acquisition.points() == 1;
        let scored = if pointwise { acquisition } else { &Acquisition::MEAN };
        let standardized = surrogate.standardized(scored);
        let job = surrogate.job(&standardized);
        let scope = Scope { taken, ..self.scope(Stream::Inward) };
        let instead = scope.choose_free(space, &job, others)?;
        Ok(instead.map(|instead| Maximum {
            point: instead.point,
            value: if pointwise { instead.value } else { found.value },
            mean: instead.mean,
            variance: instead.variance,
            evaluations: found.evaluations + instead.evaluations,
            ..found.clone()
        }))
    }
}

impl Scope<'_> {
    /// The best point of an acquisition, with its price in the user's outcome units. The search of a
    /// space starts from its own points, from the neighborhood of the best trials, and from hints.
    ///
    /// In a finite domain a taken point is never the result; `None` if every row of a table is
    /// taken. In a continuous domain any point may be the result: the largest value at points that
    /// are not taken comes arbitrarily close to the largest value at all points.
    ///
    /// # Errors
    /// Those of a known cost and of the backend.
    pub fn best(&self, acquisition: &Acquisition, hints: &Points) -> Result<Option<Maximum>> {
        if let Some(found) = self.memo.and_then(|memo| memo.get(acquisition, self.deadline)) {
            return Ok(found);
        }
        let (setup, surrogate) = (self.view.setup, self.view.surrogate);
        let standardized = surrogate.standardized(acquisition);
        let job = surrogate.job(&standardized);
        let found = match &setup.domain {
            _ if job.acquisition.plan().is_some() => plan::best_anew(self, &job)?,
            Domain::Table(table) => self.over_table(table, &job)?,
            Domain::Space(space) => match grid(space) {
                Some(grid) => Some(self.over_grid(space, grid, &job)?),
                None => {
                    let mut starts = neighborhood(self.view, self.seed);
                    starts.extend(self.memo.and_then(Memo::hints).unwrap_or(hints));
                    let (ends, finite) = match is_one_shot(&job) {
                        true => self.over_roots(space, &job, &starts)?,
                        false => (self.maximize().run(self.backend(), &job, &starts)?, None),
                    };
                    let job = job.acquisition(finite.as_ref().unwrap_or(job.acquisition));
                    // Snapping moves a relaxed optimum off its peak. A point of the grid that no
                    // start climbed to may be better.
                    let search = &setup.search;
                    let others = space.has_cells().then(|| {
                        let raw = search.sequence(space.dim(), self.seed).points(0..search.raw);
                        [search.clamped(&starts).into_owned(), raw]
                    });
                    Some(self.choose(space, &job, Some(ends), others.iter().flatten())?)
                }
            },
        };
        if let Some(memo) = self.memo {
            memo.keep(acquisition, &found);
        }
        Ok(found)
    }

    /// The best free row.
    fn over_table(&self, table: &Table, job: &Job<'_>) -> Result<Option<Maximum>> {
        let finite = self.over_set(job, table.points())?;
        let job = job.acquisition(finite.as_ref().unwrap_or(job.acquisition));
        let (rows, taken) = (table.points(), self.taken.rows(table));
        argmax_until(self.backend(), &job, rows, &taken, self.deadline, self.seed)
    }

    /// The best free point of a grid. If the whole grid is scored, the maximum is exact and an
    /// exhausted grid is recognized.
    fn over_grid(&self, space: &Space, grid: Points, job: &Job<'_>) -> Result<Maximum> {
        let finite = self.over_set(job, &grid)?;
        let job = job.acquisition(finite.as_ref().unwrap_or(job.acquisition));
        self.choose(space, &job, None, [&self.in_fair_order(grid)])
    }

    /// The points of a grid. With a deadline they are shuffled, the free ones first: the points
    /// reached in time are then a fair sample of those that can be suggested.
    fn in_fair_order(&self, grid: Points) -> Points {
        if !self.deadline.is_set() {
            return grid;
        }
        let mut order = fair_order(grid.len(), self.seed, self.deadline);
        order.sort_by_key(|&point| self.taken.contains(grid.row(point)));
        grid.select(order)
    }
}
