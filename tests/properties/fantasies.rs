//! Trees of fantasies: one node is the improvement that can be paid for, a fantasy has the effect
//! of the same outcome told, and the order of the nodes.

use gittins::acquisition::{Belief, Boundary, FantasyTree, PointBeliefCost};
use gittins::data::PointCost;
use gittins::internals::affordable;
use gittins::math::Sobol;
use gittins::{KernelFamily, Points, Pointwise, Posterior};

use super::backend::Bowl;
use super::lookahead::{Beliefs, INCUMBENT, PRICES, Price};
use crate::support::tolerance::assert_within;
use crate::support::tolerance::lookahead as allowed;

/// How a posterior is told one more outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Telling {
    /// Built anew from all data.
    Anew,
    /// With a row appended to the factor.
    Appended,
}

impl Telling {
    fn tell(self, posterior: &Posterior, point: &[f64], outcome: f64) -> Posterior {
        let mut inputs = posterior.inputs().clone();
        match self {
            Self::Appended => {
                let mut told = posterior.clone();
                told.append(point, outcome).unwrap();
                told
            }
            Self::Anew => {
                inputs.push(point);
                let outcomes = [posterior.outcomes(), &[outcome]].concat();
                Posterior::new(posterior.family(), posterior.hyperparameters(), &inputs, &outcomes)
                    .unwrap()
            }
        }
    }
}

/// Returns mean and variance at a point.
fn moments(posterior: &Posterior, point: &[f64]) -> [f64; 2] {
    let moments =
        posterior.moments(&Points::from_rows(point.len(), point.to_vec()).unwrap()).unwrap();
    [moments.mean[0], moments.variance[0]]
}

/// The recursion itself: the tree's value at a node and below, with posteriors that were told all
/// outcomes above the node.
struct ByHand<'a> {
    tree: &'a FantasyTree,
    row: &'a [f64],
    price: Price,
    telling: Telling,
}

impl ByHand<'_> {
    fn value(&self, node: usize, beliefs: &Beliefs, best: f64, money: f64) -> f64 {
        let dim = beliefs.outcome.dim();
        let point = &self.row[node * dim..][..dim];
        let [mean, variance] = moments(&beliefs.outcome, point);
        let [log_mean, log_variance] = moments(&beliefs.log_cost, point);
        let known = Bowl.cost(point, None).unwrap();
        let chance = match self.price {
            Price::Nothing => 1.0,
            Price::Learned => {
                affordable(
                    PointBeliefCost::LogNormal { mean: log_mean, variance: log_variance },
                    money,
                )
                .value
            }
            Price::Known(Boundary::Sharp) => affordable(PointBeliefCost::Known(known), money).value,
            Price::Known(Boundary::Smooth { width }) => {
                1.0 / (1.0 + ((known - money) / width).exp())
            }
        };
        let belief = Belief { mean, sd: variance.sqrt(), cost: PointBeliefCost::Known(1.0) };
        let own = Pointwise::ExpectedImprovement.score(best, &belief).value * chance;
        let children: Vec<usize> = (node + 1..self.tree.nodes())
            .filter(|&child| self.tree.parent(child) == Some(node))
            .collect();
        let after: f64 = children
            .iter()
            .map(|&child| {
                let [z, z_cost] =
                    self.tree.levels()[self.tree.level(node)][self.tree.sample(child)];
                let outcome =
                    mean + z * (variance + beliefs.outcome.hyperparameters().noise).sqrt();
                let log_cost = log_mean
                    + z_cost * (log_variance + beliefs.log_cost.hyperparameters().noise).sqrt();
                let told = Beliefs {
                    outcome: self.telling.tell(&beliefs.outcome, point, outcome),
                    log_cost: self.telling.tell(&beliefs.log_cost, point, log_cost),
                };
                let paid = if self.price == Price::Learned { log_cost.exp() } else { known };
                self.value(child, &told, best.max(outcome), money - paid)
            })
            .sum();
        own + after / children.len().max(1) as f64
    }
}

