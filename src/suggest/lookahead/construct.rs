//! A tree to start from: what seems best now, then the best path from what may be found there.

use std::sync::Arc;

use rand::SeedableRng;
use rand_pcg::Pcg64;

use crate::acquisition::{Acquisition, FantasyTree, Joint, Pointwise};
use crate::backend::Job;
use crate::data::Points;
use crate::error::Result;
use crate::math::sobol::mix;
use crate::suggest::lookahead::world::World;
use crate::suggest::step::Step;
use crate::suggest::streams::Stream;

/// Raw points and starts of its searches, for each dimension.
const RAW: usize = 100;
const STARTS: usize = 5;

/// The share of the time left that the search of the root may take.
const ROOT: f64 = 0.4;

/// One tree (Astudillo et al. 2021, appendix D): its root where the posterior mean is largest, and
/// all nodes of a level at the point of the best path of means after a sampled outcome and cost
/// there. What that costs is paid from the budget once.
pub(super) fn tree(step: &Step<'_>, job: &Job<'_>) -> Result<Points> {
    let (tree, budget, boundary) = job.acquisition.planned()?;
    let (dim, seed) = (job.posterior.dim(), step.seed(Stream::Construction));
    let (backend, none) = (&*step.setup.backend, Points::new(dim));
    let mean = Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 0.0 });
    let first = if tree.steps() > 1 { step.part(ROOT) } else { *step };
    let root = first
        .small(RAW, STARTS, seed)
        .run(backend, &Job { acquisition: &mean, ..*job }, &none)?
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
        let after = Job { acquisition: &acquisition, ..world.job(job) };
        let best = step.small(RAW, STARTS, mix(seed)).lookahead(backend, &after, &rows, &rows)?;
        levels.extend(best.point.chunks_exact(dim).map(<[f64]>::to_vec));
    }
    let row = (0..tree.nodes()).flat_map(|node| levels[tree.level(node)].iter().copied()).collect();
    Points::from_rows(dim * tree.nodes(), row)
}
