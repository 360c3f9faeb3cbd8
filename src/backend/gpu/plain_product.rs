//! A plain product on the device: the floor that posterior and gradient are measured against.

use std::fmt;
use std::sync::Arc;

use super::binding::Binding;
use super::device::Device;
use super::failure::Failure;
use super::handle::Handle;
use super::layout::{Shape, Side, Sum, TILE};
use super::memory::{STORAGE, Staging, UNIFORM, allocate};
use super::pipelines::{Pipeline, PipelineKey, Stage};
use crate::backend::Precision;
use crate::error::{Error, ErrorKind, Result};

/// The product of a square matrix and a wide one, by the shader of the triangular products, with
/// nothing around it.
///
/// Value and gradient of `b` points with `n` observations multiply two triangular `n x n` matrices
/// by an `n x b` one. That takes as many operations as this product.
pub struct PlainProduct {
    handle: Handle,
    pipeline: Arc<Pipeline>,
    bindings: wgpu::BindGroup,
    shape: Shape,
}

impl fmt::Debug for PlainProduct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlainProduct").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl PlainProduct {
    /// Matrices of ones, `rows x rows` and `rows x columns`, both rounded up to whole tiles of 64.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device has no such precision, or not the memory.
    pub fn new(device: &Device, precision: Precision, rows: usize, columns: usize) -> Result<Self> {
        if precision == Precision::F64 && !device.has_double() {
            return Err(Error::new(ErrorKind::Device, "the device has no double precision"));
        }
        Self::build(device, precision, rows, columns).map_err(Failure::into_error)
    }

    fn build(
        device: &Device,
        precision: Precision,
        rows: usize,
        columns: usize,
    ) -> Result<Self, Failure> {
        let handle = device.handle();
        let (rows, columns) = (rows.next_multiple_of(TILE), columns.next_multiple_of(TILE));
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
        let key = PipelineKey {
            stage: Stage::TriangularProduct,
            precision,
            constants: vec![("SIDE", Side::Square.number()), ("STORE", 1)],
        };
        let pipeline = device.pipelines().get(key)?;
        let bindings = pipeline.bind(
            handle,
            &[
                (Binding::Shape, &uniform),
                (Binding::Inverse, &filled("square", rows * rows)?),
                (Binding::Factor, &filled("wide", rows * columns)?),
                (Binding::Result, &filled("product", rows * columns)?),
                (Binding::Sums, &filled("sums", Sum::ALL.len() * rows / TILE * columns)?),
            ],
        );
        Ok(Self { handle: handle.clone(), pipeline, bindings, shape })
    }

    /// Multiplications and additions of one [`run`](Self::run).
    pub fn operations(&self) -> f64 {
        let rows = (self.shape.blocks * TILE) as f64;
        2.0 * rows * rows * self.shape.stride as f64
    }

    /// Multiplies once, and waits.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device does not answer.
    pub fn run(&self) -> Result<()> {
        let device = self.handle.device();
        let mut encoder = device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("product") });
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let groups = [self.shape.stride / TILE, self.shape.blocks];
        self.pipeline.dispatch(&mut pass, &self.bindings, groups);
        drop(pass);
        self.handle.queue().submit([encoder.finish()]);
        let waited = device.poll(wgpu::PollType::wait_indefinitely());
        waited.map(|_| ()).map_err(|error| Error::new(ErrorKind::Device, error.to_string()))
    }
}
