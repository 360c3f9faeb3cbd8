//! Scores on the device: values and moments of points, and gradients if they are wanted.

use super::engine::{Chunk, Engine, Task};
use crate::acquisition::UsableForm;
use crate::backend::gpu::chunk::batch::Pass;
use crate::backend::gpu::chunk::batch::{Batch, Rows};
use crate::backend::gpu::chunk::flight::Part;
use crate::backend::gpu::chunk::operations::operations;
use crate::backend::gpu::chunk::output::{ROW, Target, Wanted};
use crate::backend::gpu::chunk::price::{CostInput, Priced};
use crate::backend::gpu::chunk::scale::{Scale, settings};
use crate::backend::gpu::chunk::scratch::Scratch;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::layout::{Count, Output, ScoreSuccess, Shape};
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::resident::inverted::Inverted;
use crate::backend::search::Drawn;
use crate::backend::{Fallback, Job, Precision, Scores};
use crate::data::Points;

/// What the host worked out for a call.
#[derive(Clone, Copy)]
pub struct Prepared<'a> {
    pub cost: CostInput,
    pub priced: &'a Priced,
    pub inverted: &'a [Inverted],
}

/// Fills `scores` as far as they are wanted. The job and the points were checked before.
pub fn evaluate(
    engine: &mut Engine,
    job: &Job<'_>,
    points: &Points,
    precision: Precision,
    prepared: Prepared<'_>,
    wanted: Wanted,
    scores: &mut Scores,
) -> Result<(), Failure> {
    let dim = if job.gradient { points.dim() } else { 0 };
    match wanted {
        Wanted::All => scores.resize(points.len(), dim),
        Wanted::Values | Wanted::Best(_) => scores.resize(0, 0),
    }
    run(engine, job, Rows::Sent(points), precision, prepared, wanted, scores)
}

/// Fills the values of the points of a sequence, which the device makes.
pub fn scan(
    engine: &mut Engine,
    job: &Job<'_>,
    drawn: &Drawn<'_>,
    precision: Precision,
    inverted: &[Inverted],
    scores: &mut Scores,
) -> Result<(), Failure> {
    let mut priced = Priced::default();
    let cost = priced.uniform(job, drawn.rows.len());
    let prepared = Prepared { cost, priced: &priced, inverted };
    scores.resize(0, 0);
    scores.value.resize(drawn.rows.len(), 0.0);
    let job = job.gradient(false);
    run(engine, &job, Rows::Drawn(drawn), precision, prepared, Wanted::Values, scores)
}

fn run(
    engine: &mut Engine,
    job: &Job<'_>,
    rows: Rows<'_>,
    precision: Precision,
    Prepared { cost, priced, inverted }: Prepared<'_>,
    wanted: Wanted,
    scores: &mut Scores,
) -> Result<(), Failure> {
    let scale = Scale::of(job);
    let batch = batch(job, rows, precision, cost, inverted);
    scores.floored = 0;
    scores.provenance = engine.handle().provenance(precision);
    engine.run(&batch, &mut Scoring { job, precision, scale, cost, priced, wanted, scores })
}

/// The batch of a job.
pub fn batch<'a>(
    job: &Job<'a>,
    rows: Rows<'a>,
    precision: Precision,
    cost: CostInput,
    inverted: &'a [Inverted],
) -> Batch<'a> {
    let log_cost = job.cost.posterior().filter(|_| cost == CostInput::Learned);
    let latent = job.latent().filter(|_| job.acquisition.pointwise().is_some());
    Batch {
        outcome: job.posterior,
        log_cost,
        latent,
        inverted,
        pending: job.pending_trials(),
        path: job.acquisition.path(),
        rows,
        precision,
        pass: Pass::Scores,
        kind: Scale::of(job).kind,
        cost,
        success: latent.map_or(ScoreSuccess::None, |_| success_of(job)),
        gradient: job.gradient,
        nodes: 0,
        pairs: 0,
        operations: operations(job, log_cost.is_some()),
    }
}

/// [`evaluate`] with nothing worked out before, for an engine that nobody else uses.
pub fn evaluate_alone(
    engine: &mut Engine,
    job: &Job<'_>,
    points: &Points,
    precision: Precision,
    scores: &mut Scores,
) -> Result<(), Failure> {
    let mut priced = Priced::default();
    let cost = priced.refill(job, points)?;
    let missing = engine.missing(job, precision, &[]);
    let inverted: Vec<Inverted> = missing.into_iter().map(Inverted::of).collect();
    let prepared = Prepared { cost, priced: &priced, inverted: &inverted };
    evaluate(engine, job, points, precision, prepared, Wanted::All, scores)
}

