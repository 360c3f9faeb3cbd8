//! Who evaluates a batch of points: one verb, the same meaning on every device.
//!
//! A [`Job`] is plain data and names no device: posterior, cost, acquisition, incumbent, gradients or not. A [`Backend`] fills [`Scores`] for it,
//! in memory that the caller keeps, and says in them who it was.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;

use crate::acquisition::Acquisition;
use crate::data::Points;
use crate::data::cost::PointCost;
use crate::error::{Error, ErrorKind, Result};
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

/// The numbers that a device computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Single.
    F32,
    /// Double.
    F64,
}

impl Precision {
    /// `"f32"` or `"f64"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

/// Who made the scores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// `"cpu"`, or what another backend calls itself.
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
    /// Fills `scores` for all `b x d` points of the unit cube, in memory that is reused from call to call.
    ///
    /// # Errors
    /// Those of [`Job::validate`]; [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`] for the points, and what a known cost reports at the first
    /// point in order that has no price. `scores` are then of no meaning.
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()>;
}

impl Scores {
    /// Makes room for a batch; `gradient` is the dimension, or 0 for no gradients.
    pub(crate) fn resize(&mut self, points: usize, gradient: usize) {
        for field in [&mut self.value, &mut self.mean, &mut self.variance] {
            field.resize(points, 0.0);
        }
        self.gradient.resize(points * gradient, 0.0);
    }
}

impl Job<'_> {
    /// Checks what can be checked without a point.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] and the like from the acquisition, [`ErrorKind::NonFinite`] for the incumbent,
    /// [`ErrorKind::NonPositiveCost`] for a uniform cost, [`ErrorKind::Dimension`] for a log-cost posterior of another dimension.
    pub fn validate(&self) -> Result<()> {
        self.acquisition.validate()?;
        if !self.incumbent.is_finite() {
            return Err(Error::new(ErrorKind::NonFinite, format!("the incumbent is {}", self.incumbent)));
        }
        match self.cost {
            JobCost::Uniform(cost) if !(cost > 0.0 && cost.is_finite()) => {
                Err(Error::new(ErrorKind::NonPositiveCost, format!("the uniform cost must be positive and finite, got {cost}")))
            }
            JobCost::Learned(posterior) if posterior.dim() != self.posterior.dim() => {
                let (cost, outcome) = (posterior.dim(), self.posterior.dim());
                Err(Error::new(ErrorKind::Dimension, format!("the log-cost posterior has {cost} inputs and the outcome's {outcome}")))
            }
            _ => Ok(()),
        }
    }
}
