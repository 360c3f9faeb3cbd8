//! A job on the device: send, record, submit, read back, in chunks.

use std::ops::Range;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::Work;
use super::buffers::{Place, Residents, SCRATCH, Staging, Store};
use super::device::Device;
use super::layout::{GRADIENT_POINTS, Shape, TILE};
use super::operations::operations;
use super::output::{ROW, Target};
use super::paths::{PathPlace, SentPaths};
use super::price::{Inverted, Priced};
use super::record::{CostInput, Half, Recording, RecordingKey, Shared};
use super::scale::{Scale, settings};
use super::selection::TopK;
use crate::backend::{Fallback, Job, JobCost, Precision, Provenance, Scores};
use crate::data::Points;
use crate::error::{Error, ErrorKind};
use crate::posterior::Posterior;

/// Why a job did not finish on the device.
#[derive(Debug)]
pub(super) enum Failure {
    /// The job itself is at fault.
    Job(Error),
    /// The device is, and is not asked again.
    Device(Fallback, String),
    /// The device and these posteriors do not suit each other; others may.
    Posterior(Fallback, String),
}

impl Failure {
    /// As an error, for who asked for the device itself.
    pub fn into_error(self) -> Error {
        match self {
            Self::Job(error) => error,
            Self::Device(fallback, message) | Self::Posterior(fallback, message) => {
                Error::new(ErrorKind::Device, format!("{fallback}: {message}"))
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Job(error)
    }
}

/// How long a submission is meant to take: drivers reset a device that does not answer for seconds.
const SUBMISSION_SECONDS: f64 = 0.1;

/// How long a chunk that is finished may take to be reported.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Operations of the first submission, before it is known what the device does in a second.
const FIRST_OPERATIONS: f64 = 2e10;

/// Recordings that are kept: with and without gradients, in both precisions, for two jobs in turn.
const RECORDINGS: usize = 8;

/// The scratch of one engine, reused from call to call.
pub(super) struct Engine {
    device: Device,
    residents: Residents,
    paths: SentPaths,
    staging: Staging,
    halves: [Half; 2],
    shared: Shared,
    top_k: TopK,
    readback: [Store; 2],
    recordings: Vec<Recording>,
    /// In each precision, as far as it is known.
    operations_per_second: [f64; 2],
    submissions: usize,
}

/// What the host worked out for a call.
#[derive(Clone, Copy)]
pub(super) struct Prepared<'a> {
    pub cost: CostInput,
    pub priced: &'a Priced,
    pub inverted: &'a [Inverted],
}

/// A chunk to be sent.
struct Batch<'a> {
    job: &'a Job<'a>,
    points: &'a Points,
    priced: &'a Priced,
    range: Range<usize>,
    keep: Option<usize>,
}

