//! One maximization under way: who is asked, who answered, whether the time is up.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::acquisition::{Acquisition, Joint};
use crate::backend::{Backend, Cpu, Fallback, Job, Provenance, Scores};
use crate::data::Points;
use crate::error::Result;
use crate::math::clock::{Deadline, Pace};
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
    deadline: Deadline,
    /// How many rows are scored between two looks at the clock if there is a deadline, and how many
    /// with gradients.
    scans: Pace,
    climbs: Pace,
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

/// Points of a scan between two looks at whether it was canceled.
const SCAN_CHUNK: usize = 8192;

/// Points that are scored before it is known how long one takes, and even if the time is up: a few
/// tiles.
pub(crate) const FIRST: usize = 32;

/// So many rows of a job: one of many points takes as long as these, and a knowledge gradient over
/// a set as some of them.
pub(crate) fn first_batch(job: &Job<'_>) -> usize {
    match job.acquisition {
        Acquisition::Joint(Joint::FiniteKnowledgeGradient { .. }) => FIRST / 8,
        acquisition => (FIRST / acquisition.points()).max(1),
    }
}

/// The share of the time of a scan that its hints take at most.
const HINTS: f64 = 0.6;

/// Before anything was climbed: a value with its gradient takes so many times as long as a value
/// alone.
const WITH_GRADIENT: f64 = 4.0;

/// Places that a device found and the host climbs on from: its 16 best hold the highest peak unless
/// 16 others look higher in the digits that the device gets right, and a round of 16 takes the host
/// hardly more time than one of a single climb.
const PLACES: usize = 16;

/// Climbs from whose ends the lines along the axes are searched, and how often at most.
const LINES: usize = 8;
const SWEEPS: usize = 16;

/// Climbs that are carried on with tighter tolerances.
const POLISHED: usize = 4;

impl<'a> Run<'a> {
    pub fn new(settings: &'a Maximize, backend: &'a dyn Backend, job: &Job<'a>) -> Self {
        let job = Job { keep: None, ..*job };
        let first = first_batch(&job);
        Self {
            settings,
            backend,
            job,
            scores: Scores::default(),
            device: None,
            fallback: None,
            ended: Ended::Finished,
            deadline: settings.deadline.into(),
            scans: Pace::new(first),
            climbs: Pace::new(first),
        }
    }

    /// When it is to end.
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Who answered last.
    pub fn made_by(&self) -> &Provenance {
        &self.scores.provenance
    }

    /// Scores points, chunk by chunk where something could interrupt; the points not reached then
    /// are left out, but never the first chunk.
    pub fn scan(&mut self, points: &Points) -> Result<Vec<f64>> {
        if self.in_one(points.len()) {
            if points.is_empty() {
                return Ok(Vec::new());
            }
            self.evaluate(points, false)?;
            return Ok(self.scores.value.clone());
        }
        Ok(self.scan_made(points.len(), self.deadline, true, |rows| points.select(rows))?.1)
    }

    /// Scores so many points that are made as they are wanted, and returns them with their values.
    /// At a deadline, the whole's or an earlier one, those not reached are left out; with
    /// `at_least_some` never the first chunk.
    pub fn scan_made(
        &mut self,
        count: usize,
        until: Deadline,
        at_least_some: bool,
        mut make: impl FnMut(Range<usize>) -> Points,
    ) -> Result<(Points, Vec<f64>)> {
        if self.in_one(count) {
            let points = make(0..count);
            let values = self.scan(&points)?;
            return Ok((points, values));
        }
        let (mut points, mut values) = (make(0..0), Vec::new());
        while values.len() < count {
            let needed = at_least_some && values.is_empty();
            let room = match until.left() {
                None => SCAN_CHUNK,
                Some(left) if needed => self.scans.next(left).max(first_batch(&self.job)),
                Some(left) => self.scans.next(left),
            };
            if room == 0 || (!needed && self.interrupted()) {
                break;
            }
            let chunk = make(values.len()..count.min(values.len().saturating_add(room)));
            self.evaluate(&chunk, false)?;
            values.extend_from_slice(&self.scores.value);
            points.extend(&chunk);
        }
        Ok((points, values))
    }