#[test]
fn fantasies_do_what_outcomes_do_that_are_told() {
    let noise = 1e-2;
    let trees: [&[usize]; 6] = [&[1], &[4], &[1, 1, 1], &[2, 2], &[2, 3, 1], &[4, 4, 2]];
    for (family, dim, n) in [
        (KernelFamily::Matern12, 1, 1),
        (KernelFamily::Matern52, 2, 12),
        (KernelFamily::Rbf, 5, 30),
    ] {
        let beliefs = Beliefs::new(family, dim, n, noise);
        for fantasies in trees {
            let tree = FantasyTree::new(fantasies, 3).unwrap();
            let points = Sobol::new(dim * tree.nodes(), 17).points(32, 2);
            for (price, budget) in
                PRICES.into_iter().flat_map(|price| [7.0, 60.0].map(|budget| (price, budget)))
            {
                let scores = beliefs.evaluate(&tree, price, budget, &points);
                for (row, got) in points.rows().zip(&scores.value) {
                    for telling in [Telling::Anew, Telling::Appended] {
                        let expected = ByHand { tree: &tree, row, price, telling }
                            .value(0, &beliefs, INCUMBENT, budget);
                        let what =
                            format!("{family:?} {price:?} of {budget}, {fantasies:?}, {telling:?}");
                        assert_within(what, *got, expected, allowed::by_hand(n, noise));
                    }
                }
                assert!(
                    scores.value.iter().any(|value| *value > 1e-3),
                    "{family:?} {price:?} {fantasies:?}: {:?}",
                    scores.value
                );
            }
        }
    }
}

#[test]
fn a_path_of_means_lets_variances_fall_and_leaves_means_alone() {
    // There are two nodes. The value of the second is the improvement of a posterior that was told
    // its own mean at the first.
    let (n, noise) = (15, 1e-2);
    let beliefs = Beliefs::new(KernelFamily::Matern52, 2, n, noise);
    let tree = FantasyTree::new(&[1], 0).unwrap();
    let points = Sobol::new(4, 5).points(8, 20);
    let values = beliefs.evaluate(&tree, Price::Nothing, f64::NAN, &points).value;
    for (row, got) in points.rows().zip(values) {
        let (first, second) = row.split_at(2);
        let [mean, variance] = moments(&beliefs.outcome, first);
        let told = Telling::Appended.tell(&beliefs.outcome, first, mean);
        let (before, after) = (moments(&beliefs.outcome, second), moments(&told, second));
        assert_within("the mean", after[0], before[0], allowed::by_hand(n, noise));
        assert!(after[1] < before[1]);
        let improvement = |best: f64, [mean, variance]: [f64; 2]| {
            let belief = Belief { mean, sd: variance.sqrt(), cost: PointBeliefCost::Known(1.0) };
            Pointwise::ExpectedImprovement.score(best, &belief).value
        };
        let expected =
            improvement(INCUMBENT, [mean, variance]) + improvement(INCUMBENT.max(mean), after);
        assert_within("the value", got, expected, allowed::by_hand(n, noise));
    }
}

