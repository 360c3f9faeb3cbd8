//! The tree of points of a planned multi-step improvement.

use crate::error::{Error, ErrorKind, Result};
use crate::math::normal::inverse_cdf;
use crate::math::sobol::{Sobol, mix};
use crate::posterior::branches::Branches;

/// The largest number of points of a tree. It is above the widest tree in use and fits in one row
/// of a batch.
const MOST_NODES: usize = 4096;

/// The shape of a plan and its base samples: which point follows which point, after which outcome.
///
/// With `m_1 .. m_{N-1}` fantasies per level, a node at level `l` has `m_{l+1}` children, one for
/// each sampled outcome at the node's point. Nodes are in breadth-first order. Within a level the
/// index of the newest sample changes slowest: the node `(j_1 .. j_l)` is the
/// `j_l (m_1 .. m_{l-1}) + .. + j_2 m_1 + j_1`-th of its level.
///
/// A base sample is a pair of standard normal numbers: one moves the outcome, one moves `ln c`. A
/// level has one set of base samples. All nodes of the level and all trees of a batch share it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Levels", into = "Levels"))]
pub struct FantasyTree {
    fantasies: Vec<usize>,
    parents: Vec<Option<usize>>,
    /// Which sample of the level above led to each node; 0 for the root.
    samples: Vec<usize>,
    /// For each node `1 / (m_1 .. m_l)`.
    weights: Vec<f64>,
    branches: Branches,
    /// For each pair of a node and one above it, the base sample taken there on the way down, for
    /// the outcome and for `ln c`. It is 0 for the node itself.
    normals: [Vec<f64>; 2],
    levels: Vec<Vec<[f64; 2]>>,
}

/// The data that makes a tree: the base samples of each level.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
struct Levels(Vec<Vec<[f64; 2]>>);

#[cfg(feature = "serde")]
impl TryFrom<Levels> for FantasyTree {
    type Error = Error;

    fn try_from(Levels(levels): Levels) -> Result<Self> {
        Self::with_samples(&levels)
    }
}

#[cfg(feature = "serde")]
impl From<FantasyTree> for Levels {
    fn from(tree: FantasyTree) -> Self {
        Self(tree.levels)
    }
}

impl FantasyTree {
    /// A tree with scrambled Sobol base samples. A level with one fantasy takes the mean of the
    /// outcome and of `ln c`, as in the path variant.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] if a level has no fantasy or if the tree has more than 4096
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

    /// A tree with given base samples for each level, of the outcome and of `ln c`. Without levels
    /// the tree is the root alone.
    ///
    /// # Errors
    /// Those of [`new`](Self::new). [`ErrorKind::NonFinite`] if a sample is not finite; the error
    /// names it.
    #[doc(hidden)]
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
        let mut parents = vec![None];
        let mut samples = vec![0];
        let mut weights = vec![1.0];
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

    /// The number of fantasies of each level after the root.
    #[doc(hidden)]
    pub fn fantasies(&self) -> &[usize] {
        &self.fantasies
    }

    /// The number of planned evaluations, including the root's.
    pub fn steps(&self) -> usize {
        self.fantasies.len() + 1
    }

    /// The number of points `q`.
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// The parent of a node; `None` for the root.
    #[doc(hidden)]
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node]
    }

    /// The number of evaluations planned before the node's.
    #[doc(hidden)]
    pub fn level(&self, node: usize) -> usize {
        self.branches.path(node).len() - 1
    }

    /// Which base sample of the level above leads to a node; 0 for the root.
    #[doc(hidden)]
    pub fn sample(&self, node: usize) -> usize {
        self.samples[node]
    }

    /// The weight of a node in the value.
    #[doc(hidden)]
    pub fn weight(&self, node: usize) -> f64 {
        self.weights[node]
    }

    /// The base samples of each level.
    #[doc(hidden)]
    pub fn levels(&self) -> &[Vec<[f64; 2]>] {
        &self.levels
    }

    /// Which points lie on one path.
    pub(crate) fn branches(&self) -> &Branches {
        &self.branches
    }

    /// For each pair of a node and one above it, the base sample taken there. Output 0 is the
    /// outcome, output 1 is `ln c`.
    pub(super) fn normals(&self, output: usize) -> &[f64] {
        &self.normals[output]
    }
}

/// Checks the numbers of fantasies of the levels.
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
