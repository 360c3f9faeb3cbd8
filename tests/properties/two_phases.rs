//! The two phases of a search. A device in single precision finds basins. All reported numbers are
//! computed on the host in double precision.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use gittins::backend::{Fallback, Provenance};
use gittins::maximize::{Ended, argmax};
use gittins::study::Why;
use gittins::{
    Acquisition, Backend, Cpu, Job, KernelFamily, Maximize, Maximum, Outcome, Points, Pointwise,
    Result, Scores,
};
use gittins::{Space, Study, Table};

use crate::support::smooth::{job, posterior};
use crate::support::tolerance;

/// A device with the CPU's numbers and an error that depends only on the point. From a given call
/// on it answers as the host.
struct Device {
    calls: AtomicUsize,
    /// The first call that the host answers. `fallback` is its reason.
    host_from: usize,
    fallback: Option<Fallback>,
    /// The call at which the flag is set.
    cancel_at: usize,
    cancel: Arc<AtomicBool>,
}

/// One step of a linear congruential generator. The high bits are folded into the low ones.
fn mix(state: u64) -> u64 {
    let next =
        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    next ^ (next >> 29)
}

impl Device {
    fn new() -> Self {
        let cancel = Arc::new(AtomicBool::new(false));
        Self {
            calls: 0.into(),
            host_from: usize::MAX,
            fallback: None,
            cancel_at: usize::MAX,
            cancel,
        }
    }

    fn provenance() -> Provenance {
        Provenance {
            backend: "gpu",
            adapter: Some("made up".into()),
            precision: "f32",
            fallback: None,
        }
    }
}

impl Backend for Device {
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        let call = self.calls.fetch_add(1, Relaxed) + 1;
        if call == self.cancel_at {
            self.cancel.store(true, Relaxed);
        }
        Cpu.evaluate(&job.keep(None), points, scores)?;
        if call < self.host_from {
            scores.provenance = Self::provenance();
            let width = points.dim();
            for (row, point) in points.rows().enumerate() {
                let mut state = point.iter().fold(0, |hash, x| mix(hash ^ x.to_bits()));
                let mut blur = |x: &mut f64| {
                    state = mix(state);
                    let uniform = 2.0 * (state >> 11) as f64 / (1_u64 << 53) as f64 - 1.0;
                    *x = f64::from((*x * (1.0 + tolerance::COARSE * uniform)) as f32);
                };
                blur(&mut scores.value[row]);
                blur(&mut scores.mean[row]);
                blur(&mut scores.variance[row]);
                if job.gradient {
                    scores.gradient[row * width..(row + 1) * width].iter_mut().for_each(blur);
                }
            }
        } else {
            scores.provenance.fallback = self.fallback;
        }
        job.keep.into_iter().for_each(|k| scores.keep_best(k));
        Ok(())
    }
}

fn at(job: &Job<'_>, point: &[f64]) -> Scores {
    let mut scores = Scores::default();
    let point = Points::from_rows(point.len(), point.to_vec()).unwrap();
    Cpu.evaluate(&job.gradient(false), &point, &mut scores).unwrap();
    scores
}

/// Checks every search that a device took part in, for every kind of end.
#[track_caller]
fn assert_settled(job: &Job<'_>, found: &Maximum) {
    let host = at(job, &found.point);
    let reported = [found.value, found.mean, found.variance].map(f64::to_bits);
    assert_eq!(reported, [host.value[0], host.mean[0], host.variance[0]].map(f64::to_bits));
    assert_eq!(found.basins, Device::provenance());
    assert!(found.provenance.is_host_double() && found.provenance.backend == "cpu");
    assert!(
        !found.finalists.is_empty()
            && found.finalist_values.windows(2).all(|pair| pair[0] >= pair[1])
    );
    for (finalist, &value) in found.finalists.rows().zip(&found.finalist_values) {
        // In a batch of their own the sums had another order. This is far below the error of single
        // precision.
        let host = at(job, finalist).value[0];
        assert!(
            (value - host).abs() <= 1e-3 * tolerance::COARSE * host.abs(),
            "{value} and {host}"
        );
    }
}

