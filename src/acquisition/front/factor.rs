//! The expected length of a part of an interval: one factor of a cell's expected volume.
//!
//! For a normal variable `y` and an interval `[l, u)`,
//!
//! ```text
//! psi = E max(min(u, y) - l, 0) = sigma int_a^b Phi = sigma [h(b) - h(a)]
//! ```
//!
//! with `b = (mu - l)/sigma` and `a = (mu - u)/sigma`. The logarithm and its derivatives are made
//! from three ratios. With the Mills ratio `G(x) = Phi(-x)/phi(x)` and `H(x) = h(-x)/phi(x)`, which
//! do not underflow, and `n` and `f` the magnitudes of the nearer and the farther end,
//!
//! ```text
//! a < b <= 0:   h(b) - h(a)     = phi(n) [H(n) - rho H(f)]
//!               Phi(b) - Phi(a) = phi(n) [G(n) - rho G(f)]
//!               phi(b) - phi(a) = phi(n) [1 - rho]     rho = phi(f)/phi(n) = exp((b - a)(a + b)/2)
//! a < 0 < b:    h(b) - h(a)     = b + phi(b) H(b) - phi(a) H(-a)
//! ```
//!
//! `h(v) = v + h(-v)` turns `0 <= a < b` into the first line, with nothing to cancel:
//! `h(b) - h(a) = (b - a) - [h(-a) - h(-b)]`, of which the bracket is at most half.
//!
//! The differences cancel if the interval is narrow. Then the integrals are expanded at the nearer
//! end `v`, with Hermite polynomials `He` and `w = b - a`:
//!
//! ```text
//! phi(v - t) / phi(v) = sum_k He_k(v) t^k / k!               tau_k = He_k(v) w^k / k!
//! int_{v-w}^v phi / phi(v) = w sum_k tau_k / (k + 1)
//! int_{v-w}^v Phi / phi(v) = w [Phi(v)/phi(v) - w sum_k tau_k / ((k + 1)(k + 2))]
//! ```

use super::ends::End;
use crate::acquisition::belief::LOG_ZERO;
use crate::math::normal::LN_SQRT_2PI;

/// An interval is narrow if `w max(2, n)` is at most this. Otherwise `h` of the two ends differ by
/// so much that their sum is at most 5 times their difference.
const NARROW: f64 = 0.7;

/// The terms of an expansion. In a narrow interval `|tau_20|` is below `1e-18`.
const TERMS: usize = 20;

/// `ln psi` and its derivatives.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Factor {
    pub log: f64,
    pub d_mean: f64,
    pub d_sd: f64,
}

impl Factor {
    /// With every number finite.
    fn new(log: f64, d_mean: f64, d_sd: f64) -> Self {
        let finite = |x: f64| x.clamp(-f64::MAX, f64::MAX);
        Self { log: log.clamp(LOG_ZERO, -LOG_ZERO), d_mean: finite(d_mean), d_sd: finite(d_sd) }
    }

    /// Of a known number, the limit for small `sigma`. At a bound the derivative is the one from
    /// below.
    pub fn of_known(lower: f64, upper: f64, value: f64) -> Self {
        let length = value.min(upper) - lower;
        if length <= 0.0 {
            return Self { log: LOG_ZERO, ..Self::default() };
        }
        Self::new(length.ln(), if value <= upper { 1.0 / length } else { 0.0 }, 0.0)
    }

    /// Of the interval from `lower` to `upper` with its ends as the belief sees them; `sd` is
    /// positive.
    pub fn between((lower, upper): (f64, f64), (b, a): (End, End), mean: f64, sd: f64) -> Self {
        // Most of psi is length that is certain if the middle of the interval is below the mean.
        let mostly_certain = a.u + b.u > 0.0;
        let (near, far) = if mostly_certain { (a, b) } else { (b, a) };
        let length = upper - lower;
        let width = (length / sd).clamp(f64::MIN_POSITIVE, f64::MAX);
        let middle = 0.5 * (a.u + b.u).abs();
        // 1 - phi(far)/phi(near).
        let fall = -(-width * middle).exp_m1();
        let within = a.u < 0.0 && b.u > 0.0;
        let n = near.u.abs();
        let narrow = width * n.max(2.0) <= NARROW;
        if within && !narrow {
            let psi = (mean - lower) + sd * (b.density * b.excess - a.density * a.excess);
            let mass = 1.0 - b.density * b.mass - a.density * a.mass;
            let slope = near.density * fall;
            return Self::new(
                psi.ln(),
                mass / psi,
                if mostly_certain { -slope } else { slope } / psi,
            );
        }
        // Each in units of phi(near) and of `unit`: the integrals of Phi and phi, and the
        // difference of phi, over the interval whose nearer end is the upper one.
        let (unit, integral, mass, slope) = if narrow {
            let v = if within { n } else { -n };
            let at_end = if within { 1.0 / near.density - near.mass } else { near.mass };
            let (once, twice) = expansion(v, width);
            (length, at_end - width * twice, once, fall / width)
        } else {
            let rho = 1.0 - fall;
            let integral = near.excess - rho * far.excess;
            (sd, integral, near.mass - rho * far.mass, fall)
        };
        if mostly_certain {
            let psi = length - unit * near.density * integral;
            let share = near.density * (unit / psi) / sd;
            return Self::new(psi.ln(), share * mass, -share * slope);
        }
        let psi = unit * integral;
        // The product may underflow if its factors are extreme.
        let log = if psi.is_normal() { psi.ln() } else { unit.ln() + integral.ln() };
        Self::new(log - 0.5 * n * n - LN_SQRT_2PI, mass / integral / sd, slope / integral / sd)
    }
}

/// `sum_k tau_k / (k + 1)` and `sum_k tau_k / ((k + 1)(k + 2))`.
fn expansion(v: f64, width: f64) -> (f64, f64) {
    let along = v * width;
    let across = width * width;
    let (mut before, mut term) = (0.0, 1.0);
    let (mut once, mut twice) = (0.0, 0.0);
    for &[to_next, to_second] in &RECIPROCALS {
        let share = term * to_next;
        once += share;
        twice += share * to_second;
        // He_{k+1} = v He_k - k He_{k-1}.
        let next = term * (along * to_next) - before * (across * to_next);
        before = term;
        term = next;
        if term.abs() + before.abs() < NEGLIGIBLE {
            break;
        }
    }
    (once, twice)
}

/// Two terms in a row below this number, beside sums of about one, end an expansion.
const NEGLIGIBLE: f64 = 1e-18;

/// `1/(k + 1)` and `1/(k + 2)`.
const RECIPROCALS: [[f64; 2]; TERMS] = {
    let mut all = [[0.0; 2]; TERMS];
    let mut k = 0;
    while k < TERMS {
        all[k] = [1.0 / (k + 1) as f64, 1.0 / (k + 2) as f64];
        k += 1;
    }
    all
};
