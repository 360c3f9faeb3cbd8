//! A draw of a Gaussian process at random points, and its interpolation.

use faer::{Mat, MatMut};
use gittins::internals::{Cholesky, Normals};
use gittins::{Error, ErrorKind, Points, Result};
use libm::exp;

use crate::check::check_positive;
use crate::exponentials::SquaredExponentials;

/// The "GP sample" of Tay, Foo, Urano, Leong and Low (2023, "Bayesian optimization with
/// cost-varying variable subsets", Section 5): values `y ~ N(0, K + 1e-6 I)` at 1000 uniform points
/// `p_i` of the unit cube, interpolated by the kernel's mean,
///
/// `f(z) = sum_i w_i k(z, p_i)`, `w = (K + 1e-6 I)^-1 y`,
/// `k(z, z') = exp(-|(z - z') / ell|^2 / 2)`.
///
/// The paper takes three dimensions and a lengthscale of 0.1. A cube has a thousand cells of that
/// size, and a thousand points do not fill it: `f` falls to zero between them and is no draw of the
/// process there. Its variance over seeds at `z` is `k_z' (K + 1e-6 I)^-1 k_z`, below 1.
///
/// With `K + 1e-6 I = L L'` and standard normals `e` the values are `y = L e`. So `w = L'^-1 e`,
/// and `y` is not needed. The generator of [`GpDraw`](crate::GpDraw) gives the points, row by row,
/// and then `e`. The factor is computed in blocks by the processor's widest instructions. A seed is
/// the same function to the last bit on one machine, and to about 1e-9 on others, which is the
/// effect of the condition number.
#[derive(Debug, Clone, PartialEq)]
pub struct InterpolatedDraw(SquaredExponentials);

const POINTS: usize = 1000;
const NUGGET: f64 = 1e-6;

impl InterpolatedDraw {
    /// Draws a function with a coordinate for each lengthscale, in O(1000^3 / 3) operations.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a lengthscale, [`ErrorKind::InvalidSetting`] for a lengthscale
    /// that is not finite and positive.
    pub fn new(lengthscales: &[f64], seed: u64) -> Result<Self> {
        if lengthscales.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "expected at least one lengthscale, got none",
            ));
        }
        for (index, &lengthscale) in lengthscales.iter().enumerate() {
            check_positive(format!("lengthscale {index}"), lengthscale)?;
        }
        let dim = lengthscales.len();
        let mut normals = Normals::new(seed);
        let points =
            Points::from_rows(dim, (0..POINTS * dim).map(|_| normals.uniform()).collect())?;
        let mut weights: Vec<f64> = (0..POINTS).map(|_| normals.normal()).collect();
        let covariance = Mat::from_fn(POINTS, POINTS, |i, j| {
            let nugget = if i == j { NUGGET } else { 0.0 };
            kernel(points.row(i), points.row(j), lengthscales) + nugget
        });
        Cholesky::factor(covariance.as_ref())?.solve_upper(MatMut::from_column_major_slice_mut(
            &mut weights,
            POINTS,
            1,
        ));
        Ok(Self(SquaredExponentials::of_kernel(0.0, weights, points, lengthscales)))
    }

    /// The dimension `d`.
    pub fn dim(&self) -> usize {
        self.0.dim()
    }

    /// The 1000 points that it interpolates (`1000 x d`).
    pub fn points(&self) -> &Points {
        self.0.centers()
    }

    /// The same function as a sum with known expectations.
    pub fn squared_exponentials(&self) -> SquaredExponentials {
        self.0.clone()
    }

    /// The value at a point.
    ///
    /// # Panics
    /// If the point has another dimension.
    pub fn value(&self, z: &[f64]) -> f64 {
        self.0.value(z)
    }

    /// The value at a point; fills the gradient there.
    ///
    /// # Panics
    /// If the point or the gradient has another dimension.
    pub fn value_and_gradient(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        self.0.value_and_gradient(z, gradient)
    }
}

fn kernel(a: &[f64], b: &[f64], lengthscales: &[f64]) -> f64 {
    let squared: f64 = a
        .iter()
        .zip(b)
        .zip(lengthscales)
        .map(|((a, b), ell)| ((a - b) / ell) * ((a - b) / ell))
        .sum();
    exp(-0.5 * squared)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `y = (K + 1e-6 I) w` must be `L e`: the first two entries by hand, and `w' y = e' e`. With
    /// short lengthscales the matrix is well conditioned, and sums of 1000 rounded terms are right
    /// to `1000 eps` of their size. With 0.05 in two dimensions its condition number stays below
    /// 1e9; errors are that times `eps`.
    #[test]
    fn weights_are_those_of_a_draw() {
        let lengthscales = [0.05, 0.05];
        let seed = 3;
        let draw = InterpolatedDraw::new(&lengthscales, seed).unwrap();
        let mut normals = Normals::new(seed);
        assert!(draw.points().values().iter().all(|&coordinate| coordinate == normals.uniform()));
        let e: Vec<f64> = (0..POINTS).map(|_| normals.normal()).collect();
        let y: Vec<f64> = draw
            .points()
            .rows()
            .zip(draw.0.weights())
            .map(|(point, weight)| draw.value(point) + NUGGET * weight)
            .collect();
        let tolerance = 1e9 * f64::EPSILON;
        let pivot = (1.0 + NUGGET).sqrt();
        let below = kernel(draw.points().row(0), draw.points().row(1), &lengthscales) / pivot;
        assert!((y[0] - pivot * e[0]).abs() <= tolerance, "{} instead of {}", y[0], pivot * e[0]);
        let second = below * e[0] + (1.0 + NUGGET - below * below).sqrt() * e[1];
        assert!((y[1] - second).abs() <= tolerance, "{} instead of {second}", y[1]);
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let norm = dot(draw.0.weights(), &y);
        let expected = dot(&e, &e);
        assert!((norm - expected).abs() <= tolerance * expected, "{norm} instead of {expected}");
    }
}
