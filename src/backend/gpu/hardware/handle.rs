//! An open wgpu device: its queue, its errors, and whether it is still used.

use std::fmt;
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use super::adapter::AdapterReport;
use super::failure::Failure;
use crate::backend::{Fallback, Precision, Provenance};
use crate::error::{Error, ErrorKind, Result};

/// How long the device may take to report what is finished.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// An open device and its queue. A clone is the same device.
#[derive(Clone)]
pub struct Handle {
    inner: Arc<Inner>,
}

struct Inner {
    name: Arc<str>,
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// What the driver said when the device was lost.
    lost: Arc<OnceLock<String>>,
    /// Why the device is no longer used.
    failed: OnceLock<(Fallback, String)>,
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("name", &self.inner.name)
            .field("failed", &self.inner.failed)
            .finish_non_exhaustive()
    }
}

impl Handle {
    /// Opens an adapter, with double precision and timestamps if it has them.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the adapter refuses.
    pub fn open(report: &AdapterReport, adapter: &wgpu::Adapter) -> Result<Self> {
        let double =
            if report.double { wgpu::Features::SHADER_F64 } else { wgpu::Features::empty() };
        let features = double | (adapter.features() & wgpu::Features::TIMESTAMP_QUERY);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("gittins"),
            required_features: features,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let opened = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = opened.map_err(|error| {
            Error::new(ErrorKind::Device, format!("adapter {}: {error}", report.name))
        })?;
        let lost = Arc::new(OnceLock::new());
        let sink = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            let _ = sink.set(format!("{reason:?} {message}"));
        });
        // Errors that no scope catches show in the results. The default would panic.
        device.on_uncaptured_error(Arc::new(|error| log::warn!("the device reports: {error}")));
        Ok(Self::new(&report.name, device, queue, lost))
    }

    /// The device of a program that uses wgpu itself.
    pub fn of_program(report: &AdapterReport, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        Self::new(&report.name, device, queue, Arc::default())
    }

    fn new(
        name: &str,
        device: wgpu::Device,
        queue: wgpu::Queue,
        lost: Arc<OnceLock<String>>,
    ) -> Self {
        let failed = OnceLock::new();
        Self { inner: Arc::new(Inner { name: name.into(), device, queue, lost, failed }) }
    }

    /// The same device without the failure that was noted.
    pub fn without_failure(&self) -> Self {
        let Inner { name, device, queue, lost, .. } = &*self.inner;
        Self::new(name, device.clone(), queue.clone(), lost.clone())
    }

    pub fn device(&self) -> &wgpu::Device {
        &self.inner.device
    }

    pub fn queue(&self) -> &wgpu::Queue {
        &self.inner.queue
    }

    /// The largest storage buffer that a shader can bind as a whole, in bytes.
    pub fn largest_binding(&self) -> u64 {
        let limits = self.device().limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Why the device is no longer used; none if it is used.
    pub fn failure(&self) -> Option<Fallback> {
        self.inner.failed.get().map(|(fallback, _)| *fallback)
    }

    /// From now on the host computes everything. Keeps the first reason, and returns it.
    pub fn give_up(&self, fallback: Fallback, message: &str) -> Fallback {
        // A device that is gone also refuses commands.
        let fallback = if fallback == Fallback::Validation && !self.answers() {
            Fallback::DeviceLost
        } else {
            fallback
        };
        let (first, _) = self.inner.failed.get_or_init(|| {
            log::warn!("{}: {fallback} ({message}); the CPU goes on", self.inner.name);
            (fallback, message.to_string())
        });
        *first
    }

    /// Whether the device is still there: a new buffer can be read. A program can lose its own
    /// device without a word to us.
    fn answers(&self) -> bool {
        let device = self.device();
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let (sink, mapped) = mpsc::channel();
        let probed = self.scoped(|| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("probe"),
                size: 16,
                usage,
                mapped_at_creation: false,
            });
            buffer.map_async(wgpu::MapMode::Read, .., move |result| {
                let _ = sink.send(result.is_ok());
            });
            let polled = device.poll(wgpu::PollType::Poll);
            polled.map_err(|error| Failure::Device(Fallback::DeviceLost, error.to_string()))
        });
        probed.is_ok() && mapped.recv_timeout(PATIENCE).unwrap_or(false)
    }

    /// What `work` returns, or a failure if the device complains meanwhile: it is lost, out of
    /// memory, or refuses a shader, a buffer or a command.
    pub fn scoped<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let device = self.device();
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let valid = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let outcome = work();
        // The scopes end in reverse order.
        let exhausted = pollster::block_on(memory.pop());
        let invalid = pollster::block_on(valid.pop());
        let internal = pollster::block_on(internal.pop());
        if let Some(message) = self.lost() {
            return Err(Failure::Device(Fallback::DeviceLost, message.to_string()));
        }
        match (exhausted, invalid.or(internal)) {
            (Some(error), _) => Err(Failure::Device(Fallback::OutOfMemory, error.to_string())),
            (None, Some(error)) => Err(Failure::Device(Fallback::Validation, error.to_string())),
            (None, None) => outcome,
        }
    }

    /// What the driver said when the device was lost; none if it was not lost.
    pub fn lost(&self) -> Option<&str> {
        self.inner.lost.get().map(String::as_str)
    }

    /// The provenance of scores that this device made.
    pub fn provenance(&self, precision: Precision) -> Provenance {
        Provenance {
            backend: "gpu",
            adapter: Some(self.inner.name.clone()),
            precision: precision.name(),
            fallback: None,
        }
    }
}
