//! The best point of an acquisition function: a quasi-random scan, then bounded quasi-Newton climbs
//! that move in step.
//!
//! Scrambled Sobol points and the caller's hints are scored in one batch; starts are chosen from
//! them; each start is a true L-BFGS-B state of its own ([`crate::math::lbfgsb`]), and each round
//! asks for the values and gradients of all that still move as one batch. A start that has
//! converged leaves the batch. From where the best few ended, the lines along the axes are then
//! scored, and a climb that finds a better place there jumps and goes on: in many dimensions the
//! peaks stand in corners of the cube that differ in one or two coordinates, and starts alone would
//! have to be ten times as many to meet the best of them. In the end the best climb on with tighter
//! tolerances.
//!
//! **Two phases.** Where the backend's numbers are not double precision made on the host, they are
//! for finding basins only: scan and climbs run on the backend, with tolerances that suit its
//! precision. Then the host takes over in double precision: the ends of the best climbs (16 places
//! at most) and the climbs that are still running are scored anew and climb on; lines, the last
//! ascent and everything reported are the host's. The device phase also ends as soon as the backend
//! answers from the host, because it lost its device or finds the few climbs that are left too
//! small for it. A backend that answers in double precision on the host throughout is asked to the
//! end.
//!
//! **With a deadline** the clock is looked at every 5 ms, or after a twentieth of what is left:
//! batches are as large as fits into that at the pace of those before. The scan takes up to half of
//! the time and scores the hints first; if a round of all climbs takes too long, the best few climb
//! first. What is done even when the time is up is the first batch of the scan, of 32 points or of
//! one row of points, and the best point once more.

mod climb;
mod knowledge_gradient;
mod lookahead;
mod run;
mod starts;
mod table;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::acquisition::{Acquisition, Joint, StartWeights};
use crate::backend::{Backend, Job, Provenance};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::sobol::Sobol;
use climb::Climbs;
use run::{End, Run};

pub(crate) use run::{FIRST, first_batch};
pub(crate) use table::SHORTLIST;
pub use table::{BestRow, argmax, argmax_until};

/// How hard to search.
///
/// ```
/// use gittins::{Acquisition, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Maximize, Points, Posterior};
/// let inputs = Points::from_rows(1, vec![0.1, 0.5, 0.9])?;
/// let hyperparameters = Hyperparameters { lengthscales: vec![0.3], outputscale: 1.0, noise: 1e-6, mean: 0.0 };
/// let posterior = Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &[0.2, 1.0, -0.3])?;
/// let (cost, acquisition) = (JobCost::Uniform(1.0), Acquisition::gittins(1e-3));
/// let job = Job { posterior: &posterior, cost, acquisition: &acquisition, incumbent: 1.0, gradient: true, noise: 0.0, keep: None };
/// let maximum = Maximize::new(1).seed(7).run(&Cpu, &job, &Points::new(1))?;
/// assert!(maximum.value > 1.0 && (0.3..0.7).contains(&maximum.point[0]));
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Maximize {
    /// Scrambled Sobol points scored in one batch.
    pub raw: usize,
    /// Starts chosen from them and from the hints.
    pub starts: usize,
    /// Iterations of each start at most.
    pub max_iterations: usize,
    /// Whether to climb from quasi-random points alone, without hints and without lines, as
    /// published experiments do: to compare with them. Such a search misses narrow peaks, those
    /// around the data first.
    pub plain: bool,
    /// The seed of the points and of the choice.
    pub seed: u64,
    /// The moment to stop at, with the best found so far.
    pub deadline: Option<Instant>,
    /// Set to true from outside to stop, with the best found so far.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// The share of the time left that a scan takes at most.
const SCAN: f64 = 0.5;

/// Why a maximization ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Every start converged or ran out of iterations.
    Finished,
    /// The deadline came.
    Deadline,
    /// It was canceled.
    Canceled,
}

/// The best point found.
#[derive(Debug, Clone)]
pub struct Maximum {
    /// Where, in the unit cube: a point, or all points of a row side by side.
    pub point: Vec<f64>,
    /// The acquisition value there.
    pub value: f64,
    /// The posterior mean there.
    pub mean: f64,
    /// The posterior variance there.
    pub variance: f64,
    /// Where climbs ended, best first and each place once: other local maxima, 256 at most, and
    /// where a device found the basins the 16 best of them and what the host climbed to from there.
    pub finalists: Points,
    /// The finalists' values, in double precision from the host.
    pub finalist_values: Vec<f64>,
    /// Batches after the scan, of both phases.
    pub rounds: usize,
    /// Points evaluated in all, by device and host, the scan included.
    pub evaluations: usize,
    /// Starts.
    pub starts: usize,
    /// Starts that met a tolerance: the device's, or for those that the host carried on the host's.
    pub converged_starts: usize,
    /// Why it ended.
    pub ended: Ended,
    /// Who found the basins: the same as below, unless it was a device.
    pub basins: Provenance,
    /// Who made the value reported, always in double precision on the host; with the reason, if the
    /// host had to take over from a device early.
    pub provenance: Provenance,
}

impl Maximize {
    /// The defaults in `dim` dimensions: `1024 + 32 d` points, `16 + d / 2` starts (48 at most),
    /// 100 iterations.
    pub fn new(dim: usize) -> Self {
        let starts = (16 + dim / 2).min(48);
        Self {
            raw: 1024 + 32 * dim,
            starts,
            max_iterations: 100,
            plain: false,
            seed: 0,
            deadline: None,
            cancel: None,
        }
    }

    /// Another seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Searches the unit cube. `hints` (`h x d`, possibly none) are always scored, and the best of
    /// them always start: the incumbent and its neighborhood, where an acquisition late in a run
    /// has its narrowest peaks; a [plain](Self::plain) search leaves them out. Where an acquisition
    /// scores several [points](crate::Acquisition::points) together, rows of them are searched, and
    /// hints and results are such rows; [`knowledge_gradient`](Self::knowledge_gradient) and
    /// [`lookahead`](Self::lookahead) know better where to start.
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
    fn climb(
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
        let planned =
            matches!(job.acquisition, Acquisition::Joint(Joint::MultiStepImprovement { .. }));
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
        let End { value, mean, variance, ended, basins, provenance } = run.end(&best)?;
        Ok(Maximum {
            point: finalists.row(0).to_vec(),
            value,
            mean,
            variance,
            rounds: climbs.rounds,
            evaluations: values.len() + climbs.evaluations + 1,
            starts: chosen.len(),
            converged_starts,
            ended,
            basins,
            provenance,
            finalists,
            finalist_values,
        })
    }
}

/// Starts among scored points of which the last `hints` are hints, as [`Maximize::run`] chooses
/// them for a score on an open scale.
pub(crate) fn chosen(scores: &[f64], hints: usize, count: usize, seed: u64) -> Vec<usize> {
    starts::choose(scores, hints, count, StartWeights::Standardized, seed)
}

/// A score for comparing: one that is no number loses against all.
pub(crate) fn orderable(score: f64) -> f64 {
    if score.is_nan() { f64::NEG_INFINITY } else { score }
}
