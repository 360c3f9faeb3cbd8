//! Climbs that stay on the device. A round is values and gradients of all climbs that go on, and a
//! step of each (`shaders/search/climb.wgsl`). A submission holds several rounds; the host then reads
//! which climbs have ended, and leaves these out. At the end it reads where all climbs stand.

use std::time::Instant;

use super::engine::{Chunk, Engine};
use super::scores::batch;
use crate::acquisition::{Acquisition, Shader};
use crate::backend::gpu::chunk::batch::{Batch, Rows};
use crate::backend::gpu::chunk::flight::{Flight, Part, Readback};
use crate::backend::gpu::chunk::price::Priced;
use crate::backend::gpu::chunk::record::RecordingKey;
use crate::backend::gpu::chunk::scale::{Scale, settings};
use crate::backend::gpu::chunk::scratch::Scratch;
use crate::backend::gpu::chunk::search::Search;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::kernels::search_layout::{
    Ascent as Shared, ClimbRow, ClimbStatus, Mark, Progress, numbers_of_climbs,
};
use crate::backend::gpu::resident::inverted::Inverted;
use crate::backend::search::{Ascent, Ends};
use crate::backend::{Fallback, Job, JobCost, Precision, Provenance};
use crate::data::Points;
use crate::model::family::Embedding;

/// The most rounds of a submission. Between two submissions the host takes out the climbs that have
/// ended, so that many rounds waste some work on these, and few wait for the host more often.
const ROUNDS: usize = 8;

/// Whether the device makes the points of a job itself: those of a sequence, and those of climbs. It
/// does if nothing but models in the units of their lengthscales decides.
pub fn are_for(job: &Job<'_>) -> bool {
    let Shader::Score(_) = job.acquisition.shader() else { return false };
    let priced = matches!(job.cost, JobCost::Known(_)) && job.acquisition.uses_cost();
    let models = [Some(job.posterior), job.cost.posterior(), job.latent()];
    let scaled =
        models.into_iter().flatten().all(|of| of.family().embedding() == Embedding::Scaled);
    Acquisition::points(job.acquisition) == 1 && !priced && !job.is_limited() && scaled
}

/// Climbs from all starts. The job and the starts were checked before.
pub fn climb(
    engine: &mut Engine,
    job: &Job<'_>,
    ascent: &Ascent<'_>,
    precision: Precision,
    inverted: &[Inverted],
) -> Result<Ends, Failure> {
    let count = ascent.starts.len();
    let job = job.gradient(true);
    let mut priced = Priced::default();
    let cost = priced.uniform(&job, count);
    let batch = batch(&job, Rows::Climbs(count), precision, cost, inverted);
    let key = engine.seat(&batch)?;
    engine.recordings.forget(&engine.residents, &engine.paths);
    let rows = engine.rows_of_a_chunk(&batch)?;
    let climbing = Climbing { key, scale: Scale::of(&job), count };
    let handle = engine.handle().clone();
    handle.scoped(|| climbing.begin(engine, &job, ascent, &priced))?;
    let ends = climbing.rounds(engine, &batch, ascent, rows);
    if ends.is_err() {
        // An answer may still be on its way into the buffer that the host reads.
        engine.readback = Readback::new(&handle)?;
    }
    ends
}

/// Climbs on their way.
struct Climbing {
    key: RecordingKey,
    scale: Scale,
    count: usize,
}

impl Climbing {
    /// Rounds of at most `rows` climbs at a time, until all have ended or the search is over.
    fn rounds(
        &self,
        engine: &mut Engine,
        batch: &Batch<'_>,
        ascent: &Ascent<'_>,
        rows: usize,
    ) -> Result<Ends, Failure> {
        let handle = engine.handle().clone();
        let mut moving: Vec<usize> = (0..self.count).collect();
        let mut rounds = 1;
        while !moving.is_empty() && !(ascent.is_over)() {
            let started = Instant::now();
            let mut progress: Vec<u32> = Vec::new();
            // More climbs than fit into the memory of a chunk take turns.
            for part in moving.chunks(rows) {
                let chunk = Chunk { rows: 0..part.len(), shape: batch.shape(&(0..part.len())) };
                let flight = handle.scoped(|| {
                    if engine.ready(batch, self.key, &chunk)? {
                        engine.recordings.clear();
                    }
                    self.submit(engine, part, &chunk, rounds)
                })?;
                engine.readback.land(&handle, flight, |bytes| {
                    progress = bytemuck::cast_slice(bytes).to_vec();
                })?;
            }
            let status = |climb: usize| progress[climb * Progress::ALL.len()];
            moving.retain(|&climb| status(climb) == ClimbStatus::Running as u32);
            let each = started.elapsed().as_secs_f64() / rounds as f64;
            rounds = ((ascent.patience / each) as usize).clamp(1, ROUNDS);
        }
        let flight = handle.scoped(|| self.end(engine, ascent.starts.dim()))?;
        let precision = self.key.outcome.1;
        let dim = ascent.starts.dim();
        let made = handle.provenance(precision);
        engine.readback.land(&handle, flight, |bytes| match precision {
            Precision::F32 => self.ends::<f32>(dim, made, bytes),
            Precision::F64 => self.ends::<f64>(dim, made, bytes),
        })?
    }

