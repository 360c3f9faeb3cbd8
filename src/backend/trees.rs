//! Values of a batch of trees from their moments, whatever backend made these. This file computes
//! prices, the algebra along the branches for [`LANES`] trees side by side, and the adjoints of the
//! moments.

use crate::acquisition::{Boundary, FantasyTree, LANES, Likelihood, Purse, Valuation};
use crate::backend::{Job, JobCost, Scores};
use crate::data::Points;
use crate::error::Result;
use crate::posterior::Posterior;
use crate::posterior::moments::tile_width;

/// A job whose rows each hold the points of a tree.
pub(super) struct Plan<'a> {
    pub job: Job<'a>,
    pub tree: &'a FantasyTree,
    /// The outcome's posterior and, if costs are learned and paid, that of `ln c`.
    pub processes: [Option<&'a Posterior>; 2],
    purse: Purse,
    likelihoods: [Likelihood; 2],
}

/// The trees of a tile, and where their numbers go.
pub(super) struct Tile<'a> {
    pub rows: &'a [f64],
    pub value: &'a mut [f64],
    pub mean: &'a mut [f64],
    pub variance: &'a mut [f64],
    pub gradient: Option<&'a mut [f64]>,
}

/// The memory of one thread.
#[derive(Default)]
pub(super) struct Valuer {
    valuation: Valuation,
    costs: Vec<f64>,
    cost_gradients: Vec<f64>,
    cost_adjoints: Vec<f64>,
}

impl<'a> Plan<'a> {
    /// The plan of a job. No variance is below the floor, which is a share of the prior's variance.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`](crate::ErrorKind::InvalidSetting) if the rows are not trees.
    pub fn of(job: &Job<'a>, floor: f64) -> Result<Self> {
        let (tree, budget, boundary) = job.acquisition.planned()?;
        let (purse, log_cost) = match (budget, job.cost) {
            (None, _) => (Purse::Unlimited, None),
            (Some(budget), JobCost::Learned(posterior)) => {
                (Purse::Learned { budget }, Some(posterior))
            }
            (Some(budget), JobCost::Uniform(_) | JobCost::Known(_)) => {
                (Purse::Known { budget, boundary }, None)
            }
        };
        let likelihoods = [job.posterior, log_cost.unwrap_or(job.posterior)].map(|posterior| {
            let hyperparameters = posterior.hyperparameters();
            Likelihood { noise: hyperparameters.noise, floor: floor * hyperparameters.outputscale }
        });
        Ok(Self { job: *job, tree, processes: [Some(job.posterior), log_cost], purse, likelihoods })
    }

    /// The number of trees in a tile of a batch of `trees`: together they have at least about 64
    /// points.
    pub fn width(&self, trees: usize) -> usize {
        let nodes = self.tree.nodes();
        (tile_width(trees * nodes, 0) / nodes).next_multiple_of(LANES).max(LANES)
    }

    /// Cuts a batch into tiles. `scores` must have room for it.
    pub fn tiles<'b>(&self, points: &'b Points, scores: &'b mut Scores) -> Vec<Tile<'b>> {
        let width = self.width(points.len());
        let row = points.dim();
        let moments = scores.mean.chunks_mut(width).zip(scores.variance.chunks_mut(width));
        let mut gradients = scores.gradient.chunks_mut(width * row);
        let tiles =
            points.values().chunks(width * row).zip(scores.value.chunks_mut(width).zip(moments));
        tiles
            .map(|(rows, (value, (mean, variance)))| Tile {
                rows,
                value,
                mean,
                variance,
                gradient: gradients.next(),
            })
            .collect()
    }
}

