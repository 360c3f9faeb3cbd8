//! Whole jobs on a device against the CPU, in each precision: every acquisition, cost and kernel,
//! sizes around the tiles, and decades of scales.

use gittins::backend::gpu::Gpu;
use gittins::backend::{Fallback, Precision};
use gittins::internals::gpu::{FIT, single_error};
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, CostForm, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Pointwise,
    Posterior, Scores,
};

use crate::properties::backend::{Bowl, all};
use crate::support::comparer::{compare, sentinels};
use crate::support::device::{engine, precisions};
use crate::support::smooth::{data, hyperparameters, models};
use crate::support::tolerance::{DeviceErrors, device_double, device_single};

/// Evaluates on both. Returns the errors in units of what is allowed, or `None` if single precision
/// is rightly refused.
fn check(
    gpu: &Gpu,
    precision: Precision,
    job: &Job<'_>,
    count: usize,
    double: DeviceErrors,
    what: &str,
) -> Option<[f64; 4]> {
    let points = Sobol::new(job.posterior.dim(), 23).points(0, count);
    let (mut got, mut expected) = (sentinels(), Scores::default());
    Cpu.evaluate(job, &points, &mut expected).unwrap();
    gpu.evaluate(job, &points, &mut got).unwrap();
    assert!(got.rows.is_empty(), "{what}: rows of a whole batch");
    let mut error = single_error(job.posterior);
    if let (JobCost::Learned(posterior), true) = (job.cost, job.acquisition.uses_cost()) {
        error = error.max(single_error(posterior));
    }
    if precision == Precision::F32 && error > FIT {
        assert_eq!(
            (got.provenance.backend, got.provenance.fallback),
            ("cpu", Some(Fallback::Unfit)),
            "{what}"
        );
        assert_eq!(got.value, expected.value, "{what}");
        return None;
    }
    assert_eq!(
        (got.provenance.backend, got.provenance.fallback, got.provenance.precision),
        ("gpu", None, precision.name()),
        "{what}"
    );
    let tail = !matches!(
        job.acquisition,
        Acquisition::Pointwise(Pointwise::Gittins { .. } | Pointwise::UpperConfidenceBound { .. })
    );
    let allowed = if precision == Precision::F64 {
        double
    } else {
        device_single(error, tail).plus(double.mean)
    };
    let errors = compare(job, &got, &expected, allowed)
        .unwrap_or_else(|error| panic!("{what} in {}: {error}", precision.name()));
    Some([
        errors[0] / allowed.mean,
        errors[1] / allowed.deviation,
        errors[2] / allowed.value,
        errors[3] / allowed.gradient,
    ])
}

/// Runs over the precisions. Prints the largest of the errors in units of what is allowed.
fn each(
    test: &str,
    least: usize,
    jobs: impl Fn(&mut dyn FnMut(&Job<'_>, usize, DeviceErrors, &str)),
) {
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let (mut worst, mut done) = ([0f64; 4], 0);
        jobs(&mut |job, count, double, what| {
            if let Some(errors) = check(&gpu, precision, job, count, double, what) {
                done += 1;
                worst.iter_mut().zip(errors).for_each(|(worst, error)| *worst = worst.max(error));
            }
        });
        println!(
            "{test} in {}: {done} jobs, at most {worst:.3?} of what is allowed",
            precision.name()
        );
        assert!(done >= least, "{test} in {}: only {done} jobs were not refused", precision.name());
    }
}

#[test]
fn every_acquisition_cost_and_kernel() {
    each("every_acquisition_cost_and_kernel", 4 * 11 * 6, |check| {
        for family in KernelFamily::ALL {
            let (posterior, log_cost) = models(family, 4, 65, 1e-4);
            for acquisition in all() {
                for (name, cost) in [
                    ("uniform", JobCost::Uniform(2.0)),
                    ("known", JobCost::Known(&Bowl)),
                    ("learned", JobCost::Learned(&log_cost)),
                ] {
                    for gradient in [true, false] {
                        // With gradients the noise of an outcome is foreseen too. Not every
                        // acquisition uses it.
                        let noise = if gradient { 0.03 } else { 0.0 };
                        let job = Job::new(&posterior, cost, &acquisition, 0.8)
                            .gradient(gradient)
                            .noise(noise);
                        let what = format!(
                            "{family:?}, {acquisition:?}, {name} cost, gradient {gradient}"
                        );
                        check(&job, 65, device_double(65, 1e-4), &what);
                    }
                }
            }
        }
    });
}

/// Data, dimensions, points. Each number beside an edge of a tile occurs with each of the other
/// two.
const SHAPES: [(usize, usize, usize); 20] = [
    (1, 1, 1),
    (1, 4, 65),
    (1, 64, 63),
    (2, 1, 64),
    (2, 7, 1000),
    (2, 9, 1),
    (63, 2, 63),
    (63, 8, 1),
    (63, 17, 65),
    (63, 33, 64),
    (64, 3, 64),
    (64, 16, 1000),
    (64, 5, 1),
    (65, 1, 65),
    (65, 9, 63),
    (65, 24, 1),
    (65, 64, 64),
    (500, 4, 63),
    (500, 15, 65),
    (500, 8, 1000),
];

#[test]
fn shapes_beside_the_edges_of_tiles() {
    each("shapes_beside_the_edges_of_tiles", 30, |check| {
        for (number, (n, d, b)) in SHAPES.into_iter().enumerate() {
            let (posterior, log_cost) =
                models(KernelFamily::ALL[number % KernelFamily::ALL.len()], d, n, 1e-3);
            let costs = [JobCost::Learned(&log_cost), JobCost::Known(&Bowl), JobCost::Uniform(0.3)];
            for (acquisition, cost) in [
                (Acquisition::gittins(1e-3), costs[number % 3]),
                (
                    Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                        exponent: 0.7,
                        form: CostForm::Expected,
                    }),
                    costs[(number + 1) % 3],
                ),
            ] {
                let job = Job::new(&posterior, cost, &acquisition, 0.8).gradient(true);
                check(
                    &job,
                    b,
                    device_double(n, 1e-3),
                    &format!("n={n} d={d} b={b}, {acquisition:?}"),
                );
            }
        }
    });
}

