//! The best point of a search.

use crate::backend::Provenance;
use crate::data::Points;

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Ended {
    /// Every start converged or ran out of iterations. Over a finite set: every point was scored.
    Finished,
    /// The deadline was reached.
    Deadline,
    /// The search was canceled.
    Canceled,
}

/// The best point of a search, over the unit cube or over a finite set.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Maximum {
    /// The place in the unit cube: a point, or all points of a row side by side.
    pub point: Vec<f64>,
    /// The row in a table; `None` over the cube.
    pub row: Option<usize>,
    /// The acquisition value there.
    pub value: f64,
    /// The posterior mean there.
    pub mean: f64,
    /// The posterior variance there.
    pub variance: f64,
    /// The ends of climbs, best first, each place once: other local maxima, at most 256. If a
    /// device found the basins, these are the 16 best of them and the places to which the host
    /// climbed from there. Empty over a finite set.
    pub finalists: Points,
    /// The values of the finalists, in double precision from the host.
    pub finalist_values: Vec<f64>,
    /// Batches after the scan, in both phases. Over a finite set: all batches.
    pub rounds: usize,
    /// Points evaluated in all, by device and host, including the scan.
    pub evaluations: usize,
    /// The number of starts.
    pub starts: usize,
    /// Starts that met a tolerance: the device's, or the host's if the host carried them on.
    pub converged_starts: usize,
    /// Why the search ended.
    pub ended: Ended,
    /// The device that found the basins or the shortlist of a finite set, or the same as in
    /// `provenance`.
    pub basins: Provenance,
    /// The maker of the reported value: always the host in double precision. It contains the reason
    /// if the host had to take over from a device early.
    pub provenance: Provenance,
}

impl Maximum {
    /// A point with its scores; the other results of the search are still empty. `made` says what
    /// found the basins and what computed the numbers.
    pub(crate) fn at(
        point: Vec<f64>,
        [value, mean, variance]: [f64; 3],
        made: (Provenance, Provenance),
    ) -> Self {
        let (basins, provenance) = made;
        Self {
            finalists: Points::new(point.len()),
            point,
            row: None,
            value,
            mean,
            variance,
            finalist_values: Vec::new(),
            rounds: 0,
            evaluations: 0,
            starts: 0,
            converged_starts: 0,
            ended: Ended::Finished,
            basins,
            provenance,
        }
    }
}
