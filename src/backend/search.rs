//! Parts of a search that a backend may do as a whole.
//!
//! A search asks its backend for a scan of quasi-random points, and for climbs from starts. A backend
//! that only evaluates batches does neither; the host then makes the points and moves the climbs.

use std::ops::Range;

use super::provenance::Provenance;
use crate::data::Points;
use crate::math::Sobol;

/// Points of a Sobol sequence, spread over a box.
#[derive(Debug, Clone)]
pub struct Drawn<'a> {
    /// The sequence.
    pub sobol: &'a Sobol,
    /// The indices of the points.
    pub rows: Range<usize>,
    /// The lower and the upper sides of the box.
    pub sides: [&'a [f64]; 2],
}

/// Climbs of the same score from several starts, each within a box of its own.
pub struct Ascent<'a> {
    /// The starts, `b x d`.
    pub starts: &'a Points,
    /// The lower and the upper sides of their boxes.
    pub sides: [&'a Points; 2],
    /// The most iterations of a climb.
    pub max_iterations: usize,
    /// By how much a value must rise, as a share of the larger of itself and 1, in single and in
    /// double precision.
    pub function_tolerances: [f64; 2],
    /// A climb has converged where no component of its projected gradient is larger.
    pub gradient_tolerance: f64,
    /// Whether values below -1 count by their logarithms.
    pub steep: bool,
    /// For how many seconds climbs may go on before `is_over` is asked.
    pub patience: f64,
    /// Whether to stop where the climbs are.
    pub is_over: &'a (dyn Fn() -> bool + Sync),
}

/// Where climbs ended.
#[derive(Debug, Clone)]
pub struct Ends {
    /// The best point of each climb, in the order of the starts.
    pub points: Points,
    /// The values there; NaN where there is none.
    pub values: Vec<f64>,
    /// The climbs that met a tolerance.
    pub converged: usize,
    /// The most evaluations of a climb.
    pub rounds: usize,
    /// The evaluations of all.
    pub evaluations: usize,
    /// Which backend and device moved the climbs.
    pub provenance: Provenance,
}
