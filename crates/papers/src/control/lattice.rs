//! Queries of whole numbers.

use gittins::data::ParameterKind;
use gittins::internals::Phase;
use gittins::{Error, ErrorKind, Points, Result, Space};

use crate::control::scores::objective::{Expected, Objective};
use crate::control::search::{BestQuery, largest};
use crate::control::sets::ControlSet;

/// The best query of each set with its whole numbers whole: of the nearest ones and their neighbors
/// along each such axis.
pub(super) fn on_lattice(
    space: &Space,
    objective: &dyn Objective,
    sets: &[&ControlSet],
    best: Vec<BestQuery>,
) -> Result<Vec<BestQuery>> {
    let mut queries = Vec::with_capacity(sets.len());
    for (set, best) in sets.iter().zip(&best) {
        let mut point = vec![0.5; space.dim()];
        set.place(&best.query, &mut point);
        space.snap(&mut point);
        let mut near = Points::new(set.controlled.len());
        near.push(&set.part(&point));
        for &k in &set.controlled {
            let &ParameterKind::Int { low, high } = space.parameters()[k].kind() else { continue };
            let step = 1.0 / ParameterKind::cells(low, high);
            for side in [-step, step] {
                let mut neighbor = point.clone();
                neighbor[k] += side;
                if (0.0..=1.0).contains(&neighbor[k]) {
                    space.snap(&mut neighbor);
                    near.push(&set.part(&neighbor));
                }
            }
        }
        queries.push(near);
    }
    let found = objective.evaluate(&queries, Phase::Settle, false)?;
    let pick = |(queries, found): (&Points, Expected)| {
        let best = largest(&found.value)?;
        Some(BestQuery { query: queries.row(best).to_vec(), value: found.value[best] })
    };
    let none = || Error::new(ErrorKind::Empty, "a set without a query");
    queries.iter().zip(found).map(|pair| pick(pair).ok_or_else(none)).collect()
}
