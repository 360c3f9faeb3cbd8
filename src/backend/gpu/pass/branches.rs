//! Trees of points on the device: moments along their branches and, from the adjoints of these,
//! gradients. The host works between the two passes.
//!
//! A chunk holds whole trees.

use std::ops::Range;

use super::engine::{Chunk, Engine, Task};
use crate::acquisition::PointwiseKind;
use crate::backend::gpu::chunk::batch::Pass;
use crate::backend::gpu::chunk::batch::{Batch, Rows};
use crate::backend::gpu::chunk::flight::Part;
use crate::backend::gpu::chunk::operations::operations;
use crate::backend::gpu::chunk::price::CostInput;
use crate::backend::gpu::chunk::scratch::Scratch;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::layout::{Coefficient, Output, ScoreSuccess, Shape, word};
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::resident::inverted::Inverted;
use crate::backend::trees::Plan;
use crate::backend::{Fallback, Precision};
use crate::data::Points;
use crate::posterior::branches::Branches;

/// Moments of trees, or the adjoints of moments.
#[derive(Default)]
pub struct Moments {
    /// Of the points of each tree.
    pub mean: Vec<f64>,
    /// Of the pairs of each tree.
    pub covariance: Vec<f64>,
}

/// What a batch of trees is evaluated with.
#[derive(Clone, Copy)]
pub struct Trees<'a> {
    pub(in crate::backend::gpu) plan: &'a Plan<'a>,
    pub points: &'a Points,
    pub precision: Precision,
    pub inverted: &'a [Inverted],
}

/// The adjoints of a batch, in units of the priors and of the largest of each tree, so that every
/// precision has the range.
pub struct Adjoints<'a> {
    pub of: &'a [Moments; 2],
    /// The largest of each tree.
    pub largest: &'a [f64],
}

/// The one chunk of a batch, by number. Slopes and whitened values of its moments stay on the
/// device until another chunk comes.
#[derive(Clone, Copy, PartialEq)]
pub struct Left(usize);

/// Fills the moments of all trees, in the posteriors' units.
pub fn moments(
    engine: &mut Engine,
    trees: Trees<'_>,
    moments: &mut [Moments; 2],
) -> Result<Option<Left>, Failure> {
    let (b, branches) = (trees.points.len(), trees.plan.tree.branches());
    for (moments, posterior) in moments.iter_mut().zip(trees.plan.processes) {
        let count = if posterior.is_some() { b } else { 0 };
        moments.mean.resize(count * branches.nodes(), 0.0);
        moments.covariance.resize(count * branches.pairs(), 0.0);
    }
    let before = engine.chunks();
    let batch = trees.batch(Pass::Moments, trees.operations(false));
    engine.run(&batch, &mut MomentsTask { trees, moments })?;
    Ok(Some(Left(engine.chunks())).filter(|_| engine.chunks() == before + 1))
}

/// Adds to the gradient what the adjoints of all trees' moments make on the device. The prior
/// covariances of pairs were added before.
pub fn gradients(
    engine: &mut Engine,
    trees: Trees<'_>,
    adjoints: &Adjoints<'_>,
    left: Option<Left>,
    gradient: &mut [f64],
) -> Result<(), Failure> {
    let kept = left == Some(Left(engine.chunks()));
    let before = if kept { trees.operations(false) } else { 0.0 };
    let operations = trees.operations(trees.plan.job.gradient) - before;
    let batch = trees.batch(Pass::Adjoints { kept }, operations);
    engine.run(&batch, &mut GradientsTask { trees, adjoints, gradient })
}

impl<'a> Trees<'a> {
    fn operations(&self, gradient: bool) -> f64 {
        let job = self.plan.job.gradient(gradient);
        operations(&job, self.plan.processes[1].is_some())
    }

