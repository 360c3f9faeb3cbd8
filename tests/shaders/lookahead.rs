//! Trees of fantasies on a device against the CPU: every kernel and every kind of cost, paths and
//! trees, sizes around the tiles, chunks, threads, failures, and whole searches.

use gittins::acquisition::{Boundary, FantasyTree};
use gittins::backend::gpu::{Device, Gpu};
use gittins::backend::{Fallback, Precision};
use gittins::internals::gpu::{FIT, Work, single_error};
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cpu, ErrorKind, Hyperparameters, Job, JobCost, Joint, KernelFamily,
    Maximize, Points, Pointwise, Posterior, Scores,
};

use super::scratch::scores;
use super::scratch::{joined, part};
use crate::properties::backend::Bowl;
use crate::support::comparer::{compare, equal_bits, sentinels};
use crate::support::device::{TestDevice, engine, own, precisions};
use crate::support::smooth::{data, models};
use crate::support::tolerance::FOUND_AGAIN;
use crate::support::tolerance::lookahead_device::{tree_double, tree_single};

/// The noise as a share of the prior's variance. With it single precision is fit for these jobs.
const NOISE: f64 = 1e-2;

/// The fantasies of each level.
const TREES: [&[usize]; 4] = [&[], &[1, 1, 1], &[2, 2], &[4, 4, 2]];

fn plan(fantasies: &[usize], budget: Option<f64>, boundary: Boundary) -> Acquisition {
    let tree = FantasyTree::new(fantasies, 3).unwrap();
    Acquisition::Joint(Joint::MultiStepImprovement { tree: tree.into(), budget, boundary })
}

/// Rows with as many points as an acquisition takes together.
fn rows(acquisition: &Acquisition, d: usize, count: usize) -> Points {
    let together = acquisition.points();
    let points = Sobol::new(d, 23).points(0, count * together);
    Points::from_rows(d * together, points.values().to_vec()).unwrap()
}

fn job<'a>(
    posterior: &'a Posterior,
    cost: JobCost<'a>,
    acquisition: &'a Acquisition,
    gradient: bool,
) -> Job<'a> {
    Job::new(posterior, cost, acquisition, 0.8).gradient(gradient)
}

/// Evaluates on both and compares. Returns the errors in units of what is allowed.
#[track_caller]
fn check(
    gpu: &Gpu,
    precision: Precision,
    job: &Job<'_>,
    points: &Points,
    steps: usize,
    what: &str,
) -> [f64; 4] {
    let (mut got, mut expected) = (sentinels(), Scores::default());
    Cpu.evaluate(job, points, &mut expected).unwrap();
    gpu.evaluate(job, points, &mut got).unwrap();
    let what = format!("{what} in {precision}");
    assert_eq!(
        (got.provenance.backend, got.provenance.fallback, got.provenance.precision),
        ("gpu", None, precision.name()),
        "{what}"
    );
    let mut error = single_error(job.posterior);
    let mut n = job.posterior.len();
    if let (JobCost::Learned(posterior), true) = (job.cost, job.acquisition.uses_cost()) {
        error = error.max(single_error(posterior));
        n = n.max(posterior.len());
    }
    let allowed = if precision == Precision::F64 {
        tree_double(n, NOISE, steps)
    } else {
        tree_single(error, NOISE, steps)
    };
    let errors =
        compare(job, &got, &expected, allowed).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!((got.floored, &got.rows), (expected.floored, &expected.rows), "{what}");
    [
        errors[0] / allowed.mean,
        errors[1] / allowed.deviation,
        errors[2] / allowed.value,
        errors[3] / allowed.gradient,
    ]
}

