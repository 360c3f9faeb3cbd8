//! Student's t distribution: what one more draw brings, if mean and deviation are known from a few.

use std::f64::consts::PI;

use libm::lgamma;

use crate::math::gauss_kronrod::integrate;

/// Relative error of the integral. What it is for compares magnitudes.
const RELATIVE: f64 = 1e-8;

/// `E[max(T - z, 0)]` for a standard Student `T` with more than one degree of freedom: the integral
/// of `(t - z) p(t)` from `z` on. It falls like `z^(1 - freedom)`, and for many degrees of freedom
/// like that of a normal distribution. Infinite up to one degree of freedom.
pub(crate) fn improvement(z: f64, freedom: f64) -> f64 {
    if freedom <= 1.0 {
        return f64::INFINITY;
    }
    // The distribution is symmetric: E[max(T - z, 0)] = E[max(T + z, 0)] - z.
    if z < 0.0 {
        return improvement(-z, freedom) - z;
    }
    let half = 0.5 * (freedom + 1.0);
    let log_peak = lgamma(half) - lgamma(0.5 * freedom) - 0.5 * (freedom * PI).ln();
    // t = z + w u / (1 - u), with a width of the tail's own.
    let width = (z * z + freedom).sqrt() / freedom.sqrt();
    let integrand = |nodes: &[f64; 15]| {
        nodes.map(|u| {
            let beyond = width * u / (1.0 - u);
            let t = z + beyond;
            let log_density = log_peak - half * (t * t / freedom).ln_1p();
            beyond * log_density.exp() * width / ((1.0 - u) * (1.0 - u))
        })
    };
    integrate(integrand, &[0.0, 1.0], RELATIVE, f64::MIN_POSITIVE).value
}

/// `P(T <= z)` for a standard Student `T` with a whole number of degrees of freedom, at least 1: the
/// finite sums of Abramowitz & Stegun 1964, equations 26.7.3 and 26.7.4. Its error is that of a
/// difference from one half, some 1e-16.
pub(crate) fn cdf(z: f64, freedom: usize) -> f64 {
    let freedom = freedom.max(1);
    let angle = (z / (freedom as f64).sqrt()).atan();
    let (sin, cos) = angle.sin_cos();
    // Terms of even powers of the cosine for an even number, of odd ones for an odd number.
    let odd = freedom % 2;
    let mut term = if odd == 1 { cos } else { 1.0 };
    let mut sum = 0.0;
    for k in 0..(freedom - odd) / 2 {
        sum += term;
        let power = (2 * k + 1 + odd) as f64;
        term *= cos * cos * power / (power + 1.0);
    }
    let between = match odd {
        1 => (angle + sin * sum) * 2.0 / PI,
        _ => sin * sum,
    };
    (0.5 + 0.5 * between).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::{cdf, improvement};

    #[test]
    fn probabilities_are_those_of_scipy() {
        // scipy.stats.t.cdf(z, freedom)
        for (z, freedom, expected) in [
            (-1.0, 1, 0.25),
            (-2.0, 2, 0.09175170953613696),
            (-3.0, 3, 0.02883444281121865),
            (-6.0, 7, 0.00027112917100140525),
            (0.7, 10, 0.7500562149135578),
            (-4.0, 49, 0.00010674024457271235),
        ] {
            let found = cdf(z, freedom);
            assert!((found - expected).abs() < 1e-14, "{z}, {freedom}: {found}");
        }
        assert_eq!((cdf(0.0, 5), cdf(f64::NEG_INFINITY, 4)), (0.5, 0.0));
    }

    use crate::math::normal::h;

    #[test]
    fn it_is_what_its_closed_form_says() {
        // (freedom + z^2)/(freedom - 1) p(z) - z (1 - P(z)), by mpmath with 30 digits.
        for (z, freedom, expected) in GOLDEN {
            let found = improvement(z, freedom);
            assert!((found - expected).abs() <= 1e-7 * expected, "{z}, {freedom}: {found:e}");
        }
    }

    #[test]
    fn with_many_degrees_of_freedom_it_is_that_of_a_normal_distribution() {
        for z in [-2.0, 0.0, 1.0, 3.0] {
            assert!((improvement(z, 1e7) / h(-z) - 1.0).abs() < 1e-4, "{z}");
        }
        assert_eq!(improvement(1.0, 1.0), f64::INFINITY);
    }

    const GOLDEN: [(f64, f64, f64); 8] = [
        (-1.5, 3.0, 1.642_107_184_164_549_6),
        (0.0, 2.0, std::f64::consts::FRAC_1_SQRT_2),
        (0.0, 5.0, 0.474_508_362_278_118_05),
        (1.0, 3.0, 0.217_995_562_088_458_72),
        (2.5, 7.0, 0.014_988_141_612_154_13),
        (6.0, 4.0, 0.004_163_777_159_960_366),
        (20.0, 7.0, 3.302_360_065_157_242_6e-7),
        (40.0, 3.0, 0.000_344_193_424_931_349_8),
    ];
}
