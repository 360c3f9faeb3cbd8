//! How an outcome at one point would change the mean elsewhere, for the knowledge gradient.
//!
//! With `k` the kernel values between a point and the `n` inputs and `w = K^-1 k(x)`, the posterior
//! covariance of a point `x'` with the root `x` is `c(x') = k(x', x) - k(x')' w`. An outcome at `x`
//! that lies `z` standard deviations above its mean moves the mean at `x'` by `b(x') z`, with
//! `b = c / sqrt(var(x) + noise)`. One root needs one pair of triangular solves for any number of
//! points elsewhere. Each of these takes `n` products. The gradient of a sum `sum_j g_j b_j` with
//! respect to the root takes another pair of solves, for `q = K^-1 sum_j g_j k_j`.
//!
//! The rounding of a covariance is that of a mean: `eps n` times the norms of the two weight
//! vectors.

use faer::MatMut;

use crate::model::kernel::PackedPoints;
use crate::posterior::Posterior;
use crate::posterior::moments::{VARIANCE_FLOOR, dot};

/// A point at which an outcome may come next, in memory that is reused.
#[derive(Default)]
pub(crate) struct Root {
    /// Its coordinates.
    embedded: Vec<f64>,
    /// `S(x_i, x)` of the inputs; empty without gradients.
    slopes: Vec<f64>,
    /// `w`.
    weights: Vec<f64>,
    /// The posterior mean.
    pub mean: f64,
    /// The posterior variance, not below the floor.
    pub variance: f64,
    /// `1/sqrt(var + noise)`. It is zero if the variance was floored: the point is then known, and
    /// no digit of a covariance is right there.
    pub reach: f64,
    /// Weights of contractions, zero in the padding.
    products: [Vec<f64>; 2],
}

/// Points at which the mean is evaluated afterwards, in memory that is reused.
#[derive(Default)]
pub(crate) struct Elsewhere {
    embedded: Vec<f64>,
    packed: Option<PackedPoints>,
    /// `k(x')` and the slopes `S(x_i, x')`, a column of padded length for each point. The slopes
    /// are empty without gradients.
    values: Vec<f64>,
    slopes: Vec<f64>,
    /// The posterior means.
    pub mean: Vec<f64>,
}

/// The covariances of a root and the points elsewhere.
#[derive(Default)]
pub(crate) struct Covariances {
    /// `c(x')`.
    pub values: Vec<f64>,
    /// `S(x', x)`; empty without gradients.
    slopes: Vec<f64>,
}

impl Posterior {
    /// Prepares a root. Returns true if its variance was floored.
    pub(crate) fn root(&self, x: &[f64], with_gradient: bool, root: &mut Root) -> bool {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        root.embedded.resize(self.packed.width(), 0.0);
        root.weights.resize(stride, 0.0);
        root.slopes.resize(if with_gradient { stride } else { 0 }, 0.0);
        let slopes = with_gradient.then_some(&mut root.slopes[..]);
        self.whiten(
            x,
            &mut root.embedded,
            &mut root.weights,
            slopes,
            std::slice::from_mut(&mut root.mean),
        );
        let prior = self.hyperparameters.outputscale;
        let whitened = &root.weights[..n];
        let variance = prior - dot(whitened, whitened);
        let floor = VARIANCE_FLOOR * prior;
        (root.variance, root.reach) = if variance < floor {
            (floor, 0.0)
        } else {
            (variance, (variance + self.hyperparameters.noise).sqrt().recip())
        };
        self.factor.solve_upper(MatMut::from_column_major_slice_mut(&mut root.weights[..n], n, 1));
        variance < floor
    }

    /// Prepares the points elsewhere, `m x d`.
    pub(crate) fn elsewhere(&self, points: &[f64], with_gradient: bool, elsewhere: &mut Elsewhere) {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        let Elsewhere { embedded, packed, values, slopes, mean } = elsewhere;
        let count = points.len() / self.dim();
        let tile = count * stride;
        embedded.resize(count * self.packed.width(), 0.0);
        values.resize(tile, 0.0);
        slopes.resize(if with_gradient { tile } else { 0 }, 0.0);
        self.embed(points, embedded);
        *packed = Some(self.packed.beside(points));
        let kernel = (self.family, self.hyperparameters.outputscale);
        self.packed.tile(
            kernel,
            0,
            embedded,
            stride,
            values,
            with_gradient.then_some(&mut slopes[..]),
        );
        mean.clear();
        mean.extend(
            values
                .chunks_exact(stride)
                .map(|k| self.hyperparameters.mean + dot(&k[..n], &self.alpha[..n])),
        );
    }

