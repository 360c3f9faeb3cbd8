//! The GPU backend: posterior, scores and gradients of a batch in WGSL, on whatever adapter wgpu
//! reaches.
//!
//! The host factors the covariance and inverts the factor in double precision and sends `L^-1`: on
//! the device the whitened values `V = L^-1 K*` are then a product, not a recurrence, and variances
//! are differences of squares that cannot lose more digits than were rounded. The passes that make
//! a chunk come from `shaders/`, in one submission:
//!
//! | shader | makes |
//! | --- | --- |
//! | `posterior/kernel_tile` | `K*`, slopes, and the means |
//! | `posterior/triangular_product` | `V = L^-1 K*` and the sums of its squares; `W = L^-T V` |
//! | `acquisition/score` | moments, the value, and what its gradient multiplies |
//! | `posterior/pathwise` | value and gradient of a sample path, where the acquisition is one |
//! | `posterior/branch_covariance` | means and covariances along the branches of trees of points, in place of the score |
//! | `posterior/branch_adjoint` | what their adjoints make of `V`, to be multiplied by `L^-T` |
//! | `posterior/gradient` | the gradient, contracted from slopes, `W` and the weights of the data |
//! | `backend/top_k` | the best of the chunk, where no more are wanted |
//!
//! Where rows hold the points of a tree, the host makes values, and adjoints of the moments, in
//! double precision: with gradients there are two submissions.
//!
//! **Precision.** One source is compiled twice, for 32-bit floats and, where shaders have them, for
//! 64-bit floats. Single precision finds basins: with unit prior variance its means err by less
//! than `eps |L^-1|` in the Frobenius norm (`eps = 1.2e-7`, [`single_error`]), since every rounded
//! distance counts as much as the weight of its datum; so that nothing else does, kernel values and
//! means are sums of two numbers. Where the estimate passes [`FIT`], single precision is refused,
//! and double precision or the host takes its place.
//!
//! **Failure.** Whatever goes wrong on the device, the same call finishes on the [`Cpu`], and
//! [`Provenance::fallback`](crate::backend::Provenance::fallback) says why. After a lost device, a
//! refused command or exhausted memory every later call stays there.

pub mod crossover;
pub mod device;
pub mod source;
mod auto;
mod binding;
mod branches;
mod buffers;
mod evaluate;
#[cfg(test)]
mod fault;
mod flight;
mod layout;
mod operations;
mod output;
mod paths;
mod pipelines;
mod plain_product;
mod price;
mod record;
mod scale;
mod selection;
mod self_test;
mod trees;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::trees::Plan;
use super::{Backend, Cpu, Fallback, Job, Precision, Scores, top_k};
use crate::acquisition::Shader;
use crate::data::Points;
use crate::error::Result;
use crate::posterior::Posterior;
use evaluate::{Engine, Failure, Prepared};
use price::{Inverted, Priced};
use selection::MOST;

pub(super) use auto::{auto, open};
pub use buffers::{FIT, single_error};
pub use crossover::Crossover;
pub use device::{AdapterKind, AdapterReport, Device, adapters};
pub use paths::path_single_error;
pub use plain_product::PlainProduct;
pub use self_test::SelfTest;

/// A backend on a [`Device`], with scratch of its own; calls wait for each other.
///
/// ```no_run
/// use std::sync::Arc;
/// use gittins::backend::gpu::{Device, Gpu};
/// use gittins::{Space, Study};
/// let gpu = Gpu::new(Device::open(None)?);
/// let study = Study::minimize(Space::new().float("x", 0.0, 1.0)).backend(Arc::new(gpu)).build()?;
/// # Ok::<(), gittins::Error>(())
/// ```
pub struct Gpu {
    device: Device,
    precision: Option<Precision>,
    engine: Mutex<Option<Engine>>,
    /// Memory for known costs, for as many calls as were ever made at a time.
    priced: Mutex<Vec<Priced>>,
}

/// What a backend has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Posteriors sent to the device as a whole.
    pub sent: usize,
    /// Posteriors sent as rows appended to one that was there.
    pub appended: usize,
    /// Submissions, each with one read-back.
    pub submissions: usize,
    /// Sample paths sent to the device.
    pub paths: usize,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu")
            .field("device", &self.device)
            .field("precision", &self.precision)
            .finish_non_exhaustive()
    }
}

impl Gpu {
    /// Single precision where it is fit, double where it is not and the device has it, and
    /// otherwise the host.
    pub fn new(device: Device) -> Self {
        Self { device, precision: None, engine: Mutex::default(), priced: Mutex::default() }
    }

    /// One precision only; where it is not fit or not there, the host computes.
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = Some(precision);
        self
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What has been done so far.
    pub fn work(&self) -> Work {
        lock(&self.engine).as_ref().map_or(Work::default(), Engine::work)
    }

