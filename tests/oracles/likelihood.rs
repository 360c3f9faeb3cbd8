//! Log marginal likelihoods against 50 digits.

use gittins::internals::Likelihood;
use gittins::{Hyperparameters, Posterior};

use super::posterior::model;
use crate::support::golden::{number, table};
use crate::support::tolerance;

#[test]
fn likelihoods_and_profiled_means_agree_with_fifty_digits() {
    for (index, row) in table("posterior").as_array().expect("rows").iter().enumerate() {
        let (family, hyperparameters, inputs, outcomes) = model(row);
        let tolerance =
            tolerance::posterior(inputs.len(), hyperparameters.outputscale, hyperparameters.noise);
        let expected = number(&row["log_marginal_likelihood"]);
        let likelihood = Likelihood::new(family, &hyperparameters, &inputs, &outcomes, false)
            .expect("likelihood");
        let posterior =
            Posterior::new(family, &hyperparameters, &inputs, &outcomes).expect("posterior");
        for got in [likelihood.value, posterior.log_marginal_likelihood()] {
            assert!(
                (got - expected).abs() <= tolerance * expected.abs().max(1.0),
                "row {index}: {got}, expected {expected}"
            );
        }
        let profiled = Likelihood::new(
            family,
            &Hyperparameters { mean: 1e3, ..hyperparameters },
            &inputs,
            &outcomes,
            true,
        )
        .expect("profiled");
        let mean = number(&row["profiled_mean"]);
        assert!(
            (profiled.mean - mean).abs() <= 10.0 * tolerance,
            "row {index}: profiled mean {}, expected {mean}",
            profiled.mean
        );
        assert!(
            profiled.value >= expected - tolerance,
            "row {index}: profiling lowered the likelihood"
        );
    }
}
