//! Parameters of the kernel of curves, and how far it may be trusted.

use faer::Mat;

use super::kernel::{Curves, Curveset, Shape};
use crate::error::Result;
use crate::math::cholesky::Cholesky;
use crate::math::lbfgsb::{Settings, minimize};

/// Standardized errors count up to this, so that one run that broke does not decide.
const LARGEST_ERROR2: f64 = 25.0;

/// How many runs of standardized errors of one stand in before there are any.
const PRIOR_RUNS: f64 = 6.0;

/// Variances are multiplied by no less and no more than this.
const INFLATION: [f64; 2] = [0.5, 4.0];

/// The least of items. Runs that answer alike are predicted too well by one another, which says
/// nothing of the others.
const OF_ITEMS: f64 = 1.0;

/// How far parameters may move from the centers of their priors, in deviations.
const REACH: f64 = 4.0;

/// The parameters with the largest posterior density, from a start.
///
/// # Errors
/// Those of the factor at the start.
pub fn fit(shape: &Shape, data: &Curveset, start: &[f64], steps: usize) -> Result<Curves> {
    let priors = shape.priors();
    let bound = |side: f64| -> Vec<f64> {
        priors.iter().map(|[center, sd]| center + side * REACH * sd).collect()
    };
    let settings = Settings { max_iterations: steps, ..Settings::default() };
    let found = minimize(start, &bound(-1.0), &bound(1.0), &settings, |parameters, slopes| {
        let curves = Curves::new(shape.clone(), parameters.to_vec());
        match loss(&curves, data) {
            Ok((value, gradient)) => {
                slopes.copy_from_slice(&gradient);
                value
            }
            Err(_) => f64::NAN,
        }
    })?;
    Ok(Curves::new(shape.clone(), found.point))
}

/// Minus the logarithm of the posterior density, up to a constant, and its gradient.
fn loss(curves: &Curves, data: &Curveset) -> Result<(f64, Vec<f64>)> {
    let n = data.values.len();
    let factor = Cholesky::factor(curves.matrix(data).as_ref())?;
    let weights = factor.solve(&data.values);
    let quadratic: f64 = weights.iter().zip(&data.values).map(|(w, z)| w * z).sum();
    let mut lower = Mat::zeros(n, n);
    let mut inverse = Mat::zeros(n, n);
    factor.inverse_into(&mut lower, &mut inverse);
    let mut slopes = curves.slopes(data, |i, j| 0.5 * (inverse[(i, j)] - weights[i] * weights[j]));
    let mut value = 0.5 * (quadratic + factor.log_determinant());
    for ((slope, [center, sd]), parameter) in
        slopes.iter_mut().zip(curves.shape.priors()).zip(&curves.parameters)
    {
        let off = (parameter - center) / sd;
        value += 0.5 * off * off;
        *slope += off / sd;
    }
    Ok((value, slopes))
}

