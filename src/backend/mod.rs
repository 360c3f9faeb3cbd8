//! Backends, which evaluate a batch of points. The call is the same on every device.
//!
//! A [`Job`] is plain data and names no device: posterior, cost, acquisition, incumbent, whether
//! gradients are wanted, how many points to keep. A [`Backend`] fills [`Scores`] for it, in memory
//! of the caller. The scores say which backend and device made them.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(not(feature = "gpu"))]
#[path = "gpu_absent.rs"]
mod gpu;
mod open;
pub mod options;
pub mod top_k;
mod trees;

use std::fmt;
use std::sync::Arc;

use crate::acquisition::{Acquisition, Joint};
use crate::data::PointCost;
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::model::check_finite;
use crate::posterior::Posterior;

pub use cpu::Cpu;
pub use options::{BackendOptions, Choice};

/// The cost in a job.
#[derive(Clone, Copy)]
pub enum JobCost<'a> {
    /// The same cost everywhere.
    Uniform(f64),
    /// A function of the point, evaluated on the host.
    Known(&'a dyn PointCost),
    /// A posterior of `ln c`.
    Learned(&'a Posterior),
}

impl<'a> JobCost<'a> {
    /// The posterior of `ln c`, if the cost is learned.
    #[cfg(feature = "gpu")]
    pub(crate) fn posterior(&self) -> Option<&'a Posterior> {
        match *self {
            Self::Learned(posterior) => Some(posterior),
            Self::Uniform(_) | Self::Known(_) => None,
        }
    }
}

/// What to evaluate. It names no device.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The outcome's posterior.
    pub posterior: &'a Posterior,
    /// The cost.
    pub cost: JobCost<'a>,
    /// The acquisition function.
    pub acquisition: &'a Acquisition,
    /// The best outcome so far, in the posterior's units; larger is better.
    pub incumbent: f64,
    /// Whether gradients are wanted.
    pub gradient: bool,
    /// The noise variance of an outcome, in the posterior's units squared. With a positive number,
    /// improvements and the Gittins index measure what one noisy outcome can show: for a point of
    /// variance `v` they take `v / sqrt(v + noise)` as the standard deviation, by which the
    /// posterior mean will move. With 0 they measure the function itself, as published. Reported
    /// variances are always those of the function.
    pub noise: f64,
    /// How many points to keep. `Some(k)` gives the scores of the `k` best points (of all, if there
    /// are fewer), best first. Of equal values the lower row comes first; NaN comes last. `None`
    /// gives the scores of all points in order.
    pub keep: Option<usize>,
}

/// The precision of a device's numbers.
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

    /// Bytes per number.
    #[cfg(feature = "gpu")]
    pub(crate) fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// Which backend and device made the scores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// `"cpu"`, or the name of another backend.
    pub backend: &'static str,
    /// The adapter's name; `None` for the CPU.
    pub adapter: Option<Arc<str>>,
    /// `"f64"` or `"f32"`.
    pub precision: &'static str,
    /// Why another backend than the requested one answered; `None` if the requested one did.
    pub fallback: Option<Fallback>,
}

/// Why another backend than the requested one answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Fallback {
    /// The crate was built without its feature `gpu`.
    NotBuilt,
    /// At the start no adapter matched the request: no hardware, no driver, or none with the given
    /// name.
    NoAdapter,
    /// At the start the device's scores for a job with a known result differed from the host's by
    /// more than its precision explains.
    SelfTest,
    /// The device was lost during a batch: unplugged, reset by its driver, or taken back by the
    /// system. It is not used again.
    DeviceLost,
    /// The batch, or the posterior itself, needs more memory than the device gives.
    OutOfMemory,
    /// The device's interface rejected a shader, a buffer or a command.
    Validation,
    /// Single precision is too coarse for this posterior, because its covariance is nearly
    /// singular. The device has no double precision.
    Unfit,
    /// A number of the job or of its scores is outside the range of the device's floating point.
    Overflow,
    /// The acquisition is evaluated on the host only.
    HostOnly,
}

/// The scores of a batch of `b` points, in memory of the caller that is reused.
///
/// If the job keeps `k` points, read `k` for `b`. If the acquisition scores several
/// [points](Acquisition::points) together, read rows for points: `d` is then the length of a row,
/// and the moments are those of its first point.
#[derive(Debug, Clone, Default)]
pub struct Scores {
    /// `b` values.
    pub value: Vec<f64>,
    /// `b x d` gradients, row-major; empty if none are wanted.
    pub gradient: Vec<f64>,
    /// `b` posterior means.
    pub mean: Vec<f64>,
    /// `b` posterior variances.
    pub variance: Vec<f64>,
    /// The rows in the batch of the `k` entries; empty if all points are wanted.
    pub rows: Vec<usize>,
    /// The number of variances that were raised to the floor, among all points of the batch.
    pub floored: usize,
    /// Which backend and device made the scores.
    pub provenance: Provenance,
}

/// Evaluates a job at a batch of points.
pub trait Backend: Send + Sync {
    /// Fills `scores` for all `b x d` points of the unit cube, or for the best of them if the job
    /// says how many to keep. The memory is reused from call to call.
    ///
    /// # Errors
    /// Those of [`Job::validate`]. [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`] for the
    /// points. The error of a known cost at the first point, in order, without a price. After an
    /// error `scores` are meaningless.
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()>;
}

