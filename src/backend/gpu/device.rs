//! Adapters, and the device that one of them gives.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};

use crate::backend::{Fallback, Precision, Provenance};
use crate::error::{Error, ErrorKind, Result};

use super::crossover::Crossover;
use super::evaluate::Failure;
use super::flight::PATIENCE;
use super::pipelines::{Pipeline, PipelineKey};
use super::self_test::{self, SelfTest};

/// What an adapter is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdapterKind {
    /// A graphics card with memory of its own.
    Discrete,
    /// Graphics that share the processor's memory.
    Integrated,
    /// Hardware lent to a virtual machine.
    Virtual,
    /// A program that computes on the processor.
    Software,
    /// The driver does not say.
    Unknown,
}

/// One adapter of this machine, and whether it can be used.
#[derive(Debug, Clone)]
pub struct AdapterReport {
    /// Its name, which [`Device::open`] looks for.
    pub name: String,
    /// The interface it is reached by: `Vulkan`, `Metal`, `Dx12`.
    pub interface: String,
    /// The driver and its version.
    pub driver: String,
    /// What it is made of.
    pub kind: AdapterKind,
    /// Whether shaders have 64-bit floats.
    pub double: bool,
    /// The largest buffer, in bytes.
    pub max_buffer: u64,
    /// The largest part of a buffer that a shader sees, in bytes.
    pub max_binding: u64,
    /// Memory that a workgroup shares, in bytes.
    pub max_workgroup_memory: u32,
    /// Invocations of a workgroup at most.
    pub max_invocations: u32,
    /// What it lacks, in plain words; empty for an adapter that can be used.
    pub lacks: Vec<String>,
}

impl AdapterReport {
    /// Whether it is hardware: software is used only where it is asked for by name.
    pub fn is_hardware(&self) -> bool {
        matches!(self.kind, AdapterKind::Discrete | AdapterKind::Integrated | AdapterKind::Virtual)
    }

    fn of(adapter: &wgpu::AdapterInfo, features: wgpu::Features, limits: &wgpu::Limits) -> Self {
        let kind = match adapter.device_type {
            wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
            wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
            wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
            wgpu::DeviceType::Cpu => AdapterKind::Software,
            wgpu::DeviceType::Other => AdapterKind::Unknown,
        };
        let mut lacks = Vec::new();
        let mut need = |what: &str, has: u64, needed: u64| {
            if has < needed {
                lacks.push(format!("{what}: {has}, needed {needed}"));
            }
        };
        let limit = u64::from;
        need(
            "bytes of workgroup memory",
            limit(limits.max_compute_workgroup_storage_size),
            WORKGROUP_MEMORY,
        );
        need(
            "invocations of a workgroup",
            limit(limits.max_compute_invocations_per_workgroup),
            INVOCATIONS,
        );
        need(
            "workgroups side by side",
            limit(limits.max_compute_workgroups_per_dimension),
            WORKGROUPS,
        );
        need(
            "storage buffers of a stage",
            limit(limits.max_storage_buffers_per_shader_stage),
            STORAGE_BUFFERS,
        );
        Self {
            name: adapter.name.clone(),
            interface: format!("{:?}", adapter.backend),
            driver: [&*adapter.driver, &*adapter.driver_info].join(" ").trim().to_string(),
            kind,
            double: features.contains(wgpu::Features::SHADER_F64),
            max_buffer: limits.max_buffer_size,
            max_binding: limits.max_storage_buffer_binding_size,
            max_workgroup_memory: limits.max_compute_workgroup_storage_size,
            max_invocations: limits.max_compute_invocations_per_workgroup,
            lacks,
        }
    }
}

/// What the shaders need: two slabs of a product in double precision, a gradient's workgroup, and
/// the buffers of the score. They are the limits that every WebGPU implementation has.
const WORKGROUP_MEMORY: u64 = 16_384;
const INVOCATIONS: u64 = 256;
const WORKGROUPS: u64 = 65_535;
const STORAGE_BUFFERS: u64 = 8;

