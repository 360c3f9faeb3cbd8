//! One maximization: a scan, climbs, lines along the axes, and a last ascent.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::acquisition::StartWeights;
use crate::backend::{Backend, Job, Provenance, Scores};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::{Deadline, Pace};
use crate::math::sobol::Sobol;
use crate::maximize::climb::Climbs;
use crate::maximize::maximum::{Ended, Maximum};
use crate::maximize::pace::first_batch;
use crate::maximize::settings::Maximize;
use crate::maximize::starts;
use crate::maximize::two_phase::TwoPhase;

/// The share of the time left that a scan takes at most.
pub(super) const SCAN: f64 = 0.5;

/// Before anything was climbed: a value with its gradient takes this many times as long as a value
/// alone.
const WITH_GRADIENT: f64 = 4.0;

/// Places that a device found and the host climbs on from. The 16 best hold the highest peak unless
/// 16 others look higher in the digits that the device gets right, and a round of 16 takes the host
/// hardly more time than one of a single climb.
const PLACES: usize = 16;

/// Climbs from whose ends the lines along the axes are searched, and how often at most.
const LINES: usize = 8;
const SWEEPS: usize = 16;

/// Climbs that are carried on with tighter tolerances.
const POLISHED: usize = 4;

impl Maximize {
    /// Searches the unit cube.
    ///
    /// `hints` (`h x d`, possibly none) are always scored, and the best of them always start: the
    /// incumbent and its neighborhood, in which an acquisition late in a run has its narrowest
    /// peaks. A [plain](Self::plain) search leaves them out. If an acquisition scores several
    /// [points](crate::Acquisition::points) together, rows of them are searched, and hints and
    /// results are such rows; [`knowledge_gradient`](Self::knowledge_gradient) and
    /// [`lookahead`](Self::lookahead) know better starts for these.
    ///
    /// # Errors
    /// What the backend reports; [`ErrorKind::Empty`] if there is nothing to score.
    pub fn run(&self, backend: &dyn Backend, job: &Job<'_>, hints: &Points) -> Result<Maximum> {
        let dim = job.posterior.dim() * job.acquisition.points();
        if !hints.is_empty() && hints.dim() != dim {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("hints of {} coordinates where {dim} are searched", hints.dim()),
            ));
        }
        let (none, sobol) = (Points::new(dim), Sobol::new(dim, self.seed));
        let hints = if self.plain { &none } else { hints };
        if self.raw == 0 && hints.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "no point to score: neither raw points nor hints",
            ));
        }
        let mut run = Run::new(self, backend, job);
        let until = run.deadline().part(SCAN);
        let (points, values, hints) = if until.is_set() {
            run.scan_hints_first(hints, (self.raw, until), |rows| {
                sobol.points(rows.start, rows.len())
            })?
        } else {
            let mut points = sobol.points(0, self.raw);
            points.extend(hints);
            let values = run.scan(&points)?;
            let hints = values.len().saturating_sub(self.raw);
            (points, values, hints)
        };
        self.climb(run, job, &points, &values, hints, job.acquisition.facts().starts)
    }

    /// Climbs from some of the points, of which the first `values.len()` were scored and the last
    /// `hints` of these are hints.
    pub(super) fn climb(
        &self,
        mut run: Run<'_>,
        job: &Job<'_>,
        points: &Points,
        values: &[f64],
        hints: usize,
        weights: StartWeights,
    ) -> Result<Maximum> {
        let dim = points.dim();
        let together = job.acquisition.points();
        let chosen =
            starts::choose(values, hints, run.starts(self.starts.max(1)), weights, self.seed);
        let planned = job.acquisition.plan().is_some();
        let mut climbs =
            Climbs::new(points, &chosen, values, self.max_iterations, planned, run.made_by())?;
        run.climb(&mut climbs)?;
        run.settle(&mut climbs)?;
        let converged_starts = climbs.converged();
        // The points of a row move together; one coordinate of one of them leads nowhere.
        if together == 1 && !self.plain {
            run.search_lines(&mut climbs)?;
        }
        // A backend may have left all to the host until there came a batch that was large enough.
        run.settle(&mut climbs)?;
        if !planned {
            run.polish(&mut climbs)?;
            run.settle(&mut climbs)?;
        }
        let (finalists, finalist_values) = climbs.ranked();
        let mut best = Points::new(dim);
        best.push(finalists.row(0));
        let found = Maximum {
            rounds: climbs.rounds,
            evaluations: values.len() + climbs.evaluations + 1,
            starts: chosen.len(),
            converged_starts,
            finalists,
            finalist_values,
            ..run.end(&best)?
        };
        Ok(found)
    }
}

