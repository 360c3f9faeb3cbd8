//! The tree of points on which a multi-step improvement is planned.

use crate::error::{Error, ErrorKind, Result};
use crate::math::normal::inverse_cdf;
use crate::math::sobol::{Sobol, mix};
use crate::posterior::branches::Branches;

/// Points of a tree at most: more than the widest in use, and few enough for one row of a batch.
const MOST_NODES: usize = 4096;

/// The shape of a plan and its base samples: which point follows which, after which outcome.
///
/// With `m_1 .. m_{N-1}` fantasies a level, a node at level `l` has `m_{l+1}` children, one for
/// each sampled outcome at its own point. Nodes stand breadth first; within a level the index of
/// the newest sample is the slowest, so that the node `(j_1 .. j_l)` is the
/// `j_l (m_1 .. m_{l-1}) + .. + j_2 m_1 + j_1`-th of its level.
///
/// A base sample is a pair of standard normal numbers, one that moves the outcome and one that
/// moves `ln c`. A level has one set of them, which all its nodes and all trees of a batch share.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Levels", into = "Levels"))]
pub struct FantasyTree {
    fantasies: Vec<usize>,
    parents: Vec<Option<usize>>,
    /// Which of the samples of the level above led to each node; 0 for the root.
    samples: Vec<usize>,
    /// For each node `1 / (m_1 .. m_l)`.
    weights: Vec<f64>,
    branches: Branches,
    /// For each pair of a node and one above it, the base sample taken there on the way down, of
    /// the outcome and of `ln c`; 0 for the node itself.
    normals: [Vec<f64>; 2],
    levels: Vec<Vec<[f64; 2]>>,
}

/// What makes a tree: the base samples of each level.
#[cfg(feature = "serde")]
type Levels = Vec<Vec<[f64; 2]>>;

#[cfg(feature = "serde")]
impl TryFrom<Levels> for FantasyTree {
    type Error = Error;

    fn try_from(levels: Levels) -> Result<Self> {
        Self::with_samples(&levels)
    }
}

#[cfg(feature = "serde")]
impl From<FantasyTree> for Levels {
    fn from(tree: FantasyTree) -> Self {
        tree.levels
    }
}

impl FantasyTree {
    /// A tree with scrambled Sobol base samples; a level with one fantasy takes the mean of outcome
    /// and `ln c`, as the path variant does.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for a level without a fantasy and for a tree of more than 4096
    /// points.
    pub fn new(fantasies: &[usize], seed: u64) -> Result<Self> {
        check(fantasies)?;
        let level = |(level, &count): (usize, &usize)| {
            if count == 1 {
                return vec![[0.0; 2]];
            }
            let sobol = Sobol::new(2, mix(seed ^ level as u64)).points(0, count);
            sobol.rows().map(|u| [inverse_cdf(u[0]), inverse_cdf(u[1])]).collect()
        };
        Self::with_samples(&fantasies.iter().enumerate().map(level).collect::<Vec<_>>())
    }

    /// A tree with given base samples, those of each level: of the outcome and of `ln c`. No level
    /// at all is the root alone.
    ///
    /// # Errors
    /// Those of [`new`](Self::new), and [`ErrorKind::NonFinite`] naming the sample.
    pub fn with_samples(levels: &[Vec<[f64; 2]>]) -> Result<Self> {
        let fantasies: Vec<usize> = levels.iter().map(Vec::len).collect();
        check(&fantasies)?;
        for (level, samples) in levels.iter().enumerate() {
            if let Some(at) =
                samples.iter().position(|sample| !sample.iter().all(|z| z.is_finite()))
            {
                let message = format!(
                    "base sample {at} of level {}: expected finite numbers, got {:?}",
                    level + 1,
                    samples[at]
                );
                return Err(Error::new(ErrorKind::NonFinite, message));
            }
        }
        let (mut parents, mut samples, mut weights) = (vec![None], vec![0], vec![1.0]);
        let mut above = 0..1;
        for &count in &fantasies {
            let next = parents.len();
            let weight = weights[above.start] / count as f64;
            for sample in 0..count {
                for parent in above.clone() {
                    parents.push(Some(parent));
                    samples.push(sample);
                    weights.push(weight);
                }
            }
            above = next..parents.len();
        }
        let branches = Branches::new(&parents);
        let mut normals = [0, 1].map(|_| Vec::with_capacity(branches.pairs()));
        for node in 0..branches.nodes() {
            for (output, normals) in normals.iter_mut().enumerate() {
                let edges = branches.path(node).windows(2).enumerate();
                normals.extend(edges.map(|(level, edge)| levels[level][samples[edge[1]]][output]));
                normals.push(0.0);
            }
        }
        Ok(Self {
            fantasies,
            parents,
            samples,
            weights,
            branches,
            normals,
            levels: levels.to_vec(),
        })
    }

    /// Fantasies of each level after the root.
    pub fn fantasies(&self) -> &[usize] {
        &self.fantasies
    }

    /// The number of evaluations that are planned, the root's included.
    pub fn steps(&self) -> usize {
        self.fantasies.len() + 1
    }

    /// The number of points `q`.
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// The node above, none for the root.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node]
    }

    /// Evaluations planned before a node's.
    pub fn level(&self, node: usize) -> usize {
        self.branches.path(node).len() - 1
    }

    /// Which of the base samples of the level above leads to a node; 0 for the root.
    pub fn sample(&self, node: usize) -> usize {
        self.samples[node]
    }

    /// The share of a node in the value.
    pub fn weight(&self, node: usize) -> f64 {
        self.weights[node]
    }

    /// The base samples of each level.
    pub fn levels(&self) -> &[Vec<[f64; 2]>] {
        &self.levels
    }

    /// Which points stand on one path.
    pub(crate) fn branches(&self) -> &Branches {
        &self.branches
    }

    /// For each pair of a node and one above it, the base sample taken there; 0 for the outcome, 1
    /// for `ln c`.
    pub(super) fn normals(&self, output: usize) -> &[f64] {
        &self.normals[output]
    }
}

/// Whether a tree can have so many fantasies a level.
pub(super) fn check(fantasies: &[usize]) -> Result<()> {
    let wrong = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
    if let Some(level) = fantasies.iter().position(|&count| count == 0) {
        return wrong(format!(
            "the tree of fantasies needs at least one at each level, got none at level {}",
            level + 1
        ));
    }
    let mut width: usize = 1;
    let mut nodes: usize = 1;
    for &count in fantasies {
        width = width.saturating_mul(count);
        nodes = nodes.saturating_add(width);
    }
    if nodes > MOST_NODES {
        return wrong(format!(
            "the tree of fantasies may have {MOST_NODES} points, {fantasies:?} a level make {nodes}"
        ));
    }
    Ok(())
}
