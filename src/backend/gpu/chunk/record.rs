//! The passes of a chunk in order: which pipelines, with which buffers bound, over how many
//! workgroups.
//!
//! ```text
//! kernel tile -> V = L^-1 K*        for the outcome, a learned log cost, and success
//! shifts                            of the outcome's mean, if trials are pending
//! score                             moments, value, and what the gradient multiplies
//! W = L^-T V -> gradient            for each of these again, if gradients are wanted; if trials are
//!                                   pending, the outcome has U from the adjoints in place of V
//! path                              for a sample path: overwrites the value, makes the gradient
//! ```
//!
//! Trees take two recordings. Between them the host makes the adjoints:
//!
//! ```text
//! kernel tile -> V = L^-1 K* -> covariances along the branches
//! U from the adjoints -> W = L^-T U -> gradient
//! ```

use std::sync::Arc;

use super::batch::{Pass, Source};
use super::price::CostInput;
use super::scratch::{Half, Scratch, Shared};
use super::stopwatch::{Passes, Stopwatch};
use crate::acquisition::PointwiseKind;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::kernels::binding::Binding;
use crate::backend::gpu::kernels::layout::{
    Count, GRADIENT_DIMS, GRADIENT_POINTS, GradientPart, ScoreCost, ScoreSuccess, Shape, Side, TILE,
};
use crate::backend::gpu::kernels::memory::{Bindable, Store};
use crate::backend::gpu::kernels::pipelines::{Pipeline, PipelineKey, Pipelines, Stage};
use crate::backend::gpu::resident::paths::{PathPlace, SentPaths};
use crate::backend::gpu::resident::residents::{Place, Resident};

/// What a recording is made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordingKey {
    pub outcome: Place,
    pub log_cost: Option<Place>,
    pub latent: Option<Place>,
    pub path: Option<PathPlace>,
    pub source: Source,
    /// The acquisition that the score shader computes.
    pub kind: PointwiseKind,
    pub cost: CostInput,
    pub success: ScoreSuccess,
    /// Whether the score is that beside pending trials.
    pub pending_trials: bool,
    pub gradient: bool,
    pub pass: Pass,
}

impl RecordingKey {
    /// The posteriors of outcome and log cost, and that which tells about success.
    pub fn models(&self) -> [Option<Place>; 3] {
        [Some(self.outcome), self.log_cost, self.latent]
    }

    /// Whether the gradients of moments are needed.
    pub fn slopes(&self) -> bool {
        self.gradient && self.path.is_none()
    }
}

/// Pipelines with their bindings, in order. It is good for chunks of any size, as long as no buffer
/// is replaced.
pub struct Recording {
    key: RecordingKey,
    steps: Vec<Step>,
    /// The counts, which start from zero in each chunk; none if there are no counts.
    counts: Option<wgpu::Buffer>,
}

struct Step {
    stage: Stage,
    pipeline: Arc<Pipeline>,
    bindings: wgpu::BindGroup,
    grid: Grid,
}

/// Over what a step has its workgroups.
#[derive(Debug, Clone, Copy)]
enum Grid {
    /// One for each block of points and each block of rows, whose number is given.
    Tiles(usize),
    /// One for each block of points.
    Points,
    /// One for each block of points and each dimension.
    Coordinates,
    /// One for each point.
    Each,
    /// One invocation for each point and each covariance.
    Covariances,
    /// One for some points and some dimensions.
    Gradient,
    /// One for some points.
    Values,
}

impl Recording {
    /// Records the passes of a key, with the buffers as they are now.
    pub fn new(
        pipelines: &Pipelines,
        key: RecordingKey,
        posteriors: [Option<&Resident>; 3],
        scratch: &Scratch,
        paths: &SentPaths,
    ) -> Result<Self, Failure> {
        Recorder { pipelines, key, scratch, steps: Vec::new() }.record(posteriors, paths)
    }

    /// What it was made for.
    pub fn key(&self) -> RecordingKey {
        self.key
    }

