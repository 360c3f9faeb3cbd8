//! Stationary kernels with one lengthscale per input: values and slopes, by the tile.
//!
//! With the scaled distance `r^2 = sum_k ((x_k - x'_k) / l_k)^2` the kernel is `k(x, x') = s R(r)`,
//! and every derivative needs one more number only, the slope `S = -s R'(r) / r`:
//!
//! - `d k / d x_k = -S (x_k - x'_k) / l_k^2`,
//! - `d k / d ln l_k = S ((x_k - x'_k) / l_k)^2`.
//!
//! Distances are sums of squared differences and not `|a|^2 + |b|^2 - 2 a.b`: the product form
//! loses half the digits of a small distance, which a Matern-1/2 kernel shows, and costs no less
//! beside the triangular solves.

use faer::{MatMut, MatRef};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
#[cfg(feature = "serde")]
use crate::math::number::{list, one};
use crate::math::simd::{LANES, Lanes, Vectorized, dispatch, exp_nonpositive, multiply_add};

/// The shape of a stationary kernel, as a function of the scaled distance `r` (Rasmussen & Williams
/// 2006, section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KernelFamily {
    /// `R = exp(-r)`: continuous, nowhere differentiable paths.
    Matern12,
    /// `R = (1 + a) exp(-a)`, `a = sqrt(3) r`: once differentiable paths.
    Matern32,
    /// `R = (1 + a + a^2 / 3) exp(-a)`, `a = sqrt(5) r`: twice differentiable paths, the usual
    /// choice.
    #[default]
    Matern52,
    /// `R = exp(-r^2 / 2)`: infinitely smooth paths.
    Rbf,
}

/// What a fit finds, all in the units of the inputs and outcomes that it was given.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hyperparameters {
    /// One lengthscale per input (all equal for an isotropic kernel).
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub lengthscales: Vec<f64>,
    /// The kernel's variance `s`.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub outputscale: f64,
    /// The variance of the observation noise.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub noise: f64,
    /// The constant prior mean.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub mean: f64,
}

impl Hyperparameters {
    /// Checks that they make a model of dimension `dim`.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for another number of lengthscales, [`ErrorKind::NonFinite`] and
    /// [`ErrorKind::InvalidSetting`] naming the number.
    pub fn validate(&self, dim: usize) -> Result<()> {
        if self.lengthscales.len() != dim {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("{} lengthscales for {dim} inputs", self.lengthscales.len()),
            ));
        }
        let lengthscales = self
            .lengthscales
            .iter()
            .enumerate()
            .map(|(k, &l)| (format!("lengthscale {k}"), l, 0.0, false));
        let others = [
            ("outputscale", self.outputscale, 0.0, false),
            ("noise", self.noise, 0.0, true),
            ("mean", self.mean, f64::NEG_INFINITY, true),
        ];
        for (name, value, low, inclusive) in lengthscales
            .chain(others.map(|(name, v, low, inclusive)| (name.to_string(), v, low, inclusive)))
        {
            if !value.is_finite() {
                return Err(Error::new(ErrorKind::NonFinite, format!("{name} is {value}")));
            }
            if value < low || (value == low && !inclusive) {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("{name} must be positive, got {value}"),
                ));
            }
        }
        Ok(())
    }

    /// The hyper-parameters of the same process in other units of the outcome: what was `y` is
    /// `shift + scale y`.
    pub fn rescaled(&self, shift: f64, scale: f64) -> Self {
        Self {
            lengthscales: self.lengthscales.clone(),
            outputscale: self.outputscale * scale * scale,
            noise: self.noise * scale * scale,
            mean: shift + scale * self.mean,
        }
    }
}

impl KernelFamily {
    /// Kernel values in the place of squared distances between points that were divided by the
    /// lengthscales, and slopes if wanted.
    pub(crate) fn of_squared(
        self,
        outputscale: f64,
        values: &mut [f64],
        slopes: Option<&mut [f64]>,
    ) {
        let squared = Squared { outputscale, values, slopes };
        match self {
            Self::Matern12 => dispatch(SquaredOf::<MATERN12>(squared)),
            Self::Matern32 => dispatch(SquaredOf::<MATERN32>(squared)),
            Self::Matern52 => dispatch(SquaredOf::<MATERN52>(squared)),
            Self::Rbf => dispatch(SquaredOf::<RBF>(squared)),
        }
    }

