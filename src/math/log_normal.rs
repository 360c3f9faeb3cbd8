//! The log-normal distribution of a cost: `ln c` is normal with a mean `m` and a variance `v`.
//!
//! With `u = (m - ln a) / s` and `s^2 = v`, the chance to exceed `a` is `Phi(u)`, and
//!
//! ```text
//! E[c | c > a] = exp(m + v/2) Phi(u + s) / Phi(u) = a r(u) / r(u + s)      r = phi / Phi
//! ```
//!
//! The second form needs no large exponential. Because `(ln r)' = -m(u)` with the ratio
//! `m = h / Phi` of [`normal`](super::normal), the expected rest is
//!
//! ```text
//! E[c | c > a] - a = a (exp(L) - 1)      L = integral of m over [u, u + s]
//! ```
//!
//! `m` is positive and smooth, so nothing cancels, however far `a` lies in the tail.

use crate::math::gauss_kronrod::integrate;
use crate::math::normal::{LN_SQRT_2PI, inverse_cdf, log_cdf, ratios};

/// The widest interval that is integrated in panels of width 1. The logarithms of `r` at the ends
/// of a wider one differ by so much that their difference has all digits.
const WIDEST: f64 = 8.0;

/// Above this `L` the rest is larger than `a`, and the first form loses nothing.
const LARGE: f64 = 1.0;

/// A cost whose logarithm is normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogNormal {
    /// The mean of the logarithm.
    pub mean: f64,
    /// The variance of the logarithm, at least 0.
    pub variance: f64,
}

impl LogNormal {
    /// `E[c]`, at most the largest number.
    pub fn expectation(&self) -> f64 {
        (self.mean + 0.5 * self.variance).exp().clamp(f64::MIN_POSITIVE, f64::MAX)
    }

    /// The number that `c` stays below with this probability.
    pub fn quantile(&self, probability: f64) -> f64 {
        let moved = match self.variance.sqrt() {
            0.0 => self.mean,
            sd => self.mean + sd * inverse_cdf(probability),
        };
        moved.exp().clamp(0.0, f64::MAX)
    }

    /// `u`; infinite for a cost that is known.
    fn distance(&self, a: f64) -> f64 {
        let above = self.mean - a.max(0.0).ln();
        match self.variance.sqrt() {
            0.0 if above > 0.0 => f64::INFINITY,
            0.0 => f64::NEG_INFINITY,
            sd => above / sd,
        }
    }

    /// `ln P(c > a)`.
    pub fn log_chance_above(&self, a: f64) -> f64 {
        let u = self.distance(a);
        if u == f64::INFINITY { 0.0 } else { log_cdf(u) }
    }

    /// `E[c | c > a] - a`, what is expected to come after `a` was paid. It is `E[c]` at 0, and grows
    /// like `a v / ln a` far in the tail. The relative error is about `1e-13`.
    pub fn rest_after(&self, a: f64) -> f64 {
        let u = self.distance(a);
        let s = self.variance.sqrt();
        if a.is_nan() {
            return f64::NAN;
        }
        if a <= 0.0 || u == f64::INFINITY {
            return (self.expectation() - a.max(0.0)).max(0.0);
        }
        if u == f64::NEG_INFINITY {
            return 0.0;
        }
        let gain = if s > WIDEST {
            log_ratio(u) - log_ratio(u + s)
        } else {
            // From 0 to s: next to a large u, the ends would lose digits of a small s.
            let panels = s.ceil().max(1.0);
            let edges: Vec<f64> = (0..=panels as usize).map(|i| s * (i as f64 / panels)).collect();
            integrate(|t| t.map(|t| ratios(u + t).m), &edges, 1e-14, 0.0).value
        };
        let rest = if gain > LARGE {
            let log = self.mean + 0.5 * self.variance + log_cdf(u + s) - log_cdf(u);
            log.exp() - a
        } else {
            a * gain.exp_m1()
        };
        rest.clamp(0.0, f64::MAX)
    }
}

