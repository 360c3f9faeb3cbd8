//! A plain product on the device: the floor that posterior and gradient are measured against.

use super::binding::Binding;
use super::buffers::{STORAGE, Staging, allocate};
use super::device::Device;
use super::evaluate::Failure;
use super::layout::{Shape, Side, Sum, TILE, word};
use super::pipelines::{Pipeline, PipelineKey, Stage};
use crate::backend::Precision;
use crate::error::{Error, ErrorKind, Result};

/// The product of a square matrix and a wide one, by the same shader as the triangular products,
/// with nothing around it.
///
/// Value and gradient of `b` points with `n` observations multiply two triangular `n x n` matrices
/// by an `n x b` one: as many operations as this.
pub struct PlainProduct {
    device: Device,
    recorded: (wgpu::ComputePipeline, wgpu::BindGroup),
    shape: Shape,
}

impl PlainProduct {
    /// Matrices of ones, `rows x rows` and `rows x columns`, both rounded up to whole tiles of 64.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device has no such precision or not the memory.
    pub fn new(device: &Device, precision: Precision, rows: usize, columns: usize) -> Result<Self> {
        if precision == Precision::F64 && !device.has_double() {
            return Err(Error::new(ErrorKind::Device, "the device has no double precision"));
        }
        let build = || -> Result<Self, Failure> {
            let (rows, columns) = (rows.next_multiple_of(TILE), columns.next_multiple_of(TILE));
            let queue = device.wgpu().1;
            let mut staging = Staging::default();
            let mut filled = |label, count: usize| -> Result<wgpu::Buffer, Failure> {
                let buffer = allocate(device, label, (precision.size() * count) as u64, STORAGE)?;
                queue.write_buffer(
                    &buffer,
                    0,
                    staging.fill(precision, std::iter::repeat_n(1.0, count)),
                );
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
            let words: &[u8] = bytemuck::cast_slice(&words);
            let uniform = allocate(
                device,
                "shape",
                words.len() as u64,
                wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            )?;
            queue.write_buffer(&uniform, 0, words);
            let buffers = [
                (Binding::Shape, uniform),
                (Binding::Inverse, filled("square", rows * rows)?),
                (Binding::Factor, filled("wide", rows * columns)?),
                (Binding::Result, filled("product", rows * columns)?),
                (Binding::Sums, filled("sums", Sum::ALL.len() * rows / TILE * columns)?),
            ];
            let key = PipelineKey {
                stage: Stage::TriangularProduct,
                precision,
                constants: vec![("SIDE", Side::Square.number()), ("STORE", 1)],
            };
            let pipeline = Pipeline::get(device, key)?;
            let bindings =
                pipeline.bind(device, buffers.iter().map(|(binding, buffer)| (*binding, buffer)));
            Ok(Self {
                device: device.clone(),
                recorded: (pipeline.pipeline.clone(), bindings),
                shape,
            })
        };
        build().map_err(Failure::into_error)
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
        let (device, queue) = self.device.wgpu();
        let mut encoder = device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("product") });
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.recorded.0);
        pass.set_bind_group(0, &self.recorded.1, &[]);
        pass.dispatch_workgroups(word(self.shape.stride / TILE), word(self.shape.blocks), 1);
        drop(pass);
        queue.submit([encoder.finish()]);
        let waited = device.poll(wgpu::PollType::wait_indefinitely());
        waited.map(|_| ()).map_err(|error| Error::new(ErrorKind::Device, error.to_string()))
    }
}
