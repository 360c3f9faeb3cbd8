//! Numbers on their way from the device: one chunk is read while the next is computed.

use std::sync::mpsc;

use crate::backend::Fallback;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::{Handle, PATIENCE};
use crate::backend::gpu::kernels::memory::{READBACK, Store};

/// The buffers that the host reads.
pub struct Readback([Store; 2]);

/// A chunk that was submitted and is not read yet.
pub struct Flight {
    slot: usize,
    size: u64,
    submission: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

/// A part of a buffer, in bytes.
pub struct Part<'a> {
    pub buffer: &'a wgpu::Buffer,
    pub from: u64,
    pub size: u64,
}

impl Flight {
    /// The bytes that come.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Readback {
    pub fn new(handle: &Handle) -> Result<Self, Failure> {
        let store = || Store::new(handle, "readback", READBACK);
        Ok(Self([store()?, store()?]))
    }

    /// Submits commands, after which parts of buffers come into a slot, end to end.
    pub fn submit(
        &mut self,
        handle: &Handle,
        mut encoder: wgpu::CommandEncoder,
        slot: usize,
        parts: &[Part<'_>],
    ) -> Result<Flight, Failure> {
        let size = parts.iter().map(|part| part.size).sum();
        self.0[slot].reserve(handle, size)?;
        let (target, mut at) = (self.0[slot].buffer(), 0);
        for &Part { buffer, from, size } in parts {
            encoder.copy_buffer_to_buffer(buffer, from, target, at, size);
            at += size;
        }
        let submission = handle.queue().submit([encoder.finish()]);
        let (sink, mapped) = mpsc::channel();
        self.0[slot].buffer().slice(..size).map_async(wgpu::MapMode::Read, move |result| {
            let _ = sink.send(result);
        });
        Ok(Flight { slot, size, submission, mapped })
    }

    /// Waits for the bytes, and hands them to `take`.
    pub fn land<T>(
        &self,
        handle: &Handle,
        flight: Flight,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Failure> {
        let Flight { slot, size, submission, mapped } = flight;
        let polled = handle
            .device()
            .poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None });
        let lost = |message: String| {
            Failure::Device(Fallback::DeviceLost, handle.lost().map_or(message, str::to_string))
        };
        polled.map_err(|error| lost(error.to_string()))?;
        // Another thread that polls the same device may get the report of this chunk, and may not
        // have passed it on yet.
        match mapped.recv_timeout(PATIENCE) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(lost(error.to_string())),
            Err(_) => return Err(lost("the device did not answer".to_string())),
        }
        let buffer = self.0[slot].buffer();
        let taken = buffer
            .slice(..size)
            .get_mapped_range()
            .map_err(|error| lost(error.to_string()))
            .map(|view| take(&view));
        buffer.unmap();
        taken
    }
}
