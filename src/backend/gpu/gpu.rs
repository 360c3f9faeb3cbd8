//! The backend on a device.

use std::fmt;

use super::device::Device;
use crate::acquisition::Shader;
use crate::backend::cpu::weigh;
use crate::backend::gpu::chunk::output::Wanted;
use crate::backend::gpu::chunk::scale;
use crate::backend::gpu::chunk::selection::MOST;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::pass::climbs;
use crate::backend::gpu::pass::engine::{Bytes, Engine, Work};
use crate::backend::gpu::pass::scores::{self, Prepared};
use crate::backend::gpu::pass::shared_engine::SharedEngine;
use crate::backend::gpu::pass::trees;
use crate::backend::gpu::resident::inverted::Inverted;
use crate::backend::search::{Ascent, Drawn, Ends};
use crate::backend::trees::Plan;
use crate::backend::{Backend, Cpu, Fallback, Job, Precision, Scores, top_k};
use crate::data::Points;
use crate::error::Result;
use crate::posterior::Posterior;

/// A backend on a [`Device`], with scratch of its own. Calls wait for each other.
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
    engine: SharedEngine,
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
    /// Uses single precision if it is fit, otherwise double precision if the device has it, and
    /// otherwise the host.
    pub fn new(device: Device) -> Self {
        let engine = SharedEngine::new(device.pipelines().clone());
        Self { device, precision: None, engine }
    }

    /// Uses one precision only. If it is not fit or not there, the host computes.
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = Some(precision);
        self
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What was done so far.
    #[doc(hidden)]
    pub fn work(&self) -> Work {
        self.engine.work()
    }

    /// The bytes that went over the link so far.
    #[doc(hidden)]
    pub fn bytes(&self) -> Bytes {
        self.engine.bytes()
    }

    /// The precisions to try, in order.
    pub(super) fn precisions(&self) -> &'static [Precision] {
        match (self.precision, self.device.has_double()) {
            (Some(Precision::F32), _) | (None, false) => &[Precision::F32],
            (Some(Precision::F64), true) => &[Precision::F64],
            (Some(Precision::F64), false) => &[],
            (None, true) => &[Precision::F32, Precision::F64],
        }
    }

    /// Whether the device holds the posterior, or one that it grew from.
    pub(super) fn holds(&self, posterior: &Posterior, precision: Precision) -> bool {
        self.engine.holds(posterior, precision)
    }

    /// The scores of a job in one precision.
    pub(super) fn on_device(
        &self,
        job: &Job<'_>,
        points: &Points,
        precision: Precision,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        let Some(keep) = job.keep else {
            return self.run(job, points, precision, Wanted::All, scores);
        };
        let values = job.gradient(false);
        // The values of trees are made by the host, which also selects among them.
        let trees = matches!(job.acquisition.shader(), Shader::Branches);
        let sought = match keep {
            keep if keep <= MOST && !trees => Wanted::Best(keep),
            _ => Wanted::All,
        };
        self.run(&values, points, precision, sought, scores)?;
        let mut rows = Vec::new();
        top_k(&scores.value, keep, &mut rows);
        if sought != Wanted::All {
            for at in &mut rows {
                *at = scores.rows[*at];
            }
        }
        let floored = scores.floored;
        let kept = points.select(rows.iter().copied());
        // The few are evaluated once more. The numbers of a point do not depend on its batch.
        self.run(job, &kept, precision, Wanted::All, scores)?;
        scores.rows = rows;
        scores.floored = floored;
        Ok(())
    }

    fn run(
        &self,
        job: &Job<'_>,
        points: &Points,
        precision: Precision,
        wanted: Wanted,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        if matches!(job.acquisition.shader(), Shader::Branches) {
            let plan = Plan::of(job, scale::floor(precision))?;
            trees::evaluate(&self.engine, &plan, points, precision, scores)?;
            return Ok(weigh(job, points, scores)?);
        }
        self.engine.with_costs(job, points, |cost, priced| {
            self.engine.ask(job, precision, |engine, inverted| {
                let prepared = Prepared { cost, priced, inverted };
                scores::evaluate(engine, job, points, precision, prepared, wanted, scores)
            })
        })
    }

    /// What `work` brings in the first precision that is fit. None if the host has to do it.
    fn by_itself<T>(
        &self,
        job: &Job<'_>,
        mut work: impl FnMut(&mut Engine, Precision, &[Inverted]) -> Result<T, Failure>,
    ) -> Result<Option<T>> {
        job.validate()?;
        if !climbs::are_for(job) || self.device.failure().is_some() {
            return Ok(None);
        }
        for &precision in self.precisions() {
            let done = self
                .engine
                .ask(job, precision, |engine, inverted| work(engine, precision, inverted));
            match done {
                Err(Failure::Posterior(Fallback::Unfit | Fallback::Overflow, _)) => {}
                Err(failure) => return settle(Some(&self.device), failure).map(|_| None),
                Ok(done) => return Ok(Some(done)),
            }
        }
        Ok(None)
    }

    /// The scores of a job in the first precision that is fit.
    fn in_some_precision(
        &self,
        job: &Job<'_>,
        points: &Points,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        if matches!(job.acquisition.shader(), Shader::None) {
            return Err(Failure::Posterior(Fallback::HostOnly, job.acquisition.name().to_string()));
        }
        if job.is_limited() {
            let message = "limits on measured numbers".to_string();
            return Err(Failure::Posterior(Fallback::HostOnly, message));
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

/// The reason that the host computes. After a failure of the device itself, the device is not asked
/// again.
///
/// # Errors
/// A fault of the job stays an error.
pub(super) fn settle(device: Option<&Device>, failure: Failure) -> Result<Fallback> {
    match failure {
        Failure::Job(error) => Err(error),
        Failure::Posterior(fallback, message) => {
            log::debug!("{fallback}: {message}");
            Ok(fallback)
        }
        Failure::Device(fallback, message) => {
            Ok(device.map_or(fallback, |device| device.handle().give_up(fallback, &message)))
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

    fn scan(&self, job: &Job<'_>, drawn: &Drawn<'_>, scores: &mut Scores) -> Result<bool> {
        let scanned = self.by_itself(job, |engine, precision, inverted| {
            scores::scan(engine, job, drawn, precision, inverted, scores)
        })?;
        Ok(scanned.is_some())
    }

    fn climb(&self, job: &Job<'_>, ascent: &Ascent<'_>) -> Result<Option<Ends>> {
        self.by_itself(job, |engine, precision, inverted| {
            climbs::climb(engine, job, ascent, precision, inverted)
        })
    }
}
