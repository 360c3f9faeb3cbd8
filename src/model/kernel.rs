//! Kernels with one lengthscale per input: values and slopes, by the tile.
//!
//! With the scaled distance `r^2 = sum_k ((x_k - x'_k) / l_k)^2` the kernel is `k(x, x') = s R(r)`.
//! Every derivative needs only one more number, the slope `S = -s R'(r) / r`:
//!
//! - `d k / d x_k = -S (x_k - x'_k) / l_k^2`,
//! - `d k / d ln l_k = S ((x_k - x'_k) / l_k)^2`.
//!
//! A kernel on the sphere has the same form in other coordinates (`sphere.rs`): there it is a
//! function of the distance of the embedded points, and the chain rule makes its gradients those of
//! the inputs. A coordinate, below, is one of the scaled or of the embedded point.
//!
//! Distances are sums of squared differences and not `|a|^2 + |b|^2 - 2 a.b`. The product form
//! loses half the digits of a small distance, which shows in a Matern-1/2 kernel. Beside the
//! triangular solves it is no cheaper.

use std::marker::PhantomData;

use crate::data::Points;
use crate::math::simd::{LANES, Lanes, Vectorized, dispatch, multiply_add};
use crate::model::family::{Embedding, ForShape, Shape};
use crate::model::{KernelFamily, sphere};

impl KernelFamily {
    /// Replaces squared distances by kernel values, and computes slopes if wanted. The distances
    /// are those of the coordinates of [`PackedPoints`].
    pub(crate) fn of_squared(
        self,
        outputscale: f64,
        values: &mut [f64],
        slopes: Option<&mut [f64]>,
    ) {
        self.dispatch(Squared { outputscale, values, slopes });
    }
}

/// Points in the coordinates in which a kernel is a function of the distance, `LANES` of them side
/// by side: [`width`](Self::width) times `LANES` numbers for each group of rows. For a stationary
/// kernel the coordinates are the inputs over the lengthscales, for a kernel on the sphere those of
/// the embedded point.
///
/// The last group is padded with copies of the last point, so every lane holds an ordinary number.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedPoints {
    embedding: Embedding,
    /// Coordinates of a point.
    width: usize,
    count: usize,
    inverse_lengthscales: Vec<f64>,
    values: Vec<Lanes>,
}

impl PackedPoints {
    /// Packs a batch for a kernel of a family.
    pub fn new(family: KernelFamily, points: &Points, lengthscales: &[f64]) -> Self {
        let embedding = family.embedding();
        let width = embedding.width(points.dim());
        let inverse_lengthscales = lengthscales.iter().map(|l| 1.0 / l).collect();
        let mut packed =
            Self { embedding, width, count: 0, inverse_lengthscales, values: Vec::new() };
        for row in points.rows() {
            packed.push(row);
        }
        packed
    }

    /// Other points (`m x d`), in the same coordinates.
    pub fn beside(&self, points: &[f64]) -> Self {
        let mut packed = Self {
            count: 0,
            values: Vec::new(),
            inverse_lengthscales: self.inverse_lengthscales.clone(),
            ..*self
        };
        points.chunks_exact(self.inverse_lengthscales.len()).for_each(|point| packed.push(point));
        packed
    }

    /// Adds a point, in input units.
    pub fn push(&mut self, point: &[f64]) {
        let mut embedded = vec![0.0; self.width];
        self.embed(point, &mut embedded);
        self.push_embedded(&embedded);
    }