    /// The covariances of the points elsewhere with a root. They have slopes if the root has them.
    pub(crate) fn covariances(
        &self,
        root: &Root,
        elsewhere: &Elsewhere,
        covariances: &mut Covariances,
    ) {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        let Covariances { values, slopes } = covariances;
        let Some(packed) = &elsewhere.packed else { return };
        let padded = packed.padded_len();
        values.resize(padded, 0.0);
        slopes.resize(if root.slopes.is_empty() { 0 } else { padded }, 0.0);
        let wanted = (!slopes.is_empty()).then_some(&mut slopes[..]);
        packed.tile(
            (self.family, self.hyperparameters.outputscale),
            0,
            &root.embedded,
            padded,
            values,
            wanted,
        );
        values.truncate(packed.len());
        for (value, k) in values.iter_mut().zip(elsewhere.values.chunks_exact(stride)) {
            *value -= dot(&k[..n], &root.weights[..n]);
        }
    }

    /// The gradients of the mean and of the covariance at the `j`-th point elsewhere, with respect
    /// to that point. The root and the points must have slopes.
    pub(crate) fn gradients_elsewhere(
        &self,
        (root, elsewhere, covariances): (&mut Root, &Elsewhere, &Covariances),
        j: usize,
        [mean, covariance]: [&mut [f64]; 2],
    ) {
        let (n, stride, width) = (self.rows(), self.packed.padded_len(), self.packed.width());
        let slopes = &elsewhere.slopes[j * stride..][..n];
        let point = &elsewhere.embedded[j * width..][..width];
        products(&mut root.products, stride, slopes, [&self.alpha[..n], &root.weights[..n]]);
        let [mut of_mean, mut of_covariance] = [0.0; 2].map(|zero| vec![zero; width]);
        self.packed.contract(
            point,
            [&root.products[0], &root.products[1]],
            [&mut of_mean, &mut of_covariance],
        );
        let slope = covariances.slopes[j];
        for sum in &mut of_mean {
            *sum = -*sum;
        }
        for ((sum, p), root) in of_covariance.iter_mut().zip(point).zip(&root.embedded) {
            *sum -= slope * (p - root);
        }
        self.packed.pull_back(point, &of_mean, mean);
        self.packed.pull_back(point, &of_covariance, covariance);
    }

    /// The gradient of `sum_j g_j b_j` with respect to the root. `weights` are the pairs of `j` and
    /// `g_j` with `g_j` not zero.
    pub(crate) fn root_gradient(
        &self,
        (root, elsewhere, covariances): (&mut Root, &Elsewhere, &Covariances),
        weights: impl Iterator<Item = (usize, f64)>,
        gradient: &mut [f64],
    ) {
        let (n, stride, width) = (self.rows(), self.packed.padded_len(), self.packed.width());
        let Some(packed) = &elsewhere.packed else { return };
        let mut sums = [0.0; 4].map(|_| vec![0.0; width]);
        let mut solved = vec![0.0; n];
        let mut among = vec![0.0; packed.padded_len()];
        let mut total = 0.0;
        for (j, weight) in weights {
            let k = &elsewhere.values[j * stride..][..n];
            solved.iter_mut().zip(k).for_each(|(sum, k)| *sum += weight * k);
            among[j] = weight * covariances.slopes[j];
            total += weight * covariances.values[j];
        }
        let solved = self.factor.solve(&solved);
        products(&mut root.products, stride, &root.slopes[..n], [&solved, &root.weights[..n]]);
        let [through, own, direct, unused] = &mut sums;
        self.packed.contract(
            &root.embedded,
            [&root.products[0], &root.products[1]],
            [&mut *through, &mut *own],
        );
        packed.contract(&root.embedded, [&among, &among], [&mut *direct, unused]);
        // b = c reach, and d reach = -reach^3 / 2 d var, d var = 2 own.
        let Root { reach, .. } = *root;
        for ((through, direct), own) in through.iter_mut().zip(direct).zip(own) {
            *through = reach * (*through - *direct) - total * reach.powi(3) * *own;
        }
        self.packed.pull_back(&root.embedded, through, gradient);
    }
}

/// `slopes` times each of two vectors, followed by zeros up to `stride`.
fn products(products: &mut [Vec<f64>; 2], stride: usize, slopes: &[f64], factors: [&[f64]; 2]) {
    for (products, factors) in products.iter_mut().zip(factors) {
        products.clear();
        products.extend(slopes.iter().zip(factors).map(|(slope, factor)| slope * factor));
        products.resize(stride, 0.0);
    }
}
