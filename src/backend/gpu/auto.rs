//! The device or the CPU, whichever is expected to be quicker.

use std::sync::Arc;

use super::gpu::{Gpu, settle};
use super::opening::{Opening, open_now};
use crate::acquisition::Shader;
use crate::backend::gpu::chunk::operations::operations;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::pass::climbs;
use crate::backend::gpu::timing::activity::on_cpu;
use crate::backend::gpu::timing::crossover::numbers_for;
use crate::backend::search::{Ascent, Drawn, Ends};
use crate::backend::{Backend, BackendOptions, Cpu, Fallback, Job, JobCost, Precision, Scores};
use crate::data::Points;
use crate::error::Result;

/// Operations of the first batch for which a device is opened. Finding a device, testing it and
/// measuring the crossover take from some tenths of a second to a few seconds, and threads that the
/// search has a use for. A search that never asks for this much takes the CPU some hundredths. Once
/// a device is ready, the crossover alone decides.
const WORTH_OPENING: f64 = 5e8;

/// Chooses for each batch.
struct Auto {
    options: BackendOptions,
    /// Asked for at the first batch that is worth a device.
    opening: Opening,
}

/// A device for every batch.
pub(in crate::backend) fn open(options: &BackendOptions) -> Result<Arc<dyn Backend>, Fallback> {
    Ok(Arc::new(open_now(options)?))
}

/// A device for the batches for which it is quicker.
pub(in crate::backend) fn auto(options: &BackendOptions) -> Arc<dyn Backend> {
    Arc::new(Auto { options: options.clone(), opening: Opening::default() })
}

impl Auto {
    /// Fills the scores on the device if the batch is quicker there. `None` if it is not, or if the
    /// device cannot.
    fn on_device(
        &self,
        job: &Job<'_>,
        points: &Points,
        scores: &mut Scores,
    ) -> Result<Option<()>, Failure> {
        if matches!(job.acquisition.shader(), Shader::None) {
            return Ok(None);
        }
        let work = Work::of(job, points.len());
        let Some(gpu) = self.gpu(job, work) else { return Ok(None) };
        for &precision in gpu.precisions() {
            if !is_quicker(gpu, job, work, precision) {
                break;
            }
            match gpu.on_device(job, points, precision, scores) {
                Err(Failure::Posterior(Fallback::Unfit | Fallback::Overflow, _)) => {}
                outcome => return outcome.map(Some),
            }
        }
        Ok(None)
    }

    /// The device, if it is there. It is asked for if the work is worth it.
    fn gpu(&self, job: &Job<'_>, work: Work) -> Option<&Gpu> {
        if self.opening.get().is_none() && work.operations >= WORTH_OPENING {
            self.opening.ask(&self.options, job);
        }
        self.opening.get()?.as_ref().ok()
    }

    /// The device, if it is there, makes the points of the job itself, and is quicker for batches of
    /// so many rows.
    fn quicker(&self, job: &Job<'_>, rows: usize) -> Option<&Gpu> {
        if !climbs::are_for(job) {
            return None;
        }
        let work = Work::of(job, rows);
        let gpu = self.gpu(job, work)?;
        let precision = *gpu.precisions().first()?;
        is_quicker(gpu, job, work, precision).then_some(gpu)
    }

    /// Why the device is not asked although it is wanted. It is no failure if there is no device:
    /// nobody asked for one.
    fn failure(&self) -> Option<Fallback> {
        match self.opening.get()? {
            Ok(gpu) => gpu.device().failure(),
            Err(Fallback::NoAdapter) => None,
            Err(fallback) => Some(*fallback),
        }
    }
}

/// The work of a batch.
#[derive(Clone, Copy)]
struct Work {
    operations: f64,
    numbers: f64,
}

impl Work {
    fn of(job: &Job<'_>, rows: usize) -> Self {
        let learned = matches!(job.cost, JobCost::Learned(_)) && job.acquisition.uses_cost();
        let count = (rows * job.acquisition.points()) as f64;
        Self {
            operations: count * operations(job, learned),
            numbers: count * numbers_for(job.posterior.dim(), job.gradient),
        }
    }
}

/// Whether a device is expected to be quicker than the CPU.
fn is_quicker(gpu: &Gpu, job: &Job<'_>, work: Work, precision: Precision) -> bool {
    let device = gpu.device();
    let Some(crossover) = device.known_crossover(precision) else { return false };
    let (n, Work { operations, numbers }) = (job.posterior.rows(), work);
    let expected = crossover.of_batch(n, operations, numbers, job.gradient);
    let send = if gpu.holds(job.posterior, precision) { 0.0 } else { expected.send };
    device.failure().is_none() && expected.device + send < expected.cpu
}

impl Backend for Auto {
    fn scan(&self, job: &Job<'_>, drawn: &Drawn<'_>, scores: &mut Scores) -> Result<bool> {
        let gpu = self.quicker(job, drawn.rows.len());
        gpu.map_or(Ok(false), |gpu| gpu.scan(job, drawn, scores))
    }

    /// The first round is that of all climbs. A device that is quicker for it does the others, too:
    /// they are smaller, and the host looks only after several of them.
    fn climb(&self, job: &Job<'_>, ascent: &Ascent<'_>) -> Result<Option<Ends>> {
        let gpu = self.quicker(job, ascent.starts.len());
        gpu.map_or(Ok(None), |gpu| gpu.climb(job, ascent))
    }

    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        job.validate()?;
        job.check(points)?;
        let fallback = match self.on_device(job, points, scores) {
            Ok(Some(())) => return Ok(()),
            Ok(None) => self.failure(),
            Err(failure) => Some(settle(
                self.opening.get().and_then(|gpu| gpu.as_ref().ok()).map(Gpu::device),
                failure,
            )?),
        };
        on_cpu(|| Cpu.evaluate(job, points, scores))?;
        scores.provenance.fallback = fallback;
        Ok(())
    }
}
