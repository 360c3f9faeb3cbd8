//! The posterior: gradients, appending that equals building anew, any tile, any number of threads,
//! hard data.

use approx::assert_abs_diff_eq;
use gittins::math::Sobol;
use gittins::{ErrorKind, Hyperparameters, KernelFamily, Points, Posterior};
use nalgebra::DVector;

use crate::support::smooth::{data, hyperparameters, posterior};
use crate::support::tolerance;

#[test]
fn gradients_agree_with_finite_differences() {
    for family in KernelFamily::ALL {
        for (dim, n) in [(1, 1), (1, 20), (2, 9), (5, 30), (17, 40), (200, 25)] {
            let (inputs, outcomes) = data(dim, n);
            let hyperparameters = hyperparameters(dim, 1e-3);
            let posterior = Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap();
            // The points are away from the data, because a Matern-1/2 kernel has kinks there.
            let points = Sobol::new(dim, 77).points(64, 3);
            let moments = posterior.moments_with_gradients(&points).unwrap();
            let h = 1e-5;
            let allowed = tolerance::difference(h, 1e3, 1e3 * f64::EPSILON * n as f64);
            for j in 0..points.len() {
                for k in (0..dim).step_by(1 + dim / 7) {
                    let at = |sign: f64| {
                        let mut moved = Points::new(dim);
                        moved.push(points.row(j));
                        moved.row_mut(0)[k] += sign * h;
                        let moments = posterior.moments(&moved).unwrap();
                        (moments.mean[0], moments.variance[0])
                    };
                    let (up, down) = (at(1.0), at(-1.0));
                    let mean = (up.0 - down.0) / (2.0 * h);
                    let variance = (up.1 - down.1) / (2.0 * h);
                    let (got_mean, got_variance) = (
                        moments.mean_gradient[j * dim + k],
                        moments.variance_gradient[j * dim + k],
                    );
                    assert!(
                        (got_mean - mean).abs() <= allowed,
                        "{family:?} d={dim} n={n} mean: {got_mean} and {mean}"
                    );
                    assert!(
                        (got_variance - variance).abs() <= allowed,
                        "{family:?} d={dim} n={n} variance: {got_variance} and {variance}"
                    );
                }
            }
        }
    }
}

#[test]
fn append_equals_build_anew() {
    for family in KernelFamily::ALL {
        let (dim, n) = (3, 60);
        let (inputs, outcomes) = data(dim, n);
        let hyperparameters = hyperparameters(dim, 1e-4);
        let mut first = Points::new(dim);
        first.push(inputs.row(0));
        let mut grown = Posterior::new(family, &hyperparameters, &first, &outcomes[..1]).unwrap();
        for (input, outcome) in inputs.rows().zip(&outcomes).skip(1) {
            grown.append(input, *outcome).unwrap();
        }
        let built = Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap();
        let points = Sobol::new(dim, 5).points(0, 100);
        let (a, b) = (
            grown.moments_with_gradients(&points).unwrap(),
            built.moments_with_gradients(&points).unwrap(),
        );
        let allowed = 100.0 * tolerance::posterior(n, 1.3, 1e-4);
        for (x, y) in [
            (a.mean, b.mean),
            (a.variance, b.variance),
            (a.mean_gradient, b.mean_gradient),
            (a.variance_gradient, b.variance_gradient),
        ] {
            for (x, y) in x.iter().zip(&y) {
                assert!((x - y).abs() <= allowed, "{family:?}: {x} and {y}, allowed {allowed}");
            }
        }
    }
}

#[test]
fn a_batch_is_the_same_as_its_points_alone() {
    let posterior = posterior(KernelFamily::Matern52, 4, 70, 1e-4);
    let points = Sobol::new(4, 9).points(0, 1100);
    let all = posterior.moments(&points).unwrap();
    for count in [1, 7, 8, 9, 63, 64, 65, 257] {
        let part = Points::from_rows(4, points.values()[..4 * count].to_vec()).unwrap();
        let some = posterior.moments(&part).unwrap();
        for j in 0..count {
            let allowed = 10.0 * tolerance::posterior(70, 1.3, 1e-4);
            assert!(
                (some.mean[j] - all.mean[j]).abs() <= allowed
                    && (some.variance[j] - all.variance[j]).abs() <= allowed
            );
        }
    }
    let joint =
        posterior.joint(&Points::from_rows(4, points.values()[..40].to_vec()).unwrap()).unwrap();
    assert_abs_diff_eq!(joint.mean, DVector::from_column_slice(&all.mean[..10]), epsilon = 1e-9);
    assert_abs_diff_eq!(
        joint.covariance.diagonal(),
        DVector::from_column_slice(&all.variance[..10]),
        epsilon = 1e-9
    );
    assert!(joint.covariance.clone().symmetric_eigenvalues().min() >= -1e-9);
    assert_eq!(joint.covariance, joint.covariance.transpose());
}

