//! The spherical linear kernel against dense algebra with 60 digits.

use gittins::internals::Likelihood;
use gittins::{Hyperparameters, KernelFamily, Points, Posterior};
use serde_json::Value;

use crate::properties::spherical::features;
use crate::support::golden::{number, numbers, points, table};
use crate::support::tolerance;

const FAMILY: KernelFamily = KernelFamily::SphericalLinear;

struct Row {
    at: Hyperparameters,
    inputs: Points,
    outcomes: Vec<f64>,
    /// The relative error that a method may have.
    tolerance: f64,
}

impl Row {
    fn new(row: &Value) -> Self {
        let at = Hyperparameters {
            lengthscales: numbers(&row["lengthscales"]),
            outputscale: number(&row["outputscale"]),
            noise: number(&row["noise"]),
            mean: number(&row["mean"]),
        };
        let inputs = points(&row["inputs"]);
        let smallest = features(&inputs, &at.lengthscales).svd(false, false).singular_values.min();
        let tolerance = tolerance::low_rank(inputs.len(), at.outputscale, at.noise, smallest);
        Self { at, inputs, outcomes: numbers(&row["outcomes"]), tolerance }
    }
}

/// The magnitude counts if it is above `least`.
fn close(what: &str, got: f64, expected: f64, tolerance: f64, least: f64) {
    let allowed = tolerance * expected.abs().max(least);
    assert!((got - expected).abs() <= allowed, "{what}: {got}, expected {expected} +- {allowed:e}");
}

#[test]
fn moments_of_the_spherical_kernel_agree_with_sixty_digits() {
    for (index, row) in table("spherical").as_array().expect("rows").iter().enumerate() {
        let Row { at, inputs, outcomes, tolerance } = Row::new(row);
        let posterior = Posterior::new(FAMILY, &at, &inputs, &outcomes).expect("posterior");
        assert_eq!(posterior.len(), inputs.len());
        assert_eq!(posterior.jitter(), 0.0);
        let points = points(&row["points"]);
        let moments = posterior.moments_with_gradients(&points).expect("moments");
        let prior = posterior.joint(&inputs).expect("moments");
        assert_eq!(prior.mean.len(), inputs.len());
        // A slope is that of the projection times a difference of the magnitude of the value.
        let shortest = at.lengthscales.iter().copied().fold(f64::INFINITY, f64::min);
        let slope = 10.0 * 2.0 / shortest;
        for (j, answer) in row["answers"].as_array().expect("answers").iter().enumerate() {
            let what = |what: &str| format!("row {index}, point {j}: {what}");
            close(&what("mean"), moments.mean[j], number(&answer["mean"]), tolerance, 10.0);
            let variance = number(&answer["variance"]);
            close(&what("variance"), moments.variance[j], variance, tolerance, at.outputscale);
            let [of_mean, of_variance] =
                ["mean_gradient", "variance_gradient"].map(|name| numbers(&answer[name]));
            for k in 0..inputs.dim() {
                let span = j * inputs.dim() + k;
                let (got, expected) = (moments.mean_gradient[span], of_mean[k]);
                close(&what("slope of the mean"), got, expected, tolerance, 10.0 * slope);
                let (got, expected) = (moments.variance_gradient[span], of_variance[k]);
                close(&what("slope of the variance"), got, expected, tolerance, slope);
            }
        }
    }
}

#[test]
fn likelihoods_of_the_spherical_kernel_agree_with_sixty_digits() {
    for (index, row) in table("spherical").as_array().expect("rows").iter().enumerate() {
        let Row { at, inputs, outcomes, tolerance } = Row::new(row);
        let what = |what: &str| format!("row {index}: {what}");
        let expected = number(&row["log_marginal_likelihood"]);
        let posterior = Posterior::new(FAMILY, &at, &inputs, &outcomes).expect("posterior");
        let found = Likelihood::new(FAMILY, &at, &inputs, &outcomes, false).expect("likelihood");
        let (n, magnitude) = (inputs.len() as f64, expected.abs().max(1.0));
        for got in [posterior.log_marginal_likelihood(), found.value] {
            close(&what("likelihood"), got, expected, tolerance, n);
        }
        // A derivative sums the terms that the value has.
        for (got, expected) in
            found.d_log_lengthscales.iter().zip(numbers(&row["d_log_lengthscales"]))
        {
            close(&what("by a lengthscale"), *got, expected, 10.0 * tolerance, magnitude);
        }
        for (got, name) in
            [(found.d_log_outputscale, "d_log_outputscale"), (found.d_log_noise, "d_log_noise")]
        {
            close(&what(name), got, number(&row[name]), 10.0 * tolerance, magnitude);
        }
        let profiled = Likelihood::new(FAMILY, &at, &inputs, &outcomes, true).expect("profiled");
        close(&what("mean"), profiled.mean, number(&row["profiled_mean"]), tolerance, 10.0);
        assert!(profiled.value >= expected - tolerance * magnitude, "row {index}");
    }
}

#[test]
fn kernel_values_are_products_on_the_sphere() {
    for row in table("spherical").as_array().expect("rows") {
        let Row { at, inputs, .. } = Row::new(row);
        // One outcome with a large noise leaves the prior: the covariance with it is the kernel.
        let noise = 1e6;
        let first = Points::from_rows(inputs.dim(), inputs.row(0).to_vec()).expect("a point");
        let at = Hyperparameters { noise, mean: 0.0, ..at };
        let posterior = Posterior::new(FAMILY, &at, &first, &[noise]).expect("posterior");
        let kernel = numbers(&row["kernel"]);
        let means = posterior.moments(&inputs.select(0..kernel.len())).expect("moments").mean;
        for (mean, kernel) in means.iter().zip(&kernel) {
            // A distance of some twenty coordinates, and ten operations more.
            let got = mean * (at.outputscale + noise) / noise;
            close("kernel", got, *kernel, 30.0 * f64::EPSILON, at.outputscale);
        }
    }
}