    /// Adds a point by its coordinates.
    pub(crate) fn push_embedded(&mut self, embedded: &[f64]) {
        let lane = self.count % LANES;
        if lane == 0 {
            self.values.resize(self.values.len() + self.width, [0.0; LANES]);
        }
        let group = self.values.len() - self.width;
        for (values, p) in self.values[group..].iter_mut().zip(embedded) {
            values[lane..].fill(*p);
        }
        self.count += 1;
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of rows, including the padding of the last group.
    pub fn padded_len(&self) -> usize {
        self.count.next_multiple_of(LANES)
    }

    /// Groups of [`width`](Self::width) coordinates of [`LANES`] points each.
    pub(super) fn groups(&self) -> &[Lanes] {
        &self.values
    }

    /// The number of coordinates of a point.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A coordinate of a packed point.
    #[cfg(feature = "gpu")]
    pub(crate) fn coordinate(&self, row: usize, axis: usize) -> f64 {
        self.values[row / LANES * self.width + axis][row % LANES]
    }

    /// One over each lengthscale.
    pub fn inverse_lengthscales(&self) -> &[f64] {
        &self.inverse_lengthscales
    }

    /// The coordinates of a point (`d` numbers), [`width`](Self::width) of them.
    pub fn embed(&self, point: &[f64], embedded: &mut [f64]) {
        match self.embedding {
            Embedding::Scaled => {
                for ((out, x), scale) in
                    embedded.iter_mut().zip(point).zip(&self.inverse_lengthscales)
                {
                    *out = x * scale;
                }
            }
            Embedding::Sphere => sphere::embed(point, &self.inverse_lengthscales, embedded),
        }
    }

    /// The gradient with respect to a point (`d` numbers), from its coordinates and the slopes with
    /// respect to these.
    pub fn pull_back(&self, embedded: &[f64], slopes: &[f64], gradient: &mut [f64]) {
        match self.embedding {
            Embedding::Scaled => {
                for ((out, slope), scale) in
                    gradient.iter_mut().zip(slopes).zip(&self.inverse_lengthscales)
                {
                    *out = scale * slope;
                }
            }
            Embedding::Sphere => {
                sphere::pull_back(embedded, slopes, &self.inverse_lengthscales, gradient);
            }
        }
    }

    /// Kernel values, and slopes if wanted, between all packed points from group `first_group` on
    /// and each point by its coordinates. Column `j` of the outputs starts at `j * stride` and has
    /// [`padded_len`](Self::padded_len) rows. Rows before the first group do not change.
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
        kernel.0.dispatch(tile);
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

struct TileOf<'a, S>(Tile<'a>, PhantomData<S>);

impl ForShape for Tile<'_> {
    fn run<S: Shape>(self) {
        dispatch(TileOf::<S>(self, PhantomData));
    }
}

/// Squared distances that become kernel values.
struct Squared<'a> {
    outputscale: f64,
    values: &'a mut [f64],
    slopes: Option<&'a mut [f64]>,
}

struct SquaredOf<'a, S>(Squared<'a>, PhantomData<S>);

impl ForShape for Squared<'_> {
    fn run<S: Shape>(self) {
        dispatch(SquaredOf::<S>(self, PhantomData));
    }
}

impl<S: Shape> Vectorized for SquaredOf<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Squared { outputscale, values, slopes } = self.0;
        match slopes {
            Some(slopes) => {
                for (value, slope) in values.iter_mut().zip(slopes) {
                    let (unit, unit_slope) = S::unit::<FMA>(*value);
                    *value = outputscale * unit;
                    *slope = outputscale * unit_slope;
                }
            }
            None => {
                for value in values.iter_mut() {
                    *value = outputscale * S::unit::<FMA>(*value).0;
                }
            }
        }
    }
}

/// Points of a tile that meet a row together. A loaded coordinate then serves all of them, and their
/// sums do not wait for each other.
pub(crate) const TOGETHER: usize = 4;

/// The bytes of a block of rows, and of what is summed over it: half of the smallest first-level cache
/// that is usual.
pub(super) const BLOCK: usize = 16 * 1024;

/// The smallest number of groups of rows in a block.
const LEAST: usize = 4;

impl<S: Shape> Vectorized for TileOf<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Tile { packed, outputscale, first_group, scaled, stride, values, mut slopes } = self.0;
        let d = packed.width;
        let count = scaled.len() / d;
        // A block of rows stays in the first-level cache while all points meet it.
        let block = (BLOCK / size_of::<Lanes>() / d).max(LEAST);
        for (index, rows) in packed.groups()[first_group * d..].chunks(block * d).enumerate() {
            let start = (first_group + index * block) * LANES;
            for first in (0..count).step_by(TOGETHER) {
                let width = TOGETHER.min(count - first);
                // A short last set repeats its last point. The copies are computed and not written.
                let points: [&[f64]; TOGETHER] = std::array::from_fn(|j| {
                    let row = first + j.min(width - 1);
                    &scaled[row * d..(row + 1) * d]
                });
                for (group, x) in rows.chunks_exact(d).enumerate() {
                    let squared = squared_distances::<FMA>(x, points);
                    for (j, squared) in squared.iter().enumerate().take(width) {
                        let at = (first + j) * stride + start + group * LANES;
                        values[at..at + LANES].copy_from_slice(squared);
                    }
                }
                // A separate loop over all rows: the compiler vectorizes it, but not eight unrolled
                // lanes.
                for j in first..first + width {
                    let from = j * stride + start;
                    let span = from..from + rows.len() / d * LANES;
                    let slopes = slopes.as_deref_mut().map(|slopes| &mut slopes[span.clone()]);
                    let squared = Squared { outputscale, values: &mut values[span], slopes };
                    SquaredOf::<S>(squared, PhantomData).run::<FMA>();
                }
            }
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
