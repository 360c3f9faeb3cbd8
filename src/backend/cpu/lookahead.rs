//! Trees of a batch: a thread takes a tile of them from kernel values to values and gradients.
//!
//! The points of a tile's trees share their triangular solves, one pair for each process and one more with gradients; the algebra along the branches is done
//! for [`LANES`] trees side by side. Scratch is that of [`branches`](crate::posterior::branches), for trees of some 64 points together at least.

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use crate::acquisition::lookahead::{Boundary, FantasyTree, LANES, Likelihood, Purse, Valuation};
use crate::backend::{Job, JobCost, Scores};
use crate::data::Points;
use crate::error::Result;
use crate::posterior::Posterior;
use crate::posterior::branches::BranchTile;
use crate::posterior::moments::{VARIANCE_FLOOR, tile_width};

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    tiles: [BranchTile; 2],
    valuation: Valuation,
    /// Adjoints of the means and of the covariances, of outcome and log cost.
    adjoints: [[Vec<f64>; 2]; 2],
    costs: Vec<f64>,
    cost_gradients: Vec<f64>,
    cost_adjoints: Vec<f64>,
}

/// Where the numbers of one tile go.
struct Tile<'a> {
    value: &'a mut [f64],
    mean: &'a mut [f64],
    variance: &'a mut [f64],
    gradient: Option<&'a mut [f64]>,
}

/// Scores rows that hold the points of a tree.
pub(super) fn trees(
    job: &Job<'_>,
    tree: &FantasyTree,
    (budget, boundary): (Option<f64>, Boundary),
    points: &Points,
    scores: &mut Scores,
) -> Result<()> {
    let purse = match (budget, job.cost) {
        (None, _) => Purse::Unlimited,
        (Some(budget), JobCost::Learned(_)) => Purse::Learned { budget },
        (Some(budget), JobCost::Uniform(_) | JobCost::Known(_)) => Purse::Known { budget, boundary },
    };
    let row = points.dim();
    let width = (tile_width(points.len() * tree.nodes()) / tree.nodes()).next_multiple_of(LANES).max(LANES);
    let moments = scores.mean.par_chunks_mut(width).zip(scores.variance.par_chunks_mut(width));
    let tiles = points.values().par_chunks(width * row).zip(scores.value.par_chunks_mut(width).zip(moments));
    let tile = |scratch: &mut Scratch, ((rows, (value, (mean, variance))), gradient): ((&[f64], _), Option<&mut [f64]>)| {
        scratch.tile(job, tree, purse, rows, Tile { value, mean, variance, gradient })
    };
    // The first error in order is the same on any number of threads.
    let floored: Vec<Result<usize>> = if job.gradient {
        let tiles = tiles.zip(scores.gradient.par_chunks_mut(width * row));
        tiles.map_init(Scratch::default, |scratch, (batch, gradient)| tile(scratch, (batch, Some(gradient)))).collect()
    } else {
        tiles.map_init(Scratch::default, |scratch, batch| tile(scratch, (batch, None))).collect()
    };
    scores.floored = floored.into_iter().sum::<Result<usize>>()?;
    Ok(())
}

impl Scratch {
    /// Returns how many variances of roots were floored.
    fn tile(&mut self, job: &Job<'_>, tree: &FantasyTree, purse: Purse, rows: &[f64], mut out: Tile<'_>) -> Result<usize> {
        let (trees, nodes, with_gradient) = (out.value.len(), tree.nodes(), out.gradient.is_some());
        let log_cost = match (purse, job.cost) {
            (Purse::Learned { .. }, JobCost::Learned(posterior)) => Some(posterior),
            _ => None,
        };
        let processes = [Some(job.posterior), log_cost];
        for (posterior, tile) in processes.iter().zip(&mut self.tiles) {
            if let Some(posterior) = posterior {
                posterior.along_branches(tree.branches(), rows, with_gradient, tile);
            }
        }
        if let Purse::Known { boundary, .. } = purse {
            self.price(job, rows, with_gradient && boundary != Boundary::Sharp)?;
        }
        let pairs = tree.branches().pairs();
        for [means, covariances] in &mut self.adjoints {
            means.resize(trees * nodes, 0.0);
            covariances.resize(trees * pairs, 0.0);
        }
        self.cost_adjoints.resize(trees * nodes, 0.0);
        self.valuation.resize(tree, purse);
        let likelihoods = [job.posterior, log_cost.unwrap_or(job.posterior)].map(likelihood);
        let mut floored = 0;
        for first in (0..trees).step_by(LANES) {
            let count = LANES.min(trees - first);
            self.load(first, count, tree, purse);
            let values = self.valuation.value(tree, job.incumbent, purse, likelihoods, with_gradient);
            for lane in 0..count {
                let outcome = &self.valuation.outcome;
                out.value[first + lane] = values[lane];
                out.mean[first + lane] = outcome.node_mean[0][lane];
                out.variance[first + lane] = outcome.node_variance[0][lane];
                floored += usize::from(outcome.covariance[0][lane] < likelihoods[0].floor);
            }
            if with_gradient {
                self.store(first, count, tree, purse);
            }
        }
        let Some(gradient) = &mut out.gradient else { return Ok(floored) };
        gradient.fill(0.0);
        for ((posterior, tile), adjoints) in processes.iter().zip(&mut self.tiles).zip(&self.adjoints) {
            if let Some(posterior) = posterior {
                let [means, covariances] = adjoints;
                posterior.add_branch_gradients(tree.branches(), tile, [means, covariances], gradient);
            }
        }
        if !self.cost_gradients.is_empty() {
            let slopes = self.cost_gradients.chunks_exact(job.posterior.dim());
            let points = gradient.chunks_exact_mut(job.posterior.dim()).zip(slopes);
            for ((gradient, slope), adjoint) in points.zip(&self.cost_adjoints) {
                gradient.iter_mut().zip(slope).for_each(|(sum, slope)| *sum += adjoint * slope);
            }
        }
        Ok(floored)
    }

