//! The best point of an acquisition function: a quasi-random scan, then bounded quasi-Newton climbs that move in step.
//!
//! Scrambled Sobol points and the caller's hints are scored in one batch; starts are chosen from them; each start is a true
//! L-BFGS-B state of its own ([`crate::math::lbfgsb`]), and each round asks for the values and gradients of all that still move as one batch.
//! A start that has converged leaves the batch. From where the best few ended, the lines along the axes are then scored, and a climb that finds a
//! better place there jumps and goes on: in many dimensions the peaks stand in corners of the cube that differ in one or two coordinates, and
//! starts alone would have to be ten times as many to meet the best of them. In the end the best climb on with tighter tolerances.

mod climb;
mod starts;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::backend::{Backend, Job, Provenance, Scores};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::sobol::Sobol;
use climb::Climbs;

/// How hard to search.
///
/// ```
/// use gittins::{Acquisition, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Maximize, Points, Posterior};
/// let inputs = Points::from_rows(1, vec![0.1, 0.5, 0.9])?;
/// let hyperparameters = Hyperparameters { lengthscales: vec![0.3], outputscale: 1.0, noise: 1e-6, mean: 0.0 };
/// let posterior = Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &[0.2, 1.0, -0.3])?;
/// let job = Job { posterior: &posterior, cost: JobCost::Uniform(1.0), acquisition: Acquisition::gittins(1e-3), incumbent: 1.0, gradient: true };
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
    /// The seed of the points and of the choice.
    pub seed: u64,
    /// The moment to stop at, with the best found so far.
    pub deadline: Option<Instant>,
    /// Set to true from outside to stop, with the best found so far.
    pub cancel: Option<Arc<AtomicBool>>,
}

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
    /// Where, in the unit cube.
    pub point: Vec<f64>,
    /// The acquisition value there.
    pub value: f64,
    /// The posterior mean there.
    pub mean: f64,
    /// The posterior variance there.
    pub variance: f64,
    /// Where climbs ended, best first and each place once: other local maxima.
    pub finalists: Points,
    /// The finalists' values.
    pub finalist_values: Vec<f64>,
    /// Batches after the scan.
    pub rounds: usize,
    /// Points evaluated in all, the scan included.
    pub evaluations: usize,
    /// Starts.
    pub starts: usize,
    /// Starts that met a tolerance.
    pub converged_starts: usize,
    /// Why it ended.
    pub ended: Ended,
    /// Who evaluated.
    pub provenance: Provenance,
}

/// A candidate of a finite table.
#[derive(Debug, Clone)]
pub struct BestRow {
    /// Its row.
    pub row: usize,
    /// The acquisition value there.
    pub value: f64,
    /// The posterior mean there.
    pub mean: f64,
    /// The posterior variance there.
    pub variance: f64,
    /// Who evaluated.
    pub provenance: Provenance,
}

/// Points of a scan that are scored between two looks at the clock.
const SCAN_CHUNK: usize = 8192;

/// Climbs from whose ends the lines along the axes are searched, and how often at most.
const LINES: usize = 8;
const SWEEPS: usize = 16;

/// Climbs that are carried on with tighter tolerances.
const POLISHED: usize = 4;

impl Maximize {
    /// The defaults in `dim` dimensions: `1024 + 32 d` points, `16 + d / 2` starts (48 at most), 100 iterations.
    pub fn new(dim: usize) -> Self {
        let starts = (16 + dim / 2).min(48);
        Self { raw: 1024 + 32 * dim, starts, max_iterations: 100, seed: 0, deadline: None, cancel: None }
    }

