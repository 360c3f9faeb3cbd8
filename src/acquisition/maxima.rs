//! The maximum of independent normal variables: its distribution, its expected excess over a level,
//! and draws of it.
//!
//! With means `mu_i` and standard deviations `sigma_i` at the `n` points of a finite set,
//!
//! ```text
//! F(w) = prod_i Phi((w - mu_i)/sigma_i)
//! ```
//!
//! is the distribution function of `max_i f_i` if the `f_i` are independent. The values of a
//! posterior are not independent. If none of their covariances is negative, the maximum of the
//! independent variables is larger on average (Slepian). It also grows with the size of the set,
//! even for one fixed function, because further points count as independent copies. So the size of
//! the set is a setting of every method that uses it.
//!
//! All numbers are formed from `ln F`, a sum of `ln Phi`, and from `-expm1` of it. So no scale of
//! `sigma_i` and no `n` loses digits.

use std::f64::consts::LN_2;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::error::{Error, ErrorKind, Result};
use crate::math::gauss_kronrod::{NODES, integrate};
use crate::math::normal::{h, log_cdf, ratios};

/// Below this `ln F`, both `1 - F = 1` and `F = 0` to the last digit, next to numbers of size 1.
const CERTAIN: f64 = -40.0;

/// If the tails sum to at most this number, their sum equals `1 - F` to a relative error of half of
/// it.
const TAIL: f64 = 1e-11;

/// Relative tolerance of [`IndependentMaximum::expected_excess`].
const TOLERANCE: f64 = 1e-10;

/// From this number of points on, the nodes of an integral are divided among threads.
const MANY: usize = 512;

/// The maximum of `n` independent normal variables.
///
/// ```
/// use gittins::internals::IndependentMaximum;
/// // The larger of two standard normals has the mean 1/sqrt(pi).
/// let maximum = IndependentMaximum::new(&[0.0, 0.0], &[1.0, 1.0])?;
/// assert!((maximum.expected_excess(-20.0) - 20.0 - 1.0 / std::f64::consts::PI.sqrt()).abs() < 1e-9);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct IndependentMaximum {
    /// Means and positive standard deviations. Variables that reach far up come first, so that sums
    /// of `ln Phi` fall fast.
    variables: Vec<(f64, f64)>,
    /// The largest of the variables without deviation; minus infinity if there is none.
    floor: f64,
}