    /// The known costs of all points of the tile.
    fn price(&mut self, job: &Job<'_>, rows: &[f64], with_gradient: bool) -> Result<()> {
        let d = job.posterior.dim();
        self.costs.clear();
        self.cost_gradients.clear();
        self.cost_gradients.resize(if with_gradient { rows.len() } else { 0 }, 0.0);
        for (node, point) in rows.chunks_exact(d).enumerate() {
            self.costs.push(match job.cost {
                JobCost::Known(function) => {
                    function.cost(point, with_gradient.then(|| &mut self.cost_gradients[node * d..(node + 1) * d]))?
                }
                JobCost::Uniform(cost) => cost,
                // Nobody asks for a known cost where it is learned.
                JobCost::Learned(_) => f64::NAN,
            });
        }
        Ok(())
    }

    /// Lays trees side by side; where there are fewer than lanes, the last stands in the others too.
    fn load(&mut self, first: usize, count: usize, tree: &FantasyTree, purse: Purse) {
        let (nodes, pairs) = (tree.nodes(), tree.branches().pairs());
        let of = |values: &[f64], each: usize, at: usize| std::array::from_fn(|lane| values[(first + lane.min(count - 1)) * each + at]);
        let Self { tiles, valuation, costs, .. } = self;
        let learned = matches!(purse, Purse::Learned { .. });
        let chains = [Some(&mut valuation.outcome), learned.then_some(&mut valuation.log_cost)];
        for (tile, chain) in tiles.iter().zip(chains) {
            let Some(chain) = chain else { continue };
            for node in 0..nodes {
                chain.mean[node] = of(&tile.mean, nodes, node);
            }
            for pair in 0..pairs {
                chain.covariance[pair] = of(&tile.covariance, pairs, pair);
            }
        }
        if let Purse::Known { .. } = purse {
            for node in 0..nodes {
                valuation.cost[node] = of(costs, nodes, node);
            }
        }
    }

    fn store(&mut self, first: usize, count: usize, tree: &FantasyTree, purse: Purse) {
        let (nodes, pairs) = (tree.nodes(), tree.branches().pairs());
        let Self { valuation, adjoints, cost_adjoints, .. } = self;
        let learned = matches!(purse, Purse::Learned { .. });
        let chains = [Some(&valuation.outcome), learned.then_some(&valuation.log_cost)];
        for (chain, [means, covariances]) in chains.into_iter().zip(adjoints) {
            let Some(chain) = chain else { continue };
            for lane in 0..count {
                for node in 0..nodes {
                    means[(first + lane) * nodes + node] = chain.mean_adjoint[node][lane];
                }
                for pair in 0..pairs {
                    covariances[(first + lane) * pairs + pair] = chain.covariance_adjoint[pair][lane];
                }
            }
        }
        for lane in 0..count {
            for node in 0..nodes {
                cost_adjoints[(first + lane) * nodes + node] = valuation.cost_adjoint[node][lane];
            }
        }
    }
}

fn likelihood(posterior: &Posterior) -> Likelihood {
    let hyperparameters = posterior.hyperparameters();
    Likelihood { noise: hyperparameters.noise, floor: VARIANCE_FLOOR * hyperparameters.outputscale }
}
