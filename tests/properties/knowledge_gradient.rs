//! The knowledge gradient: slopes, sign, units, composition of batches, threads, hard data, misuse.

use std::sync::Arc;

use gittins::acquisition::normals;
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cpu, Error, ErrorKind, Job, JobCost, Joint, KernelFamily, Maximize,
    Points, Pointwise, Posterior, Scores,
};

use crate::support::smooth::{data, hyperparameters, posterior};
use crate::support::tolerance;

fn job<'a>(posterior: &'a Posterior, acquisition: &'a Acquisition) -> Job<'a> {
    Job::new(posterior, JobCost::Uniform(1.0), acquisition, 0.0).gradient(true)
}

fn evaluate(posterior: &Posterior, acquisition: &Acquisition, points: &Points) -> Scores {
    let mut scores = Scores::default();
    Cpu.evaluate(&job(posterior, acquisition), points, &mut scores).unwrap();
    scores
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn finite(dim: usize, count: usize) -> Acquisition {
    Acquisition::Joint(Joint::FiniteKnowledgeGradient {
        among: Arc::new(Sobol::new(dim, 41).points(0, count)),
    })
}

#[test]
fn gradients_agree_with_finite_differences() {
    for family in KernelFamily::ALL {
        let mut steepest = [0.0; 2];
        for (dim, n, m) in [(1, 1, 1), (1, 12, 2), (2, 9, 5), (3, 25, 64), (20, 30, 7)] {
            let posterior = posterior(family, dim, n, 1e-2);
            for (kind, acquisition) in
                [Acquisition::knowledge_gradient(normals(m, 3), 0.4), finite(dim, 2 + m)]
                    .into_iter()
                    .enumerate()
            {
                let width = dim * acquisition.points();
                let points = Sobol::new(width, 31).points(64, 2);
                let scores = evaluate(&posterior, &acquisition, &points);
                let h = 1e-5;
                for j in 0..points.len() {
                    for k in (0..width).step_by(1 + width / 23) {
                        let at = |steps: f64| {
                            let mut moved = points.select([j]);
                            moved.row_mut(0)[k] += steps * h;
                            evaluate(&posterior, &acquisition, &moved).value[0]
                        };
                        let difference =
                            ((at(-2.0) - at(2.0)) + 8.0 * (at(1.0) - at(-1.0))) / (12.0 * h);
                        let got = scores.gradient[j * width + k];
                        let what = format!(
                            "{family:?} d={dim} n={n} m={m}, {} points a row",
                            acquisition.points()
                        );
                        tolerance::assert_within(
                            format!("{what}, coordinate {k}"),
                            got,
                            difference,
                            tolerance::five_point_slope_of_sums(h, n, got),
                        );
                    }
                }
                let slopes = scores.gradient.iter().map(|slope| slope.abs());
                steepest[kind] = slopes.fold(steepest[kind], f64::max);
            }
        }
        // Some slopes are flat because a set has little to gain, but not all.
        assert!(steepest.iter().all(|slope| *slope > 1e-2), "{family:?}: {steepest:?}");
    }
}

#[test]
fn a_row_scores_the_same_in_any_batch_and_on_any_number_of_threads() {
    for n in [1, 8, 33, 100] {
        let posterior = posterior(KernelFamily::Matern52, 3, n, 1e-3);
        for acquisition in [Acquisition::knowledge_gradient(normals(9, 1), 0.1), finite(3, 50)] {
            let points = Sobol::new(3 * acquisition.points(), 8).points(0, 37);
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| evaluate(&posterior, &acquisition, &points))
            };
            let whole = on(1);
            let two = on(2);
            assert_eq!(
                (bits(&whole.value), bits(&whole.gradient)),
                (bits(&two.value), bits(&two.gradient))
            );
            for row in [0, 5, 36] {
                let alone = evaluate(&posterior, &acquisition, &points.select([row]));
                assert_eq!(alone.value[0].to_bits(), whole.value[row].to_bits());
                assert_eq!(alone.variance[0].to_bits(), whole.variance[row].to_bits());
                let width = points.dim();
                assert_eq!(
                    bits(&alone.gradient),
                    bits(&whole.gradient[row * width..(row + 1) * width])
                );
            }
            let mut kept = Scores::default();
            Cpu.evaluate(&job(&posterior, &acquisition).keep(Some(4)), &points, &mut kept).unwrap();
            assert_eq!((kept.value.len(), kept.gradient.len()), (4, 4 * points.dim()));
            for (at, &row) in kept.rows.iter().enumerate() {
                assert_eq!(kept.value[at].to_bits(), whole.value[row].to_bits());
                let width = points.dim();
                assert_eq!(
                    bits(&kept.gradient[at * width..][..width]),
                    bits(&whole.gradient[row * width..][..width])
                );
            }
        }
    }
}

