//! Sample paths on a device against the CPU: every kernel, sizes around the tiles, paths of other
//! posteriors, paths that are sent once, and whole searches.

use std::sync::Arc;

use gittins::backend::gpu::Gpu;
use gittins::backend::{Fallback, Precision};
use gittins::internals::gpu::{FIT, path_single_error, single_error};
use gittins::math::Sobol;
use gittins::maximize::argmax;
use gittins::posterior::{Path, Paths};
use gittins::study::Why;
use gittins::{
    Acquisition, Backend, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Maximize, Outcome,
    Points, Policy, Posterior, Scores, Study, Table,
};

use crate::support::comparer::{compare, equal_bits, sentinels};
use crate::support::device::{engine, precisions};
use crate::support::smooth::{data, hyperparameters, models};
use crate::support::tolerance::{DeviceErrors, FOUND_AGAIN, device_path};

fn draw(posterior: &Posterior, features: usize, seed: u64) -> Path {
    Paths::draw(posterior, features, 3, seed).unwrap().path(1)
}

fn job<'a>(posterior: &'a Posterior, acquisition: &'a Acquisition, gradient: bool) -> Job<'a> {
    Job::new(posterior, JobCost::Uniform(1.0), acquisition, 0.8).gradient(gradient)
}

/// Data, dimensions, points, features. Each of them lies beside an edge of a tile in some row.
const SHAPES: [(usize, usize, usize, usize); 8] = [
    (1, 1, 1, 2),
    (63, 2, 65, 126),
    (64, 8, 64, 128),
    (65, 9, 63, 130),
    (2, 17, 16, 1024),
    (130, 3, 17, 1024),
    (300, 4, 200, 1024),
    (40, 33, 15, 256),
];

#[test]
fn paths_agree_with_the_host() {
    let test = "paths_agree_with_the_host";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let (mut worst, mut largest, mut done, mut refused) = ([0f64; 4], [0f64; 4], 0, 0);
        for family in KernelFamily::ALL {
            for (number, (n, d, b, features)) in SHAPES.into_iter().enumerate() {
                let noise = [1e-2, 1e-3][number % 2];
                let (posterior, _) = models(family, d, n, noise);
                let path = draw(&posterior, features, number as u64);
                let acquisition = Acquisition::thompson(path.clone());
                let points = Sobol::new(d, 23).points(0, b);
                for gradient in [true, false] {
                    let job = job(&posterior, &acquisition, gradient);
                    let what = format!(
                        "{family:?} n={n} d={d} b={b}, {features} features, gradient {gradient}, {}",
                        precision.name()
                    );
                    let (mut got, mut expected) = (sentinels(), Scores::default());
                    Cpu.evaluate(&job, &points, &mut expected).unwrap();
                    gpu.evaluate(&job, &points, &mut got).unwrap();
                    if precision == Precision::F32
                        && path_single_error(&path).max(single_error(&posterior)) > FIT
                    {
                        assert_eq!(got.provenance.fallback, Some(Fallback::Unfit), "{what}");
                        refused += 1;
                        continue;
                    }
                    assert_eq!(
                        (got.provenance.backend, got.provenance.fallback),
                        ("gpu", None),
                        "{what}"
                    );
                    let allowed = device_path(precision, &posterior, &path, (features, noise));
                    let errors = compare(&job, &got, &expected, allowed)
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    let shares = [
                        errors[0] / allowed.mean,
                        errors[1] / allowed.deviation,
                        errors[2] / allowed.value,
                        errors[3] / allowed.gradient,
                    ];
                    worst
                        .iter_mut()
                        .zip(shares)
                        .for_each(|(worst, share)| *worst = worst.max(share));
                    largest
                        .iter_mut()
                        .zip(errors)
                        .for_each(|(largest, error)| *largest = largest.max(error));
                    done += 1;
                }
            }
        }
        println!(
            "{test} in {}: {done} jobs, {refused} refused, errors {largest:?}, at most {worst:.3?} of what is allowed",
            precision.name()
        );
        assert!(done >= 48, "{done} jobs, {refused} refused");
    }
}

