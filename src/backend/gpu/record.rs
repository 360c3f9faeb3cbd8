//! The passes of a chunk in order: which pipelines, with which buffers bound, over how many
//! workgroups.
//!
//! ```text
//! kernel tile -> V = L^-1 K*        for the outcome, and for a learned log-cost
//! score                             moments, value, and what the gradient multiplies
//! W = L^-T V -> gradient            for each of the two again, if gradients are wanted
//! path                              in place of these, and of the value, where the acquisition is a sample path
//! ```
//!
//! and for trees in two recordings, between which the host makes the adjoints:
//!
//! ```text
//! kernel tile -> V = L^-1 K* -> covariances along the branches
//! U from the adjoints -> W = L^-T U -> gradient
//! ```

use std::sync::Arc;

use super::binding::Binding;
use super::buffers::{Place, Resident, STORAGE, Staging, Store};
use super::device::Device;
use super::evaluate::Failure;
use super::layout::{
    Coefficient, GRADIENT_DIMS, GRADIENT_POINTS, GradientPart, Output, ScoreCost, Shape, Side, Sum,
    TILE, family_number, word,
};
use super::paths::{PathPlace, SentPaths};
use super::pipelines::{Pipeline, PipelineKey, Stage};
use crate::acquisition::PointwiseKind;

/// The matrices of a chunk that belong to one posterior.
pub(super) struct Half {
    shape: Store,
    points: Store,
    kernel: Store,
    slopes: Store,
    whitened: Store,
    sums: Store,
    /// Covariances of pairs and means; later the adjoints of the former.
    pub moments: Store,
}

/// What a chunk has once, whatever number of posteriors.
pub(super) struct Shared {
    pub known: Store,
    pub settings: Store,
    pub coefficients: Store,
    pub output: Store,
    pub counts: Store,
    /// The pairs and neighbors of a tree.
    pub branches: Store,
}

impl Half {
    pub fn new(device: &Device) -> Result<Self, Failure> {
        let store = |label: &'static str| Store::new(device, label, STORAGE);
        Ok(Self {
            shape: Store::new(
                device,
                "shape",
                wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            )?,
            points: store("points")?,
            kernel: store("kernel")?,
            slopes: store("slopes")?,
            whitened: store("whitened")?,
            sums: store("sums")?,
            moments: store("moments")?,
        })
    }

    /// Makes room for a chunk and sends its points, as a posterior of these lengthscales looks at
    /// them; true if something moved.
    pub fn send(
        &mut self,
        device: &Device,
        staging: &mut Staging,
        (resident, inverse): (&Resident, &[f64]),
        points: &[f64],
        shape: Shape,
        slopes: bool,
    ) -> Result<bool, Failure> {
        let (shape, precision) = (Shape { blocks: resident.blocks, ..shape }, resident.precision);
        let moved = self.reserve(device, precision.size() as u64, shape, slopes)?;
        let queue = device.wgpu().1;
        queue.write_buffer(
            self.points.buffer(),
            0,
            staging.blocks(precision, points, (&resident.center, inverse), 0..shape.stride),
        );
        queue.write_buffer(self.shape.buffer(), 0, bytemuck::cast_slice(&shape.words()));
        Ok(moved)
    }

    fn reserve(
        &mut self,
        device: &Device,
        width: u64,
        shape: Shape,
        slopes: bool,
    ) -> Result<bool, Failure> {
        let (rows, stride) = ((shape.blocks * TILE) as u64, shape.stride as u64);
        let matrix = width * rows * stride;
        let mut moved = self.points.reserve(device, width * shape.dim as u64 * stride)?;
        moved |= self.kernel.reserve(device, matrix)?;
        moved |= self.sums.reserve(device, Sum::ALL.len() as u64 * matrix / TILE as u64)?;
        if slopes {
            moved |= self.slopes.reserve(device, matrix)?;
        }
        if slopes || shape.nodes > 0 {
            moved |= self.whitened.reserve(device, matrix)?;
        }
        if shape.nodes > 0 {
            moved |=
                self.moments.reserve(device, width * (shape.covariances() + shape.count) as u64)?;
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
            branches: store("branches")?,
        })
    }

    /// Makes room for a chunk; true if something moved.
    pub fn reserve(
        &mut self,
        device: &Device,
        width: u64,
        shape: Shape,
        gradient: bool,
        known: bool,
    ) -> Result<bool, Failure> {
        let (stride, dims) = (shape.stride as u64, if gradient { shape.dim as u64 } else { 0 });
        let mut moved =
            self.coefficients.reserve(device, width * stride * Coefficient::ALL.len() as u64)?;
        moved |= self
            .output
            .reserve(device, width * stride * (u64::from(Output::Gradients.number()) + dims))?;
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

/// What a recording makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Scores, and gradients where they are wanted.
    Scores,
    /// Moments along branches, and slopes where gradients will be wanted.
    Moments,
    /// Gradients from the adjoints of moments. What the moments were made of may be there still.
    Adjoints { kept: bool },
}

