//! Trees of points on the device: there the moments along their branches and, from the adjoints of
//! these, gradients; in between the host works.
//!
//! A chunk holds whole trees. With `w` bytes to a number, a posterior takes `w` bytes for each
//! point and each pair beside what points take anywhere.

use std::ops::Range;
use std::time::Instant;

use super::buffers::SCRATCH;
use super::evaluate::{Engine, Failure};
use super::flight::{Flight, Readback};
use super::layout::{Output, Shape, TILE};
use super::operations::operations;
use super::price::Inverted;
use super::record::{CostInput, Pass, RecordingKey};
use crate::acquisition::PointwiseKind;
use crate::backend::trees::Plan;
use crate::backend::{Fallback, Job, Precision};
use crate::data::Points;
use crate::posterior::branches::Branches;

/// Moments of trees, or their adjoints.
#[derive(Default)]
pub(super) struct Moments {
    /// Of the points of each tree.
    pub mean: Vec<f64>,
    /// Of the pairs of each tree.
    pub covariance: Vec<f64>,
}

/// What a batch of trees is evaluated with.
#[derive(Clone, Copy)]
pub(super) struct Trees<'a> {
    pub plan: &'a Plan<'a>,
    pub points: &'a Points,
    pub precision: Precision,
    pub inverted: &'a [Inverted],
}

/// The adjoints of a batch, in units of the priors and of the largest of each tree, so that no
/// precision lacks the range.
pub(super) struct Adjoints<'a> {
    pub of: &'a [Moments; 2],
    /// The largest of each tree.
    pub largest: &'a [f64],
}

/// The one chunk of a batch, by number: while no other came, what its moments were made of is there
/// still.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Left(usize);

