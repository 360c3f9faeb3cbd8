//! The passes of a chunk in order: which pipelines, with which buffers bound, over how many workgroups.
//!
//! ```text
//! kernel tile -> V = L^-1 K*        for the outcome, and for a learned log-cost
//! score                             moments, value, and what the gradient multiplies
//! W = L^-T V -> gradient            for each of the two again, if gradients are wanted
//! path                              in place of these, and of the value, where the acquisition is a sample path
//! ```

use std::sync::Arc;

use super::buffers::{Place, Resident, STORAGE, Store};
use super::device::Device;
use super::evaluate::Failure;
use super::layout::{GRADIENT_DIMS, GRADIENT_POINTS, Shape, TILE, word};
use super::paths::{PathPlace, SentPaths};
use super::pipelines::{Pipeline, PipelineKey, Stage};
use crate::backend::Precision;
use crate::model::KernelFamily;

/// The matrices of a chunk that belong to one posterior.
pub(super) struct Half {
    pub shape: Store,
    pub points: Store,
    kernel: Store,
    slopes: Store,
    whitened: Store,
    sums: Store,
}

/// What a chunk has once, whatever number of posteriors.
pub(super) struct Shared {
    pub known: Store,
    pub settings: Store,
    coefficients: Store,
    pub output: Store,
    pub counts: Store,
}

impl Half {
    pub fn new(device: &Device) -> Result<Self, Failure> {
        let store = |label: &'static str| Store::new(device, label, STORAGE);
        Ok(Self {
            shape: Store::new(device, "shape", wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST)?,
            points: store("points")?,
            kernel: store("kernel")?,
            slopes: store("slopes")?,
            whitened: store("whitened")?,
            sums: store("sums")?,
        })
    }

    /// Makes room for a chunk; true if something moved.
    pub fn reserve(&mut self, device: &Device, width: u64, shape: Shape, gradient: bool) -> Result<bool, Failure> {
        let (rows, stride) = ((shape.blocks * TILE) as u64, shape.stride as u64);
        let matrix = width * rows * stride;
        let mut moved = self.points.reserve(device, width * shape.dim as u64 * stride)?;
        moved |= self.kernel.reserve(device, matrix)?;
        moved |= self.sums.reserve(device, 3 * matrix / TILE as u64)?;
        if gradient {
            moved |= self.slopes.reserve(device, matrix)?;
            moved |= self.whitened.reserve(device, matrix)?;
        }
        Ok(moved)
    }
}

impl Shared {
    pub fn new(device: &Device) -> Result<Self, Failure> {
        let store = |label: &'static str| Store::new(device, label, STORAGE);
        Ok(Self {
            known: store("known")?,
            settings: store("settings")?,
            coefficients: store("coefficients")?,
            output: store("output")?,
            counts: store("counts")?,
        })
    }

    /// Makes room for a chunk; true if something moved.
    pub fn reserve(&mut self, device: &Device, width: u64, shape: Shape, gradient: bool, known: bool) -> Result<bool, Failure> {
        let (stride, dims) = (shape.stride as u64, if gradient { shape.dim as u64 } else { 0 });
        let mut moved = self.coefficients.reserve(device, width * stride * 5)?;
        moved |= self.output.reserve(device, width * stride * (3 + dims))?;
        if known {
            moved |= self.known.reserve(device, width * stride * (1 + dims))?;
        }
        Ok(moved)
    }
}

/// What a chunk is told of the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CostInput {
    /// Nothing: the score does not look at it.
    None,
    /// One price for all, so that it has no gradient.
    Uniform,
    /// A price for each point, with its gradient.
    Known,
    /// A posterior.
    Learned,
}

/// What a recording is made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RecordingKey {
    pub outcome: Place,
    pub log_cost: Option<Place>,
    pub path: Option<PathPlace>,
    pub kind: u32,
    pub cost: CostInput,
    pub gradient: bool,
}

impl RecordingKey {
    /// Whether the gradients of moments are needed.
    pub fn slopes(&self) -> bool {
        self.gradient && self.path.is_none()
    }
}

/// Pipelines with their bindings, in order; good for chunks of any size.
pub(super) struct Recording {
    pub key: RecordingKey,
    steps: Vec<Step>,
}

struct Step {
    pipeline: Arc<Pipeline>,
    bindings: wgpu::BindGroup,
    grid: Grid,
}

#[derive(Debug, Clone, Copy)]
enum Grid {
    /// A workgroup for each block of points and each block of rows, of which there are so many.
    Tiles(usize),
    /// A workgroup for each block of points.
    Points,
    /// A workgroup for some points and some dimensions,
    Gradient,
    /// or for some points only.
    Values,
}

fn family(family: KernelFamily) -> u32 {
    match family {
        KernelFamily::Matern12 => 0,
        KernelFamily::Matern32 => 1,
        KernelFamily::Matern52 => 2,
        KernelFamily::Rbf => 3,
    }
}

