//! The search of the published runs: quasi-random points, starts drawn by their values, bounded
//! quasi-Newton climbs.

use gittins::Acquisition;
use gittins::internals::lbfgsb::{self, Settings};
use gittins::math::Sobol;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::model::Model;
use frontend::Result;

const RAW: usize = 200;
const STARTS: usize = 10;
const ITERATIONS: usize = 200;

/// The best end of the climbs.
///
/// # Errors
/// Those of the climbs.
pub fn maximize(
    model: &Model<'_>,
    acquisition: &Acquisition,
    best: f64,
    seed: u64,
    iteration: u64,
) -> Result<f64> {
    let mut random = Pcg64::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(iteration));
    let raw = Sobol::new(1, random.random()).points(0, RAW);
    let score =
        |z: f64| acquisition.pointwise().unwrap().score(best, &model.moments(z).belief).value;
    let values: Vec<f64> = raw.values().iter().map(|&z| score(z)).collect();
    // L-BFGS-B in coordinates of the process: its first step is of length one.
    let settings = Settings { max_iterations: ITERATIONS, ..Settings::default() };
    let mut found = (f64::NAN, f64::NEG_INFINITY);
    for start in starts(&values, &mut random) {
        let minimum =
            lbfgsb::minimize(&[raw.values()[start]], &[0.0], &[1.0], &settings, |z, gradient| {
                let moments = model.moments(z[0]);
                let score = acquisition.pointwise().unwrap().score(best, &moments.belief);
                gradient[0] = -(score.d_mean * moments.d_mean
                    + score.d_sd * moments.d_sd
                    + score.d_log_cost * moments.d_log_cost);
                -score.value
            })?;
        if -minimum.value > found.1 {
            found = (minimum.point[0], -minimum.value);
        }
    }
    Ok(found.0)
}

/// Draws starts without replacement with the weights `exp(z)` of the standardized values; if the
/// best is not among them, it takes the last one's place.
fn starts(values: &[f64], random: &mut Pcg64) -> Vec<usize> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let mut weights: Vec<f64> =
        values.iter().map(|v| if sd > 0.0 { ((v - mean) / sd).exp() } else { 1.0 }).collect();
    let mut starts = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let mut left = random.random::<f64>() * weights.iter().sum::<f64>();
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0 && *weight > 0.0
        });
        let drawn = drawn.or_else(|| weights.iter().rposition(|weight| *weight > 0.0)).unwrap_or(0);
        weights[drawn] = 0.0;
        starts.push(drawn);
    }
    let best = (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best });
    if !starts.contains(&best) {
        starts[STARTS - 1] = best;
    }
    starts
}
