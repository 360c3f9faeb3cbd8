//! The maximizer: it finds the maximum of a fine grid, ends at a zero slope, and keeps its promises
//! about time, seeds and tables.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gittins::internals::{Deadline, argmax_until};
use gittins::math::Sobol;
use gittins::maximize::{Ended, argmax};
use gittins::{
    Acquisition, Backend, Cpu, Error, ErrorKind, Job, KernelFamily, Maximize, Points, Posterior,
    Result, Scores,
};

use super::backend::all;
use crate::support::smooth::{hyperparameters, job, posterior};

fn values(job: &Job<'_>, points: &Points) -> Scores {
    let mut scores = Scores::default();
    Cpu.evaluate(job, points, &mut scores).unwrap();
    scores
}

#[test]
fn every_acquisition_is_as_high_as_on_a_fine_grid() {
    let posterior = posterior(KernelFamily::Matern52, 1, 9, 1e-4);
    let grid =
        Points::from_rows(1, (0..=20_000).map(|i| f64::from(i) / 20_000.0).collect()).unwrap();
    for acquisition in all() {
        let job = job(&posterior, &acquisition);
        let best = values(&job, &grid).value.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let found = Maximize::new(1).seed(3).run(&Cpu, &job, &Points::new(1)).unwrap();
        assert!(
            found.value >= best - 1e-12 * best.abs(),
            "{acquisition:?}: {} below the grid's {best}",
            found.value
        );
        assert_eq!(found.ended, Ended::Finished);
    }
}

#[test]
fn the_maximum_is_stationary_inside_and_uphill_at_the_bounds() {
    for (dim, n) in [(2, 12), (6, 30), (200, 20)] {
        let posterior = posterior(KernelFamily::Matern52, dim, n, 1e-4);
        let acquisition = Acquisition::gittins(1e-3);
        let job = job(&posterior, &acquisition);
        let found = Maximize::new(dim).run(&Cpu, &job, &Points::new(dim)).unwrap();
        let mut point = Points::new(dim);
        point.push(&found.point);
        let scores = values(&job, &point);
        assert_eq!(scores.value[0], found.value);
        for (x, slope) in found.point.iter().zip(&scores.gradient) {
            assert!((0.0..=1.0).contains(x));
            // The last climb stops at 1e-9, or if the digits of the value no longer change. The
            // second gives a slope of the root of 1e-9.
            let projected = (x + slope).clamp(0.0, 1.0) - x;
            assert!(projected.abs() < 1e-5, "d={dim}: slope {slope} at {x}");
        }
        assert!(found.converged_starts > 0 && found.converged_starts <= found.starts);
        assert_eq!(found.finalists.len(), found.finalist_values.len());
        assert!(found.finalist_values.windows(2).all(|pair| pair[0] >= pair[1]));
        assert_eq!(found.provenance.backend, "cpu");
    }
}

#[test]
fn a_narrow_peak_that_only_a_hint_shows_is_found() {
    // The lengthscale is 0.0002, and the tails are zero in double precision. Outside a millionth of
    // the square nothing leads to the peak.
    let inputs = Points::from_rows(2, vec![0.3, 0.3, 0.7123, 0.4567]).unwrap();
    let mut hyperparameters = hyperparameters(2, 1e-6);
    hyperparameters.lengthscales = vec![2e-4; 2];
    let posterior =
        Posterior::new(KernelFamily::Rbf, &hyperparameters, &inputs, &[0.0, 50.0]).unwrap();
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let search = Maximize { raw: 256, ..Maximize::new(2) };
    let without = search.run(&Cpu, &job, &Points::new(2)).unwrap();
    let hint = Points::from_rows(2, vec![0.7124, 0.4568]).unwrap();
    let with = search.run(&Cpu, &job, &hint).unwrap();
    assert!(with.value > without.value + 10.0, "{} and {}", with.value, without.value);
    assert!((with.point[0] - 0.7123).abs() < 2e-4);
    // A plain search ignores hints and does not search along lines.
    let plain = Maximize { plain: true, ..search.clone() };
    let (deaf, alone) =
        (plain.run(&Cpu, &job, &hint).unwrap(), plain.run(&Cpu, &job, &Points::new(2)).unwrap());
    assert_eq!(
        (deaf.value.to_bits(), deaf.evaluations),
        (alone.value.to_bits(), alone.evaluations)
    );
    assert!(deaf.value < with.value - 10.0 && alone.evaluations < without.evaluations);
}

#[test]
fn one_seed_fixes_the_result_on_any_number_of_threads() {
    let posterior = posterior(KernelFamily::Matern52, 5, 60, 1e-4);
    let acquisition = Acquisition::gittins(1e-4);
    let job = job(&posterior, &acquisition);
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found =
            pool.install(|| Maximize::new(5).seed(seed).run(&Cpu, &job, &Points::new(5))).unwrap();
        (found.finalists, found.value.to_bits(), found.evaluations, found.rounds)
    };
    let one = with(1, 4);
    assert_eq!(one, with(2, 4));
    assert_eq!(one, with(3, 4));
    assert_ne!(one.0, with(1, 5).0);
}

