//! Who evaluates a batch.

pub mod cpu;

use crate::acquisition::Acquisition;
use crate::data::Points;
use crate::data::cost::PointCost;
use crate::error::Result;
use crate::posterior::Posterior;

pub use cpu::Cpu;

/// The cost a job carries.
#[derive(Clone, Copy)]
pub enum JobCost<'a> {
    /// The same everywhere.
    Uniform(f64),
    /// A function of the point, evaluated on the host.
    Known(&'a dyn PointCost),
    /// A posterior of `ln c`.
    Learned(&'a Posterior),
}

/// What to evaluate; names no device.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The outcome's posterior.
    pub posterior: &'a Posterior,
    /// The cost.
    pub cost: JobCost<'a>,
    /// The score.
    pub acquisition: Acquisition,
    /// The best outcome so far, in the posterior's units, larger is better.
    pub incumbent: f64,
    /// Whether gradients are wanted.
    pub gradient: bool,
}

/// Who made the scores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// `"cpu"` or `"gpu"`.
    pub backend: &'static str,
    /// The adapter's name, none for the CPU.
    pub adapter: Option<String>,
    /// `"f64"` or `"f32"`.
    pub precision: &'static str,
}

/// The scores of a batch of `b` points; the caller's memory is reused.
#[derive(Debug, Clone, Default)]
pub struct Scores {
    /// `b` values.
    pub value: Vec<f64>,
    /// `b x d` gradients, row-major; empty if none were asked for.
    pub gradient: Vec<f64>,
    /// `b` posterior means.
    pub mean: Vec<f64>,
    /// `b` posterior variances.
    pub variance: Vec<f64>,
    /// How many variances were lifted to the floor.
    pub floored: usize,
    /// Who made them.
    pub provenance: Provenance,
}

/// One verb: evaluate a job at a batch of points.
pub trait Backend: Send + Sync {
    /// Fills `scores` for all points.
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()>;
}