impl Recording {
    /// Builds what was not built before and binds the buffers as they are now.
    pub fn new(
        device: &Device,
        key: RecordingKey,
        posteriors: [Option<&Resident>; 2],
        halves: &[Half; 2],
        shared: &Shared,
        paths: &SentPaths,
    ) -> Result<Self, Failure> {
        let precision = key.outcome.1;
        let mut recording = Self { key, steps: Vec::new() };
        let gradient = u32::from(key.slopes());
        for (half, resident) in halves.iter().zip(posteriors) {
            let Some(resident) = resident else { continue };
            let tiles = Grid::Tiles(resident.blocks);
            let constants = vec![("FAMILY", family(resident.family)), ("GRADIENT", gradient)];
            recording.step(
                device,
                precision,
                Stage::KernelTile,
                constants,
                tiles,
                &[(0, &half.shape), (4, &half.kernel), (5, &half.slopes), (3, &half.points), (7, &half.sums)],
                &[(1, &resident.inputs), (2, &resident.vectors)],
            )?;
            let constants = vec![("SIDE", 0), ("STORE", gradient)];
            recording.step(
                device,
                precision,
                Stage::TriangularProduct,
                constants,
                tiles,
                &[(0, &half.shape), (4, &half.kernel), (5, &half.whitened), (7, &half.sums)],
                &[(6, &resident.inverse)],
            )?;
        }
        let cost = match key.cost {
            CostInput::None => 0,
            CostInput::Uniform | CostInput::Known => 1,
            CostInput::Learned => 2,
        };
        let [first, second] = halves;
        recording.step(
            device,
            precision,
            Stage::Score,
            vec![("KIND", key.kind), ("COST", cost)],
            Grid::Points,
            &[
                (0, &first.shape),
                (7, &first.sums),
                (11, &second.sums),
                (9, &shared.known),
                (12, &shared.settings),
                (8, &shared.coefficients),
                (10, &shared.output),
                (13, &shared.counts),
            ],
            &[],
        )?;
        if let Some(path) = paths.get(key.path) {
            recording.step(
                device,
                precision,
                Stage::Pathwise,
                vec![("FAMILY", family(path.family)), ("GRADIENT", u32::from(key.gradient))],
                if key.gradient { Grid::Gradient } else { Grid::Values },
                &[(0, &paths.shape), (3, &paths.points), (10, &shared.output), (13, &shared.counts)],
                &[(1, &path.inputs), (2, &path.vectors), (4, &path.frequencies)],
            )?;
        }
        if !key.slopes() {
            return Ok(recording);
        }
        for ((half, resident), learned) in halves.iter().zip(posteriors).zip([false, true]) {
            let Some(resident) = resident else { continue };
            // The kernel's values are not needed any more; their place takes the weights.
            recording.step(
                device,
                precision,
                Stage::TriangularProduct,
                vec![("SIDE", 1), ("STORE", 1)],
                Grid::Tiles(resident.blocks),
                &[(0, &half.shape), (4, &half.whitened), (5, &half.kernel), (7, &half.sums)],
                &[(6, &resident.inverse)],
            )?;
            let part = if learned { 2 } else { u32::from(key.cost == CostInput::Known) };
            recording.step(
                device,
                precision,
                Stage::Gradient,
                vec![("PART", part)],
                Grid::Gradient,
                &[
                    (0, &half.shape),
                    (3, &half.points),
                    (4, &half.kernel),
                    (5, &half.slopes),
                    (8, &shared.coefficients),
                    (9, &shared.known),
                    (10, &shared.output),
                ],
                &[(1, &resident.inputs), (2, &resident.vectors)],
            )?;
        }
        Ok(recording)
    }

    #[expect(clippy::too_many_arguments, reason = "a step is these things, and each call shows them in this order")]
    fn step(
        &mut self,
        device: &Device,
        precision: Precision,
        stage: Stage,
        constants: Vec<(&'static str, u32)>,
        grid: Grid,
        stores: &[(u32, &Store)],
        buffers: &[(u32, &wgpu::Buffer)],
    ) -> Result<(), Failure> {
        let pipeline = Pipeline::get(device, PipelineKey { stage, precision, constants })?;
        let stores = stores.iter().map(|(binding, store)| (*binding, store.buffer()));
        let bindings = pipeline.bind(device, stores.chain(buffers.iter().copied()));
        self.steps.push(Step { pipeline, bindings, grid });
        Ok(())
    }

    /// Writes the passes for a chunk of a shape.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, shape: Shape) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("gittins"), timestamp_writes: None });
        for step in &self.steps {
            let (x, y) = match step.grid {
                Grid::Tiles(blocks) => (shape.stride / TILE, blocks),
                Grid::Points => (shape.stride / TILE, 1),
                Grid::Values => (shape.stride / GRADIENT_POINTS, 1),
                Grid::Gradient => (shape.stride / GRADIENT_POINTS, shape.dim.div_ceil(GRADIENT_DIMS)),
            };
            pass.set_pipeline(&step.pipeline.pipeline);
            pass.set_bind_group(0, &step.bindings, &[]);
            pass.dispatch_workgroups(word(x), word(y), 1);
        }
    }
}