/// How the probability of success enters the score of a job.
fn success_of(job: &Job<'_>) -> ScoreSuccess {
    match job.acquisition.facts().usable {
        UsableForm::None => ScoreSuccess::None,
        UsableForm::Price => ScoreSuccess::Price,
        UsableForm::Factor => ScoreSuccess::Factor,
        UsableForm::Log => ScoreSuccess::Log,
    }
}

struct Scoring<'a> {
    job: &'a Job<'a>,
    precision: Precision,
    scale: Scale,
    cost: CostInput,
    priced: &'a Priced,
    wanted: Wanted,
    scores: &'a mut Scores,
}

impl Task for Scoring<'_> {
    fn prepare(&mut self, handle: &Handle, scratch: &mut Scratch) -> Result<bool, Failure> {
        let settings = settings(self.job, &self.scale, self.precision);
        let bytes = scratch.staging.fill(self.precision, settings.into_iter());
        scratch.shared.settings.write(handle, bytes)
    }

    fn write(
        &mut self,
        handle: &Handle,
        scratch: &mut Scratch,
        chunk: &Chunk,
    ) -> Result<bool, Failure> {
        let Scratch { staging, shared, .. } = scratch;
        let (Chunk { rows, shape }, gradient) = (chunk, self.job.gradient);
        let width = self.precision.size() as u64;
        let known = matches!(self.cost, CostInput::Uniform | CostInput::Known);
        let moved = shared.reserve(handle, width, *shape, gradient, known)?;
        if known {
            let costs = self.priced.log_cost[rows.clone()].iter().copied();
            let bytes = staging.fill(self.precision, costs);
            handle.queue().write_buffer(shared.known.buffer(), 0, bytes);
        }
        if self.cost == CostInput::Known && gradient {
            let gradients = &self.priced.gradient[rows.start * shape.dim..rows.end * shape.dim];
            let bytes = staging.fill(self.precision, gradients.iter().copied());
            let from = width * shape.stride as u64;
            handle.queue().write_buffer(shared.known.buffer(), from, bytes);
        }
        Ok(moved)
    }

    fn read<'a>(
        &self,
        pipelines: &Pipelines,
        encoder: &mut wgpu::CommandEncoder,
        scratch: &'a mut Scratch,
        chunk: &Chunk,
    ) -> Result<Vec<Part<'a>>, Failure> {
        let Scratch { shared, top_k, .. } = scratch;
        let (Chunk { rows, shape }, precision) = (chunk, self.precision);
        let width = precision.size() as u64;
        let output = shared.output.buffer();
        let mut parts = Vec::new();
        match self.wanted {
            Wanted::Values => {
                parts.push(Part { buffer: output, from: 0, size: width * shape.stride as u64 });
            }
            Wanted::All => {
                let numbers = shape.stride * Output::rows(self.job.gradient, shape.dim);
                parts.push(Part { buffer: output, from: 0, size: width * numbers as u64 });
            }
            Wanted::Best(keep) => {
                top_k.reserve(pipelines.handle(), precision, rows.len(), keep)?;
                let best = (rows.start, rows.len(), keep);
                let [scores, rows] = top_k.encode(pipelines, encoder, output, precision, best)?;
                let keep = keep as u64;
                parts.push(Part { buffer: scores, from: 0, size: width * keep });
                parts.push(Part { buffer: rows, from: 0, size: ROW * keep });
            }
        }
        parts.push(Part { buffer: shared.counts.buffer(), from: 0, size: Count::BYTES });
        Ok(parts)
    }

    /// # Errors
    /// [`Fallback::Overflow`] if a number is not finite.
    fn land(&mut self, chunk: &Chunk, bytes: &[u8]) -> Result<(), Failure> {
        let (output, counts) = bytes.split_at(bytes.len() - Count::BYTES as usize);
        let Shape { dim, stride, count, .. } = chunk.shape;
        let target = Target {
            start: chunk.rows.start,
            count,
            stride,
            d: if self.job.gradient { dim } else { 0 },
            scale: &self.scale,
            scores: self.scores,
        };
        match self.precision {
            Precision::F32 => target.land::<f32>(self.wanted, output),
            Precision::F64 => target.land::<f64>(self.wanted, output),
        }
        let counts: &[u32] = bytemuck::cast_slice(counts);
        self.scores.floored += counts[Count::Floored as usize] as usize;
        let overflowed = counts[Count::Overflowed as usize];
        if overflowed > 0 {
            return Err(Failure::Posterior(
                Fallback::Overflow,
                format!("{overflowed} points have numbers beyond {}", self.precision.name()),
            ));
        }
        Ok(())
    }
}
