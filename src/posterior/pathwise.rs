//! Sample paths of a posterior: functions that can be evaluated anywhere, drawn by pathwise
//! conditioning.
//!
//! A path is a path of the prior that is corrected at the data (Matheron's rule; Wilson et al.
//! 2020, "Efficiently sampling functions from Gaussian process posteriors", equation 13):
//!
//! `f(x) = m + phi(x)' w + k(x, X)' (K + noise I)^-1 (y - m - phi(X) w - e)`
//!
//! with random Fourier features `phi` (sines and cosines of frequencies of the kernel's spectral
//! density, times `sqrt(s / (features / 2))`), standard normal weights `w` and noise
//! `e ~ N(0, noise I)`. A jitter of the factor of `K + noise I` counts as noise. Over all draws the
//! mean and the covariance of `f` are exactly those of the posterior. One draw approaches a
//! Gaussian process as the number of features grows.
//!
//! A process of low rank is drawn exactly: with the spherical linear kernel
//! `f(x) = m + sum_j w_j k(x, e_j)` over the axes `e_j` of the sphere. The prior's weights are normal
//! with variance `1/s`, and the correction is a sum of the same functions.
//!
//! **Memory.** A draw keeps `8 (features + n)` bytes a path; evaluating a tile of `t <= 64` points
//! takes `8 (features + n) t` bytes a thread.

use std::fmt;
use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::sobol::mix;
use crate::model::check_finite;
use crate::model::kernel::PackedPoints;
use crate::model::spectral::{Normals, frequencies, frequency_count};
use crate::posterior::Posterior;
use crate::posterior::basis::Basis;
use crate::posterior::features::Features;
#[cfg(feature = "gpu")]
use crate::posterior::lineage::Identity;
use crate::posterior::moments::{dot, tile_width};

pub(crate) use crate::posterior::basis::Workspace;

/// Paths that are conditioned together: the right-hand sides of one solve.
const BLOCK: usize = 64;

/// The largest number of paths of a draw. With the usual 1024 features they would fill some nine
/// gigabytes.
const MOST_PATHS: usize = 1 << 20;

/// Sample paths of one posterior, in its units. They share the frequencies of their features, so
/// many paths at many points are one matrix product. Each path has weights and noise of its own.
/// Given the frequencies, the paths are independent. Paths of different draws are always
/// independent.
///
/// ```
/// use gittins::posterior::Paths;
/// use gittins::{Hyperparameters, KernelFamily, Points, Posterior};
/// let inputs = Points::from_rows(1, vec![0.1, 0.5, 0.9])?;
/// let hyperparameters = Hyperparameters { lengthscales: vec![0.3], outputscale: 1.0, noise: 0.0, mean: 0.0 };
/// let posterior = Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &[0.2, 1.0, -0.3])?;
/// let paths = Paths::draw(&posterior, 1024, 100, 7)?;
/// let values = paths.values(&Points::from_rows(1, vec![0.5, 0.7])?)?;
/// assert_eq!(values.shape(), (100, 2));
/// assert!(values.column(0).iter().all(|value| (value - 1.0).abs() < 1e-9), "every path goes through the data");
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Clone)]
pub struct Paths {
    draw: Arc<Draw>,
}

/// One sample path: a function of the point. A clone shares all numbers, including those of the
/// other paths of its draw. They live as long as a clone lives.
#[derive(Clone)]
pub struct Path {
    draw: Arc<Draw>,
    index: usize,
}

/// What the paths of one draw share, and a row of weights for each path.
struct Draw {
    basis: Basis,
    /// `count x stride`: the weights of sines, of cosines, of kernel values, each padded with
    /// zeros.
    weights: Vec<f64>,
    /// A device knows by it what it holds.
    #[cfg(feature = "gpu")]
    identity: Identity,
}