impl IndependentMaximum {
    /// The maximum of variables with these `n` means and `n` standard deviations. A standard
    /// deviation of zero is a known number.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] if `n = 0`. [`ErrorKind::Dimension`] if the lengths differ.
    /// [`ErrorKind::NonFinite`] if an entry is not finite and [`ErrorKind::InvalidSetting`] if a
    /// standard deviation is negative; both name the entry. [`ErrorKind::NonFinite`] also if the
    /// means and 40 standard deviations around them span more than the range of numbers.
    pub fn new(mean: &[f64], sd: &[f64]) -> Result<Self> {
        if mean.len() != sd.len() {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("{} means and {} standard deviations", mean.len(), sd.len()),
            ));
        }
        if mean.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "the maximum of no variables: the set of points is empty",
            ));
        }
        let mut maximum =
            Self { variables: Vec::with_capacity(mean.len()), floor: f64::NEG_INFINITY };
        for (i, (&mean, &sd)) in mean.iter().zip(sd).enumerate() {
            for (name, value) in [("mean", mean), ("standard deviation", sd)] {
                if !value.is_finite() {
                    return Err(Error::new(ErrorKind::NonFinite, format!("{name} {i} is {value}")));
                }
            }
            if sd < 0.0 {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("standard deviation {i} must not be negative, got {sd}"),
                ));
            }
            if sd == 0.0 {
                maximum.floor = maximum.floor.max(mean);
            } else {
                maximum.variables.push((mean, sd));
            }
        }
        maximum.variables.sort_by(|a, b| (b.0 + 8.0 * b.1).total_cmp(&(a.0 + 8.0 * a.1)));
        let low =
            maximum.variables.iter().map(|(mean, sd)| mean - 40.0 * sd).fold(f64::MAX, f64::min);
        if !(maximum.reach(40.0) - low.min(maximum.reach(-40.0))).abs().is_finite() {
            return Err(Error::new(
                ErrorKind::NonFinite,
                "the means and 40 deviations around them span more than the range of numbers",
            ));
        }
        Ok(maximum)
    }

    /// `ln F(w)` if it is above -40, otherwise some number below -40. Such a number gives `F` and
    /// `1 - F` to the last digit.
    pub fn log_cdf(&self, w: f64) -> f64 {
        if w < self.floor {
            return f64::NEG_INFINITY;
        }
        let mut sum = 0.0;
        for (mean, sd) in &self.variables {
            sum += log_cdf((w - mean) / sd);
            if sum < CERTAIN {
                break;
            }
        }
        sum
    }

    /// `P[max_i f_i > w] = 1 - F(w)`. Its relative precision is kept down to underflow.
    pub fn exceedance(&self, w: f64) -> f64 {
        // Adding zero turns -0 into 0.
        -self.log_cdf(w).exp_m1() + 0.0
    }

    /// `E max(max_i f_i - level, 0)`, the integral of `1 - F` from the level on, to a relative
    /// error of `1e-10` on any scale.
    ///
    /// `1 - F` is 1 below the largest `mu_i - 8.9 sigma_i` (there `F < e^-40`). Above the largest
    /// `mu_i + sigma_i sqrt(2 ln(n/2e-11))` it is the sum of the tails. The integral of this sum is
    /// the sum of the expected improvements `sigma_i h((mu_i - w)/sigma_i)`. Between the two,
    /// `1 - F` is integrated numerically. The number of evaluations of `1 - F`, of `n` logarithms
    /// each, is bounded: about 200 if the scales are alike, at most 3840.
    pub fn expected_excess(&self, level: f64) -> f64 {
        let (start, certain) =
            if self.floor > level { (self.floor, self.floor - level) } else { (level, 0.0) };
        // With x = sqrt(2 (t - ln 2)), Phi(-x) <= exp(-x^2/2)/2 = exp(-t).
        let low = self.reach(-(2.0 * (-CERTAIN - LN_2)).sqrt()).max(start);
        let high = self
            .reach((2.0 * ((self.variables.len() as f64 / TAIL).ln() - LN_2)).sqrt())
            .max(start);
        let known = certain + (low - start) + self.tail_excess(high);
        if high <= low {
            return known;
        }
        // The uncertain range of a variable lies within 18 standard deviations of the interval's
        // start, or before the start. Panels that shrink towards the start miss none.
        let width = high - low;
        let uncertain = self.variables.iter().filter(|(mean, sd)| mean + 9.0 * sd > low);
        let sharpest = uncertain.map(|(_, sd)| *sd).fold(width, f64::min).max(f64::EPSILON * width);
        let mut edges = vec![high];
        let mut step = 0.25 * width;
        while step > sharpest && low + step > low {
            edges.push(low + step);
            step *= 0.25;
        }
        edges.push(low);
        edges.reverse();
        let integral =
            integrate(|nodes| self.exceedances(nodes), &edges, TOLERANCE, TOLERANCE * known);
        known + integral.value
    }

    /// The quantile `w` with `F(w) = p`, for `0 < p < 1`, to an error of `1e-12` in `ln F`.
    pub fn quantile(&self, p: f64) -> f64 {
        let target = p.ln();
        if self.variables.is_empty() || self.log_cdf(self.floor) >= target {
            return self.floor;
        }
        // Each Phi is an upper bound on F, and 1 - F is at most the sum of the tails.
        let below = |tail: f64| (2.0 * ((0.5 / tail).ln()).max(0.0)).sqrt();
        let mut low = self.reach(if p < 0.5 { -below(p) } else { 0.0 }).max(self.floor);
        let mut high = self.reach(below((1.0 - p) / self.variables.len() as f64)).max(low);
        // ln F is concave, so Newton's steps from the left stay on the left. If the scales differ
        // by decades, these steps get short; then the interval is halved.
        for step in 0..200 {
            let (value, slope) = self.log_cdf_and_slope(low);
            if target - value <= 1e-12 * target.abs().max(1.0) {
                break;
            }
            let newton = low + (target - value) / slope;
            if newton > low && newton < high {
                low = newton;
            }
            let middle = 0.5 * low + 0.5 * high;
            if step % 3 == 2 || !(newton > low && newton < high) {
                if middle <= low || middle >= high {
                    break;
                }
                if self.log_cdf(middle) > target { high = middle } else { low = middle }
            }
        }
        low
    }

    /// The Gumbel distribution with the quartiles of `F`.
    pub fn gumbel(&self) -> Gumbel {
        let [low, median, high] = [0.25, 0.5, 0.75].map(|p| self.quantile(p));
        // F(x) = exp(-exp(-(x - a)/b)) has the quantiles a - b ln(-ln p).
        let log_log = |p: f64| (-p.ln()).ln();
        let scale = (high - low) / (log_log(0.25) - log_log(0.75));
        Gumbel { location: median + scale * log_log(0.5), scale }
    }

    /// The largest `mu_i + z sigma_i`.
    pub(super) fn reach(&self, z: f64) -> f64 {
        self.variables.iter().map(|(mean, sd)| mean + z * sd).fold(self.floor, f64::max)
    }

    /// The sum of the integrals of the tails from `w` on.
    fn tail_excess(&self, w: f64) -> f64 {
        self.variables.iter().map(|(mean, sd)| sd * h((mean - w) / sd)).sum()
    }

    fn exceedances(&self, nodes: &[f64; NODES]) -> [f64; NODES] {
        if self.variables.len() < MANY {
            return nodes.map(|w| self.exceedance(w));
        }
        let values: Vec<f64> = nodes.par_iter().map(|&w| self.exceedance(w)).collect();
        std::array::from_fn(|k| values[k])
    }

    fn log_cdf_and_slope(&self, w: f64) -> (f64, f64) {
        self.variables.iter().fold((0.0, 0.0), |(value, slope), (mean, sd)| {
            let z = (w - mean) / sd;
            (value + log_cdf(z), slope + ratios(z).r / sd)
        })
    }
}

/// A Gumbel distribution, `F(x) = exp(-exp(-(x - a)/b))`. The maximum of many similar variables
/// tends to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gumbel {
    /// `a`, at which `F` is `1/e`.
    pub location: f64,
    /// `b`; at least 0.
    pub scale: f64,
}

impl Gumbel {
    /// `a - b ln(-ln p)` for `0 < p < 1`.
    pub fn quantile(&self, p: f64) -> f64 {
        self.location - self.scale * (-p.ln()).ln()
    }

    /// `count` independent draws, fixed by the seed.
    pub fn draws(&self, count: usize, seed: u64) -> Vec<f64> {
        const CELLS: u64 = 1 << 52;
        let mut random = Pcg64::seed_from_u64(seed);
        // Uniform in the open interval: the middle of a cell is exact.
        let mut uniform = || (random.random_range(0..CELLS) as f64 + 0.5) / CELLS as f64;
        (0..count).map(|_| self.quantile(uniform())).collect()
    }
}
