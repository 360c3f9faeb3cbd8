//! The device or the CPU, whichever is expected to be quicker.

use std::sync::{Arc, Mutex, OnceLock};

use super::device::Device;
use super::gpu::{Gpu, settle};
use crate::acquisition::Shader;
use crate::backend::gpu::chunk::operations::operations;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::pass::shared_engine::lock;
use crate::backend::gpu::timing::crossover::numbers_for;
use crate::backend::{Backend, BackendOptions, Cpu, Fallback, Job, JobCost, Scores};
use crate::data::Points;
use crate::error::Result;

/// Operations of the first batch for which a device is opened. Finding a device, testing it and
/// measuring the crossover take from some tenths of a second to a few seconds. A search that never
/// asks for this much takes the CPU some hundredths. Once a device is open, the crossover alone
/// decides.
const WORTH_OPENING: f64 = 5e8;

/// Chooses for each batch.
struct Auto {
    options: BackendOptions,
    /// The device, or why there is none; empty until the first batch that is worth a device.
    gpu: OnceLock<Result<Gpu, Fallback>>,
}

/// The devices of the process by the names in the requests, or why there is none.
static SHARED: Mutex<Vec<Shared>> = Mutex::new(Vec::new());

type Shared = (Option<String>, Result<Device, Fallback>);

/// The device of a name. Opens it at the first request.
fn shared(name: Option<&str>) -> Result<Device, Fallback> {
    let known = || {
        lock(&SHARED)
            .iter()
            .find(|(known, _)| known.as_deref() == name)
            .map(|(_, device)| device.clone())
    };
    if let Some(device) = known() {
        return device;
    }
    // The self-test uses all threads, so no lock is held. If two threads open at a time, the first
    // device stays.
    let device = Device::try_open(name).map_err(|(fallback, error)| {
        log::info!("no device: {error}");
        fallback
    });
    let first = known();
    first.unwrap_or_else(|| {
        lock(&SHARED).push((name.map(str::to_string), device.clone()));
        device
    })
}

/// A device for every batch.
pub(in crate::backend) fn open(options: &BackendOptions) -> Result<Arc<dyn Backend>, Fallback> {
    Ok(Arc::new(gpu(options)?))
}

/// A device for the batches for which it is quicker.
pub(in crate::backend) fn auto(options: &BackendOptions) -> Arc<dyn Backend> {
    Arc::new(Auto { options: options.clone(), gpu: OnceLock::new() })
}

fn gpu(options: &BackendOptions) -> Result<Gpu, Fallback> {
    let gpu = Gpu::new(shared(options.adapter.as_deref())?);
    Ok(match options.precision {
        Some(precision) => gpu.precision(precision),
        None => gpu,
    })
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
        let learned = matches!(job.cost, JobCost::Learned(_)) && job.acquisition.uses_cost();
        let count = (points.len() * job.acquisition.points()) as f64;
        let operations = count * operations(job, learned);
        let numbers = count * numbers_for(job.posterior.dim(), job.gradient);
        if self.gpu.get().is_none() {
            if operations < WORTH_OPENING {
                return Ok(None);
            }
            // Not `get_or_init`: opening uses all threads, and one of them may come here again.
            let _ = self.gpu.set(gpu(&self.options));
        }
        let Some(Ok(gpu)) = self.gpu.get() else { return Ok(None) };
        for &precision in gpu.precisions() {
            if gpu.device().failure().is_some() {
                break;
            }
            let expected = gpu.device().crossover(precision)?.of_batch(
                job.posterior.rows(),
                operations,
                numbers,
                job.gradient,
            );
            let send = if gpu.holds(job.posterior, precision) { 0.0 } else { expected.send };
            if expected.device + send >= expected.cpu {
                break;
            }
            match gpu.on_device(job, points, precision, scores) {
                Err(Failure::Posterior(Fallback::Unfit | Fallback::Overflow, _)) => {}
                outcome => return outcome.map(Some),
            }
        }
        Ok(None)
    }
}

impl Auto {
    /// Why the device is not asked although it is wanted. It is no failure if there is no device:
    /// nobody asked for one.
    fn failure(&self) -> Option<Fallback> {
        match self.gpu.get()? {
            Ok(gpu) => gpu.device().failure(),
            Err(Fallback::NoAdapter) => None,
            Err(fallback) => Some(*fallback),
        }
    }
}

impl Backend for Auto {
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        job.validate()?;
        job.check(points)?;
        let fallback = match self.on_device(job, points, scores) {
            Ok(Some(())) => return Ok(()),
            Ok(None) => self.failure(),
            Err(failure) => Some(settle(
                self.gpu.get().and_then(|gpu| gpu.as_ref().ok()).map(Gpu::device),
                failure,
            )?),
        };
        Cpu.evaluate(job, points, scores)?;
        scores.provenance.fallback = fallback;
        Ok(())
    }
}
