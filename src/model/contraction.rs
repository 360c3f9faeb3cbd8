//! Sums over packed points that turn slopes into gradients.
//!
//! `sum_i w_i (p_k - x_ik)` for each coordinate `k` of a point `p`. The differences are taken before
//! the sum: `(sum_i w_i) p_k - sum_i w_i x_ik` would lose all digits where large weights of opposite
//! signs stand close to the point.
//!
//! The work is `n d` differences and as many products for each weight vector. The packed points are
//! `8 n d` bytes, more than a first-level cache holds, so rows are taken in blocks: while a block is
//! in that cache, all coordinates of a few points are summed over it. Each lane of a sum goes through
//! the rows in their order, whatever the block and however many points go together.

use crate::math::simd::{LANES, Lanes, Vectorized, dispatch, multiply_add};
use crate::model::kernel::{BLOCK, PackedPoints, TOGETHER};

/// Coordinates of one point whose sums go together. With two weight vectors eight sums do not wait
/// for each other.
const COORDINATES: usize = 4;

/// The largest number of coordinates of a block. More of them would leave it too few rows for sums
/// that are loaded and stored once a block.
const WIDEST: usize = 32;

/// The memory of a contraction, kept between tiles.
#[derive(Default)]
pub(crate) struct Contracted<const W: usize> {
    /// The weights of a block of rows, group by group.
    weights: Vec<[[Lanes; TOGETHER]; W]>,
    /// The sums of each coordinate of a block.
    lanes: Vec<[[Lanes; TOGETHER]; W]>,
}

impl PackedPoints {
    /// The sums `sum_i w_i (p_k - x_ik)` over coordinates, for some weight vectors at once and one
    /// point. They turn slopes into gradients. The weights have
    /// [`padded_len`](Self::padded_len) entries, zero in the padding.
    pub fn contract<const W: usize>(
        &self,
        scaled: &[f64],
        weights: [&[f64]; W],
        sums: [&mut [f64]; W],
    ) {
        dispatch(Single { packed: self, scaled, weights, sums });
    }

    /// The same for the points of a tile, with one column of weights and one row of sums for each
    /// point.
    pub(crate) fn contract_tile<const W: usize>(
        &self,
        scaled: &[f64],
        weights: [&[f64]; W],
        memory: &mut Contracted<W>,
        mut sums: [&mut [f64]; W],
    ) {
        let (width, stride) = (self.width(), self.padded_len());
        let set = TOGETHER * width;
        for (index, points) in scaled.chunks(set).enumerate() {
            let sums = sums.each_mut().map(|sums| &mut sums[index * set..][..points.len()]);
            let weights = weights.map(|weights| &weights[index * TOGETHER * stride..]);
            if points.len() == set {
                let (packed, scaled) = (self, points);
                dispatch(Several { packed, scaled, weights, memory, sums });
                continue;
            }
            let mut sums = sums.map(|sums| sums.chunks_exact_mut(width));
            for (j, point) in points.chunks_exact(width).enumerate() {
                let sums = sums.each_mut().map(|sums| sums.next().expect("a row for each point"));
                self.contract(point, weights.map(|weights| &weights[j * stride..][..stride]), sums);
            }
        }
    }
}

/// Several points, in blocks of rows.
struct Several<'a, const W: usize> {
    packed: &'a PackedPoints,
    scaled: &'a [f64],
    weights: [&'a [f64]; W],
    memory: &'a mut Contracted<W>,
    sums: [&'a mut [f64]; W],
}

impl<const W: usize> Vectorized for Several<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { packed, scaled, weights, memory, mut sums } = self;
        let (d, stride) = (packed.width(), packed.padded_len());
        let Contracted { weights: of_block, lanes } = memory;
        let width = d.div_ceil(d.div_ceil(WIDEST));
        let block = (BLOCK / size_of::<Lanes>() / (width + W * TOGETHER)).max(1);
        for first in (0..d).step_by(width) {
            lanes.clear();
            lanes.resize(width.min(d - first), [[[0.0; LANES]; TOGETHER]; W]);
            for (index, rows) in packed.groups().chunks(block * d).enumerate() {
                of_block.resize(rows.len() / d, [[[0.0; LANES]; TOGETHER]; W]);
                for (group, block_weights) in of_block.iter_mut().enumerate() {
                    for (block_weights, weights) in block_weights.iter_mut().zip(weights) {
                        for (j, lanes) in block_weights.iter_mut().enumerate() {
                            let at = j * stride + (index * block + group) * LANES;
                            lanes.copy_from_slice(&weights[at..at + LANES]);
                        }
                    }
                }
                for (k, lanes) in (first..).zip(&mut *lanes) {
                    let p: [f64; TOGETHER] = std::array::from_fn(|j| scaled[j * d + k]);
                    let mut sums = *lanes;
                    for (group, weights) in rows.chunks_exact(d).zip(&*of_block) {
                        let x = &group[k];
                        for j in 0..TOGETHER {
                            for lane in 0..LANES {
                                let difference = p[j] - x[lane];
                                for w in 0..W {
                                    sums[w][j][lane] = multiply_add::<FMA>(
                                        weights[w][j][lane],
                                        difference,
                                        sums[w][j][lane],
                                    );
                                }
                            }
                        }
                    }
                    *lanes = sums;
                }
            }
            for (k, lanes) in (first..).zip(&*lanes) {
                for (sums, lanes) in sums.iter_mut().zip(lanes) {
                    for (j, lanes) in lanes.iter().enumerate() {
                        sums[j * d + k] = lanes.iter().sum();
                    }
                }
            }
        }
    }
}

/// One point.
struct Single<'a, const W: usize> {
    packed: &'a PackedPoints,
    scaled: &'a [f64],
    weights: [&'a [f64]; W],
    sums: [&'a mut [f64]; W],
}

impl<const W: usize> Vectorized for Single<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { packed, scaled, weights, mut sums } = self;
        let d = packed.width();
        let mut k = 0;
        while k < d {
            let width = COORDINATES.min(d - k);
            let mut lanes = [[[0.0; LANES]; W]; COORDINATES];
            let at: [usize; COORDINATES] = std::array::from_fn(|j| k + j.min(width - 1));
            for (index, group) in packed.groups().chunks_exact(d).enumerate() {
                let weights: [&[f64]; W] =
                    weights.map(|weights| &weights[index * LANES..(index + 1) * LANES]);
                for j in 0..COORDINATES {
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
