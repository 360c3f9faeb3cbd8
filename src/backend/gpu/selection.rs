//! The best rows of a chunk, found on the device.

use super::binding::Binding;
use super::buffers::{STORAGE, Store};
use super::device::Device;
use super::evaluate::Failure;
use super::layout::{Round, SORTED, word};
use super::pipelines::{Pipeline, PipelineKey, Stage};
use crate::backend::Precision;

/// More are not sought on the device: a workgroup must hand on fewer than it takes, and half makes
/// ten rounds of a thousand workgroups.
pub(super) const MOST: usize = SORTED / 2;

/// Rounds at most: each at least halves the number of workgroups.
const ROUNDS: usize = 32;

/// Bytes from one round's uniforms to the next: the alignment that every adapter can do.
const SLOT: u64 = 256;

/// The scratch of a selection.
pub(super) struct TopK {
    rounds: Store,
    scores: [Store; 2],
    rows: [Store; 2],
}

impl TopK {
    pub fn new(device: &Device) -> Result<Self, Failure> {
        let store = |label: &'static str| Store::new(device, label, STORAGE);
        let mut rounds = Store::new(
            device,
            "rounds",
            wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        )?;
        rounds.reserve(device, ROUNDS as u64 * SLOT)?;
        Ok(Self {
            rounds,
            scores: [store("scores")?, store("scores")?],
            rows: [store("rows")?, store("rows")?],
        })
    }

    /// Makes room for a chunk of `count` scores.
    pub fn reserve(
        &mut self,
        device: &Device,
        precision: Precision,
        count: usize,
        keep: usize,
    ) -> Result<(), Failure> {
        let places = (count.div_ceil(SORTED) * keep) as u64;
        for (scores, rows) in self.scores.iter_mut().zip(&mut self.rows) {
            scores.reserve(device, precision.size() as u64 * places)?;
            rows.reserve(device, 4 * places)?;
        }
        Ok(())
    }

    /// Writes the rounds for `count` scores of rows from `first` on; the best come to stand at the
    /// start of the buffers given back, best first.
    pub fn encode(
        &self,
        device: &Device,
        encoder: &mut wgpu::CommandEncoder,
        scores: &wgpu::Buffer,
        precision: Precision,
        (first, count, keep): (usize, usize, usize),
    ) -> Result<[&wgpu::Buffer; 2], Failure> {
        let queue = device.wgpu().1;
        let (mut left, mut round, mut source) = (count, 0, scores);
        loop {
            let groups = left.div_ceil(SORTED);
            let constants = vec![("FIRST", u32::from(round == 0))];
            let pipeline =
                Pipeline::get(device, PipelineKey { stage: Stage::TopK, precision, constants })?;
            let uniforms = Round { count: left, keep, first, padding: 0 }.words();
            let offset = (round % ROUNDS) as u64 * SLOT;
            queue.write_buffer(self.rounds.buffer(), offset, bytemuck::cast_slice(&uniforms));
            let slot = wgpu::BufferBinding {
                buffer: self.rounds.buffer(),
                offset,
                size: std::num::NonZeroU64::new(16),
            };
            let (to, from) = (round % 2, (round + 1) % 2);
            let bindings = pipeline.bind_at(
                device,
                &[(Binding::Round, wgpu::BindingResource::Buffer(slot))],
                [
                    (Binding::Scores, source),
                    (Binding::Rows, self.rows[from].buffer()),
                    (Binding::BestScores, self.scores[to].buffer()),
                    (Binding::BestRows, self.rows[to].buffer()),
                ]
                .into_iter(),
            );
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("top k"),
                timestamp_writes: None,
            });
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(word(groups), 1, 1);
            drop(pass);
            if groups == 1 {
                return Ok([self.scores[to].buffer(), self.rows[to].buffer()]);
            }
            (left, source, round) = (groups * keep, self.scores[to].buffer(), round + 1);
        }
    }
}
