//! The probability of success: how it enters scores, gradients of whole jobs, and far arguments.

use std::sync::Arc;

use gittins::acquisition::{Belief, PointBeliefCost};
use gittins::math::Sobol;
use gittins::posterior::{Success, Usable};
use gittins::{
    Acquisition, Backend, Cpu, ErrorKind, GaussianProcess, Hyperparameters, Job, JobCost, Joint,
    KernelFamily, Points, Pointwise, Scores,
};

use super::backend::{Bowl, all, assert_gradients, posteriors};
use crate::support::smooth::{data, hyperparameters};
use crate::support::tolerance;

/// What is believed of success after `n` trials in `dim` dimensions, of which those with a large
/// first coordinate failed.
pub fn success(dim: usize, n: usize) -> Success {
    let (inputs, _) = data(dim, n);
    let succeeded: Vec<bool> = inputs.rows().map(|x| x[0] < 0.6).collect();
    let latent = Hyperparameters { outputscale: 6.0, mean: 0.4, ..hyperparameters(dim, 0.0) };
    Success::new(KernelFamily::Matern52, &latent, &inputs, &succeeded).unwrap()
}

/// The same as the only thing that keeps a trial from being of use.
pub fn usable(dim: usize, n: usize) -> Usable {
    Usable::new(Some(Arc::new(success(dim, n))), Vec::new()).unwrap()
}

#[test]
fn the_index_of_a_trial_that_may_fail_is_a_fair_bet() {
    // p E[max(f - g, 0)] = lambda c.
    for log_p in [-1e-9, -0.1, -2.3, -20.0] {
        for sd in [1e-3, 0.4, 30.0] {
            for cost in [1e-4, 1.0, 50.0] {
                let belief = Belief { mean: 0.3, sd, cost: PointBeliefCost::Known(cost) };
                let lambda = 1e-2;
                let index = Pointwise::Gittins { lambda };
                let (score, _) = index.score_if_usable(0.0, &belief, log_p);
                let improvement =
                    Pointwise::LogExpectedImprovement.score(score.value, &belief).value;
                // The index is rounded; an error of it by d changes ln EI by d over the divisor
                // EI/Phi, which is the price over p and at most that of a sure gain.
                let price = (lambda * cost).ln() - log_p;
                let units = 1.0 + (score.value.abs() + sd * 10.0) / price.exp().min(sd);
                let allowed = 100.0 * f64::EPSILON * (units + improvement.abs());
                assert!((improvement - price).abs() <= allowed, "{improvement} {price} {allowed}");
            }
        }
    }
}

#[test]
fn derivatives_by_the_probability_agree_with_differences() {
    for acquisition in all() {
        let pointwise = acquisition.pointwise().unwrap();
        for cost in
            [PointBeliefCost::Known(0.7), PointBeliefCost::LogNormal { mean: 0.2, variance: 0.3 }]
        {
            for (mean, sd) in [(0.4, 0.5), (-3.0, 0.6), (2.0, 1e-3)] {
                let belief = Belief { mean, sd, cost };
                for log_p in [-1e-3, -0.5, -4.0, -40.0] {
                    let at = |log_p: f64| pointwise.score_if_usable(0.9, &belief, log_p);
                    let (score, slope) = at(log_p);
                    let h = 1e-4;
                    let difference = (at(log_p + h).0.value - at(log_p - h).0.value) / (2.0 * h);
                    let size = score.value.abs().max(slope.abs());
                    let allowed = size * tolerance::difference(h, 10.0, 10.0 * f64::EPSILON);
                    assert!(
                        (slope - difference).abs() <= allowed,
                        "{acquisition:?} {belief:?} {log_p}: {slope}, difference {difference}"
                    );
                }
                // A sure success changes nothing but the last digits of a divided price.
                let (sure, plain) = (at(pointwise, &belief), pointwise.score(0.9, &belief));
                let allowed = 50.0 * f64::EPSILON * (1.0 + plain.value.abs());
                assert!((sure - plain.value).abs() <= allowed, "{acquisition:?} {belief:?}");
            }
        }
    }
    fn at(pointwise: &Pointwise, belief: &Belief) -> f64 {
        pointwise.score_if_usable(0.9, belief, 0.0).0.value
    }
}

