//! Arithmetic that ends at the largest number in place of infinity: finite numbers stay finite.

/// The number. An infinity becomes the largest number of its sign; NaN stays NaN.
pub fn saturated(value: f64) -> f64 {
    value.clamp(-f64::MAX, f64::MAX)
}

/// `a - b`; of finite numbers at most the largest number.
pub fn difference(a: f64, b: f64) -> f64 {
    let difference = a - b;
    if a.is_finite() && b.is_finite() { saturated(difference) } else { difference }
}

/// `a + b`; of finite numbers at most the largest number.
pub fn sum(a: f64, b: f64) -> f64 {
    difference(a, -b)
}

/// The mean, also if the sum would overflow; NaN of no numbers.
pub(crate) fn mean(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let sum = values.iter().sum::<f64>();
    if sum.is_finite() { sum / n } else { values.iter().map(|value| value / n).sum() }
}

/// `a b / c` of positive numbers, also if the product would overflow and the quotient does not.
pub(crate) fn product_over(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    if product.is_normal() && c.is_normal() {
        return product / c;
    }
    let [(a, power_a), (b, power_b), (c, power_c)] = [a, b, c].map(libm::frexp);
    libm::ldexp(a * b / c, power_a + power_b - power_c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_finite_stays_finite() {
        assert_eq!(
            (difference(f64::MAX, -f64::MAX), difference(-1.7e308, 1e308), difference(3.0, 1.0)),
            (f64::MAX, -f64::MAX, 2.0)
        );
        assert_eq!(
            (sum(f64::MAX, f64::MAX), sum(-1.7e308, -1e308), sum(0.1, 0.2)),
            (f64::MAX, -f64::MAX, 0.1 + 0.2)
        );
        assert_eq!(
            (difference(f64::INFINITY, 1.0), difference(1.0, f64::INFINITY)),
            (f64::INFINITY, f64::NEG_INFINITY)
        );
        assert!(saturated(f64::NAN).is_nan() && difference(f64::INFINITY, f64::INFINITY).is_nan());
        assert_eq!((mean(&[f64::MAX; 4]), mean(&[1.0, 2.0, 4.5])), (f64::MAX, 2.5));
    }

    #[test]
    fn a_quotient_is_exact_to_rounding_wherever_its_product_leaves_the_numbers() {
        for (a, b, c, expected) in [
            (3.0, 5.0, 4.0, 3.75),
            (1e200, 1e300, 1e250, 1e250),
            (1e-200, 1e-300, 1e-250, 1e-250),
            // Powers of two, because a decimal power among the subnormal numbers has few digits.
            (
                2.0,
                f64::MIN_POSITIVE / 2f64.powi(38),
                f64::MIN_POSITIVE / 2f64.powi(8),
                2f64.powi(-29),
            ),
            (1e200, 1e300, 1e100, f64::INFINITY),
            (1e-200, 1e-300, 1.0, 0.0),
        ] {
            let got = product_over(a, b, c);
            // Three roundings, and those of the decimal powers.
            assert!(
                got == expected || (got / expected - 1.0).abs() <= 8.0 * f64::EPSILON,
                "{got} and {expected}"
            );
        }
    }
}