    fn batch(&self, pass: Pass, operations: f64) -> Batch<'a> {
        let Self { plan, points, precision, inverted } = *self;
        let (branches, log_cost) = (plan.tree.branches(), plan.processes[1]);
        Batch {
            outcome: plan.job.posterior,
            log_cost,
            latent: None,
            inverted,
            pending: None,
            path: None,
            rows: Rows::Sent(points),
            precision,
            pass,
            // No score is recorded.
            kind: PointwiseKind::UpperConfidenceBound,
            cost: if log_cost.is_some() { CostInput::Learned } else { CostInput::None },
            success: ScoreSuccess::None,
            gradient: plan.job.gradient,
            nodes: branches.nodes(),
            pairs: branches.pairs(),
            operations,
        }
    }

    /// Writes the table of the tree. Returns whether the buffer was replaced.
    fn write_table(&self, handle: &Handle, scratch: &mut Scratch) -> Result<bool, Failure> {
        let table = table(self.plan.tree.branches());
        let bytes: &[u8] = bytemuck::cast_slice(&table);
        let store = &mut scratch.shared.branches;
        let moved = store.reserve(handle, bytes.len() as u64)?;
        handle.queue().write_buffer(store.buffer(), 0, bytes);
        Ok(moved)
    }

    /// # Errors
    /// [`Fallback::Overflow`] if a number is not finite.
    fn numbers(&self, bytes: &[u8]) -> Result<Vec<f64>, Failure> {
        let numbers: Vec<f64> = match self.precision {
            Precision::F32 => {
                bytemuck::cast_slice::<u8, f32>(bytes).iter().map(|&number| number.into()).collect()
            }
            Precision::F64 => bytemuck::cast_slice(bytes).to_vec(),
        };
        let beyond = numbers.iter().filter(|number| !number.is_finite()).count();
        if beyond > 0 {
            return Err(Failure::Posterior(
                Fallback::Overflow,
                format!("{beyond} moments or slopes are beyond {}", self.precision.name()),
            ));
        }
        Ok(numbers)
    }
}

/// Reads moments.
struct MomentsTask<'a> {
    trees: Trees<'a>,
    moments: &'a mut [Moments; 2],
}

impl Task for MomentsTask<'_> {
    fn prepare(&mut self, handle: &Handle, scratch: &mut Scratch) -> Result<bool, Failure> {
        self.trees.write_table(handle, scratch)
    }

    fn write(&mut self, _: &Handle, _: &mut Scratch, _: &Chunk) -> Result<bool, Failure> {
        Ok(false)
    }

    fn read<'a>(
        &self,
        _: &Pipelines,
        _: &mut wgpu::CommandEncoder,
        scratch: &'a mut Scratch,
        chunk: &Chunk,
    ) -> Result<Vec<Part<'a>>, Failure> {
        let Shape { count, .. } = chunk.shape;
        let size = self.trees.precision.size() * (chunk.shape.covariances() + count);
        let halves = scratch.halves.iter().zip(self.trees.plan.processes);
        let present = halves.filter_map(|(half, posterior)| posterior.map(|_| half));
        let part = |buffer| Part { buffer, from: 0, size: size as u64 };
        Ok(present.map(|half| part(half.moments.buffer())).collect())
    }

    fn land(&mut self, chunk: &Chunk, bytes: &[u8]) -> Result<(), Failure> {
        let (Chunk { rows, shape }, numbers) = (chunk, self.trees.numbers(bytes)?);
        let Shape { nodes, pairs, .. } = *shape;
        let mut numbers = numbers.chunks_exact(rows.len() * (nodes + pairs));
        for (moments, posterior) in self.moments.iter_mut().zip(self.trees.plan.processes) {
            let (Some(posterior), Some(numbers)) =
                (posterior, posterior.and_then(|_| numbers.next()))
            else {
                continue;
            };
            let hyperparameters = posterior.hyperparameters();
            let (mean, scale) = (hyperparameters.mean, hyperparameters.outputscale);
            let (covariances, means) = numbers.split_at(rows.len() * pairs);
            let each = |to: &mut [f64], from: &[f64], offset: f64, factor: f64| {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = offset + factor * from);
            };
            each(&mut moments.covariance[scaled(rows, pairs)], covariances, 0.0, scale);
            each(&mut moments.mean[scaled(rows, nodes)], means, mean, scale.sqrt());
        }
        Ok(())
    }
}

/// Sends adjoints, and adds gradients.
struct GradientsTask<'a> {
    trees: Trees<'a>,
    adjoints: &'a Adjoints<'a>,
    gradient: &'a mut [f64],
}

