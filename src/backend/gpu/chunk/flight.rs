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

impl Readback {
    pub fn new(handle: &Handle) -> Result<Self, Failure> {
        let store = || Store::new(handle, "readback", READBACK);
        Ok(Self([store()?, store()?]))
    }

    /// The buffer of a slot, with room for `size` bytes.
    pub fn slot(
        &mut self,
        handle: &Handle,
        slot: usize,
        size: u64,
    ) -> Result<&wgpu::Buffer, Failure> {
        self.0[slot].reserve(handle, size)?;
        Ok(self.0[slot].buffer())
    }

    /// Submits the commands that fill the `size` bytes of a slot.
    pub fn submit(
        &self,
        handle: &Handle,
        encoder: wgpu::CommandEncoder,
        slot: usize,
        size: u64,
    ) -> Flight {
        let submission = handle.queue().submit([encoder.finish()]);
        let (sink, mapped) = mpsc::channel();
        self.0[slot].buffer().slice(..size).map_async(wgpu::MapMode::Read, move |result| {
            let _ = sink.send(result);
        });
        Flight { slot, size, submission, mapped }
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