    /// `(R(r), -R'(r) / r)` from `r^2`. At `r = 0` the slope of Matern-1/2 does not exist; it is
    /// set to zero, the mean of its one-sided limits.
    #[inline(always)]
    fn unit<const FAMILY: u8, const FMA: bool>(squared: f64) -> (f64, f64) {
        match FAMILY {
            MATERN12 => {
                let r = squared.sqrt();
                let e = exp_nonpositive::<FMA>(-r);
                (e, if r > 0.0 { e / r } else { 0.0 })
            }
            MATERN32 => {
                let a = (3.0 * squared).sqrt();
                let e = exp_nonpositive::<FMA>(-a);
                (multiply_add::<FMA>(a, e, e), 3.0 * e)
            }
            MATERN52 => {
                let a = (5.0 * squared).sqrt();
                let e = exp_nonpositive::<FMA>(-a);
                let slope = multiply_add::<FMA>(a, e, e);
                (multiply_add::<FMA>(squared * (5.0 / 3.0), e, slope), slope * (5.0 / 3.0))
            }
            _ => {
                let e = exp_nonpositive::<FMA>(-0.5 * squared);
                (e, e)
            }
        }
    }
}

const MATERN12: u8 = 0;
const MATERN32: u8 = 1;
const MATERN52: u8 = 2;
const RBF: u8 = 3;

/// Points divided by the lengthscales, [`LANES`] of them side by side: for each group of rows, `d`
/// times `LANES` numbers.
///
/// The last group is padded with copies of the last point, so that no lane ever holds anything but
/// an ordinary number.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedPoints {
    dim: usize,
    count: usize,
    inverse_lengthscales: Vec<f64>,
    values: Vec<Lanes>,
}

impl PackedPoints {
    /// Packs a batch.
    pub fn new(points: &Points, lengthscales: &[f64]) -> Self {
        let inverse_lengthscales = lengthscales.iter().map(|l| 1.0 / l).collect();
        let mut packed =
            Self { dim: points.dim(), count: 0, inverse_lengthscales, values: Vec::new() };
        for row in points.rows() {
            packed.push(row);
        }
        packed
    }

    /// Other points (`m x d`), by the same lengthscales.
    pub fn beside(&self, points: &[f64]) -> Self {
        let mut packed = Self {
            count: 0,
            values: Vec::new(),
            inverse_lengthscales: self.inverse_lengthscales.clone(),
            ..*self
        };
        points.chunks_exact(self.dim).for_each(|point| packed.push(point));
        packed
    }

