//! A box that a few linear rows cut: its nearest points, and uniform points of it.

mod nearest;
mod simplex;
mod spread;
mod tight;
mod walk;

pub use nearest::Nearest;
pub use spread::Spread;
pub use tight::{FAR, NARROW};

/// The draw that stands for the middle.
pub const MIDDLE: f64 = 0.5;

/// `weights'x = bound`, or `weights'x <= bound`.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// One number for each coordinate.
    pub weights: Vec<f64>,
    /// What the sum is, or at most is.
    pub bound: f64,
    /// Whether it is equal to the bound.
    pub is_equal: bool,
}

impl Row {
    /// By how much `weights'x` is above the bound, and the size of what was summed: the rounding of
    /// the difference is relative to it.
    pub fn excess(&self, x: &[f64]) -> (f64, f64) {
        let (mut sum, mut size) = (-self.bound, self.bound.abs());
        for (weight, x) in self.weights.iter().zip(x) {
            sum += weight * x;
            size += (weight * x).abs();
        }
        (sum, size)
    }

    /// How far the row is from what it demands, as a share of the sizes of its terms. One that `is_met`
    /// is to be equal to its bound, too.
    fn broken(&self, x: &[f64], is_met: bool) -> f64 {
        let (excess, size) = self.excess(x);
        let broken = if self.is_equal || is_met { excess.abs() } else { excess.max(0.0) };
        if broken == 0.0 { 0.0 } else { broken / size }
    }
}

/// The points `x` of a box, `lower <= x <= upper`, at which all rows hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Polytope {
    /// The lower bounds of the box.
    pub lower: Vec<f64>,
    /// The upper bounds of the box.
    pub upper: Vec<f64>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Polytope {
    /// The number of coordinates.
    pub fn dim(&self) -> usize {
        self.lower.len()
    }

    /// Whether the bounds leave a coordinate more than one value.
    pub fn moves(&self, at: usize) -> bool {
        self.lower[at] < self.upper[at]
    }

    /// A difference that rounding explains, as a share of the sizes of a row's terms: that of a sum of
    /// as many numbers.
    fn rounding(&self) -> f64 {
        self.dim().max(8) as f64 * f64::EPSILON
    }

    /// The longest step along `direction` from `x` with which no row is left, but at least 1: the
    /// direction leads to a point of the polytope.
    pub fn longest_step(&self, x: &[f64], direction: &[f64]) -> f64 {
        let step = |row: &Row| {
            let rise: f64 = row.weights.iter().zip(direction).map(|(a, d)| a * d).sum();
            if rise > 0.0 { -row.excess(x).0 / rise } else { f64::INFINITY }
        };
        let steps = self.rows.iter().filter(|row| !row.is_equal).map(step);
        steps.fold(f64::INFINITY, f64::min).max(1.0)
    }
}