impl Provenance {
    /// Whether the numbers were made in double precision on the host: no adapter and `"f64"`.
    pub fn is_host_double(&self) -> bool {
        self.adapter.is_none() && self.precision == "f64"
    }
}

impl fmt::Display for Provenance {
    /// `cpu (f64)`, or with an adapter `gpu (f32, its name)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.backend, self.precision)?;
        if let Some(adapter) = &self.adapter {
            write!(f, ", {adapter}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotBuilt => "the crate was built without its feature gpu",
            Self::NoAdapter => "no suitable adapter was found",
            Self::SelfTest => "the device failed its self-test",
            Self::DeviceLost => "the device was lost",
            Self::OutOfMemory => "the device was out of memory",
            Self::Validation => "the device refused the work",
            Self::Unfit => "single precision does not suffice for this posterior and the device has no double precision",
            Self::Overflow => "a number left the device's range",
            Self::HostOnly => "the acquisition is evaluated on the host only",
        })
    }
}

impl Scores {
    /// Makes room for all points of a batch. `gradient` is the dimension, or 0 without gradients.
    pub(crate) fn resize(&mut self, points: usize, gradient: usize) {
        for field in [&mut self.value, &mut self.mean, &mut self.variance] {
            field.resize(points, 0.0);
        }
        self.gradient.resize(points * gradient, 0.0);
        self.rows.clear();
    }

    /// Leaves the `k` best entries of a whole batch, in the order of [`Job::keep`], and stores
    /// their rows. For backends that select after scoring.
    pub fn keep_best(&mut self, k: usize) {
        let mut rows = std::mem::take(&mut self.rows);
        let width = self.gradient.len().checked_div(self.value.len()).unwrap_or(0);
        top_k::top_k(&self.value, k, &mut rows);
        for (field, width) in [
            (&mut self.value, 1),
            (&mut self.mean, 1),
            (&mut self.variance, 1),
            (&mut self.gradient, width),
        ] {
            let best: Vec<f64> = rows
                .iter()
                .flat_map(|&row| &field[row * width..(row + 1) * width])
                .copied()
                .collect();
            field.clear();
            field.extend(best);
        }
        self.rows = rows;
    }
}

impl Job<'_> {
    /// Checks everything that needs no point.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] and the like from the acquisition.
    /// [`ErrorKind::InvalidSetting`] if `keep` is zero. [`ErrorKind::NonFinite`] if the incumbent
    /// is not finite. [`ErrorKind::NonPositiveCost`] if a uniform cost is not positive.
    /// [`ErrorKind::Dimension`] if a log-cost posterior or a sample path has another dimension.
    pub fn validate(&self) -> Result<()> {
        self.acquisition.validate()?;
        if let Some(path) =
            self.acquisition.path().filter(|path| path.dim() != self.posterior.dim())
        {
            let (sampled, outcome) = (path.dim(), self.posterior.dim());
            return Err(Error::new(
                ErrorKind::Dimension,
                format!(
                    "the sample path has {sampled} inputs and the outcome's posterior {outcome}"
                ),
            ));
        }
        if !self.incumbent.is_finite() {
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("the incumbent is {}", self.incumbent),
            ));
        }
        if !(self.noise >= 0.0 && self.noise.is_finite()) {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("the noise of the job must be finite and at least 0, got {}", self.noise),
            ));
        }
        if self.keep == Some(0) {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                "keep: at least one point is to be kept, got 0",
            ));
        }
        match self.cost {
            JobCost::Uniform(cost) if !(cost > 0.0 && cost.is_finite()) => Err(Error::new(
                ErrorKind::NonPositiveCost,
                format!("the uniform cost must be positive and finite, got {cost}"),
            )),
            JobCost::Learned(posterior) if posterior.dim() != self.posterior.dim() => {
                let (cost, outcome) = (posterior.dim(), self.posterior.dim());
                Err(Error::new(
                    ErrorKind::Dimension,
                    format!("the log-cost posterior has {cost} inputs and the outcome's {outcome}"),
                ))
            }
            _ => match self.acquisition {
                Acquisition::Joint(Joint::FiniteKnowledgeGradient { among }) => self
                    .posterior
                    .check(among)
                    .map_err(|error| error.at("the set of the knowledge gradient")),
                _ => Ok(()),
            },
        }
    }

    /// The noise that the acquisition foresees; 0 if it does not measure an improvement.
    pub(crate) fn foreseen_noise(&self) -> f64 {
        if self.acquisition.foresees_noise() { self.noise } else { 0.0 }
    }

    /// Checks a batch. Its rows hold as many points as the acquisition scores together.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] if the rows have another length. [`ErrorKind::NonFinite`] if a
    /// number is not finite; the error names the row.
    pub fn check(&self, points: &Points) -> Result<()> {
        let (together, dim) = (self.acquisition.points(), self.posterior.dim());
        if together == 1 {
            return self.posterior.check(points);
        }
        if points.dim() != together * dim {
            let (name, got) = (self.acquisition.name(), points.dim());
            return Err(Error::new(
                ErrorKind::Dimension,
                format!(
                    "acquisition {name}: expected rows of {together} points of {dim} coordinates side by side, got rows of {got} numbers"
                ),
            ));
        }
        check_finite(points)
    }
}
