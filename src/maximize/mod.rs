//! The best point of an acquisition function.

pub mod starts;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::backend::{Backend, Job, Provenance};
use crate::data::Points;
use crate::error::Result;

/// How hard to search.
#[derive(Debug, Clone)]
pub struct Maximize {
    /// Scrambled Sobol points scored in one batch.
    pub raw: usize,
    /// Starts chosen from them.
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
    /// Posterior mean there.
    pub mean: f64,
    /// Posterior variance there.
    pub variance: f64,
    /// All starts at their ends, best first, with their values: other local maxima.
    pub finalists: Points,
    /// The finalists' values.
    pub finalist_values: Vec<f64>,
    /// Batches of values and gradients.
    pub rounds: usize,
    /// Points evaluated in all.
    pub evaluations: usize,
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
    /// Posterior mean there.
    pub mean: f64,
    /// Posterior variance there.
    pub variance: f64,
    /// Who evaluated.
    pub provenance: Provenance,
}

impl Maximize {
    /// Searches the unit cube. `hints` are always scored, and the best of them (the incumbent and its neighborhood) always start.
    pub fn run(&self, backend: &dyn Backend, job: &Job<'_>, hints: &Points) -> Result<Maximum> {
        todo!()
    }
}

/// The exact best row among those not taken; `None` if all are taken.
pub fn argmax(backend: &dyn Backend, job: &Job<'_>, rows: &Points, taken: &[bool]) -> Result<Option<BestRow>> {
    todo!()
}
