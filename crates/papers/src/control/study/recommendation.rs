//! What to use once the money is spent.

use std::fmt;

use gittins::internals::{Stream, decimal, seed};
use gittins::suggest::Surrogate;
use gittins::{Points, Posterior, Result, Space};

use crate::control::lattice::on_lattice;
use crate::control::scores::expectation::ExpectedMeans;
use crate::control::search::SetSearch;
use crate::control::sets::{BoundSets, ControlSet};

/// The values of a set with the best expected outcome, and what to expect of them, in the user's
/// units.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SubsetRecommendation {
    /// The place of the set among those of the study.
    pub set: usize,
    /// Its name.
    pub name: String,
    /// Its price.
    pub cost: f64,
    /// Its variables, in the order of the space.
    pub variables: Vec<String>,
    /// Their values.
    pub values: Vec<f64>,
    /// The values in the unit cube.
    pub query: Vec<f64>,
    /// The expected outcome over all that nature may do, by the posterior mean.
    pub expected: f64,
    /// How far the expected outcome may be off, as a standard deviation: what the model does not
    /// know of it.
    pub error: f64,
    /// How far single outcomes lie from it, as a standard deviation: what nature does, and what the
    /// model does not know of each; without the noise of measurements.
    pub spread: f64,
}

impl SubsetRecommendation {
    /// Names and values of its variables.
    pub fn named(&self) -> impl Iterator<Item = (&str, f64)> {
        self.variables.iter().map(String::as_str).zip(self.values.iter().copied())
    }
}

/// Completions over which the error of an expected outcome is found. The first few hundred of a
/// quasi-random sample are enough, and a double sum over all would be a million kernel values a
/// set. What the data tell is taken over the same ones, since the difference may be small.
const FEW: usize = 256;

/// The best of each set, the best expected outcome first, the cheapest first among equals.
pub(in crate::control) fn recommend(
    surrogate: &Surrogate,
    space: &Space,
    sets: &BoundSets,
    samples: &Points,
    hints: &[Points],
    run_seed: u64,
    trial: usize,
) -> Result<Vec<SubsetRecommendation>> {
    let posterior = surrogate.posterior();
    let all: Vec<&ControlSet> = sets.sets().iter().collect();
    let means = ExpectedMeans::new(posterior, &all, samples)?;
    let search = SetSearch { raw: 1000, ..SetSearch::new(seed(run_seed, Stream::Verdict, trial)) };
    let mut best = search.run(&means, &all, hints)?;
    if space.has_cells() {
        best = on_lattice(space, &means, &all, best)?;
    }
    let few = samples.select(0..samples.len().min(FEW));
    let means_of_few = ExpectedMeans::new(posterior, &all, &few)?;
    let (scale, sign) = (surrogate.scale(), surrogate.direction().sign());
    let mut found = Vec::with_capacity(all.len());
    for (index, (set, best)) in all.iter().zip(best).enumerate() {
        let error =
            means_of_few.variance(index, &best.query, prior_variance(posterior, set, &few)).sqrt();
        let spread = spread(posterior, set, samples, &best.query)?;
        let mut unit = vec![0.5; space.dim()];
        set.place(&best.query, &mut unit);
        let values = space.numbers_at(&unit);
        found.push((
            best.value,
            SubsetRecommendation {
                set: index,
                name: set.name.clone(),
                cost: set.cost,
                variables: set
                    .controlled
                    .iter()
                    .map(|&k| space.parameters()[k].name().to_owned())
                    .collect(),
                values: set.part(&values),
                query: best.query,
                expected: sign * scale.undo(best.value),
                error: scale.undo_difference(error),
                spread: scale.undo_difference(spread),
            },
        ));
    }
    found
        .sort_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cost.total_cmp(&second.cost)));
    Ok(found.into_iter().map(|(_, recommendation)| recommendation).collect())
}

/// The variance of a query's expected outcome before any data: the mean kernel between completions,
/// in which the controlled coordinates are the same.
fn prior_variance(posterior: &Posterior, set: &ControlSet, samples: &Points) -> f64 {
    if set.random.is_empty() {
        return posterior.hyperparameters().outputscale;
    }
    let completions = set.completions(&vec![0.5; set.controlled.len()], samples);
    let covariance = posterior.prior_covariance(&completions);
    let n = completions.len();
    // The lower triangle stands for both.
    let sum: f64 = (0..n)
        .map(|j| covariance[(j, j)] + 2.0 * (j + 1..n).map(|i| covariance[(i, j)]).sum::<f64>())
        .sum();
    sum / (n * n) as f64
}

/// `sqrt(Var_s mu + E_s sigma^2)` over the completions of a query.
fn spread(posterior: &Posterior, set: &ControlSet, samples: &Points, query: &[f64]) -> Result<f64> {
    let completions = set.completions(query, samples);
    let moments = posterior.moments(&completions)?;
    let share = 1.0 / completions.len() as f64;
    let mean = share * moments.mean.iter().sum::<f64>();
    let between: f64 = moments.mean.iter().map(|m| (m - mean) * (m - mean)).sum();
    Ok((share * (between + moments.variance.iter().sum::<f64>())).sqrt())
}

impl fmt::Display for SubsetRecommendation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [expected, error, spread] = [(self.expected, 6), (self.error, 2), (self.spread, 2)]
            .map(|(value, digits)| decimal(value, digits));
        let named: Vec<String> =
            self.named().map(|(name, value)| format!("{name} = {}", decimal(value, 4))).collect();
        write!(
            f,
            "{} with {}: expected outcome {expected} +- {error}, single outcomes +- {spread}",
            self.name,
            named.join(", ")
        )
    }
}
