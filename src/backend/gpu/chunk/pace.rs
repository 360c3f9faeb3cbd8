//! How many rows a chunk holds: as many as fit into memory, and as many as the device computes in
//! the time of a submission.

use super::batch::Batch;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::layout::{Coefficient, GRADIENT_POINTS, TILE};
use crate::backend::{Fallback, Precision};
use crate::posterior::Posterior;

/// How long a submission is meant to take: drivers reset a device that does not answer for seconds.
const SUBMISSION_SECONDS: f64 = 0.1;

/// Operations of the first submission, before the speed of the device is known.
const FIRST_OPERATIONS: f64 = 2e10;

/// The largest size of one matrix of a chunk, in bytes.
const SCRATCH: u64 = 1 << 26;

/// The size of one matrix from which on a batch is cut, in bytes: while the device computes a chunk,
/// the host makes the next one ready and reads the one before. On an H200 a batch of 4096 points
/// beside 2000 observations took half as long in such pieces as in two.
const PIECE: u64 = 1 << 24;

/// The speed of a device.
pub struct Pace {
    /// In each precision, as far as it is known.
    operations_per_second: [f64; 2],
}

impl Pace {
    /// That of the first submission.
    pub fn new() -> Self {
        Self { operations_per_second: [FIRST_OPERATIONS / SUBMISSION_SECONDS; 2] }
    }

    /// Learns operations a second. A batch of one chunk says only that the device is at least so
    /// fast.
    pub fn measured(&mut self, precision: Precision, rate: f64, several: bool) {
        let known = &mut self.operations_per_second[precision as usize];
        *known = if several { rate } else { rate.max(*known) };
    }

    /// Rows of a chunk.
    ///
    /// # Errors
    /// [`Fallback::OutOfMemory`] if the adapter's limits do not allow one row.
    pub fn rows_of_a_chunk(&self, handle: &Handle, batch: &Batch<'_>) -> Result<usize, Failure> {
        let (nodes, pairs) = (batch.nodes, batch.pairs);
        if !batch.pass.needs_points() {
            // The pass before has left one chunk.
            return Ok(batch.rows.len());
        }
        if nodes == 0 {
            return self.points_of_a_chunk(handle, batch);
        }
        let binding = handle.largest_binding().min(SCRATCH) as usize;
        let groups = handle.device().limits().max_compute_workgroups_per_dimension as usize * TILE;
        let by_pairs = (binding / (batch.precision.size() * (pairs + nodes))).min(groups / pairs);
        if by_pairs == 0 {
            let message = format!("a tree of {pairs} pairs is larger than the adapter allows");
            return Err(Failure::Posterior(Fallback::OutOfMemory, message));
        }
        Ok(by_pairs.min(self.points_of_a_chunk(handle, batch)? / nodes))
    }

    /// Points of a chunk, at least those of a row: within the adapter's limits, the scratch, and
    /// the time of a submission.
    fn points_of_a_chunk(&self, handle: &Handle, batch: &Batch<'_>) -> Result<usize, Failure> {
        let (least, precision) = (batch.points_of_a_row(), batch.precision);
        let present = || batch.posteriors().into_iter().flatten();
        let len = present().map(Posterior::len).max().unwrap_or(0);
        let d = present().map(Posterior::dim).max().unwrap_or(0) as u64;
        let width = precision.size() as u64;
        let rows = len.next_multiple_of(TILE) as u64;
        let binding = handle.largest_binding();
        // The widest buffers with a row for each point: output and coefficients.
        let widest = d + Coefficient::rows(batch.pending.is_some()) as u64;
        let tile = TILE as u64;
        let least = (least as u64).next_multiple_of(tile);
        let by_memory = (binding.min(SCRATCH) / (width * rows)).min(binding / (width * widest));
        // Points are sent in double precision.
        let by_memory = by_memory.min(binding / (size_of::<f64>() as u64 * d.max(1)));
        let by_memory = by_memory.min((PIECE / (width * rows)).max(least));
        let groups = u64::from(handle.device().limits().max_compute_workgroups_per_dimension);
        let by_groups = groups * GRADIENT_POINTS as u64;
        let by_time = (self.operations_per_second[precision as usize] * SUBMISSION_SECONDS
            / batch.operations) as u64;
        let points = by_memory.min(by_groups).min(by_time.max(least)) / tile * tile;
        if points < least {
            let needed = width * rows * least;
            let has = binding.min(SCRATCH);
            let message = format!(
                "{least} points beside {len} observations need {needed} bytes in one piece, there are {has}"
            );
            return Err(Failure::Posterior(Fallback::OutOfMemory, message));
        }
        Ok(points as usize)
    }
}
