//! A batch on the device, chunk by chunk: send, record, submit, land, measure.
//!
//! Every pass goes this way. A [`Task`] holds what differs between passes.

use std::ops::Range;
use std::time::Instant;

use crate::backend::gpu::chunk::batch::{Batch, Rows};
use crate::backend::gpu::chunk::flight::{Flight, Part, Readback};
use crate::backend::gpu::chunk::pace::Pace;
use crate::backend::gpu::chunk::record::RecordingKey;
use crate::backend::gpu::chunk::recordings::Recordings;
use crate::backend::gpu::chunk::scratch::Scratch;
use crate::backend::gpu::chunk::stopwatch::{HostStep, Stopwatch};
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::layout::Shape;
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::resident::inverted::Inverted;
use crate::backend::gpu::resident::paths::SentPaths;
use crate::backend::gpu::resident::residents::Residents;
use crate::backend::{Job, Precision};
use crate::posterior::Posterior;

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

/// Bytes that batches and climbs took over the link so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bytes {
    /// Those of points, and of climbs at their starts.
    pub sent: usize,
    /// Those of answers.
    pub read: usize,
}

/// What differs between passes, in the order in which the engine asks for it.
pub trait Task {
    /// Writes what all chunks need. Returns whether a buffer was replaced.
    fn prepare(&mut self, handle: &Handle, scratch: &mut Scratch) -> Result<bool, Failure>;

    /// Makes room for a chunk, and writes what it needs besides its points. Returns whether a
    /// buffer was replaced.
    fn write(
        &mut self,
        handle: &Handle,
        scratch: &mut Scratch,
        chunk: &Chunk,
    ) -> Result<bool, Failure>;

    /// The parts of buffers that the host reads, end to end. Adds commands that are not in the
    /// recording.
    fn read<'a>(
        &self,
        pipelines: &Pipelines,
        encoder: &mut wgpu::CommandEncoder,
        scratch: &'a mut Scratch,
        chunk: &Chunk,
    ) -> Result<Vec<Part<'a>>, Failure>;

    /// Takes the bytes of these parts.
    fn land(&mut self, chunk: &Chunk, bytes: &[u8]) -> Result<(), Failure>;
}

/// A chunk of a batch.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The rows of the batch.
    pub rows: Range<usize>,
    pub shape: Shape,
}

/// The scratch of one engine, reused from call to call.
pub struct Engine {
    pub(super) pipelines: Pipelines,
    pub(super) residents: Residents,
    pub(super) paths: SentPaths,
    pub(super) scratch: Scratch,
    pub(super) readback: Readback,
    pub(super) recordings: Recordings,
    pace: Pace,
    /// Only while the steps of a batch are timed.
    watch: Option<Stopwatch>,
    submissions: usize,
    pub(super) bytes: Bytes,
    /// Chunks that were sent. A chunk leaves its numbers on the device until the next one comes.
    chunks: usize,
}

impl Engine {
    pub fn new(pipelines: Pipelines) -> Result<Self, Failure> {
        let handle = pipelines.handle();
        Ok(Self {
            residents: Residents::new(),
            paths: SentPaths::new(handle)?,
            scratch: Scratch::new(handle)?,
            readback: Readback::new(handle)?,
            recordings: Recordings::default(),
            pace: Pace::new(),
            watch: None,
            submissions: 0,
            bytes: Bytes::default(),
            chunks: 0,
            pipelines,
        })
    }

    /// The device.
    pub fn handle(&self) -> &Handle {
        self.pipelines.handle()
    }

    /// What was done so far.
    pub fn work(&self) -> Work {
        Work {
            sent: self.residents.sent,
            appended: self.residents.appended,
            submissions: self.submissions,
            paths: self.paths.sent,
        }
    }

    /// The bytes of batches so far.
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// The chunks that were sent so far.
    pub fn chunks(&self) -> usize {
        self.chunks
    }

