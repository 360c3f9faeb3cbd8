//! Expected bounds and sample paths of control sets on a device against the CPU, and decisions of a
//! study that searches on the device.

use std::sync::Arc;

use gittins::backend::Precision;
use gittins::backend::gpu::Gpu;
use gittins::internals::gpu::{FIT, path_single_error, single_error};
use gittins::posterior::Paths;
use gittins::{
    Acquisition, Backend, Cpu, Job, JobCost, KernelFamily, Outcome, Points, Pointwise, Scores,
};
use gittins_papers::control::internals::{ControlSet, Expected, expected};
use gittins_papers::control::{Sampling, SubsetPolicy, SubsetStudy, SubsetWhy};

use crate::control::expectations::{completed, queries, sets};
use crate::control::studies::{field, fixed, harvest, nature};
use crate::support::comparer::agree;
use crate::support::control as allowed;
use crate::support::device::{engine, precisions};
use crate::support::families::STATIONARY;
use crate::support::smooth::models;
use crate::support::tolerance::{
    DeviceErrors, assert_within, device_double, device_path, device_single,
};

/// Compares the device with the CPU. A mean over completions has at most the error of the worst
/// completion.
fn check(
    gpu: &dyn Backend,
    job: &Job<'_>,
    sets: &[&ControlSet],
    samples: &Points,
    allowed: DeviceErrors,
    what: &str,
) {
    let places = queries(sets, 9);
    for gradient in [true, false] {
        let by = |backend: &dyn Backend| -> Vec<Expected> {
            expected(backend, job.posterior, job.acquisition, sets, samples, &places, gradient)
                .unwrap()
        };
        let (got, host) = (by(gpu), by(&Cpu));
        for ((set, places), (got, host)) in sets.iter().zip(&places).zip(got.iter().zip(&host)) {
            let what = format!("{what}, {}", set.name);
            // The scales are those of the completions, as in the comparison of single jobs.
            let mut scores = Scores::default();
            let mut all = Points::new(job.posterior.dim());
            places.rows().for_each(|query| all.extend(&completed(set, query, samples)));
            Cpu.evaluate(&job.gradient(true), &all, &mut scores).unwrap();
            let hyperparameters = job.posterior.hyperparameters();
            let size = |values: &[f64], from: f64, least: f64| {
                values.iter().fold(least, |most, value| most.max((value - from).abs()))
            };
            let value =
                size(&scores.value, hyperparameters.mean, hyperparameters.outputscale.sqrt());
            agree(&format!("{what} value"), &got.value, &host.value, value, allowed.value).unwrap();
            agree(
                &format!("{what} gradient"),
                &got.gradient,
                &host.gradient,
                size(&scores.gradient, 0.0, 0.0),
                allowed.gradient,
            )
            .unwrap();
            assert_eq!(got.gradient.len(), if gradient { places.values().len() } else { 0 });
        }
    }
}

#[test]
fn expected_bounds_and_paths_agree_with_the_cpu() {
    let test = "expected_bounds_and_paths_agree_with_the_cpu";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let mut done = 0;
        for (family, (d, n, count)) in STATIONARY
            .into_iter()
            .flat_map(|family| [(1, 5, 3), (3, 65, 64), (6, 40, 130)].map(|shape| (family, shape)))
        {
            let noise = 1e-2;
            let (posterior, _) = models(family, d, n, noise);
            let bound = sets(d);
            let sets: Vec<&ControlSet> = bound.sets().iter().collect();
            let samples = bound.samples(count, Sampling::QuasiRandom, 3);
            let (error, double) = (single_error(&posterior), device_double(n, noise));
            let moments = if precision == Precision::F64 {
                double
            } else {
                device_single(error, false).plus(double.mean)
            };
            let path = Paths::draw(&posterior, 256, 1, 5).unwrap().path(0);
            if precision == Precision::F32 && path_single_error(&path).max(error) > FIT {
                continue;
            }
            let of_path = device_path(precision, &posterior, &path, (256, noise));
            for (acquisition, allowed) in [
                (Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 4.0 }), moments),
                (Acquisition::thompson(path), of_path),
            ] {
                let job =
                    Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.2).gradient(true);
                check(
                    &gpu,
                    &job,
                    &sets,
                    &samples,
                    allowed,
                    &format!("{family:?} d={d} n={n} {count} {acquisition:?} in {precision}"),
                );
                done += 1;
            }
        }
        println!("{test} in {precision}: {done} batches");
        assert!(done > 12, "{done} batches in {precision}");
    }
}

/// The host settles what a device finds: the same set, the same place up to the ends of climbs, and
/// the value in double precision.
#[test]
fn decisions_agree_with_the_cpus() {
    let test = "decisions_agree_with_the_cpus";
    let Some(engine) = engine(test) else { return };
    let play = |backend: Arc<dyn Backend>, family: KernelFamily| {
        let (space, sets) = field();
        let study = SubsetStudy::maximize(space, sets)
            .model(fixed(family, 3, 0.4))
            .policy(SubsetPolicy::ucb_cvs(0.3))
            .initial(0)
            .samples(128);
        let mut study = study.seed(5).backend(backend).build().unwrap();
        for k in 0..10 {
            study.import(&nature(k), Outcome::new(harvest(&nature(k)))).unwrap();
        }
        study.ask().unwrap()
    };
    for family in [KernelFamily::Rbf, KernelFamily::Matern52] {
        let host = play(Arc::new(Cpu), family);
        for precision in precisions(engine, test) {
            let gpu = Arc::new(Gpu::new(engine.clone()).precision(precision));
            let device = play(gpu.clone(), family);
            assert!(
                gpu.work().submissions > 0,
                "{family:?} in {precision}: the device had nothing to do"
            );
            assert_eq!(device.set(), host.set(), "{family:?} in {precision}");
            let (SubsetWhy::Chosen(one), SubsetWhy::Chosen(other)) = (device.why(), host.why())
            else {
                panic!("{:?}", device.why())
            };
            for (one, other) in one.values.iter().zip(&other.values) {
                let (one, other) = (one.unwrap(), other.unwrap());
                assert_within(
                    format!("{family:?} in {precision}"),
                    one,
                    other,
                    allowed::SAME_VALUE * other.abs(),
                );
            }
            for (one, other) in one.query.iter().zip(&other.query) {
                assert_within(
                    format!("{family:?} in {precision}, query"),
                    *one,
                    *other,
                    allowed::SAME_QUERY,
                );
            }
        }
    }
}
