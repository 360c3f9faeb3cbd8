//! The best point of an acquisition over the domain of a run.
//!
//! Which search runs is decided in this file: [`Scope::best`] searches plans, the rows of a table, the
//! points of a small grid, or a space. It knows no policy. The host has computed the scores that are
//! returned.

mod finalists;
mod grid;
pub(crate) mod jitter;
mod knowledge_gradient;
mod neighborhood;
mod plan;
mod scope;

use crate::acquisition::Acquisition;
use crate::backend::Job;
use crate::data::{Domain, Points, Space, Table};
use crate::error::Result;
use crate::maximize::{Maximum, argmax_until};
use crate::suggest::known::shuffled;
use crate::suggest::memo::Memo;

use knowledge_gradient::is_one_shot;

pub(super) use grid::LARGEST_GRID;
pub use grid::grid;
pub(super) use knowledge_gradient::MEAN;
pub use neighborhood::neighborhood;
pub(super) use plan::best_plan;
pub(crate) use scope::Scope;

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
                    let (ends, finite) = if is_one_shot(&job) {
                        self.over_roots(space, &job, &starts)?
                    } else {
                        (self.maximize().run(self.backend(), &job, &starts)?, None)
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

    /// The points of a grid, shuffled: of equal points chance chooses. With a deadline the free ones
    /// come first: the points reached in time are then a fair sample of those that can be suggested.
    fn in_fair_order(&self, grid: Points) -> Points {
        let mut order = shuffled(grid.len(), self.seed);
        if self.deadline.is_set() {
            order.sort_by_key(|&point| self.taken.contains(grid.row(point)));
        }
        grid.select(order)
    }
}