/// An open device, with the pipelines built on it so far. A clone is the same device; several
/// studies may share it.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    report: AdapterReport,
    name: Arc<str>,
    double: bool,
    self_tests: OnceLock<Vec<SelfTest>>,
    device: wgpu::Device,
    queue: wgpu::Queue,
    lost: Arc<OnceLock<String>>,
    failed: OnceLock<(Fallback, String)>,
    pipelines: Mutex<HashMap<PipelineKey, Arc<Pipeline>>>,
    crossovers: [OnceLock<Crossover>; 2],
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("report", &self.inner.report)
            .field("failed", &self.inner.failed)
            .finish_non_exhaustive()
    }
}

/// Every adapter of this machine, hardware first as it would be chosen.
pub fn adapters() -> Vec<AdapterReport> {
    found().into_iter().map(|(report, _)| report).collect()
}

fn found() -> Vec<(AdapterReport, wgpu::Adapter)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    let mut found: Vec<_> = adapters
        .into_iter()
        .map(|adapter| {
            (AdapterReport::of(&adapter.get_info(), adapter.features(), &adapter.limits()), adapter)
        })
        .collect();
    found.sort_by_key(|(report, _)| match report.kind {
        AdapterKind::Discrete => 0,
        AdapterKind::Virtual => 1,
        AdapterKind::Integrated => 2,
        AdapterKind::Unknown => 3,
        AdapterKind::Software => 4,
    });
    found
}

impl Device {
    /// Opens the best hardware adapter, or with a `name` the first adapter whose name contains it
    /// in any case, software too; and tests it against the host.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if there is none, if it lacks what the shaders need, or if its answers
    /// are wrong.
    pub fn open(name: Option<&str>) -> Result<Self> {
        Self::try_open(name).map_err(|(_, error)| error)
    }

