//! Sample paths: they have the posterior's moments and go through the data. Also gradients, batches
//! and single points, and one seed.

use gittins::math::Sobol;
use gittins::posterior::Paths;
use gittins::{
    Acquisition, Backend, Cpu, ErrorKind, Hyperparameters, Job, JobCost, KernelFamily, Points,
    Posterior, Scores,
};
use nalgebra::DMatrix;

use crate::support::families::STATIONARY;
use crate::support::smooth::{hyperparameters, posterior};
use crate::support::tolerance;

/// Over draws that each have their own frequencies, mean and covariance are the posterior's for any
/// number of features: near data, far away, and between. The noise is large, so that a path without
/// its noise would be found.
#[test]
fn moments_of_draws_are_the_posteriors() {
    let draws = 10_000;
    for family in KernelFamily::ALL {
        let posterior = posterior(family, 2, 6, 0.1);
        let mut points = Points::from_rows(2, vec![0.97, 0.03, 0.5, 0.51, 0.45, 0.6]).unwrap();
        points.push(posterior.inputs().row(2));
        let joint = posterior.joint(&points).unwrap();
        let b = points.len();
        let (mut mean, mut products, mut squares) =
            (vec![0.0; b], DMatrix::<f64>::zeros(b, b), DMatrix::<f64>::zeros(b, b));
        for seed in 0..draws {
            let values = Paths::draw(&posterior, 16, 1, seed).unwrap().values(&points).unwrap();
            let centered: Vec<f64> = (0..b).map(|i| values[(0, i)] - joint.mean[i]).collect();
            for i in 0..b {
                mean[i] += centered[i];
                for j in 0..=i {
                    let product = centered[i] * centered[j] - joint.covariance[(i, j)];
                    products[(i, j)] += product;
                    squares[(i, j)] += product * product;
                }
            }
        }
        let n = draws as f64;
        for i in 0..b {
            let allowed = tolerance::sampled_mean(joint.covariance[(i, i)], draws);
            assert!(
                (mean[i] / n).abs() <= allowed,
                "{family:?}: the mean at {i} is off by {}, allowed {allowed}",
                mean[i] / n
            );
            for j in 0..=i {
                let allowed = tolerance::sampled_mean(squares[(i, j)] / n, draws);
                let error = products[(i, j)] / n;
                assert!(
                    error.abs() <= allowed,
                    "{family:?}: the covariance of {i} and {j} is off by {error}, allowed {allowed}"
                );
            }
        }
    }
}

/// Given its frequencies, the paths of one draw are a Gaussian sample with the posterior's mean.
/// Their variance differs from the posterior's by the error of a kernel with `m` frequencies.
/// Several draws show the size of this error.
#[test]
fn paths_of_one_draw_are_a_sample_of_the_posterior() {
    let (draws, count) = (100, 60);
    for family in KernelFamily::ALL {
        let posterior = posterior(family, 3, 20, 1e-3);
        let points = Sobol::new(3, 50).points(0, 10);
        let joint = posterior.joint(&points).unwrap();
        let (mut first, mut second) = (vec![0.0; 10], vec![0.0; 10]);
        for seed in 0..draws {
            let values =
                Paths::draw(&posterior, 1024, count, seed).unwrap().values(&points).unwrap();
            assert_eq!(values.shape(), (count, 10));
            for j in 0..10 {
                let (column, mean) = (values.column(j), joint.mean[j]);
                let own = column.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / count as f64;
                let allowed = tolerance::sampled_mean(own, count as u64);
                assert!(
                    (column.mean() - mean).abs() <= allowed,
                    "{family:?}, {j}: {} against {mean}",
                    column.mean()
                );
                first[j] += own / draws as f64;
                second[j] += own * own / draws as f64;
            }
        }
        for j in 0..10 {
            let (got, expected) = (first[j], joint.covariance[(j, j)]);
            let allowed = tolerance::sampled_mean(second[j] - got * got, draws);
            assert!(
                (got - expected).abs() <= allowed,
                "{family:?}, {j}: variance {got} against {expected}, allowed {allowed}"
            );
            assert!(allowed < 0.5 * expected, "{family:?}, {j}: {allowed} would let anything pass");
        }
    }
}