/// Runs over the precisions. Prints the largest of the errors in units of what is allowed.
fn each(test: &str, jobs: impl Fn(&mut dyn FnMut(&Job<'_>, &Points, usize, &str))) {
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let (mut worst, mut done) = ([0f64; 4], 0);
        jobs(&mut |job, points, steps, what| {
            let errors = check(&gpu, precision, job, points, steps, what);
            worst.iter_mut().zip(errors).for_each(|(worst, error)| *worst = worst.max(error));
            done += 1;
        });
        println!("{test} in {precision}: {done} jobs, at most {worst:?} of what is allowed");
        assert!(done > 0);
    }
}

#[test]
fn every_tree_purse_and_kernel() {
    each("every_tree_purse_and_kernel", |check| {
        for (number, family) in KernelFamily::ALL.into_iter().enumerate() {
            let d = [2, 3, 5, 8, 40][number];
            let (posterior, log_cost) = models(family, d, 20 + 10 * number, NOISE);
            for fantasies in TREES {
                let steps = fantasies.len() + 1;
                let budget = Some(3.0 * steps as f64);
                let smooth = Boundary::Smooth { width: 0.5 };
                for (name, cost, budget, boundary) in [
                    ("no", JobCost::Learned(&log_cost), None, Boundary::Sharp),
                    ("a uniform", JobCost::Uniform(2.0), budget, smooth),
                    ("a known sharp", JobCost::Known(&Bowl), budget, Boundary::Sharp),
                    ("a known smooth", JobCost::Known(&Bowl), budget, smooth),
                    ("a learned", JobCost::Learned(&log_cost), budget, Boundary::Sharp),
                ] {
                    let acquisition = plan(fantasies, budget, boundary);
                    let points = rows(&acquisition, d, 9);
                    for (gradient, keep) in
                        [(true, None), (false, None), (true, Some(4)), (false, Some(2))]
                    {
                        let job = job(&posterior, cost, &acquisition, gradient).keep(keep);
                        check(
                            &job,
                            &points,
                            steps,
                            &format!(
                                "{family:?}, {fantasies:?}, {name} cost, gradient {gradient}, keep {keep:?}"
                            ),
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn shapes_beside_the_edges_of_tiles() {
    each("trees beside the edges of tiles", |check| {
        for (number, (n, d, b)) in
            [(1, 1, 1), (6, 2, 63), (63, 4, 8), (64, 8, 16), (65, 9, 17), (70, 3, 65), (130, 17, 5)]
                .into_iter()
                .enumerate()
        {
            let (posterior, log_cost) =
                models(KernelFamily::ALL[number % KernelFamily::ALL.len()], d, n, NOISE);
            let (_, shorter) = models(
                KernelFamily::ALL[number % KernelFamily::ALL.len()],
                d,
                n.div_ceil(2),
                NOISE,
            );
            for (fantasies, cost) in
                [([2, 2], JobCost::Learned(&log_cost)), ([1, 1], JobCost::Learned(&shorter))]
            {
                let acquisition = plan(&fantasies, Some(8.0), Boundary::Sharp);
                let job = job(&posterior, cost, &acquisition, true);
                check(
                    &job,
                    &rows(&acquisition, d, b),
                    3,
                    &format!("n={n} d={d} b={b}, {fantasies:?}"),
                );
            }
        }
    });
}

#[test]
fn decades_of_scales() {
    each("trees over decades of scales", |check| {
        let (d, n) = (3, 40);
        let (inputs, outcomes) = data(d, n);
        let acquisition = plan(&[2, 2], None, Boundary::Sharp);
        let points = rows(&acquisition, d, 20);
        for scale in [1e-24, 1e-12, 1.0, 1e12, 1e24] {
            let deviation = f64::sqrt(scale);
            let outcomes: Vec<f64> = outcomes.iter().map(|y| deviation * (7.0 + y)).collect();
            let lengthscales = vec![0.5; d];
            let hyperparameters = Hyperparameters {
                lengthscales,
                outputscale: scale,
                noise: NOISE * scale,
                mean: 7.0 * deviation,
            };
            let posterior =
                Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes)
                    .unwrap();
            let job = job(&posterior, JobCost::Uniform(1.0), &acquisition, true)
                .incumbent(7.6 * deviation);
            check(&job, &points, 3, &format!("outputscale {scale:e}"));
        }
    });
}

/// Improvements far below the range of single precision still have a slope.
#[test]
fn slopes_of_the_tail_are_kept() {
    let test = "slopes_of_the_tail_are_kept";
    let Some(engine) = engine(test) else { return };
    let (posterior, _) = models(KernelFamily::Rbf, 2, 10, NOISE);
    let acquisition = plan(&[2, 2], None, Boundary::Sharp);
    let points = rows(&acquisition, 2, 5);
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let job = job(&posterior, JobCost::Uniform(1.0), &acquisition, true).incumbent(15.0);
        let (got, mut expected) = (scores(&gpu, &job, &points), Scores::default());
        Cpu.evaluate(&job, &points, &mut expected).unwrap();
        let mut far = 0;
        for (row, (got, expected)) in
            got.gradient.chunks(14).zip(expected.gradient.chunks(14)).enumerate()
        {
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let largest = |a: &[f64]| a.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            let (scale, other) = (largest(expected), largest(got));
            if scale < 1e-250 {
                continue;
            }
            let unit = |a: &[f64], by: f64| a.iter().map(|x| x / by).collect::<Vec<_>>();
            let (a, b) = (unit(expected, scale), unit(got, other));
            // A relative error of the values does not change the direction.
            assert!(
                dot(&a, &b) > 0.99 * (dot(&a, &a) * dot(&b, &b)).sqrt(),
                "row {row}: {got:?}, expected {expected:?}"
            );
            far += usize::from(scale < 1e-45);
        }
        assert!(far > 0, "{:?}", expected.value);
    }
}

/// The numbers of a tree depend neither on its batch, nor on chunks, nor on earlier jobs. Bit for
/// bit.
#[test]
fn the_rest_of_the_batch_does_not_matter() {
    let test = "the rest of the batch does not matter to trees";
    let Some(own) = own(test, Some(8 * 128 * 128)) else { return };
    let device = Device::from_wgpu(own.device, own.queue).unwrap();
    let (posterior, log_cost) = models(KernelFamily::Matern32, 4, 100, NOISE);
    let (large, large_cost) = models(KernelFamily::Matern52, 4, 120, NOISE);
    let acquisition = plan(&[2, 2], Some(8.0), Boundary::Sharp);
    let other = Acquisition::gittins(1e-3);
    for precision in precisions(&device, test) {
        let gpu = Gpu::new(device.clone()).precision(precision);
        // Chunks of 128 points in double precision and 256 points in single precision are 18 and 36
        // trees.
        let chunk = if precision == Precision::F64 { 18 } else { 36 };
        let points = rows(&acquisition, 4, 100);
        let job = job(&posterior, JobCost::Learned(&log_cost), &acquisition, true);
        scores(&gpu, &job.gradient(false), &points);
        // Later chunks may be shorter. Their length depends on the device's measured work in the
        // time of a submission.
        assert_eq!(gpu.work().submissions, 100usize.div_ceil(chunk), "chunks in {precision}");
        let whole = scores(&gpu, &job, &points);
        let before = job.posterior(&large).cost(JobCost::Learned(&large_cost)).acquisition(&other);
        let calls = [0, 1, 18, 43, 100].windows(2).map(|cut| {
            scores(&gpu, &before, &Sobol::new(4, 3).points(0, 120));
            scores(&gpu, &job, &part(&points, cut[0]..cut[1]))
        });
        assert!(equal_bits(&joined(calls), &whole), "{precision}");
    }
}

#[test]
fn a_batch_takes_two_submissions_with_gradients() {
    let test = "a_batch_takes_two_submissions_with_gradients";
    let Some(engine) = engine(test) else { return };
    let (posterior, log_cost) = models(KernelFamily::Matern52, 3, 30, NOISE);
    let acquisition = plan(&[4, 2], Some(8.0), Boundary::Sharp);
    let points = rows(&acquisition, 3, 10);
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let learned = job(&posterior, JobCost::Learned(&log_cost), &acquisition, true);
        for (gradient, keep, submissions) in
            [(false, None, 1), (true, None, 3), (true, Some(2), 6), (false, Some(2), 8)]
        {
            scores(&gpu, &learned.gradient(gradient).keep(keep), &points);
            assert_eq!(gpu.work(), Work { sent: 2, appended: 0, submissions, paths: 0 });
        }
        // If nothing is paid, no model of the cost is sent.
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let acquisition = plan(&[4, 2], None, Boundary::Sharp);
        scores(&gpu, &learned.acquisition(&acquisition), &points);
        assert_eq!(gpu.work(), Work { sent: 1, appended: 0, submissions: 2, paths: 0 });
    }
}

/// Between the moments and the gradient of one thread other threads send chunks.
#[test]
fn threads_share_a_backend() {
    let test = "threads share a backend for trees";
    let Some(engine) = engine(test) else { return };
    let gpu = Gpu::new(engine.clone());
    let models: Vec<_> =
        (0..3).map(|k| models(KernelFamily::Matern52, 3, 30 + 20 * k, NOISE)).collect();
    let plans = [
        plan(&[1, 1], Some(8.0), Boundary::Sharp),
        plan(&[2, 2], None, Boundary::Sharp),
        Acquisition::gittins(1e-3),
    ];
    let job = |at: usize| job(&models[at].0, JobCost::Learned(&models[at].1), &plans[at], true);
    let points: Vec<_> = plans.iter().map(|plan| rows(plan, 3, 12)).collect();
    let expected: Vec<_> = (0..3).map(|at| scores(&gpu, &job(at), &points[at])).collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (gpu, job, points, expected) = (&gpu, &job, &points, &expected);
            scope.spawn(move || {
                for turn in 0..12 {
                    let at = (thread + turn) % 3;
                    assert!(
                        equal_bits(&scores(gpu, &job(at), &points[at]), &expected[at]),
                        "thread {thread}, turn {turn}"
                    );
                }
            });
        }
    });
}

#[test]
fn what_goes_wrong_is_the_hosts() {
    let test = "what goes wrong with trees is the host's";
    let Some(engine) = engine(test) else { return };
    let acquisition = plan(&[2, 2], Some(8.0), Boundary::Sharp);
    let points = rows(&acquisition, 3, 10);
    let answered = |gpu: &Gpu, job: &Job<'_>, fallback: Fallback| {
        let (mut got, mut expected) = (sentinels(), Scores::default());
        gpu.evaluate(job, &points, &mut got).unwrap();
        Cpu.evaluate(job, &points, &mut expected).unwrap();
        assert_eq!((got.provenance.backend, got.provenance.fallback), ("cpu", Some(fallback)));
        assert!(equal_bits(&got, &expected));
    };
    let (posterior, log_cost) = models(KernelFamily::Matern52, 3, 30, NOISE);
    let learned = job(&posterior, JobCost::Learned(&log_cost), &acquisition, true);
    // Single precision is refused for an unfit cost as for an unfit outcome.
    let single = Gpu::new(engine.clone()).precision(Precision::F32);
    let (inputs, outcomes) = data(3, 60);
    let hyperparameters =
        Hyperparameters { lengthscales: vec![2.0; 3], outputscale: 1.0, noise: 1e-8, mean: 0.0 };
    let close = Posterior::new(KernelFamily::Rbf, &hyperparameters, &inputs, &outcomes).unwrap();
    assert!(single_error(&close) > FIT);
    answered(&single, &learned.posterior(&close), Fallback::Unfit);
    answered(&single, &learned.cost(JobCost::Learned(&close)), Fallback::Unfit);
    scores(&single, &learned, &points);
    // A missing price is an error of the job itself.
    let mut outside = points.clone();
    outside.row_mut(7)[9] = 2.5;
    let gpu = Gpu::new(engine.clone());
    let known = learned.cost(JobCost::Known(&Bowl));
    let error = gpu.evaluate(&known, &outside, &mut Scores::default()).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::NonPositiveCost, "no price at 2.5")
    );
    let error = gpu
        .evaluate(
            &known,
            &rows(&Acquisition::Pointwise(Pointwise::ExpectedImprovement), 3, 7),
            &mut Scores::default(),
        )
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Dimension);
    assert_eq!(engine.failure(), None);
    let Some(TestDevice { device, queue, .. }) = own(test, None) else { return };
    let gpu = Gpu::new(Device::from_wgpu(device.clone(), queue).unwrap());
    scores(&gpu, &learned, &points);
    device.destroy();
    answered(&gpu, &learned, Fallback::DeviceLost);
    // A tree of more points than one binding can hold beside the data.
    let Some(TestDevice { device, queue, .. }) = own(test, Some(8 * 128 * 128)) else { return };
    let gpu = Gpu::new(Device::from_wgpu(device, queue).unwrap()).precision(Precision::F32);
    let wide = plan(&[300], None, Boundary::Sharp);
    let (many, _) = models(KernelFamily::Matern52, 3, 120, NOISE);
    let points = rows(&wide, 3, 2);
    let mut got = sentinels();
    gpu.evaluate(&job(&many, JobCost::Uniform(1.0), &wide, true), &points, &mut got).unwrap();
    assert_eq!(got.provenance.fallback, Some(Fallback::OutOfMemory));
}

