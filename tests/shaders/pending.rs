//! Jobs with pending trials on a device against the CPU.

use gittins::backend::gpu::Gpu;
use gittins::backend::{Fallback, Precision};
use gittins::internals::Quantity;
use gittins::internals::gpu::{FIT, single_error};
use gittins::math::Sobol;
use gittins::posterior::{Pending, Usable};
use gittins::{
    Acquisition, Backend, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Maximize, Points,
    Pointwise, Posterior, Scores,
};

use crate::properties::backend::Bowl;
use crate::properties::success::usable;
use crate::support::comparer::{compare, sentinels};
use crate::support::device::{engine, precisions};
use crate::support::smooth::{data, hyperparameters, models};
use crate::support::tolerance::{
    DeviceErrors, FOUND_AGAIN, assert_within, device_double, device_single,
};

fn supporting() -> Vec<Acquisition> {
    let all = Pointwise::one_of_each().into_iter().map(Acquisition::from);
    let mut all: Vec<_> = all.filter(Acquisition::uses_pending).collect();
    all.extend([1e-9, 1e-4, 0.3, 1e3].map(Acquisition::gittins));
    all
}

/// The derivative of an index jumps where it crosses a pending value. If one lies between the
/// device's index and the CPU's, both are right, each on its side: the entries of this point are
/// made equal. Returns how many points have such a value.
fn forget_kinks(job: &Job<'_>, pending: &Pending, got: &mut Scores, expected: &Scores) -> usize {
    if job.acquisition.quantity() != Quantity::Level || !job.gradient {
        return 0;
    }
    let d = job.posterior.dim();
    let deviation = job.posterior.hyperparameters().outputscale.sqrt();
    let mut found = 0;
    for (row, (got_value, value)) in got.value.iter().zip(&expected.value).enumerate() {
        // The pending value is rounded as well.
        let slack = 4.0 * f64::from(f32::EPSILON) * (value.abs() + deviation);
        let (low, high) = (got_value.min(*value) - slack, got_value.max(*value) + slack);
        if pending.best().iter().any(|best| low <= *best && *best <= high) {
            found += 1;
            let span = row * d..(row + 1) * d;
            got.gradient[span.clone()].copy_from_slice(&expected.gradient[span]);
        }
    }
    found
}

/// The largest errors so far of mean, deviation, value and gradient in units of what is allowed;
/// points, and those whose gradient was not compared.
#[derive(Default)]
struct Seen {
    worst: [f64; 4],
    jobs: usize,
    points: usize,
    kinks: usize,
}