#[test]
fn one_node_is_the_improvement_that_can_be_paid_for() {
    for (dim, n, noise) in [(1, 1, 1e-2), (3, 20, 1e-2), (40, 60, 1e-2)] {
        let beliefs = Beliefs::new(KernelFamily::Matern52, dim, n, noise);
        let root = FantasyTree::new(&[], 0).unwrap();
        assert_eq!((root.nodes(), root.steps()), (1, 1));
        let points = Sobol::new(dim, 31).points(0, 30);
        let [outcome, log_cost] = [&beliefs.outcome, &beliefs.log_cost]
            .map(|posterior| posterior.moments_with_gradients(&points).unwrap());
        for (price, budget) in
            PRICES.into_iter().flat_map(|price| [2.0, 4.0, 60.0].map(|budget| (price, budget)))
        {
            let scores = beliefs.evaluate(&root, price, budget, &points);
            for (row, point) in points.rows().enumerate() {
                let what = format!("{price:?} of {budget}, d={dim}, row {row}");
                let sd = outcome.variance[row].sqrt();
                let belief =
                    Belief { mean: outcome.mean[row], sd, cost: PointBeliefCost::Known(1.0) };
                let improvement = Pointwise::ExpectedImprovement.score(INCUMBENT, &belief);
                let mut price_slope = vec![0.0; dim];
                let known = Bowl.cost(point, Some(&mut price_slope)).unwrap();
                // The chance, and its slopes by the moments of ln c and by the known cost.
                let (chance, slopes, to_cost) = match price {
                    Price::Nothing => (1.0, [0.0; 2], 0.0),
                    Price::Learned => {
                        let cost = PointBeliefCost::LogNormal {
                            mean: log_cost.mean[row],
                            variance: log_cost.variance[row],
                        };
                        let chance = affordable(cost, budget);
                        (chance.value, [chance.d_log_cost, chance.d_log_cost_variance], 0.0)
                    }
                    Price::Known(Boundary::Sharp) => {
                        (if known <= budget { 1.0 } else { 0.0 }, [0.0; 2], 0.0)
                    }
                    Price::Known(Boundary::Smooth { width }) => {
                        let chance = 1.0 / (1.0 + ((known - budget) / width).exp());
                        (chance, [0.0; 2], -chance * (1.0 - chance) / width)
                    }
                };
                let bound = allowed::by_hand(n, noise);
                assert_within(&what, scores.value[row], improvement.value * chance, bound);
                assert_within(&what, scores.mean[row], outcome.mean[row], bound);
                assert_within(&what, scores.variance[row], outcome.variance[row], bound);
                for (k, to_price) in price_slope.iter().enumerate() {
                    let at = row * dim + k;
                    let of_improvement = improvement.d_mean * outcome.mean_gradient[at]
                        + improvement.d_sd / (2.0 * sd) * outcome.variance_gradient[at];
                    let of_chance = slopes[0] * log_cost.mean_gradient[at]
                        + slopes[1] * log_cost.variance_gradient[at]
                        + to_cost * to_price;
                    assert_within(
                        &what,
                        scores.gradient[at],
                        chance * of_improvement + improvement.value * of_chance,
                        bound,
                    );
                }
            }
        }
    }
}

#[test]
fn nodes_stand_breadth_first_with_the_newest_sample_slowest() {
    for fantasies in [&[] as &[usize], &[1], &[4], &[4, 4, 2], &[2, 3, 1, 2]] {
        let tree = FantasyTree::new(fantasies, 7).unwrap();
        assert_eq!((tree.fantasies(), tree.steps()), (fantasies, fantasies.len() + 1));
        let mut first = 0;
        for level in 0..tree.steps() {
            let width: usize = fantasies[..level].iter().product();
            for index in 0..width {
                let node = first + index;
                assert_eq!((tree.level(node), tree.weight(node)), (level, 1.0 / width as f64));
                let mut above = node;
                // The place within a level counts the samples in mixed radix, the oldest sample
                // first.
                let (mut rest, mut digits) = (index, Vec::new());
                for count in &fantasies[..level] {
                    digits.push(rest % count);
                    rest /= count;
                }
                for digit in digits.into_iter().rev() {
                    assert_eq!(tree.sample(above), digit, "{fantasies:?}, node {node}");
                    above = tree.parent(above).unwrap();
                }
                assert_eq!((above, tree.parent(0)), (0, None));
            }
            first += width;
        }
        assert_eq!(tree.nodes(), first);
        for (level, &count) in tree.levels().iter().zip(fantasies) {
            assert_eq!(level.len(), count);
            assert!(count > 1 || level[0] == [0.0; 2]);
        }
    }
    assert_eq!(FantasyTree::new(&[4, 2], 3).unwrap(), FantasyTree::new(&[4, 2], 3).unwrap());
    assert_ne!(FantasyTree::new(&[4, 2], 3).unwrap(), FantasyTree::new(&[4, 2], 4).unwrap());
}
