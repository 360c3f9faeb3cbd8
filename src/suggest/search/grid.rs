//! The points of a space of whole numbers.

use crate::data::{ParameterKind, Points, Space};

/// The largest space of whole numbers that is scored completely: about as many points as a search
/// of a space takes.
const LARGEST_GRID: usize = 4096;

/// All points of a space that has only whole numbers, if there are at most [`LARGEST_GRID`].
pub(crate) fn grid(space: &Space) -> Option<Points> {
    let mut cells = Vec::with_capacity(space.dim());
    let mut count: usize = 1;
    for parameter in space.parameters() {
        let ParameterKind::Int { low, high } = parameter.kind() else { return None };
        let size = usize::try_from(high.checked_sub(low)?.checked_add(1)?).ok()?;
        count = count.checked_mul(size).filter(|&count| count <= LARGEST_GRID)?;
        cells.push(size);
    }
    let mut points = Points::with_capacity(space.dim(), count);
    for index in 0..count {
        let mut rest = index;
        let center = |&size: &usize| {
            let cell = rest % size;
            rest /= size;
            (cell as f64 + 0.5) / size as f64
        };
        points.push(&cells.iter().map(center).collect::<Vec<f64>>());
    }
    Some(points)
}
