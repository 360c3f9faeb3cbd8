//! Several suggestions at a time.
//!
//! The suggestions of a round are greedy: each is the best point given all that are pending, those
//! of the round included. They share
//!
//! - the models: a suggestion appends one row to the factor, in `O(n^2)`,
//! - the search: the first one searches the whole space and keeps points of its scan, the best ones
//!   and as many others spread over the space. The next ones score these points anew and climb from
//!   the best. The more trials are pending around the best points, the better the others become.
//!   After [`LASTS`] suggestions a new search follows.
//!
//! Over a table or a grid every suggestion scores all points. A plan of several steps, a knowledge
//! gradient and a second model have a search each.
//!
//! A round can be refined: each point in turn climbs to a better place, given all the others
//! ([`improve`](super::improve)).

use std::borrow::Cow;

use crate::acquisition::Acquisition;
use crate::backend::Scores;
use crate::data::{Domain, Points, Space};
use crate::error::Result;
use crate::maximize::{Maximize, Maximum};
use crate::suggest::search::{grid, neighborhood};
use crate::suggest::step::Step;
use crate::surrogate::{Awaited, Stream, Surrogate};

/// The number of points kept of a scan, half of them for their scores, and the number of suggestions
/// that they serve.
const KEPT: usize = 96;
const LASTS: usize = 48;

/// The number of climbs of a suggestion from kept points, and the largest number of their
/// iterations.
const CLIMBS: usize = 2;
const ITERATIONS: usize = 24;

/// The models and points that the suggestions of one call share.
#[derive(Debug, Default)]
pub(crate) struct Round {
    many: bool,
    /// The models, and how many pending trials they know of.
    surrogate: Option<(Surrogate, usize)>,
    pool: Option<Pool>,
}

/// Points of a scan.
#[derive(Debug)]
struct Pool {
    acquisition: &'static str,
    points: Points,
    served: usize,
}

impl Round {
    /// A round of one suggestion. It keeps nothing.
    pub fn one() -> Self {
        Self::default()
    }

    /// A round of many suggestions.
    pub fn many() -> Self {
        Self { many: true, ..Self::default() }
    }

    /// The models after the pending trials. Those that were asked for since come last.
    pub(super) fn awaiting<'a>(
        &mut self,
        surrogate: &'a Surrogate,
        awaited: &Awaited,
        seed: u64,
    ) -> Result<Cow<'a, Surrogate>> {
        match self.surrogate.take() {
            Some((mut kept, known)) if known <= awaited.len() => {
                let new = awaited.since(known);
                if !new.is_empty() {
                    kept.await_also(&new, seed)?;
                }
                Ok(Cow::Owned(kept))
            }
            _ => surrogate.awaiting(awaited, seed),
        }
    }

    /// Keeps the models for the next suggestion of a round of many.
    pub(super) fn keep(&mut self, surrogate: Cow<'_, Surrogate>, awaited: usize) {
        if self.many {
            self.surrogate = Some((surrogate.into_owned(), awaited));
        }
    }

    /// The space whose points may serve several suggestions by an acquisition.
    fn shared<'a>(&self, step: &Step<'a>, acquisition: &Acquisition) -> Option<&'a Space> {
        match &step.view.setup.domain {
            Domain::Space(space) if self.many && acquisition.points() == 1 => {
                Some(space).filter(|space| grid(space).is_none() && acquisition.path().is_none())
            }
            _ => None,
        }
    }

    /// The best point that climbs from the kept points lead to, if there are any for this
    /// acquisition, and the point may be suggested.
    pub(super) fn serve(
        &mut self,
        step: &Step<'_>,
        acquisition: &Acquisition,
    ) -> Result<Option<Maximum>> {
        let Some(space) = self.shared(step, acquisition) else { return Ok(None) };
        let pool = self.pool.as_mut().filter(|pool| pool.acquisition == acquisition.name());
        let Some(pool) = pool.filter(|pool| pool.served < LASTS) else { return Ok(None) };
        pool.served += 1;
        let found = step.best_of_kept(space, acquisition, &pool.points)?;
        // Few points of a grid may all be taken where others are free.
        let is_again = space.is_finite() && step.excluded.contains(&found.point);
        Ok((!is_again).then_some(found))
    }

    /// Keeps the best points of a scan and of the places that a search found, and others of the
    /// scan, for the next suggestions of a round of many.
    pub(super) fn keep_points(
        &mut self,
        step: &Step<'_>,
        acquisition: &Acquisition,
        found: Option<&Maximum>,
    ) -> Result<()> {
        if let (Some(_), Some(found)) = (self.shared(step, acquisition), found) {
            let points = step.best_scanned(acquisition, found)?;
            self.pool = Some(Pool { acquisition: acquisition.name(), points, served: 0 });
        }
        Ok(())
    }
}

impl Step<'_> {
    /// The best points of a scan and of the places that a search found, and others of the scan.
    fn best_scanned(&self, acquisition: &Acquisition, found: &Maximum) -> Result<Points> {
        let (setup, surrogate) = (self.view.setup, self.view.surrogate);
        let standardized = surrogate.standardized(acquisition);
        let scope = self.scope(Stream::Search);
        let search = scope.maximize();
        let mut points = search.sequence(setup.domain.dim(), scope.seed).points(0..search.raw);
        points.extend(&search.clamped(&neighborhood(self.view, scope.seed)));
        points.extend(&found.finalists);
        let mut scores = Scores::default();
        let job = surrogate.job(&standardized).gradient(false).keep(Some(KEPT / 2));
        scope.backend().evaluate(&job, &points, &mut scores)?;
        // The first points of the sequence are spread over the space.
        let first = points.len().min(KEPT / 2);
        let spread = (0..first).filter(|row| !scores.rows.contains(row));
        Ok(points.select(scores.rows.iter().copied().chain(spread)))
    }

    /// The best point that climbs from kept points lead to.
    fn best_of_kept(
        &self,
        space: &Space,
        acquisition: &Acquisition,
        kept: &Points,
    ) -> Result<Maximum> {
        let standardized = self.view.surrogate.standardized(acquisition);
        let job = self.view.surrogate.job(&standardized);
        let scope = self.scope(Stream::Search);
        let search = Maximize { starts: CLIMBS, max_iterations: ITERATIONS, ..scope.maximize() };
        let ends = search.refine(scope.backend(), &job, kept)?;
        // As in a search from scratch, snapping moves the ends of climbs.
        scope.choose(space, &job, Some(ends), space.has_cells().then_some(kept))
    }

    /// The best point of a climb from a point; in a finite domain the best of all.
    pub(super) fn best_from(
        &self,
        acquisition: &Acquisition,
        unit: &[f64],
    ) -> Result<Option<Maximum>> {
        match &self.view.setup.domain {
            Domain::Space(space) if grid(space).is_none() => {
                let from = Points::from_rows(unit.len(), unit.to_vec())?;
                let found = self.best_of_kept(space, acquisition, &from)?;
                self.not_again(acquisition, found)
            }
            _ => self.scope(Stream::Search).best(acquisition, self.runners_up),
        }
    }
}
