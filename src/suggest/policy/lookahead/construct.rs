//! Constructs a tree to start from: the best point now, then the best path after a sampled result
//! there.

use std::sync::Arc;

use rand::SeedableRng;
use rand_pcg::Pcg64;

use crate::acquisition::{Acquisition, FantasyTree, Joint};
use crate::backend::Job;
use crate::data::Points;
use crate::error::Result;
use crate::math::sobol::mix;
use crate::suggest::policy::lookahead::world::World;
use crate::suggest::step::Step;
use crate::surrogate::Stream;

/// Raw points and starts of the searches here, per dimension.
const RAW: usize = 100;
const STARTS: usize = 5;

/// The share of the remaining time for the search of the root.
const ROOT: f64 = 0.4;

/// Constructs one tree (Astudillo et al. 2021, appendix D). Its root has the largest posterior
/// mean. An outcome and a cost at the root are sampled. All nodes of a level lie at the same point
/// of the best path of means after this sample. The sampled cost is taken from the budget once.
pub(super) fn tree(step: &Step<'_>, job: &Job<'_>) -> Result<Points> {
    let (tree, budget, boundary) = job.acquisition.planned()?;
    let dim = job.posterior.dim();
    let seed = step.seed(Stream::Construction);
    let backend = &*step.view.setup.backend;
    let none = Points::new(dim);
    let first = if tree.steps() > 1 { step.part(ROOT) } else { *step };
    let root = first
        .small(RAW, STARTS, seed)
        .run(backend, &job.acquisition(&Acquisition::MEAN), &none)?
        .point;
    let mut levels = vec![root];
    if tree.steps() > 1 {
        let mut world = World::new(step);
        let cost = world.evaluate(job, &levels[0], &mut Pcg64::seed_from_u64(seed))?;
        let path = FantasyTree::new(&vec![1; tree.steps() - 2], seed)?;
        let budget = budget.map(|budget| budget - cost);
        let acquisition = Acquisition::Joint(Joint::MultiStepImprovement {
            tree: Arc::new(path),
            budget,
            boundary,
        });
        let rows = Points::new(dim * (tree.steps() - 1));
        let after = world.job(job).acquisition(&acquisition);
        let best = step.small(RAW, STARTS, mix(seed)).lookahead(backend, &after, &rows, &rows)?;
        levels.extend(best.point.chunks_exact(dim).map(<[f64]>::to_vec));
    }
    let row = (0..tree.nodes()).flat_map(|node| levels[tree.level(node)].iter().copied()).collect();
    Points::from_rows(dim * tree.nodes(), row)
}