    /// Writes the passes for a chunk of a shape, which are timed if there is a stopwatch.
    pub fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        shape: Shape,
        watch: Option<&mut Stopwatch>,
    ) {
        if let Some(counts) = &self.counts {
            encoder.clear_buffer(counts, 0, Some(Count::BYTES));
        }
        let stages = self.steps.iter().map(|step| step.stage);
        let mut passes = Passes::new(encoder, watch, stages);
        for step in &self.steps {
            let groups = match step.grid {
                Grid::Tiles(blocks) => [shape.stride / TILE, blocks],
                Grid::Points => [shape.stride / TILE, 1],
                Grid::Coordinates => [shape.stride / TILE, shape.dim],
                Grid::Each => [shape.count, 1],
                Grid::Covariances => [shape.covariances().max(shape.count).div_ceil(TILE), 1],
                Grid::Values => [shape.stride / GRADIENT_POINTS, 1],
                Grid::Gradient => {
                    [shape.stride / GRADIENT_POINTS, shape.dim.div_ceil(GRADIENT_DIMS)]
                }
            };
            step.pipeline.dispatch(passes.next(), &step.bindings, groups);
        }
        passes.end();
    }
}

/// One of the models of a chunk: its buffers in the chunk, what is on the device of it, and its
/// part in the gradient.
#[derive(Clone, Copy)]
struct Part<'a> {
    half: &'a Half,
    resident: &'a Resident,
    kind: GradientPart,
}

/// A recording that is being made.
struct Recorder<'a> {
    pipelines: &'a Pipelines,
    key: RecordingKey,
    scratch: &'a Scratch,
    steps: Vec<Step>,
}

