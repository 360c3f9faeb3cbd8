//! Sines and cosines of one set of frequencies at the points of a tile.

use crate::math::simd::{LANES, Lanes, Vectorized, dispatch, multiply_add, sin_cos};

/// Points of a tile whose phases are summed together. A loaded frequency then serves all of them,
/// and the sums do not wait for each other.
const TOGETHER: usize = 4;

/// Frequencies `w_j`, `LANES` of them side by side: `d` times `LANES` numbers for each group of
/// rows. The last group is padded with zeros.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    dim: usize,
    count: usize,
    groups: Vec<Lanes>,
}

impl Features {
    /// Packs frequencies (`m x d`, row by row).
    pub fn new(frequencies: &[f64], dim: usize) -> Self {
        let count = frequencies.len() / dim;
        let mut groups = vec![[0.0; LANES]; count.div_ceil(LANES) * dim];
        for (j, row) in frequencies.chunks_exact(dim).enumerate() {
            for (k, w) in row.iter().enumerate() {
                groups[j / LANES * dim + k][j % LANES] = *w;
            }
        }
        Self { dim, count, groups }
    }

    /// The dimension `d`.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of frequencies `m`.
    pub fn frequencies(&self) -> usize {
        self.count
    }

    /// The number of frequencies, including the padding of the last group. The cosines begin after
    /// this many sines.
    pub fn padded_len(&self) -> usize {
        self.count.next_multiple_of(LANES)
    }

    /// The coordinates of a frequency.
    pub fn row(&self, index: usize) -> impl Iterator<Item = f64> {
        self.groups
            .iter()
            .skip(index / LANES * self.dim)
            .take(self.dim)
            .map(move |lanes| lanes[index % LANES])
    }

    /// The sines `sin(w_j' z)` of all frequencies and then their cosines, for each point (`t x d`).
    /// Column `j` of the output starts at `j * stride`.
    pub fn tile(&self, rows: &[f64], stride: usize, columns: &mut [f64]) {
        dispatch(Tile { features: self, rows, stride, columns });
    }

    /// The sums `sum_j slope_j w_jk`: the gradient from the derivatives by the phases.
    pub fn contract(&self, slopes: &[f64], sums: &mut [f64]) {
        dispatch(Contraction { features: self, slopes, sums });
    }
}

struct Tile<'a> {
    features: &'a Features,
    rows: &'a [f64],
    stride: usize,
    columns: &'a mut [f64],
}

impl Vectorized for Tile<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { features, rows, stride, columns } = self;
        let (d, m) = (features.dim, features.padded_len());
        let count = rows.len() / d;
        let mut first = 0;
        while first < count {
            let width = TOGETHER.min(count - first);
            // A short last set repeats its last point. The copies are computed and not written.
            let points: [&[f64]; TOGETHER] = std::array::from_fn(|j| {
                let row = first + j.min(width - 1);
                &rows[row * d..(row + 1) * d]
            });
            for (index, group) in features.groups.chunks_exact(d).enumerate() {
                let mut phases = [[0.0; LANES]; TOGETHER];
                for (k, w) in group.iter().enumerate() {
                    for j in 0..TOGETHER {
                        for lane in 0..LANES {
                            phases[j][lane] =
                                multiply_add::<FMA>(w[lane], points[j][k], phases[j][lane]);
                        }
                    }
                }
                for (j, phases) in phases.iter().enumerate().take(width) {
                    let at = (first + j) * stride + index * LANES;
                    columns[at..at + LANES].copy_from_slice(phases);
                }
            }
            // A separate loop, as for kernel values.
            for j in first..first + width {
                let (sines, cosines) = columns[j * stride..j * stride + 2 * m].split_at_mut(m);
                for (sine, cosine) in sines.iter_mut().zip(cosines) {
                    (*sine, *cosine) = sin_cos::<FMA>(*sine);
                }
            }
            first += width;
        }
    }
}

struct Contraction<'a> {
    features: &'a Features,
    slopes: &'a [f64],
    sums: &'a mut [f64],
}

impl Vectorized for Contraction<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { features, slopes, sums } = self;
        let d = features.dim;
        let mut k = 0;
        while k < d {
            let width = TOGETHER.min(d - k);
            let mut lanes = [[0.0; LANES]; TOGETHER];
            for (group, slopes) in features.groups.chunks_exact(d).zip(slopes.chunks_exact(LANES)) {
                for (j, lanes) in lanes.iter_mut().enumerate() {
                    let w = &group[k + j.min(width - 1)];
                    for lane in 0..LANES {
                        lanes[lane] = multiply_add::<FMA>(slopes[lane], w[lane], lanes[lane]);
                    }
                }
            }
            for j in 0..width {
                sums[k + j] = lanes[j].iter().sum();
            }
            k += width;
        }
    }
}
