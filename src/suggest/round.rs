//! Several suggestions at a time.
//!
//! The suggestions of a round are greedy: each is the best point given all that are under way, those
//! of the round included. They share
//!
//! - the models: a suggestion appends one row to the factor, in `O(n^2)`,
//! - the search: the first one searches the whole space and keeps points of its scan, the best ones
//!   and as many others spread over the space. The next ones score these points anew and climb from
//!   the best. The more trials are under way around the best points, the better the others become.
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
use crate::suggest::search::{finalists_of, grid, neighborhood};
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

/// What the suggestions of one call share.
#[derive(Debug, Default)]
pub struct Round {
    many: bool,
    /// The models, and how many trials under way they know of.
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

    /// A round of many.
    pub fn many() -> Self {
        Self { many: true, ..Self::default() }
    }

    /// The models after the trials under way. Those that were asked for since come last.
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
}

impl Step<'_> {
    /// The point to suggest by an acquisition, and the acquisition; `None` if every row of a table
    /// is taken.
    pub(super) fn best_in(
        &self,
        round: &mut Round,
        acquisition: Acquisition,
    ) -> Result<Option<(Acquisition, Maximum)>> {
        let space = match &self.setup.domain {
            Domain::Space(space) if round.many && acquisition.points() == 1 => space,
            _ => return self.best(acquisition),
        };
        if grid(space).is_some() || acquisition.path().is_some() {
            return self.best(acquisition);
        }
        let name = acquisition.name();
        if let Some(pool) = round.pool.as_mut().filter(|pool| pool.acquisition == name)
            && pool.served < LASTS
        {
            pool.served += 1;
            let found = self.best_of_kept(space, &acquisition, &pool.points)?;
            // Few points of a grid may all be taken where others are free.
            if !(space.is_finite() && self.excluded.contains(&found.point)) {
                let found = self.not_again(&acquisition, found)?;
                return Ok(Some((acquisition, found)));
            }
        }
        let found = self.best(acquisition)?;
        if let Some((acquisition, found)) = &found {
            let points = self.best_scanned(acquisition, found)?;
            round.pool = Some(Pool { acquisition: acquisition.name(), points, served: 0 });
        }
        Ok(found)
    }

    /// The best points of a scan and of the places that a search found, and others of the scan.
    fn best_scanned(&self, acquisition: &Acquisition, found: &Maximum) -> Result<Points> {
        let standardized = self.surrogate.standardized(acquisition);
        let scope = self.scope(Stream::Search);
        let search = scope.maximize();
        let dim = self.setup.domain.dim();
        let mut points = search.sequence(dim, scope.seed).points(0..search.raw);
        let seen = (self.observations, &self.setup.domain);
        points.extend(&search.clamped(&neighborhood(self.surrogate, seen, scope.seed)));
        points.extend(&found.finalists);
        let mut scores = Scores::default();
        let job = self.surrogate.job(&standardized).gradient(false).keep(Some(KEPT / 2));
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
        let standardized = self.surrogate.standardized(acquisition);
        let job = self.surrogate.job(&standardized);
        let scope = self.scope(Stream::Search);
        let search = Maximize { starts: CLIMBS, max_iterations: ITERATIONS, ..scope.maximize() };
        let maximum = search.refine(scope.backend(), &job, kept)?;
        // As in a search from scratch, snapping moves the ends of climbs.
        finalists_of(&scope, (space, space.has_cells().then_some(kept)), &job, maximum)
    }

    /// The best point of a climb from a point; in a finite domain the best of all.
    pub(super) fn best_from(
        &self,
        acquisition: &Acquisition,
        unit: &[f64],
    ) -> Result<Option<Maximum>> {
        match &self.setup.domain {
            Domain::Space(space) if grid(space).is_none() => {
                let from = Points::from_rows(unit.len(), unit.to_vec())?;
                let found = self.best_of_kept(space, acquisition, &from)?;
                self.not_again(acquisition, found).map(Some)
            }
            _ => self.search(acquisition, Stream::Search),
        }
    }
}
