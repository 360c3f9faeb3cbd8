//! The buffers of a chunk of points.
//!
//! With `w` bytes to a number (4 or 8), and `N` observations and `q` points rounded up to whole
//! blocks of 64, a chunk with gradients takes `w q (3 N + 3 N / 64 + 3 d + 11)` bytes and twice
//! `w q (d + 3)` that the host reads; without gradients `w q (N + 3 N / 64 + d + 11)`. Trees of
//! points add `w` for each point and each pair, and take `w q N` more without gradients. Pending
//! trials add `33 w q`, and take `w q N` more without gradients. A learned cost takes the parts
//! with `N` once more, and so does the probability of success.

use super::search::Search;
use super::selection::TopK;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::layout::{Coefficient, Output, Shape, Sum, TILE};
use crate::backend::gpu::kernels::memory::{STORAGE, Staging, Store, UNIFORM};
use crate::backend::gpu::resident::residents::Resident;

/// The buffers of a chunk.
pub struct Scratch {
    pub staging: Staging,
    /// Of the outcome's posterior, of the log cost's, and of that which tells about success.
    pub halves: [Half; 3],
    pub shared: Shared,
    pub search: Search,
    pub top_k: TopK,
}

/// The matrices of a chunk that belong to one posterior.
pub struct Half {
    pub shape: Store,
    pub points: Store,
    pub kernel: Store,
    pub slopes: Store,
    pub whitened: Store,
    pub sums: Store,
    /// Covariances of pairs and means; later the adjoints of the covariances.
    pub moments: Store,
}

/// The buffers that a chunk has once, for any number of posteriors.
pub struct Shared {
    /// The points of the chunk as they lie in the host's memory.
    pub sent: Store,
    pub known: Store,
    pub settings: Store,
    pub coefficients: Store,
    pub output: Store,
    pub counts: Store,
    /// The pairs and neighbors of a tree.
    pub branches: Store,
}

impl Scratch {
    pub fn new(handle: &Handle) -> Result<Self, Failure> {
        Ok(Self {
            staging: Staging::default(),
            halves: [Half::new(handle)?, Half::new(handle)?, Half::new(handle)?],
            shared: Shared::new(handle)?,
            search: Search::new(handle)?,
            top_k: TopK::new(handle)?,
        })
    }
}

impl Half {
    fn new(handle: &Handle) -> Result<Self, Failure> {
        let store = |label: &'static str| Store::new(handle, label, STORAGE);
        Ok(Self {
            shape: Store::new(handle, "shape", UNIFORM)?,
            points: store("points")?,
            kernel: store("kernel")?,
            slopes: store("slopes")?,
            whitened: store("whitened")?,
            sums: store("sums")?,
            moments: store("moments")?,
        })
    }

    /// Makes room for a chunk, and sends its points if the host places them. Returns whether a buffer
    /// was replaced.
    pub fn send(
        &mut self,
        handle: &Handle,
        staging: &mut Staging,
        resident: &Resident,
        points: &[f64],
        shape: Shape,
        slopes: bool,
    ) -> Result<bool, Failure> {
        let shape = Shape { blocks: resident.blocks, ..shape };
        let precision = resident.precision;
        let (width, coordinates) = (precision.size() as u64, resident.units.width() as u64);
        let moved = self.reserve(handle, (width, coordinates), shape, slopes)?;
        let queue = handle.queue();
        if let Some(bytes) =
            resident.units.embedded_points(staging, precision, points, shape.stride)
        {
            queue.write_buffer(self.points.buffer(), 0, bytes);
        }
        queue.write_buffer(self.shape.buffer(), 0, bytemuck::cast_slice(&shape.words()));
        Ok(moved)
    }

    fn reserve(
        &mut self,
        handle: &Handle,
        (width, coordinates): (u64, u64),
        shape: Shape,
        slopes: bool,
    ) -> Result<bool, Failure> {
        let rows = (shape.blocks * TILE) as u64;
        let stride = shape.stride as u64;
        let matrix = width * rows * stride;
        let mut moved = self.points.reserve(handle, width * coordinates * stride)?;
        moved |= self.kernel.reserve(handle, matrix)?;
        moved |= self.sums.reserve(handle, Sum::ALL.len() as u64 * matrix / TILE as u64)?;
        if slopes {
            moved |= self.slopes.reserve(handle, matrix)?;
        }
        if slopes || shape.nodes > 0 || shape.pending > 0 {
            moved |= self.whitened.reserve(handle, matrix)?;
        }
        if shape.nodes > 0 {
            let moments = (shape.covariances() + shape.count) as u64;
            moved |= self.moments.reserve(handle, width * moments)?;
        }
        Ok(moved)
    }
}

impl Shared {
    fn new(handle: &Handle) -> Result<Self, Failure> {
        let store = |label: &'static str| Store::new(handle, label, STORAGE);
        Ok(Self {
            sent: store("sent")?,
            known: store("known")?,
            settings: store("settings")?,
            coefficients: store("coefficients")?,
            output: store("output")?,
            counts: store("counts")?,
            branches: store("branches")?,
        })
    }

    /// Sends points as they lie in memory. Returns whether a buffer was replaced.
    pub fn send(&mut self, handle: &Handle, points: &[f64]) -> Result<bool, Failure> {
        self.sent.write(handle, bytemuck::cast_slice(points))
    }

    /// Makes room for the scores of a chunk, and for known costs if there are any. Returns whether
    /// a buffer was replaced.
    pub fn reserve(
        &mut self,
        handle: &Handle,
        width: u64,
        shape: Shape,
        gradient: bool,
        known: bool,
    ) -> Result<bool, Failure> {
        let stride = shape.stride as u64;
        let dims = if gradient { shape.dim as u64 } else { 0 };
        let coefficients = Coefficient::rows(shape.pending > 0) as u64;
        let rows = Output::rows(gradient, shape.dim) as u64;
        let mut moved = self.coefficients.reserve(handle, width * stride * coefficients)?;
        moved |= self.output.reserve(handle, width * stride * rows)?;
        if known {
            moved |= self.known.reserve(handle, width * stride * (1 + dims))?;
        }
        Ok(moved)
    }
}
