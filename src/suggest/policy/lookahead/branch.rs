//! The branches of a plan that are closest to the observation.

use crate::acquisition::FantasyTree;
use crate::data::Points;
use crate::error::Result;
use crate::maximize::Maximum;
use crate::suggest::step::Step;

/// The belief about an evaluation before it was made: the outcome (in the user's units, larger is
/// better) and `ln c`, with noise.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Believed {
    point: Vec<f64>,
    outcome: (f64, f64),
    log_cost: Option<(f64, f64)>,
}

impl Believed {
    /// The belief at the point that was found.
    pub fn of(step: &Step<'_>, found: &Maximum) -> Result<Self> {
        let surrogate = step.view.surrogate;
        let scale = surrogate.scale();
        let variance = found.variance + surrogate.posterior().hyperparameters().noise;
        let outcome = (scale.undo(found.mean), scale.undo_deviation(found.mean, variance));
        let log_cost = match surrogate.log_cost() {
            Some(posterior) => {
                let moments = posterior
                    .moments(&Points::from_rows(found.point.len(), found.point.clone())?)?;
                Some((
                    moments.mean[0],
                    (moments.variance[0] + posterior.hyperparameters().noise).sqrt(),
                ))
            }
            None => None,
        };
        Ok(Self { point: found.point.clone(), outcome, log_cost })
    }

    /// How many standard deviations the outcome and `ln c` lie above the belief. The number for
    /// `ln c` is 0 if the cost is not learned or not told. `None` while there is no outcome.
    pub fn observed(&self, step: &Step<'_>) -> Option<[f64; 2]> {
        let observation = step
            .view
            .observations
            .iter()
            .rev()
            .find(|observation| observation.point == self.point)?;
        let outcome = step.view.observations.direction().sign() * observation.outcome?;
        let above = |value: f64, (mean, deviation): (f64, f64)| {
            if deviation > 0.0 { (value - mean) / deviation } else { 0.0 }
        };
        let log_cost = observation.cost.filter(|cost| *cost > 0.0).zip(self.log_cost);
        Some([
            above(outcome, self.outcome),
            log_cost.map_or(0.0, |(cost, believed)| above(cost.ln(), believed)),
        ])
    }
}

/// Trees after the evaluation of their root. The branch whose base sample is closest to the
/// observation moves up by one level. Each node takes its samples from the level below, as many as
/// there are. The last level repeats the one above, because no plan reached further.
pub(super) fn follow(tree: &FantasyTree, trees: &Points, dim: usize, observed: [f64; 2]) -> Points {
    let Some(samples) = tree.levels().first() else { return trees.clone() };
    let distance =
        |sample: &[f64; 2]| sample.iter().zip(observed).map(|(z, o)| (z - o).powi(2)).sum::<f64>();
    let order = |a: &usize, b: &usize| distance(&samples[*a]).total_cmp(&distance(&samples[*b]));
    let closest = (0..samples.len()).min_by(order).unwrap_or(0);
    // The children of each node, by sample.
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); tree.nodes()];
    for node in 0..tree.nodes() {
        if let Some(parent) = tree.parent(node) {
            children[parent].push(node);
        }
    }
    let mut sources = vec![children[0][closest]; tree.nodes()];
    for node in 1..tree.nodes() {
        let above = sources[tree.parent(node).unwrap_or(0)];
        sources[node] = match children[above].len() {
            0 => above,
            count => children[above][tree.sample(node) % count],
        };
    }
    let mut moved = Points::with_capacity(trees.dim(), trees.len());
    for row in trees.rows() {
        let point = |&source: &usize| row[source * dim..(source + 1) * dim].iter().copied();
        moved.push(&sources.iter().flat_map(point).collect::<Vec<f64>>());
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_branch_moves_up() {
        let tree = FantasyTree::with_samples(&[
            vec![[-1.0, 0.0], [1.0, 0.0]],
            vec![[-1.0, 0.5], [1.0, -0.5]],
        ])
        .unwrap();
        // Nodes 1 and 2 follow the root. The children of node 2 are 4 and 6, in the order of
        // levels.
        let trees = Points::from_rows(7, (0..7).map(f64::from).collect()).unwrap();
        assert_eq!(
            follow(&tree, &trees, 1, [0.7, 0.1]).row(0),
            [2.0, 4.0, 6.0, 4.0, 6.0, 4.0, 6.0]
        );
        assert_eq!(
            follow(&tree, &trees, 1, [-0.7, 0.1]).row(0),
            [1.0, 3.0, 5.0, 3.0, 5.0, 3.0, 5.0]
        );
        let path = FantasyTree::new(&[1, 1], 0).unwrap();
        let trees = Points::from_rows(6, (0..6).map(f64::from).collect()).unwrap();
        assert_eq!(follow(&path, &trees, 2, [5.0, 5.0]).row(0), [2.0, 3.0, 4.0, 5.0, 4.0, 5.0]);
    }
}
