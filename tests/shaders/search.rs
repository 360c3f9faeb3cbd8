//! Parts of a search that the device does by itself: quasi-random points and climbs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gittins::backend::Precision;
use gittins::backend::gpu::{AdapterKind, Gpu};
use gittins::backend::search::{Ascent, Drawn};
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cpu, Job, JobCost, KernelFamily, Maximize, Points, Pointwise, Scores,
    Space,
};

use crate::properties::success::usable;
use crate::support::device::{engine, precisions};
use crate::support::smooth::models;

/// Searches that are compared.
const JOBS: usize = 40;

/// The points of a sequence, spread over a box.
fn spread(sobol: &Sobol, drawn: &Drawn<'_>) -> Points {
    let mut points = sobol.points(drawn.rows.start, drawn.rows.len());
    let [lower, upper] = drawn.sides;
    for row in 0..points.len() {
        for ((u, &low), &high) in points.row_mut(row).iter_mut().zip(lower).zip(upper) {
            *u = (low + *u * (high - low)).clamp(low, high);
        }
    }
    points
}

/// In blocks of 2^16 points and groups of 256 dimensions other seeds are used. What the device makes
/// is scored to the bit as what the host makes and sends, since scores move with every bit of a
/// coordinate; in single precision the digits that are sent stop at 48.
#[test]
fn points_of_a_sequence_are_those_of_the_host() {
    let test = "points_of_a_sequence_are_those_of_the_host";
    let Some(engine) = engine(test) else { return };
    let alike = engine.report().kind == AdapterKind::Software;
    let acquisition = Acquisition::gittins(1e-3);
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        for (d, n, rows) in
            [(1, 9, 0..5), (3, 40, 100..313), (7, 70, 65_500..65_600), (260, 12, 131_000..131_140)]
        {
            let (posterior, _) = models(KernelFamily::Matern52, d, n, 1e-2);
            let sobol = Sobol::new(d, 977 + d as u64);
            let whole = [vec![0.0; d], vec![1.0; d]];
            let part: [Vec<f64>; 2] = [
                (0..d).map(|k| 0.3 / (1.0 + k as f64)).collect(),
                (0..d).map(|k| 0.4 + 0.6 / (1.0 + k as f64)).collect(),
            ];
            for [lower, upper] in [&whole, &part] {
                let drawn = Drawn { sobol: &sobol, rows: rows.clone(), sides: [lower, upper] };
                let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.8);
                let before = (gpu.work().submissions, gpu.bytes().sent);
                let (mut made, mut sent) = (Scores::default(), Scores::default());
                assert!(gpu.scan(&job, &drawn, &mut made).unwrap());
                // One submission, and no point is sent.
                assert_eq!((gpu.work().submissions, gpu.bytes().sent), (before.0 + 1, before.1));
                gpu.evaluate(&job, &spread(&sobol, &drawn), &mut sent).unwrap();
                assert_eq!(sent.provenance.fallback, None);
                let what = format!("{precision}: d={d} {rows:?}");
                assert_eq!(made.value.len(), rows.len(), "{what}");
                let off = made.value.iter().zip(&sent.value).map(|(a, b)| (a - b).abs());
                let most = off.fold(0.0, f64::max);
                let allowed = match precision {
                    Precision::F64 if alike => 0.0,
                    Precision::F64 => 1e-12,
                    Precision::F32 => 1e-5,
                };
                assert!(most <= allowed, "{what}: {most:e}");
            }
        }
    }
}

/// Jobs over dimensions, sizes and acquisitions.
fn on_jobs(count: usize, mut run: impl FnMut(usize, &Job<'_>)) {
    for number in 0..count {
        let d = [2, 5, 8, 20][number % 4];
        let n = [15, 40, 90][number % 3];
        let family =
            [KernelFamily::Matern52, KernelFamily::Rbf, KernelFamily::Matern32][number % 3];
        let (posterior, log_cost) = models(family, d, n + number, 1e-2);
        let acquisition = Acquisition::Pointwise(match number % 5 {
            0 => Pointwise::Gittins { lambda: 1e-3 },
            1 => Pointwise::LogExpectedImprovement,
            2 => Pointwise::UpperConfidenceBound { beta: 4.0 },
            3 => Pointwise::ExpectedImprovement,
            _ => Pointwise::Gittins { lambda: 1e-2 },
        });
        let cost = match number % 2 {
            0 => JobCost::Uniform(1.0),
            _ => JobCost::Learned(&log_cost),
        };
        let incumbent = posterior.outcomes().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        run(number, &Job::new(&posterior, cost, &acquisition, incumbent));
    }
}

/// The host moves climbs by L-BFGS-B, the device by steps of its own. Both then end in double
/// precision on the host. What counts is how high they come.
#[test]
fn climbs_on_the_device_come_as_high_as_those_of_the_host() {
    let test = "climbs_on_the_device_come_as_high_as_those_of_the_host";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let (mut lower, mut higher) = (Vec::new(), 0);
        on_jobs(JOBS, |number, job| {
            let d = job.posterior.dim();
            let search = Maximize { raw: 128, starts: 12, plain: true, ..Maximize::new(d) };
            let search = search.seed(number as u64);
            let none = Points::new(d);
            let (submissions, bytes) = (gpu.work().submissions, gpu.bytes());
            let device = search.run(&gpu, job, &none).unwrap();
            let host = search.run(&Cpu, job, &none).unwrap();
            assert_eq!((device.basins.backend, device.provenance.fallback), ("gpu", None));
            // One submission for the scan, and one at the end; between them one for up to eight
            // rounds of all climbs. Points go neither way in a round.
            let (submissions, sent) =
                (gpu.work().submissions - submissions, gpu.bytes().sent - bytes.sent);
            let width = if precision == Precision::F32 { 4 } else { 8 };
            assert!(submissions <= device.rounds + 3, "{submissions} {}", device.rounds);
            assert_eq!(sent, width * search.starts * (4 * d + 4), "job {number}");
            let most = 1e-6 * host.value.abs().max(1.0);
            let below = host.value - device.value;
            if below > most {
                lower.push((number, below));
            }
            higher += usize::from(-below > most);
        });
        assert!(
            20 * lower.len() <= JOBS + 20 * higher,
            "{precision}: higher {higher}, lower {lower:?}"
        );
    }
}

