//! Compute pipelines, built when they are first needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::binding::Binding;
use super::layout::word;
use super::memory::Bindable;
use super::source;
use super::tiling::{FEW_BLOCKS, Tiling};
use crate::backend::Precision;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;

/// The entry points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    PointsSent,
    PointsDrawn,
    PointsClimbs,
    KernelTile,
    TriangularProduct,
    PendingShifts,
    Score,
    ScorePending,
    PendingAdjoint,
    Gradient,
    Pathwise,
    BranchCovariance,
    BranchAdjoint,
    Climb,
    TopK,
    Probe,
}

impl Stage {
    /// The file in `shaders/`, without its ending.
    pub fn path(self) -> &'static str {
        match self {
            Self::PointsSent => "posterior/points_sent",
            Self::PointsDrawn => "search/points_drawn",
            Self::PointsClimbs => "search/points_climbs",
            Self::KernelTile => "posterior/kernel_tile",
            Self::TriangularProduct => "posterior/triangular_product",
            Self::PendingShifts => "posterior/pending_shifts",
            Self::Score => "acquisition/score",
            Self::ScorePending => "acquisition/score_pending",
            Self::PendingAdjoint => "posterior/pending_adjoint",
            Self::Gradient => "posterior/gradient",
            Self::Pathwise => "posterior/pathwise",
            Self::BranchCovariance => "posterior/branch_covariance",
            Self::BranchAdjoint => "posterior/branch_adjoint",
            Self::Climb => "search/climb",
            Self::TopK => "backend/top_k",
            Self::Probe => "backend/probe",
        }
    }
}

/// Which pipeline: the stage, the precision, and the values of its `override` constants.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PipelineKey {
    pub stage: Stage,
    pub precision: Precision,
    pub constants: Vec<(&'static str, u32)>,
}

/// A pipeline with the layout of its one group of bindings.
pub struct Pipeline {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// The pipelines of a device, and the tilings of its products. A clone shares the pipelines.
#[derive(Clone)]
pub struct Pipelines {
    handle: Handle,
    built: Arc<Mutex<HashMap<PipelineKey, Arc<Pipeline>>>>,
    /// In each precision.
    tilings: [Tiling; 2],
    /// Blocks of data up to which no tile is tall.
    few_blocks: usize,
}

impl Pipelines {
    /// None built yet, and the default tilings.
    pub fn new(handle: Handle) -> Self {
        let tilings = [Tiling::DEFAULT; 2];
        Self { handle, built: Arc::default(), tilings, few_blocks: FEW_BLOCKS }
    }

    /// The same pipelines with another tiling in a precision.
    pub fn with_tiling(&self, precision: Precision, tiling: Tiling) -> Self {
        let mut with = self.clone();
        with.tilings[precision as usize] = tiling;
        with
    }

    /// None built yet, and no failure of the device noted.
    pub fn anew(&self) -> Self {
        Self { tilings: self.tilings, ..Self::new(self.handle.without_failure()) }
    }

    /// The tiling of the products in a precision.
    pub fn tiling(&self, precision: Precision) -> Tiling {
        self.tilings[precision as usize]
    }

    /// The tiling for so many blocks of data.
    pub fn tiling_of(&self, precision: Precision, blocks: usize) -> Tiling {
        let tiling = self.tiling(precision);
        if tiling.is_tall() && blocks <= self.few_blocks { Tiling::DEFAULT } else { tiling }
    }

    /// The same pipelines, with a tall tile for any number of blocks if there is one.
    pub fn regardless_of_size(&self) -> Self {
        Self { few_blocks: 0, ..self.clone() }
    }

    /// The device.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// The pipeline of a key. Builds it if it is not there.
    pub fn get(&self, key: PipelineKey) -> Result<Arc<Pipeline>, Failure> {
        // A panic while the lock was held cannot leave half a pipeline in the table.
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = built.get(&key) {
            return Ok(pipeline.clone());
        }
        let pipeline = Arc::new(Pipeline::build(&self.handle, &key)?);
        built.insert(key, pipeline.clone());
        Ok(pipeline)
    }
}

impl Pipeline {
    fn build(handle: &Handle, key: &PipelineKey) -> Result<Self, Failure> {
        let label = Some(key.stage.path());
        let source =
            wgpu::ShaderSource::Wgsl(source::entry(key.stage.path(), key.precision)?.into());
        let constants: Vec<(&str, f64)> =
            key.constants.iter().map(|&(name, value)| (name, f64::from(value))).collect();
        handle.scoped(|| {
            let device = handle.device();
            let module =
                device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: None,
                module: &module,
                entry_point: Some("main"),
                // Every shader writes its workgroup's memory before it reads it.
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

    /// Binds the variables of the shader, all that it declares.
    pub fn bind(&self, handle: &Handle, bound: &[(Binding, &dyn Bindable)]) -> wgpu::BindGroup {
        let entries: Vec<_> = bound
            .iter()
            .map(|(binding, to)| wgpu::BindGroupEntry {
                binding: binding.number(),
                resource: to.resource(),
            })
            .collect();
        handle.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        })
    }

    /// Writes a dispatch over `x` times `y` workgroups into a pass.
    pub fn dispatch(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bindings: &wgpu::BindGroup,
        [x, y]: [usize; 2],
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, bindings, &[]);
        pass.dispatch_workgroups(word(x), word(y), 1);
    }
}
