//! Moments along the branches of trees of points, and their reverse pass.
//!
//! A row holds the `q` points of a tree, and all rows have the same tree. The forward pass computes
//! the posterior mean `M_j` of each point and the covariance `C_ja` of each point with all points
//! on its path to the root, itself included. One triangular solve gives `V = L^-1 k(X, P)` for all
//! points of a tile, and `C_ja = k(p_j, p_a) - v_j' v_a`.
//!
//! The backward pass takes the adjoints `Mbar_j` and `Cbar_ja` of a function of these numbers (each
//! covariance once, not its two halves). The adjoint of a point's kernel values is
//! `Mbar_j alpha - L^-T u_j` with `u_j = 2 Cbar_jj v_j + sum_{i /= j} Cbar_ij v_i` over the points
//! above and below it. This takes one more solve for all points of the tile, and one contraction
//! for each.
//!
//! **Memory.** A tile of `t` rows takes `8 n q t` bytes, and three times as much with gradients,
//! once per thread and process.

use std::ops::Range;

use faer::MatMut;

use crate::math::simd::{Vectorized, dispatch, multiply_add};
use crate::posterior::Posterior;
use crate::posterior::moments::dot;
use crate::posterior::tile_gradient::TileGradient;

/// The paths of a tree: for each node the nodes from the root down to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Branches {
    starts: Vec<usize>,
    paths: Vec<usize>,
}

impl Branches {
    /// A tree from the parent of each node. The root comes first and has no parent. A parent comes
    /// before its children.
    pub(crate) fn new(parents: &[Option<usize>]) -> Self {
        let mut branches = Self { starts: vec![0], paths: Vec::new() };
        for (node, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                branches.paths.extend_from_within(branches.pairs_of(parent));
            }
            branches.paths.push(node);
            branches.starts.push(branches.paths.len());
        }
        branches
    }

    /// The number of points `q`.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of pairs of a point and a point on its path, itself included.
    pub fn pairs(&self) -> usize {
        self.paths.len()
    }

    /// The nodes from the root down to this node, which comes last.
    pub fn path(&self, node: usize) -> &[usize] {
        &self.paths[self.pairs_of(node)]
    }

    /// The range of a node's pairs among all pairs, in the order of its path.
    pub fn pairs_of(&self, node: usize) -> Range<usize> {
        self.starts[node]..self.starts[node + 1]
    }

    /// The squared distances of all pairs of a tile of rows, from the `width` coordinates of the
    /// points.
    fn squared_distances(&self, embedded: &[f64], width: usize, squared: &mut Vec<f64>) {
        let row = self.nodes() * width;
        squared.resize(embedded.len() / row * self.pairs(), 0.0);
        for (squared, embedded) in
            squared.chunks_exact_mut(self.pairs()).zip(embedded.chunks_exact(row))
        {
            let point = |node: usize| &embedded[node * width..][..width];
            for node in 0..self.nodes() {
                for (squared, &other) in
                    squared[self.pairs_of(node)].iter_mut().zip(self.path(node))
                {
                    *squared =
                        point(node).iter().zip(point(other)).map(|(a, b)| (a - b) * (a - b)).sum();
                }
            }
        }
    }
}

/// The moments of a tile of rows, in memory that is reused.
#[derive(Default)]
pub(crate) struct BranchTile {
    /// The coordinates of the points.
    embedded: Vec<f64>,
    /// `V` in columns of padded length.
    whitened: Vec<f64>,
    /// The slopes `S(x_i, p)`; empty unless gradients are wanted.
    slopes: Vec<f64>,
    adjoints: Vec<f64>,
    end: TileGradient,
    /// `q` means for each row.
    pub mean: Vec<f64>,
    /// The covariances of the pairs for each row, not floored.
    pub covariance: Vec<f64>,
}

impl Posterior {
    /// The moments of a tile of rows (`t x q d`, already checked).
    pub(crate) fn along_branches(
        &self,
        branches: &Branches,
        rows: &[f64],
        with_gradient: bool,
        tile: &mut BranchTile,
    ) {
        let (n, stride, width) = (self.rows(), self.packed.padded_len(), self.packed.width());
        let points = rows.len() / self.dim();
        let nodes = branches.nodes();
        let pairs = branches.pairs();
        let BranchTile { embedded, whitened, slopes, mean, covariance, .. } = tile;
        embedded.resize(points * width, 0.0);
        whitened.resize(points * stride, 0.0);
        slopes.resize(if with_gradient { points * stride } else { 0 }, 0.0);
        mean.resize(points, 0.0);
        self.whiten(rows, embedded, whitened, with_gradient.then_some(&mut slopes[..]), mean);
        branches.squared_distances(embedded, width, covariance);
        self.family.of_squared(self.hyperparameters.outputscale, covariance, None);
        for (covariance, whitened) in
            covariance.chunks_exact_mut(pairs).zip(whitened.chunks_exact(nodes * stride))
        {
            let column = |node: usize| &whitened[node * stride..][..n];
            for node in 0..nodes {
                for (covariance, &other) in
                    covariance[branches.pairs_of(node)].iter_mut().zip(branches.path(node))
                {
                    *covariance -= dot(column(node), column(other));
                }
            }
        }
    }

