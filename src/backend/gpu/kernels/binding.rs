//! The buffers of the shaders by name.

use crate::math::wgsl::wgsl_enum;

wgsl_enum! {
    /// A variable that a shader binds to a buffer.
    ///
    /// The WGSL constant of a variable `sums` is `BINDING_SUMS`. A variable has the same number in
    /// all shaders that declare it; what it holds stands at its declaration.
    pub enum Binding {
        Shape = "BINDING_SHAPE",
        Inputs = "BINDING_INPUTS",
        Vectors = "BINDING_VECTORS",
        Points = "BINDING_POINTS",
        Kernel = "BINDING_KERNEL",
        Slopes = "BINDING_SLOPES",
        Sums = "BINDING_SUMS",
        Inverse = "BINDING_INVERSE",
        Factor = "BINDING_FACTOR",
        Result = "BINDING_RESULT",
        CostSums = "BINDING_COST_SUMS",
        SuccessSums = "BINDING_SUCCESS_SUMS",
        Known = "BINDING_KNOWN",
        Settings = "BINDING_SETTINGS",
        Coefficients = "BINDING_COEFFICIENTS",
        Output = "BINDING_OUTPUT",
        Counts = "BINDING_COUNTS",
        Weights = "BINDING_WEIGHTS",
        Frequencies = "BINDING_FREQUENCIES",
        Whitened = "BINDING_WHITENED",
        Branches = "BINDING_BRANCHES",
        Moments = "BINDING_MOMENTS",
        Adjoints = "BINDING_ADJOINTS",
        Round = "BINDING_ROUND",
        Scores = "BINDING_SCORES",
        Rows = "BINDING_ROWS",
        BestScores = "BINDING_BEST_SCORES",
        BestRows = "BINDING_BEST_ROWS",
        Numbers = "BINDING_NUMBERS",
        Finite = "BINDING_FINITE",
        Units = "BINDING_UNITS",
        Sent = "BINDING_SENT",
        Draw = "BINDING_DRAW",
        Streams = "BINDING_STREAMS",
        Directions = "BINDING_DIRECTIONS",
        Sides = "BINDING_SIDES",
        Moving = "BINDING_MOVING",
        Climbs = "BINDING_CLIMBS",
        Progress = "BINDING_PROGRESS",
        Ascent = "BINDING_ASCENT",
    }
}