#[test]
fn paths_go_through_data_without_noise() {
    for family in STATIONARY {
        let (dim, n) = (2, 12);
        let posterior = posterior(family, dim, n, 0.0);
        assert_eq!(posterior.jitter(), 0.0);
        let values =
            Paths::draw(&posterior, 256, 20, 5).unwrap().values(posterior.inputs()).unwrap();
        // The prior's covariance at the inputs, taken from the posterior far from all data. Only
        // its smallest eigenvalue matters.
        let far =
            Points::from_rows(dim, posterior.inputs().values().iter().map(|x| x + 1e6).collect())
                .unwrap();
        let smallest = posterior.joint(&far).unwrap().covariance.symmetric_eigenvalues().min();
        let allowed = tolerance::path_at_data(&posterior, smallest);
        for (i, j) in (0..20).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (got, expected) = (values[(i, j)], posterior.outcomes()[j]);
            assert!(
                (got - expected).abs() <= allowed,
                "{family:?}: path {i} at datum {j} is {got} instead of {expected}, allowed {allowed}"
            );
        }
    }
}

/// Halving a step divides the error of a central difference by four. So two differences bound the
/// error of the smaller step, for any frequencies.
#[test]
fn gradients_agree_with_finite_differences() {
    let h = 1e-7;
    for family in KernelFamily::ALL {
        for (dim, n) in [(1, 1), (2, 9), (9, 30)] {
            let posterior = posterior(family, dim, n, 1e-2);
            let path = Paths::draw(&posterior, 130, 3, 8).unwrap().path(2);
            let mut gradient = vec![f64::NAN; dim];
            for point in Sobol::new(dim, 77).points(64, 4).rows() {
                let value = path.value_and_gradient(point, &mut gradient).unwrap();
                assert_eq!(value, path.value(point).unwrap());
                for k in 0..dim {
                    let quotient = |h: f64| {
                        let at = |step: f64| {
                            let mut moved = point.to_vec();
                            moved[k] += step;
                            path.value(&moved).unwrap()
                        };
                        (at(h) - at(-h)) / (2.0 * h)
                    };
                    let (coarse, fine) = (quotient(2.0 * h), quotient(h));
                    let allowed = (coarse - fine).abs() + tolerance::path_sum(&posterior, 130) / h;
                    assert!(
                        (gradient[k] - fine).abs() <= allowed,
                        "{family:?} d={dim}: {} against {fine}, allowed {allowed}",
                        gradient[k]
                    );
                    assert!(
                        allowed < 0.1 * (1.0 + fine.abs()),
                        "{family:?} d={dim}: {allowed} would let anything pass"
                    );
                }
            }
        }
    }
}

#[test]
fn a_batch_of_paths_is_each_path_alone() {
    let posterior = posterior(KernelFamily::Matern32, 3, 21, 1e-2);
    // The features do not fill the last vectors. The paths and points do not fill the last block.
    let paths = Paths::draw(&posterior, 26, 70, 2).unwrap();
    let points = Sobol::new(3, 4).points(0, 75);
    let values = paths.values(&points).unwrap();
    let allowed = tolerance::path_sum(&posterior, 26);
    for i in 0..paths.len() {
        let path = paths.path(i);
        for (j, point) in points.rows().enumerate() {
            let alone = path.value(point).unwrap();
            assert!(
                (values[(i, j)] - alone).abs() <= allowed,
                "path {i}, point {j}: {} and {alone}",
                values[(i, j)]
            );
        }
    }
    // A path does not depend on the number of paths in its draw.
    let few = Paths::draw(&posterior, 26, 3, 2).unwrap().values(&points).unwrap();
    assert!((0..3).all(|i| (0..75).all(
        |j| (few[(i, j)] - values[(i, j)]).abs() <= allowed / posterior.hyperparameters().noise
    )));
    assert_eq!(paths.values(&Points::new(3)).unwrap().shape(), (70, 0));
}