    /// The same with what to put down as the reason that the host computes.
    pub(super) fn try_open(name: Option<&str>) -> Result<Self, (Fallback, Error)> {
        let unsuitable =
            |message: String| (Fallback::NoAdapter, Error::new(ErrorKind::Device, message));
        let wanted = |report: &AdapterReport| match name {
            Some(name) => report.name.to_lowercase().contains(&name.to_lowercase()),
            None => report.is_hardware(),
        };
        let found = found();
        let names: Vec<String> = found.iter().map(|(report, _)| report.name.clone()).collect();
        let Some((report, adapter)) = found.into_iter().find(|(report, _)| wanted(report)) else {
            let expected = name.map_or("a hardware adapter".to_string(), |name| {
                format!("an adapter named like '{name}'")
            });
            let got =
                if names.is_empty() { "no adapter at all".to_string() } else { names.join(", ") };
            return Err(unsuitable(format!("expected {expected}, found {got}")));
        };
        if !report.lacks.is_empty() {
            return Err(unsuitable(format!(
                "adapter {} lacks {}",
                report.name,
                report.lacks.join("; ")
            )));
        }
        let features =
            if report.double { wgpu::Features::SHADER_F64 } else { wgpu::Features::empty() };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("gittins"),
            required_features: features,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let opened = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) =
            opened.map_err(|error| unsuitable(format!("adapter {}: {error}", report.name)))?;
        let lost = Arc::new(OnceLock::new());
        let sink = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            let _ = sink.set(format!("{reason:?} {message}"));
        });
        // What no scope catches is seen by the results; the default would panic.
        device.on_uncaptured_error(Arc::new(|error| log::warn!("the device reports: {error}")));
        Self::tested(report, device, queue, lost)
    }

    /// The device of a program that uses wgpu itself. Shaders run in double precision if it was
    /// opened with [`SHADER_F64`](wgpu::Features::SHADER_F64); the larger the storage buffer
    /// bindings it was opened with, the more observations it can hold.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if it lacks what the shaders need, or if its answers are wrong.
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        let report = AdapterReport::of(&device.adapter_info(), device.features(), &device.limits());
        if !report.lacks.is_empty() {
            return Err(Error::new(
                ErrorKind::Device,
                format!("the device on {} lacks {}", report.name, report.lacks.join("; ")),
            ));
        }
        Self::tested(report, device, queue, Arc::default()).map_err(|(_, error)| error)
    }

    fn tested(
        report: AdapterReport,
        device: wgpu::Device,
        queue: wgpu::Queue,
        lost: Arc<OnceLock<String>>,
    ) -> Result<Self, (Fallback, Error)> {
        let inner = |double: bool, report: AdapterReport| Inner {
            name: report.name.as_str().into(),
            report,
            double,
            self_tests: OnceLock::new(),
            device: device.clone(),
            queue: queue.clone(),
            lost: lost.clone(),
            failed: OnceLock::new(),
            pipelines: Mutex::default(),
            crossovers: Default::default(),
        };
        let mut opened = Self { inner: Arc::new(inner(report.double, report.clone())) };
        let mut tests = vec![self_test::run(&opened, Precision::F32)];
        if report.double {
            tests.push(self_test::run(&opened, Precision::F64));
        }
        if let Some(problem) = &tests[0].problem {
            let message = format!("adapter {} fails its self-test: {problem}", report.name);
            return Err((Fallback::SelfTest, Error::new(ErrorKind::Device, message)));
        }
        if tests.get(1).is_some_and(|test| test.problem.is_some()) {
            // Single precision is right; what was built and noted in double goes.
            opened = Self { inner: Arc::new(inner(false, report)) };
        }
        let _ = opened.inner.self_tests.set(tests);
        Ok(opened)
    }

    /// What the adapter is.
    pub fn report(&self) -> &AdapterReport {
        &self.inner.report
    }

    /// Whether double precision is there and passed its self-test.
    pub fn has_double(&self) -> bool {
        self.inner.double
    }

    /// The self-tests at the start, one for each precision that the adapter has.
    pub fn self_tests(&self) -> &[SelfTest] {
        self.inner.self_tests.get().map_or(&[], Vec::as_slice)
    }

    /// From which batch on the device is quicker than the CPU, measured when it is first asked for
    /// and kept with the device.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device fails while it is measured, or has no such precision.
    pub fn measured_crossover(&self, precision: Precision) -> Result<&Crossover> {
        if precision == Precision::F64 && !self.inner.double {
            return Err(Error::new(
                ErrorKind::Device,
                format!("{} has no double precision", self.inner.name),
            ));
        }
        self.crossover(precision).map_err(|failure| failure.into_error().at(&self.inner.name))
    }

    pub(super) fn crossover(&self, precision: Precision) -> Result<&Crossover, Failure> {
        let slot = &self.inner.crossovers[precision as usize];
        if let Some(crossover) = slot.get() {
            return Ok(crossover);
        }
        let measured = Crossover::measure(self, precision)?;
        Ok(slot.get_or_init(|| measured))
    }

    /// Why the device is no longer used, if it is not.
    pub fn failure(&self) -> Option<Fallback> {
        self.inner.failed.get().map(|(fallback, _)| *fallback)
    }

    /// From now on everything computes on the host. The first reason stands, and is given back.
    pub(super) fn give_up(&self, fallback: Fallback, message: &str) -> Fallback {
        // Commands are refused, too, where what they work on went with the device.
        let fallback = if fallback == Fallback::Validation && !self.answers() {
            Fallback::DeviceLost
        } else {
            fallback
        };
        let (first, _) = self.inner.failed.get_or_init(|| {
            log::warn!("{}: {fallback} ({message}); the CPU goes on", self.inner.report.name);
            (fallback, message.to_string())
        });
        *first
    }

    /// Whether the device is still there: a new buffer can be read. That of a program of its own
    /// may have been lost without a word to us.
    fn answers(&self) -> bool {
        let device = &self.inner.device;
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

    /// What `work` gives, unless the device complains of it: that it is lost, out of memory, or
    /// refuses a shader, a buffer or a command.
    pub(super) fn scoped<T>(
        &self,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let device = &self.inner.device;
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let valid = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let outcome = work();
        // The last pushed is the first to go.
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

    /// What the driver said when the device was lost.
    pub(super) fn lost(&self) -> Option<&str> {
        self.inner.lost.get().map(String::as_str)
    }

    /// Of what is computed here.
    pub(super) fn provenance(&self, precision: Precision) -> Provenance {
        Provenance {
            backend: "gpu",
            adapter: Some(self.inner.name.clone()),
            precision: precision.name(),
            fallback: None,
        }
    }

    pub(super) fn wgpu(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.inner.device, &self.inner.queue)
    }

    pub(super) fn pipelines(&self) -> MutexGuard<'_, HashMap<PipelineKey, Arc<Pipeline>>> {
        // A panic while the table was held cannot leave half a pipeline in it.
        self.inner.pipelines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
