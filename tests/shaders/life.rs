//! The life of a posterior on the device: sent once, grown by rows, shared by threads, removed to
//! make room.

use gittins::backend::gpu::Gpu;
use gittins::internals::gpu::Work;
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cpu, Job, JobCost, KernelFamily, Points, Pointwise, Posterior, Scores,
};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::properties::backend::Bowl;
use crate::support::comparer::{compare, equal_bits, sentinels};
use crate::support::device::{engine, precisions};
use crate::support::families::STATIONARY;
use crate::support::smooth::{data, models};
use crate::support::tolerance::{device_double, device_single};

const DIM: usize = 4;
const NOISE: f64 = 1e-2;

static GITTINS: Acquisition = Acquisition::Pointwise(Pointwise::Gittins { lambda: 1e-3 });

fn job<'a>(posterior: &'a Posterior, cost: JobCost<'a>) -> Job<'a> {
    Job::new(posterior, cost, &GITTINS, 0.8).gradient(true)
}

fn points() -> Points {
    Sobol::new(DIM, 13).points(0, 70)
}

fn scores(gpu: &Gpu, job: &Job<'_>) -> Scores {
    let mut scores = sentinels();
    gpu.evaluate(job, &points(), &mut scores).unwrap();
    assert_eq!((scores.provenance.backend, scores.provenance.fallback), ("gpu", None));
    scores
}

/// Fails unless the scores equal the CPU's within the errors of the precision.
#[track_caller]
fn assert_right(job: &Job<'_>, got: &Scores, what: &str) {
    let mut expected = Scores::default();
    Cpu.evaluate(job, &points(), &mut expected).unwrap();
    let single = device_single(gittins::internals::gpu::single_error(job.posterior), false);
    let allowed = if got.provenance.precision == "f32" {
        single
    } else {
        device_double(job.posterior.len(), NOISE)
    };
    compare(job, got, &expected, allowed).unwrap_or_else(|error| panic!("{what}: {error}"));
}

#[test]
fn a_posterior_is_sent_once() {
    let test = "a_posterior_is_sent_once";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        assert_eq!(gpu.work(), Work::default());
        let (posterior, log_cost) = models(KernelFamily::Matern52, DIM, 40, NOISE);
        let once = scores(&gpu, &job(&posterior, JobCost::Uniform(1.0)));
        assert_eq!(gpu.work(), Work { sent: 1, appended: 0, submissions: 1, paths: 0 });
        // A clone is the same posterior.
        let again = scores(&gpu, &job(&posterior.clone(), JobCost::Uniform(1.0)));
        assert!(equal_bits(&once, &again));
        assert_eq!(gpu.work(), Work { sent: 1, appended: 0, submissions: 2, paths: 0 });
        scores(&gpu, &job(&posterior, JobCost::Learned(&log_cost)));
        scores(&gpu, &job(&posterior, JobCost::Known(&Bowl)));
        assert_eq!(gpu.work(), Work { sent: 2, appended: 0, submissions: 4, paths: 0 });
        // A score that does not use the cost sends no model of the cost.
        let (_, other) = models(KernelFamily::Matern52, DIM, 30, NOISE);
        let blind = job(&posterior, JobCost::Learned(&other))
            .acquisition(&Acquisition::Pointwise(Pointwise::ExpectedImprovement));
        scores(&gpu, &blind);
        assert_eq!(gpu.work(), Work { sent: 2, appended: 0, submissions: 5, paths: 0 });
    }
}

#[test]
fn a_posterior_that_grew_is_sent_as_rows() {
    let test = "a_posterior_that_grew_is_sent_as_rows";
    let Some(engine) = engine(test) else { return };
    let (inputs, outcomes) = data(DIM, 140);
    for precision in precisions(engine, test) {
        // Growth within a block, from a full block into the next, and over several blocks at once.
        for (from, to) in [(10, 11), (63, 64), (64, 65), (60, 68), (100, 140)] {
            for parent_stays in [true, false] {
                let what = format!("{from} to {to} in {precision}, parent stays: {parent_stays}");
                let gpu = Gpu::new(engine.clone()).precision(precision);
                let (parent, _) = models(KernelFamily::Matern32, DIM, from, NOISE);
                let before = scores(&gpu, &job(&parent, JobCost::Uniform(1.0)));
                let mut child = parent.clone();
                let mut kept = Some(parent);
                if !parent_stays {
                    kept = None;
                }
                for (row, &outcome) in outcomes.iter().enumerate().take(to).skip(from) {
                    child.append(inputs.row(row), outcome).unwrap();
                }
                let grown = scores(&gpu, &job(&child, JobCost::Uniform(1.0)));
                assert_eq!(
                    gpu.work(),
                    Work { sent: 1, appended: 1, submissions: 2, paths: 0 },
                    "{what}"
                );
                assert_right(&job(&child, JobCost::Uniform(1.0)), &grown, &what);
                let anew = scores(
                    &Gpu::new(engine.clone()).precision(precision),
                    &job(&child, JobCost::Uniform(1.0)),
                );
                let single = device_single(gittins::internals::gpu::single_error(&child), false);
                let allowed = if precision == gittins::backend::Precision::F32 {
                    single
                } else {
                    device_double(to, NOISE)
                };
                compare(&job(&child, JobCost::Uniform(1.0)), &grown, &anew, allowed)
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                if let Some(parent) = kept {
                    assert!(
                        equal_bits(&scores(&gpu, &job(&parent, JobCost::Uniform(1.0))), &before),
                        "{what}: the parent changed"
                    );
                    assert_eq!(gpu.work().sent, 1, "{what}: the parent was gone");
                }
            }
        }
    }
}

