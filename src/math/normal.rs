//! The standard normal distribution, and `h(u) = phi(u) + u Phi(u)`, the expected improvement of a
//! standard normal variable.
//!
//! Acquisition functions are made from the pair
//!
//! ```text
//! m(u) = h(u) / Phi(u)      r(u) = phi(u) / Phi(u)      m = u + r
//! ```
//!
//! because neither underflows where `h`, `phi` and `Phi` do: `(ln h)' = 1/m`, `(ln Phi)' = r`,
//! `m' = 1 - r m`, `r' = -r m`. With `x = -u`, `m` is the ratio of two successive repeated
//! integrals of the normal tail. It has the continued fraction
//!
//! ```text
//! m = 1/(x + 2/(x + 3/(x + 4/(x + ...))))
//! ```
//!
//! of positive terms. The fraction converges the faster the larger `x` is (Gautschi 1961,
//! "Recursive computation of the repeated integrals of the error function"; Abramowitz and Stegun
//! 7.2.5 and 26.2.14). `ln h` is the core of `LogEI` (Ament et al. 2023, "Unexpected Improvements to
//! Expected Improvement for Bayesian Optimization", section 4.1). The inverse of `ln h` is the core
//! of the Gittins index (Xie et al. 2024, section 3).
//!
//! The accuracies hold for arguments of magnitude up to `1e150`. Beyond, squares overflow and
//! logarithms are minus infinity. NaN gives NaN.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// `1 / sqrt(2 pi)`, which is `phi(0)` and `h(0)`.
pub const FRAC_1_SQRT_2PI: f64 = 0.398_942_280_401_432_7;

/// `ln sqrt(2 pi)`.
pub const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;

/// Above this `ln kappa` the root of `h(u) = kappa` is `u = kappa` in double precision:
/// `h(-u) = h(u) - u < 1e-20`.
pub const LINEAR_LOG_KAPPA: f64 = 2.2;

/// Below minus this number, ratios come from the continued fraction. Above, the fraction would need
/// more terms than the direct form loses digits.
const FRACTION_FROM: f64 = 2.5;

/// `sqrt 2` in two parts. The first has 26 bits. The second has the digits that do not fit into
/// [`SQRT_2`].
const SQRT_2_UPPER: f64 = f64::from_bits(0x3ff6_a09e_6000_0000);
const SQRT_2_LOWER: f64 = (SQRT_2 - SQRT_2_UPPER) - 9.667_293_313_452_913e-17;

/// The pair from which values, derivatives and Newton steps are made without underflow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratios {
    /// `m = h(u) / Phi(u)`, the reciprocal of the derivative of `ln h`.
    pub m: f64,
    /// `r = phi(u) / Phi(u)`, the derivative of `ln Phi`.
    pub r: f64,
}

/// The density `phi(x) = exp(-x^2 / 2) / sqrt(2 pi)`, to a relative error of `4e-16` down to
/// underflow.
pub fn pdf(x: f64) -> f64 {
    if x.abs() > 39.0 {
        return 0.0;
    }
    // The rounding of x^2 alone would cost x^2/4 units in the last place. The upper half of x has
    // an exact square. The rest of the exponent is below 5e-5, and there three terms of the
    // exponential series suffice.
    let upper = upper_half(x);
    let rest = -0.5 * (x - upper) * (x + upper);
    FRAC_1_SQRT_2PI
        * (-0.5 * upper * upper).exp()
        * (1.0 + rest * (1.0 + rest * (0.5 + rest / 6.0)))
}

/// The distribution function `Phi(x)`, to a relative error of `5e-16` down to underflow.
pub fn cdf(x: f64) -> f64 {
    if x < -FRACTION_FROM { pdf(x) / tail_ratios(-x).r } else { body(x).1 }
}

/// `ln Phi(x)`, to a relative error of `1e-15` on both sides.
pub fn log_cdf(x: f64) -> f64 {
    if x < -FRACTION_FROM {
        -0.5 * x * x - LN_SQRT_2PI - tail_ratios(-x).r.ln()
    } else if x <= 0.0 {
        cdf(x).ln()
    } else {
        (-cdf(-x)).ln_1p()
    }
}