/// What a recording is made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RecordingKey {
    pub outcome: Place,
    pub log_cost: Option<Place>,
    pub path: Option<PathPlace>,
    pub kind: PointwiseKind,
    pub cost: CostInput,
    pub gradient: bool,
    pub pass: Pass,
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
    /// An invocation for each point and each covariance.
    Covariances,
    /// A workgroup for some points and some dimensions,
    Gradient,
    /// or for some points only.
    Values,
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
        let mut recording = Self { key, steps: Vec::new() };
        let present = || {
            halves
                .iter()
                .zip(posteriors)
                .zip([false, true])
                .filter_map(|((half, resident), learned)| Some((half, resident?, learned)))
        };
        if key.pass != (Pass::Adjoints { kept: true }) {
            for (half, resident, _) in present() {
                recording.whiten(device, half, resident)?;
            }
        }
        match key.pass {
            Pass::Scores => recording.score(device, halves, shared, paths)?,
            Pass::Moments => {
                for (half, resident, _) in present() {
                    recording.step(
                        device,
                        Stage::BranchCovariance,
                        vec![("FAMILY", family_number(resident.family))],
                        Grid::Covariances,
                        &[
                            (Binding::Shape, &half.shape),
                            (Binding::Points, &half.points),
                            (Binding::Whitened, &half.whitened),
                            (Binding::Sums, &half.sums),
                            (Binding::Branches, &shared.branches),
                            (Binding::Moments, &half.moments),
                        ],
                        &[],
                    )?;
                }
                return Ok(recording);
            }
            Pass::Adjoints { .. } => {}
        }
        if key.slopes() {
            for (half, resident, learned) in present() {
                recording.contract(device, half, (resident, learned), shared)?;
            }
        }
        Ok(recording)
    }

    /// Kernel values, slopes and means, and `V`, as far as they are needed.
    fn whiten(&mut self, device: &Device, half: &Half, resident: &Resident) -> Result<(), Failure> {
        let (tiles, gradient) = (Grid::Tiles(resident.blocks), self.key.slopes());
        self.step(
            device,
            Stage::KernelTile,
            vec![("FAMILY", family_number(resident.family)), ("GRADIENT", u32::from(gradient))],
            tiles,
            &[
                (Binding::Shape, &half.shape),
                (Binding::Points, &half.points),
                (Binding::Kernel, &half.kernel),
                (Binding::Slopes, &half.slopes),
                (Binding::Sums, &half.sums),
            ],
            &[(Binding::Inputs, &resident.inputs), (Binding::Vectors, &resident.vectors)],
        )?;
        self.step(
            device,
            Stage::TriangularProduct,
            vec![
                ("SIDE", Side::Inverse.number()),
                ("STORE", u32::from(gradient || self.key.pass != Pass::Scores)),
            ],
            tiles,
            &[
                (Binding::Shape, &half.shape),
                (Binding::Factor, &half.kernel),
                (Binding::Result, &half.whitened),
                (Binding::Sums, &half.sums),
            ],
            &[(Binding::Inverse, &resident.inverse)],
        )
    }

    /// Moments and values, or a path's.
    fn score(
        &mut self,
        device: &Device,
        [first, second]: &[Half; 2],
        shared: &Shared,
        paths: &SentPaths,
    ) -> Result<(), Failure> {
        let key = self.key;
        let cost = match key.cost {
            CostInput::None => ScoreCost::None,
            CostInput::Uniform | CostInput::Known => ScoreCost::Known,
            CostInput::Learned => ScoreCost::Learned,
        };
        self.step(
            device,
            Stage::Score,
            vec![("KIND", key.kind.number()), ("COST", cost.number())],
            Grid::Points,
            &[
                (Binding::Shape, &first.shape),
                (Binding::Sums, &first.sums),
                (Binding::CostSums, &second.sums),
                (Binding::Known, &shared.known),
                (Binding::Settings, &shared.settings),
                (Binding::Coefficients, &shared.coefficients),
                (Binding::Output, &shared.output),
                (Binding::Counts, &shared.counts),
            ],
            &[],
        )?;
        let Some(path) = paths.get(key.path) else { return Ok(()) };
        self.step(
            device,
            Stage::Pathwise,
            vec![("FAMILY", family_number(path.family)), ("GRADIENT", u32::from(key.gradient))],
            if key.gradient { Grid::Gradient } else { Grid::Values },
            &[
                (Binding::Shape, &paths.shape),
                (Binding::Points, &paths.points),
                (Binding::Output, &shared.output),
                (Binding::Counts, &shared.counts),
            ],
            &[
                (Binding::Inputs, &path.inputs),
                (Binding::Vectors, &path.vectors),
                (Binding::Frequencies, &path.frequencies),
            ],
        )
    }

    /// `W`, and the gradient from it.
    fn contract(
        &mut self,
        device: &Device,
        half: &Half,
        (resident, learned): (&Resident, bool),
        shared: &Shared,
    ) -> Result<(), Failure> {
        let tiles = Grid::Tiles(resident.blocks);
        // The kernel's values are not needed any more; their place takes the weights, or what makes
        // them.
        let (from, weights) = if self.key.pass == Pass::Scores {
            (&half.whitened, &half.kernel)
        } else {
            (&half.kernel, &half.whitened)
        };
        if self.key.pass != Pass::Scores {
            self.step(
                device,
                Stage::BranchAdjoint,
                Vec::new(),
                tiles,
                &[
                    (Binding::Shape, &half.shape),
                    (Binding::Whitened, &half.whitened),
                    (Binding::Result, &half.kernel),
                    (Binding::Branches, &shared.branches),
                    (Binding::Adjoints, &half.moments),
                ],
                &[],
            )?;
        }
        self.step(
            device,
            Stage::TriangularProduct,
            vec![("SIDE", Side::Transposed.number()), ("STORE", 1)],
            tiles,
            &[
                (Binding::Shape, &half.shape),
                (Binding::Factor, from),
                (Binding::Result, weights),
                (Binding::Sums, &half.sums),
            ],
            &[(Binding::Inverse, &resident.inverse)],
        )?;
        let part = match self.key.cost {
            _ if learned => GradientPart::LearnedCost,
            CostInput::Known => GradientPart::OutcomeAndKnownCost,
            CostInput::None | CostInput::Uniform | CostInput::Learned => GradientPart::Outcome,
        };
        self.step(
            device,
            Stage::Gradient,
            vec![("PART", part.number())],
            Grid::Gradient,
            &[
                (Binding::Shape, &half.shape),
                (Binding::Points, &half.points),
                (Binding::Weights, weights),
                (Binding::Slopes, &half.slopes),
                (Binding::Coefficients, &shared.coefficients),
                (Binding::Known, &shared.known),
                (Binding::Output, &shared.output),
            ],
            &[(Binding::Inputs, &resident.inputs), (Binding::Vectors, &resident.vectors)],
        )
    }

    fn step(
        &mut self,
        device: &Device,
        stage: Stage,
        constants: Vec<(&'static str, u32)>,
        grid: Grid,
        stores: &[(Binding, &Store)],
        buffers: &[(Binding, &wgpu::Buffer)],
    ) -> Result<(), Failure> {
        let pipeline =
            Pipeline::get(device, PipelineKey { stage, precision: self.key.outcome.1, constants })?;
        let stores = stores.iter().map(|(binding, store)| (*binding, store.buffer()));
        let bindings = pipeline.bind(device, stores.chain(buffers.iter().copied()));
        self.steps.push(Step { pipeline, bindings, grid });
        Ok(())
    }

    /// Writes the passes for a chunk of a shape.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, shape: Shape) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("gittins"),
            timestamp_writes: None,
        });
        for step in &self.steps {
            let (x, y) = match step.grid {
                Grid::Tiles(blocks) => (shape.stride / TILE, blocks),
                Grid::Points => (shape.stride / TILE, 1),
                Grid::Covariances => (shape.covariances().max(shape.count).div_ceil(TILE), 1),
                Grid::Values => (shape.stride / GRADIENT_POINTS, 1),
                Grid::Gradient => {
                    (shape.stride / GRADIENT_POINTS, shape.dim.div_ceil(GRADIENT_DIMS))
                }
            };
            pass.set_pipeline(&step.pipeline.pipeline);
            pass.set_bind_group(0, &step.bindings, &[]);
            pass.dispatch_workgroups(word(x), word(y), 1);
        }
    }
}