    /// What `run` returns, and what the steps of its batches took.
    pub fn watched<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<(T, Stopwatch), Failure> {
        self.watch = Some(Stopwatch::new(self.handle()));
        let done = run(self);
        let watch = self.watch.take().unwrap_or_else(|| Stopwatch::new(self.handle()));
        Ok((done?, watch))
    }

    /// Whether the device holds the posterior, or one that it grew from.
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
        // The host weighs trees by the probability of success.
        let latent = job.latent().filter(|_| job.acquisition.pointwise().is_some());
        let needed = |posterior: &&Posterior| {
            let given = inverted.iter().any(|inverted| inverted.id == posterior.lineage.identity.0);
            !self.residents.touch(posterior, precision)
                && !given
                && !self.residents.is_unfit(posterior, precision)
        };
        [Some(job.posterior), log_cost, latent].into_iter().flatten().filter(needed).collect()
    }

    /// Does a task for all rows of a batch. The job and the points were checked before.
    pub fn run(&mut self, batch: &Batch<'_>, task: &mut impl Task) -> Result<(), Failure> {
        let key = self.seat(batch)?;
        self.recordings.forget(&self.residents, &self.paths);
        if self
            .pipelines
            .handle()
            .scoped(|| task.prepare(self.pipelines.handle(), &mut self.scratch))?
        {
            self.recordings.clear();
        }
        let rows = self.rows_of_a_chunk(batch)?;
        let started = Instant::now();
        if let Err(failure) = self.chunk_by_chunk(batch, key, rows, task) {
            // A chunk may still be on its way into the buffers that the host reads.
            self.readback = Readback::new(self.handle())?;
            return Err(failure);
        }
        let points = batch.rows.len() * batch.points_of_a_row();
        let rate = points as f64 * batch.operations / started.elapsed().as_secs_f64();
        self.pace.measured(batch.precision, rate, batch.rows.len() > rows);
        Ok(())
    }

    /// The most rows of a chunk.
    pub(super) fn rows_of_a_chunk(&self, batch: &Batch<'_>) -> Result<usize, Failure> {
        self.pace.rows_of_a_chunk(self.handle(), batch)
    }

    /// Makes sure that posteriors and path are on the device.
    pub(super) fn seat(&mut self, batch: &Batch<'_>) -> Result<RecordingKey, Failure> {
        let Self { pipelines, residents, paths, scratch, .. } = self;
        let (handle, precision) = (pipelines.handle(), batch.precision);
        let mut ensure = |posterior| {
            handle.scoped(|| residents.ensure(handle, posterior, precision, batch.inverted))
        };
        let outcome = ensure(batch.outcome)?;
        let log_cost = batch.log_cost.map(&mut ensure).transpose()?;
        let latent = batch.latent.map(ensure).transpose()?;
        let mut send =
            |path| handle.scoped(|| paths.ensure(handle, path, precision, &mut scratch.staging));
        Ok(RecordingKey {
            outcome,
            log_cost,
            latent,
            path: batch.path.map(&mut send).transpose()?,
            kind: batch.kind,
            cost: batch.cost,
            success: batch.success,
            source: batch.rows.source(),
            pending_trials: batch.pending.is_some(),
            gradient: batch.gradient,
            pass: batch.pass,
        })
    }

    /// While the device computes a chunk, the host reads the one before.
    fn chunk_by_chunk(
        &mut self,
        batch: &Batch<'_>,
        key: RecordingKey,
        rows: usize,
        task: &mut impl Task,
    ) -> Result<(), Failure> {
        let count = batch.rows.len();
        let mut sent: Option<(Chunk, Flight)> = None;
        for (number, start) in (0..count).step_by(rows).enumerate() {
            let rows = start..count.min(start + rows);
            let chunk = Chunk { shape: batch.shape(&rows), rows };
            let handle = self.handle().clone();
            let flight = handle.scoped(|| self.submit(batch, key, &chunk, number % 2, task))?;
            if let Some((before, flight)) = sent.replace((chunk, flight)) {
                self.land(&before, flight, task)?;
            }
        }
        sent.map_or(Ok(()), |(last, flight)| self.land(&last, flight, task))
    }

    /// Makes room for a chunk, and sends what its points are made from. Returns whether a buffer was
    /// replaced.
    pub(super) fn ready(
        &mut self,
        batch: &Batch<'_>,
        key: RecordingKey,
        Chunk { rows, shape }: &Chunk,
    ) -> Result<bool, Failure> {
        let Self { pipelines, residents, paths, scratch, bytes, .. } = self;
        let Scratch { halves, staging, shared, search, .. } = scratch;
        let handle = pipelines.handle();
        let mut moved = false;
        let mut points = &[][..];
        match batch.rows {
            Rows::Sent(all) => {
                points = &all.values()[rows.start * all.dim()..rows.end * all.dim()];
                moved |= shared.send(handle, points)?;
                bytes.sent += size_of_val(points);
            }
            Rows::Drawn(drawn) => {
                moved |= search.send_draw(handle, staging, batch.precision, drawn, rows)?;
            }
            Rows::Climbs(_) => {}
        }
        // The fantasies are those of the outcome.
        let others = Shape { pending: 0, ..*shape };
        for ((half, place), shape) in
            halves.iter_mut().zip(key.models()).zip([*shape, others, others])
        {
            let Some(resident) = residents.get(place) else { continue };
            moved |= half.send(handle, staging, resident, points, shape, key.slopes())?;
        }
        moved |= paths.send_points(handle, key.path, points, *shape, staging)?;
        Ok(moved)
    }

    /// Sends a chunk, and submits its commands.
    fn submit(
        &mut self,
        batch: &Batch<'_>,
        key: RecordingKey,
        chunk: &Chunk,
        slot: usize,
        task: &mut impl Task,
    ) -> Result<Flight, Failure> {
        self.chunks += 1;
        Stopwatch::start(&mut self.watch);
        let mut moved = batch.pass.needs_points() && self.ready(batch, key, chunk)?;
        let Self { pipelines, residents, paths, scratch, readback, recordings, watch, .. } = self;
        Stopwatch::lap(watch, HostStep::Points);
        let (handle, shape) = (pipelines.handle(), &chunk.shape);
        let residents = key.models().map(|place| residents.get(place));
        moved |= task.write(handle, scratch, chunk)?;
        if moved {
            recordings.clear();
        }
        let recording = recordings.get(pipelines, key, residents, scratch, paths)?;
        Stopwatch::lap(watch, HostStep::Settings);
        let mut encoder = handle
            .device()
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("gittins") });
        #[cfg(test)]
        crate::backend::gpu::fault::on_submission(handle, &mut encoder)?;
        recording.encode(&mut encoder, *shape, watch.as_mut());
        let parts = task.read(pipelines, &mut encoder, scratch, chunk)?;
        let flight = readback.submit(handle, encoder, slot, &parts)?;
        Stopwatch::lap(watch, HostStep::Submission);
        Ok(self.counted(flight))
    }

    /// Counts a submission and what it brings.
    pub(super) fn counted(&mut self, flight: Flight) -> Flight {
        self.submissions += 1;
        self.bytes.read += flight.size() as usize;
        flight
    }

    /// Waits for a chunk, and hands its numbers to the task.
    fn land(&mut self, chunk: &Chunk, flight: Flight, task: &mut impl Task) -> Result<(), Failure> {
        let Self { pipelines, readback, watch, .. } = self;
        Stopwatch::start(watch);
        let landed = readback.land(pipelines.handle(), flight, |bytes| {
            Stopwatch::lap(watch, HostStep::Waiting);
            task.land(chunk, bytes)
        });
        Stopwatch::lap(watch, HostStep::Landing);
        landed?
    }
}
