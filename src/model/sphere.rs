//! The unit cube on a sphere: inverse stereographic projection, and its chain rule.
//!
//! With `u = (x - 1/2) / l`, `q = 1 + |u|^2` and `c = 2 / q`, the point
//! `P(u) = (2 u, |u|^2 - 1) / q` lies on the unit sphere of `R^(d+1)`. The center of the cube goes
//! to the south pole, and points far away go towards the north pole `N`. All that matters to a
//! kernel are differences, so coordinates are taken from `N`:
//!
//! `p = P(u) - N = c (u, -1)`.
//!
//! No digit of `c` is lost in `1 - c`, however far a point lies. A function of `p` with the gradient
//! `g` has `d / d u_k = c g_k - p_k p' g`: the derivative of the projection is a reflection times
//! `c`.

use std::f64::consts::{PI, SQRT_2};

use faer::{Mat, MatRef};
use libm::lgamma;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result, check_positive};

/// Rows that one thread takes at a time. The sums over them are added up in order, so that the
/// number of threads does not matter.
pub(super) const ROWS: usize = 256;

/// `p` of a point of the cube, `d + 1` coordinates.
pub(super) fn embed(point: &[f64], inverse_lengthscales: &[f64], embedded: &mut [f64]) {
    let Some((last, u)) = embedded.split_last_mut() else { return };
    let mut q = 1.0;
    for ((u, x), scale) in u.iter_mut().zip(point).zip(inverse_lengthscales) {
        *u = (x - 0.5) * scale;
        q += *u * *u;
    }
    if q == f64::INFINITY {
        // Beyond the range of doubles a point lies on the pole.
        embedded.fill(0.0);
        return;
    }
    let c = 2.0 / q;
    for u in u.iter_mut() {
        *u *= c;
    }
    *last = -c;
}

/// The gradient with respect to a point of the cube, from its `p` and the gradient with respect to
/// `p`.
pub(super) fn pull_back(
    embedded: &[f64],
    slopes: &[f64],
    inverse_lengthscales: &[f64],
    gradient: &mut [f64],
) {
    let Some(last) = embedded.last() else { return };
    let along: f64 = embedded.iter().zip(slopes).map(|(p, g)| p * g).sum();
    for (((out, scale), p), g) in
        gradient.iter_mut().zip(inverse_lengthscales).zip(embedded).zip(slopes)
    {
        *out = -scale * (last * g + p * along);
    }
}

/// `P` of each point, `n x (d + 1)`.
pub(crate) fn features(points: &Points, lengthscales: &[f64]) -> Mat<f64> {
    let inverse: Vec<f64> = lengthscales.iter().map(|l| 1.0 / l).collect();
    let n = points.len();
    let width = points.dim() + 1;
    let mut features = Mat::zeros(n, width);
    let mut embedded = vec![0.0; width];
    for (i, row) in points.rows().enumerate() {
        embed(row, &inverse, &mut embedded);
        embedded[width - 1] += 1.0;
        for (k, p) in embedded.iter().enumerate() {
            features[(i, k)] = *p;
        }
    }
    features
}

/// The derivatives of a function by the logarithm of each lengthscale, from its gradient with
/// respect to `P` of each point, `n x (d + 1)`. They are `-sum_i u_ik d / d u_ik`.
pub(super) fn by_log_lengthscales(
    points: &Points,
    lengthscales: &[f64],
    gradients: MatRef<'_, f64>,
) -> Vec<f64> {
    let inverse: Vec<f64> = lengthscales.iter().map(|l| 1.0 / l).collect();
    let d = points.dim();
    let block = |block: usize| -> Vec<f64> {
        let mut embedded = vec![0.0; d + 1];
        let mut slopes = vec![0.0; d + 1];
        let mut gradient = vec![0.0; d];
        let mut sums = vec![0.0; d];
        for i in block * ROWS..points.len().min((block + 1) * ROWS) {
            embed(points.row(i), &inverse, &mut embedded);
            slopes.iter_mut().zip(gradients.row(i).iter()).for_each(|(to, from)| *to = *from);
            pull_back(&embedded, &slopes, &inverse, &mut gradient);
            for ((sum, x), slope) in sums.iter_mut().zip(points.row(i)).zip(&gradient) {
                *sum -= (x - 0.5) * slope;
            }
        }
        sums
    };
    let blocks: Vec<Vec<f64>> =
        (0..points.len().div_ceil(ROWS)).into_par_iter().map(block).collect();
    (0..d).map(|k| blocks.iter().map(|block| block[k]).sum()).collect()
}