#[test]
fn the_best_plan_is_found_again() {
    let test = "the_best_plan_is_found_again";
    let Some(engine) = engine(test) else { return };
    let (posterior, log_cost) = models(KernelFamily::Matern52, 2, 20, NOISE);
    for fantasies in [&[1, 1][..], &[2, 2]] {
        let acquisition = plan(fantasies, Some(8.0), Boundary::Sharp);
        let job = job(&posterior, JobCost::Learned(&log_cost), &acquisition, true);
        let search = |backend: &dyn Backend| {
            let hints = Points::new(2 * acquisition.points());
            Maximize { raw: 200, starts: 6, ..Maximize::new(2 * acquisition.points()) }
                .seed(5)
                .run(backend, &job, &hints)
                .unwrap()
        };
        let host = search(&Cpu);
        for precision in precisions(engine, test) {
            let device = search(&Gpu::new(engine.clone()).precision(precision));
            assert_eq!((device.basins.backend, device.provenance.backend), ("gpu", "cpu"));
            println!(
                "{fantasies:?} in {precision}: {} on the host, {} on the device",
                host.value, device.value
            );
            assert!(
                (device.value - host.value).abs() <= FOUND_AGAIN,
                "{fantasies:?} in {precision}: {} and {}",
                device.value,
                host.value
            );
        }
    }
}
