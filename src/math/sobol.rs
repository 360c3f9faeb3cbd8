//! Scrambled Sobol points.
//!
//! The generator `sobol_burley` has three limits. They are met as follows:
//!
//! - It has 256 dimensions. Further ones are padded: each group of 256 is a Sobol sequence with its
//!   own seed, evenly spread within itself and random with respect to the other groups. Projections
//!   on coordinates of different groups are then no better than those of a Latin hypercube.
//! - It has 2^16 indices. Each further block of 2^16 points has its own seed. Every block is evenly
//!   spread in itself, but the error of a mean over several blocks falls only with the root of
//!   their number.
//! - Its output lies on the grid of 2^-23. A hash gives the place within the cell. Strata stay as
//!   they are, points of different blocks and groups do not coincide, and no point lies on a face
//!   of the cube.
//!
//! Reference: Burley (2020), Practical hash-based Owen scrambling, Journal of Computer Graphics
//! Techniques 9; direction numbers by Joe, Kuo (2008), Constructing Sobol sequences with better
//! two-dimensional projections, SIAM Journal on Scientific Computing 30.

use crate::math::points::Points;
#[cfg(feature = "gpu")]
use sobol_burley::parts::sobol_rev;
use sobol_burley::{NUM_DIMENSIONS, sample_4d};

/// Points per seed.
pub const BLOCK: usize = 1 << 16;
/// Dimensions per seed.
pub const GROUP: usize = NUM_DIMENSIONS as usize;
/// Cells of the generator's grid.
const CELLS: f64 = (1u32 << 23) as f64;
/// Places within a cell: an odd multiple of half a place. The sum then has 53 bits and is exact.
const PLACES: u32 = 29;

/// A scrambled Sobol sequence in `[0, 1)^d`; one seed is one sequence, bit for bit.
///
/// For `k <= 16`, the first `2^k` points have exactly one point in each interval of length `2^-k`
/// of every coordinate. So has every later aligned block of `2^k` points.
///
/// ```
/// let sobol = gittins::math::Sobol::new(3, 7);
/// let points = sobol.points(0, 4);
/// let mut quarters: Vec<usize> = points.rows().map(|point| (4.0 * point[2]) as usize).collect();
/// quarters.sort();
/// assert_eq!(quarters, [0, 1, 2, 3]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sobol {
    dim: usize,
    seed: u64,
}

impl Sobol {
    /// The sequence of a seed in `dim` dimensions.
    pub fn new(dim: usize, seed: u64) -> Self {
        Self { dim, seed }
    }

    /// The points `first .. first + count` (`count x d`). They are the same at once or in parts.
    pub fn points(&self, first: usize, count: usize) -> Points {
        let mut points = Points::with_capacity(self.dim, count);
        let mut point = vec![0.0; self.dim];
        for index in first..first.saturating_add(count) {
            self.fill(index, &mut point);
            points.push(&point);
        }
        points
    }

    /// The dimension of the points.
    #[doc(hidden)]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The seed of a block of points in a group of dimensions.
    #[doc(hidden)]
    pub fn stream(&self, block: usize, group: usize) -> u64 {
        mix(mix(self.seed ^ mix(block as u64)) ^ group as u64)
    }

    /// Writes the point at an index into a slice of length `d`.
    ///
    /// # Panics
    /// If the slice has another length.
    pub fn fill(&self, index: usize, point: &mut [f64]) {
        assert_eq!(point.len(), self.dim, "a slice of the sequence's dimension");
        let block = index / BLOCK;
        let within = (index % BLOCK) as u32;
        for (group, coordinates) in point.chunks_mut(GROUP).enumerate() {
            let stream = self.stream(block, group);
            for (set, four) in coordinates.chunks_mut(4).enumerate() {
                let cells = sample_4d(within, set as u32, stream as u32);
                let places = mix(stream ^ mix(u64::from(within) << 32 | set as u64));
                for (lane, (x, cell)) in four.iter_mut().zip(cells).enumerate() {
                    let place = mix(places ^ lane as u64) >> (64 - PLACES);
                    let within_cell = (place as f64 + 0.5) / (1u64 << PLACES) as f64;
                    *x = (f64::from(cell) * CELLS + within_cell) / CELLS;
                }
            }
        }
    }
}

/// What each bit of an index adds to each dimension of a group, with reversed bits: 16 numbers for a
/// dimension.
#[cfg(feature = "gpu")]
pub fn directions() -> Vec<u32> {
    let of = |dim| (0..16).map(move |bit| sobol_rev(0x8000_0000 >> bit, dim));
    (0..NUM_DIMENSIONS).flat_map(of).collect()
}

/// A bijective hash of 64 bits (Steele, Lea, Flood 2014, Fast splittable pseudorandom number
/// generators).
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
