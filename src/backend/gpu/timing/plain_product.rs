//! A plain product on the device: the floor that posterior and gradient are measured against.

use std::fmt;
use std::sync::Arc;

use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::kernels::binding::Binding;
use crate::backend::gpu::kernels::layout::{Shape, Side, Sum, TILE};
use crate::backend::gpu::kernels::memory::{Bindable, STORAGE, Staging, UNIFORM, allocate};
use crate::backend::gpu::kernels::pipelines::{Pipeline, PipelineKey, Pipelines, Stage};
use crate::backend::gpu::kernels::tiling::Tiling;
use crate::backend::{Fallback, Precision};
use crate::error::Result;

/// The product of a square matrix and a wide one, by the shader of the triangular products, with
/// nothing around it.
///
/// Value and gradient of `b` points with `n` observations multiply two triangular `n x n` matrices
/// by an `n x b` one. That takes as many operations as this product.
pub struct PlainProduct {
    pipelines: Pipelines,
    pipeline: Arc<Pipeline>,
    bindings: wgpu::BindGroup,
    buffers: [(Binding, wgpu::Buffer); 5],
    precision: Precision,
    tiling: Tiling,
    shape: Shape,
}

impl fmt::Debug for PlainProduct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlainProduct").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl PlainProduct {
    /// Matrices of ones, `rows x rows` and `rows x columns`, both rounded up to whole tiles of 64.
    pub fn new(
        pipelines: &Pipelines,
        precision: Precision,
        tiling: Tiling,
        [rows, columns]: [usize; 2],
    ) -> Result<Self, Failure> {
        let handle = pipelines.handle();
        let rows = rows.next_multiple_of(TILE);
        let columns = columns.next_multiple_of(TILE);
        let mut staging = Staging::default();
        let mut filled = |label, count: usize| -> Result<wgpu::Buffer, Failure> {
            let buffer = allocate(handle, label, (precision.size() * count) as u64, STORAGE)?;
            let ones = staging.fill(precision, std::iter::repeat_n(1.0, count));
            handle.queue().write_buffer(&buffer, 0, ones);
            Ok(buffer)
        };
        let shape = Shape {
            blocks: rows / TILE,
            dim: 1,
            stride: columns,
            count: columns,
            ..Shape::default()
        };
        let words = shape.words();
        let uniform = allocate(handle, "shape", size_of_val(&words) as u64, UNIFORM)?;
        handle.queue().write_buffer(&uniform, 0, bytemuck::cast_slice(&words));
        let buffers = [
            (Binding::Shape, uniform),
            (Binding::Inverse, filled("square", rows * rows)?),
            (Binding::Factor, filled("wide", rows * columns)?),
            (Binding::Result, filled("product", rows * columns)?),
            (Binding::Sums, filled("sums", Sum::ALL.len() * rows / TILE * columns)?),
        ];
        Self::of(pipelines, precision, tiling, shape, buffers)
    }

    /// The product of the same matrices with another tiling.
    pub fn tiled(&self, tiling: Tiling) -> Result<Self, Failure> {
        Self::of(&self.pipelines, self.precision, tiling, self.shape, self.buffers.clone())
    }

    fn of(
        pipelines: &Pipelines,
        precision: Precision,
        tiling: Tiling,
        shape: Shape,
        buffers: [(Binding, wgpu::Buffer); 5],
    ) -> Result<Self, Failure> {
        let mut constants = vec![("SIDE", Side::Square.number()), ("STORE", 1)];
        constants.extend(tiling.constants());
        let stage = Stage::TriangularProduct;
        let pipeline = pipelines.get(PipelineKey { stage, precision, constants })?;
        let bound: Vec<(Binding, &dyn Bindable)> =
            buffers.iter().map(|(binding, buffer)| (*binding, buffer as &dyn Bindable)).collect();
        let handle = pipelines.handle();
        // A device may bind less than it allocates.
        let bindings = handle.scoped(|| Ok(pipeline.bind(handle, &bound)))?;
        let pipelines = pipelines.clone();
        Ok(Self { pipelines, pipeline, bindings, buffers, precision, tiling, shape })
    }

    /// Multiplications and additions of one [`run`](Self::run).
    pub fn operations(&self) -> f64 {
        let rows = (self.shape.blocks * TILE) as f64;
        2.0 * rows * rows * self.shape.stride as f64
    }

    /// Multiplies once, and waits.
    ///
    /// # Errors
    /// [`ErrorKind::Device`](crate::ErrorKind::Device) if the device does not answer.
    pub fn run(&self) -> Result<()> {
        self.multiply().map_err(Failure::into_error)
    }

    pub(in crate::backend::gpu) fn multiply(&self) -> Result<(), Failure> {
        let handle = self.pipelines.handle();
        handle.scoped(|| {
            let device = handle.device();
            let mut encoder = device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("product") });
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let groups = [self.shape.stride / TILE, self.tiling.rows_of_groups(self.shape.blocks)];
            self.pipeline.dispatch(&mut pass, &self.bindings, groups);
            drop(pass);
            handle.queue().submit([encoder.finish()]);
            let waited = device.poll(wgpu::PollType::wait_indefinitely());
            waited
                .map(|_| ())
                .map_err(|error| Failure::Device(Fallback::DeviceLost, error.to_string()))
        })
    }
}
