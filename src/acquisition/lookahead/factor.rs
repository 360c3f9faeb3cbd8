//! One Gaussian process along the branches of a tree: its moments given the fantasies, and the
//! reverse pass.
//!
//! `M` and `C` are the posterior means and covariances given the real data, and `nu` is the noise
//! of an outcome. Conditioning on the fantasies of a path one after the other is the Cholesky
//! factorization of `C + nu I` along the path:
//!
//! ```text
//! R_ja = (C_ja - sum_{c<a} R_jc R_ac) / R_aa      a above j
//! v_j  = C_jj - sum_{c<j} R_jc^2                  the variance at the node
//! R_jj = sqrt(v_j + nu)
//! mu_j = M_j + sum_{c<j} R_jc z_c                 the mean at the node
//! y_j  = mu_j + R_jj z_j                          the outcome that leads to the child with the sample z_j
//! ```
//!
//! A row of `R` depends on the points above it, not on their samples. So the children of a node
//! share it. All numbers are those of several trees side by side.

use crate::acquisition::FantasyTree;

/// The number of trees that are valued together. The narrower of the usual vectors holds as many
/// doubles.
pub(crate) const LANES: usize = 4;

/// One number for each of the trees that are valued together.
pub(super) type Lanes = [f64; LANES];

/// One process along the branches. The memory is reused.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    /// `M` of each node.
    pub mean: Vec<Lanes>,
    /// `C` of each pair of a node and one above it.
    pub covariance: Vec<Lanes>,
    /// The adjoints of both. That of a covariance is one number, not two halves.
    pub mean_adjoint: Vec<Lanes>,
    pub covariance_adjoint: Vec<Lanes>,
    /// `mu` and `v` of each node, and the outcome of its parent that led to it.
    pub node_mean: Vec<Lanes>,
    pub node_variance: Vec<Lanes>,
    pub fantasy: Vec<Lanes>,
    /// Their adjoints.
    pub node_mean_adjoint: Vec<Lanes>,
    pub node_variance_adjoint: Vec<Lanes>,
    pub fantasy_adjoint: Vec<Lanes>,
    factor: Vec<Lanes>,
    factor_adjoint: Vec<Lanes>,
    /// Whether a node's variance was above the floor.
    free: Vec<[bool; LANES]>,
}

impl Chain {
    /// Makes room for a tree.
    pub fn resize(&mut self, tree: &FantasyTree) {
        let (nodes, pairs) = (tree.nodes(), tree.branches().pairs());
        let of_nodes = [
            &mut self.mean,
            &mut self.mean_adjoint,
            &mut self.node_mean,
            &mut self.node_variance,
            &mut self.fantasy,
            &mut self.node_mean_adjoint,
            &mut self.node_variance_adjoint,
            &mut self.fantasy_adjoint,
        ];
        for field in of_nodes {
            field.resize(nodes, [0.0; LANES]);
        }
        let of_pairs = [
            &mut self.covariance,
            &mut self.covariance_adjoint,
            &mut self.factor,
            &mut self.factor_adjoint,
        ];
        for field in of_pairs {
            field.resize(pairs, [0.0; LANES]);
        }
        self.free.resize(nodes, [true; LANES]);
    }