impl Seen {
    /// Compares a device with the CPU.
    fn check(
        &mut self,
        gpu: &Gpu,
        precision: Precision,
        (job, pending, count): (&Job<'_>, &Pending, usize),
        double: DeviceErrors,
        what: &str,
    ) {
        let points = Sobol::new(job.posterior.dim(), 23).points(0, count);
        let (mut got, mut expected) = (sentinels(), Scores::default());
        Cpu.evaluate(job, &points, &mut expected).unwrap();
        gpu.evaluate(job, &points, &mut got).unwrap();
        let mut posteriors = vec![job.posterior];
        if let JobCost::Learned(posterior) = job.cost {
            posteriors.push(posterior);
        }
        posteriors.extend(job.usable.into_iter().flat_map(Usable::latents));
        let error = posteriors.into_iter().map(single_error).fold(0.0, f64::max);
        let what = format!("{what} in {}", precision.name());
        if precision == Precision::F32 && error > FIT {
            assert_eq!(got.provenance.fallback, Some(Fallback::Unfit), "{what}");
            assert_eq!(got.value, expected.value, "{what}");
            return;
        }
        assert_eq!((got.provenance.backend, got.provenance.fallback), ("gpu", None), "{what}");
        assert_eq!(got.provenance.precision, precision.name(), "{what}");
        let allowed = match precision {
            Precision::F64 => double,
            Precision::F32 => device_single(error, job.acquisition.quantity() != Quantity::Level)
                .plus(double.mean),
        };
        self.jobs += 1;
        self.points += count;
        self.kinks += forget_kinks(job, pending, &mut got, &expected);
        let errors = compare(job, &got, &expected, allowed)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let allowed = [allowed.mean, allowed.deviation, allowed.value, allowed.gradient];
        for (worst, (error, allowed)) in self.worst.iter_mut().zip(errors.iter().zip(allowed)) {
            *worst = worst.max(error / allowed);
        }
        // The best of all points are the same, with the same numbers.
        let mut best = sentinels();
        gpu.evaluate(&job.gradient(false).keep(Some(3)), &points, &mut best).unwrap();
        let kept: Vec<f64> = best.rows.iter().map(|&row| got.value[row]).collect();
        assert_eq!(best.value, kept, "{what}");
    }

    /// Prints the errors. Most jobs must have been the device's, and most gradients compared.
    fn end(&self, test: &str, precision: Precision, least: usize) {
        let Self { worst, jobs, points, kinks } = self;
        println!(
            "{test} in {}: {jobs} jobs, at most {worst:.3?} of what is allowed; {kinks} of {points} points with a kink",
            precision.name()
        );
        assert!(*jobs >= least, "{test} in {}: only {jobs} jobs", precision.name());
        assert!(kinks * 50 < *points, "{test} in {}: {kinks} kinks", precision.name());
    }
}

/// Data, dimensions, pending trials, points, kernel. Each number of pending trials lies in one
/// block of rows or across two, and ends at the end of a block or before it.
const SHAPES: [(usize, usize, usize, usize, KernelFamily); 10] = [
    (2, 1, 1, 1, KernelFamily::Matern12),
    (2, 30, 64, 65, KernelFamily::Matern32),
    (20, 4, 8, 130, KernelFamily::Matern52),
    (63, 2, 1, 64, KernelFamily::Rbf),
    (30, 40, 8, 65, KernelFamily::SphericalLinear),
    (60, 4, 8, 63, KernelFamily::SphericalLinear),
    (60, 5, 8, 63, KernelFamily::Matern52),
    (65, 9, 64, 5, KernelFamily::Matern12),
    (300, 30, 1, 65, KernelFamily::Matern32),
    (300, 5, 90, 65, KernelFamily::Matern52),
];

#[test]
fn trials_under_way_count_on_the_device_as_on_the_host() {
    let test = "trials_under_way_count_on_the_device_as_on_the_host";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let mut seen = Seen::default();
        for (number, (n, d, p, b, family)) in SHAPES.into_iter().enumerate() {
            let noise = 1e-2;
            let (before, log_cost) = models(family, d, n, noise);
            let missing = if number % 2 == 0 { 0.0 } else { 0.3 };
            let trials = Sobol::new(d, 77).points(0, p);
            let (after, pending) = before.with_pending(&trials, missing, 3).unwrap();
            let pending = pending.unwrap();
            let usable = usable(d, 20 + 10 * number);
            for (turn, acquisition) in supporting().into_iter().enumerate() {
                let costs =
                    [JobCost::Learned(&log_cost), JobCost::Known(&Bowl), JobCost::Uniform(0.3)];
                for (succeeds, gradient) in [(false, true), (true, true), (false, false)] {
                    let job = Job::new(&after, costs[(turn + number) % 3], &acquisition, 0.8)
                        .gradient(gradient)
                        .noise(if gradient { 0.03 } else { 0.0 })
                        .usable(succeeds.then_some(&usable))
                        .pending(Some(&pending));
                    let what = format!(
                        "n={n} d={d} p={p} b={b} {family:?}, {acquisition:?}, success {succeeds}, gradient {gradient}"
                    );
                    let double = device_double(n + p, noise);
                    seen.check(&gpu, precision, (&job, &pending, b), double, &what);
                }
            }
        }
        seen.end(test, precision, SHAPES.len() * supporting().len() * 3 / 2);
    }
}