impl Recorder<'_> {
    /// Builds the pipelines that are missing, and binds the buffers as they are now.
    fn record(
        mut self,
        posteriors: [Option<&Resident>; 3],
        paths: &SentPaths,
    ) -> Result<Recording, Failure> {
        let (key, Scratch { halves, shared, .. }) = (self.key, self.scratch);
        let outcome = match key.cost {
            CostInput::Known => GradientPart::OutcomeAndKnownCost,
            CostInput::None | CostInput::Uniform | CostInput::Learned => GradientPart::Outcome,
        };
        let kinds = [outcome, GradientPart::LearnedCost, GradientPart::Success];
        let all = halves.iter().zip(posteriors).zip(kinds);
        let present: Vec<Part<'_>> = all
            .filter_map(|((half, resident), kind)| Some(Part { half, resident: resident?, kind }))
            .collect();
        if key.pass.needs_points() {
            for &part in &present {
                self.whiten(part)?;
            }
        }
        match key.pass {
            Pass::Scores => self.score(halves, shared, paths)?,
            Pass::Moments => {
                for &part in &present {
                    self.covariances(part, shared)?;
                }
            }
            Pass::Adjoints { .. } => {}
        }
        if key.slopes() && key.pass != Pass::Moments {
            for &part in &present {
                self.contract(part, shared)?;
            }
        }
        if key.source == Source::Climbs {
            self.climb(&halves[0].shape)?;
        }
        let counts = (key.pass == Pass::Scores).then(|| shared.counts.buffer().clone());
        Ok(Recording { key, steps: self.steps, counts })
    }

    /// Kernel values, slopes, means and `V`, as far as they are needed.
    fn whiten(&mut self, part: Part<'_>) -> Result<(), Failure> {
        let Part { half, resident, kind } = part;
        self.points(resident.placing.as_ref(), &half.shape, &half.points)?;
        let tiles = Grid::Tiles(resident.blocks);
        let gradient = self.key.slopes();
        self.step(
            Stage::KernelTile,
            vec![("FAMILY", resident.family.number()), ("GRADIENT", u32::from(gradient))],
            tiles,
            &[
                (Binding::Shape, &half.shape),
                (Binding::Inputs, &resident.inputs),
                (Binding::Vectors, &resident.vectors),
                (Binding::Points, &half.points),
                (Binding::Kernel, &half.kernel),
                (Binding::Slopes, &half.slopes),
                (Binding::Sums, &half.sums),
            ],
        )?;
        let store = gradient || self.key.pass != Pass::Scores || self.has_fantasies(kind);
        self.product(Side::Inverse, store, part, &half.kernel, &half.whitened)
    }

    /// The points in the units of a posterior or a path, unless the host has placed them.
    fn points(
        &mut self,
        placing: Option<&wgpu::Buffer>,
        shape: &Store,
        points: &Store,
    ) -> Result<(), Failure> {
        let Some(units) = placing else { return Ok(()) };
        let Scratch { shared, search, .. } = self.scratch;
        let mut bound: Vec<(Binding, &dyn Bindable)> =
            vec![(Binding::Shape, shape), (Binding::Units, units), (Binding::Points, points)];
        let stage = match self.key.source {
            Source::Sent => {
                bound.push((Binding::Sent, &shared.sent));
                Stage::PointsSent
            }
            Source::Drawn => {
                bound.extend(search.drawn());
                Stage::PointsDrawn
            }
            Source::Climbs => {
                bound.extend(search.places());
                Stage::PointsClimbs
            }
        };
        self.step(stage, Vec::new(), Grid::Coordinates, &bound)
    }

    /// A step of each climb.
    fn climb(&mut self, shape: &Store) -> Result<(), Failure> {
        let Scratch { shared, search, .. } = self.scratch;
        let mut bound: Vec<(Binding, &dyn Bindable)> =
            vec![(Binding::Shape, shape), (Binding::Output, &shared.output)];
        bound.extend(search.climbing());
        self.step(Stage::Climb, Vec::new(), Grid::Each, &bound)
    }

    /// Whether the part is the outcome's and trials are pending.
    fn has_fantasies(&self, kind: GradientPart) -> bool {
        let outcome = matches!(kind, GradientPart::Outcome | GradientPart::OutcomeAndKnownCost);
        self.key.pending_trials && outcome
    }

    /// A product of the inverse factor, or of its transpose, and a matrix of the chunk.
    fn product(
        &mut self,
        side: Side,
        store: bool,
        Part { half, resident, .. }: Part<'_>,
        factor: &dyn Bindable,
        result: &dyn Bindable,
    ) -> Result<(), Failure> {
        let tiling = self.pipelines.tiling_of(self.key.outcome.1, resident.blocks);
        let mut constants = vec![("SIDE", side.number()), ("STORE", u32::from(store))];
        constants.extend(tiling.constants());
        self.step(
            Stage::TriangularProduct,
            constants,
            Grid::Tiles(tiling.rows_of_groups(resident.blocks)),
            &[
                (Binding::Shape, &half.shape),
                (Binding::Inverse, &resident.inverse),
                (Binding::Factor, factor),
                (Binding::Result, result),
                (Binding::Sums, &half.sums),
            ],
        )
    }

    /// Moments and values, or a path's.
    fn score(
        &mut self,
        [outcome, log_cost, latent]: &[Half; 3],
        shared: &Shared,
        paths: &SentPaths,
    ) -> Result<(), Failure> {
        let key = self.key;
        let cost = match key.cost {
            CostInput::None => ScoreCost::None,
            CostInput::Uniform | CostInput::Known => ScoreCost::Known,
            CostInput::Learned => ScoreCost::Learned,
        };
        if key.pending_trials {
            self.step(
                Stage::PendingShifts,
                Vec::new(),
                Grid::Points,
                &[
                    (Binding::Shape, &outcome.shape),
                    (Binding::Whitened, &outcome.whitened),
                    (Binding::Settings, &shared.settings),
                    (Binding::Coefficients, &shared.coefficients),
                ],
            )?;
        }
        self.step(
            if key.pending_trials { Stage::ScorePending } else { Stage::Score },
            vec![
                ("KIND", key.kind.number()),
                ("COST", cost.number()),
                ("SUCCESS", key.success.number()),
            ],
            Grid::Points,
            &[
                (Binding::Shape, &outcome.shape),
                (Binding::Sums, &outcome.sums),
                (Binding::CostSums, &log_cost.sums),
                (Binding::SuccessSums, &latent.sums),
                (Binding::Known, &shared.known),
                (Binding::Settings, &shared.settings),
                (Binding::Coefficients, &shared.coefficients),
                (Binding::Output, &shared.output),
                (Binding::Counts, &shared.counts),
            ],
        )?;
        let Some(path) = paths.get(key.path) else { return Ok(()) };
        self.points(path.placing.as_ref(), &paths.shape, &paths.points)?;
        self.step(
            Stage::Pathwise,
            vec![("FAMILY", path.family.number()), ("GRADIENT", u32::from(key.gradient))],
            if key.gradient { Grid::Gradient } else { Grid::Values },
            &[
                (Binding::Shape, &paths.shape),
                (Binding::Inputs, &path.inputs),
                (Binding::Frequencies, &path.frequencies),
                (Binding::Vectors, &path.vectors),
                (Binding::Points, &paths.points),
                (Binding::Output, &shared.output),
                (Binding::Counts, &shared.counts),
            ],
        )
    }

    /// Means and covariances along the branches of trees.
    fn covariances(&mut self, part: Part<'_>, shared: &Shared) -> Result<(), Failure> {
        let Part { half, resident, .. } = part;
        self.step(
            Stage::BranchCovariance,
            vec![("FAMILY", resident.family.number())],
            Grid::Covariances,
            &[
                (Binding::Shape, &half.shape),
                (Binding::Points, &half.points),
                (Binding::Whitened, &half.whitened),
                (Binding::Sums, &half.sums),
                (Binding::Branches, &shared.branches),
                (Binding::Moments, &half.moments),
            ],
        )
    }

    /// `W`, and the gradient from it.
    fn contract(&mut self, part: Part<'_>, shared: &Shared) -> Result<(), Failure> {
        let Part { half, resident, kind } = part;
        let adjoint = self.key.pass != Pass::Scores || self.has_fantasies(kind);
        // The kernel's values are not needed any more. Their memory takes the weights `W`, or what
        // these are made from in place of `V`.
        let (from, weights) =
            if adjoint { (&half.kernel, &half.whitened) } else { (&half.whitened, &half.kernel) };
        if self.has_fantasies(kind) {
            self.step(
                Stage::PendingAdjoint,
                Vec::new(),
                Grid::Tiles(resident.blocks),
                &[
                    (Binding::Shape, &half.shape),
                    (Binding::Whitened, &half.whitened),
                    (Binding::Result, &half.kernel),
                    (Binding::Settings, &shared.settings),
                    (Binding::Coefficients, &shared.coefficients),
                ],
            )?;
        }
        if self.key.pass != Pass::Scores {
            self.step(
                Stage::BranchAdjoint,
                Vec::new(),
                Grid::Tiles(resident.blocks),
                &[
                    (Binding::Shape, &half.shape),
                    (Binding::Whitened, &half.whitened),
                    (Binding::Result, &half.kernel),
                    (Binding::Branches, &shared.branches),
                    (Binding::Adjoints, &half.moments),
                ],
            )?;
        }
        self.product(Side::Transposed, true, part, from, weights)?;
        self.step(
            Stage::Gradient,
            vec![("FAMILY", resident.family.number()), ("PART", kind.number())],
            Grid::Gradient,
            &[
                (Binding::Shape, &half.shape),
                (Binding::Inputs, &resident.inputs),
                (Binding::Vectors, &resident.vectors),
                (Binding::Points, &half.points),
                (Binding::Weights, weights),
                (Binding::Slopes, &half.slopes),
                (Binding::Coefficients, &shared.coefficients),
                (Binding::Known, &shared.known),
                (Binding::Output, &shared.output),
            ],
        )
    }

    fn step(
        &mut self,
        stage: Stage,
        constants: Vec<(&'static str, u32)>,
        grid: Grid,
        bound: &[(Binding, &dyn Bindable)],
    ) -> Result<(), Failure> {
        let precision = self.key.outcome.1;
        let pipeline = self.pipelines.get(PipelineKey { stage, precision, constants })?;
        let bindings = pipeline.bind(self.pipelines.handle(), bound);
        self.steps.push(Step { stage, pipeline, bindings, grid });
        Ok(())
    }
}
