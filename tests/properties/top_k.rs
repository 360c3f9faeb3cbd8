//! Keeping the best of a batch: the selection against a full sort, and the kept scores against the
//! scores of the whole batch.

use gittins::internals::top_k;
use gittins::math::Sobol;
use gittins::{Acquisition, Backend, Cpu, ErrorKind, Job, JobCost, Points, Scores};
use proptest::prelude::*;

use super::backend::{Bowl, posteriors};

proptest! {
    #[test]
    fn the_best_k_are_the_head_of_a_full_sort(picks in prop::collection::vec(0..9usize, 0..200), k in 0..220usize) {
        // There are so few values that most are tied. Some of them compare in special ways.
        let values = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.5, -1.5, f64::MIN_POSITIVE];
        let scores: Vec<f64> = picks.iter().map(|&pick| values[pick]).collect();
        let mut rows = vec![77; 3];
        top_k(&scores, k, &mut rows);
        let (mut sorted, last): (Vec<usize>, Vec<usize>) = (0..scores.len()).partition(|&row| !scores[row].is_nan());
        // The sort is stable, so ties stay in the order of their rows.
        sorted.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap());
        sorted.extend(last);
        sorted.truncate(k);
        prop_assert_eq!(rows, sorted);
    }
}

fn whole(job: &Job<'_>, points: &Points) -> Scores {
    let mut scores = Scores::default();
    Cpu.evaluate(&job.keep(None), points, &mut scores).unwrap();
    scores
}

#[test]
fn what_is_kept_is_what_was_said_of_the_whole_batch() {
    let (posterior, log_cost) = posteriors(3, 25);
    let mut points = Sobol::new(3, 5).points(0, 500);
    // Every point comes twice, so every value is tied.
    points.extend(&points.clone());
    let mut kept = Scores::default();
    for (k, gradient) in [(1, true), (7, false), (64, true), (1000, true), (5000, false)] {
        let cost = JobCost::Learned(&log_cost);
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&posterior, cost, &acquisition, 0.5).gradient(gradient).keep(Some(k));
        Cpu.evaluate(&job, &points, &mut kept).unwrap();
        let all = whole(&job.gradient(false), &points);
        let mut rows: Vec<usize> = (0..points.len()).collect();
        rows.sort_by(|&a, &b| all.value[b].total_cmp(&all.value[a]));
        rows.truncate(k);
        assert_eq!(kept.rows, rows);
        for (field, of) in
            [(&kept.value, &all.value), (&kept.mean, &all.mean), (&kept.variance, &all.variance)]
        {
            assert!(
                rows.len() == field.len()
                    && rows
                        .iter()
                        .zip(field)
                        .all(|(&row, kept)| of[row].to_bits() == kept.to_bits())
            );
        }
        assert_eq!(kept.floored, all.floored);
        let mut subset = Points::new(3);
        for &row in &rows {
            subset.push(points.row(row));
        }
        assert_eq!(
            kept.gradient,
            if gradient { whole(&job, &subset).gradient } else { Vec::new() }
        );
    }
    // Memory that was used for a selection shows no trace of it afterwards.
    let acquisition = Acquisition::gittins(1e-3);
    let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.5).gradient(true);
    Cpu.evaluate(&job, &points, &mut kept).unwrap();
    assert_eq!((kept.rows.len(), kept.value.len(), kept.gradient.len()), (0, 1000, 3000));
}

#[test]
fn keeping_none_is_an_error_and_so_is_a_point_without_a_price_that_would_not_be_kept() {
    let (posterior, _) = posteriors(2, 8);
    let mut points = Sobol::new(2, 1).points(0, 200);
    let acquisition = Acquisition::gittins(1e-3);
    let job =
        Job::new(&posterior, JobCost::Known(&Bowl), &acquisition, 0.0).gradient(true).keep(Some(3));
    points.row_mut(150)[0] = 7.0;
    points.row_mut(40)[0] = 5.0;
    let error = Cpu.evaluate(&job, &points, &mut Scores::default()).unwrap_err();
    assert!(
        error.kind() == ErrorKind::NonPositiveCost && error.to_string().contains("no price at 5"),
        "{error}"
    );
    let error = Cpu.evaluate(&job.keep(Some(0)), &points, &mut Scores::default()).unwrap_err();
    assert!(
        error.kind() == ErrorKind::InvalidSetting && error.to_string().contains("keep"),
        "{error}"
    );
    let mut scores = Scores::default();
    Cpu.evaluate(&job, &Points::new(2), &mut scores).unwrap();
    assert!(scores.rows.is_empty() && scores.value.is_empty());
}
