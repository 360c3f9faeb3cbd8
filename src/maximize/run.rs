//! One maximization under way: who is asked, who answered, whether the time is up.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::backend::{Backend, Cpu, Fallback, Job, Provenance, Scores};
use crate::data::Points;
use crate::error::Result;
use crate::maximize::climb::Climbs;
use crate::maximize::{Ended, Maximize};

/// One maximization under way.
pub(super) struct Run<'a> {
    settings: &'a Maximize,
    /// Who is asked: the caller's backend until the host has taken over.
    backend: &'a dyn Backend,
    job: Job<'a>,
    scores: Scores,
    /// The last who answered otherwise than in double precision on the host.
    device: Option<Provenance>,
    /// Why the host answered in place of a device.
    fallback: Option<Fallback>,
    ended: Ended,
}

/// What is known of the best point in the end.
pub(super) struct End {
    pub value: f64,
    pub mean: f64,
    pub variance: f64,
    pub ended: Ended,
    pub basins: Provenance,
    pub provenance: Provenance,
}

/// Points of a scan that are scored between two looks at the clock.
const SCAN_CHUNK: usize = 8192;

/// Places that a device found and the host climbs on from: its 16 best hold the highest peak unless 16 others look higher in the digits that the
/// device gets right, and a round of 16 takes the host hardly more time than one of a single climb.
const PLACES: usize = 16;

/// Climbs from whose ends the lines along the axes are searched, and how often at most.
const LINES: usize = 8;
const SWEEPS: usize = 16;

/// Climbs that are carried on with tighter tolerances.
const POLISHED: usize = 4;

impl<'a> Run<'a> {
    pub fn new(settings: &'a Maximize, backend: &'a dyn Backend, job: &Job<'a>) -> Self {
        let job = Job { keep: None, ..*job };
        Self { settings, backend, job, scores: Scores::default(), device: None, fallback: None, ended: Ended::Finished }
    }

    /// Who answered last.
    pub fn made_by(&self) -> &Provenance {
        &self.scores.provenance
    }

    /// Scores points, chunk by chunk where something could interrupt; the points not reached then are left out, but never the first chunk.
    pub fn scan(&mut self, points: &Points) -> Result<Vec<f64>> {
        let Maximize { deadline, cancel, .. } = self.settings;
        if points.is_empty() {
            return Ok(Vec::new());
        }
        if points.len() <= SCAN_CHUNK || (deadline.is_none() && cancel.is_none()) {
            self.evaluate(points, false)?;
            return Ok(self.scores.value.clone());
        }
        let mut values = Vec::with_capacity(points.len());
        let mut chunk = Points::with_capacity(points.dim(), SCAN_CHUNK);
        while values.len() < points.len() && (values.is_empty() || !self.interrupted()) {
            chunk.clear();
            points.rows().skip(values.len()).take(SCAN_CHUNK).for_each(|row| chunk.push(row));
            self.evaluate(&chunk, false)?;
            values.extend_from_slice(&self.scores.value);
        }
        Ok(values)
    }

    /// Climbs until all have ended, or until the host answers what a device began.
    pub fn climb(&mut self, climbs: &mut Climbs) -> Result<()> {
        while self.ended == Ended::Finished && climbs.gather() && !self.interrupted() {
            self.evaluate(climbs.batch(), true)?;
            let taken_over = self.device.is_some() && self.made_by().is_host_double() && !climbs.handed_over;
            if climbs.rounds == 0 {
                // Nothing but the scan was the device's, so that this answer is the first of the host's climbs.
                if taken_over {
                    climbs.hand_over(self.places(), true)?;
                }
                climbs.suit(self.made_by())?;
            } else if taken_over {
                // The answer is for the middle of a line whose other values are the device's.
                climbs.count_round();
                return Ok(());
            }
            climbs.advance(&mut self.scores);
        }
        Ok(())
    }

    /// If a device answered, the host takes over. The best places are scored by the host even when the time is up.
    pub fn settle(&mut self, climbs: &mut Climbs) -> Result<()> {
        if self.device.is_none() {
            return Ok(());
        }
        self.backend = &Cpu;
        if climbs.handed_over {
            return Ok(());
        }
        climbs.hand_over(self.places(), self.ended == Ended::Finished)?;
        if climbs.gather() {
            self.evaluate(climbs.batch(), true)?;
            climbs.advance(&mut self.scores);
        }
        self.climb(climbs)
    }

    /// Scores the lines along the axes through where the best climbs ended, and climbs on from what is better there, until nothing is.
    pub fn search_lines(&mut self, climbs: &mut Climbs) -> Result<()> {
        for _ in 0..SWEEPS {
            if self.ended != Ended::Finished {
                break;
            }
            let (points, owners) = climbs.lines(LINES);
            let values = self.scan(&points)?;
            if !climbs.jump(&points, &owners, &values)? {
                break;
            }
            self.climb(climbs)?;
        }
        Ok(())
    }

    /// Carries the best climbs on with tight tolerances.
    pub fn polish(&mut self, climbs: &mut Climbs) -> Result<()> {
        if self.ended == Ended::Finished {
            climbs.polish(POLISHED)?;
        }
        self.climb(climbs)
    }

    /// Scores the best point once more, alone.
    pub fn end(mut self, best: &Points) -> Result<End> {
        self.evaluate(best, false)?;
        if !self.made_by().is_host_double() {
            self.backend = &Cpu;
            self.evaluate(best, false)?;
        }
        let Scores { value, mean, variance, provenance, .. } = self.scores;
        let provenance = Provenance { fallback: self.fallback, ..provenance };
        Ok(End {
            value: value[0],
            mean: mean[0],
            variance: variance[0],
            ended: self.ended,
            basins: self.device.unwrap_or_else(|| provenance.clone()),
            provenance,
        })
    }

    fn evaluate(&mut self, points: &Points, gradient: bool) -> Result<()> {
        self.backend.evaluate(&Job { gradient, ..self.job }, points, &mut self.scores)?;
        let made = &self.scores.provenance;
        if made.is_host_double() {
            self.fallback = self.fallback.or(made.fallback);
        } else if self.device.as_ref() != Some(made) {
            self.device = Some(made.clone());
        }
        Ok(())
    }

    fn places(&self) -> usize {
        PLACES.min(self.settings.starts.max(1))
    }

    /// Whether it is time to end; it is noted why.
    fn interrupted(&mut self) -> bool {
        let Maximize { deadline, cancel, .. } = self.settings;
        if cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            self.ended = Ended::Canceled;
        } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.ended = Ended::Deadline;
        }
        self.ended != Ended::Finished
    }
}