impl Task for GradientsTask<'_> {
    fn prepare(&mut self, handle: &Handle, scratch: &mut Scratch) -> Result<bool, Failure> {
        self.trees.write_table(handle, scratch)
    }

    fn write(
        &mut self,
        handle: &Handle,
        scratch: &mut Scratch,
        chunk: &Chunk,
    ) -> Result<bool, Failure> {
        let Scratch { staging, halves, shared, .. } = scratch;
        let (Chunk { rows, shape }, precision) = (chunk, self.trees.precision);
        let Shape { nodes, pairs, stride, count, .. } = *shape;
        let moved = shared.reserve(handle, precision.size() as u64, *shape, true, false)?;
        let first = [Coefficient::Alpha, Coefficient::CostAlpha];
        let present = self.trees.plan.processes.map(|posterior| posterior.is_some());
        for (((half, adjoints), first), _) in
            halves.iter().zip(self.adjoints.of).zip(first).zip(present).filter(|(_, here)| *here)
        {
            let Moments { mean, covariance } = adjoints;
            let covariances = covariance[scaled(rows, pairs)].iter().copied();
            let bytes = staging.fill(precision, covariances);
            handle.queue().write_buffer(half.moments.buffer(), 0, bytes);
            // The adjoint of a kernel value is that of the mean times alpha, less w. The slope has
            // the other sign.
            let means = mean[scaled(rows, nodes)].iter().map(|mean| -mean);
            let alphas = means.chain(std::iter::repeat_n(0.0, stride - count));
            let weights = std::iter::repeat_n(1.0, stride);
            let bytes = staging.fill(precision, alphas.chain(weights));
            let at = (first as usize * stride * precision.size()) as u64;
            handle.queue().write_buffer(shared.coefficients.buffer(), at, bytes);
        }
        Ok(moved)
    }

    fn read<'a>(
        &self,
        _: &Pipelines,
        _: &mut wgpu::CommandEncoder,
        scratch: &'a mut Scratch,
        chunk: &Chunk,
    ) -> Result<Vec<Part<'a>>, Failure> {
        let (Shape { stride, count, dim, .. }, width) = (chunk.shape, self.trees.precision.size());
        let from = (width * Output::Gradients as usize * stride) as u64;
        let buffer = scratch.shared.output.buffer();
        Ok(vec![Part { buffer, from, size: (width * count * dim) as u64 }])
    }

    fn land(&mut self, chunk: &Chunk, bytes: &[u8]) -> Result<(), Failure> {
        let numbers = self.trees.numbers(bytes)?;
        let row = self.trees.points.dim();
        let to = self.gradient[scaled(&chunk.rows, row)].chunks_exact_mut(row);
        let largest = &self.adjoints.largest[chunk.rows.clone()];
        for ((to, from), largest) in to.zip(numbers.chunks_exact(row)).zip(largest) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += largest * from);
        }
        Ok(())
    }
}

/// The range of the numbers of rows that have `each` numbers.
fn scaled(rows: &Range<usize>, each: usize) -> Range<usize> {
    rows.start * each..rows.end * each
}

/// The table of a tree for the shaders. It has three parts: each pair as a node and the one above;
/// for each node where its neighbors begin and end in the table; the neighbors, above and below,
/// each as its node and the pair. A node is its own neighbor twice.
fn table(branches: &Branches) -> Vec<[u32; 2]> {
    let (nodes, pairs) = (branches.nodes(), branches.pairs());
    let all = || {
        (0..nodes).flat_map(|node| {
            branches
                .pairs_of(node)
                .zip(branches.path(node))
                .map(move |(pair, &above)| (node, above, pair))
        })
    };
    let mut neighbors = vec![Vec::new(); nodes];
    for (node, above, pair) in all() {
        neighbors[node].push((above, pair));
        neighbors[above].push((node, pair));
    }
    let words = |(a, b): (usize, usize)| [word(a), word(b)];
    let mut table: Vec<[u32; 2]> = all().map(|(node, above, _)| words((node, above))).collect();
    let mut start = pairs + nodes;
    for of in &neighbors {
        table.push(words((start, start + of.len())));
        start += of.len();
    }
    table.extend(neighbors.into_iter().flatten().map(words));
    table
}