/// Many data in many dimensions, with the noise of such data. A batch is small here, because a
/// software adapter and the host each take some billions of operations for it.
#[test]
fn thousands_of_data_in_hundreds_of_dimensions() {
    each("thousands_of_data_in_hundreds_of_dimensions", 1, |check| {
        let (n, d) = (2000, 300);
        let (posterior, log_cost) = models(KernelFamily::Matern52, d, n, 1e-3);
        let acquisition = Acquisition::gittins(1e-3);
        let job =
            Job::new(&posterior, JobCost::Learned(&log_cost), &acquisition, 0.8).gradient(true);
        check(&job, 65, device_double(n, 1e-3), "n=2000 d=300 b=65");
    });
}

/// Outcome and log cost with coordinates of their own: one on the sphere, the other not, or both.
/// With fewer data than inputs, with as many rows as features, and with rows appended to what is on
/// the device.
#[test]
fn on_the_sphere_and_beside_it() {
    each("on_the_sphere_and_beside_it", 40, |check| {
        for (n, d, b) in [(30, 40, 65), (63, 64, 64), (90, 40, 130), (33, 7, 5), (12, 1, 3)] {
            let noise = 1e-2;
            let (sphere, scaled) = models(KernelFamily::SphericalLinear, d, n, noise);
            let mut grown = sphere.clone();
            let more = Sobol::new(d, 31).points(0, 3);
            for (row, outcome) in more.rows().zip([0.1, -0.4, 0.7]) {
                grown.append(row, outcome).unwrap();
            }
            let hyperparameters = Hyperparameters { noise: 1.3 * noise, ..hyperparameters(d, 1.0) };
            let (inputs, outcomes) = data(d, n);
            let outcome =
                Posterior::new(KernelFamily::Matern32, &hyperparameters, &inputs, &outcomes)
                    .unwrap();
            for (posterior, cost) in [
                (&sphere, JobCost::Learned(&scaled)),
                (&outcome, JobCost::Learned(&sphere)),
                (&grown, JobCost::Learned(&sphere)),
                (&sphere, JobCost::Known(&Bowl)),
            ] {
                for acquisition in [
                    Acquisition::gittins(1e-3),
                    Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 4.0 }),
                ] {
                    for gradient in [true, false] {
                        let job = Job::new(posterior, cost, &acquisition, 0.8).gradient(gradient);
                        let what = format!("n={n} d={d} b={b}, {acquisition:?}, {gradient}");
                        check(&job, b, device_double(n + 3, noise), &what);
                    }
                }
            }
        }
    });
}

#[test]
fn decades_of_scales() {
    each("decades_of_scales", 40, |check| {
        let (d, n) = (5, 80);
        let (inputs, outcomes) = data(d, n);
        let unit = hyperparameters(d, 1.0).lengthscales;
        for (number, scale) in [1e-12, 1e-6, 1.0, 1e6, 1e12].into_iter().enumerate() {
            for mean in [0.0, 1e6f64] {
                let deviation = f64::sqrt(scale);
                // A mean this large costs the scores the same number of digits, because they are
                // rounded with the mean, twice.
                let rounded = 2.0 * f64::EPSILON * mean / deviation;
                if rounded > 1e-6 {
                    continue;
                }
                let outcomes: Vec<f64> = outcomes.iter().map(|y| mean + deviation * y).collect();
                for (noise, price) in [(1e-8, 1e-3), (1e-4, 1e-12), (1e-2, 1.0), (1e-1, 1e6)] {
                    let hyperparameters = Hyperparameters {
                        lengthscales: unit.clone(),
                        outputscale: scale,
                        noise: noise * scale,
                        mean,
                    };
                    let posterior = Posterior::new(
                        KernelFamily::ALL[number % KernelFamily::ALL.len()],
                        &hyperparameters,
                        &inputs,
                        &outcomes,
                    )
                    .unwrap();
                    let incumbent = mean + 0.5 * deviation;
                    for acquisition in [
                        Acquisition::gittins(price * deviation),
                        Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
                        Acquisition::Pointwise(Pointwise::ExpectedImprovement),
                    ] {
                        let job =
                            Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, incumbent)
                                .gradient(true);
                        check(
                            &job,
                            64,
                            device_double(n, noise).plus(rounded),
                            &format!(
                                "outputscale {scale:e}, mean {mean:e}, noise {noise:e}, price {price:e}, {acquisition:?}"
                            ),
                        );
                    }
                }
            }
        }
    });
}
