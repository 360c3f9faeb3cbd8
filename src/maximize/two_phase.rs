//! The device finds the best points; the host computes their reported values.
//!
//! A device may compute in single precision, and its rounding differs from the host's. Its numbers
//! find the places of the best points. The host then scores these points in double precision, and
//! all reported numbers are the host's. Every search asks through [`TwoPhase`], which stores what
//! answered: climbs over the cube, tables, grids, plans of several steps, and control sets.
//!
//! ```text
//! ask .. ask        the backend answers; a device may be behind it
//! settle            from now on the host is asked
//! ask .. ask        the host answers
//! provenance        who found the basins, who made the numbers, and why it was not who was asked
//! ```
//!
//! A backend that answers in double precision on the host is used to the end.

use crate::backend::search::{Ascent, Drawn, Ends};
use crate::backend::{Backend, Cpu, Fallback, Job, Provenance, Scores};
use crate::data::Points;
use crate::error::Result;
use crate::maximize::maximum::Maximum;

/// The phase of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// To find where the best points are: the backend answers.
    Find,
    /// To settle them: the host answers in double precision.
    Settle,
}

impl Phase {
    /// The backend that answers.
    pub fn asked(self, backend: &dyn Backend) -> &dyn Backend {
        match self {
            Self::Find => backend,
            Self::Settle => &Cpu,
        }
    }
}

/// The backend that a search asks, and the device that answered.
pub(crate) struct TwoPhase<'a> {
    phase: Phase,
    /// The caller's backend.
    backend: &'a dyn Backend,
    /// The last device that answered.
    device: Option<Provenance>,
    /// Why the host answered in place of a device.
    fallback: Option<Fallback>,
    batches: usize,
    points: usize,
}

impl<'a> TwoPhase<'a> {
    /// Begins a search.
    pub fn new(backend: &'a dyn Backend) -> Self {
        Self { phase: Phase::Find, backend, device: None, fallback: None, batches: 0, points: 0 }
    }

    /// Begins a continuation of a search. A device that found the basins of that search counts as
    /// having answered.
    pub fn after(backend: &'a dyn Backend, search: &Maximum) -> Self {
        let device = Some(&search.basins).filter(|basins| !basins.is_host_double()).cloned();
        Self { device, fallback: search.provenance.fallback, ..Self::new(backend) }
    }

    /// Scores points. Returns whether the scores are settled: made in double precision on the
    /// host.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn ask(&mut self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<bool> {
        self.count(points);
        self.phase.asked(self.backend).evaluate(job, points, scores)?;
        let made = &scores.provenance;
        let settled = made.is_host_double();
        if settled {
            self.fallback = self.fallback.or(made.fallback);
        } else {
            self.found_by(&scores.provenance);
        }
        Ok(settled)
    }

    /// Has the backend score points that it makes itself. Returns false if it does not.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn ask_drawn(
        &mut self,
        job: &Job<'_>,
        drawn: &Drawn<'_>,
        scores: &mut Scores,
    ) -> Result<bool> {
        if self.phase == Phase::Settle || !self.backend.scan(job, drawn, scores)? {
            return Ok(false);
        }
        self.batches += 1;
        self.points += drawn.rows.len();
        self.found_by(&scores.provenance);
        Ok(true)
    }

    /// Has the backend climb by itself. `None` if it does not.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn ask_climbs(&mut self, job: &Job<'_>, ascent: &Ascent<'_>) -> Result<Option<Ends>> {
        if self.phase == Phase::Settle {
            return Ok(None);
        }
        let Some(ends) = self.backend.climb(job, ascent)? else { return Ok(None) };
        self.batches += ends.rounds;
        self.points += ends.evaluations;
        self.found_by(&ends.provenance);
        Ok(Some(ends))
    }

    fn found_by(&mut self, made: &Provenance) {
        if self.device.as_ref() != Some(made) {
            self.device = Some(made.clone());
        }
    }

    /// Scores points in double precision on the host. If a device answers, `shortlist` selects
    /// points from its scores, and the host scores these. Returns the points to which the scores
    /// belong.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn ask_settled(
        &mut self,
        job: &Job<'_>,
        points: Points,
        scores: &mut Scores,
        shortlist: impl FnOnce(Points, &Scores) -> Points,
    ) -> Result<Points> {
        if self.ask(job, &points, scores)? {
            return Ok(points);
        }
        let points = shortlist(points, scores);
        self.ask_host(job, &points, scores)?;
        Ok(points)
    }

    /// Scores points in double precision on the host, whatever backend is in use.
    ///
    /// # Errors
    /// Those of a known cost.
    pub fn ask_host(&mut self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        self.count(points);
        Phase::Settle.asked(self.backend).evaluate(job, points, scores)
    }

    fn count(&mut self, points: &Points) {
        self.batches += 1;
        self.points += points.len();
    }

    /// The number of batches so far, and of points in them.
    pub fn asked(&self) -> (usize, usize) {
        (self.batches, self.points)
    }

    /// Whether a device has answered.
    pub fn has_device(&self) -> bool {
        self.device.is_some()
    }

    /// Uses the host from now on.
    pub fn settle(&mut self) {
        self.phase = Phase::Settle;
    }

    /// The finder of the basins, and the maker of the numbers: the host, as given in `settled`.
    /// Adds the reason if the host had to answer in place of a device.
    pub fn provenance(self, settled: Provenance) -> (Provenance, Provenance) {
        let provenance = Provenance { fallback: self.fallback, ..settled };
        (self.device.unwrap_or_else(|| provenance.clone()), provenance)
    }
}
