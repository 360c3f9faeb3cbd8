//! Compute pipelines, built when they are first needed and kept with the device.

use std::sync::Arc;

use super::device::Device;
use super::evaluate::Failure;
use super::source;
use crate::backend::Precision;

/// The entry points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    KernelTile,
    TriangularProduct,
    Score,
    Gradient,
    Pathwise,
    BranchCovariance,
    BranchAdjoint,
    TopK,
    Probe,
}

impl Stage {
    /// The file in `shaders/`, without its ending.
    pub fn path(self) -> &'static str {
        match self {
            Self::KernelTile => "posterior/kernel_tile",
            Self::TriangularProduct => "posterior/triangular_product",
            Self::Score => "acquisition/score",
            Self::Gradient => "posterior/gradient",
            Self::Pathwise => "posterior/pathwise",
            Self::BranchCovariance => "posterior/branch_covariance",
            Self::BranchAdjoint => "posterior/branch_adjoint",
            Self::TopK => "backend/top_k",
            Self::Probe => "backend/probe",
        }
    }
}

/// Which pipeline: the stage, the precision, and the values of its `override` constants.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    pub stage: Stage,
    pub precision: Precision,
    pub constants: Vec<(&'static str, u32)>,
}

/// A pipeline with the layout of its one group of bindings.
pub(super) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl Pipeline {
    /// The pipeline of a key, built now if it was not before.
    pub fn get(device: &Device, key: PipelineKey) -> Result<Arc<Self>, Failure> {
        let mut table = device.pipelines();
        if let Some(pipeline) = table.get(&key) {
            return Ok(pipeline.clone());
        }
        let pipeline = Arc::new(Self::build(device, &key)?);
        table.insert(key, pipeline.clone());
        Ok(pipeline)
    }

    /// Binds whole buffers by their numbers: all that the shader declares.
    pub fn bind<'a>(
        &self,
        device: &Device,
        buffers: impl Iterator<Item = (u32, &'a wgpu::Buffer)>,
    ) -> wgpu::BindGroup {
        self.bind_at(device, &[], buffers)
    }

    /// The same with parts of buffers.
    pub fn bind_at<'a>(
        &self,
        device: &Device,
        parts: &[(u32, wgpu::BindingResource<'a>)],
        buffers: impl Iterator<Item = (u32, &'a wgpu::Buffer)>,
    ) -> wgpu::BindGroup {
        let whole = buffers.map(|(binding, buffer)| (binding, buffer.as_entire_binding()));
        let bound = parts.iter().cloned().chain(whole);
        let entries: Vec<_> =
            bound.map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        device.wgpu().0.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        })
    }

    fn build(device: &Device, key: &PipelineKey) -> Result<Self, Failure> {
        let label = Some(key.stage.path());
        let source =
            wgpu::ShaderSource::Wgsl(source::entry(key.stage.path(), key.precision)?.into());
        let constants: Vec<(&str, f64)> =
            key.constants.iter().map(|&(name, value)| (name, f64::from(value))).collect();
        device.scoped(|| {
            let device = device.wgpu().0;
            let module =
                device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: None,
                module: &module,
                entry_point: Some("main"),
                // Every shader writes what it reads of its workgroup's memory.
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    zero_initialize_workgroup_memory: false,
                },
                cache: None,
            });
            let layout = pipeline.get_bind_group_layout(0);
            Ok(Self { pipeline, layout })
        })
    }
}
