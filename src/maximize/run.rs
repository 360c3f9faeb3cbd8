//! One maximization: a scan, climbs, lines along the axes and a last ascent.

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::acquisition::StartWeights;
use crate::backend::search::{Drawn, Ends};
use crate::backend::{Backend, Job, Provenance, Scores};
use crate::data::{Points, Space};
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::{Deadline, Pace};
use crate::maximize::climb::Climbs;
use crate::maximize::maximum::{Ended, Maximum};
use crate::maximize::pace::first_batch;
use crate::maximize::scale::Scale;
use crate::maximize::scanned::Scanned;
use crate::maximize::settings::Maximize;
use crate::maximize::starts;
use crate::maximize::two_phase::TwoPhase;

/// The largest share of the remaining time that a scan takes.
pub(super) const SCAN: f64 = 0.5;

/// How many times as long a value with its gradient takes as a value alone. Used before the first
/// climb.
const WITH_GRADIENT: f64 = 4.0;

/// The number of places that a device found and from which the host climbs on. The highest peak is
/// among the 16 best unless 16 others look higher in the digits that the device gets right. A round
/// of 16 takes the host hardly more time than a round of one.
const PLACES: usize = 16;

/// The largest number of climbs whose lines along the axes are searched, and the largest number of
/// such searches.
const LINES: usize = 8;
const SWEEPS: usize = 16;

/// The largest number of changes of one parameter, one after another, in a mixed space.
const CHANGES: usize = 100;

/// Seconds that a backend may climb by itself before it looks whether the search is over, with a
/// deadline and without one.
const LOOK: f64 = 0.005;
const PATIENCE: f64 = 0.05;

/// The number of climbs that go on with tighter tolerances.
const POLISHED: usize = 4;

impl Maximize {
    /// Searches the unit cube, or the space.
    ///
    /// `hints` (`h x d`, possibly none) are always scored, and the best of them always start a
    /// climb. They are the incumbent and its neighborhood, where an acquisition has its narrowest
    /// peaks late in a run. A [plain](Self::plain) search ignores them.
    ///
    /// If an acquisition scores several [points](crate::Acquisition::points) together, the search
    /// moves rows of points, and hints and results are such rows.
    /// [`knowledge_gradient`](Self::knowledge_gradient) and [`lookahead`](Self::lookahead) have
    /// better starts for such rows.
    ///
    /// # Errors
    /// Those of the backend. [`ErrorKind::Empty`] if there is nothing to score.
    pub fn run(&self, backend: &dyn Backend, job: &Job<'_>, hints: &Points) -> Result<Maximum> {
        let dim = job.posterior.dim() * job.acquisition.points();
        if !hints.is_empty() && hints.dim() != dim {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("hints of {} coordinates where {dim} are searched", hints.dim()),
            ));
        }
        self.check_space(job.posterior.dim())?;
        let none = Points::new(dim);
        let raw = self.sequence(dim, self.seed);
        let hints = if self.plain { &none } else { hints };
        let hints = &*self.clamped(hints);
        if self.raw == 0 && hints.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "no point to score: neither raw points nor hints",
            ));
        }
        let mut run = Run::new(self, backend, job);
        let until = run.deadline().part(SCAN);
        let scanned = if until.is_set() {
            run.scan_hints_first(hints, self.raw, until, |rows| raw.points(rows))?
        } else {
            run.scan_with_hints(raw, self.raw, hints)?
        };
        self.climb(run, job, &scanned, job.acquisition.facts().starts)
    }

    /// Climbs from some of these points alone, without raw points and without lines.
    ///
    /// # Errors
    /// Those of the backend. [`ErrorKind::Empty`] if there is no point.
    pub(crate) fn refine(
        &self,
        backend: &dyn Backend,
        job: &Job<'_>,
        points: &Points,
    ) -> Result<Maximum> {
        if points.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "no point to climb from"));
        }
        let plain = Self { plain: true, ..self.clone() };
        let mut run = Run::new(&plain, backend, job);
        let values = run.scan(points)?;
        let hints = values.len();
        let scanned = Scanned::of(Cow::Borrowed(points), values, hints);
        plain.climb(run, job, &scanned, job.acquisition.facts().starts)
    }

    /// Climbs from some of the points that were scored.
    pub(super) fn climb(
        &self,
        mut run: Run<'_>,
        job: &Job<'_>,
        scanned: &Scanned<'_>,
        weights: StartWeights,
    ) -> Result<Maximum> {
        let (dim, values) = (scanned.dim(), &scanned.values);
        let together = job.acquisition.points();
        let scale = Scale::of(job, values);
        let chosen = starts::choose(
            &scale.seen(values),
            scanned.hints,
            run.starts(self.starts.max(1)),
            weights,
            self.seed,
        );
        let starts = scanned.select(&chosen);
        let mut climbs = Climbs::new(dim, self, scale, run.made_by());
        if let Some(ends) = run.climb_by_itself(&climbs, &starts)? {
            climbs.take(&ends)?;
        } else {
            for (start, &row) in starts.rows().zip(&chosen) {
                climbs.start(start, values[row])?;
            }
            run.climb(&mut climbs)?;
        }
        run.settle(&mut climbs)?;
        let converged_starts = climbs.converged();
        // The points of a row move together. Moving one coordinate of one point improves nothing.
        if together == 1 && !self.plain {
            match &self.space {
                Some(space) => run.search_neighbors(space, &mut climbs)?,
                None => run.search_lines(&mut climbs)?,
            }
        }
        // The backend may have used the host until a batch was large enough for the device.
        run.settle(&mut climbs)?;
        if !scale.planned {
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

impl Maximize {
    /// Why it is time to end, if it is.
    fn is_over(&self, deadline: Deadline) -> Option<Ended> {
        if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            Some(Ended::Canceled)
        } else {
            deadline.is_past().then_some(Ended::Deadline)
        }
    }
}

/// One maximization in progress: what is asked, what answered, whether the time is up.
pub(super) struct Run<'a> {
    settings: &'a Maximize,
    phases: TwoPhase<'a>,
    pub(super) job: Job<'a>,
    pub(super) scores: Scores,
    ended: Ended,
    pub(super) deadline: Deadline,
    /// If there is a deadline: how many rows are scored between two checks of the clock, and how
    /// many rows with gradients.
    pub(super) scans: Pace,
    climbs: Pace,
}

