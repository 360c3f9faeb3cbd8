//! The points of a small finite space.

use crate::data::{Points, Space};
use crate::surrogate::Taken;

/// The largest space without real numbers that is scored completely: about as many points as a
/// search of a space takes.
pub(in crate::suggest) const LARGEST_GRID: usize = 4096;

/// The largest number of coordinates of all points. A choice has a column for each name, so that a
/// grid of its names grows with their square.
const COORDINATES: usize = 1 << 20;

/// All points of a space without real numbers, if there are at most 4096; in a space
/// with conditions, if there were at most that many without them.
pub fn grid(space: &Space) -> Option<Points> {
    let view = space.view();
    let mut counts = Vec::with_capacity(space.parameters().len());
    let mut count: usize = 1;
    for parameter in space.parameters() {
        let size = parameter.kind().count();
        if size > LARGEST_GRID as f64 {
            return None;
        }
        count = count.checked_mul(size as usize).filter(|&count| count <= LARGEST_GRID)?;
        counts.push(size as usize);
    }
    if count.saturating_mul(space.dim()) > COORDINATES {
        return None;
    }
    let mut points = Points::with_capacity(space.dim(), count);
    let mut known = Taken::default();
    for index in 0..count {
        let mut rest = index;
        let place = |&size: &usize| {
            let place = rest % size;
            rest /= size;
            place as f64
        };
        let places: Vec<f64> = counts.iter().map(place).collect();
        let point = view.express(&places);
        // Places of what is absent change nothing.
        if view.admits(&view.codes(&places)) && known.insert(&point) {
            points.push(&point);
        }
    }
    Some(points)
}
