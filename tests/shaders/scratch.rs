//! A point's numbers depend only on the job: not on earlier jobs, nor on the point's batch, nor on
//! chunks. Bit for bit.

use gittins::backend::Precision;
use gittins::backend::gpu::{Device, Gpu};
use gittins::math::Sobol;
use gittins::{Acquisition, Backend, Job, JobCost, KernelFamily, Points, Scores};

use crate::properties::backend::Bowl;
use crate::support::comparer::{equal_bits, sentinels};
use crate::support::device::{engine, own, precisions};
use crate::support::smooth::models;

pub fn scores(gpu: &Gpu, job: &Job<'_>, points: &Points) -> Scores {
    let mut scores = sentinels();
    gpu.evaluate(job, points, &mut scores).unwrap();
    assert_eq!((scores.provenance.backend, scores.provenance.fallback), ("gpu", None));
    scores
}

pub(super) fn part(points: &Points, range: std::ops::Range<usize>) -> Points {
    let mut part = Points::new(points.dim());
    range.for_each(|row| part.push(points.row(row)));
    part
}

/// Joins the scores of parts of a batch.
pub(super) fn joined(parts: impl Iterator<Item = Scores>) -> Scores {
    let mut whole = Scores::default();
    for part in parts {
        whole.value.extend(part.value);
        whole.mean.extend(part.mean);
        whole.variance.extend(part.variance);
        whole.gradient.extend(part.gradient);
        whole.floored += part.floored;
    }
    whole
}

#[test]
fn nothing_of_a_larger_job_is_left() {
    let test = "nothing_of_a_larger_job_is_left";
    let Some(engine) = engine(test) else { return };
    let (large, large_cost) = models(KernelFamily::Matern32, 9, 200, 1e-2);
    let (small, small_cost) = models(KernelFamily::Matern52, 4, 10, 1e-3);
    let acquisition = Acquisition::gittins(1e-3);
    for precision in precisions(engine, test) {
        let fresh = || Gpu::new(engine.clone()).precision(precision);
        let used = fresh();
        let before =
            Job::new(&large, JobCost::Learned(&large_cost), &acquisition, 0.5).gradient(true);
        scores(&used, &before, &Sobol::new(9, 3).points(0, 300));
        for cost in [JobCost::Known(&Bowl), JobCost::Uniform(2.0), JobCost::Learned(&small_cost)] {
            for gradient in [false, true] {
                for keep in [None, Some(3)] {
                    let job =
                        Job::new(&small, cost, &acquisition, 0.5).gradient(gradient).keep(keep);
                    let points = Sobol::new(4, 5).points(0, 7);
                    assert!(
                        equal_bits(&scores(&used, &job, &points), &scores(&fresh(), &job, &points)),
                        "{gradient} {keep:?} {precision}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_rest_of_the_batch_does_not_matter() {
    let test = "the_rest_of_the_batch_does_not_matter";
    let Some(engine) = engine(test) else { return };
    let (posterior, log_cost) = models(KernelFamily::Matern52, 9, 70, 1e-2);
    let acquisition = Acquisition::gittins(1e-3);
    let points = Sobol::new(9, 5).points(0, 200);
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        for cost in [JobCost::Known(&Bowl), JobCost::Learned(&log_cost)] {
            let job = Job::new(&posterior, cost, &acquisition, 0.5).gradient(true);
            let whole = scores(&gpu, &job, &points);
            let cuts = [0, 1, 64, 129, 130, 200];
            let parts =
                cuts.windows(2).map(|cut| scores(&gpu, &job, &part(&points, cut[0]..cut[1])));
            assert!(equal_bits(&joined(parts), &whole), "{precision}");
        }
    }
}

/// The bytes of a buffer that a shader can see. With this limit a chunk of the job below has 128
/// points in double precision and 256 in single.
const BINDING: u64 = 8 * 128 * 128;

#[test]
fn chunks_are_the_points_in_separate_calls() {
    let test = "chunks_are_the_points_in_separate_calls";
    let Some(own) = own(test, Some(BINDING)) else { return };
    let device = Device::from_wgpu(own.device, own.queue).unwrap();
    let (posterior, log_cost) = models(KernelFamily::Matern32, 4, 100, 1e-2);
    let points = Sobol::new(4, 5).points(0, 1000);
    for precision in precisions(&device, test) {
        let chunk = if precision == Precision::F64 { 128 } else { 256 };
        for cost in [JobCost::Known(&Bowl), JobCost::Learned(&log_cost)] {
            let gpu = Gpu::new(device.clone()).precision(precision);
            let acquisition = Acquisition::gittins(1e-3);
            let job = Job::new(&posterior, cost, &acquisition, 0.5).gradient(true);
            let whole = scores(&gpu, &job, &points);
            assert_eq!(gpu.work().submissions, 1000usize.div_ceil(chunk), "chunks in {precision}");
            let calls = (0..1000)
                .step_by(100)
                .map(|start| scores(&gpu, &job, &part(&points, start..start + 100)));
            assert!(equal_bits(&joined(calls), &whole), "{precision}");
        }
    }
}