impl<'a> Run<'a> {
    pub fn new(settings: &'a Maximize, backend: &'a dyn Backend, job: &Job<'a>) -> Self {
        let job = job.keep(None);
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

    /// When the search must end.
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// The device or host that answered last.
    fn made_by(&self) -> &Provenance {
        &self.scores.provenance
    }

    /// Whether a scan of `count` points runs without interruption, in chunks of at most `chunk`
    /// points.
    pub(super) fn is_in_one(&self, count: usize, chunk: usize) -> bool {
        count == 0
            || (!self.deadline.is_set() && (count <= chunk || self.settings.cancel.is_none()))
    }

    /// How many rows may climb until the next check of the clock.
    fn room(&self) -> usize {
        self.deadline.left().map_or(usize::MAX, |left| self.climbs.next(left))
    }

    /// The number of starts, at most `most`, for which the time allows some tens of evaluations
    /// each.
    pub fn starts(&self, most: usize) -> usize {
        const EVALUATIONS: f64 = 10.0;
        let affordable = |left: f64| {
            (left / (EVALUATIONS * WITH_GRADIENT * self.scans.each().unwrap_or(0.0))) as usize
        };
        // If rows are single points, a start costs only memory.
        self.deadline
            .left()
            .map_or(most, |left| most.min(affordable(left).max(first_batch(&self.job))))
    }

    /// Climbs until all climbs have ended, or until the host answers after a device began.
    pub fn climb(&mut self, climbs: &mut Climbs) -> Result<()> {
        while self.ended == Ended::Finished {
            let room = self.room();
            if !climbs.gather(room.max(1)) || self.interrupted() {
                break;
            }
            if room == 0 {
                // There is no time for even one climb.
                self.ended = Ended::Deadline;
                break;
            }
            self.evaluate(climbs.batch(), true)?;
            let taken_over =
                self.phases.has_device() && self.made_by().is_host_double() && !climbs.handed_over;
            if climbs.rounds == 0 {
                // Only the scan came from the device, so this answer is the first of the host's
                // climbs.
                if taken_over {
                    climbs.hand_over(self.places(), true)?;
                }
                climbs.suit(self.made_by())?;
            } else if taken_over {
                // The answer is for the middle of a line whose other values come from the device.
                climbs.count_round();
                return Ok(());
            }
            climbs.advance(&mut self.scores);
        }
        Ok(())
    }

    /// Has the backend score points that it makes itself. Returns false if it does not.
    pub(super) fn ask_drawn(&mut self, drawn: &Drawn<'_>) -> Result<bool> {
        self.phases.ask_drawn(&self.job.gradient(false), drawn, &mut self.scores)
    }

    /// Has the backend climb by itself. `None` if it does not.
    fn climb_by_itself(&mut self, climbs: &Climbs, starts: &Points) -> Result<Option<Ends>> {
        if self.interrupted() {
            return Ok(None);
        }
        let Some(sides) = climbs.sides(starts) else { return Ok(None) };
        let patience = match self.deadline.left() {
            Some(left) => LOOK.min(left / 20.0),
            None => PATIENCE,
        };
        let (settings, deadline) = (self.settings, self.deadline);
        let is_over = || settings.is_over(deadline).is_some();
        let ascent = climbs.ascent(starts, &sides, patience, &is_over);
        let ends = self.phases.ask_climbs(&self.job.gradient(true), &ascent)?;
        self.interrupted();
        Ok(ends)
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
        // Only the pace of the device is known.
        self.climbs = Pace::new(self.places());
        if climbs.gather(if self.deadline.is_set() { self.places() } else { usize::MAX }) {
            self.evaluate(climbs.batch(), true)?;
            climbs.advance(&mut self.scores);
        }
        self.climb(climbs)
    }

    /// Scores the lines along the axes through the ends of the best climbs, and climbs on from
    /// better points there. Repeats this until there are none.
    pub fn search_lines(&mut self, climbs: &mut Climbs) -> Result<()> {
        self.search_beside(climbs, SWEEPS, |climbs| climbs.lines(LINES))
    }

    /// Scores the neighbors of the ends in a mixed space, and climbs on from better points there.
    pub fn search_neighbors(&mut self, space: &Space, climbs: &mut Climbs) -> Result<()> {
        let seed = self.settings.seed;
        self.search_beside(climbs, CHANGES, |climbs| climbs.neighbors(space, LINES, seed))
    }

    /// Scores points beside the ends of climbs, and climbs on from the better ones, while there are
    /// some, and at most `times` times.
    fn search_beside(
        &mut self,
        climbs: &mut Climbs,
        times: usize,
        mut beside: impl FnMut(&mut Climbs) -> (Points, Vec<usize>),
    ) -> Result<()> {
        for _ in 0..times {
            if self.ended != Ended::Finished {
                break;
            }
            let (points, owners) = beside(climbs);
            let (points, values) =
                self.scan_made(points.len(), self.deadline, false, |rows| points.select(rows))?;
            if !climbs.jump(&points, &owners, &values)? {
                break;
            }
            self.climb(climbs)?;
        }
        Ok(())
    }

    /// Continues the best climbs with tight tolerances.
    pub fn polish(&mut self, climbs: &mut Climbs) -> Result<()> {
        if self.ended == Ended::Finished {
            climbs.polish(POLISHED)?;
        }
        self.climb(climbs)
    }

    /// Scores the best point once more, alone. The caller fills in the results of the climbs.
    fn end(mut self, best: &Points) -> Result<Maximum> {
        self.evaluate(best, false)?;
        if !self.made_by().is_host_double() {
            self.phases.ask_host(&self.job.gradient(false), best, &mut self.scores)?;
        }
        let Scores { value, mean, variance, provenance, .. } = self.scores;
        let numbers = [value[0], mean[0], variance[0]];
        let made = self.phases.provenance(provenance);
        Ok(Maximum { ended: self.ended, ..Maximum::at(best.row(0).to_vec(), numbers, made) })
    }

    /// Scores points, and measures the time per point.
    pub(super) fn evaluate(&mut self, points: &Points, gradient: bool) -> Result<()> {
        let began = self.deadline.is_set().then(Instant::now);
        self.phases.ask(&self.job.gradient(gradient), points, &mut self.scores)?;
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
        // The host scores them even if the time is up; rows of many points one by one.
        if self.deadline.is_set() { most.min(first_batch(&self.job)) } else { most }
    }

    /// Whether the search was told to end before.
    pub(super) fn is_over(&self) -> bool {
        self.ended != Ended::Finished
    }

    /// Whether it is time to end. Stores the reason.
    pub(super) fn interrupted(&mut self) -> bool {
        if let Some(ended) = self.settings.is_over(self.deadline) {
            self.ended = ended;
        }
        self.is_over()
    }
}