#[test]
fn only_bounds_paths_and_estimates_ignore_success() {
    let ignoring: Vec<_> = all().into_iter().filter(|one| !one.heeds_usable()).collect();
    let names: Vec<&str> = ignoring.iter().map(Acquisition::name).collect();
    assert_eq!(names, ["upper confidence bound", "distance to the estimated maximum"]);
    for acquisition in ignoring {
        let (posterior, _) = posteriors(2, 12);
        let (usable, points) = (usable(2, 12), Sobol::new(2, 31).points(0, 9));
        let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.8).gradient(true);
        let [mut with, mut without] = [Scores::default(), Scores::default()];
        Cpu.evaluate(&job.usable(Some(&usable)), &points, &mut with).unwrap();
        Cpu.evaluate(&job, &points, &mut without).unwrap();
        assert_eq!((with.value, with.gradient), (without.value, without.gradient));
    }
}

#[test]
fn gradients_of_jobs_with_success_agree_with_finite_differences() {
    for (dim, n) in [(1, 5), (3, 25), (10, 30)] {
        let (posterior, log_cost) = posteriors(dim, n);
        let usable = usable(dim, n);
        let points = Sobol::new(dim, 31).points(0, 5);
        let among = Sobol::new(dim, 3).points(0, 7).into();
        let finite = Acquisition::Joint(Joint::FiniteKnowledgeGradient { among });
        for acquisition in all().into_iter().chain([finite]) {
            for cost in [JobCost::Uniform(2.0), JobCost::Known(&Bowl), JobCost::Learned(&log_cost)]
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

/// Certain regions have sites of precision zero, and repeated contradictions have many sites at one
/// point. Neither breaks the posterior.
#[test]
fn propagation_ends_for_hard_labels() {
    let line = |count: usize| {
        Points::from_rows(1, (0..count).map(|i| i as f64 / count as f64).collect()).unwrap()
    };
    let same = Points::from_rows(1, vec![0.3; 40]).unwrap();
    let halves: Vec<bool> = (0..40).map(|i| i % 2 == 0).collect();
    let border: Vec<bool> = (0..40).map(|i| i < 20).collect();
    for decade in -6..=8 {
        for lengthscale in [1e-2, 1.0, 100.0] {
            for mean in [-30.0, 0.0, 30.0] {
                for (inputs, succeeded) in
                    [(&line(40), &border), (&line(40), &halves), (&same, &halves)]
                {
                    let latent = Hyperparameters {
                        lengthscales: vec![lengthscale],
                        outputscale: 10f64.powi(decade),
                        noise: 0.0,
                        mean,
                    };
                    let success =
                        Success::new(KernelFamily::Matern52, &latent, inputs, succeeded).unwrap();
                    let p = success.probabilities(&line(7)).unwrap();
                    assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{latent:?}: {p:?}");
                    assert!(success.log_evidence().is_finite() && success.log_evidence() < 0.0);
                }
            }
        }
    }
}

#[test]
fn fitted_probabilities_follow_the_region_that_fails() {
    let inputs = Sobol::new(2, 9).points(0, 60);
    let succeeded: Vec<bool> = inputs.rows().map(|x| x[0] < 2.0 / 3.0).collect();
    let success = Success::fit(&GaussianProcess::new(), &inputs, &succeeded).unwrap();
    let at = Points::from_rows(2, vec![0.2, 0.5, 0.5, 0.9, 0.8, 0.1, 0.95, 0.7]).unwrap();
    let p = success.probabilities(&at).unwrap();
    assert!(p[0] > 0.95 && p[1] > 0.9 && p[2] < 0.1 && p[3] < 0.05, "{p:?}");
    // The first coordinate alone matters.
    let lengthscales = &success.latent().hyperparameters().lengthscales;
    assert!(lengthscales[1] > lengthscales[0], "{lengthscales:?}");
}

#[test]
fn bad_trials_are_named() {
    let (inputs, model) = (Sobol::new(2, 9).points(0, 3), GaussianProcess::new());
    let fit = |inputs: &Points, labels: &[bool]| Success::fit(&model, inputs, labels).unwrap_err();
    assert_eq!(fit(&Points::new(2), &[]).kind(), ErrorKind::Empty);
    let error = fit(&inputs, &[true]);
    assert_eq!(
        (error.kind(), error.to_string().contains("3 inputs and 1 labels")),
        (ErrorKind::Dimension, true)
    );
    let mut nan = Points::new(1);
    nan.push(&[0.2]);
    nan.push(&[f64::NAN]);
    assert!(fit(&nan, &[true, false]).to_string().contains("point 1"));
    let (posterior, _) = posteriors(3, 5);
    let (usable, acquisition) = (usable(2, 12), Acquisition::gittins(1e-3));
    let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.8).usable(Some(&usable));
    assert_eq!(job.validate().unwrap_err().kind(), ErrorKind::Dimension);
}