impl Paths {
    /// Draws `count` paths with this many features (sines and cosines, so two per frequency; the
    /// papers take 1024), in `O(count (features n + n^2))`. The spherical linear kernel has `d + 1`
    /// features of its own, which are exact, and takes no others. A seed gives the same draw at any
    /// number of threads. With a larger `count` the first paths stay the same, up to rounding.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for no path or more than 2^20 paths, and for a number of
    /// features that is zero, odd, or more than 2^17; [`ErrorKind::NonFinite`] if lengthscales or
    /// outcomes are so extreme that a path's numbers overflow.
    pub fn draw(posterior: &Posterior, features: usize, count: usize, seed: u64) -> Result<Self> {
        let frequency_count = frequency_count(features)?;
        if count == 0 || count > MOST_PATHS {
            let message = format!("count: expected from 1 to {MOST_PATHS} paths, got {count}");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        let hyperparameters = posterior.hyperparameters();
        let (dim, n) = (posterior.dim(), posterior.len());
        let exact = posterior.family().rank(dim).is_some();
        let frequencies = if exact {
            Vec::new()
        } else {
            frequencies(
                posterior.family(),
                &hyperparameters.lengthscales,
                frequency_count,
                &mut Normals::new(seed),
            )?
        };
        if let Some(at) = frequencies.iter().position(|w| !w.is_finite()) {
            let axis = at % dim;
            let lengthscale = hyperparameters.lengthscales[at % dim];
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("a frequency of lengthscale {axis}, which is {lengthscale:e}, overflows"),
            ));
        }
        let basis = Basis {
            family: posterior.family(),
            outputscale: hyperparameters.outputscale,
            mean: hyperparameters.mean,
            features: Features::new(&frequencies, dim),
            inputs: if exact { axes(posterior) } else { posterior.packed.clone() },
        };
        if exact {
            return Self::draw_exact(posterior, basis, count, seed);
        }
        let (sines, prior, stride) = (basis.features.padded_len(), basis.prior_len(), basis.len());
        let mut at_data = vec![0.0; prior * n];
        let width = tile_width(n, 0);
        let tiles = posterior
            .inputs()
            .values()
            .par_chunks(width * dim)
            .zip(at_data.par_chunks_mut(prior * width));
        tiles.for_each(|(rows, columns)| basis.features.tile(rows, prior, columns));
        let at_data = MatRef::from_column_major_slice(&at_data, prior, n);
        let scale = (hyperparameters.outputscale / frequency_count as f64).sqrt();
        let noise = (hyperparameters.noise + posterior.jitter()).sqrt();
        let mut weights = vec![0.0; stride * count];
        weights.par_chunks_mut(stride * BLOCK).enumerate().for_each(|(block, weights)| {
            let width = weights.len() / stride;
            let mut residuals = vec![0.0; n * width];
            for (i, (weights, residuals)) in
                weights.chunks_exact_mut(stride).zip(residuals.chunks_exact_mut(n)).enumerate()
            {
                let mut generator =
                    Pcg64::seed_from_u64(mix(mix(seed) ^ (block * BLOCK + i) as u64));
                let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
                for j in 0..frequency_count {
                    weights[j] = scale * normal();
                    weights[sines + j] = scale * normal();
                }
                for (residual, outcome) in residuals.iter_mut().zip(posterior.outcomes()) {
                    *residual = outcome - hyperparameters.mean - noise * normal();
                }
            }
            let mut right = MatMut::from_column_major_slice_mut(&mut residuals, n, width);
            let drawn = MatRef::from_column_major_slice_with_stride(weights, prior, width, stride);
            matmul(right.as_mut(), Accum::Add, at_data.transpose(), drawn, -1.0, Par::Seq);
            posterior.factor.solve_lower(right.as_mut());
            posterior.factor.solve_upper(right);
            for (weights, solution) in
                weights.chunks_exact_mut(stride).zip(residuals.chunks_exact(n))
            {
                weights[prior..prior + n].copy_from_slice(solution);
            }
        });
        Self::of_weights(basis, weights)
    }

    /// Paths of a kernel of low rank. The basis are the kernel values with the axes.
    fn draw_exact(posterior: &Posterior, basis: Basis, count: usize, seed: u64) -> Result<Self> {
        let (n, m, stride) = (posterior.rows(), basis.inputs.len(), basis.len());
        let outputscale = basis.outputscale;
        // The kernel values of the axes (columns) with the rows of the posterior.
        let padded = posterior.packed.padded_len();
        let mut at_rows = vec![0.0; padded * m];
        let mut axes = vec![0.0; m * m];
        for (j, axis) in axes.chunks_exact_mut(m).enumerate() {
            axis.copy_from_slice(&axis_of(m, j));
        }
        let kernel = (basis.family, outputscale);
        posterior.packed.tile(kernel, 0, &axes, padded, &mut at_rows, None);
        let at_rows = MatRef::from_column_major_slice(&at_rows, padded, m).subrows(0, n);
        let residuals = posterior.residuals();
        let noises: Vec<f64> = (0..n).map(|row| posterior.noise_of_row(row).sqrt()).collect();
        let scale = outputscale.sqrt().recip();
        let mut weights = vec![0.0; stride * count];
        weights.par_chunks_mut(stride).enumerate().for_each(|(path, weights)| {
            let mut generator = Pcg64::seed_from_u64(mix(mix(seed) ^ path as u64));
            let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
            weights[..m].fill_with(|| scale * normal());
            let mut right: Vec<f64> =
                residuals.iter().zip(&noises).map(|(r, noise)| r - noise * normal()).collect();
            for (k, weight) in weights[..m].iter().enumerate() {
                let column = at_rows.col(k);
                right.iter_mut().zip(column.iter()).for_each(|(r, value)| *r -= weight * value);
            }
            let solution = posterior.factor.solve(&right);
            for (k, weight) in weights[..m].iter_mut().enumerate() {
                let column = at_rows.col(k).iter().zip(&solution);
                *weight += column.map(|(value, v)| value * v).sum::<f64>() / outputscale;
            }
        });
        Self::of_weights(basis, weights)
    }

    fn of_weights(basis: Basis, weights: Vec<f64>) -> Result<Self> {
        if let Some(at) = weights.iter().position(|w| !w.is_finite()) {
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("a weight of path {} is {}", at / basis.len(), weights[at]),
            ));
        }
        Ok(Self {
            draw: Arc::new(Draw {
                basis,
                weights,
                #[cfg(feature = "gpu")]
                identity: Identity::next(),
            }),
        })
    }

    /// The number of paths.
    pub fn len(&self) -> usize {
        self.draw.weights.len() / self.draw.basis.len()
    }

    /// Whether there is no path; there always is one.
    pub fn is_empty(&self) -> bool {
        self.draw.weights.is_empty()
    }

    /// The dimension `d`.
    pub fn dim(&self) -> usize {
        self.draw.basis.dim()
    }

    /// The number of data on which the paths are conditioned.
    #[doc(hidden)]
    pub fn data_len(&self) -> usize {
        self.draw.basis.inputs.len()
    }

    /// The frequencies that all paths share.
    #[doc(hidden)]
    pub fn features(&self) -> &Features {
        &self.draw.basis.features
    }

    /// The weights of a path: of sines, of cosines, of kernel values, each padded with zeros.
    #[doc(hidden)]
    pub fn weights(&self, path: usize) -> &[f64] {
        self.draw.weights(path)
    }

    /// The values of all paths at `b` points (`count x b`: a row for each path, a column for each
    /// point), in parallel over tiles of points.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`], naming the point.
    pub fn values(&self, points: &Points) -> Result<DMatrix<f64>> {
        let Draw { basis, weights, .. } = &*self.draw;
        basis.check(points)?;
        let count = self.len();
        let stride = basis.len();
        let width = tile_width(points.len(), 0);
        let weights = MatRef::from_row_major_slice(weights, count, stride);
        let mut values = DMatrix::from_element(count, points.len(), basis.mean);
        let tiles = points
            .values()
            .par_chunks(width * basis.dim())
            .zip(values.as_mut_slice().par_chunks_mut(count * width));
        tiles.for_each_init(Workspace::default, |workspace, (rows, values)| {
            let columns = basis.tile(rows, workspace, false);
            let columns =
                MatRef::from_column_major_slice(columns, stride, rows.len() / basis.dim());
            let values = MatMut::from_column_major_slice_mut(values, count, columns.ncols());
            matmul(values, Accum::Add, weights, columns, 1.0, Par::Seq);
        });
        Ok(values)
    }

    /// The path at an index.
    ///
    /// # Panics
    /// If there is no such path.
    pub fn path(&self, index: usize) -> Path {
        assert!(index < self.len(), "an index below the number of paths");
        Path { draw: self.draw.clone(), index }
    }
}

