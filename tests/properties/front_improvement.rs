//! The expected improvement of a front as an acquisition: it is that of one objective with one, and its
//! gradients.

use std::sync::Arc;

use gittins::internals::{Front, FrontImprovement};
use gittins::math::Sobol;
use gittins::posterior::Usable;
use gittins::{Acquisition, Backend, Cpu, Job, JobCost, Joint, KernelFamily, Posterior, Scores};

use super::backend::{Bowl, assert_gradients, posteriors};
use super::success::success;
use crate::support::smooth::{data, hyperparameters};

/// Another objective, against the coordinates.
fn other(dim: usize, n: usize, weight: f64) -> Arc<Posterior> {
    let (inputs, _) = data(dim, n);
    let values: Vec<f64> =
        inputs.rows().map(|x| weight - x.iter().map(|u| (3.0 * u).sin()).sum::<f64>()).collect();
    let hyperparameters = hyperparameters(dim, 1e-2);
    Arc::new(Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &values).unwrap())
}

fn improvement(front: &Front, others: &[Arc<Posterior>], per_cost: bool) -> Acquisition {
    let others = others.iter().map(|posterior| (posterior.clone(), 1e-3)).collect();
    let front = FrontImprovement { cells: front.cells(), others, log_unit: 0.0, per_cost };
    Joint::FrontImprovement { front: Arc::new(front) }.into()
}

#[test]
fn with_one_objective_it_is_the_expected_improvement() {
    let (posterior, log_cost) = posteriors(3, 20);
    let usable = Usable::new(Some(Arc::new(success(3, 15))), Vec::new()).unwrap();
    let points = Sobol::new(3, 31).points(0, 40);
    let front = Front::new(vec![-5.0], [[0.8]]).unwrap();
    for cost in [JobCost::Uniform(2.0), JobCost::Known(&Bowl), JobCost::Learned(&log_cost)] {
        for (noise, usable) in [(0.0, None), (1e-3, Some(&usable))] {
            let (own, usual) = (improvement(&front, &[], true), Acquisition::log_eipc());
            let of = |acquisition: &Acquisition| {
                let job = Job::new(&posterior, cost, acquisition, 0.8);
                let mut scores = Scores::default();
                let job = job.noise(noise).usable(usable).gradient(true);
                Cpu.evaluate(&job, &points, &mut scores).unwrap();
                scores
            };
            let (own, usual) = (of(&own), of(&usual));
            // The same numbers, added in another order.
            let near = |a: &[f64], b: &[f64]| {
                a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e3 * f64::EPSILON * (1.0 + b.abs()))
            };
            assert!(near(&own.value, &usual.value), "{cost:?}");
            assert!(near(&own.gradient, &usual.gradient), "{cost:?}");
            assert_eq!((own.mean, own.variance), (usual.mean, usual.variance));
        }
    }
}

#[test]
fn gradients_agree_with_finite_differences() {
    for (dim, n) in [(1, 6), (3, 25), (8, 30)] {
        let (posterior, log_cost) = posteriors(dim, n);
        let usable = Usable::new(Some(Arc::new(success(dim, n))), Vec::new()).unwrap();
        let points = Sobol::new(dim, 31).points(0, 5);
        let others = [other(dim, n, 1.0), other(dim, n + 5, 2.0)];
        let two = Front::new(vec![-1.0, -2.0], [[0.5, 0.2], [0.1, 0.6], [0.8, -0.5]]).unwrap();
        let three = Front::new(vec![-1.0; 3], [[0.5, 0.2, 0.1], [0.1, 0.6, 0.4]]).unwrap();
        for (front, others) in [(&two, &others[..1]), (&three, &others[..])] {
            for per_cost in [false, true] {
                let acquisition = improvement(front, others, per_cost);
                for cost in
                    [JobCost::Uniform(2.0), JobCost::Known(&Bowl), JobCost::Learned(&log_cost)]
                {
                    for usable in [None, Some(&usable)] {
                        let job = Job::new(&posterior, cost, &acquisition, 0.8)
                            .gradient(true)
                            .noise(1e-3)
                            .usable(usable);
                        assert_gradients(&job, &points);
                    }
                }
            }
        }
    }
}
