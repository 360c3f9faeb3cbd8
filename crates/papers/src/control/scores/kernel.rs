//! The kernel between a partial query and the data, on average over what nature may do with the
//! rest.

use gittins::internals::Phase;
use gittins::{KernelFamily, Points, Posterior};

use crate::control::scores::objective::SCREEN;
use crate::control::sets::ControlSet;

/// Completions whose kernel values are computed together.
const TILE: usize = 64;

/// `mean_s k((x, r_s), x_j)` for all data `x_j`, and what turns weights of it into gradients by the
/// controlled coordinates.
///
/// Under the squared-exponential kernel the mean over the samples `r_s` is a factor of its own,
/// made once. Any other kernel is evaluated at every completion. The controlled coordinates are the
/// same in all completions, so `dk/dx_k = -slope_j (x_k - x_jk) / l_k^2` leaves one mean slope for
/// each datum.
#[derive(Debug)]
pub(in crate::control) struct ExpectedKernel<'a> {
    posterior: &'a Posterior,
    set: &'a ControlSet,
    random: Random,
}

#[derive(Debug)]
enum Random {
    /// `s mean_s Kr_js`.
    Factor(Vec<f64>),
    /// All variables of each completion; the controlled ones are put in by each query.
    Completions(Points),
}

/// The memory of one thread.
#[derive(Default)]
pub(in crate::control) struct Scratch {
    /// The means, one for each datum.
    pub values: Vec<f64>,
    /// The mean slopes.
    pub slopes: Vec<f64>,
    tile: Vec<f64>,
    tile_slopes: Vec<f64>,
    scaled: Vec<f64>,
}

impl<'a> ExpectedKernel<'a> {
    /// Of the data of a posterior.
    pub fn new(posterior: &'a Posterior, set: &'a ControlSet, samples: &Points) -> Self {
        let samples = set.draws(samples);
        let random = match posterior.family() {
            KernelFamily::Rbf => {
                let share = 1.0 / samples.len() as f64;
                let mut mean = vec![0.0; posterior.len()];
                for_each_factor(posterior, set, &samples, |j, factor| mean[j] += share * factor);
                Random::Factor(mean)
            }
            _ => Random::Completions(samples),
        };
        Self { posterior, set, random }
    }

    /// Fills the means and slopes of a query. To find where something is large, only the first
    /// completions are used, unless they factorize.
    pub fn evaluate(&self, query: &[f64], phase: Phase, scratch: &mut Scratch) {
        match &self.random {
            Random::Factor(factor) => {
                controlled_factors(self.posterior, self.set, query, &mut scratch.values);
                scratch.values.iter_mut().zip(factor).for_each(|(value, factor)| *value *= factor);
                scratch.slopes.clone_from(&scratch.values);
            }
            Random::Completions(samples) => {
                let count =
                    if phase == Phase::Find { samples.len().min(SCREEN) } else { samples.len() };
                self.at_completions(query, &samples.values()[..count * samples.dim()], scratch);
            }
        }
    }

    fn at_completions(&self, query: &[f64], samples: &[f64], scratch: &mut Scratch) {
        let (packed, outputscale) =
            (self.posterior.packed(), self.posterior.hyperparameters().outputscale);
        let (n, d, stride) = (self.posterior.len(), self.posterior.dim(), packed.padded_len());
        let Scratch { values, slopes, tile, tile_slopes, scaled } = scratch;
        for sums in [&mut *values, &mut *slopes] {
            sums.clear();
            sums.resize(n, 0.0);
        }
        let share = d as f64 / samples.len() as f64;
        let scales = packed.inverse_lengthscales();
        for rows in samples.chunks(TILE * d) {
            let count = rows.len() / d;
            scaled.clear();
            scaled.extend_from_slice(rows);
            for point in scaled.chunks_exact_mut(d) {
                self.set.place(query, point);
                point.iter_mut().zip(scales).for_each(|(x, scale)| *x *= scale);
            }
            tile.resize(count * stride, 0.0);
            tile_slopes.resize(count * stride, 0.0);
            packed.tile(
                (self.posterior.family(), outputscale),
                0,
                scaled,
                stride,
                tile,
                Some(tile_slopes),
            );
            for (sums, columns) in [(&mut *values, &*tile), (&mut *slopes, &*tile_slopes)] {
                for column in columns.chunks_exact(stride) {
                    sums.iter_mut().zip(column).for_each(|(sum, value)| *sum += share * value);
                }
            }
        }
    }

    /// The gradient of `sum_j weight_j mean_s k((x, r_s), x_j)` by the controlled coordinates, from
    /// the slopes at the query times the weights.
    pub fn contract(&self, query: &[f64], weighted_slopes: &[f64]) -> Vec<f64> {
        contract(self.posterior, self.set, query, weighted_slopes)
    }
}

/// `kc_j`, the factor of the controlled coordinates of the squared-exponential kernel.
pub(in crate::control) fn controlled_factors(
    posterior: &Posterior,
    set: &ControlSet,
    query: &[f64],
    factors: &mut Vec<f64>,
) {
    let scales = posterior.packed().inverse_lengthscales();
    factors.clear();
    factors.extend(posterior.inputs().rows().map(|input| {
        let squared: f64 = set
            .controlled
            .iter()
            .zip(query)
            .map(|(&k, x)| ((x - input[k]) * scales[k]).powi(2))
            .sum();
        (-0.5 * squared).exp()
    }));
}

/// Gives `each` the data `j` and `s Kr_js`, the rest of that kernel, sample by sample.
pub(in crate::control) fn for_each_factor(
    posterior: &Posterior,
    set: &ControlSet,
    samples: &Points,
    mut each: impl FnMut(usize, f64),
) {
    let scales = posterior.packed().inverse_lengthscales();
    for sample in samples.rows() {
        for (j, input) in posterior.inputs().rows().enumerate() {
            let squared: f64 =
                set.random.iter().map(|&k| ((sample[k] - input[k]) * scales[k]).powi(2)).sum();
            each(j, posterior.hyperparameters().outputscale * (-0.5 * squared).exp());
        }
    }
}

/// `-sum_j w_j (x_k - x_jk) / l_k^2` for each controlled coordinate.
pub(in crate::control) fn contract(
    posterior: &Posterior,
    set: &ControlSet,
    query: &[f64],
    weights: &[f64],
) -> Vec<f64> {
    let scales = posterior.packed().inverse_lengthscales();
    let slope = |(&k, x): (&usize, &f64)| {
        let inputs = posterior.inputs().rows();
        -scales[k]
            * scales[k]
            * inputs.zip(weights).map(|(input, weight)| weight * (x - input[k])).sum::<f64>()
    };
    set.controlled.iter().zip(query).map(slope).collect()
}