/// A bound on the expected supremum of a linear function of `P` with standard normal weights `w`,
/// over the unit cube and above its mean.
///
/// On the whole sphere it is `E |w|`. On the cube `|u_k| <= 1 / (2 l_k)`, so `2 u_k w_k / q` is at
/// most `|w_k| / l_k`. The last coordinate lies between `-1` and `-1 + 2 R^2 / (1 + R^2)`, with the
/// cube's corners at `|u| = R`, and counts above `-1` only if its weight is positive.
///
/// # Errors
/// [`ErrorKind::Empty`] without a lengthscale; `NonFinite` and `InvalidSetting` for one that is not
/// positive.
pub(crate) fn supremum(lengthscales: &[f64]) -> Result<f64> {
    if lengthscales.is_empty() {
        return Err(Error::new(
            ErrorKind::Empty,
            "the expected supremum needs one lengthscale per input, got none",
        ));
    }
    let (mut steepest, mut corner) = (0.0, 0.0);
    for (i, &lengthscale) in lengthscales.iter().enumerate() {
        check_positive(format_args!("lengthscale {i}"), lengthscale)?;
        steepest += 1.0 / lengthscale;
        corner += 0.25 / (lengthscale * lengthscale);
    }
    let m = (lengthscales.len() + 1) as f64;
    let whole = SQRT_2 * (lgamma(0.5 * (m + 1.0)) - lgamma(0.5 * m)).exp();
    let height = 1.0 / (1.0 + 1.0 / corner);
    Ok(whole.min((2.0 / PI).sqrt() * (steepest + height)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_on_the_sphere_and_the_center_on_the_south_pole() {
        let lengthscales = [0.3, 2.0, 1e-3];
        let points =
            Points::from_rows(3, vec![0.5, 0.5, 0.5, 0.1, 0.9, 0.50001, 1.0, 0.0, 1.0]).unwrap();
        let features = features(&points, &lengthscales);
        assert_eq!((0..4).map(|k| features[(0, k)]).collect::<Vec<_>>(), [0.0, 0.0, 0.0, -1.0]);
        for i in 0..3 {
            let squared: f64 = (0..4).map(|k| features[(i, k)].powi(2)).sum();
            assert!((squared - 1.0).abs() < 4.0 * f64::EPSILON, "{squared}");
        }
        let mut far = [f64::NAN; 2];
        embed(&[1.0], &[1e200], &mut far);
        assert_eq!(far, [0.0, 0.0]);
    }

    #[test]
    fn the_pulled_back_gradient_is_that_of_differences() {
        let point = [0.2, 0.95];
        let inverse = [3.0, 0.7];
        let weights = [0.4, -1.2, 0.9];
        let value = |point: &[f64]| {
            let mut embedded = [0.0; 3];
            embed(point, &inverse, &mut embedded);
            embedded.iter().zip(weights).map(|(p, w)| p * w).sum::<f64>()
        };
        let mut embedded = [0.0; 3];
        let mut gradient = [0.0; 2];
        embed(&point, &inverse, &mut embedded);
        pull_back(&embedded, &weights, &inverse, &mut gradient);
        for k in 0..2 {
            let (mut up, mut down, h) = (point, point, 1e-5);
            up[k] += h;
            down[k] -= h;
            let difference = (value(&up) - value(&down)) / (2.0 * h);
            // Truncation h^2 times a third derivative of some 3^3 10, and rounding eps / h.
            assert!((gradient[k] - difference).abs() < 1e-7, "{} and {difference}", gradient[k]);
        }
    }
}