    /// Adds a point, in input units.
    pub fn push(&mut self, point: &[f64]) {
        let lane = self.count % LANES;
        if lane == 0 {
            self.values.resize(self.values.len() + self.dim, [0.0; LANES]);
        }
        let group = self.values.len() - self.dim;
        for (k, (x, scale)) in point.iter().zip(&self.inverse_lengthscales).enumerate() {
            self.values[group + k][lane..].fill(x * scale);
        }
        self.count += 1;
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of rows with the padding of the last group.
    pub fn padded_len(&self) -> usize {
        self.count.next_multiple_of(LANES)
    }

    /// A coordinate of a packed point, in scaled units.
    #[cfg(feature = "gpu")]
    pub(crate) fn coordinate(&self, row: usize, axis: usize) -> f64 {
        self.values[row / LANES * self.dim + axis][row % LANES]
    }

    /// One over each lengthscale.
    pub fn inverse_lengthscales(&self) -> &[f64] {
        &self.inverse_lengthscales
    }

    /// Divides a point by the lengthscales.
    pub fn scale(&self, point: &[f64], scaled: &mut [f64]) {
        for ((out, x), scale) in scaled.iter_mut().zip(point).zip(&self.inverse_lengthscales) {
            *out = x * scale;
        }
    }

    /// Kernel values, and slopes if wanted, between all packed points from group `first_group` on
    /// and each scaled point (`b x d`). Column `j` of the outputs starts at `j * stride` and has
    /// [`padded_len`](Self::padded_len) rows; rows before the first group are left alone.
    pub fn tile(
        &self,
        kernel: (KernelFamily, f64),
        first_group: usize,
        scaled: &[f64],
        stride: usize,
        values: &mut [f64],
        slopes: Option<&mut [f64]>,
    ) {
        let tile = Tile {
            packed: self,
            outputscale: kernel.1,
            first_group,
            scaled,
            stride,
            values,
            slopes,
        };
        match kernel.0 {
            KernelFamily::Matern12 => dispatch(TileOf::<MATERN12>(tile)),
            KernelFamily::Matern32 => dispatch(TileOf::<MATERN32>(tile)),
            KernelFamily::Matern52 => dispatch(TileOf::<MATERN52>(tile)),
            KernelFamily::Rbf => dispatch(TileOf::<RBF>(tile)),
        }
    }

    /// The sums `sum_i w_i (p_k - x_ik)`, in scaled units, for some weight vectors at once and one
    /// scaled point: what turns slopes into gradients. The weights have
    /// [`padded_len`](Self::padded_len) entries, zero in the padding.
    pub fn contract<const W: usize>(
        &self,
        scaled: &[f64],
        weights: [&[f64]; W],
        sums: [&mut [f64]; W],
    ) {
        dispatch(Contraction { packed: self, scaled, weights, sums });
    }
}

/// The covariance of a set of points with itself, lower triangle only.
#[derive(Debug, Clone, Default)]
pub struct Covariance {
    count: usize,
    rows: usize,
    values: Vec<f64>,
    slopes: Vec<f64>,
}

impl Covariance {
    /// Kernel values between all points of a batch, and slopes if wanted, in blocks over the
    /// threads. `packed` holds the same points.
    pub fn new(
        packed: &PackedPoints,
        points: &Points,
        family: KernelFamily,
        outputscale: f64,
        with_slopes: bool,
    ) -> Self {
        let mut covariance = Self::default();
        covariance.refill(packed, points, family, outputscale, with_slopes);
        covariance
    }

    /// The same in the memory of another covariance.
    pub fn refill(
        &mut self,
        packed: &PackedPoints,
        points: &Points,
        family: KernelFamily,
        outputscale: f64,
        with_slopes: bool,
    ) {
        let (n, rows, d) = (packed.len(), packed.padded_len(), points.dim());
        (self.count, self.rows) = (n, rows);
        self.values.resize(rows * n, 0.0);
        self.slopes.resize(if with_slopes { rows * n } else { 0 }, 0.0);
        let fill = |first: usize, values: &mut [f64], slopes: Option<&mut [f64]>| {
            let count = values.len() / rows;
            let mut scaled = vec![0.0; count * d];
            for (j, out) in scaled.chunks_exact_mut(d).enumerate() {
                packed.scale(points.row(first + j), out);
            }
            packed.tile((family, outputscale), first / LANES, &scaled, rows, values, slopes);
        };
        let values = self.values.par_chunks_mut(rows * LANES);
        if with_slopes {
            let chunks = values.zip(self.slopes.par_chunks_mut(rows * LANES));
            chunks
                .enumerate()
                .for_each(|(block, (values, slopes))| fill(block * LANES, values, Some(slopes)));
        } else {
            values.enumerate().for_each(|(block, values)| fill(block * LANES, values, None));
        }
    }

    /// Adds the same number to every diagonal entry.
    pub fn add_diagonal(&mut self, noise: f64) {
        for i in 0..self.count {
            self.values[i * self.rows + i] += noise;
        }
    }

    /// The values; only the lower triangle is to be read.
    pub fn values(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.rows, self.count).subrows(0, self.count)
    }

    /// The slopes, to be changed; only the lower triangle is to be read.
    ///
    /// # Panics
    /// If none were asked for.
    pub fn slopes_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.slopes, self.rows, self.count)
            .subrows_mut(0, self.count)
    }
}

struct Tile<'a> {
    packed: &'a PackedPoints,
    outputscale: f64,
    first_group: usize,
    scaled: &'a [f64],
    stride: usize,
    values: &'a mut [f64],
    slopes: Option<&'a mut [f64]>,
}

struct TileOf<'a, const FAMILY: u8>(Tile<'a>);

/// Squared distances that become kernel values.
struct Squared<'a> {
    outputscale: f64,
    values: &'a mut [f64],
    slopes: Option<&'a mut [f64]>,
}

struct SquaredOf<'a, const FAMILY: u8>(Squared<'a>);