#[test]
fn trials_under_way_over_decades_of_scales_and_prices() {
    let test = "trials_under_way_over_decades_of_scales_and_prices";
    let Some(engine) = engine(test) else { return };
    let (d, n, p) = (5, 80, 12);
    let (inputs, outcomes) = data(d, n);
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let mut seen = Seen::default();
        for (number, scale) in [1e-12, 1e-6, 1.0, 1e6, 1e12].into_iter().enumerate() {
            let deviation = f64::sqrt(scale);
            let outcomes: Vec<f64> = outcomes.iter().map(|y| deviation * y).collect();
            for (noise, price) in [(1e-4, 1e-30), (1e-4, 1e-12), (1e-2, 1.0), (1e-1, 1e6)] {
                let hyperparameters = Hyperparameters {
                    outputscale: scale,
                    noise: noise * scale,
                    mean: 0.0,
                    ..hyperparameters(d, 1.0)
                };
                let family = [KernelFamily::Matern32, KernelFamily::Matern52][number % 2];
                let before = Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap();
                let trials = Sobol::new(d, 77).points(0, p);
                let (after, pending) = before.with_pending(&trials, 0.1, 3).unwrap();
                let pending = pending.unwrap();
                for acquisition in [
                    Acquisition::gittins(price * deviation),
                    Pointwise::LogExpectedImprovement.into(),
                    Pointwise::ExpectedImprovement.into(),
                    Pointwise::LogProbabilityOfImprovement.into(),
                ] {
                    let uniform = JobCost::Uniform(1.0);
                    let job = Job::new(&after, uniform, &acquisition, 0.5 * deviation)
                        .gradient(true)
                        .pending(Some(&pending));
                    let what = format!(
                        "outputscale {scale:e}, noise {noise:e}, price {price:e}, {acquisition:?}"
                    );
                    let double = device_double(n + p, noise);
                    seen.check(&gpu, precision, (&job, &pending, 64), double, &what);
                }
            }
        }
        seen.end(test, precision, 40);
    }
}

#[test]
fn without_pending_trials_the_device_answers_as_before() {
    let test = "without_pending_trials_the_device_answers_as_before";
    let Some(engine) = engine(test) else { return };
    let (before, _) = models(KernelFamily::Matern52, 3, 30, 1e-2);
    let trials = Sobol::new(3, 77).points(0, 4);
    let (after, pending) = before.with_pending(&trials, 0.0, 3).unwrap();
    let points = Sobol::new(3, 23).points(0, 65);
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let answer = |job: &Job<'_>| {
            let mut scores = Scores::default();
            gpu.evaluate(job, &points, &mut scores).unwrap();
            assert_eq!(scores.provenance.backend, "gpu");
            (scores.value, scores.gradient)
        };
        for acquisition in Pointwise::one_of_each().into_iter().map(Acquisition::from) {
            let alone = Job::new(&after, JobCost::Uniform(1.0), &acquisition, 0.8).gradient(true);
            let with = alone.pending(pending.as_ref());
            let first = answer(&alone);
            // Acquisitions that measure no improvement do not look at the fantasies. Those that do
            // leave nothing behind for jobs without.
            assert_eq!(answer(&with) == first, !acquisition.uses_pending(), "{acquisition:?}");
            assert_eq!(answer(&alone), first, "{acquisition:?}");
        }
    }
}

#[test]
fn the_best_point_beside_trials_under_way_is_found_again() {
    let test = "the_best_point_beside_trials_under_way_is_found_again";
    let Some(engine) = engine(test) else { return };
    let (before, log_cost) = models(KernelFamily::Matern52, 2, 30, 1e-2);
    let trials = Sobol::new(2, 77).points(0, 5);
    let (after, pending) = before.with_pending(&trials, 0.0, 3).unwrap();
    for acquisition in [Acquisition::gittins(1e-2), Pointwise::LogExpectedImprovement.into()] {
        let job = Job::new(&after, JobCost::Learned(&log_cost), &acquisition, 0.8)
            .gradient(true)
            .pending(pending.as_ref());
        let search = |backend: &dyn Backend| {
            Maximize::new(2).seed(5).run(backend, &job, &Points::new(2)).unwrap()
        };
        let host = search(&Cpu);
        for precision in precisions(engine, test) {
            let device = search(&Gpu::new(engine.clone()).precision(precision));
            assert_eq!((device.basins.backend, device.provenance.backend), ("gpu", "cpu"));
            let what = format!("{acquisition:?} in {precision}");
            assert_within(what, device.value, host.value, FOUND_AGAIN);
        }
    }
}
