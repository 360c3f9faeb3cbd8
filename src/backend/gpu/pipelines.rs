//! Compute pipelines, built when they are first needed and kept with the device.

use std::sync::Arc;

use super::binding::Binding;
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
    #[cfg(test)]
    const ALL: [Self; 9] = [
        Self::KernelTile,
        Self::TriangularProduct,
        Self::Score,
        Self::Gradient,
        Self::Pathwise,
        Self::BranchCovariance,
        Self::BranchAdjoint,
        Self::TopK,
        Self::Probe,
    ];

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

    /// Binds whole buffers by their names: all that the shader declares.
    pub fn bind<'a>(
        &self,
        device: &Device,
        buffers: impl Iterator<Item = (Binding, &'a wgpu::Buffer)>,
    ) -> wgpu::BindGroup {
        self.bind_at(device, &[], buffers)
    }

    /// The same with parts of buffers.
    pub fn bind_at<'a>(
        &self,
        device: &Device,
        parts: &[(Binding, wgpu::BindingResource<'a>)],
        buffers: impl Iterator<Item = (Binding, &'a wgpu::Buffer)>,
    ) -> wgpu::BindGroup {
        let whole = buffers.map(|(binding, buffer)| (binding, buffer.as_entire_binding()));
        let bound = parts.iter().cloned().chain(whole);
        let entries: Vec<_> = bound
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding: binding.number(), resource })
            .collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_of_a_shader_has_the_binding_of_its_name() {
        let mut used = Vec::new();
        for stage in Stage::ALL {
            let text = source::entry(stage.path(), Precision::F32).unwrap();
            let module = naga::front::wgsl::parse_str(&text).unwrap();
            for (_, variable) in module.global_variables.iter() {
                let Some(binding) = &variable.binding else { continue };
                let name = format!("BINDING_{}", variable.name.as_ref().unwrap().to_uppercase());
                let expected = Binding::ALL.iter().find(|binding| binding.wgsl_name() == name);
                let expected = expected.unwrap_or_else(|| panic!("{}: no {name}", stage.path()));
                let found = (binding.group, binding.binding);
                assert_eq!(found, (0, expected.number()), "{}: {name}", stage.path());
                used.push(*expected);
            }
        }
        let unused = Binding::ALL.iter().filter(|binding| !used.contains(binding));
        assert_eq!(unused.collect::<Vec<_>>(), Vec::<&Binding>::new());
    }
}