/// The path's posterior has other units, lengthscales and data than the job's posterior.
#[test]
fn a_path_of_another_posterior_keeps_its_units() {
    let test = "a_path_of_another_posterior_keeps_its_units";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let (posterior, _) = models(KernelFamily::Matern52, 3, 70, 1e-2);
        let (inputs, outcomes) = data(3, 20);
        let outcomes: Vec<f64> = outcomes.iter().map(|y| 50.0 + 3.0 * y).collect();
        let lengthscales = hyperparameters(3, 1.0).lengthscales.iter().map(|l| 0.8 * l).collect();
        let other = Hyperparameters { lengthscales, outputscale: 9.0, noise: 0.09, mean: 50.0 };
        let other = Posterior::new(KernelFamily::Rbf, &other, &inputs, &outcomes).unwrap();
        let path = draw(&other, 512, 4);
        let acquisition = Acquisition::thompson(path.clone());
        let points = Sobol::new(3, 23).points(0, 100);
        let (mut got, mut expected) = (sentinels(), Scores::default());
        gpu.evaluate(&job(&posterior, &acquisition, true), &points, &mut got).unwrap();
        Cpu.evaluate(&job(&posterior, &acquisition, true), &points, &mut expected).unwrap();
        assert_eq!(got.provenance.fallback, None);
        // Values are compared in units of the path's prior, moments in units of the job's prior.
        let allowed = device_path(precision, &posterior, &path, (512, 1e-2));
        compare(
            &job(&posterior, &acquisition, true),
            &got,
            &expected,
            DeviceErrors { value: f64::INFINITY, ..allowed },
        )
        .unwrap();
        for (got, expected) in got.value.iter().zip(&expected.value) {
            assert!(
                (got - expected).abs()
                    <= 3.0 * allowed.value * (1.0f64).max((expected - 50.0).abs() / 3.0),
                "{got} and {expected}"
            );
        }
    }
}

#[test]
fn a_path_is_sent_once() {
    let test = "a_path_is_sent_once";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let (posterior, _) = models(KernelFamily::Rbf, 2, 30, 1e-2);
        let points = Sobol::new(2, 23).points(0, 70);
        let paths = Paths::draw(&posterior, 64, 3, 1).unwrap();
        let evaluate = |index: usize| {
            let acquisition = Acquisition::thompson(paths.path(index));
            let mut scores = sentinels();
            gpu.evaluate(&job(&posterior, &acquisition, true), &points, &mut scores).unwrap();
            assert_eq!(scores.provenance.fallback, None);
            (scores, gpu.work().paths)
        };
        let (first, _) = evaluate(0);
        // A clone is the same path. Two paths are kept, and a third one removes the path that was
        // used least recently.
        for (index, sent) in [(0, 1), (1, 2), (0, 2), (1, 2), (2, 3), (1, 3), (0, 4), (1, 4)] {
            let (scores, paths) = evaluate(index);
            assert_eq!(paths, sent, "path {index}");
            assert_eq!(equal_bits(&scores, &first), index == 0, "path {index}");
        }
        assert_eq!(gpu.work().sent, 1);
    }
}

#[test]
fn the_maximum_of_a_path_is_found_again() {
    let test = "the_maximum_of_a_path_is_found_again";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let (posterior, _) = models(KernelFamily::Matern52, 2, 30, 1e-2);
        let acquisition = Acquisition::thompson(draw(&posterior, 1024, 6));
        let job = job(&posterior, &acquisition, true);
        let search = |backend: &dyn Backend| {
            Maximize::new(2).seed(5).run(backend, &job, &Points::new(2)).unwrap()
        };
        let (device, host) = (search(&gpu), search(&Cpu));
        assert!(
            (device.value - host.value).abs() <= FOUND_AGAIN,
            "{} and {}",
            device.value,
            host.value
        );
        let rows = Sobol::new(2, 8).points(0, 3000);
        let best =
            |backend: &dyn Backend| argmax(backend, &job, &rows, &[false; 3000]).unwrap().unwrap();
        let (device, host) = (best(&gpu), best(&Cpu));
        assert_eq!((device.row, device.value), (host.row, host.value));
        assert_eq!(device.basins.backend, "gpu");
    }
}

#[test]
fn a_study_samples_on_the_device_as_on_the_host() {
    let test = "a_study_samples_on_the_device_as_on_the_host";
    let Some(engine) = engine(test) else { return };
    let table = || {
        Table::new(
            ["a", "b"],
            Sobol::new(2, 4).points(0, 500).rows().map(<[f64]>::to_vec).collect(),
        )
        .unwrap()
    };
    let rows = |backend: Arc<dyn Backend>, expected: &str| {
        let mut study = Study::minimize(table())
            .policy(Policy::thompson())
            .initial(5)
            .seed(2)
            .backend(backend)
            .build()
            .unwrap();
        let mut rows = Vec::new();
        for _ in 0..9 {
            let ask = study.ask().unwrap();
            if let Why::Suggested(suggestion) = ask.why() {
                assert_eq!(suggestion.basins.backend, expected);
            }
            rows.push(ask.row());
            study
                .tell(
                    ask.id(),
                    Outcome::new((ask.numbers()[0] - 0.4).powi(2) + (5.0 * ask.numbers()[1]).sin()),
                )
                .unwrap();
        }
        rows
    };
    // The device chooses a fit precision, and the host decides between close values.
    assert_eq!(rows(Arc::new(Gpu::new(engine.clone())), "gpu"), rows(Arc::new(Cpu), "cpu"));
}