/// By how much variances are multiplied: the mean square of standardized errors of the last value of
/// each run, predicted with the last half of its reports left out.
///
/// # Errors
/// Those of the factor.
pub(super) fn inflation(curves: &Curves, data: &Curveset) -> Result<f64> {
    let n = data.values.len();
    let factor = Cholesky::factor(curves.matrix(data).as_ref())?;
    let weights = factor.solve(&data.values);
    let mut lower = Mat::zeros(n, n);
    let mut inverse = Mat::zeros(n, n);
    factor.inverse_into(&mut lower, &mut inverse);
    let (mut sum, mut count) = (PRIOR_RUNS, PRIOR_RUNS);
    for rows in data.rows.iter().filter(|rows| rows.len() > 1) {
        let first = rows.end - rows.len().div_ceil(2);
        let size = rows.end - first;
        // The errors of a block that is left out are B^-1 w with its part B of the inverse.
        let block = Mat::from_fn(size, size, |i, j| inverse[(first + i.max(j), first + i.min(j))]);
        let block = Cholesky::factor(block.as_ref())?;
        let last: Vec<f64> = (0..size).map(|i| f64::from(u8::from(i == size - 1))).collect();
        let error = block.solve(&weights[first..rows.end])[size - 1];
        let variance = block.solve(&last)[size - 1];
        sum += (error * error / variance).min(LARGEST_ERROR2);
        count += 1.0;
    }
    let least = if curves.shape.are_items() { OF_ITEMS } else { INFLATION[0] };
    Ok((sum / count).clamp(least, INFLATION[1]))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_pcg::Pcg64;

    use super::*;

    /// The gradient of the loss is that of differences, and the fit descends.
    #[test]
    fn the_fit_descends() {
        let shape =
            Shape { groups: vec![0, 1], first: 0.1, means: false, items: None, level: None };
        let mut data = Curveset::default();
        for run in 0..8 {
            let x = run as f64 / 7.0;
            data.settings.push(vec![x, (3.0 * x) % 1.0]);
            data.deviations.push(1.0);
            let start = data.shares.len();
            for share in [0.1, 0.3, 1.0].into_iter().take(1 + run % 3) {
                data.shares.push(share);
                data.values.push((4.0 * x).sin() - 0.3 / share.sqrt());
            }
            data.rows.push(start..data.shares.len());
        }
        let start = Curves::prior(shape.clone());
        let (before, slopes) = loss(&start, &data).unwrap();
        for (k, slope) in slopes.iter().enumerate() {
            let step = 1e-4;
            let at = |side: f64| {
                let mut moved = start.parameters.clone();
                moved[k] += side * step;
                loss(&Curves::new(shape.clone(), moved), &data).unwrap().0
            };
            // Central differences err by h^2 of third derivatives near one.
            let difference = (at(1.0) - at(-1.0)) / (2.0 * step);
            assert!((slope - difference).abs() < 1e-5 * (1.0 + slope.abs()), "{k}");
        }
        let found = fit(&shape, &data, &start.parameters, 25).unwrap();
        assert!(loss(&found, &data).unwrap().0 < before - 0.5);
        let inflation = inflation(&found, &data).unwrap();
        assert!((INFLATION[0]..=INFLATION[1]).contains(&inflation));
    }

    /// Two of four runs answer alike, and it is not concluded that all do.
    #[test]
    fn twins_say_nothing_of_others() {
        let (hardness, rest) = (1.5, 1.2);
        let first = 1.0 / 400.0;
        let shape = Shape { groups: vec![0], first, means: true, items: Some(400.0), level: None };
        let mut random = Pcg64::seed_from_u64(1);
        let mut items = |sd: f64| -> Vec<f64> {
            (0..16)
                .map(|_| sd * Distribution::<f64>::sample(&StandardNormal, &mut random))
                .collect()
        };
        let hard = items(hardness);
        let twin = items(rest);
        let mut data = Curveset::default();
        for run in 0..4 {
            let is_twin = run < 2;
            let own = if is_twin { twin.clone() } else { items(rest) };
            let counts: &[usize] = if is_twin { &[1, 2, 3, 5, 9, 16] } else { &[1] };
            let start = data.shares.len();
            for &count in counts {
                let sum: f64 =
                    hard.iter().zip(&own).take(count).map(|(hard, own)| hard + own).sum();
                data.shares.push(count as f64 * shape.first);
                data.values.push(sum / count as f64);
            }
            data.settings.push(vec![f64::from(run) / 3.0]);
            data.deviations.push(1.0);
            data.rows.push(start..data.shares.len());
        }
        let found = fit(&shape, &data, &Curves::prior(shape.clone()).parameters, 50).unwrap();
        // The prior holds it within two of its deviations, a factor of two. With that of folds it is
        // 0.04.
        let ratio = found.parameters.last().unwrap().exp() / rest;
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
        assert!(inflation(&found, &data).unwrap() >= 1.0);
    }
}
