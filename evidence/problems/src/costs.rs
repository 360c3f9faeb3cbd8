//! Costs on the unit cube, with their gradients. Each function returns the cost and fills
//! `gradient` with the derivatives by the coordinates.
//!
//! [`Cost::known_with_gradient`](gittins::Cost::known_with_gradient) takes them if the space is the
//! unit cube. [`Problem::cost`](crate::Problem::cost) carries them over to another box.
//!
//! ```
//! use gittins::Cost;
//! use gittins_problems::costs::{self, Periodic};
//! let linear = Cost::known_with_gradient(costs::linear);
//! let periodic = Periodic::new(2.0, 2.0, vec![0.3, 0.7])?;
//! let periodic = Cost::known_with_gradient(move |z, gradient| periodic.cost(z, gradient));
//! # Ok::<(), gittins::Error>(())
//! ```

use std::f64::consts::PI;

use gittins::{Error, ErrorKind, Result};
use libm::{cos, exp, log1p, sin};

use crate::check::check_finite;

/// 1 everywhere.
pub fn uniform(_z: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    1.0
}

/// `1 + 20 mean(z)`: from 1 to 21, on average 11 (Xie et al. 2024, Section 4; the text prints the
/// 1-norm; the experiments and the stated ratio of 21 take the mean).
pub fn linear(z: &[f64], gradient: &mut [f64]) -> f64 {
    let d = z.len() as f64;
    gradient.fill(20.0 / d);
    1.0 + 20.0 * z.iter().sum::<f64>() / d
}

/// `(1 + 20 mean(z)) / 11`: from 1/11 to 21/11, on average 1 (Xie et al. 2025).
pub fn linear_mean_one(z: &[f64], gradient: &mut [f64]) -> f64 {
    let cost = linear(z, gradient) / 11.0;
    for slope in gradient.iter_mut() {
        *slope /= 11.0;
    }
    cost
}

/// `exp((a/d) sum_i cos(2 pi b (z_i - z*_i))) / I0(a/d)^d` (Xie et al. 2025): largest at `z*`,
/// where it is `exp(2 a)` times the smallest cost. The average is 1 if `b` is a whole number.
#[derive(Debug, Clone, PartialEq)]
pub struct Periodic {
    /// `a / d`.
    weight: f64,
    frequency: f64,
    center: Vec<f64>,
    log_normalizer: f64,
}

/// `exp` overflows beyond it, and the modified Bessel function with it.
const LARGEST_WEIGHT: f64 = 700.0;

impl Periodic {
    /// With amplitude `a`, frequency `b` and center `z*` (the paper: 2, 2 and the location of the
    /// optimum).
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] for a center without coordinates, [`ErrorKind::NonFinite`] for a number
    /// that is not finite, [`ErrorKind::InvalidSetting`] for an amplitude beyond `700 d`, because
    /// the normalizer overflows there.
    pub fn new(amplitude: f64, frequency: f64, center: Vec<f64>) -> Result<Self> {
        if center.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "expected a center with at least one coordinate, got none",
            ));
        }
        check_finite(amplitude).map_err(|error| error.at("amplitude"))?;
        check_finite(frequency).map_err(|error| error.at("frequency"))?;
        for (index, &z) in center.iter().enumerate() {
            check_finite(z).map_err(|error| error.at(format!("center, coordinate {index}")))?;
        }
        let weight = amplitude / center.len() as f64;
        if weight.abs() > LARGEST_WEIGHT {
            let message =
                format!("amplitude: expected at most {LARGEST_WEIGHT} per dimension, got {weight}");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        let log_normalizer = center.len() as f64 * log1p(bessel_i0_less_one(weight));
        Ok(Self { weight, frequency, center, log_normalizer })
    }

    /// The cost at a point of the unit cube, and its gradient.
    ///
    /// # Panics
    /// If point, gradient and center differ in dimension.
    pub fn cost(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(
            (z.len(), gradient.len()),
            (self.center.len(), self.center.len()),
            "a point and a gradient of the center's dimension"
        );
        let phase = |z: f64, center: f64| 2.0 * PI * self.frequency * (z - center);
        let waves: f64 =
            z.iter().zip(&self.center).map(|(&z, &center)| cos(phase(z, center))).sum();
        let cost = exp(self.weight * waves - self.log_normalizer);
        for ((slope, &z), &center) in gradient.iter_mut().zip(z).zip(&self.center) {
            *slope = -cost * self.weight * 2.0 * PI * self.frequency * sin(phase(z, center));
        }
        cost
    }
}

/// `I0(x) - 1`: the modified Bessel function of the first kind, less its value at zero.
///
/// Its power series `sum_{k>=1} (x^2/4)^k / (k!)^2` has positive terms only, so nothing cancels.
/// The ratio `x^2 / (4 k^2)` of neighbors ends it soon after `k` passes `|x| / 2`. Without the 1
/// the logarithm keeps all digits for small `x`, which matters because the cost raises it to the
/// power `d`.
fn bessel_i0_less_one(x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let (mut sum, mut term, mut k) = (0.0, 1.0, 0.0);
    loop {
        k += 1.0;
        term *= quarter / (k * k);
        sum += term;
        if term <= 0.1 * f64::EPSILON * sum {
            return sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::bessel_i0_less_one;

    /// Values of mpmath 1.3 (`besseli(0, x) - 1` with 40 digits). The series adds at most some
    /// `|x|` rounded terms.
    #[test]
    fn bessel_series_agrees_with_mpmath() {
        for (x, expected) in [
            (0.0, 0.0),
            (1e-8, 2.5e-17),
            (0.0625, 0.000976800944450752),
            (1.0, 0.26606587775200835),
            (2.0, 1.2795853023360673),
            (50.0, 2.9325537838493362e20),
            (700.0, 1.5295933476718737e302),
        ] {
            let got = bessel_i0_less_one(x);
            assert!(
                (got - expected).abs() <= 4.0 * f64::EPSILON * (1.0 + x) * expected,
                "x = {x}: {got} instead of {expected}"
            );
        }
    }
}