#[test]
fn a_run_of_appended_rows_stays_right() {
    let test = "a_run_of_appended_rows_stays_right";
    let Some(engine) = engine(test) else { return };
    let (inputs, outcomes) = data(DIM, 140);
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let (mut posterior, mut log_cost) = models(KernelFamily::Matern52, DIM, 50, NOISE);
        for (row, &outcome) in outcomes.iter().enumerate().take(80).skip(50) {
            let got = scores(&gpu, &job(&posterior, JobCost::Learned(&log_cost)));
            assert_right(
                &job(&posterior, JobCost::Learned(&log_cost)),
                &got,
                &format!("{row} in {precision}"),
            );
            posterior.append(inputs.row(row), outcome).unwrap();
            log_cost.append(inputs.row(row), 1.0 + 0.5 * inputs.row(row)[0]).unwrap();
        }
        assert_eq!(gpu.work(), Work { sent: 2, appended: 58, submissions: 30, paths: 0 });
    }
}

#[test]
fn fantasies_grow_on_the_device() {
    let test = "fantasies_grow_on_the_device";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let (posterior, _) = models(KernelFamily::Matern52, DIM, 62, NOISE);
        scores(&gpu, &job(&posterior, JobCost::Uniform(1.0)));
        for seed in 0..3 {
            let fantasy = posterior.fantasize(&Sobol::new(DIM, seed).points(0, 4)).unwrap();
            let got = scores(&gpu, &job(&fantasy, JobCost::Uniform(1.0)));
            assert_right(&job(&fantasy, JobCost::Uniform(1.0)), &got, "a fantasy");
        }
        assert_eq!(gpu.work(), Work { sent: 1, appended: 3, submissions: 4, paths: 0 });
        let got = scores(&gpu, &job(&posterior, JobCost::Uniform(1.0)));
        assert_right(&job(&posterior, JobCost::Uniform(1.0)), &got, "what the fantasies grew from");
    }
}

#[test]
fn more_posteriors_than_are_kept() {
    let test = "more_posteriors_than_are_kept";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let pairs: Vec<_> = (0..5)
            .map(|k| models(STATIONARY[k % STATIONARY.len()], DIM, 20 + 15 * k, NOISE))
            .collect();
        // In this order the outcome is already on the device when room is made for its cost.
        for (outcome, cost) in
            [(0, 0), (1, 1), (0, 2), (1, 3), (0, 4), (4, 0), (4, 1), (2, 1), (3, 2), (0, 0)]
        {
            let job = job(&pairs[outcome].0, JobCost::Learned(&pairs[cost].1));
            assert_right(
                &job,
                &scores(&gpu, &job),
                &format!("outcome {outcome}, cost {cost} in {precision}"),
            );
        }
        assert!(gpu.work().sent > 10, "some were sent again: {:?}", gpu.work());
    }
}

#[test]
fn threads_share_a_backend_and_backends_a_device() {
    fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<Gpu>();
    let test = "threads_share_a_backend_and_backends_a_device";
    let Some(engine) = engine(test) else { return };
    let gpus = [Gpu::new(engine.clone()), Gpu::new(engine.clone())];
    let models: Vec<_> =
        (0..4).map(|k| models(KernelFamily::Matern52, DIM, 30 + 20 * k, NOISE)).collect();
    let expected: Vec<_> = models
        .iter()
        .map(|(posterior, cost)| scores(&gpus[0], &job(posterior, JobCost::Learned(cost))))
        .collect();
    std::thread::scope(|scope| {
        for (k, gpu) in gpus.iter().chain(&gpus).enumerate() {
            let (models, expected) = (&models, &expected);
            scope.spawn(move || {
                for turn in 0..12 {
                    let at = (k + turn) % 4;
                    let (posterior, cost) = &models[at];
                    assert!(
                        equal_bits(
                            &scores(gpu, &job(posterior, JobCost::Learned(cost))),
                            &expected[at]
                        ),
                        "thread {k}, turn {turn}"
                    );
                }
            });
        }
    });
    assert_eq!(gpus[0].work().submissions + gpus[1].work().submissions, 4 + 48);
}

/// The threads of the pool compute costs and inverse factors. A thread that waits for its share may
/// start another of these tasks. If it held the backend meanwhile, it would wait for itself.
#[test]
fn tasks_of_a_pool_share_a_backend() {
    let test = "tasks_of_a_pool_share_a_backend";
    let Some(engine) = engine(test) else { return };
    let gpu = Gpu::new(engine.clone());
    (0..16).into_par_iter().for_each(|task| {
        let (posterior, _) = models(KernelFamily::Matern52, DIM, 100 + task, NOISE);
        let job = job(&posterior, JobCost::Known(&Bowl));
        assert_right(&job, &scores(&gpu, &job), &format!("task {task}"));
    });
    assert_eq!(gpu.work(), Work { sent: 16, appended: 0, submissions: 16, paths: 0 });
}
