//! Posterior moments and their gradients against 50 digits.

use gittins::{Hyperparameters, KernelFamily, Points, Posterior};
use serde_json::Value;

use crate::support::golden::{family, number, numbers, points, table};
use crate::support::tolerance;

/// The model of a row: family, hyper-parameters, inputs, outcomes.
pub fn model(row: &Value) -> (KernelFamily, Hyperparameters, Points, Vec<f64>) {
    let family = family(&row["kernel"]);
    let hyperparameters = Hyperparameters {
        lengthscales: numbers(&row["lengthscales"]),
        outputscale: number(&row["outputscale"]),
        noise: number(&row["noise"]),
        mean: number(&row["mean"]),
    };
    (family, hyperparameters, points(&row["inputs"]), numbers(&row["outcomes"]))
}

#[test]
fn moments_and_gradients_agree_with_fifty_digits() {
    for (index, row) in table("posterior").as_array().expect("rows").iter().enumerate() {
        let (family, hyperparameters, inputs, outcomes) = model(row);
        let posterior =
            Posterior::new(family, &hyperparameters, &inputs, &outcomes).expect("posterior");
        let points = points(&row["points"]);
        let moments = posterior.moments_with_gradients(&points).expect("moments");
        let tolerance =
            tolerance::posterior(inputs.len(), hyperparameters.outputscale, hyperparameters.noise);
        for (j, answer) in row["answers"].as_array().expect("answers").iter().enumerate() {
            let span = j * inputs.dim()..(j + 1) * inputs.dim();
            let close = |what: &str, got: f64, expected: f64, scale: f64| {
                assert!(
                    (got - expected).abs() <= tolerance * scale,
                    "row {index}, point {j}: {what} is {got}, expected {expected}"
                );
            };
            // Slopes grow with one over the shortest lengthscale. A Matern-1/2 slope also grows
            // with one over the distance to data.
            let slope =
                10.0 / hyperparameters.lengthscales.iter().copied().fold(f64::INFINITY, f64::min);
            close("the mean", moments.mean[j], number(&answer["mean"]), 10.0);
            close(
                "the variance",
                moments.variance[j],
                number(&answer["variance"]),
                hyperparameters.outputscale,
            );
            for (k, at) in span.enumerate() {
                close(
                    "a slope of the mean",
                    moments.mean_gradient[at],
                    number(&answer["mean_gradient"][k]),
                    10.0 * slope,
                );
                close(
                    "a slope of the variance",
                    moments.variance_gradient[at],
                    number(&answer["variance_gradient"][k]),
                    slope,
                );
            }
        }
    }
}
