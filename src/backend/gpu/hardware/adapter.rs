//! The adapters of this machine.

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
#[non_exhaustive]
pub struct AdapterReport {
    /// Its name. [`Device::open`](crate::backend::gpu::Device::open) looks for it.
    pub name: String,
    /// The interface to it: `Vulkan`, `Metal`, `Dx12`.
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
    /// The largest number of invocations of a workgroup.
    pub max_invocations: u32,
    /// What it lacks, in plain words; empty for an adapter that can be used.
    pub lacks: Vec<String>,
}

/// The memory that a workgroup must share, in bytes: two slabs of a product in double precision.
/// This and the next three are limits that every WebGPU implementation has.
const WORKGROUP_MEMORY: u64 = 16_384;

/// The invocations that a workgroup must have: those of a gradient.
const INVOCATIONS: u64 = 256;

/// The workgroups that there must be side by side.
const WORKGROUPS: u64 = 65_535;

/// The storage buffers that a stage must see: those of the score.
const STORAGE_BUFFERS: u64 = 8;

impl AdapterReport {
    /// Whether it is hardware. Software is used only if it is asked for by name.
    pub fn is_hardware(&self) -> bool {
        matches!(self.kind, AdapterKind::Discrete | AdapterKind::Integrated | AdapterKind::Virtual)
    }

    pub(in crate::backend::gpu) fn of(
        adapter: &wgpu::AdapterInfo,
        features: wgpu::Features,
        limits: &wgpu::Limits,
    ) -> Self {
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

/// Every adapter of this machine, the one that would be chosen first.
pub fn adapters() -> Vec<AdapterReport> {
    found().into_iter().map(|(report, _)| report).collect()
}

/// [`adapters`], each with the adapter itself.
pub(in crate::backend::gpu) fn found() -> Vec<(AdapterReport, wgpu::Adapter)> {
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