/// `ln r(u)`.
fn log_ratio(u: f64) -> f64 {
    if u < 5.0 { ratios(u).r.ln() } else { -0.5 * u * u - LN_SQRT_2PI - log_cdf(u) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(m, s, a, E[c - a | c > a], ln P(c > a))` in 400 digits.
    const REFERENCE: [(f64, f64, f64, f64, f64); 19] = [
        (0.0, 0.5, 1e-06, 1.1331474530668264, -2.359497088812891e-168),
        (0.0, 0.5, 1.1, 0.5593168974733232, -0.8570517307495347),
        (0.0, 0.5, 5.0, 0.7676239226574157, -7.348633577919577),
        (0.0, 0.5, 1000.0, 37.145244806055366, -98.9840687369395),
        (0.0, 0.5, 1000000000.0, 12196610.604336288, -863.551417923937),
        (2.0, 0.001, 7.0, 0.3890597934596233, -0.0),
        (2.0, 0.001, 8.0, 0.00010067235843063543, -3160.7733905859677),
        (2.0, 0.001, 100.0, 3.838521162823921e-05, -3393464.6331725763),
        (-3.0, 2.5, 1e-08, 1.1331484434579902, -3.452008945272626e-10),
        (-3.0, 2.5, 0.05, 2.2052277596797256, -0.6945101695624435),
        (-3.0, 2.5, 1000000000000.0, 251710344701.7427, -78.49197124791847),
        (1.0, 12.0, 0.001, 6.781321638082767e+31, -0.2943098976415867),
        (1.0, 12.0, 1000000.0, 3.538847733372099e+32, -1.946524150921402),
        (1.0, 12.0, 1e+40, 3.206560912719889e+45, -31.78153651469206),
        (0.0, 1e-06, 1.0001, 9.99950064120779e-09, -5005.024204534349),
        (5.0, 0.2, 100000.0, 616.787870184909, -534.6305823630029),
        (0.0, 1.0, 30.0, 10.158089024741349, -8.00001728749502),
        (0.0, 8.0, 1e+100, 3.834220661562671e+99, -418.4906929974389),
        (0.0, 0.05, 1.3, 0.01171971887948255, -16.37714635516751),
    ];

    #[test]
    fn rests_and_chances_are_those_of_high_precision() {
        for (mean, s, a, rest, log_chance) in REFERENCE {
            let cost = LogNormal { mean, variance: s * s };
            // A rounding of u moves ln Phi by r(u), and L by as much as m changes.
            let u = (mean - a.ln()) / s;
            let size = (mean.abs() + a.ln().abs()) / s + 1.0;
            let slope = if u < 0.0 { 1.0 - u } else { 1.0 };
            let allowed = 8.0 * f64::EPSILON * size * slope;
            let got = cost.log_chance_above(a);
            assert!((got - log_chance).abs() <= allowed, "{mean} {s} {a}: {got} and {log_chance}");
            // `m' = 1 - r m` is about 1/u^2 on the left, where `m` is about 1/|u|, and at most 1.
            let allowed = 2e-13 + 8.0 * f64::EPSILON * size * (1.0 + s);
            let got = cost.rest_after(a);
            assert!((got / rest - 1.0).abs() <= allowed, "{mean} {s} {a}: {got} and {rest}");
        }
    }

    #[test]
    fn rests_are_smooth_over_all_decades() {
        // The mean excess e(a) obeys e' = e r(u) / (s a) - 1.
        for s in [1e-3, 0.1, 0.7, 3.0, 7.9, 8.1, 20.0] {
            let cost = LogNormal { mean: 0.4, variance: s * s };
            let mut before = 0.0;
            for step in -600..=600 {
                let a = 10f64.powf(0.1 * f64::from(step));
                let rest = cost.rest_after(a);
                assert!(rest.is_finite() && rest >= 0.0, "{s} {a}: {rest}");
                // What was paid and what comes only grows.
                assert!(a + rest >= before * (1.0 - 1e-12), "{s} {a}");
                before = a + rest;
                let h = 1e-5;
                let up = cost.rest_after(a * (1.0 + h));
                let down = cost.rest_after(a * (1.0 - h));
                let slope = (up - down) / (2.0 * h * a);
                let u = cost.distance(a);
                let expected = rest * log_ratio(u).exp() / (s * a) - 1.0;
                // Rounding of the difference, and its error of the third order in h / s.
                let scale = (rest / a).max(1.0) * (1.0 + expected.abs());
                let allowed = scale * (1e-6 + h * h / (s * s) * (1.0 + u * u));
                assert!((slope - expected).abs() <= allowed, "{s} {a}: {slope} and {expected}");
            }
        }
    }

    #[test]
    fn edges_have_their_limits() {
        let cost = LogNormal { mean: 1.0, variance: 0.25 };
        assert_eq!(cost.rest_after(0.0), cost.expectation());
        assert_eq!(cost.rest_after(-1.0), cost.expectation());
        assert_eq!(cost.log_chance_above(0.0), 0.0);
        assert!(cost.rest_after(f64::NAN).is_nan());
        assert!((cost.quantile(0.5) / 1f64.exp() - 1.0).abs() < 1e-15);
        assert!((cost.log_chance_above(cost.quantile(0.9)) - 0.1f64.ln()).abs() < 1e-12);
        let known = LogNormal { mean: 0.0, variance: 0.0 };
        assert_eq!((known.rest_after(0.25), known.rest_after(2.0)), (0.75, 0.0));
        assert_eq!(known.log_chance_above(0.25), 0.0);
        assert_eq!(known.log_chance_above(2.0), f64::NEG_INFINITY);
        assert_eq!(known.quantile(0.9), 1.0);
        assert!(cost.quantile(2.0).is_nan());
        assert_eq!((cost.quantile(0.0), cost.quantile(1.0)), (0.0, f64::MAX));
        let wide = LogNormal { mean: 700.0, variance: 400.0 };
        assert_eq!(wide.rest_after(1e300), f64::MAX);
    }
}
