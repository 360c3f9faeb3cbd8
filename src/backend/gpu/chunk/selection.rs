//! The best rows of a chunk, found on the device.

use std::num::NonZeroU64;

use crate::backend::Precision;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::binding::Binding;
use crate::backend::gpu::kernels::layout::{Round, SORTED};
use crate::backend::gpu::kernels::memory::{STORAGE, Store, UNIFORM};
use crate::backend::gpu::kernels::pipelines::{PipelineKey, Pipelines, Stage};

/// The most rows that the device selects. A workgroup must hand on fewer than it takes; with half,
/// a thousand workgroups take ten rounds.
pub const MOST: usize = SORTED / 2;

/// The most rounds. Each at least halves the number of workgroups.
const ROUNDS: usize = 32;

/// Bytes from one round's uniforms to the next: an alignment that every adapter accepts.
const SLOT: u64 = 256;

/// The scratch of a selection.
pub struct TopK {
    rounds: Store,
    scores: [Store; 2],
    rows: [Store; 2],
}

impl TopK {
    pub fn new(handle: &Handle) -> Result<Self, Failure> {
        let store = |label: &'static str| Store::new(handle, label, STORAGE);
        let mut rounds = Store::new(handle, "rounds", UNIFORM)?;
        rounds.reserve(handle, ROUNDS as u64 * SLOT)?;
        Ok(Self {
            rounds,
            scores: [store("scores")?, store("scores")?],
            rows: [store("rows")?, store("rows")?],
        })
    }

    /// Makes room for a chunk of `count` scores.
    pub fn reserve(
        &mut self,
        handle: &Handle,
        precision: Precision,
        count: usize,
        keep: usize,
    ) -> Result<(), Failure> {
        let places = (count.div_ceil(SORTED) * keep) as u64;
        for (scores, rows) in self.scores.iter_mut().zip(&mut self.rows) {
            scores.reserve(handle, precision.size() as u64 * places)?;
            rows.reserve(handle, 4 * places)?;
        }
        Ok(())
    }

    /// Writes the rounds for `count` scores of rows from `first` on. In the end the best scores and
    /// their rows stand at the start of the two buffers that are returned, best first.
    pub fn encode(
        &self,
        pipelines: &Pipelines,
        encoder: &mut wgpu::CommandEncoder,
        scores: &wgpu::Buffer,
        precision: Precision,
        (first, count, keep): (usize, usize, usize),
    ) -> Result<[&wgpu::Buffer; 2], Failure> {
        let handle = pipelines.handle();
        let (mut left, mut round, mut source) = (count, 0, scores);
        loop {
            let groups = left.div_ceil(SORTED);
            let constants = vec![("FIRST", u32::from(round == 0))];
            let pipeline =
                pipelines.get(PipelineKey { stage: Stage::TopK, precision, constants })?;
            let uniforms = Round { count: left, keep, first, padding: 0 }.words();
            let offset = (round % ROUNDS) as u64 * SLOT;
            handle.queue().write_buffer(
                self.rounds.buffer(),
                offset,
                bytemuck::cast_slice(&uniforms),
            );
            let uniforms = wgpu::BufferBinding {
                buffer: self.rounds.buffer(),
                offset,
                size: NonZeroU64::new(size_of_val(&uniforms) as u64),
            };
            let to = round % 2;
            let from = (round + 1) % 2;
            let bindings = pipeline.bind(
                handle,
                &[
                    (Binding::Round, &uniforms),
                    (Binding::Scores, source),
                    (Binding::Rows, &self.rows[from]),
                    (Binding::BestScores, &self.scores[to]),
                    (Binding::BestRows, &self.rows[to]),
                ],
            );
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("top k"),
                timestamp_writes: None,
            });
            pipeline.dispatch(&mut pass, &bindings, [groups, 1]);
            drop(pass);
            if groups == 1 {
                return Ok([self.scores[to].buffer(), self.rows[to].buffer()]);
            }
            left = groups * keep;
            source = self.scores[to].buffer();
            round += 1;
        }
    }
}