/// The CPU backend returns the path's values and gradients with the posterior's moments. If only
/// some points are kept, the best come first.
#[test]
fn a_job_of_a_path_scores_its_values() {
    let posterior = posterior(KernelFamily::Matern52, 3, 30, 1e-2);
    let path = Paths::draw(&posterior, 100, 2, 1).unwrap().path(1);
    let acquisition = Acquisition::thompson(path.clone());
    let points = Sobol::new(3, 4).points(0, 150);
    let mut job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.0).gradient(true);
    let mut scores = Scores::default();
    Cpu.evaluate(&job, &points, &mut scores).unwrap();
    let moments = posterior.moments(&points).unwrap();
    assert_eq!((&scores.mean, &scores.variance), (&moments.mean, &moments.variance));
    let (mut gradient, mut best) = (vec![0.0; 3], 0);
    for (j, point) in points.rows().enumerate() {
        let value = path.value_and_gradient(point, &mut gradient).unwrap();
        assert!((scores.value[j] - value).abs() <= tolerance::path_sum(&posterior, 100));
        for (got, expected) in scores.gradient[3 * j..3 * j + 3].iter().zip(&gradient) {
            assert!(
                (got - expected).abs() <= 100.0 * tolerance::path_sum(&posterior, 100),
                "{got} and {expected}"
            );
        }
        best = if scores.value[j] > scores.value[best] { j } else { best };
    }
    job.keep = Some(2);
    let mut kept = Scores::default();
    Cpu.evaluate(&job, &points, &mut kept).unwrap();
    assert_eq!((kept.rows[0], kept.value.len(), kept.gradient.len()), (best, 2, 6));
    let other = crate::support::smooth::posterior(KernelFamily::Rbf, 2, 5, 0.1);
    let error = Cpu.evaluate(&job.posterior(&other), &Points::new(2), &mut kept).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Dimension);
    assert!(error.to_string().contains("the sample path has 3 inputs"), "{error}");
}

#[test]
fn threads_do_not_change_a_bit_of_a_path() {
    let posterior = posterior(KernelFamily::Matern52, 4, 150, 1e-4);
    let points = Sobol::new(4, 3).points(0, 500);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let paths = Paths::draw(&posterior, 256, 130, 9).unwrap();
            (paths.values(&points).unwrap(), paths.path(129))
        })
    };
    let one = with(1);
    for threads in [2, 3] {
        assert_eq!(one, with(threads), "{threads} threads");
    }
}

#[test]
fn equal_paths_are_the_same_function() {
    let posterior = posterior(KernelFamily::Rbf, 2, 5, 1e-3);
    let draw = |seed| Paths::draw(&posterior, 64, 4, seed).unwrap();
    let paths = draw(1);
    assert_eq!((paths.len(), paths.dim(), paths.path(3).dim()), (4, 2, 2));
    assert_eq!(paths.path(2), paths.path(2).clone());
    assert_eq!(paths.path(2), draw(1).path(2));
    assert_ne!(paths.path(2), paths.path(1));
    assert_ne!(paths.path(2), draw(2).path(2));
    assert_eq!(
        format!("{paths:?} {:?}", paths.path(3)),
        "Paths(4 of 64 features and 5 data in 2 dimensions) Path(3 of 64 features and 5 data in 2 dimensions)"
    );
}

#[test]
fn paths_refuse_nonsense() {
    let good = posterior(KernelFamily::Matern12, 2, 5, 1e-3);
    let draw = |features, count| Paths::draw(&good, features, count, 1).map(|_| ());
    let paths = Paths::draw(&good, 64, 2, 1).unwrap();
    let path = paths.path(0);
    let narrow = Hyperparameters { lengthscales: vec![0.5, 1e-308], ..hyperparameters(2, 1e-3) };
    let narrow = Posterior::new(
        KernelFamily::Rbf,
        &narrow,
        &Points::from_rows(2, vec![0.0, 0.0]).unwrap(),
        &[0.0],
    )
    .unwrap();
    let beyond = Points::new(3);
    for (result, kind, culprit) in [
        (draw(0, 1), ErrorKind::InvalidSetting, "features"),
        (draw(63, 1), ErrorKind::InvalidSetting, "features"),
        (draw(1 << 18, 1), ErrorKind::InvalidSetting, "features"),
        (draw(64, 0), ErrorKind::InvalidSetting, "count"),
        (draw(64, usize::MAX), ErrorKind::InvalidSetting, "count"),
        (Paths::draw(&narrow, 64, 1, 1).map(|_| ()), ErrorKind::NonFinite, "lengthscale 1"),
        (
            paths.values(&beyond).map(|_| ()),
            ErrorKind::Dimension,
            "points of 3 coordinates for paths of 2",
        ),
        (path.value(&[0.1]).map(|_| ()), ErrorKind::Dimension, "a point of 1 coordinates"),
        (path.value(&[0.1, f64::NAN]).map(|_| ()), ErrorKind::NonFinite, "coordinate 1"),
        (
            path.value_and_gradient(&[0.1, 0.2], &mut [0.0]).map(|_| ()),
            ErrorKind::Dimension,
            "a gradient of 1 entries",
        ),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error} does not say {culprit}");
    }
}