    /// Another seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Searches the unit cube. `hints` (`h x d`, possibly none) are always scored, and the best of them always start: the incumbent and its
    /// neighborhood, where an acquisition late in a run has its narrowest peaks.
    ///
    /// # Errors
    /// What the backend reports; [`ErrorKind::Empty`] if there is nothing to score.
    pub fn run(&self, backend: &dyn Backend, job: &Job<'_>, hints: &Points) -> Result<Maximum> {
        let dim = job.posterior.dim();
        let mut points = Sobol::new(dim, self.seed).points(0, self.raw);
        if !hints.is_empty() {
            if hints.dim() != dim {
                return Err(Error::new(ErrorKind::Dimension, format!("hints of {} coordinates for {dim} inputs", hints.dim())));
            }
            points.extend(hints);
        }
        if points.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "no point to score: neither raw points nor hints"));
        }
        let mut scores = Scores::default();
        let (values, mut ended) = self.scan(backend, job, &points, &mut scores)?;
        let hints = values.len().saturating_sub(self.raw);
        let chosen = starts::choose(&values, hints, self.starts.max(1), &job.acquisition, self.seed);
        let mut climbs = Climbs::new(&points, &chosen, &values, self.max_iterations)?;
        let job = Job { gradient: true, ..*job };
        if ended == Ended::Finished {
            ended = self.climb(backend, &job, &mut climbs, &mut scores)?;
        }
        let converged_starts = climbs.converged();
        if ended == Ended::Finished {
            ended = self.search_lines(backend, &job, &mut climbs, &mut scores)?;
        }
        if ended == Ended::Finished {
            climbs.polish(POLISHED)?;
            ended = self.climb(backend, &job, &mut climbs, &mut scores)?;
        }
        let (finalists, finalist_values) = climbs.ranked();
        let mut best = Points::new(dim);
        best.push(finalists.row(0));
        backend.evaluate(&Job { gradient: false, ..job }, &best, &mut scores)?;
        Ok(Maximum {
            point: finalists.row(0).to_vec(),
            value: scores.value[0],
            mean: scores.mean[0],
            variance: scores.variance[0],
            rounds: climbs.rounds,
            evaluations: values.len() + climbs.evaluations + 1,
            starts: chosen.len(),
            converged_starts,
            ended,
            provenance: scores.provenance,
            finalists,
            finalist_values,
        })
    }

    /// Scores points chunk by chunk; at the deadline the points not reached are left out, but never the first chunk.
    fn scan(&self, backend: &dyn Backend, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<(Vec<f64>, Ended)> {
        let job = Job { gradient: false, ..*job };
        let dim = points.dim();
        let mut values = Vec::with_capacity(points.len());
        for chunk in points.values().chunks(SCAN_CHUNK * dim) {
            if !values.is_empty()
                && let Some(ended) = self.interrupted()
            {
                return Ok((values, ended));
            }
            backend.evaluate(&job, &Points::from_rows(dim, chunk.to_vec())?, scores)?;
            values.extend_from_slice(&scores.value);
        }
        Ok((values, Ended::Finished))
    }

    /// Scores the lines along the axes through where the best climbs ended, and climbs on from what is better there, until nothing is.
    fn search_lines(&self, backend: &dyn Backend, job: &Job<'_>, climbs: &mut Climbs, scores: &mut Scores) -> Result<Ended> {
        for _ in 0..SWEEPS {
            let (points, owners) = climbs.lines(LINES);
            let (values, ended) = self.scan(backend, job, &points, scores)?;
            let better = climbs.jump(&points, &owners, &values)?;
            if ended != Ended::Finished || !better {
                return Ok(ended);
            }
            let ended = self.climb(backend, job, climbs, scores)?;
            if ended != Ended::Finished {
                return Ok(ended);
            }
        }
        Ok(Ended::Finished)
    }

    fn climb(&self, backend: &dyn Backend, job: &Job<'_>, climbs: &mut Climbs, scores: &mut Scores) -> Result<Ended> {
        while climbs.gather() {
            if let Some(ended) = self.interrupted() {
                return Ok(ended);
            }
            backend.evaluate(job, climbs.batch(), scores)?;
            climbs.advance(scores);
        }
        Ok(Ended::Finished)
    }

    fn interrupted(&self) -> Option<Ended> {
        if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Some(Ended::Canceled);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Ended::Deadline)
    }
}

/// The exact best row among those not taken, the first of equals; `None` if all are taken.
///
/// # Errors
/// What the backend reports; [`ErrorKind::Dimension`] unless there is one flag per row.
pub fn argmax(backend: &dyn Backend, job: &Job<'_>, rows: &Points, taken: &[bool]) -> Result<Option<BestRow>> {
    if rows.len() != taken.len() {
        return Err(Error::new(ErrorKind::Dimension, format!("{} flags for {} rows", taken.len(), rows.len())));
    }
    let free: Vec<usize> = (0..rows.len()).filter(|&row| !taken[row]).collect();
    if free.is_empty() {
        return Ok(None);
    }
    let mut candidates = Points::with_capacity(rows.dim(), free.len());
    for &row in &free {
        candidates.push(rows.row(row));
    }
    let mut scores = Scores::default();
    backend.evaluate(&Job { gradient: false, ..*job }, &candidates, &mut scores)?;
    let value = |at: usize| orderable(scores.value[at]);
    let best = (0..free.len()).max_by(|&a, &b| value(a).total_cmp(&value(b)).then(b.cmp(&a)));
    Ok(best.map(|at| BestRow {
        row: free[at],
        value: scores.value[at],
        mean: scores.mean[at],
        variance: scores.variance[at],
        provenance: scores.provenance.clone(),
    }))
}

/// A score for comparing: one that is no number loses against all.
pub(crate) fn orderable(score: f64) -> f64 {
    if score.is_nan() { f64::NEG_INFINITY } else { score }
}
