//! The value of a tree, and the reverse pass to the adjoints of moments and costs.

use crate::acquisition::affordable;
use crate::acquisition::improvement;
use crate::acquisition::lookahead::factor::{Chain, LANES, Lanes, each};
use crate::acquisition::{Boundary, FantasyTree};
use crate::acquisition::{PointBeliefCost, Score};

/// The money for the evaluations of a plan, and whether their costs are known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Purse {
    /// Nothing is paid: there is no budget.
    Unlimited,
    /// The costs are known at each node.
    Known { budget: f64, boundary: Boundary },
    /// `ln c` is a Gaussian process.
    Learned { budget: f64 },
}

/// Values of several trees side by side. The memory is reused.
#[derive(Debug, Default)]
pub(crate) struct Valuation {
    /// The outcome.
    pub outcome: Chain,
    /// `ln c`, if it is learned.
    pub log_cost: Chain,
    /// The cost of each node, if it is known, and its adjoint.
    pub cost: Vec<Lanes>,
    pub cost_adjoint: Vec<Lanes>,
    best: Vec<Lanes>,
    best_adjoint: Vec<Lanes>,
    money: Vec<Lanes>,
    money_adjoint: Vec<Lanes>,
}

/// The noise of a process and the floor of its variances.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Likelihood {
    pub noise: f64,
    pub floor: f64,
}

impl Valuation {
    /// Makes room for a tree.
    pub fn resize(&mut self, tree: &FantasyTree, purse: Purse) {
        self.outcome.resize(tree);
        if let Purse::Learned { .. } = purse {
            self.log_cost.resize(tree);
        }
        let fields = [
            &mut self.cost,
            &mut self.cost_adjoint,
            &mut self.best,
            &mut self.best_adjoint,
            &mut self.money,
            &mut self.money_adjoint,
        ];
        for field in fields {
            field.resize(tree.nodes(), [0.0; LANES]);
        }
    }

    /// Computes the values from the moments of the processes and the known costs. With `gradient`
    /// it also computes the adjoints of both.
    pub fn value(
        &mut self,
        tree: &FantasyTree,
        incumbent: f64,
        purse: Purse,
        likelihoods: [Likelihood; 2],
        gradient: bool,
    ) -> Lanes {
        let [of_outcome, of_cost] = likelihoods;
        self.outcome.forward(tree, 0, of_outcome.noise, of_outcome.floor);
        if let Purse::Learned { .. } = purse {
            self.log_cost.forward(tree, 1, of_cost.noise, of_cost.floor);
        }
        let mut value = [0.0; LANES];
        for node in 0..tree.nodes() {
            self.inherit(tree, node, incumbent, purse);
            each(&mut value, |lane, value| {
                value + self.stage(tree.weight(node), node, lane, purse)
            });
        }
        if gradient {
            self.bequeath(tree, purse);
            self.outcome.backward(tree, 0);
            if let Purse::Learned { .. } = purse {
                self.log_cost.backward(tree, 1);
            }
        }
        value
    }

    /// Computes the incumbent and the money at a node, after the evaluation of its parent.
    fn inherit(&mut self, tree: &FantasyTree, node: usize, incumbent: f64, purse: Purse) {
        let Some(parent) = tree.parent(node) else {
            let budget = match purse {
                Purse::Unlimited => f64::INFINITY,
                Purse::Known { budget, .. } | Purse::Learned { budget } => budget,
            };
            self.best[node] = [incumbent; LANES];
            self.money[node] = [budget; LANES];
            return;
        };
        let (mut best, mut money) = (self.best[parent], self.money[parent]);
        let (outcome, log_cost, cost) =
            (&self.outcome.fantasy[node], &self.log_cost.fantasy, &self.cost[parent]);
        each(&mut best, |lane, best| best.max(outcome[lane]));
        match purse {
            Purse::Unlimited => {}
            Purse::Known { .. } => each(&mut money, |lane, money| money - cost[lane]),
            Purse::Learned { .. } => {
                each(&mut money, |lane, money| money - log_cost[node][lane].exp());
            }
        }
        self.best[node] = best;
        self.money[node] = money;
    }

    /// Returns what a node adds to the value of a tree: the improvement that can be paid for. Also
    /// computes the adjoints of its inputs.
    fn stage(&mut self, weight: f64, node: usize, lane: usize, purse: Purse) -> f64 {
        let sd = self.outcome.node_variance[node][lane].sqrt();
        let improvement =
            improvement::expected(self.best[node][lane], self.outcome.node_mean[node][lane], sd);
        let Score { value, d_mean, d_sd, .. } = improvement;
        let money = self.money[node][lane];
        let mut d_cost = 0.0;
        let mut of_log_cost = [0.0; 2];
        let (chance, d_money) = match purse {
            Purse::Unlimited => (1.0, 0.0),
            Purse::Known { boundary: Boundary::Sharp, .. } => {
                (affordable(PointBeliefCost::Known(self.cost[node][lane]), money).value, 0.0)
            }
            Purse::Known { boundary: Boundary::Smooth { width }, .. } => {
                let chance = 1.0 / (1.0 + ((self.cost[node][lane] - money) / width).exp());
                let slope = chance * (1.0 - chance) / width;
                d_cost = -slope;
                (chance, slope)
            }
            Purse::Learned { .. } => {
                let (mean, variance) =
                    (self.log_cost.node_mean[node][lane], self.log_cost.node_variance[node][lane]);
                let chance = affordable(PointBeliefCost::LogNormal { mean, variance }, money);
                of_log_cost = [chance.d_log_cost, chance.d_log_cost_variance];
                (chance.value, chance.d_money)
            }
        };
        let paid = weight * chance;
        let worth = weight * value;
        self.outcome.node_mean_adjoint[node][lane] = paid * d_mean;
        self.outcome.node_variance_adjoint[node][lane] = paid * d_sd / (2.0 * sd);
        self.best_adjoint[node][lane] = -paid * d_mean;
        self.money_adjoint[node][lane] = worth * d_money;
        self.cost_adjoint[node][lane] = worth * d_cost;
        if let Purse::Learned { .. } = purse {
            self.log_cost.node_mean_adjoint[node][lane] = worth * of_log_cost[0];
            self.log_cost.node_variance_adjoint[node][lane] = worth * of_log_cost[1];
        }
        weight * value * chance
    }

    /// Computes the adjoints of the fantasies and of the known costs from those of incumbents and
    /// money, children before parents.
    fn bequeath(&mut self, tree: &FantasyTree, purse: Purse) {
        for node in (0..tree.nodes()).rev() {
            let Some(parent) = tree.parent(node) else { continue };
            for lane in 0..LANES {
                let (best, money) = (self.best_adjoint[node][lane], self.money_adjoint[node][lane]);
                let better = self.outcome.fantasy[node][lane] > self.best[parent][lane];
                self.outcome.fantasy_adjoint[node][lane] = if better { best } else { 0.0 };
                if !better {
                    self.best_adjoint[parent][lane] += best;
                }
                self.money_adjoint[parent][lane] += money;
                match purse {
                    Purse::Unlimited => {}
                    Purse::Known { .. } => self.cost_adjoint[parent][lane] -= money,
                    // A cost above the largest number leaves no money. The adjoint of this money is
                    // zero.
                    Purse::Learned { .. } => {
                        let cost = if money == 0.0 {
                            0.0
                        } else {
                            self.log_cost.fantasy[node][lane].exp()
                        };
                        self.log_cost.fantasy_adjoint[node][lane] = -money * cost;
                    }
                }
            }
        }
    }
}
