//! The best of a batch, chosen on the device, against the choice among the device's own values. The
//! tests cover ties and sizes around a workgroup's share.

use gittins::backend::gpu::{Device, Gpu};
use gittins::internals::top_k;
use gittins::math::Sobol;
use gittins::{Acquisition, Backend, Job, JobCost, KernelFamily, Points, Pointwise, Scores};

use crate::properties::backend::Bowl;
use crate::support::comparer::sentinels;
use crate::support::device::{engine, own, precisions};
use crate::support::smooth::models;

/// Every third point repeats the point 17 rows before, so there are ties everywhere.
fn points(d: usize, count: usize) -> Points {
    let mut points = Sobol::new(d, 29).points(0, count);
    for row in (17..count).filter(|row| row % 3 == 0) {
        let twin = points.row(row - 17).to_vec();
        points.row_mut(row).copy_from_slice(&twin);
    }
    points
}

fn check(gpu: &Gpu, job: &Job<'_>, points: &Points, keeps: &[usize], what: &str) {
    let (d, mut whole) = (points.dim(), Scores::default());
    gpu.evaluate(job, points, &mut whole).unwrap();
    assert_eq!(whole.provenance.fallback, None, "{what}");
    for &keep in keeps {
        let (mut kept, mut rows) = (sentinels(), Vec::new());
        gpu.evaluate(&job.keep(Some(keep)), points, &mut kept).unwrap();
        assert_eq!(kept.provenance.fallback, None, "{what}, keep {keep}");
        top_k(&whole.value, keep, &mut rows);
        assert_eq!(kept.rows, rows, "{what}, keep {keep}");
        let of = |field: &[f64], width: usize| {
            rows.iter().flat_map(|&row| field[row * width..][..width].to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(kept.value, of(&whole.value, 1), "{what}, keep {keep}: values");
        assert_eq!(kept.mean, of(&whole.mean, 1), "{what}, keep {keep}: means");
        assert_eq!(kept.variance, of(&whole.variance, 1), "{what}, keep {keep}: variances");
        assert_eq!(
            kept.gradient,
            of(&whole.gradient, if job.gradient { d } else { 0 }),
            "{what}, keep {keep}: gradients"
        );
        assert_eq!(kept.floored, whole.floored, "{what}, keep {keep}: floored");
    }
}

#[test]
fn the_best_are_those_of_the_devices_own_values() {
    let test = "the_best_are_those_of_the_devices_own_values";
    let Some(engine) = engine(test) else { return };
    let (posterior, log_cost) = models(KernelFamily::Matern52, 3, 30, 1e-2);
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        for (number, count) in [1, 1023, 1025, 5000].into_iter().enumerate() {
            let cost = [JobCost::Uniform(1.0), JobCost::Learned(&log_cost), JobCost::Known(&Bowl)]
                [number % 3];
            let acquisition = Acquisition::gittins(1e-3);
            let job = Job::new(&posterior, cost, &acquisition, 0.8).gradient(number % 2 == 0);
            check(
                &gpu,
                &job,
                &points(3, count),
                &[1, 32, 511, 512, 513, count + 1],
                &format!("{count} points in {precision}"),
            );
        }
        // Nothing improves on this incumbent. All values are equal, and the lowest rows are the
        // best.
        let acquisition = Acquisition::Pointwise(Pointwise::ExpectedImprovement);
        let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 1e9).keep(Some(40));
        let mut scores = Scores::default();
        gpu.evaluate(&job, &points(3, 3000), &mut scores).unwrap();
        assert_eq!(scores.rows, (0..40).collect::<Vec<_>>());
        assert!(scores.value.iter().all(|value| *value == 0.0));
    }
}

#[test]
fn the_best_of_all_chunks_are_found() {
    let test = "the_best_of_all_chunks_are_found";
    // A chunk has 128 points in double precision and 256 in single.
    let Some(own) = own(test, Some(8 * 128 * 128)) else { return };
    let device = Device::from_wgpu(own.device, own.queue).unwrap();
    let (posterior, _) = models(KernelFamily::Matern32, 3, 100, 1e-2);
    for precision in precisions(&device, test) {
        let gpu = Gpu::new(device.clone()).precision(precision);
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&posterior, JobCost::Known(&Bowl), &acquisition, 0.8).gradient(true);
        check(
            &gpu,
            &job,
            &points(3, 1100),
            &[1, 100, 300, 512, 600],
            &format!("chunks in {precision}"),
        );
        assert!(gpu.work().submissions > 20, "{:?}", gpu.work());
    }
}