    /// Adds the gradient with respect to all points of the rows to `gradient` (`t x q d`). The tile
    /// is that of the rows, with gradients, and the adjoints stand in place of its means and
    /// covariances.
    pub(crate) fn add_branch_gradients(
        &self,
        branches: &Branches,
        tile: &mut BranchTile,
        gradient: &mut [f64],
    ) {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        let points = gradient.len() / self.dim();
        let BranchTile { embedded, whitened, slopes, adjoints, end, mean, covariance } = tile;
        self.add_pair_gradients(branches, embedded, covariance, gradient);
        adjoints.clear();
        adjoints.resize(points * stride, 0.0);
        dispatch(Spread {
            branches,
            covariance_adjoints: covariance,
            whitened,
            adjoints,
            column: (n, stride),
        });
        self.factor.solve_upper(MatMut::from_column_major_slice_with_stride_mut(
            adjoints, n, points, stride,
        ));
        let columns = slopes.chunks_exact_mut(stride).zip(adjoints.chunks_exact(stride));
        for ((slopes, solved), mean) in columns.zip(&*mean) {
            for ((slope, solved), alpha) in slopes[..n].iter_mut().zip(solved).zip(&self.alpha) {
                *slope *= mean * alpha - solved;
            }
        }
        end.add(
            self,
            &embedded[..points * self.packed.width()],
            &mut slopes[..points * stride],
            gradient,
        );
    }

    /// Adds the part of the gradient that comes from the prior covariances of the pairs. `embedded`
    /// are the coordinates of the points.
    pub(crate) fn add_pair_gradients(
        &self,
        branches: &Branches,
        embedded: &[f64],
        adjoints: &[f64],
        gradient: &mut [f64],
    ) {
        let (d, width) = (self.dim(), self.packed.width());
        let (nodes, pairs) = (branches.nodes(), branches.pairs());
        let mut values = Vec::new();
        let mut slopes = vec![0.0; adjoints.len()];
        branches.squared_distances(embedded, width, &mut values);
        self.family.of_squared(self.hyperparameters.outputscale, &mut values, Some(&mut slopes));
        let factors = adjoints.chunks_exact(pairs).zip(slopes.chunks_exact(pairs));
        let trees = embedded.chunks_exact(nodes * width).zip(gradient.chunks_exact_mut(nodes * d));
        let mut sums = vec![0.0; nodes * width];
        let mut pulled = vec![0.0; d];
        for ((embedded, gradient), (adjoints, slopes)) in trees.zip(factors) {
            sums.fill(0.0);
            for node in 0..nodes {
                for (pair, &other) in branches.pairs_of(node).zip(branches.path(node)) {
                    if other == node || adjoints[pair] == 0.0 {
                        continue;
                    }
                    let i = node * width;
                    let j = other * width;
                    for k in 0..width {
                        let slope =
                            adjoints[pair] * slopes[pair] * (embedded[i + k] - embedded[j + k]);
                        sums[i + k] -= slope;
                        sums[j + k] += slope;
                    }
                }
            }
            let points = embedded.chunks_exact(width).zip(sums.chunks_exact(width));
            for ((point, sums), out) in points.zip(gradient.chunks_exact_mut(d)) {
                self.packed.pull_back(point, sums, &mut pulled);
                out.iter_mut().zip(&pulled).for_each(|(out, slope)| *out += slope);
            }
        }
    }
}

/// The sums `u_j` of columns of `V` for all points of a tile.
struct Spread<'a> {
    branches: &'a Branches,
    covariance_adjoints: &'a [f64],
    whitened: &'a [f64],
    adjoints: &'a mut [f64],
    /// The length of a column, and the distance between columns.
    column: (usize, usize),
}

impl Vectorized for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { branches, covariance_adjoints, whitened, adjoints, column: (n, stride) } = self;
        let trees = adjoints
            .chunks_exact_mut(branches.nodes() * stride)
            .zip(whitened.chunks_exact(branches.nodes() * stride));
        for ((adjoints, whitened), factors) in
            trees.zip(covariance_adjoints.chunks_exact(branches.pairs()))
        {
            for node in 0..branches.nodes() {
                let (before, own) = adjoints.split_at_mut(node * stride);
                let own = &mut own[..n];
                let v = &whitened[node * stride..][..n];
                for (&factor, &other) in
                    factors[branches.pairs_of(node)].iter().zip(branches.path(node))
                {
                    if factor == 0.0 {
                        continue;
                    }
                    if other == node {
                        own.iter_mut().zip(v).for_each(|(sum, v)| {
                            *sum = multiply_add::<FMA>(2.0 * factor, *v, *sum);
                        });
                        continue;
                    }
                    let others = &mut before[other * stride..][..n];
                    let w = &whitened[other * stride..][..n];
                    for i in 0..n {
                        own[i] = multiply_add::<FMA>(factor, w[i], own[i]);
                        others[i] = multiply_add::<FMA>(factor, v[i], others[i]);
                    }
                }
            }
        }
    }
}