/// One maximization under way: who is asked, who answered, whether the time is up.
pub(super) struct Run<'a> {
    settings: &'a Maximize,
    phases: TwoPhase<'a>,
    pub(super) job: Job<'a>,
    pub(super) scores: Scores,
    ended: Ended,
    pub(super) deadline: Deadline,
    /// How many rows are scored between two looks at the clock if there is a deadline, and how many
    /// with gradients.
    pub(super) scans: Pace,
    climbs: Pace,
}

impl<'a> Run<'a> {
    pub fn new(settings: &'a Maximize, backend: &'a dyn Backend, job: &Job<'a>) -> Self {
        let job = Job { keep: None, ..*job };
        let first = first_batch(&job);
        Self {
            settings,
            phases: TwoPhase::new(backend),
            job,
            scores: Scores::default(),
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

    /// The device or host that answered last.
    fn made_by(&self) -> &Provenance {
        &self.scores.provenance
    }

    /// Whether nothing can interrupt a scan of `count` points that takes at most `chunk` of them at
    /// a time.
    pub(super) fn is_in_one(&self, count: usize, chunk: usize) -> bool {
        count == 0
            || (!self.deadline.is_set() && (count <= chunk || self.settings.cancel.is_none()))
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
                self.phases.has_device() && self.made_by().is_host_double() && !climbs.handed_over;
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

    /// If a device answered, the host takes over. It scores the best places even if the time is up.
    fn settle(&mut self, climbs: &mut Climbs) -> Result<()> {
        if !self.phases.has_device() {
            return Ok(());
        }
        self.phases.settle();
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

    /// Scores the best point once more, alone. What the climbs know stays to be filled in.
    fn end(mut self, best: &Points) -> Result<Maximum> {
        self.evaluate(best, false)?;
        if !self.made_by().is_host_double() {
            self.phases.ask_host(&Job { gradient: false, ..self.job }, best, &mut self.scores)?;
        }
        let Scores { value, mean, variance, provenance, .. } = self.scores;
        let numbers = [value[0], mean[0], variance[0]];
        let made = self.phases.provenance(provenance);
        Ok(Maximum { ended: self.ended, ..Maximum::at(best.row(0).to_vec(), numbers, made) })
    }

    /// Scores points, and learns how long one takes.
    pub(super) fn evaluate(&mut self, points: &Points, gradient: bool) -> Result<()> {
        let began = self.deadline.is_set().then(Instant::now);
        self.phases.ask(&Job { gradient, ..self.job }, points, &mut self.scores)?;
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
        Ok(())
    }

    fn places(&self) -> usize {
        let most = PLACES.min(self.settings.starts.max(1));
        // The host scores them even when the time is up: rows of many points one by one.
        if self.deadline.is_set() { most.min(first_batch(&self.job)) } else { most }
    }

    /// Whether it is time to end; it is noted why.
    pub(super) fn interrupted(&mut self) -> bool {
        if self.settings.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            self.ended = Ended::Canceled;
        } else if self.deadline.is_past() {
            self.ended = Ended::Deadline;
        }
        self.ended != Ended::Finished
    }
}
