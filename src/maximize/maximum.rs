//! The best point of a search.

use crate::backend::Provenance;
use crate::data::Points;

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Ended {
    /// Every start converged or ran out of iterations; of a finite set, every point was scored.
    Finished,
    /// The deadline came.
    Deadline,
    /// It was canceled.
    Canceled,
}

/// The best point of a search, over the unit cube or over a finite set.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Maximum {
    /// Where, in the unit cube: a point, or all points of a row side by side.
    pub point: Vec<f64>,
    /// Its row, in a table.
    pub row: Option<usize>,
    /// The acquisition value there.
    pub value: f64,
    /// The posterior mean there.
    pub mean: f64,
    /// The posterior variance there.
    pub variance: f64,
    /// Where climbs ended, best first and each place once: other local maxima, 256 at most. If a
    /// device found the basins, these are the 16 best of them and what the host climbed to from
    /// there. None over a finite set.
    pub finalists: Points,
    /// The finalists' values, in double precision from the host.
    pub finalist_values: Vec<f64>,
    /// Batches after the scan, of both phases; over a finite set, all batches.
    pub rounds: usize,
    /// Points evaluated in all, by device and host, the scan included.
    pub evaluations: usize,
    /// Starts.
    pub starts: usize,
    /// Starts that met a tolerance: the device's, or the host's if the host carried them on.
    pub converged_starts: usize,
    /// Why the search ended.
    pub ended: Ended,
    /// Who found the basins, or the shortlist of a finite set: the same as below, unless it was a
    /// device.
    pub basins: Provenance,
    /// Who made the value reported, always in double precision on the host; with the reason, if
    /// the host had to take over from a device early.
    pub provenance: Provenance,
}

impl Maximum {
    /// A point with its scores, of a search that has told nothing else yet. `made` is who found the
    /// basins, and who made the numbers.
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
