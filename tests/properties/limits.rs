//! The probability that limits on measured numbers hold: its value, its gradients, and what a device
//! does with it.

use std::sync::Arc;

use gittins::math::Sobol;
use gittins::posterior::Usable;
use gittins::{
    Acquisition, Backend, Cpu, ErrorKind, Job, JobCost, KernelFamily, Points, Posterior, Scores,
};

use super::backend::{Bowl, all, assert_gradients, posteriors};
use super::success::success;
use crate::support::smooth::{data, hyperparameters};
use crate::support::tolerance;

/// The slack of a limit that holds on one side of a plane.
fn slack(dim: usize, n: usize, bound: f64) -> Arc<Posterior> {
    let (inputs, _) = data(dim, n);
    let slacks: Vec<f64> =
        inputs.rows().map(|x| bound - x.iter().sum::<f64>() / dim as f64).collect();
    let hyperparameters = hyperparameters(dim, 0.1);
    Arc::new(Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &slacks).unwrap())
}

#[test]
fn the_probability_is_the_product_of_normal_ones() {
    let slacks = [slack(2, 15, 0.5), slack(2, 25, 0.7)];
    let points = Sobol::new(2, 31).points(0, 40);
    let usable = Usable::new(Some(Arc::new(success(2, 12))), slacks.to_vec()).unwrap();
    let found = usable.probabilities(&points).unwrap();
    let succeeds = success(2, 12).probabilities(&points).unwrap();
    let mut seen = [0; 2];
    for (j, p) in found.iter().enumerate() {
        let factor = |slack: &Posterior| {
            let at = Points::from_rows(2, points.row(j).to_vec()).unwrap();
            let moments = slack.moments(&at).unwrap();
            // Phi(z) = erfc(-z / sqrt 2) / 2.
            0.5 * libm::erfc(-moments.mean[0] / (2.0 * moments.variance[0]).sqrt())
        };
        let expected = succeeds[j] * slacks.iter().map(|slack| factor(slack)).product::<f64>();
        assert!((p - expected).abs() <= 1e-12, "{p}, {expected}");
        seen[usize::from(*p > 0.5)] += 1;
    }
    assert!(seen.iter().all(|count| *count > 3), "{seen:?}");
    assert!(Usable::new(None, Vec::new()).is_none());
}

#[test]
fn gradients_of_jobs_with_limits_agree_with_finite_differences() {
    for (dim, n) in [(1, 5), (3, 25), (10, 30)] {
        let (posterior, log_cost) = posteriors(dim, n);
        let slacks = vec![slack(dim, n, 0.5), slack(dim, n + 7, 0.6)];
        for success in [None, Some(Arc::new(success(dim, n)))] {
            let usable = Usable::new(success, slacks.clone()).unwrap();
            let points = Sobol::new(dim, 31).points(0, 5);
            for acquisition in all() {
                for cost in
                    [JobCost::Uniform(2.0), JobCost::Known(&Bowl), JobCost::Learned(&log_cost)]
                {
                    let job = Job::new(&posterior, cost, &acquisition, 0.8)
                        .gradient(true)
                        .noise(1e-3)
                        .usable(Some(&usable));
                    assert_gradients(&job, &points);
                }
            }
        }
    }
}

#[test]
fn the_index_is_that_at_the_price_over_the_probability() {
    let (posterior, _) = posteriors(2, 12);
    let usable = Usable::new(None, vec![slack(2, 12, 0.5)]).unwrap();
    let points = Sobol::new(2, 31).points(0, 30);
    let probabilities = usable.probabilities(&points).unwrap();
    let acquisition = Acquisition::gittins(1e-2);
    let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.8);
    let mut with = Scores::default();
    Cpu.evaluate(&job.usable(Some(&usable)), &points, &mut with).unwrap();
    for (j, p) in probabilities.iter().enumerate() {
        let at = Points::from_rows(2, points.row(j).to_vec()).unwrap();
        let dearer = Acquisition::gittins(1e-2 / p.max(1e-200));
        let mut alone = Scores::default();
        Cpu.evaluate(&job.acquisition(&dearer), &at, &mut alone).unwrap();
        let allowed = tolerance::DIVIDED_PRICE * (1.0 + alone.value[0].abs());
        assert!((with.value[j] - alone.value[0]).abs() <= allowed, "{p}");
    }
}

#[test]
fn models_of_other_dimensions_are_refused() {
    let (posterior, _) = posteriors(3, 5);
    let usable = Usable::new(None, vec![slack(2, 12, 0.5)]).unwrap();
    let acquisition = Acquisition::gittins(1e-3);
    let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.8).usable(Some(&usable));
    assert_eq!(job.validate().unwrap_err().kind(), ErrorKind::Dimension);
}
