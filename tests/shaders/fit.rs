//! The condition for single precision, and its promised errors. The points lie near data, and half
//! of the data lie around one point.

use gittins::backend::gpu::Gpu;
use gittins::backend::{Fallback, Precision};
use gittins::internals::gpu::{FIT, single_error};
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Points, Pointwise,
    Posterior, Scores,
};

use crate::support::comparer::{compare, sentinels};
use crate::support::device::engine;
use crate::support::families::STATIONARY;
use crate::support::smooth::data;
use crate::support::tolerance::{DeviceErrors, device_single};

/// A posterior with half of its data within a fiftieth of the middle.
fn clustered(family: KernelFamily, d: usize, n: usize, noise: f64) -> Posterior {
    let mut inputs = Sobol::new(d, 3).points(0, n);
    for row in n / 2..n {
        inputs.row_mut(row).iter_mut().for_each(|x| *x = 0.5 + (*x - 0.5) / 25.0);
    }
    // The noise is what the model expects: uniform with that variance, as a Sobol coordinate has
    // it.
    let errors = Sobol::new(1, 9).points(0, n);
    let smooth = |x: &[f64]| {
        x.iter().enumerate().map(|(k, x)| (3.0 * x + k as f64).sin()).sum::<f64>()
            / (d as f64).sqrt()
    };
    let outcomes: Vec<f64> = inputs
        .rows()
        .zip(errors.rows())
        .map(|(x, e)| smooth(x) + (12.0 * noise).sqrt() * (e[0] - 0.5))
        .collect();
    let hyperparameters = Hyperparameters {
        lengthscales: vec![0.3 * (d as f64).sqrt(); d],
        outputscale: 1.0,
        noise,
        mean: 0.0,
    };
    Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap()
}

/// Points near data, at distances down to a millionth of the cube's side.
fn near(posterior: &Posterior) -> Points {
    let d = posterior.dim();
    let directions = Sobol::new(d, 17).points(0, 64);
    let mut points = Points::new(d);
    for (j, direction) in directions.rows().enumerate() {
        let length = direction.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>().sqrt();
        let distance = [0.1, 1e-2, 1e-3, 1e-4, 1e-6][j % 5];
        let datum = posterior.inputs().row(j * posterior.len() / 64);
        points.push(
            &datum
                .iter()
                .zip(direction)
                .map(|(x, u)| x + distance * (u - 0.5) / length)
                .collect::<Vec<_>>(),
        );
    }
    points
}

static GITTINS: Acquisition = Acquisition::Pointwise(Pointwise::Gittins { lambda: 1e-3 });

fn job(posterior: &Posterior) -> Job<'_> {
    Job::new(posterior, JobCost::Uniform(1.0), &GITTINS, 1.0).gradient(true)
}

#[test]
fn what_is_accepted_is_as_near_as_promised() {
    let test = "what_is_accepted_is_as_near_as_promised";
    let Some(engine) = engine(test) else { return };
    let gpu = Gpu::new(engine.clone()).precision(Precision::F32);
    let (mut accepted, mut refused, mut worst) = (0, 0, [0f64; 3]);
    for family in KernelFamily::ALL {
        for (d, n) in [(1, 40), (2, 100), (4, 150), (8, 300)] {
            for noise in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
                let posterior = clustered(family, d, n, noise);
                let (points, error) = (near(&posterior), single_error(&posterior));
                let (mut got, mut expected) = (sentinels(), Scores::default());
                Cpu.evaluate(&job(&posterior), &points, &mut expected).unwrap();
                gpu.evaluate(&job(&posterior), &points, &mut got).unwrap();
                let what = format!("{family:?} d={d} n={n} noise={noise:e}, estimate {error:.1e}");
                if error > FIT {
                    refused += 1;
                    assert_eq!(got.provenance.fallback, Some(Fallback::Unfit), "{what}");
                    continue;
                }
                accepted += 1;
                assert_eq!(got.provenance.fallback, None, "{what}");
                // A datum is a kink, and the difference of coordinates is only a few epsilons. So
                // no digit of the direction need be right.
                let allowed =
                    DeviceErrors { gradient: f64::INFINITY, ..device_single(error, false) };
                let errors = compare(&job(&posterior), &got, &expected, allowed)
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                worst.iter_mut().zip(errors).for_each(|(worst, error)| *worst = worst.max(error));
                assert!(
                    errors[0] <= FIT && errors[1] <= 2.1e-3,
                    "{what}: promised 2.5e-4 and 2e-3, got {errors:?}"
                );
            }
        }
    }
    println!(
        "{accepted} accepted, {refused} refused, errors at most {worst:?} of the prior's deviation"
    );
    assert!(accepted >= 40 && refused >= 10, "{accepted} accepted, {refused} refused");
}

#[test]
fn nothing_is_refused_without_need() {
    for family in STATIONARY {
        for d in [4, 8, 16] {
            let (inputs, outcomes) = data(d, 300);
            let lengthscales = vec![0.3 * (d as f64).sqrt(); d];
            let hyperparameters =
                Hyperparameters { lengthscales, outputscale: 1.0, noise: 1e-4, mean: 0.0 };
            let posterior = Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap();
            let error = single_error(&posterior);
            assert!(error <= FIT, "{family:?} d={d}: estimate {error:e}");
        }
    }
    // On the sphere all variances are small once there are more data than inputs, unless the noise
    // is large.
    for (n, noise, fit) in
        [(20, 1e-4, true), (40, 1e-4, false), (40, 1e-2, true), (300, 1e-4, false)]
    {
        let (inputs, outcomes) = data(32, n);
        let lengthscales = vec![0.3 * 32f64.sqrt(); 32];
        let hyperparameters = Hyperparameters { lengthscales, outputscale: 1.0, noise, mean: 0.0 };
        let family = KernelFamily::SphericalLinear;
        let posterior = Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap();
        let error = single_error(&posterior);
        assert_eq!(error <= FIT, fit, "n={n}, noise {noise:e}: estimate {error:e}");
    }
}

#[test]
fn outcomes_that_the_model_does_not_expect_are_refused() {
    let test = "outcomes_that_the_model_does_not_expect_are_refused";
    let hyperparameters =
        Hyperparameters { lengthscales: vec![0.5], outputscale: 4.0, noise: 4e-4, mean: 0.0 };
    let posterior = |gap: f64| {
        let inputs = Points::from_rows(1, vec![0.3, 0.3 + 1e-6, 0.9]).unwrap();
        Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &[0.5, 0.5 + gap, 0.0])
            .unwrap()
    };
    // For two equal inputs the weight of each is half of the gap over the noise. Here the weights
    // are 2500 and 1.2 in units of the prior.
    let (far, close) = (posterior(2.0), posterior(1e-3));
    let expected = f64::from(f32::EPSILON) * 2.0 * f64::sqrt(2.0) * 2500.0;
    assert!(
        (single_error(&far) / expected - 1.0).abs() < 0.01,
        "{:e}, expected {expected:e}",
        single_error(&far)
    );
    assert!(single_error(&close) < FIT);
    let Some(engine) = engine(test) else { return };
    let gpu = Gpu::new(engine.clone()).precision(Precision::F32);
    let points = Sobol::new(1, 2).points(0, 5);
    let mut scores = Scores::default();
    // The posteriors take turns: a refusal by the weights does not affect the next job.
    for (posterior, fallback) in
        [(&far, Some(Fallback::Unfit)), (&close, None), (&far, Some(Fallback::Unfit))]
    {
        gpu.evaluate(&job(posterior), &points, &mut scores).unwrap();
        assert_eq!(scores.provenance.fallback, fallback);
    }
}
