//! Of problems with control sets.

const EPS: f64 = f64::EPSILON;

/// Of a sum of squared exponentials with weights of that total size: each term is off by some `EPS`
/// times its exponent, which is below 40 where `exp` is still above `EPS`.
pub fn sum(weights: f64) -> f64 {
    40.0 * EPS * weights
}

/// Of its slope by the five-point quotient with a step of a thousandth of the lengthscale, where
/// the sum stays below ten: the fifth derivative is below `10 x 12 / l^5`, a thirtieth of it counts
/// `(h / l)^4`; the values' rounding counts 1.5 times over the step.
pub fn slope(weights: f64, lengthscale: f64) -> f64 {
    (4.0 * 1e-12 + 1.5e3 * sum(weights)) / lengthscale
}

/// Of a largest value that two searches found, both of which go on until steps change it by 2.2e-9
/// at most: what these may have left, twice.
pub const BEST: f64 = 1e-8;

/// Of a law that went from the unit interval to a variable's units and back: some four rounded
/// operations each way, on numbers up to ten times the width.
pub const LAW: f64 = 2.0 * 4.0 * 10.0 * EPS;

/// Of the mean of means over independently scrambled points, as many as `means`, in units of their
/// standard deviation: seven standard errors; with the 15 degrees of freedom of sixteen means one
/// in two hundred thousand lies farther out.
pub fn scrambled(means: usize) -> f64 {
    7.0 / (means as f64).sqrt()
}

/// Of such a mean of means and one more mean by other points, in the same units.
#[cfg(feature = "datasets")]
pub fn another(means: usize) -> f64 {
    7.0 * (1.0 + 1.0 / means as f64).sqrt()
}