#[test]
fn the_joint_posterior_conditions_like_an_observation() {
    // Appending a point at its posterior mean lowers the variances by the amount that the joint
    // covariance gives.
    let (inputs, outcomes) = data(2, 12);
    let hyperparameters = hyperparameters(2, 1e-4);
    let posterior =
        Posterior::new(KernelFamily::Matern32, &hyperparameters, &inputs, &outcomes).unwrap();
    let two = Points::from_rows(2, vec![0.31, 0.72, 0.55, 0.6]).unwrap();
    let joint = posterior.joint(&two).unwrap();
    let fantasy = posterior.fantasize(&Points::from_rows(2, vec![0.31, 0.72]).unwrap()).unwrap();
    assert_eq!(fantasy.len(), 13);
    let after = fantasy.moments(&two).unwrap();
    let expected = joint.covariance[(1, 1)]
        - joint.covariance[(0, 1)].powi(2) / (joint.covariance[(0, 0)] + hyperparameters.noise);
    assert_abs_diff_eq!(after.variance[1], expected, epsilon = 1e-9);
    // A fantasy at the mean does not move the mean.
    assert_abs_diff_eq!(after.mean[1], joint.mean[1], epsilon = 1e-9);
}

#[test]
fn threads_do_not_change_a_bit() {
    // The data fill several blocks of the factor and several tiles.
    let points = Sobol::new(6, 3).points(0, 500);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let posterior = posterior(KernelFamily::Matern52, 6, 300, 1e-6);
            posterior.moments_with_gradients(&points).unwrap()
        })
    };
    let one = with(1);
    for threads in [2, 3, 5] {
        assert_eq!(one, with(threads), "{threads} threads");
    }
}

#[test]
fn hard_data_is_floored_jittered_or_refused_and_says_so() {
    let (mut inputs, mut outcomes) = data(2, 10);
    let noiseless = hyperparameters(2, 0.0);
    let posterior = Posterior::new(KernelFamily::Rbf, &noiseless, &inputs, &outcomes).unwrap();
    let moments = posterior.moments_with_gradients(&inputs).unwrap();
    assert!(moments.variance.iter().all(|&v| v > 0.0));
    assert!(moments.floored > 0, "the variance at noise-free data is zero but for rounding");

    // With the same input twice and no noise the covariance is singular.
    let mut twice = posterior.clone();
    let error = twice.append(inputs.row(3), 0.5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotPositiveDefinite);
    assert_eq!(twice.len(), 10);
    assert_eq!(twice.moments(&inputs).unwrap(), posterior.moments(&inputs).unwrap());
    let repeated = inputs.row(3).to_vec();
    inputs.push(&repeated);
    outcomes.push(outcomes[3]);
    let jittered = Posterior::new(KernelFamily::Rbf, &noiseless, &inputs, &outcomes).unwrap();
    assert!(jittered.jitter() > 0.0 && posterior.jitter() == 0.0);
    let known =
        posterior.fantasize(&Points::from_rows(2, inputs.row(3).to_vec()).unwrap()).unwrap();
    assert_eq!(known.len(), 10, "a point that is known already adds nothing");
}

#[test]
fn bad_input_names_its_culprit() {
    let (inputs, outcomes) = data(2, 5);
    let good = hyperparameters(2, 1e-4);
    let new = |h: &Hyperparameters, x: &Points, y: &[f64]| {
        Posterior::new(KernelFamily::Rbf, h, x, y).unwrap_err()
    };
    let cases = [
        (new(&good, &Points::new(2), &[]), ErrorKind::Empty, "no observation"),
        (new(&good, &inputs, &outcomes[..4]), ErrorKind::Dimension, "5 inputs and 4 outcomes"),
        (new(&good, &inputs, &[1.0, 2.0, f64::NAN, 0.0, 0.0]), ErrorKind::NonFinite, "outcome 2"),
        (
            new(&Hyperparameters { lengthscales: vec![1.0], ..good.clone() }, &inputs, &outcomes),
            ErrorKind::Dimension,
            "1 lengthscales for 2",
        ),
        (
            new(
                &Hyperparameters { lengthscales: vec![1.0, -1.0], ..good.clone() },
                &inputs,
                &outcomes,
            ),
            ErrorKind::InvalidSetting,
            "lengthscale 1",
        ),
        (
            new(&Hyperparameters { noise: f64::INFINITY, ..good.clone() }, &inputs, &outcomes),
            ErrorKind::NonFinite,
            "noise",
        ),
        (
            new(&Hyperparameters { outputscale: 0.0, ..good.clone() }, &inputs, &outcomes),
            ErrorKind::InvalidSetting,
            "outputscale",
        ),
    ];
    for (error, kind, text) in cases {
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(text), "{error} does not say {text}");
    }
    let mut posterior = Posterior::new(KernelFamily::Rbf, &good, &inputs, &outcomes).unwrap();
    assert_eq!(posterior.append(&[0.1], 0.0).unwrap_err().kind(), ErrorKind::Dimension);
    assert_eq!(posterior.append(&[0.1, f64::NAN], 0.0).unwrap_err().kind(), ErrorKind::NonFinite);
    assert_eq!(posterior.moments(&Points::new(3)).unwrap_err().kind(), ErrorKind::Dimension);
    assert_eq!(posterior.len(), 5);
}