impl Path {
    /// The dimension `d`.
    pub fn dim(&self) -> usize {
        self.draw.basis.dim()
    }

    /// The value at a point.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`].
    pub fn value(&self, x: &[f64]) -> Result<f64> {
        self.evaluate(x, None)
    }

    /// The value at a point. Fills the gradient there. A path of a Matern-1/2 kernel has no
    /// gradient at the data; its components are then the means of the one-sided limits.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`], of the gradient too, and [`ErrorKind::NonFinite`].
    pub fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        if gradient.len() != self.dim() {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("a gradient of {} entries for a path of {}", gradient.len(), self.dim()),
            ));
        }
        self.evaluate(x, Some(gradient))
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64> {
        if x.len() != self.dim() {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("a point of {} coordinates for a path of {}", x.len(), self.dim()),
            ));
        }
        let mut point = Points::new(self.dim());
        point.push(x);
        check_finite(&point)?;
        let mut value = [0.0];
        self.tile(x, &mut Workspace::default(), &mut value, gradient);
        Ok(value[0])
    }

    /// The values at the points of one tile (`t x d`, already checked) and, if wanted, the
    /// gradients (`t x d`), on the calling thread.
    pub(crate) fn tile(
        &self,
        rows: &[f64],
        workspace: &mut Workspace,
        values: &mut [f64],
        gradients: Option<&mut [f64]>,
    ) {
        let (basis, weights) = (&self.draw.basis, self.weights());
        let (d, stride) = (basis.dim(), basis.len());
        basis.tile(rows, workspace, gradients.is_some());
        let width = basis.inputs.width();
        let Workspace { embedded, columns, kernel_slopes, slopes, sums, pulled } = workspace;
        for (value, column) in values.iter_mut().zip(columns.chunks_exact(stride)) {
            *value = basis.mean + dot(column, weights);
        }
        let Some(gradients) = gradients else { return };
        let (sines, prior) = (basis.features.padded_len(), basis.prior_len());
        slopes.resize(stride - sines, 0.0);
        sums.resize(width, 0.0);
        pulled.resize(d, 0.0);
        let (by_phase, by_kernel) = slopes.split_at_mut(sines);
        for (j, (gradient, column)) in
            gradients.chunks_exact_mut(d).zip(columns.chunks_exact(stride)).enumerate()
        {
            let (sine, cosine) = column[..prior].split_at(sines);
            for (k, slope) in by_phase.iter_mut().enumerate() {
                *slope = weights[k] * cosine[k] - weights[sines + k] * sine[k];
            }
            for (i, slope) in by_kernel.iter_mut().enumerate() {
                *slope = weights[prior + i] * kernel_slopes[j * stride + i];
            }
            basis.features.contract(by_phase, gradient);
            let point = &embedded[j * width..(j + 1) * width];
            basis.inputs.contract(point, [by_kernel], [sums]);
            basis.inputs.pull_back(point, sums, pulled);
            gradient.iter_mut().zip(&*pulled).for_each(|(slope, sum)| *slope -= sum);
        }
    }

    /// The functions of which a path is the weighted sum.
    #[cfg(feature = "gpu")]
    pub(crate) fn basis(&self) -> &Basis {
        &self.draw.basis
    }

    /// The number of the draw, which is unique in this process, and that of the path in the draw.
    #[cfg(feature = "gpu")]
    pub(crate) fn identity(&self) -> (u64, usize) {
        (self.draw.identity.0, self.index)
    }

    /// The weights of sines, of cosines, of kernel values, each padded with zeros.
    pub(crate) fn weights(&self) -> &[f64] {
        self.draw.weights(self.index)
    }
}

/// The axes of the sphere, as points beside those of a posterior.
fn axes(posterior: &Posterior) -> PackedPoints {
    let mut axes = posterior.packed.beside(&[]);
    (0..axes.width()).for_each(|j| axes.push_embedded(&axis_of(axes.width(), j)));
    axes
}

/// The coordinates of an axis, which are taken from the last one, the pole.
fn axis_of(width: usize, axis: usize) -> Vec<f64> {
    let mut coordinates = vec![0.0; width];
    coordinates[axis] += 1.0;
    coordinates[width - 1] -= 1.0;
    coordinates
}

impl Draw {
    fn weights(&self, path: usize) -> &[f64] {
        let stride = self.basis.len();
        &self.weights[path * stride..(path + 1) * stride]
    }
}

/// Equal paths are the same function: the same frequencies, data and weights.
impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        let shared = Arc::ptr_eq(&self.draw, &other.draw) || self.draw.basis == other.draw.basis;
        shared && self.weights() == other.weights()
    }
}

impl fmt::Debug for Paths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Paths({} of {})", self.len(), self.draw.basis)
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({} of {})", self.index, self.draw.basis)
    }
}