#[test]
fn values_scale_with_the_outcome_over_decades() {
    let (inputs, outcomes) = data(2, 15);
    let at = |scale: f64| {
        let outcomes: Vec<f64> = outcomes.iter().map(|y| scale * y).collect();
        let posterior = Posterior::new(
            KernelFamily::Matern32,
            &hyperparameters(2, 1e-2).rescaled(0.0, scale),
            &inputs,
            &outcomes,
        )
        .unwrap();
        [Acquisition::knowledge_gradient(normals(8, 1), 0.3 * scale), finite(2, 30)].map(
            |acquisition| {
                let rows = Sobol::new(2 * acquisition.points(), 3).points(0, 10);
                let scores = evaluate(&posterior, &acquisition, &rows);
                (scores.value, scores.gradient)
            },
        )
    };
    // Powers of two change no digit.
    let one = at(1.0);
    for exponent in [-60, -20, 20, 60] {
        let scale = 2f64.powi(exponent);
        for ((value, gradient), (scaled_value, scaled_gradient)) in one.iter().zip(at(scale)) {
            assert_eq!(scaled_value, value.iter().map(|v| scale * v).collect::<Vec<f64>>());
            assert_eq!(scaled_gradient, gradient.iter().map(|v| scale * v).collect::<Vec<f64>>());
        }
    }
}

#[test]
fn the_largest_is_never_negative() {
    for (dim, n, noise, m) in
        [(1, 1, 1e-2, 2), (1, 30, 1e-6, 3), (2, 3, 0.0, 64), (2, 60, 1e-4, 17), (4, 20, 1e-3, 64)]
    {
        let posterior = posterior(KernelFamily::Matern52, dim, n, noise);
        let search = Maximize { raw: 128, starts: 6, ..Maximize::new(dim) };
        let mean = Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 0.0 });
        let highest = search.run(&Cpu, &job(&posterior, &mean), &Points::new(dim)).unwrap();
        let acquisition = Acquisition::knowledge_gradient(normals(m, 5), highest.value);
        let (found, among) = search
            .knowledge_gradient(&Cpu, &job(&posterior, &acquisition), &Points::new(dim))
            .unwrap();
        assert!(
            found.value >= -tolerance::SAME_PEAK * highest.value.abs(),
            "d={dim} n={n} m={m}: {}",
            found.value
        );
        assert_eq!((found.point.len(), found.finalists.dim(), among.dim()), (dim, dim, dim));
        assert!(among.values().iter().all(|u| (0.0..=1.0).contains(u)));
        let told = Acquisition::Joint(Joint::FiniteKnowledgeGradient { among: Arc::new(among) });
        let roots = Sobol::new(dim, 1).points(0, 200);
        assert!(evaluate(&posterior, &told, &roots).value.iter().all(|value| *value >= 0.0));
    }
}

/// A plain search climbs from its own rows and ignores hints. The usual search finds a peak through
/// a hint that lies on it.
#[test]
fn a_plain_search_has_rows_of_its_own() {
    let posterior = posterior(KernelFamily::Matern52, 2, 12, 1e-3);
    let acquisition = Acquisition::knowledge_gradient(normals(8, 5), 0.0);
    let search = |plain: bool, hints: &Points| {
        let search = Maximize { raw: 8, starts: 1, max_iterations: 2, plain, ..Maximize::new(2) };
        search.knowledge_gradient(&Cpu, &job(&posterior, &acquisition), hints).unwrap().0
    };
    let none = Points::new(2);
    let (thorough, _) =
        Maximize::new(2).knowledge_gradient(&Cpu, &job(&posterior, &acquisition), &none).unwrap();
    let hint = Points::from_rows(2, thorough.point).unwrap();
    assert_eq!(bits(&search(true, &hint).point), bits(&search(true, &none).point));
    assert!(search(false, &hint).value > search(false, &none).value.max(search(true, &none).value));
}

