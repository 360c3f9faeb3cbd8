//! A job on the device: send, record, submit, read back, in chunks.

use std::ops::Range;
use std::time::Instant;

use super::Work;
use super::buffers::{Place, Resident, Residents, SCRATCH, Staging};
use super::device::Device;
use super::flight::{Flight, Readback};
use super::layout::{Coefficient, Count, GRADIENT_POINTS, Output, Shape, TILE};
use super::operations::operations;
use super::output::{ROW, Target};
use super::paths::{PathPlace, SentPaths};
use super::price::{Inverted, Priced};
use super::record::{CostInput, Half, Pass, Recording, RecordingKey, Shared};
use super::scale::{Scale, settings};
use super::selection::TopK;
use crate::backend::{Fallback, Job, Precision, Scores};
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

/// Operations of the first submission, before it is known what the device does in a second.
const FIRST_OPERATIONS: f64 = 2e10;

/// Recordings that are kept: with and without gradients, in both precisions, for two jobs in turn.
const RECORDINGS: usize = 8;

/// The scratch of one engine, reused from call to call.
pub(super) struct Engine {
    pub device: Device,
    pub residents: Residents,
    pub paths: SentPaths,
    pub staging: Staging,
    pub halves: [Half; 2],
    pub shared: Shared,
    top_k: TopK,
    pub readback: Readback,
    pub recordings: Recordings,
    /// In each precision, as far as it is known.
    operations_per_second: [f64; 2],
    pub submissions: usize,
    /// Chunks for which room was made: what one left is there until the next.
    pub chunks: usize,
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
struct Sent {
    range: Range<usize>,
    shape: Shape,
    keep: Option<usize>,
    flight: Flight,
}

/// The recordings that are kept, the latest last.
#[derive(Default)]
pub(super) struct Recordings(Vec<Recording>);

impl Recordings {
    /// What was bound is no longer what is there.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The recording of a key, made now if it was not before.
    pub fn get(
        &mut self,
        device: &Device,
        key: RecordingKey,
        posteriors: [Option<&Resident>; 2],
        halves: &[Half; 2],
        shared: &Shared,
        paths: &SentPaths,
    ) -> Result<&Recording, Failure> {
        let at = match self.0.iter().position(|recording| recording.key == key) {
            Some(at) => at,
            None => {
                if self.0.len() == RECORDINGS {
                    self.0.remove(0);
                }
                self.0.push(Recording::new(device, key, posteriors, halves, shared, paths)?);
                self.0.len() - 1
            }
        };
        Ok(&self.0[at])
    }
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
            readback: Readback::new(&device)?,
            recordings: Recordings::default(),
            operations_per_second: [FIRST_OPERATIONS / SUBMISSION_SECONDS; 2],
            submissions: 0,
            chunks: 0,
            device,
        })
    }

    pub fn work(&self) -> Work {
        Work {
            sent: self.residents.sent,
            appended: self.residents.appended,
            submissions: self.submissions,
            paths: self.paths.sent,
        }
    }

    pub fn holds(&self, posterior: &Posterior, precision: Precision) -> bool {
        self.residents.holds(posterior, precision)
    }

    /// The posteriors of a job whose inverse factors are needed and not among those given.
    pub fn missing<'a>(
        &mut self,
        job: &Job<'a>,
        precision: Precision,
        inverted: &[Inverted],
    ) -> Vec<&'a Posterior> {
        let log_cost = job.cost.posterior().filter(|_| job.acquisition.uses_cost());
        let needed = |posterior: &&Posterior| {
            let given = inverted.iter().any(|inverted| inverted.id == posterior.lineage.identity.0);
            !self.residents.touch(posterior, precision)
                && !given
                && !self.residents.is_unfit(posterior, precision)
        };
        [Some(job.posterior), log_cost].into_iter().flatten().filter(needed).collect()
    }

    /// [`evaluate`](Self::evaluate) with nothing worked out before, for an engine that nobody else
    /// uses.
    pub fn evaluate_alone(
        &mut self,
        job: &Job<'_>,
        points: &Points,
        precision: Precision,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        let mut priced = Priced::default();
        let cost = priced.refill(job, points)?;
        let inverted: Vec<Inverted> =
            self.missing(job, precision, &[]).into_iter().map(Inverted::of).collect();
        self.evaluate(
            job,
            points,
            precision,
            Prepared { cost, priced: &priced, inverted: &inverted },
            None,
            scores,
        )
    }

    /// Fills `scores` for all points, or with `keep` appends values, in the device's units, and
    /// rows of the best of each chunk. The job and the points were checked before.
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
        let log_cost = job.cost.posterior().filter(|_| cost == CostInput::Learned);
        let (outcome, log_cost) = self.seat(job.posterior, log_cost, precision, inverted)?;
        let path =
            match job.acquisition.path() {
                Some(path) => Some(self.device.scoped(|| {
                    self.paths.ensure(&self.device, path, precision, &mut self.staging)
                })?),
                None => None,
            };
        self.forget();
        match keep {
            None => scores.resize(b, if job.gradient { d } else { 0 }),
            Some(_) => scores.resize(0, 0),
        }
        scores.floored = 0;
        scores.provenance = self.device.provenance(precision);
        let scale = Scale::of(job);
        let bytes = self.staging.fill(precision, settings(job, &scale, precision).into_iter());
        if self.shared.settings.reserve(&self.device, bytes.len() as u64)? {
            self.recordings.clear();
        }
        self.device.scoped(|| {
            self.device.wgpu().1.write_buffer(self.shared.settings.buffer(), 0, bytes);
            Ok(())
        })?;
        let key = RecordingKey {
            outcome,
            log_cost,
            path,
            kind: scale.kind,
            cost,
            gradient: job.gradient,
            pass: Pass::Scores,
        };
        let operations = operations(job, log_cost.is_some());
        let chunk = self.chunk(
            [Some(job.posterior), job.cost.posterior().filter(|_| log_cost.is_some())],
            1,
            precision,
            operations,
        )?;
        let started = Instant::now();
        let batch = Batch { job, points, priced: prepared.priced, range: 0..b, keep };
        if let Err(failure) = self.run(&batch, chunk, key, scores) {
            // A chunk may still be on its way into one of them.
            self.readback = Readback::new(&self.device)?;
            return Err(failure);
        }
        self.measured(
            precision,
            b as f64 * operations / started.elapsed().as_secs_f64(),
            b > chunk,
        );
        Ok(())
    }

    /// Makes sure that posteriors are on the device.
    pub fn seat(
        &mut self,
        outcome: &Posterior,
        log_cost: Option<&Posterior>,
        precision: Precision,
        inverted: &[Inverted],
    ) -> Result<(Place, Option<Place>), Failure> {
        let mut ensure = |posterior| {
            self.device
                .scoped(|| self.residents.ensure(&self.device, posterior, precision, inverted))
        };
        Ok((ensure(outcome)?, log_cost.map(ensure).transpose()?))
    }

    /// Bindings keep buffers alive: those of posteriors that made room for others go with them.
    pub fn forget(&mut self) {
        let held = |place: Option<Place>| place.is_none() || self.residents.get(place).is_some();
        let kept = |place: Option<PathPlace>| place.is_none() || self.paths.get(place).is_some();
        self.recordings.0.retain(|Recording { key, .. }| {
            held(Some(key.outcome)) && held(key.log_cost) && kept(key.path)
        });
    }

    /// Learns operations a second. A batch of one chunk says only that the device is at least so
    /// fast.
    pub fn measured(&mut self, precision: Precision, rate: f64, several: bool) {
        let known = &mut self.operations_per_second[precision as usize];
        *known = if several { rate } else { rate.max(*known) };
    }

    /// A batch, chunk by chunk.
    fn run(
        &mut self,
        batch: &Batch<'_>,
        chunk: usize,
        key: RecordingKey,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        let mut sent: Option<Sent> = None;
        for (number, start) in batch.range.clone().step_by(chunk).enumerate() {
            let next = Batch { range: start..batch.range.end.min(start + chunk), ..*batch };
            let next = self.submit(&next, key, number % 2)?;
            // While the device computes this chunk, the host reads the one before.
            if let Some(landing) = sent.replace(next) {
                self.land(batch.job, landing, key.outcome.1, scores)?;
            }
        }
        sent.map_or(Ok(()), |landing| self.land(batch.job, landing, key.outcome.1, scores))
    }

    /// Points of a chunk: within the adapter's limits, the scratch, and the time of a submission,
    /// which holds so many at least.
    pub fn chunk(
        &self,
        posteriors: [Option<&Posterior>; 2],
        least: usize,
        precision: Precision,
        operations: f64,
    ) -> Result<usize, Failure> {
        let limits = self.device.wgpu().0.limits();
        let present = || posteriors.into_iter().flatten();
        let (len, d) = (
            present().map(Posterior::len).max().unwrap_or(0),
            present().map(Posterior::dim).max().unwrap_or(0) as u64,
        );
        let width = precision.size() as u64;
        let rows = len.next_multiple_of(TILE) as u64;
        let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        // The widest of what has a row for each point: output and coefficients.
        let by_memory = (binding.min(SCRATCH) / (width * rows))
            .min(binding / (width * (d + Coefficient::ALL.len() as u64)));
        let by_groups =
            u64::from(limits.max_compute_workgroups_per_dimension) * GRADIENT_POINTS as u64;
        let by_time = (self.operations_per_second[precision as usize] * SUBMISSION_SECONDS
            / operations) as u64;
        let tile = TILE as u64;
        let least = (least as u64).next_multiple_of(tile);
        let points = by_memory.min(by_groups).min(by_time.max(least)) / tile * tile;
        if points < least {
            let (needed, has) = (width * rows * least, binding.min(SCRATCH));
            let message = format!(
                "{least} points beside {len} observations need {needed} bytes in one piece, there are {has}"
            );
            return Err(Failure::Posterior(Fallback::OutOfMemory, message));
        }
        Ok(points as usize)
    }

    fn submit(
        &mut self,
        batch: &Batch<'_>,
        key: RecordingKey,
        slot: usize,
    ) -> Result<Sent, Failure> {
        let device = self.device.clone();
        device.scoped(|| self.submit_within_scopes(batch, key, slot))
    }

    fn submit_within_scopes(
        &mut self,
        batch: &Batch<'_>,
        key: RecordingKey,
        slot: usize,
    ) -> Result<Sent, Failure> {
        let Batch { job, points, priced, ref range, keep } = *batch;
        self.chunks += 1;
        let Self {
            device,
            residents,
            staging,
            halves,
            shared,
            top_k,
            readback,
            recordings,
            paths,
            ..
        } = self;
        let (d, precision) = (points.dim(), key.outcome.1);
        let width = precision.size() as u64;
        let posteriors = [residents.get(Some(key.outcome)), residents.get(key.log_cost)];
        let blocks = posteriors.map(|resident| resident.map_or(0, |resident| resident.blocks));
        let stride = range.len().next_multiple_of(TILE);
        let shape = Shape {
            blocks: blocks[0],
            dim: d,
            stride,
            count: range.len(),
            cost_blocks: blocks[1],
            ..Shape::default()
        };
        let inverse = [Some(job.posterior), job.cost.posterior()]
            .map(|posterior| posterior.map(|p| p.packed.inverse_lengthscales()));
        let known = matches!(key.cost, CostInput::Uniform | CostInput::Known);
        let mut moved = shared.reserve(device, width, shape, key.gradient, known)?;
        let (wgpu, queue) = device.wgpu();
        for ((half, inverse), resident) in halves.iter_mut().zip(inverse).zip(posteriors) {
            let (Some(inverse), Some(resident)) = (inverse, resident) else { continue };
            let points = &points.values()[range.start * d..range.end * d];
            moved |=
                half.send(device, staging, (resident, inverse), points, shape, key.slopes())?;
        }
        moved |= paths.send_points(device, key.path, points, range.start, shape, staging)?;
        if known {
            let bytes = staging.fill(precision, priced.log_cost[range.clone()].iter().copied());
            queue.write_buffer(shared.known.buffer(), 0, bytes);
        }
        if key.cost == CostInput::Known && key.gradient {
            let bytes = staging
                .fill(precision, priced.gradient[range.start * d..range.end * d].iter().copied());
            queue.write_buffer(shared.known.buffer(), width * stride as u64, bytes);
        }
        let size = match keep {
            None => {
                width
                    * (stride
                        * (Output::Gradients.number() as usize + if key.gradient { d } else { 0 }))
                        as u64
            }
            Some(keep) => (width + ROW) * keep as u64,
        };
        if moved {
            recordings.clear();
        }
        let recording = recordings.get(device, key, posteriors, halves, shared, paths)?;
        let mut encoder =
            wgpu.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("gittins") });
        #[cfg(test)]
        super::fault::on_submission(device, &mut encoder)?;
        encoder.clear_buffer(shared.counts.buffer(), 0, Some(COUNTS));
        recording.encode(&mut encoder, shape);
        let target = readback.slot(device, slot, size + COUNTS)?;
        match keep {
            None => encoder.copy_buffer_to_buffer(shared.output.buffer(), 0, target, 0, size),
            Some(keep) => {
                top_k.reserve(device, precision, range.len(), keep)?;
                let batch = (range.start, range.len(), keep);
                let [scores, rows] =
                    top_k.encode(device, &mut encoder, shared.output.buffer(), precision, batch)?;
                encoder.copy_buffer_to_buffer(scores, 0, target, 0, width * keep as u64);
                encoder.copy_buffer_to_buffer(
                    rows,
                    0,
                    target,
                    width * keep as u64,
                    ROW * keep as u64,
                );
            }
        }
        encoder.copy_buffer_to_buffer(shared.counts.buffer(), 0, target, size, COUNTS);
        let flight = readback.submit(device, encoder, slot, size + COUNTS);
        self.submissions += 1;
        Ok(Sent { range: range.clone(), shape, keep, flight })
    }

    /// Waits for a chunk and takes its numbers, back in the posterior's own units.
    fn land(
        &mut self,
        job: &Job<'_>,
        sent: Sent,
        precision: Precision,
        scores: &mut Scores,
    ) -> Result<(), Failure> {
        let Sent { range, shape, keep, flight } = sent;
        let d = if job.gradient { shape.dim } else { 0 };
        let [floored, overflowed] = self.readback.land(&self.device, flight, |bytes| {
            let (output, counts) = bytes.split_at(bytes.len() - COUNTS as usize);
            let target = Target {
                count: range.len(),
                start: range.start,
                stride: shape.stride,
                d,
                scale: Scale::of(job),
                scores: &mut *scores,
            };
            match (keep, precision) {
                (None, Precision::F32) => target.take::<f32>(bytemuck::cast_slice(output)),
                (None, Precision::F64) => target.take::<f64>(bytemuck::cast_slice(output)),
                (Some(keep), Precision::F32) => target.append::<f32>(output, keep),
                (Some(keep), Precision::F64) => target.append::<f64>(output, keep),
            }
            let counts: &[u32] = bytemuck::cast_slice(counts);
            [Count::Floored, Count::Overflowed].map(|count| counts[count.number() as usize])
        })?;
        scores.floored += floored as usize;
        if overflowed > 0 {
            return Err(Failure::Posterior(
                Fallback::Overflow,
                format!("{overflowed} points have numbers beyond {}", precision.name()),
            ));
        }
        Ok(())
    }
}

/// Bytes of the counts.
const COUNTS: u64 = 4 * Count::ALL.len() as u64;