/// Where a trial can hardly be used, climbs see logarithms; a mixed space gives each climb a box of
/// its own.
#[test]
fn climbs_hold_boxes_and_see_steep_values() {
    let test = "climbs_hold_boxes_and_see_steep_values";
    let Some(engine) = engine(test) else { return };
    let (d, acquisition) = (4, Acquisition::gittins(1e-3));
    let (posterior, log_cost) = models(KernelFamily::Matern52, d, 60, 1e-2);
    let usable = usable(d, 50);
    let space = Space::new().float("a", 0.0, 1.0).int("b", 1, 4).float("c", 0.0, 1.0);
    let space = Arc::new(space.flag("d"));
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        let job = Job::new(&posterior, JobCost::Learned(&log_cost), &acquisition, 0.8);
        for usable in [None, Some(&usable)] {
            let job = job.usable(usable);
            let search = Maximize { raw: 256, starts: 16, ..Maximize::new(d) };
            let none = Points::new(d);
            let device = search.run(&gpu, &job, &none).unwrap();
            let host = search.run(&Cpu, &job, &none).unwrap();
            assert_eq!(device.basins.backend, "gpu");
            approx::assert_relative_eq!(device.value, host.value, max_relative = 1e-6);
        }
        let (mixed, _) = models(KernelFamily::Matern52, space.dim(), 60, 1e-2);
        let job = job.posterior(&mixed).cost(JobCost::Uniform(1.0));
        let search = Maximize { raw: 256, starts: 16, ..Maximize::new(space.dim()) };
        let search = Maximize { space: Some(space.clone()), ..search };
        let none = Points::new(space.dim());
        let device = search.run(&gpu, &job, &none).unwrap();
        let host = search.run(&Cpu, &job, &none).unwrap();
        assert_eq!(device.basins.backend, "gpu");
        approx::assert_relative_eq!(device.value, host.value, max_relative = 1e-6);
    }
}

/// A search that is told to end ends between two submissions, with what it has.
#[test]
fn climbs_end_when_they_are_told_to() {
    let test = "climbs_end_when_they_are_told_to";
    let Some(engine) = engine(test) else { return };
    let (posterior, _) = models(KernelFamily::Matern52, 5, 80, 1e-2);
    let acquisition = Acquisition::gittins(1e-3);
    let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.8).gradient(true);
    let gpu = Gpu::new(engine.clone());
    let starts = Sobol::new(5, 3).points(0, 20);
    let sides = [0.0, 1.0].map(|side| Points::from_rows(5, vec![side; 100]).unwrap());
    let asked = AtomicUsize::new(0);
    for most in [0, 1, 3] {
        asked.store(0, Ordering::Relaxed);
        let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= most;
        let ascent = Ascent {
            starts: &starts,
            sides: sides.each_ref(),
            max_iterations: 100,
            function_tolerances: [1e-6, 1e-9],
            gradient_tolerance: 1e-5,
            steep: false,
            patience: 0.0,
            is_over: &is_over,
        };
        match gpu.climb(&job, &ascent).unwrap() {
            // Without a round there is no value, and the host goes on.
            None => assert_eq!(most, 0),
            Some(ends) => {
                // What has converged rests.
                assert_eq!(ends.rounds, most);
                assert!((20..=20 * most).contains(&ends.evaluations));
                let mut scores = Scores::default();
                Cpu.evaluate(&job, &ends.points, &mut scores).unwrap();
                for (end, value) in ends.values.iter().zip(&scores.value) {
                    approx::assert_abs_diff_eq!(end, value, epsilon = 1e-3);
                }
            }
        }
    }
}