/// A chunk on its way.
struct Flight {
    range: Range<usize>,
    shape: Shape,
    keep: Option<usize>,
    /// Bytes of the numbers, which the counts follow.
    size: u64,
    slot: usize,
    submission: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl Engine {
    pub fn new(device: Device) -> Result<Self, Failure> {
        Ok(Self {
            residents: Residents::new(),
            paths: SentPaths::new(&device)?,
            staging: Staging::default(),
            halves: [Half::new(&device)?, Half::new(&device)?],
            shared: Shared::new(&device)?,
            top_k: TopK::new(&device)?,
            readback: readback(&device)?,
            recordings: Vec::new(),
            operations_per_second: [FIRST_OPERATIONS / SUBMISSION_SECONDS; 2],
            submissions: 0,
            device,
        })
    }

    pub fn work(&self) -> Work {
        Work { sent: self.residents.sent, appended: self.residents.appended, submissions: self.submissions, paths: self.paths.sent }
    }

    pub fn holds(&self, posterior: &Posterior, precision: Precision) -> bool {
        self.residents.holds(posterior, precision)
    }

    /// The posteriors of a job whose inverse factors are needed and not among those given.
    pub fn missing<'a>(&mut self, job: &Job<'a>, precision: Precision, inverted: &[Inverted]) -> Vec<&'a Posterior> {
        let log_cost = job.cost.posterior().filter(|_| job.acquisition.uses_cost());
        let needed = |posterior: &&Posterior| {
            let given = inverted.iter().any(|inverted| inverted.id == posterior.lineage.identity.0);
            !self.residents.touch(posterior, precision) && !given && !self.residents.is_unfit(posterior, precision)
        };
        [Some(job.posterior), log_cost].into_iter().flatten().filter(needed).collect()
    }

    /// [`evaluate`](Self::evaluate) with nothing worked out before, for an engine that nobody else uses.
    pub fn evaluate_alone(&mut self, job: &Job<'_>, points: &Points, precision: Precision, scores: &mut Scores) -> Result<(), Failure> {
        let mut priced = Priced::default();
        let cost = priced.refill(job, points)?;
        let inverted: Vec<Inverted> = self.missing(job, precision, &[]).into_iter().map(Inverted::of).collect();
        self.evaluate(job, points, precision, Prepared { cost, priced: &priced, inverted: &inverted }, None, scores)
    }

    /// Fills `scores` for all points, or with `keep` appends values, in the device's units, and rows of the best of each chunk. The job and the
    /// points were checked before.
    pub fn evaluate(
        &mut self,
        job: &Job<'_>,
        points: &Points,
        precision: Precision,
        prepared: Prepared<'_>,
        keep: Option<usize>,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        let (b, d) = (points.len(), points.dim());
        let Prepared { cost, inverted, .. } = prepared;
        let mut ensure = |posterior| self.device.scoped(|| self.residents.ensure(&self.device, posterior, precision, inverted));
        let outcome = ensure(job.posterior)?;
        let log_cost = match (cost, job.cost) {
            (CostInput::Learned, JobCost::Learned(posterior)) => Some(ensure(posterior)?),
            _ => None,
        };
        let path = match job.acquisition.path() {
            Some(path) => Some(self.device.scoped(|| self.paths.ensure(&self.device, path, precision, &mut self.staging))?),
            None => None,
        };
        // Bindings keep buffers alive: those of posteriors that made room for others go with them.
        let held = |place: Option<Place>| place.is_none() || self.residents.get(place).is_some();
        let kept = |place: Option<PathPlace>| place.is_none() || self.paths.get(place).is_some();
        self.recordings.retain(|Recording { key, .. }| held(Some(key.outcome)) && held(key.log_cost) && kept(key.path));
        match keep {
            None => scores.resize(b, if job.gradient { d } else { 0 }),
            Some(_) => scores.resize(0, 0),
        }
        scores.floored = 0;
        scores.provenance = Provenance { backend: "gpu", adapter: Some(self.device.name()), precision: precision.name(), fallback: None };
        let scale = Scale::of(job);
        let bytes = self.staging.fill(precision, settings(job, &scale, precision).into_iter());
        if self.shared.settings.reserve(&self.device, bytes.len() as u64)? {
            self.recordings.clear();
        }
        self.device.scoped(|| {
            self.device.wgpu().1.write_buffer(self.shared.settings.buffer(), 0, bytes);
            Ok(())
        })?;
        let key = RecordingKey { outcome, log_cost, path, kind: scale.kind, cost, gradient: job.gradient };
        let operations = operations(job, log_cost.is_some());
        let chunk = self.chunk(job, log_cost.is_some(), precision, operations)?;
        let started = Instant::now();
        let batch = Batch { job, points, priced: prepared.priced, range: 0..b, keep };
        if let Err(failure) = self.run(&batch, chunk, key, scores) {
            // A chunk may still be on its way into one of them.
            self.readback = readback(&self.device)?;
            return Err(failure);
        }
        let measured = b as f64 * operations / started.elapsed().as_secs_f64();
        // A batch of one chunk says only that the device is at least so fast.
        let known = &mut self.operations_per_second[precision as usize];
        *known = if b > chunk { measured } else { measured.max(*known) };
        Ok(())
    }

    /// A batch, chunk by chunk.
    fn run(&mut self, batch: &Batch<'_>, chunk: usize, key: RecordingKey, scores: &mut Scores) -> Result<(), Failure> {
        let mut flight: Option<Flight> = None;
        for (number, start) in batch.range.clone().step_by(chunk).enumerate() {
            let next = Batch { range: start..batch.range.end.min(start + chunk), ..*batch };
            let next = self.submit(&next, key, number % 2)?;
            // While the device computes this chunk, the host reads the one before.
            if let Some(landing) = flight.replace(next) {
                self.land(batch.job, landing, key.outcome.1, scores)?;
            }
        }
        flight.map_or(Ok(()), |landing| self.land(batch.job, landing, key.outcome.1, scores))
    }

    /// Points of a chunk: within the adapter's limits, the scratch, and the time of a submission.
    fn chunk(&self, job: &Job<'_>, learned: bool, precision: Precision, operations: f64) -> Result<usize, Failure> {
        let limits = self.device.wgpu().0.limits();
        let (width, d) = (precision.size() as u64, job.posterior.dim() as u64);
        let len = match job.cost {
            JobCost::Learned(posterior) if learned => posterior.len().max(job.posterior.len()),
            _ => job.posterior.len(),
        };
        let rows = len.next_multiple_of(TILE) as u64;
        let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        // The widest of what has a row for each point: output and coefficients.
        let by_memory = (binding.min(SCRATCH) / (width * rows)).min(binding / (width * (d + 5)));
        let by_groups = u64::from(limits.max_compute_workgroups_per_dimension) * GRADIENT_POINTS as u64;
        let by_time = (self.operations_per_second[precision as usize] * SUBMISSION_SECONDS / operations) as u64;
        let tile = TILE as u64;
        let points = by_memory.min(by_groups).min(by_time.max(tile)) / tile * tile;
        if points == 0 {
            let (needed, has) = (width * rows * tile, binding.min(SCRATCH));
            let message = format!("64 points beside {len} observations need {needed} bytes in one piece, there are {has}");
            return Err(Failure::Posterior(Fallback::OutOfMemory, message));
        }
        Ok(points as usize)
    }

    fn submit(&mut self, batch: &Batch<'_>, key: RecordingKey, slot: usize) -> Result<Flight, Failure> {
        let device = self.device.clone();
        device.scoped(|| self.submit_within_scopes(batch, key, slot))
    }

    fn submit_within_scopes(&mut self, batch: &Batch<'_>, key: RecordingKey, slot: usize) -> Result<Flight, Failure> {
        let Batch { job, points, priced, ref range, keep } = *batch;
        let Self { device, residents, staging, halves, shared, top_k, readback, recordings, paths, .. } = self;
        let (d, precision) = (points.dim(), key.outcome.1);
        let width = precision.size() as u64;
        let posteriors = [residents.get(Some(key.outcome)), residents.get(key.log_cost)];
        let blocks = posteriors.map(|resident| resident.map_or(0, |resident| resident.blocks));
        let stride = range.len().next_multiple_of(TILE);
        let shape = Shape { blocks: blocks[0], dim: d, stride, count: range.len(), cost_blocks: blocks[1], wave_blocks: 0 };
        let inverse = [Some(job.posterior), job.cost.posterior()].map(|posterior| posterior.map(|p| p.packed.inverse_lengthscales()));
        let known = matches!(key.cost, CostInput::Uniform | CostInput::Known);
        let mut moved = shared.reserve(device, width, shape, key.gradient, known)?;
        let (wgpu, queue) = device.wgpu();
        for ((half, inverse), resident) in halves.iter_mut().zip(inverse).zip(posteriors) {
            let (Some(inverse), Some(resident)) = (inverse, resident) else { continue };
            let shape = Shape { blocks: resident.blocks, ..shape };
            moved |= half.reserve(device, width, shape, key.slopes())?;
            let padded = range.start..range.start + stride;
            queue.write_buffer(half.points.buffer(), 0, staging.blocks(precision, points, (&resident.center, inverse), padded));
            queue.write_buffer(half.shape.buffer(), 0, bytemuck::cast_slice(&shape.words()));
        }
        moved |= paths.send_points(device, key.path, points, range.start, shape, staging)?;
        if known {
            let bytes = staging.fill(precision, priced.log_cost[range.clone()].iter().copied());
            queue.write_buffer(shared.known.buffer(), 0, bytes);
        }
        if key.cost == CostInput::Known && key.gradient {
            let bytes = staging.fill(precision, priced.gradient[range.start * d..range.end * d].iter().copied());
            queue.write_buffer(shared.known.buffer(), width * stride as u64, bytes);
        }
        let size = match keep {
            None => width * (stride * (3 + if key.gradient { d } else { 0 })) as u64,
            Some(keep) => (width + ROW) * keep as u64,
        };
        readback[slot].reserve(device, size + COUNTS)?;
        if moved {
            // What was bound is no longer what is there.
            recordings.clear();
        }
        let at = match recordings.iter().position(|recording| recording.key == key) {
            Some(at) => at,
            None => {
                if recordings.len() == RECORDINGS {
                    recordings.remove(0);
                }
                recordings.push(Recording::new(device, key, posteriors, halves, shared, paths)?);
                recordings.len() - 1
            }
        };
        let mut encoder = wgpu.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("gittins") });
        #[cfg(test)]
        super::fault::on_submission(device, &mut encoder)?;
        encoder.clear_buffer(shared.counts.buffer(), 0, Some(COUNTS));
        recordings[at].encode(&mut encoder, shape);
        let target = readback[slot].buffer();
        match keep {
            None => encoder.copy_buffer_to_buffer(shared.output.buffer(), 0, target, 0, size),
            Some(keep) => {
                top_k.reserve(device, precision, range.len(), keep)?;
                let batch = (range.start, range.len(), keep);
                let [scores, rows] = top_k.encode(device, &mut encoder, shared.output.buffer(), precision, batch)?;
                encoder.copy_buffer_to_buffer(scores, 0, target, 0, width * keep as u64);
                encoder.copy_buffer_to_buffer(rows, 0, target, width * keep as u64, ROW * keep as u64);
            }
        }
        encoder.copy_buffer_to_buffer(shared.counts.buffer(), 0, target, size, COUNTS);
        let submission = queue.submit([encoder.finish()]);
        let (sink, mapped) = mpsc::channel();
        target.slice(..size + COUNTS).map_async(wgpu::MapMode::Read, move |result| {
            let _ = sink.send(result);
        });
        self.submissions += 1;
        Ok(Flight { range: range.clone(), shape, keep, size, slot, submission, mapped })
    }

    /// Waits for a chunk and takes its numbers, back in the posterior's own units.
    fn land(&mut self, job: &Job<'_>, flight: Flight, precision: Precision, scores: &mut Scores) -> Result<(), Failure> {
        let Flight { range, shape, keep, size, slot, submission, mapped } = flight;
        let device = self.device.wgpu().0;
        let polled = device.poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None });
        let lost = |message: String| Failure::Device(Fallback::DeviceLost, self.device.lost().map_or(message, str::to_string));
        polled.map_err(|error| lost(error.to_string()))?;
        // Another thread that polls the same device may be the one that is told of this chunk, and may not have passed it on yet.
        match mapped.recv_timeout(PATIENCE) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(lost(error.to_string())),
            Err(_) => return Err(lost("the device did not answer".to_string())),
        }
        let d = if job.gradient { shape.dim } else { 0 };
        let buffer = self.readback[slot].buffer();
        let result = buffer.slice(..size + COUNTS).get_mapped_range().map_err(|error| lost(error.to_string())).map(|view| {
            let (output, counts) = view.split_at(size as usize);
            let target =
                Target { count: range.len(), start: range.start, stride: shape.stride, d, scale: Scale::of(job), scores: &mut *scores };
            match (keep, precision) {
                (None, Precision::F32) => target.take::<f32>(bytemuck::cast_slice(output)),
                (None, Precision::F64) => target.take::<f64>(bytemuck::cast_slice(output)),
                (Some(keep), Precision::F32) => target.append::<f32>(output, keep),
                (Some(keep), Precision::F64) => target.append::<f64>(output, keep),
            }
            let counts: &[u32] = bytemuck::cast_slice(counts);
            [counts[0], counts[1]]
        });
        buffer.unmap();
        let [floored, overflowed] = result?;
        scores.floored += floored as usize;
        if overflowed > 0 {
            return Err(Failure::Posterior(Fallback::Overflow, format!("{overflowed} points have numbers beyond {}", precision.name())));
        }
        Ok(())
    }
}

/// Where the host reads: one chunk while the device writes another.
fn readback(device: &Device) -> Result<[Store; 2], Failure> {
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    Ok([Store::new(device, "readback", usage)?, Store::new(device, "readback", usage)?])
}

/// Bytes of the counts: floored variances, and scores that are not finite.
const COUNTS: u64 = 8;