/// The pair `m = h/Phi`, `r = phi/Phi`. The relative error of `r` is `1e-15`. That of `m` is
/// `1e-15` too, except `5e-15` between -2.5 and -1.
pub fn ratios(u: f64) -> Ratios {
    if u < -FRACTION_FROM { tail_ratios(-u) } else { body_ratios(u).1 }
}

/// `1 + u m(u)`, which is the expectation of `max(z + u, 0)^2` over `Phi(u)` for a standard normal
/// `z`. It is positive and increasing, and `2/u^2` far on the left, where the sum itself would
/// cancel. The relative error is `1e-14` there, and `5e-14` between -2.5 and -1.
pub fn second_ratio(u: f64) -> f64 {
    if u < -FRACTION_FROM {
        let (Ratios { m, .. }, n) = tail_fractions(-u);
        2.0 * m * n
    } else {
        1.0 + u * body_ratios(u).1.m
    }
}

/// `h(u) = phi(u) + u Phi(u)`, the expectation of `max(z + u, 0)` for a standard normal `z`. The
/// relative errors are those of [`ratios`].
pub fn h(u: f64) -> f64 {
    if u < -FRACTION_FROM {
        let Ratios { m, r } = tail_ratios(-u);
        pdf(u) * (m / r)
    } else {
        body_ratios(u).0
    }
}

/// `ln h(u)`, to an error of `1e-15 max(1, |ln h|)`. It is increasing and concave, about `-u^2/2`
/// on the left and `ln u` on the right.
pub fn log_h(u: f64) -> f64 {
    log_h_with_ratios(u).0
}

/// [`log_h`] together with the [`ratios`] from which it is made.
pub fn log_h_with_ratios(u: f64) -> (f64, Ratios) {
    if u < -FRACTION_FROM {
        let ratios = tail_ratios(-u);
        // h = phi m / r.
        (-0.5 * u * u - LN_SQRT_2PI + (ratios.m / ratios.r).ln(), ratios)
    } else {
        let (h, ratios) = body_ratios(u);
        (h.ln(), ratios)
    }
}

/// The root `u` of `h(u) = kappa`, given `ln kappa` and `kappa`, to an error of
/// `1e-15 max(1, |u|)`.
///
/// Three Halley steps on `F(u) = ln h(u) - ln kappa`. The start is exact at `kappa = phi(0)` and
/// right to leading order at both ends. `F` is increasing and concave, and three steps reach
/// working precision for every `ln kappa`: the error falls from below 1.26 to `1e-3`, `1e-12` and
/// `1e-15`, relative to `max(|u|, 0.1)`. The number of steps is fixed, and so is the time.
///
/// If `ln kappa` exceeds [`LINEAR_LOG_KAPPA`], the root is `kappa` itself. The function takes both
/// numbers, because `exp(ln kappa)` would lose digits. If `kappa` underflows, pass zero for it;
/// `ln kappa` is still known.
pub fn inverse_log_h(log_kappa: f64, kappa: f64) -> f64 {
    inverse_log_h_with_ratios(log_kappa, kappa).0
}

/// [`inverse_log_h`] together with the [`ratios`] at the root.
///
/// The last step has the ratios where it starts, at most `1e-12 max(|u|, 0.1)` from the root. They
/// are moved there by their slopes, `r' = -r (u + r)` and `m' = 1 - r m`; the curvature counts the
/// square of that distance.
pub fn inverse_log_h_with_ratios(log_kappa: f64, kappa: f64) -> (f64, Ratios) {
    if log_kappa > LINEAR_LOG_KAPPA {
        return (kappa, ratios(kappa));
    }
    let half_pi = 0.5 * PI;
    let below = -log_kappa - LN_SQRT_2PI;
    let mut u = if below >= 0.0 {
        half_pi.sqrt() - (2.0 * below + half_pi).sqrt()
    } else {
        kappa - FRAC_1_SQRT_2PI * (-kappa * half_pi.sqrt()).exp()
    };
    let mut at_root = Ratios { m: 0.0, r: 0.0 };
    for _ in 0..3 {
        // F' = 1/m and F''/F'^2 = r m - 1.
        let (log_h, Ratios { m, r }) = log_h_with_ratios(u);
        let residual = log_h - log_kappa;
        let step = residual * m / (1.0 - 0.5 * residual * (r * m - 1.0));
        at_root = Ratios { m: m - step * (1.0 - r * m), r: r + step * r * (u + r) };
        u -= step;
    }
    (u, at_root)
}

