//! Buffers on the device, and numbers on their way into them.

use std::ops::Range;

use super::layout::TILE;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::{Fallback, Precision};

/// The uses of a storage buffer that is also written and copied.
pub const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_DST)
    .union(wgpu::BufferUsages::COPY_SRC);

/// The uses of a uniform buffer.
pub const UNIFORM: wgpu::BufferUsages =
    wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::COPY_DST);

/// The uses of a buffer that the host reads.
pub const READBACK: wgpu::BufferUsages =
    wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::COPY_DST);

/// What a shader's variable can be bound to.
pub trait Bindable {
    fn resource(&self) -> wgpu::BindingResource<'_>;
}

impl Bindable for wgpu::Buffer {
    fn resource(&self) -> wgpu::BindingResource<'_> {
        self.as_entire_binding()
    }
}

impl Bindable for wgpu::BufferBinding<'_> {
    fn resource(&self) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::Buffer(self.clone())
    }
}

impl Bindable for Store {
    fn resource(&self) -> wgpu::BindingResource<'_> {
        self.buffer.as_entire_binding()
    }
}

/// Numbers on their way to the device, in its precision.
#[derive(Default)]
pub struct Staging {
    single: Vec<f32>,
    double: Vec<f64>,
}

impl Staging {
    /// The numbers as bytes. A number that single precision cannot hold becomes infinite.
    pub fn fill(&mut self, precision: Precision, numbers: impl Iterator<Item = f64>) -> &[u8] {
        match precision {
            Precision::F32 => {
                self.single.clear();
                self.single.extend(numbers.map(|number| number as f32));
                bytemuck::cast_slice(&self.single)
            }
            Precision::F64 => {
                self.double.clear();
                self.double.extend(numbers);
                bytemuck::cast_slice(&self.double)
            }
        }
    }

    /// The coordinates of a range of points, from a center and over the lengthscales: block by
    /// block, and in a block dimension by dimension. `points` holds all points; beyond the last one
    /// the coordinates are zero.
    pub fn blocks(
        &mut self,
        precision: Precision,
        points: &[f64],
        (center, inverse): (&[f64], &[f64]),
        range: Range<usize>,
    ) -> &[u8] {
        match precision {
            Precision::F32 => {
                turned(&mut self.single, points, center, inverse, range, |number| number as f32)
            }
            Precision::F64 => {
                turned(&mut self.double, points, center, inverse, range, |number| number)
            }
        }
    }
}

/// The blocks of these points, as bytes. A block of points is small enough for the nearest cache,
/// so that it is read there by columns: a chain of iterators over strided rows took four times as
/// long.
fn turned<'a, T: bytemuck::Pod>(
    into: &'a mut Vec<T>,
    points: &[f64],
    center: &[f64],
    inverse: &[f64],
    range: Range<usize>,
    convert: impl Fn(f64) -> T,
) -> &'a [u8] {
    let d = center.len();
    into.clear();
    into.resize(range.len().next_multiple_of(TILE) * d, T::zeroed());
    for (first, block) in range.step_by(TILE).zip(into.chunks_exact_mut(TILE * d)) {
        let rows = points.get(first * d..).unwrap_or(&[]);
        for (k, (column, (center, inverse))) in
            block.chunks_exact_mut(TILE).zip(center.iter().zip(inverse)).enumerate()
        {
            for (to, row) in column.iter_mut().zip(rows.chunks_exact(d)) {
                *to = convert((row[k] - center) * inverse);
            }
        }
    }
    bytemuck::cast_slice(into)
}

/// What the device's precision takes from a number.
pub fn rest(precision: Precision, number: f64) -> f64 {
    match precision {
        Precision::F32 => number - f64::from(number as f32),
        Precision::F64 => 0.0,
    }
}

/// A buffer that grows.
pub struct Store {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: wgpu::Buffer,
}

impl Store {
    pub fn new(
        handle: &Handle,
        label: &'static str,
        usage: wgpu::BufferUsages,
    ) -> Result<Self, Failure> {
        Ok(Self { label, usage, buffer: allocate(handle, label, 256, usage)? })
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Writes bytes from the start on, after making room for them. Returns whether the buffer was
    /// replaced.
    pub fn write(&mut self, handle: &Handle, bytes: &[u8]) -> Result<bool, Failure> {
        let moved = self.reserve(handle, bytes.len() as u64)?;
        handle.queue().write_buffer(&self.buffer, 0, bytes);
        Ok(moved)
    }

    /// Makes room for `size` bytes. Returns whether the buffer was replaced; its content is then
    /// gone.
    pub fn reserve(&mut self, handle: &Handle, size: u64) -> Result<bool, Failure> {
        if size <= self.buffer.size() {
            return Ok(false);
        }
        self.buffer = allocate(handle, self.label, size.next_multiple_of(256), self.usage)?;
        Ok(true)
    }
}

/// A new buffer of `size` bytes.
pub fn allocate(
    handle: &Handle,
    label: &'static str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, Failure> {
    let device = handle.device();
    if size > device.limits().max_buffer_size {
        return Err(Failure::Device(
            Fallback::OutOfMemory,
            format!("buffer {label} of {size} bytes is larger than the adapter allows"),
        ));
    }
    handle.scoped(|| {
        Ok(device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        }))
    })
}
