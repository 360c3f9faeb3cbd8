//! What the steps of a batch take, on the host and on the device. Only a measurement has one.

use std::time::Instant;

use crate::backend::Fallback;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::memory::READBACK;
use crate::backend::gpu::kernels::pipelines::Stage;

/// A step of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostStep {
    /// Points are written, and arranged before where the device does not do so.
    Points,
    /// Settings and costs are written, and buffers bound.
    Settings,
    /// The commands are encoded and submitted.
    Submission,
    /// The host waits for the device.
    Waiting,
    /// The numbers are taken over.
    Landing,
}

impl HostStep {
    /// All of them, in order.
    pub const ALL: [Self; 5] =
        [Self::Points, Self::Settings, Self::Submission, Self::Waiting, Self::Landing];

    /// What it is called in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Points => "points into staging",
            Self::Settings => "settings and bindings",
            Self::Submission => "encode and submit",
            Self::Waiting => "wait",
            Self::Landing => "landing",
        }
    }
}

/// The times of a batch. If the device has timestamps, each step is a compute pass of its own.
pub struct Stopwatch {
    handle: Handle,
    started: Instant,
    host: [f64; HostStep::ALL.len()],
    chunks: Vec<Timestamps>,
}

/// The timestamps of a chunk, two for each of its steps.
struct Timestamps {
    stages: Vec<Stage>,
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: wgpu::Buffer,
}

/// The size of a timestamp, in bytes.
const TIMESTAMP: u64 = 8;

impl Stopwatch {
    /// Nothing is timed yet.
    pub fn new(handle: &Handle) -> Self {
        let host = Default::default();
        Self { handle: handle.clone(), started: Instant::now(), host, chunks: Vec::new() }
    }

    /// The next step of the host starts now.
    pub fn start(watch: &mut Option<Self>) {
        if let Some(watch) = watch {
            watch.started = Instant::now();
        }
    }

    /// A step of the host ends now, and the next one starts.
    pub fn lap(watch: &mut Option<Self>, step: HostStep) {
        if let Some(watch) = watch {
            let now = Instant::now();
            watch.host[step as usize] += (now - watch.started).as_secs_f64();
            watch.started = now;
        }
    }

    /// Seconds of a step of the host, over all chunks.
    pub fn host_seconds(&self, step: HostStep) -> f64 {
        self.host[step as usize]
    }

    /// Stages in order with the seconds of the device, over all chunks. `None` if the device has no
    /// timestamps. All chunks must have landed.
    pub fn device_seconds(&self) -> Result<Option<Vec<(Stage, f64)>>, Failure> {
        let mut steps: Vec<(Stage, f64)> = Vec::new();
        let tick = 1e-9 * f64::from(self.handle.queue().get_timestamp_period());
        for chunk in &self.chunks {
            let seconds = chunk.read(&self.handle, tick)?;
            if steps.is_empty() {
                steps = chunk.stages.iter().map(|&stage| (stage, 0.0)).collect();
            }
            steps.iter_mut().zip(seconds).for_each(|((_, sum), seconds)| *sum += seconds);
        }
        Ok((!steps.is_empty()).then_some(steps))
    }
}

impl Timestamps {
    /// Room for the timestamps of some stages; `None` if the device has none.
    fn new(handle: &Handle, stages: Vec<Stage>) -> Option<Self> {
        let device = handle.device();
        if stages.is_empty() || !device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let count = 2 * stages.len() as u32;
        let queries = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("timestamps"),
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: TIMESTAMP * u64::from(count),
                usage,
                mapped_at_creation: false,
            })
        };
        let resolved = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        Some(Self { stages, queries, resolved: buffer(resolved), readback: buffer(READBACK) })
    }

    /// The seconds of each stage.
    fn read(&self, handle: &Handle, tick: f64) -> Result<Vec<f64>, Failure> {
        let lost = |message: String| Failure::Device(Fallback::DeviceLost, message);
        self.readback.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        let polled = handle.device().poll(wgpu::PollType::wait_indefinitely());
        polled.map_err(|error| lost(error.to_string()))?;
        let view = self.readback.slice(..).get_mapped_range();
        let view = view.map_err(|error| lost(error.to_string()))?;
        let ticks: &[u64] = bytemuck::cast_slice(&view);
        let seconds = ticks.chunks_exact(2).map(|ends| match ends {
            [from, to] => tick * to.saturating_sub(*from) as f64,
            _ => 0.0,
        });
        Ok(seconds.collect())
    }
}

/// The compute passes that a chunk's steps are encoded into: one for all steps, or one for each if
/// the device times them.
pub struct Passes<'a> {
    encoder: &'a mut wgpu::CommandEncoder,
    timestamps: Option<Timestamps>,
    watch: Option<&'a mut Stopwatch>,
    pass: Option<wgpu::ComputePass<'static>>,
    begun: u32,
}

impl<'a> Passes<'a> {
    /// For steps of these stages. They are timed if there is a stopwatch.
    pub fn new(
        encoder: &'a mut wgpu::CommandEncoder,
        watch: Option<&'a mut Stopwatch>,
        stages: impl Iterator<Item = Stage>,
    ) -> Self {
        let timestamps =
            watch.as_ref().and_then(|watch| Timestamps::new(&watch.handle, stages.collect()));
        Self { encoder, timestamps, watch, pass: None, begun: 0 }
    }

    /// The pass of the next step.
    pub fn next(&mut self) -> &mut wgpu::ComputePass<'static> {
        if self.timestamps.is_some() {
            // One pass ends before another begins.
            self.pass = None;
        }
        let Self { encoder, timestamps, pass, begun, .. } = self;
        pass.get_or_insert_with(|| {
            let first = 2 * *begun;
            *begun += 1;
            let timestamp_writes =
                timestamps.as_ref().map(|timestamps| wgpu::ComputePassTimestampWrites {
                    query_set: &timestamps.queries,
                    beginning_of_pass_write_index: Some(first),
                    end_of_pass_write_index: Some(first + 1),
                });
            let label = Some("gittins");
            encoder
                .begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes })
                .forget_lifetime()
        })
    }

    /// Ends the last pass. The timestamps come back with the chunk.
    pub fn end(self) {
        let Self { encoder, timestamps, watch, pass, begun } = self;
        drop(pass);
        let (Some(timestamps), Some(watch)) = (timestamps, watch) else { return };
        let Timestamps { queries, resolved, readback, .. } = &timestamps;
        encoder.resolve_query_set(queries, 0..2 * begun, resolved, 0);
        encoder.copy_buffer_to_buffer(resolved, 0, readback, 0, readback.size());
        watch.chunks.push(timestamps);
    }
}