/// A CPU backend that counts its calls and sets a flag at one of them.
struct Counted {
    calls: std::sync::atomic::AtomicUsize,
    cancel_at: usize,
    cancel: Arc<AtomicBool>,
}

impl Backend for Counted {
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        use std::sync::atomic::Ordering::Relaxed;
        if self.calls.fetch_add(1, Relaxed) + 1 == self.cancel_at {
            self.cancel.store(true, Relaxed);
        }
        if self.cancel_at == 0 {
            return Err(Error::new(ErrorKind::NonFinite, "a planted failure"));
        }
        Cpu.evaluate(job, points, scores)
    }
}

#[test]
fn deadlines_and_cancellation_return_the_best_so_far() {
    let posterior = posterior(KernelFamily::Matern52, 3, 20, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let full = Maximize::new(3).run(&Cpu, &job, &Points::new(3)).unwrap();

    let late = Maximize { deadline: Some(Instant::now()), ..Maximize::new(3) }
        .run(&Cpu, &job, &Points::new(3))
        .unwrap();
    assert_eq!((late.ended, late.rounds, late.converged_starts), (Ended::Deadline, 0, 0));
    let best =
        |points: &Points| values(&job, points).value.into_iter().fold(f64::NEG_INFINITY, f64::max);
    // The first batch of the scan is scored without regard to the time. The best point is scored
    // again in a batch of its own, and its sums have another order.
    let first = best(&Sobol::new(3, 0).points(0, 32));
    assert!(
        (late.value - first).abs() <= 1e-12 * first,
        "the best of the first batch is {first}, got {}",
        late.value
    );
    assert_eq!(late.evaluations, 32 + 1);
    // The hints come first, so the best is one of them.
    let hints = Sobol::new(3, 9).points(0, 40);
    let hinted = Maximize { deadline: Some(Instant::now()), ..Maximize::new(3) }
        .run(&Cpu, &job, &hints)
        .unwrap();
    let first = best(&hints.select(0..32));
    assert!(
        (hinted.value - first).abs() <= 1e-12 * first,
        "the best of the first hints is {first}, got {}",
        hinted.value
    );
    assert!(hinted.finalists.rows().all(|place| hints.rows().any(|hint| hint == place)));
    // An hour is the same as no deadline: the search climbs from the same places. Its batches
    // differ, so its sums are rounded differently.
    let hour = Some(Instant::now() + Duration::from_secs(3600));
    let timed =
        Maximize { deadline: hour, ..Maximize::new(3) }.run(&Cpu, &job, &Points::new(3)).unwrap();
    assert_eq!((timed.ended, timed.starts), (Ended::Finished, full.starts));
    assert!(
        (timed.value - full.value).abs() <= 1e-9 * full.value.abs(),
        "{} and {}",
        timed.value,
        full.value
    );

    // The scan is the first call, so the fourth call is the third round.
    let cancel = Arc::new(AtomicBool::new(false));
    let backend = Counted { calls: 0.into(), cancel_at: 4, cancel: cancel.clone() };
    let stopped = Maximize { cancel: Some(cancel), ..Maximize::new(3) }
        .run(&backend, &job, &Points::new(3))
        .unwrap();
    assert_eq!((stopped.ended, stopped.rounds), (Ended::Canceled, 3));
    let scanned = best(&Sobol::new(3, 0).points(0, Maximize::new(3).raw));
    assert!(stopped.value >= scanned * (1.0 - 1e-12) && stopped.value <= full.value);

    let failing =
        Counted { calls: 0.into(), cancel_at: 0, cancel: Arc::new(AtomicBool::new(false)) };
    let error = Maximize::new(3).run(&failing, &job, &Points::new(3)).unwrap_err();
    assert!(error.to_string().contains("planted"), "{error}");
}

#[test]
fn a_batch_of_climbs_ends_where_each_alone_would() {
    // Finished climbs leave the batch. The other climbs must not notice.
    let posterior = posterior(KernelFamily::Matern52, 2, 10, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let found = Maximize { raw: 64, starts: 64, ..Maximize::new(2) }
        .run(&Cpu, &job, &Points::new(2))
        .unwrap();
    assert_eq!(found.converged_starts, 64);
    assert!(found.evaluations < 64 + 64 * found.rounds, "every climb stayed to the last round");
    let ends: Vec<&[f64]> = found.finalists.rows().collect();
    assert!(ends.len() < 64, "several climbs end on one peak, which is listed once");
    assert!((1..ends.len()).all(|i| {
        ends[..i].iter().all(|other| other.iter().zip(ends[i]).any(|(a, b)| (a - b).abs() > 1e-5))
    }));
}

#[test]
fn a_table_gives_its_exact_best_row() {
    let posterior = posterior(KernelFamily::Matern52, 3, 25, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let mut rows = Sobol::new(3, 40).points(0, 3000);
    let twin = rows.row(1234).to_vec();
    rows.push(&twin);
    let all = values(&job, &rows).value;
    let mut taken = vec![false; rows.len()];
    for _ in 0..5 {
        let best = argmax(&Cpu, &job, &rows, &taken).unwrap().unwrap();
        let expected = (0..rows.len())
            .filter(|&i| !taken[i])
            .max_by(|&a, &b| all[a].total_cmp(&all[b]).then(b.cmp(&a)))
            .unwrap();
        assert_eq!(best.row, Some(expected));
        taken[expected] = true;
    }
    assert!(argmax(&Cpu, &job, &rows, &vec![true; rows.len()]).unwrap().is_none());
    assert!(argmax_until(&Cpu, &job, &rows, &vec![true; rows.len()], late(), 1).unwrap().is_none());
    assert_eq!(argmax(&Cpu, &job, &rows, &[false]).unwrap_err().kind(), ErrorKind::Dimension);
}

fn late() -> Deadline {
    Deadline::after(Some(Duration::ZERO))
}

#[test]
fn a_table_whose_time_is_up_gives_the_best_of_a_fair_sample() {
    let posterior = posterior(KernelFamily::Matern52, 2, 12, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let rows = Sobol::new(2, 5).points(0, 400);
    let mut taken = vec![false; rows.len()];
    let whole = argmax(&Cpu, &job, &rows, &taken).unwrap().unwrap();
    assert_eq!((whole.ended, whole.evaluations), (Ended::Finished, 400));
    // With an hour the search finds the same row. The batches differ.
    let hour = Deadline::after(Some(Duration::from_secs(3600)));
    let timed = argmax_until(&Cpu, &job, &rows, &taken, hour, 1).unwrap().unwrap();
    assert_eq!((timed.ended, timed.evaluations, timed.row), (Ended::Finished, 400, whole.row));
    // Without any time the search scores other rows for other seeds. Some seeds include the best
    // row.
    let of = |seed: u64, taken: &[bool]| {
        argmax_until(&Cpu, &job, &rows, taken, late(), seed).unwrap().unwrap()
    };
    let found: Vec<_> = (0..40).map(|seed| of(seed, &taken)).collect();
    assert!(found.iter().all(|best| best.ended == Ended::Deadline
        && best.evaluations == 32
        && best.value <= whole.value + 1e-12));
    // A sample of 32 of 400 rows misses the best row with probability 0.92. The probability that
    // none of forty seeds finds it, or that all do, is below 1 in 25.
    let hits = found.iter().filter(|best| best.row == whole.row).count();
    assert!((1..20).contains(&hits), "{hits}");
    // A single row that is left is found at any place.
    taken.fill(true);
    taken[333] = false;
    assert_eq!((of(7, &taken).row, of(7, &taken).ended), (Some(333), Ended::Finished));
}

#[test]
fn nothing_to_score_and_wrong_hints_are_errors() {
    let posterior = posterior(KernelFamily::Matern52, 2, 5, 1e-4);
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let empty = Maximize { raw: 0, ..Maximize::new(2) };
    assert_eq!(empty.run(&Cpu, &job, &Points::new(2)).unwrap_err().kind(), ErrorKind::Empty);
    let wrong = Sobol::new(3, 1).points(0, 2);
    assert_eq!(Maximize::new(2).run(&Cpu, &job, &wrong).unwrap_err().kind(), ErrorKind::Dimension);
    // Hints alone are enough to search.
    let hint = Points::from_rows(2, vec![0.5, 0.5]).unwrap();
    assert_eq!(empty.run(&Cpu, &job, &hint).unwrap().starts, 1);
}

#[test]
fn corners_that_few_starts_meet_are_found_along_the_axes() {
    // A bowl. As late in a run, half of its data lie around the middle. The index has a peak in
    // many of the 2^16 corners.
    let (dim, n) = (16, 150);
    let mut inputs = Sobol::new(dim, 1).points(0, n);
    for i in n / 2..n {
        inputs.row_mut(i).iter_mut().for_each(|x| *x = 0.5 + 0.15 * (*x - 0.5));
    }
    let outcomes: Vec<f64> =
        inputs.rows().map(|x| 2.0 - x.iter().map(|x| (x - 0.5).abs()).sum::<f64>()).collect();
    let posterior =
        Posterior::new(KernelFamily::Matern52, &hyperparameters(dim, 1e-4), &inputs, &outcomes)
            .unwrap();
    let acquisition = Acquisition::gittins(1e-3);
    let job = job(&posterior, &acquisition);
    let found = |starts: usize, seed: u64| {
        let search = Maximize { raw: 20 * starts, starts, seed, ..Maximize::new(dim) };
        search.run(&Cpu, &job, &Points::new(dim)).unwrap().value
    };
    let many = found(1000, 0);
    for seed in 1..6 {
        let few = found(24, seed);
        assert!(
            few >= many - 1e-9 * many.abs(),
            "seed {seed}: {few} with 24 starts, {many} with 1000"
        );
    }
}
