//! What the shaders of a search and the host agree on. They get all of it as constants with the line
//! `// #import search/layout`.

use super::layout::{uniform, word};
use crate::math::sobol;
use crate::math::wgsl::wgsl_enum;

/// The pairs of a climb. The host's climbs have as many.
const PAIRS: usize = 5;

uniform! {
    /// A part of a Sobol sequence.
    pub struct Draw {
        /// The index of its first point.
        first,
        /// Groups of dimensions.
        groups,
        /// They make 16 bytes.
        padding,
        more_padding,
    }
}

wgsl_enum! {
    /// The rows of the buffer `sides`: the box that points are spread over, and what rounding took
    /// from it.
    pub enum BoxRow {
        Low = "BOX_LOW",
        LowRest = "BOX_LOW_REST",
        /// The length of the side.
        Span = "BOX_SPAN",
        SpanRest = "BOX_SPAN_REST",
        High = "BOX_HIGH",
    }
}

wgsl_enum! {
    /// The rows of a climb, with a number for each dimension. The same rows of all climbs stand together.
    pub enum ClimbRow {
        /// The last point that was accepted.
        Iterate = "CLIMB_ITERATE",
        /// The point to try.
        Trial = "CLIMB_TRIAL",
        /// The box.
        Lower = "CLIMB_LOWER",
        Upper = "CLIMB_UPPER",
        /// The gradient at the iterate of what is minimized. The host sends the rows before this one.
        Gradient = "CLIMB_GRADIENT",
        /// The direction to it from the iterate.
        Direction = "CLIMB_DIRECTION",
        /// The negated next direction, while it is made.
        Next = "CLIMB_NEXT",
        /// The first of the pairs' steps; their changes of the gradient follow.
        Steps = "CLIMB_STEPS",
    }
}

impl ClimbRow {
    /// Rows that the host sends.
    pub const SENT: usize = Self::Gradient as usize;
    /// Rows of a climb.
    pub const COUNT: usize = Self::Steps as usize + 2 * PAIRS;
}

wgsl_enum! {
    /// The numbers of a climb, behind the rows of all.
    pub enum Mark {
        /// What the climb sees of the score at the iterate.
        Value = "MARK_VALUE",
        /// The score there, in units of the device.
        Score = "MARK_SCORE",
        /// The length of the step that is tried, in units of the direction.
        Length = "MARK_LENGTH",
        /// The length of the first step along a direction.
        Reach = "MARK_REACH",
    }
}

wgsl_enum! {
    /// The counts of a climb.
    pub enum Progress {
        /// A number `STATUS_*`.
        Status = "PROGRESS_STATUS",
        Iterations = "PROGRESS_ITERATIONS",
        Evaluations = "PROGRESS_EVALUATIONS",
        /// Steps that were tried along the direction.
        Tries = "PROGRESS_TRIES",
        /// Pairs that are kept.
        Pairs = "PROGRESS_PAIRS",
        /// The place of the newest pair.
        Newest = "PROGRESS_NEWEST",
    }
}

wgsl_enum! {
    /// How a climb stands.
    pub enum ClimbStatus {
        /// It waits for the score at its trial.
        Running = "STATUS_RUNNING",
        /// The projected gradient is small.
        Gradient = "STATUS_GRADIENT",
        /// The value no longer falls.
        Value = "STATUS_VALUE",
        /// It had as many iterations as it may.
        Iterations = "STATUS_ITERATIONS",
        /// No step falls along the gradient.
        Stuck = "STATUS_STUCK",
        /// Value or gradient at the start are not finite.
        NotFinite = "STATUS_NOT_FINITE",
    }
}

wgsl_enum! {
    /// The numbers that all climbs share. A score of the device is `offset + factor score` in the
    /// posterior's units.
    pub enum Ascent {
        Offset = "ASCENT_OFFSET",
        Factor = "ASCENT_FACTOR",
        /// Whether low values count by their logarithms: 0 or 1.
        Steep = "ASCENT_STEEP",
        FunctionTolerance = "ASCENT_FUNCTION_TOLERANCE",
        GradientTolerance = "ASCENT_GRADIENT_TOLERANCE",
        /// The most iterations.
        Iterations = "ASCENT_ITERATIONS",
        /// The number of climbs.
        Climbs = "ASCENT_CLIMBS",
    }
}

/// The numbers of climbs in `dim` dimensions.
pub fn numbers_of_climbs(climbs: usize, dim: usize) -> usize {
    climbs * (ClimbRow::COUNT * dim + Mark::ALL.len())
}

/// The text of the import `search/layout`.
pub fn wgsl() -> String {
    let sizes = [
        ("SOBOL_GROUP", sobol::GROUP),
        ("CLIMB_PAIRS", PAIRS),
        ("CLIMB_CHANGES", ClimbRow::Steps as usize + PAIRS),
        ("CLIMB_ROWS", ClimbRow::COUNT),
        ("CLIMB_MARKS", Mark::ALL.len()),
        ("PROGRESS_COUNTS", Progress::ALL.len()),
    ];
    let sizes = sizes.map(|(name, size)| format!("const {name}: u32 = {size}u;\n"));
    let names = [
        BoxRow::wgsl(),
        ClimbRow::wgsl(),
        Mark::wgsl(),
        Progress::wgsl(),
        ClimbStatus::wgsl(),
        Ascent::wgsl(),
    ];
    [sizes.concat(), Draw::wgsl(), names.concat()].concat()
}