/// The inverse of [`cdf`]: `Phi^-1(p)` for `p` in `(0, 1)`. It is minus infinity and infinity at
/// the ends, and NaN outside.
///
/// Halley's method on `F(u) = ln Phi(u) - ln p`, with `F' = r` and `F''/F'^2 = -m/r`, from a
/// parabola that touches `ln Phi` at 0. The absolute error of the root is `4e-16 max(1, |u|)` as
/// far as `p` is known. Above one half, `p` is known to `1.1e-16` absolutely.
pub fn inverse_cdf(p: f64) -> f64 {
    if p > 0.5 {
        return if p <= 1.0 { -inverse_cdf(1.0 - p) } else { f64::NAN };
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    // ln Phi(u) = ln(1/2) + slope u - u^2/2 to leading order on either end.
    let slope = 2.0 * FRAC_1_SQRT_2PI;
    let mut u = slope - (slope * slope - 2.0 * (2.0 * p).ln()).sqrt();
    for _ in 0..3 {
        let Ratios { m, r } = ratios(u);
        let residual = log_cdf(u) - p.ln();
        u -= residual / (r + 0.5 * residual * m);
    }
    u
}

/// `h(u)` and the ratios from density and distribution function, for `u >= -2.5`.
fn body_ratios(u: f64) -> (f64, Ratios) {
    let (density, probability) = body(u);
    let h = density + u * probability;
    (h, Ratios { m: h / probability, r: density / probability })
}

/// `phi(u)` and `Phi(u)` for `u >= -2.5`.
fn body(u: f64) -> (f64, f64) {
    let density = pdf(u);
    if u > 8.5 {
        return (density, 1.0);
    }
    let z = -u * FRAC_1_SQRT_2;
    // Phi(u) = erfc(-u / sqrt 2) / 2, but z is rounded. The rounding counts x^2-fold in the tail,
    // and again where h cancels. Products of half-length factors are exact and tell by how much the
    // rounding moved u. The result is corrected to first order.
    let upper = upper_half(z);
    let lower = z - upper;
    let moved = (u + upper * SQRT_2_UPPER) + (upper * SQRT_2_LOWER + lower * SQRT_2);
    (density, 0.5 * libm::erfc(z) + density * moved)
}

/// The number cut to 26 significant bits. The product of two such numbers is exact.
fn upper_half(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !0x7ff_ffff)
}

/// The ratios at `u = -x` from the continued fraction, for `x >= 2.5`.
fn tail_ratios(x: f64) -> Ratios {
    tail_fractions(x).0
}

/// The same, and the next level `n = 1/(x + 3/(x + 4/(x + ...)))` of the fraction, with
/// `1/m = x + 2 n`.
fn tail_fractions(x: f64) -> (Ratios, f64) {
    // This many terms bring the truncation below rounding, given the closed form of the rest.
    let terms: u32 = match x {
        _ if x < 3.0 => 64,
        _ if x < 4.0 => 50,
        _ if x < 5.0 => 32,
        _ if x < 6.0 => 24,
        _ if x < 8.0 => 20,
        _ if x < 12.0 => 16,
        _ if x < 20.0 => 12,
        _ => 8,
    };
    // In units of x the k-th denominator is t_k = 1 + k y / t_{k+1}. The divisions would have to
    // wait for each other. With t_k = a_k / a_{k+1} they become the recurrence a_k = a_{k+1} + k y
    // a_{k+2} of positive terms, and one division at the end.
    let y = 1.0 / (x * x);
    let mut weight = f64::from(terms + 1);
    // The rest solves t = 1 + (N + 1) y / t.
    let mut a = 0.5 + (0.25 + weight * y).sqrt();
    let mut previous = 1.0;
    let mut before = 1.0;
    for _ in 1..terms {
        weight -= 1.0;
        (a, previous, before) = (a + weight * y * previous, a, previous);
    }
    let m = previous / (a * x);
    (Ratios { m, r: x + m }, before / (previous * x))
}
