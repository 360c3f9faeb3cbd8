//! The normal distribution between bounds.

use std::sync::LazyLock;

use super::gauss_legendre::GaussLegendre;

/// What is less likely than `exp(-32)` of the likeliest value adds less than a rounding.
const FALL: f64 = 32.0;

/// Two pieces of at most eight deviations each: with 24 nodes the integrals of `exp(-z^2/2)` over one
/// err by less than 1e-13 of it, and those of `exp(-z)` up to 32 by some 1e-11.
static NODES: LazyLock<GaussLegendre> = LazyLock::new(|| GaussLegendre::new(24));

/// The mean and the deviation of a normal number given that it lies between two bounds, `low <= high`.
///
/// With `z = (x - mean)/sd` they are moments of `exp(-z^2/2)` over an interval, measured from its
/// largest value, so that nothing cancels if the bounds are far from the mean.
pub fn truncated(mean: f64, sd: f64, [low, high]: [f64; 2]) -> (f64, f64) {
    // Written so that a NaN takes this way too.
    if !(sd > 0.0 && high > low) {
        return (mean.max(low).min(high), 0.0);
    }
    let [alpha, beta] = [low, high].map(|bound| (bound - mean) / sd);
    let top = 0.0f64.max(alpha).min(beta);
    let reach = 2.0 * FALL / ((top * top + 2.0 * FALL).sqrt() + top.abs());
    let [mut mass, mut first, mut second] = [0.0; 3];
    for (from, to) in [(alpha.max(top - reach), top), (top, beta.min(top + reach))] {
        let half = 0.5 * (to - from);
        for (x, weight) in &NODES.nodes {
            // The distance from the top, and `z^2 - top^2` by it.
            let away = from - top + half * (1.0 + x);
            let density = weight * half * (-0.5 * away * (away + 2.0 * top)).exp();
            mass += density;
            first += density * away;
            second += density * away * away;
        }
    }
    let away = first / mass;
    let variance = (second / mass - away * away).max(0.0);
    ((mean + sd * (top + away)).max(low).min(high), sd * variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normal::{cdf, pdf};

    /// The moments by formula, where it does not cancel.
    #[test]
    fn moments_are_those_of_the_formula() {
        for [alpha, beta] in [[-1.0, 1.0], [-0.5, 3.0], [0.4, 1.7], [-9.0, -1.0], [-40.0, 40.0]] {
            let (mean, sd) = (0.7, 0.3);
            let mass = cdf(beta) - cdf(alpha);
            let shift = (pdf(alpha) - pdf(beta)) / mass;
            let slope = (alpha * pdf(alpha) - beta * pdf(beta)) / mass;
            let expected = (mean + sd * shift, sd * (1.0 + slope - shift * shift).sqrt());
            let found = truncated(mean, sd, [alpha, beta].map(|z| mean + sd * z));
            assert!((found.0 - expected.0).abs() < 1e-13, "{found:?} {expected:?}");
            assert!((found.1 - expected.1).abs() < 1e-12, "{found:?} {expected:?}");
        }
    }

    /// Far from the mean it is an exponential distribution, and in a narrow interval a uniform one.
    #[test]
    fn far_tails_and_narrow_intervals_have_their_limits() {
        for z in [30.0, 1e3, 1e6] {
            let (mean, sd) = truncated(0.0, 1.0, [z, f64::MAX]);
            // The next terms are 2/z^2 smaller.
            let slack = 3.0 / (z * z) + 1e-16 * z * z + 1e-10;
            assert!(((mean - z) * z - 1.0).abs() < slack, "{mean}");
            assert!((sd * z - 1.0).abs() < 5.0 / (z * z) + 1e-10, "{sd}");
            let (other, same) = truncated(0.0, 1.0, [-f64::MAX, -z]);
            // The pieces are summed in another order.
            assert!((other + mean).abs() < 1e-15 * mean && (same - sd).abs() < 1e-14 * sd);
        }
        let (mean, sd) = truncated(0.0, 1.0, [0.2, 0.2 + 1e-6]);
        assert!((mean - 0.200_000_5).abs() < 1e-12 && (sd * 12f64.sqrt() - 1e-6).abs() < 1e-12);
        assert_eq!(truncated(3.0, 0.5, [1.0, 1.0]), (1.0, 0.0));
        assert_eq!(truncated(3.0, 0.0, [0.0, 1.0]), (1.0, 0.0));
    }
}