#[test]
fn the_host_ends_where_it_would_have_ended_alone() {
    for (dim, n) in [(2, 12), (3, 30), (6, 40), (10, 60), (16, 80)] {
        let posterior = posterior(KernelFamily::Matern52, dim, n, 1e-4);
        for acquisition in [
            Acquisition::gittins(1e-3),
            Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
            Acquisition::Pointwise(Pointwise::ExpectedImprovement),
        ] {
            let job = job(&posterior, &acquisition);
            for seed in 0..3 {
                let search = Maximize::new(dim).seed(seed);
                let alone = search.run(&Cpu, &job, &Points::new(dim)).unwrap();
                let found = search.run(&Device::new(), &job, &Points::new(dim)).unwrap();
                assert_settled(&job, &found);
                let same =
                    (found.value - alone.value).abs() <= tolerance::SAME_PEAK * alone.value.abs();
                assert!(
                    same,
                    "d={dim} {acquisition:?} seed {seed}: {} and {} alone",
                    found.value, alone.value
                );
                assert!(found.ended == Ended::Finished && found.provenance.fallback.is_none());
                assert!(found.converged_starts > 0 && found.converged_starts <= found.starts);
            }
        }
    }
}

#[test]
fn thousands_of_starts_leave_few_for_the_host() {
    let posterior = posterior(KernelFamily::Matern52, 4, 30, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let search = Maximize { raw: 4096, starts: 1024, ..Maximize::new(4) };
    let device = Device::new();
    let found = search.run(&device, &job, &Points::new(4)).unwrap();
    assert_settled(&job, &found);
    assert_eq!(found.starts, 1024);
    let device_rounds = device.calls.load(Relaxed) - 1;
    assert!(
        device_rounds > 0 && device_rounds < found.rounds,
        "{device_rounds} of {} rounds",
        found.rounds
    );
    // There are 16 places, and 8 jumps along lines in each of 16 sweeps.
    assert!(found.finalists.len() <= 16 + 8 * 16);
    assert!(
        found.value
            >= Maximize::new(4).run(&Cpu, &job, &Points::new(4)).unwrap().value
                * (1.0 - tolerance::SAME_PEAK)
    );
}

#[test]
fn a_device_that_hands_over_or_is_lost_ends_its_phase() {
    let posterior = posterior(KernelFamily::Matern52, 5, 40, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let search = Maximize::new(5).seed(2);
    let alone = search.run(&Cpu, &job, &Points::new(5)).unwrap();
    // The second call is the first round, so only the scan belongs to the device. The third call is
    // in the middle of the lines.
    for host_from in [2, 3, 5, 9] {
        for fallback in [None, Some(Fallback::DeviceLost)] {
            let device = Device { host_from, fallback, ..Device::new() };
            let found = search.run(&device, &job, &Points::new(5)).unwrap();
            assert_settled(&job, &found);
            assert_eq!(found.provenance.fallback, fallback);
            // The host takes over with its first own answer. An answer in the first round already
            // belongs to the host's climbs, and they go on unless it ends them.
            let calls = device.calls.load(Relaxed);
            assert!(
                if host_from == 2 { calls >= 2 } else { calls == host_from },
                "{calls} calls, the host's from {host_from}"
            );
            let same =
                (found.value - alone.value).abs() <= tolerance::SAME_PEAK * alone.value.abs();
            assert!(same, "from call {host_from}: {} and {} alone", found.value, alone.value);
            assert!(found.converged_starts > 0 && found.converged_starts <= found.starts);
        }
    }
    // From the first call on the CPU answers, and everything is as with the CPU. Only the reason is
    // reported.
    let fallback = Some(Fallback::Unfit);
    let found = search
        .run(&Device { host_from: 1, fallback, ..Device::new() }, &job, &Points::new(5))
        .unwrap();
    assert_eq!(
        (found.point, found.value.to_bits(), found.rounds),
        (alone.point, alone.value.to_bits(), alone.rounds)
    );
    assert_eq!((found.evaluations, found.finalists), (alone.evaluations, alone.finalists));
    assert_eq!(found.provenance, Provenance { fallback, ..alone.provenance });
    assert_eq!(found.basins, found.provenance);
}

#[test]
fn a_device_asked_late_is_settled_too() {
    /// The host answers small batches, and the device answers large ones. Here only the lines along
    /// the axes are large.
    struct Large(Device, usize);
    impl Backend for Large {
        fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
            if points.len() < self.1 {
                Cpu.evaluate(job, points, scores)
            } else {
                self.0.evaluate(job, points, scores)
            }
        }
    }
    let posterior = posterior(KernelFamily::Matern52, 8, 40, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let hint = Points::from_rows(8, vec![0.5; 8]).unwrap();
    let search = Maximize { raw: 16, starts: 16, ..Maximize::new(8) };
    let found = search.run(&Large(Device::new(), 30), &job, &hint).unwrap();
    assert_settled(&job, &found);
    // The host does the scan, and the device does the climbs.
    let search = Maximize { raw: 63, starts: 64, ..Maximize::new(8) };
    let device = Large(Device::new(), 64);
    let found = search.run(&device, &job, &Points::from_rows(8, vec![0.5; 8]).unwrap()).unwrap();
    assert_settled(&job, &found);
    assert_eq!(found.starts, 64);
}

#[test]
fn time_that_is_up_in_the_first_phase_still_gives_the_hosts_number() {
    let posterior = posterior(KernelFamily::Matern52, 3, 20, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let full = Maximize::new(3).run(&Cpu, &job, &Points::new(3)).unwrap();
    let device = Device::new();
    let late = Maximize { deadline: Some(Instant::now()), ..Maximize::new(3) }
        .run(&device, &job, &Points::new(3))
        .unwrap();
    assert_settled(&job, &late);
    // There is one call for the scan, and one round by the host.
    assert_eq!(
        (late.ended, late.rounds, late.converged_starts, device.calls.load(Relaxed)),
        (Ended::Deadline, 1, 0, 1)
    );
    // The first batch of the scan is scored without regard to the time.
    let search = Maximize::new(3);
    assert_eq!(late.evaluations, 32 + 16 + 1);
    let host = Maximize { deadline: Some(Instant::now()), ..search }
        .run(&Cpu, &job, &Points::new(3))
        .unwrap();
    assert!((late.value - host.value).abs() <= tolerance::COARSE * host.value.abs());

    // The fourth call is the third round.
    let device = Device { cancel_at: 4, ..Device::new() };
    let cancel = Some(device.cancel.clone());
    let stopped =
        Maximize { cancel, ..Maximize::new(3) }.run(&device, &job, &Points::new(3)).unwrap();
    assert_settled(&job, &stopped);
    assert_eq!(
        (stopped.ended, stopped.rounds, device.calls.load(Relaxed)),
        (Ended::Canceled, 3 + 1, 4)
    );
    assert!(
        stopped.value >= late.value * (1.0 - tolerance::COARSE)
            && stopped.value <= full.value * (1.0 + tolerance::SAME_PEAK)
    );
}

#[test]
fn one_seed_fixes_two_phases_on_any_number_of_threads() {
    let posterior = posterior(KernelFamily::Matern52, 5, 40, 1e-4);
    let acquisition = Acquisition::gittins(1e-4);
    let job = job(&posterior, &acquisition);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        // There are so many starts that several threads move them.
        let search = Maximize { starts: 256, ..Maximize::new(5) };
        let found = pool.install(|| search.run(&Device::new(), &job, &Points::new(5))).unwrap();
        (
            found.finalists,
            found.value.to_bits(),
            found.evaluations,
            found.rounds,
            found.converged_starts,
        )
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(3));
}

#[test]
fn a_table_gives_its_exact_best_row_where_single_precision_cannot_tell() {
    let posterior = posterior(KernelFamily::Matern52, 3, 25, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let peak = Maximize::new(3).run(&Cpu, &job, &Points::new(3)).unwrap().point;
    let mut swapped = 0;
    for seed in 0..20 {
        // Twenty rows lie around the peak, among hundreds of others. Their values differ by about
        // the device's error. One row comes twice.
        let mut rows = gittins::math::Sobol::new(3, seed).points(0, 300);
        for i in 0..20 {
            let near = rows.row(10 * i).to_vec();
            let target = rows.row_mut(15 * i);
            target
                .iter_mut()
                .zip(&peak)
                .zip(near)
                .for_each(|((x, p), u)| *x = (p + 1e-4 * (u - 0.5)).clamp(0.0, 1.0));
        }
        let mut taken = vec![false; rows.len()];
        for _ in 0..3 {
            let exact = argmax(&Cpu, &job, &rows, &taken).unwrap().unwrap();
            let found = argmax(&Device::new(), &job, &rows, &taken).unwrap().unwrap();
            if found.row != exact.row {
                // The host scores all rows in wide tiles and a few rows in a narrow one. Both must
                // take them for equal.
                let [one, other] =
                    [found.row, exact.row].map(|row| at(&job, rows.row(row.unwrap())).value[0]);
                assert!((one - other).abs() <= tolerance::TILES, "{one} {other}");
            }
            assert_eq!(found.basins, Device::provenance());
            assert!(found.provenance.is_host_double() && exact.basins == exact.provenance);
            let host = at(&job, rows.row(found.row.unwrap())).value[0];
            assert!((found.value - host).abs() <= 1e-3 * tolerance::COARSE * host.abs());
            let mut scores = Scores::default();
            let first =
                job.gradient(false).keep(Some(taken.iter().filter(|&&taken| taken).count() + 1));
            Device::new().evaluate(&first, &rows, &mut scores).unwrap();
            swapped += usize::from(scores.rows.into_iter().find(|&row| !taken[row]) != found.row);
            taken[exact.row.unwrap()] = true;
        }
    }
    assert!(swapped > 10, "the device alone was wrong {swapped} times only");
    // The first of equal rows is chosen.
    let mut twins = Points::new(3);
    (0..100).for_each(|_| twins.push(&peak));
    assert_eq!(argmax(&Device::new(), &job, &twins, &[false; 100]).unwrap().unwrap().row, Some(0));
}

#[test]
fn a_study_says_who_found_and_who_settled() {
    let space = || Space::new().float("x", -1.0, 1.0).float("y", -1.0, 1.0);
    let whole = || Space::new().int("i", 0, 999).float("y", -1.0, 1.0);
    let rows: Vec<Vec<f64>> =
        (0..900).map(|i| vec![f64::from(i % 30), f64::from(i / 30)]).collect();
    let run = |study: gittins::study::StudyBuilder, device: Option<Device>| {
        let study = study.policy(Acquisition::gittins(1e-3)).initial(6).seed(3);
        let mut study = match device {
            Some(device) => study.backend(Arc::new(device)).build().unwrap(),
            None => study.build().unwrap(),
        };
        for _ in 0..7 {
            let ask = study.ask().unwrap();
            let x = ask.numbers();
            study
                .tell(
                    ask.id(),
                    Outcome::new((x[0] - 0.3).powi(2) / (1.0 + x[0].abs()) + (x[1] - 0.2).powi(2)),
                )
                .unwrap();
        }
        let ask = study.ask().unwrap();
        let Why::Suggested(suggestion) = ask.why() else { panic!("{}", ask.why()) };
        suggestion.clone()
    };
    let studies = || {
        [
            Study::minimize(space()),
            Study::minimize(whole()),
            Study::minimize(Table::new(["i", "j"], rows.clone()).unwrap()),
        ]
    };
    for (alone, with) in studies().into_iter().zip(studies()) {
        let (alone, found) = (run(alone, None), run(with, Some(Device::new())));
        assert_eq!((&found.basins, &found.provenance), (&Device::provenance(), &alone.provenance));
        assert!(
            (found.value - alone.value).abs() <= tolerance::SAME_PEAK * alone.value.abs(),
            "{found} and alone {alone}"
        );
        assert!(
            found.to_string().contains(" on gpu (f32, made up), settled on cpu (f64)"),
            "{found}"
        );
        assert!(alone.to_string().ends_with(" on cpu (f64)"), "{alone}");
    }
    let lost = Device { host_from: 5, fallback: Some(Fallback::DeviceLost), ..Device::new() };
    let found = run(Study::minimize(space()), Some(lost));
    assert!(found.to_string().contains("on cpu (f64), since the device was lost"), "{found}");
}