#[test]
fn a_known_point_tells_nothing() {
    // Without noise the variance at a datum is only rounding, and so is every covariance with the
    // datum.
    let posterior = posterior(KernelFamily::Matern52, 2, 12, 0.0);
    let data = posterior.inputs().clone();
    let scores = evaluate(&posterior, &finite(2, 40), &data);
    assert_eq!(scores.floored, data.len());
    assert!(
        scores.value.iter().chain(&scores.gradient).all(|number| *number == 0.0),
        "{:?}",
        scores.value
    );
    let unknown = evaluate(&posterior, &finite(2, 40), &Sobol::new(2, 3).points(100, 12));
    assert!(unknown.floored == 0 && unknown.value.iter().any(|value| *value > 1e-3));
}

#[test]
fn misuse_is_named() {
    let posterior = posterior(KernelFamily::Matern52, 2, 5, 1e-3);
    let error = |acquisition: &Acquisition, points: &Points| -> Error {
        Cpu.evaluate(&job(&posterior, acquisition), points, &mut Scores::default()).unwrap_err()
    };
    let rows = Points::from_rows(6, vec![0.5; 12]).unwrap();
    let good = Acquisition::knowledge_gradient(vec![-1.0, 1.0], 0.0);
    assert_eq!(evaluate(&posterior, &good, &rows).gradient.len(), 12);
    let wrong = error(&good, &Points::from_rows(4, vec![0.5; 12]).unwrap());
    assert_eq!(wrong.kind(), ErrorKind::Dimension);
    assert!(wrong.to_string().contains("rows of 3 points of 2 coordinates"), "{wrong}");
    assert_eq!(
        error(&good, &Points::from_rows(2, vec![0.5; 12]).unwrap()).kind(),
        ErrorKind::Dimension
    );
    let mut infinite = rows.clone();
    infinite.row_mut(1)[5] = f64::INFINITY;
    assert_eq!(error(&good, &infinite).kind(), ErrorKind::NonFinite);
    let none = error(
        &Acquisition::knowledge_gradient(Vec::new(), 0.0),
        &Points::from_rows(2, vec![0.5; 2]).unwrap(),
    );
    assert_eq!(none.kind(), ErrorKind::Empty);
    assert!(
        none.to_string().contains("knowledge gradient: expected at least one normal number"),
        "{none}"
    );
    assert_eq!(
        error(&Acquisition::knowledge_gradient(vec![f64::NAN, 1.0], 0.0), &rows).kind(),
        ErrorKind::NonFinite
    );
    assert_eq!(
        error(&Acquisition::knowledge_gradient(vec![-1.0, 1.0], f64::INFINITY), &rows).kind(),
        ErrorKind::NonFinite
    );
    let point = Points::from_rows(2, vec![0.5; 2]).unwrap();
    let empty =
        Acquisition::Joint(Joint::FiniteKnowledgeGradient { among: Arc::new(Points::new(2)) });
    assert_eq!(error(&empty, &point).kind(), ErrorKind::Empty);
    let other = error(&finite(3, 4), &point);
    assert_eq!(other.kind(), ErrorKind::Dimension);
    assert!(other.to_string().contains("the set of the knowledge gradient"), "{other}");
    let search = Maximize::new(2);
    let other = search
        .knowledge_gradient(&Cpu, &job(&posterior, &Acquisition::gittins(1e-3)), &Points::new(2))
        .unwrap_err();
    assert_eq!(other.kind(), ErrorKind::InvalidSetting);
    let hint = search
        .knowledge_gradient(
            &Cpu,
            &job(&posterior, &good),
            &Points::from_rows(3, vec![0.5; 3]).unwrap(),
        )
        .unwrap_err();
    assert_eq!(hint.kind(), ErrorKind::Dimension);
}