    /// Computes means, variances and fantasies from `M` and `C`. `output` selects the base samples
    /// of this process. No variance is below the floor.
    pub fn forward(&mut self, tree: &FantasyTree, output: usize, noise: f64, floor: f64) {
        let branches = tree.branches();
        let normals = tree.normals(output);
        let Self { mean, covariance, factor, node_mean, node_variance, fantasy, free, .. } = self;
        for node in 0..tree.nodes() {
            let path = branches.path(node);
            let row = branches.pairs_of(node).start;
            let last = path.len() - 1;
            let mut mu = mean[node];
            let mut variance = covariance[row + last];
            for (a, &above) in path[..last].iter().enumerate() {
                let other = branches.pairs_of(above).start;
                let mut entry = covariance[row + a];
                for c in 0..a {
                    each(&mut entry, |lane, entry| {
                        entry - factor[row + c][lane] * factor[other + c][lane]
                    });
                }
                let normal = normals[row + a];
                each(&mut entry, |lane, entry| entry / factor[other + a][lane]);
                each(&mut mu, |lane, mu| mu + entry[lane] * normal);
                each(&mut variance, |lane, variance| variance - entry[lane] * entry[lane]);
                factor[row + a] = entry;
            }
            free[node] = variance.map(|variance| variance > floor);
            each(&mut variance, |_, variance| variance.max(floor));
            factor[row + last] = variance.map(|variance| (variance + noise).sqrt());
            node_mean[node] = mu;
            node_variance[node] = variance;
            if let Some(parent) = tree.parent(node) {
                let diagonal = factor[branches.pairs_of(parent).end - 1];
                let normal = normals[row + last - 1];
                fantasy[node] =
                    std::array::from_fn(|lane| node_mean[parent][lane] + diagonal[lane] * normal);
            }
        }
    }

    /// Computes the adjoints of `M` and `C` from those of the nodes' means, variances and
    /// fantasies.
    pub fn backward(&mut self, tree: &FantasyTree, output: usize) {
        let branches = tree.branches();
        let normals = tree.normals(output);
        let Self { factor, factor_adjoint, mean_adjoint, covariance_adjoint, free, .. } = self;
        factor_adjoint.fill([0.0; LANES]);
        for node in (0..tree.nodes()).rev() {
            let path = branches.path(node);
            let row = branches.pairs_of(node).start;
            let last = path.len() - 1;
            if let Some(parent) = tree.parent(node) {
                let outcome = self.fantasy_adjoint[node];
                let normal = normals[row + last - 1];
                each(&mut self.node_mean_adjoint[parent], |lane, adjoint| adjoint + outcome[lane]);
                each(&mut factor_adjoint[branches.pairs_of(parent).end - 1], |lane, adjoint| {
                    adjoint + outcome[lane] * normal
                });
            }
            // The children are done: nothing more is added to the node itself.
            let mean = self.node_mean_adjoint[node];
            mean_adjoint[node] = mean;
            let diagonal = (factor[row + last], factor_adjoint[row + last]);
            let variance: Lanes = std::array::from_fn(|lane| {
                let adjoint = self.node_variance_adjoint[node][lane]
                    + diagonal.1[lane] / (2.0 * diagonal.0[lane]);
                if free[node][lane] { adjoint } else { 0.0 }
            });
            covariance_adjoint[row + last] = variance;
            for a in 0..last {
                let entry = factor[row + a];
                let normal = normals[row + a];
                each(&mut factor_adjoint[row + a], |lane, adjoint| {
                    adjoint + mean[lane] * normal - 2.0 * variance[lane] * entry[lane]
                });
            }
            for (a, &above) in path[..last].iter().enumerate().rev() {
                let other = branches.pairs_of(above).start;
                let entry = factor[row + a];
                let through: Lanes = std::array::from_fn(|lane| {
                    factor_adjoint[row + a][lane] / factor[other + a][lane]
                });
                covariance_adjoint[row + a] = through;
                for c in 0..a {
                    let own = factor[row + c];
                    let others = factor[other + c];
                    each(&mut factor_adjoint[row + c], |lane, adjoint| {
                        adjoint - through[lane] * others[lane]
                    });
                    each(&mut factor_adjoint[other + c], |lane, adjoint| {
                        adjoint - through[lane] * own[lane]
                    });
                }
                each(&mut factor_adjoint[other + a], |lane, adjoint| {
                    adjoint - through[lane] * entry[lane]
                });
            }
        }
    }
}

/// Replaces the number of each lane.
#[inline(always)]
pub(super) fn each(lanes: &mut Lanes, mut number: impl FnMut(usize, f64) -> f64) {
    for (lane, value) in lanes.iter_mut().enumerate() {
        *value = number(lane, *value);
    }
}