    /// The precisions to try, in order.
    fn precisions(&self) -> &'static [Precision] {
        match (self.precision, self.device.has_double()) {
            (Some(Precision::F32), _) | (None, false) => &[Precision::F32],
            (Some(Precision::F64), true) => &[Precision::F64],
            (Some(Precision::F64), false) => &[],
            (None, true) => &[Precision::F32, Precision::F64],
        }
    }

    /// Whether the device holds the posterior, or one that it grew from.
    fn holds(&self, posterior: &Posterior, precision: Precision) -> bool {
        lock(&self.engine).as_ref().is_some_and(|engine| engine.holds(posterior, precision))
    }

    fn on_device(
        &self,
        job: &Job<'_>,
        points: &Points,
        precision: Precision,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        let Some(keep) = job.keep else {
            return self.run(job, points, precision, None, scores);
        };
        let values = Job { gradient: false, ..*job };
        // The host makes the values of trees, and seeks among them.
        let trees = matches!(job.acquisition.shader(), Shader::Branches);
        let sought = Some(keep).filter(|&keep| keep <= MOST && !trees);
        self.run(&values, points, precision, sought, scores)?;
        let mut rows = Vec::new();
        top_k::top_k(&scores.value, keep, &mut rows);
        if sought.is_some() {
            rows.iter_mut().for_each(|at| *at = scores.rows[*at]);
        }
        let floored = scores.floored;
        let kept = points.select(rows.iter().copied());
        // The few are evaluated once more: the numbers of a point do not depend on the batch it
        // comes in.
        self.run(job, &kept, precision, None, scores)?;
        (scores.rows, scores.floored) = (rows, floored);
        Ok(())
    }

    fn run(
        &self,
        job: &Job<'_>,
        points: &Points,
        precision: Precision,
        keep: Option<usize>,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        if matches!(job.acquisition.shader(), Shader::Branches) {
            let plan = Plan::of(job, scale::floor(precision))?;
            return self.trees(&plan, points, precision, scores);
        }
        let mut priced = lock(&self.priced).pop().unwrap_or_default();
        let outcome = priced.refill(job, points).map_err(Failure::from).and_then(|cost| {
            self.with_engine(job, precision, |engine, inverted| {
                engine.evaluate(
                    job,
                    points,
                    precision,
                    Prepared { cost, priced: &priced, inverted },
                    keep,
                    scores,
                )
            })
        });
        lock(&self.priced).push(priced);
        outcome
    }

    /// Asks the engine once it was given the inverse factors that it lacks.
    fn with_engine<T>(
        &self,
        job: &Job<'_>,
        precision: Precision,
        ask: impl FnOnce(&mut Engine, &[Inverted]) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut inverted: Vec<Inverted> = Vec::new();
        loop {
            let mut guard = lock(&self.engine);
            let engine = match &mut *guard {
                Some(engine) => engine,
                none => none.insert(Engine::new(self.device.clone())?),
            };
            let missing = engine.missing(job, precision, &inverted);
            if missing.is_empty() {
                return ask(engine, &inverted);
            }
            // The lock goes before the threads of the pool are asked.
            drop(guard);
            inverted.extend(missing.into_iter().map(Inverted::of));
        }
    }

    /// In the first precision that is fit.
    fn in_some_precision(
        &self,
        job: &Job<'_>,
        points: &Points,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        if matches!(job.acquisition.shader(), Shader::None) {
            return Err(Failure::Posterior(Fallback::HostOnly, job.acquisition.name().to_string()));
        }
        if let Some(fallback) = self.device.failure() {
            return Err(Failure::Posterior(fallback, "as before".to_string()));
        }
        let mut outcome = Err(Failure::Posterior(
            Fallback::Unfit,
            "the device has no double precision".to_string(),
        ));
        for &precision in self.precisions() {
            outcome = self.on_device(job, points, precision, scores);
            if !matches!(outcome, Err(Failure::Posterior(Fallback::Unfit | Fallback::Overflow, _)))
            {
                break;
            }
        }
        outcome
    }
}

/// A panic elsewhere leaves nothing here that the next call would not write anew.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why the host is to compute, and whether the device is still asked afterwards; what is the job's
/// own fault stays an error.
fn settle(device: Option<&Device>, failure: Failure) -> Result<Fallback> {
    match failure {
        Failure::Job(error) => Err(error),
        Failure::Posterior(fallback, message) => {
            log::debug!("{fallback}: {message}");
            Ok(fallback)
        }
        Failure::Device(fallback, message) => {
            Ok(device.map_or(fallback, |device| device.give_up(fallback, &message)))
        }
    }
}

impl Backend for Gpu {
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        job.validate()?;
        job.check(points)?;
        let Err(failure) = self.in_some_precision(job, points, scores) else { return Ok(()) };
        let fallback = settle(Some(&self.device), failure)?;
        Cpu.evaluate(job, points, scores)?;
        scores.provenance.fallback = Some(fallback);
        Ok(())
    }
}