    /// Scores hints, then as many other points as there is time for until a moment; returns them in
    /// the order that the choice of starts expects, the hints last, and how many of these there
    /// are.
    pub fn scan_hints_first(
        &mut self,
        hints: &Points,
        (count, until): (usize, Deadline),
        make: impl FnMut(Range<usize>) -> Points,
    ) -> Result<(Points, Vec<f64>, usize)> {
        let share = if count > 0 { HINTS } else { 1.0 };
        let (hints, of_hints) =
            self.scan_made(hints.len(), until.part(share), true, |rows| hints.select(rows))?;
        let (mut points, mut values) = self.scan_made(count, until, of_hints.is_empty(), make)?;
        points.extend(&hints);
        values.extend_from_slice(&of_hints);
        Ok((points, values, of_hints.len()))
    }

    /// Whether nothing could interrupt a scan of so many points.
    fn in_one(&self, count: usize) -> bool {
        count == 0
            || (!self.deadline.is_set() && (count <= SCAN_CHUNK || self.settings.cancel.is_none()))
    }

    /// How many rows may be climbed from until the next look at the clock.
    fn room(&self) -> usize {
        self.deadline.left().map_or(usize::MAX, |left| self.climbs.next(left))
    }

    /// So many starts at most, of whose climbs there may be time for some tens of evaluations each.
    pub fn starts(&self, most: usize) -> usize {
        const EVALUATIONS: f64 = 10.0;
        let affordable = |left: f64| {
            (left / (EVALUATIONS * WITH_GRADIENT * self.scans.each().unwrap_or(0.0))) as usize
        };
        // Where rows are single points, a start costs nothing but its memory.
        self.deadline
            .left()
            .map_or(most, |left| most.min(affordable(left).max(first_batch(&self.job))))
    }

    /// Climbs until all have ended, or until the host answers what a device began.
    pub fn climb(&mut self, climbs: &mut Climbs) -> Result<()> {
        while self.ended == Ended::Finished {
            let room = self.room();
            if !climbs.gather(room.max(1)) || self.interrupted() {
                break;
            }
            if room == 0 {
                // Not even one climb fits.
                self.ended = Ended::Deadline;
                break;
            }
            self.evaluate(climbs.batch(), true)?;
            let taken_over =
                self.device.is_some() && self.made_by().is_host_double() && !climbs.handed_over;
            if climbs.rounds == 0 {
                // Nothing but the scan was the device's, so that this answer is the first of the
                // host's climbs.
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

    /// If a device answered, the host takes over. The best places are scored by the host even when
    /// the time is up.
    pub fn settle(&mut self, climbs: &mut Climbs) -> Result<()> {
        if self.device.is_none() {
            return Ok(());
        }
        self.backend = &Cpu;
        if climbs.handed_over {
            return Ok(());
        }
        climbs.hand_over(self.places(), self.ended == Ended::Finished)?;
        // What is known is how fast the device was.
        self.climbs = Pace::new(self.places());
        if climbs.gather(if self.deadline.is_set() { self.places() } else { usize::MAX }) {
            self.evaluate(climbs.batch(), true)?;
            climbs.advance(&mut self.scores);
        }
        self.climb(climbs)
    }

    /// Scores the lines along the axes through where the best climbs ended, and climbs on from what
    /// is better there, until nothing is.
    pub fn search_lines(&mut self, climbs: &mut Climbs) -> Result<()> {
        for _ in 0..SWEEPS {
            if self.ended != Ended::Finished {
                break;
            }
            let (points, owners) = climbs.lines(LINES);
            let (points, values) =
                self.scan_made(points.len(), self.deadline, false, |rows| points.select(rows))?;
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
        let began = self.deadline.is_set().then(Instant::now);
        self.backend.evaluate(&Job { gradient, ..self.job }, points, &mut self.scores)?;
        if let Some(began) = began {
            let seconds = began.elapsed().as_secs_f64();
            if gradient {
                self.climbs.took(points.len(), seconds);
            } else {
                self.scans.took(points.len(), seconds);
                if self.climbs.each().is_none() {
                    self.climbs.took(points.len(), WITH_GRADIENT * seconds);
                }
            }
        }
        let made = &self.scores.provenance;
        if made.is_host_double() {
            self.fallback = self.fallback.or(made.fallback);
        } else if self.device.as_ref() != Some(made) {
            self.device = Some(made.clone());
        }
        Ok(())
    }

    fn places(&self) -> usize {
        let most = PLACES.min(self.settings.starts.max(1));
        // The host scores them even when the time is up: rows of many points one by one.
        if self.deadline.is_set() { most.min(first_batch(&self.job)) } else { most }
    }

    /// Whether it is time to end; it is noted why.
    fn interrupted(&mut self) -> bool {
        if self.settings.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            self.ended = Ended::Canceled;
        } else if self.deadline.is_past() {
            self.ended = Ended::Deadline;
        }
        self.ended != Ended::Finished
    }
}