impl Valuer {
    /// Computes the values of a tile and the moments of its roots, from the means of the points and
    /// the covariances of the pairs of each process. If gradients are wanted, replaces these
    /// moments by their adjoints, and writes the part of known costs into the gradient. Returns how
    /// many variances of roots were raised to the floor.
    ///
    /// # Errors
    /// Those of a cost function.
    pub fn tile(
        &mut self,
        plan: &Plan<'_>,
        out: &mut Tile<'_>,
        mut moments: [[&mut [f64]; 2]; 2],
    ) -> Result<usize> {
        let (trees, with_gradient) = (out.value.len(), out.gradient.is_some());
        if let Purse::Known { boundary, .. } = plan.purse {
            self.price(&plan.job, out.rows, with_gradient && boundary != Boundary::Sharp)?;
        }
        self.cost_adjoints.resize(trees * plan.tree.nodes(), 0.0);
        self.valuation.resize(plan.tree, plan.purse);
        let mut floored = 0;
        for first in (0..trees).step_by(LANES) {
            let count = LANES.min(trees - first);
            self.load(plan, first, count, &moments);
            let values = self.valuation.value(
                plan.tree,
                plan.job.incumbent,
                plan.purse,
                plan.likelihoods,
                with_gradient,
            );
            let outcome = &self.valuation.outcome;
            for (lane, value) in values.into_iter().enumerate().take(count) {
                out.value[first + lane] = value;
                out.mean[first + lane] = outcome.node_mean[0][lane];
                out.variance[first + lane] = outcome.node_variance[0][lane];
                floored += usize::from(outcome.covariance[0][lane] < plan.likelihoods[0].floor);
            }
            if with_gradient {
                self.store(plan, first, count, &mut moments);
            }
        }
        let Some(gradient) = &mut out.gradient else { return Ok(floored) };
        gradient.fill(0.0);
        if let (Purse::Known { .. }, false) = (plan.purse, self.cost_gradients.is_empty()) {
            let d = plan.job.posterior.dim();
            let points = gradient.chunks_exact_mut(d).zip(self.cost_gradients.chunks_exact(d));
            for ((gradient, slope), adjoint) in points.zip(&self.cost_adjoints) {
                gradient
                    .iter_mut()
                    .zip(slope)
                    .for_each(|(gradient, slope)| *gradient = adjoint * slope);
            }
        }
        Ok(floored)
    }

    /// Computes the known costs of all points of the tile.
    fn price(&mut self, job: &Job<'_>, rows: &[f64], with_gradient: bool) -> Result<()> {
        let d = job.posterior.dim();
        self.costs.clear();
        self.cost_gradients.clear();
        self.cost_gradients.resize(if with_gradient { rows.len() } else { 0 }, 0.0);
        for (node, point) in rows.chunks_exact(d).enumerate() {
            self.costs.push(match job.cost {
                JobCost::Known(function) => function.cost(
                    point,
                    with_gradient.then(|| &mut self.cost_gradients[node * d..(node + 1) * d]),
                )?,
                JobCost::Uniform(cost) => cost,
                // A learned cost is never read as a known one.
                JobCost::Learned(_) => f64::NAN,
            });
        }
        Ok(())
    }

    /// Lays trees side by side. If there are fewer trees than lanes, the last tree fills the other
    /// lanes.
    fn load(
        &mut self,
        plan: &Plan<'_>,
        first: usize,
        count: usize,
        moments: &[[&mut [f64]; 2]; 2],
    ) {
        let (nodes, pairs) = (plan.tree.nodes(), plan.tree.branches().pairs());
        let of = |values: &[f64], each: usize, at: usize| {
            std::array::from_fn(|lane| values[(first + lane.min(count - 1)) * each + at])
        };
        let Self { valuation, costs, .. } = self;
        let chains = [&mut valuation.outcome, &mut valuation.log_cost];
        for ((chain, [mean, covariance]), process) in
            chains.into_iter().zip(moments).zip(plan.processes)
        {
            if process.is_none() {
                continue;
            }
            for node in 0..nodes {
                chain.mean[node] = of(mean, nodes, node);
            }
            for pair in 0..pairs {
                chain.covariance[pair] = of(covariance, pairs, pair);
            }
        }
        if let Purse::Known { .. } = plan.purse {
            for node in 0..nodes {
                valuation.cost[node] = of(costs, nodes, node);
            }
        }
    }

    /// Stores the adjoints, tree by tree.
    fn store(
        &mut self,
        plan: &Plan<'_>,
        first: usize,
        count: usize,
        moments: &mut [[&mut [f64]; 2]; 2],
    ) {
        let (nodes, pairs) = (plan.tree.nodes(), plan.tree.branches().pairs());
        let Self { valuation, cost_adjoints, .. } = self;
        let chains = [&valuation.outcome, &valuation.log_cost];
        for lane in 0..count {
            for ((chain, [means, covariances]), process) in
                chains.into_iter().zip(&mut *moments).zip(plan.processes)
            {
                if process.is_none() {
                    continue;
                }
                for node in 0..nodes {
                    means[(first + lane) * nodes + node] = chain.mean_adjoint[node][lane];
                }
                for pair in 0..pairs {
                    covariances[(first + lane) * pairs + pair] =
                        chain.covariance_adjoint[pair][lane];
                }
            }
            for node in 0..nodes {
                cost_adjoints[(first + lane) * nodes + node] = valuation.cost_adjoint[node][lane];
            }
        }
    }
}
