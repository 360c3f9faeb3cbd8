//! Numbers on their way from the device: one chunk is read while the next is computed.

use std::sync::mpsc;
use std::time::Duration;

use super::buffers::Store;
use super::device::Device;
use super::evaluate::Failure;
use crate::backend::Fallback;

/// How long a chunk that is finished may take to be reported.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Where the host reads.
pub(super) struct Readback([Store; 2]);

/// What was submitted and is not read yet.
pub(super) struct Flight {
    slot: usize,
    size: u64,
    submission: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl Readback {
    pub fn new(device: &Device) -> Result<Self, Failure> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        Ok(Self([Store::new(device, "readback", usage)?, Store::new(device, "readback", usage)?]))
    }

    /// The buffer of a slot, with room for `size` bytes.
    pub fn slot(
        &mut self,
        device: &Device,
        slot: usize,
        size: u64,
    ) -> Result<&wgpu::Buffer, Failure> {
        self.0[slot].reserve(device, size)?;
        Ok(self.0[slot].buffer())
    }

    /// Submits what makes the `size` bytes of a slot.
    pub fn submit(
        &self,
        device: &Device,
        encoder: wgpu::CommandEncoder,
        slot: usize,
        size: u64,
    ) -> Flight {
        let submission = device.wgpu().1.submit([encoder.finish()]);
        let (sink, mapped) = mpsc::channel();
        self.0[slot].buffer().slice(..size).map_async(wgpu::MapMode::Read, move |result| {
            let _ = sink.send(result);
        });
        Flight { slot, size, submission, mapped }
    }

    /// Waits for the bytes.
    pub fn land<T>(
        &self,
        open: &Device,
        flight: Flight,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Failure> {
        let Flight { slot, size, submission, mapped } = flight;
        let polled = open
            .wgpu()
            .0
            .poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None });
        let lost = |message: String| {
            Failure::Device(Fallback::DeviceLost, open.lost().map_or(message, str::to_string))
        };
        polled.map_err(|error| lost(error.to_string()))?;
        // Another thread that polls the same device may be the one that is told of this chunk, and
        // may not have passed it on yet.
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