impl Engine {
    /// The moments of all trees, in the posteriors' units.
    pub fn branch_moments(
        &mut self,
        trees: Trees<'_>,
        moments: &mut [Moments; 2],
    ) -> Result<Option<Left>, Failure> {
        let (b, branches) = (trees.points.len(), trees.plan.tree.branches());
        let (nodes, pairs) = (branches.nodes(), branches.pairs());
        for (moments, posterior) in moments.iter_mut().zip(trees.plan.processes) {
            let count = if posterior.is_some() { b } else { 0 };
            moments.mean.resize(count * nodes, 0.0);
            moments.covariance.resize(count * pairs, 0.0);
        }
        let job = Job { gradient: false, ..trees.plan.job };
        let before = self.chunks;
        self.over_trees(
            trees,
            Pass::Moments,
            operations_of(&job, trees.plan),
            None,
            |range, numbers| {
                let mut numbers = numbers.chunks_exact(range.len() * (nodes + pairs));
                for (moments, posterior) in moments.iter_mut().zip(trees.plan.processes) {
                    let (Some(posterior), Some(numbers)) =
                        (posterior, posterior.and_then(|_| numbers.next()))
                    else {
                        continue;
                    };
                    let hyperparameters = posterior.hyperparameters();
                    let (covariances, means) = numbers.split_at(range.len() * pairs);
                    let (mean, scale) = (hyperparameters.mean, hyperparameters.outputscale);
                    let each = |to: &mut [f64], from: &[f64], offset: f64, factor: f64| {
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = offset + factor * from);
                    };
                    each(
                        &mut moments.covariance[range.start * pairs..range.end * pairs],
                        covariances,
                        0.0,
                        scale,
                    );
                    each(
                        &mut moments.mean[range.start * nodes..range.end * nodes],
                        means,
                        mean,
                        scale.sqrt(),
                    );
                }
            },
        )?;
        Ok(Some(Left(self.chunks)).filter(|_| self.chunks == before + 1))
    }

    /// Adds what the adjoints make of all trees' moments to the gradient, where the prior
    /// covariances of pairs are added already.
    pub fn branch_gradients(
        &mut self,
        trees: Trees<'_>,
        adjoints: &Adjoints<'_>,
        left: Option<Left>,
        gradient: &mut [f64],
    ) -> Result<(), Failure> {
        let (row, job) = (trees.points.dim(), trees.plan.job);
        let kept = left == Some(Left(self.chunks));
        let before =
            if kept { operations_of(&Job { gradient: false, ..job }, trees.plan) } else { 0.0 };
        let operations = operations_of(&job, trees.plan) - before;
        self.over_trees(
            trees,
            Pass::Adjoints { kept },
            operations,
            Some(adjoints),
            |range, numbers| {
                let largest = &adjoints.largest[range.clone()];
                let rows = gradient[range.start * row..range.end * row]
                    .chunks_exact_mut(row)
                    .zip(numbers.chunks_exact(row));
                for ((to, from), largest) in rows.zip(largest) {
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += largest * from);
                }
            },
        )
    }

    /// A pass over a batch, chunk by chunk; `take` gets the numbers of each.
    fn over_trees(
        &mut self,
        trees: Trees<'_>,
        pass: Pass,
        operations: f64,
        adjoints: Option<&Adjoints<'_>>,
        mut take: impl FnMut(Range<usize>, &[f64]),
    ) -> Result<(), Failure> {
        let Trees { plan, points, precision, inverted } = trees;
        let branches = plan.tree.branches();
        let (outcome, log_cost) =
            self.seat(plan.job.posterior, plan.processes[1], precision, inverted)?;
        self.forget();
        let table = table(branches);
        let bytes: &[u8] = bytemuck::cast_slice(&table);
        if self.shared.branches.reserve(&self.device, bytes.len() as u64)? {
            self.recordings.clear();
        }
        self.device.scoped(|| {
            self.device.wgpu().1.write_buffer(self.shared.branches.buffer(), 0, bytes);
            Ok(())
        })?;
        let cost = if log_cost.is_some() { CostInput::Learned } else { CostInput::None };
        let key = RecordingKey {
            outcome,
            log_cost,
            path: None,
            // No score is recorded.
            kind: PointwiseKind::UpperConfidenceBound,
            cost,
            gradient: plan.job.gradient,
            pass,
        };
        let chunk = match pass {
            // There is but one.
            Pass::Adjoints { kept: true } => points.len(),
            _ => self.trees_of_a_chunk(plan, precision, operations)?,
        };
        let started = Instant::now();
        let outcome = self.chunks_of_trees(&trees, key, chunk, adjoints, &mut take);
        if outcome.is_err() {
            // A chunk may still be on its way into one of them.
            self.readback = Readback::new(&self.device)?;
            return outcome;
        }
        let done = (points.len() * branches.nodes()) as f64 * operations;
        self.measured(precision, done / started.elapsed().as_secs_f64(), points.len() > chunk);
        Ok(())
    }

    fn chunks_of_trees(
        &mut self,
        trees: &Trees<'_>,
        key: RecordingKey,
        chunk: usize,
        adjoints: Option<&Adjoints<'_>>,
        take: &mut impl FnMut(Range<usize>, &[f64]),
    ) -> Result<(), Failure> {
        let count = trees.points.len();
        let mut sent: Option<(Range<usize>, Flight)> = None;
        let device = self.device.clone();
        for (number, start) in (0..count).step_by(chunk).enumerate() {
            let range = start..count.min(start + chunk);
            let flight = device
                .scoped(|| self.submit_trees(trees, key, range.clone(), adjoints, number % 2))?;
            if let Some((range, flight)) = sent.replace((range, flight)) {
                self.land_trees(range, flight, trees.precision, take)?;
            }
        }
        sent.map_or(Ok(()), |(range, flight)| self.land_trees(range, flight, trees.precision, take))
    }

    /// Trees of a chunk: as many as their points and pairs allow.
    fn trees_of_a_chunk(
        &self,
        plan: &Plan<'_>,
        precision: Precision,
        operations: f64,
    ) -> Result<usize, Failure> {
        let (nodes, pairs) = (plan.tree.nodes(), plan.tree.branches().pairs());
        let limits = self.device.wgpu().0.limits();
        let binding =
            limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(SCRATCH)
                as usize;
        let groups = limits.max_compute_workgroups_per_dimension as usize * TILE;
        let by_pairs = (binding / (precision.size() * (pairs + nodes))).min(groups / pairs);
        if by_pairs == 0 {
            let message = format!("a tree of {pairs} pairs is larger than the adapter allows");
            return Err(Failure::Posterior(Fallback::OutOfMemory, message));
        }
        Ok(by_pairs.min(self.chunk(plan.processes, nodes, precision, operations)? / nodes))
    }

    fn submit_trees(
        &mut self,
        trees: &Trees<'_>,
        key: RecordingKey,
        range: Range<usize>,
        adjoints: Option<&Adjoints<'_>>,
        slot: usize,
    ) -> Result<Flight, Failure> {
        let Trees { plan, points, precision, .. } = *trees;
        let (branches, d, width) =
            (plan.tree.branches(), plan.job.posterior.dim(), precision.size() as u64);
        let (nodes, pairs) = (branches.nodes(), branches.pairs());
        self.chunks += 1;
        let Self {
            device, residents, staging, halves, shared, readback, recordings, paths, ..
        } = self;
        let posteriors = [residents.get(Some(key.outcome)), residents.get(key.log_cost)];
        let count = range.len() * nodes;
        let shape = Shape {
            dim: d,
            stride: count.next_multiple_of(TILE),
            count,
            nodes,
            pairs,
            ..Shape::default()
        };
        let mut moved = match adjoints {
            Some(_) => shared.reserve(device, width, shape, true, false)?,
            None => false,
        };
        let (wgpu, queue) = device.wgpu();
        for ((half, resident), posterior) in halves.iter_mut().zip(posteriors).zip(plan.processes) {
            let (Some(resident), Some(posterior)) = (resident, posterior) else { continue };
            if key.pass == (Pass::Adjoints { kept: true }) {
                continue;
            }
            let points = &points.values()[range.start * nodes * d..range.end * nodes * d];
            let inverse = posterior.packed.inverse_lengthscales();
            moved |=
                half.send(device, staging, (resident, inverse), points, shape, key.gradient)?;
        }
        for (number, (half, resident)) in halves.iter().zip(posteriors).enumerate() {
            let (Some(adjoints), true) = (adjoints, resident.is_some()) else { continue };
            let Moments { mean, covariance } = &adjoints.of[number];
            let bytes = staging.fill(
                precision,
                covariance[range.start * pairs..range.end * pairs].iter().copied(),
            );
            queue.write_buffer(half.moments.buffer(), 0, bytes);
            // The kernel values' adjoint is that of the mean times alpha, less w; their slope has
            // the other sign.
            let means = mean[range.start * nodes..range.end * nodes].iter().map(|mean| -mean);
            let padded = means.chain(std::iter::repeat_n(0.0, shape.stride - count));
            let bytes =
                staging.fill(precision, padded.chain(std::iter::repeat_n(1.0, shape.stride)));
            queue.write_buffer(shared.coefficients.buffer(), (number * bytes.len()) as u64, bytes);
        }
        if moved {
            recordings.clear();
        }
        let recording = recordings.get(device, key, posteriors, halves, shared, paths)?;
        let mut encoder =
            wgpu.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("trees") });
        #[cfg(test)]
        super::fault::on_submission(device, &mut encoder)?;
        recording.encode(&mut encoder, shape);
        let moments = width * (shape.covariances() + count) as u64;
        let size = match adjoints {
            Some(_) => width * (count * d) as u64,
            None => moments * posteriors.iter().flatten().count() as u64,
        };
        let target = readback.slot(device, slot, size)?;
        match adjoints {
            Some(_) => encoder.copy_buffer_to_buffer(
                shared.output.buffer(),
                width * (Output::Gradients.number() as usize * shape.stride) as u64,
                target,
                0,
                size,
            ),
            None => {
                for (number, (half, _)) in
                    halves.iter().zip(posteriors.iter().flatten()).enumerate()
                {
                    encoder.copy_buffer_to_buffer(
                        half.moments.buffer(),
                        0,
                        target,
                        number as u64 * moments,
                        moments,
                    );
                }
            }
        }
        let flight = readback.submit(device, encoder, slot, size);
        self.submissions += 1;
        Ok(flight)
    }

    /// Waits for a chunk and hands its numbers on.
    fn land_trees(
        &self,
        range: Range<usize>,
        flight: Flight,
        precision: Precision,
        take: &mut impl FnMut(Range<usize>, &[f64]),
    ) -> Result<(), Failure> {
        let numbers: Vec<f64> =
            self.readback.land(&self.device, flight, |bytes| match precision {
                Precision::F32 => bytemuck::cast_slice::<u8, f32>(bytes)
                    .iter()
                    .map(|&number| number.into())
                    .collect(),
                Precision::F64 => bytemuck::cast_slice(bytes).to_vec(),
            })?;
        let beyond = numbers.iter().filter(|number| !number.is_finite()).count();
        if beyond > 0 {
            return Err(Failure::Posterior(
                Fallback::Overflow,
                format!("{beyond} moments or slopes are beyond {}", precision.name()),
            ));
        }
        take(range, &numbers);
        Ok(())
    }
}

fn operations_of(job: &Job<'_>, plan: &Plan<'_>) -> f64 {
    operations(job, plan.processes[1].is_some())
}

/// What the shaders know of a tree: each pair as a node and the one above; for each node where its
/// neighbors begin and end; then of these the node and the pair, for those above and below, a
/// node's own twice.
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
    let words = |(a, b): (usize, usize)| [super::layout::word(a), super::layout::word(b)];
    let mut table: Vec<[u32; 2]> = all().map(|(node, above, _)| words((node, above))).collect();
    let mut start = pairs + nodes;
    for of in &neighbors {
        table.push(words((start, start + of.len())));
        start += of.len();
    }
    table.extend(neighbors.into_iter().flatten().map(words));
    table
}