impl<const FAMILY: u8> Vectorized for SquaredOf<'_, FAMILY> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Squared { outputscale, values, slopes } = self.0;
        match slopes {
            Some(slopes) => {
                for (value, slope) in values.iter_mut().zip(slopes) {
                    let (unit, unit_slope) = KernelFamily::unit::<FAMILY, FMA>(*value);
                    *value = outputscale * unit;
                    *slope = outputscale * unit_slope;
                }
            }
            None => values.iter_mut().for_each(|value| {
                *value = outputscale * KernelFamily::unit::<FAMILY, FMA>(*value).0
            }),
        }
    }
}

/// Points of a tile whose distances are summed together, so that a loaded row serves all of them
/// and the sums do not wait for each other.
const TOGETHER: usize = 4;

impl<const FAMILY: u8> Vectorized for TileOf<'_, FAMILY> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Tile { packed, outputscale, first_group, scaled, stride, values, mut slopes } = self.0;
        let d = packed.dim;
        let count = scaled.len() / d;
        let rows = first_group * LANES..packed.padded_len();
        let mut first = 0;
        while first < count {
            let width = TOGETHER.min(count - first);
            // A short last set repeats its last point; the copies are computed and not written.
            let points: [&[f64]; TOGETHER] = std::array::from_fn(|j| {
                let row = first + j.min(width - 1);
                &scaled[row * d..(row + 1) * d]
            });
            for (offset, group) in packed.values[first_group * d..].chunks_exact(d).enumerate() {
                let squared = squared_distances::<FMA>(group, points);
                for (j, squared) in squared.iter().enumerate().take(width) {
                    let at = (first + j) * stride + rows.start + offset * LANES;
                    values[at..at + LANES].copy_from_slice(squared);
                }
            }
            // A loop of its own over all rows: the compiler makes vectors of it, which it does not
            // of eight lanes unrolled.
            for j in first..first + width {
                let span = j * stride + rows.start..j * stride + rows.end;
                let slopes = slopes.as_deref_mut().map(|slopes| &mut slopes[span.clone()]);
                SquaredOf::<FAMILY>(Squared { outputscale, values: &mut values[span], slopes })
                    .run::<FMA>();
            }
            first += width;
        }
    }
}

#[inline(always)]
fn squared_distances<const FMA: bool>(
    group: &[Lanes],
    points: [&[f64]; TOGETHER],
) -> [Lanes; TOGETHER] {
    let mut sums = [[0.0; LANES]; TOGETHER];
    for (k, x) in group.iter().enumerate() {
        for j in 0..TOGETHER {
            let p = points[j][k];
            for lane in 0..LANES {
                let difference = x[lane] - p;
                sums[j][lane] = multiply_add::<FMA>(difference, difference, sums[j][lane]);
            }
        }
    }
    sums
}

struct Contraction<'a, const W: usize> {
    packed: &'a PackedPoints,
    scaled: &'a [f64],
    weights: [&'a [f64]; W],
    sums: [&'a mut [f64]; W],
}

impl<const W: usize> Vectorized for Contraction<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { packed, scaled, weights, mut sums } = self;
        let d = packed.dim;
        let mut k = 0;
        while k < d {
            let width = TOGETHER.min(d - k);
            let mut lanes = [[[0.0; LANES]; W]; TOGETHER];
            let at: [usize; TOGETHER] = std::array::from_fn(|j| k + j.min(width - 1));
            for (index, group) in packed.values.chunks_exact(d).enumerate() {
                let weights: [&[f64]; W] =
                    weights.map(|weights| &weights[index * LANES..(index + 1) * LANES]);
                for j in 0..TOGETHER {
                    let (p, x) = (scaled[at[j]], &group[at[j]]);
                    for lane in 0..LANES {
                        let difference = p - x[lane];
                        for w in 0..W {
                            lanes[j][w][lane] = multiply_add::<FMA>(
                                weights[w][lane],
                                difference,
                                lanes[j][w][lane],
                            );
                        }
                    }
                }
            }
            for (j, lanes) in lanes.iter().enumerate().take(width) {
                for (sums, lanes) in sums.iter_mut().zip(lanes) {
                    sums[k + j] = lanes.iter().sum();
                }
            }
            k += width;
        }
    }
}