    /// Sends settings, prices and climbs.
    fn begin(
        &self,
        engine: &mut Engine,
        job: &Job<'_>,
        ascent: &Ascent<'_>,
        priced: &Priced,
    ) -> Result<(), Failure> {
        let precision = self.key.outcome.1;
        let handle = engine.pipelines.handle();
        let Scratch { staging, shared, search, .. } = &mut engine.scratch;
        let settings = settings(job, &self.scale, precision);
        let mut moved =
            shared.settings.write(handle, staging.fill(precision, settings.into_iter()))?;
        let known = &priced.log_cost;
        moved |= shared.known.write(handle, staging.fill(precision, known.iter().copied()))?;
        let Scale { offset, factor, .. } = self.scale;
        let numbers = Shared::ALL.map(|number| match number {
            Shared::Offset => offset,
            Shared::Factor => factor,
            Shared::Steep => f64::from(u8::from(ascent.steep)),
            Shared::FunctionTolerance => ascent.function_tolerances[precision as usize],
            Shared::GradientTolerance => ascent.gradient_tolerance,
            Shared::Iterations => ascent.max_iterations as f64,
            Shared::Climbs => self.count as f64,
        });
        moved |= search.send_climbs(handle, staging, precision, ascent, &numbers)?;
        let numbers = self.count * (ClimbRow::SENT * ascent.starts.dim() + Mark::ALL.len());
        engine.bytes.sent += precision.size() * numbers;
        if moved {
            engine.recordings.clear();
        }
        Ok(())
    }

    /// Submits some rounds of the climbs that go on.
    fn submit(
        &self,
        engine: &mut Engine,
        moving: &[usize],
        chunk: &Chunk,
        rounds: usize,
    ) -> Result<Flight, Failure> {
        let (key, precision) = (self.key, self.key.outcome.1);
        let Engine { pipelines, residents, paths, scratch, recordings, readback, .. } = engine;
        let handle = pipelines.handle();
        let width = precision.size() as u64;
        let known = false;
        if scratch.shared.reserve(handle, width, chunk.shape, true, known)? {
            recordings.clear();
        }
        scratch.search.send_moving(handle, moving);
        let models = key.models().map(|place| residents.get(place));
        let recording = recordings.get(pipelines, key, models, scratch, paths)?;
        let mut encoder = handle
            .device()
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("climbs") });
        #[cfg(test)]
        crate::backend::gpu::fault::on_submission(handle, &mut encoder)?;
        for _ in 0..rounds {
            recording.encode(&mut encoder, chunk.shape, None);
        }
        let flight = readback.submit(handle, encoder, 0, &[self.progress(&scratch.search)])?;
        Ok(engine.counted(flight))
    }

    /// Reads where the climbs stand: points, marks and progress.
    fn end(&self, engine: &mut Engine, dim: usize) -> Result<Flight, Failure> {
        let Engine { pipelines, scratch, readback, .. } = engine;
        let (handle, search) = (pipelines.handle(), &scratch.search);
        let width = self.key.outcome.1.size() as u64;
        let [places, marks] = self.sizes(dim);
        let all = (numbers_of_climbs(self.count, dim) * self.key.outcome.1.size()) as u64;
        let of_climbs = |from, size| Part { buffer: search.climbs.buffer(), from, size };
        let parts = [
            of_climbs(0, width * places),
            of_climbs(all - width * marks, width * marks),
            self.progress(search),
        ];
        let encoder = handle
            .device()
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("ends") });
        let flight = readback.submit(handle, encoder, 0, &parts)?;
        Ok(engine.counted(flight))
    }

    /// The progress of all climbs.
    fn progress<'a>(&self, search: &'a Search) -> Part<'a> {
        Part { buffer: search.progress.buffer(), from: 0, size: self.progress_size() }
    }

    /// Numbers of the points and of the marks of all climbs.
    fn sizes(&self, dim: usize) -> [u64; 2] {
        [self.count * dim, self.count * Mark::ALL.len()].map(|numbers| numbers as u64)
    }

    /// Bytes of the progress of all climbs.
    fn progress_size(&self) -> u64 {
        (4 * self.count * Progress::ALL.len()) as u64
    }

    /// From the bytes that were read to the ends.
    fn ends<T: bytemuck::Pod + Into<f64>>(
        &self,
        dim: usize,
        provenance: Provenance,
        bytes: &[u8],
    ) -> Result<Ends, Failure> {
        let (numbers, progress) = bytes.split_at(bytes.len() - self.progress_size() as usize);
        let numbers: Vec<f64> =
            bytemuck::cast_slice::<u8, T>(numbers).iter().map(|&number| number.into()).collect();
        let (points, marks) = numbers.split_at(self.count * dim);
        let progress: &[u32] = bytemuck::cast_slice(progress);
        let met = [ClimbStatus::Gradient as u32, ClimbStatus::Value as u32];
        let mut values = Vec::with_capacity(self.count);
        let mut converged = 0;
        let (mut rounds, mut evaluations) = (0, 0);
        let all = marks.chunks_exact(Mark::ALL.len());
        for (marks, counts) in all.zip(progress.chunks_exact(Progress::ALL.len())) {
            let status = counts[Progress::Status as usize];
            let evaluated = counts[Progress::Evaluations as usize] as usize;
            rounds = rounds.max(evaluated);
            evaluations += evaluated;
            let known = evaluated > 0 && status != ClimbStatus::NotFinite as u32;
            let value = self.scale.offset + self.scale.factor * marks[Mark::Score as usize];
            values.push(if known { value } else { f64::NAN });
            converged += usize::from(met.contains(&status));
        }
        if values.iter().all(|value| value.is_nan()) {
            let message = format!("no climb has a value in {}", provenance.precision);
            return Err(Failure::Posterior(Fallback::Overflow, message));
        }
        let points = Points::from_rows(dim, points.to_vec())?;
        Ok(Ends { points, values, converged, rounds, evaluations, provenance })
    }
}
