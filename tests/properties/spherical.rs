//! The spherical linear kernel: few rows say what many observations say. Against least squares, over
//! decades of lengthscales, appended, fitted, drawn, and where it is refused.

use gittins::internals::{Likelihood, expected_supremum};
use gittins::math::Sobol;
use gittins::model::{FitStatus, Noise};
use gittins::posterior::Paths;
use gittins::{
    Acquisition, ErrorKind, GaussianProcess, Hyperparameters, KernelFamily, Outcome, Points,
    Pointwise, Posterior, Space, Study,
};
use nalgebra::{DMatrix, DVector};

use crate::support::smooth::{data, hyperparameters};
use crate::support::tolerance;

const FAMILY: KernelFamily = KernelFamily::SphericalLinear;

/// `P` of each point, from its definition.
pub fn features(points: &Points, lengthscales: &[f64]) -> DMatrix<f64> {
    let d = points.dim();
    let mut features = DMatrix::zeros(points.len(), d + 1);
    for (i, point) in points.rows().enumerate() {
        let u: Vec<f64> = point.iter().zip(lengthscales).map(|(x, l)| (x - 0.5) / l).collect();
        let square: f64 = u.iter().map(|u| u * u).sum();
        for (k, u) in u.iter().enumerate() {
            features[(i, k)] = 2.0 * u / (1.0 + square);
        }
        features[(i, d)] = (square - 1.0) / (1.0 + square);
    }
    features
}

/// Mean and variance by least squares: the weights of the features minimize
/// `|y - m - P w|^2 / noise + |w|^2 / s`. By the triangle of the stacked matrix, which has the root
/// of the condition number of a covariance.
fn least_squares(
    at: &Hyperparameters,
    (inputs, outcomes): (&Points, &[f64]),
    points: &Points,
) -> (Vec<f64>, Vec<f64>) {
    let (n, m) = (inputs.len(), inputs.dim() + 1);
    let mut stacked = DMatrix::zeros(n + m, m);
    stacked.rows_mut(0, n).copy_from(&features(inputs, &at.lengthscales));
    (0..m).for_each(|k| stacked[(n + k, k)] = (at.noise / at.outputscale).sqrt());
    let right = DVector::from_fn(n + m, |i, _| if i < n { outcomes[i] - at.mean } else { 0.0 });
    let qr = stacked.qr();
    let triangle = qr.r();
    let weights = triangle.solve_upper_triangular(&(qr.q().transpose() * right)).unwrap();
    let at_points = features(points, &at.lengthscales);
    let mean = (&at_points * weights).add_scalar(at.mean);
    let solved = triangle.transpose().solve_lower_triangular(&at_points.transpose()).unwrap();
    let variance = solved.column_iter().map(|v| at.noise * v.norm_squared());
    (mean.iter().copied().collect(), variance.collect())
}

/// The relative error of both methods.
fn allowed(at: &Hyperparameters, inputs: &Points) -> f64 {
    let smallest = features(inputs, &at.lengthscales).svd(false, false).singular_values.min();
    tolerance::low_rank(inputs.len(), at.outputscale, at.noise, smallest)
}

fn assert_least_squares(what: &str, at: &Hyperparameters, inputs: &Points, outcomes: &[f64]) {
    let points = Sobol::new(inputs.dim(), 9).points(0, 20);
    let posterior = Posterior::new(FAMILY, at, inputs, outcomes).unwrap();
    assert_eq!((posterior.len(), posterior.jitter()), (inputs.len(), 0.0), "{what}");
    let moments = posterior.moments(&points).unwrap();
    let (mean, variance) = least_squares(at, (inputs, outcomes), &points);
    let allowed = allowed(at, inputs);
    assert!(allowed < 1e-2, "{what}: {allowed} would let anything pass");
    for j in 0..points.len() {
        let (got, expected) = (moments.mean[j], mean[j]);
        assert!(
            (got - expected).abs() <= allowed * expected.abs().max(1.0),
            "{what}: mean {got}, expected {expected}, allowed {allowed:e}"
        );
        let (got, expected) = (moments.variance[j], variance[j].max(1e-12 * at.outputscale));
        assert!(
            (got - expected).abs() <= allowed * at.outputscale,
            "{what}: variance {got}, expected {expected}, allowed {allowed:e}"
        );
    }
}

#[test]
fn few_rows_say_what_many_observations_say() {
    for (dim, n) in [(1, 3), (1, 60), (3, 5), (5, 200), (20, 22), (20, 300), (200, 260)] {
        let (inputs, outcomes) = data(dim, n);
        for noise in [1e-8, 1e-5, 1e-2, 1e-1, 1e2] {
            let at = hyperparameters(dim, noise);
            assert_least_squares(&format!("d={dim} n={n} {noise}"), &at, &inputs, &outcomes);
        }
    }
}

#[test]
fn few_rows_say_what_the_whole_covariance_says() {
    let (inputs, outcomes) = data(5, 200);
    let points = Sobol::new(5, 9).points(0, 20);
    for noise in [1e-8, 1e-6, 1e-4, 1e-2, 1e-1] {
        let at = hyperparameters(5, noise);
        let (p, q) = (features(&inputs, &at.lengthscales), features(&points, &at.lengthscales));
        let covariance = at.outputscale * &p * p.transpose()
            + noise * DMatrix::<f64>::identity(inputs.len(), inputs.len());
        let factor = covariance.cholesky().unwrap();
        let right = DVector::from_iterator(200, outcomes.iter().map(|y| y - at.mean));
        let across = at.outputscale * q * p.transpose();
        let mean = &across * factor.solve(&right);
        let posterior = Posterior::new(FAMILY, &at, &inputs, &outcomes).unwrap();
        let moments = posterior.moments(&points).unwrap();
        // The error is that of the whole covariance.
        let allowed = tolerance::posterior(200, at.outputscale, noise);
        for j in 0..points.len() {
            let column = across.row(j).transpose();
            let variance = at.outputscale - column.dot(&factor.solve(&column));
            assert!((moments.mean[j] - at.mean - mean[j]).abs() <= 10.0 * allowed);
            assert!((moments.variance[j] - variance).abs() <= allowed * at.outputscale);
        }
        let likelihood = -0.5
            * (right.dot(&factor.solve(&right))
                + 2.0 * factor.l().diagonal().map(f64::ln).sum()
                + 200.0 * (2.0 * std::f64::consts::PI).ln());
        let got = posterior.log_marginal_likelihood();
        assert!((got - likelihood).abs() <= allowed * likelihood.abs(), "{got} and {likelihood}");
    }
}

/// From points around one pole through all of the sphere to points around the other, and inputs with
/// very different lengthscales. Then directions are lost, or known to a few digits only.
#[test]
fn any_lengthscale_leaves_the_posterior_its_digits() {
    for dim in [1, 5, 50] {
        let (inputs, outcomes) = data(dim, 2 * dim + 30);
        let longest = 1e3 * (dim as f64).sqrt();
        for lengthscale in [0.02, 0.1, 0.5, 3.0, 30.0, longest] {
            let lengthscales = vec![lengthscale; dim];
            let at = Hyperparameters { lengthscales, ..hyperparameters(dim, 1e-4) };
            assert_least_squares(&format!("d={dim} l={lengthscale}"), &at, &inputs, &outcomes);
        }
        let mixed: Vec<f64> = (0..dim).map(|k| if k % 2 == 0 { 0.02 } else { longest }).collect();
        for noise in [1e-10, 1e-4] {
            let lengthscales = mixed.clone();
            let at = Hyperparameters { lengthscales, ..hyperparameters(dim, noise) };
            let posterior = Posterior::new(FAMILY, &at, &inputs, &outcomes).unwrap();
            let moments = posterior.moments_with_gradients(&inputs).unwrap();
            let all = [moments.mean, moments.variance, moments.mean_gradient].concat();
            assert!(all.iter().all(|value| value.is_finite()));
            let found = Likelihood::new(FAMILY, &at, &inputs, &outcomes, true).unwrap();
            assert!(found.value.is_finite() && found.mean.is_finite());
            assert!(found.d_log_lengthscales.iter().all(|slope| slope.is_finite()));
        }
    }
}

/// A square matrix of these would take more than three gigabytes, and its factor minutes.
#[test]
fn twenty_thousand_observations_take_no_square() {
    let (inputs, outcomes) = data(3, 20_000);
    let at = hyperparameters(3, 1e-3);
    let mut posterior = Posterior::new(FAMILY, &at, &inputs, &outcomes).unwrap();
    let found = Likelihood::new(FAMILY, &at, &inputs, &outcomes, false).unwrap();
    let value = posterior.log_marginal_likelihood();
    assert!((found.value - value).abs() <= tolerance::LIKELIHOOD_SLACK * value.abs());
    for (input, outcome) in inputs.rows().zip(&outcomes).take(20) {
        posterior.append(input, *outcome).unwrap();
    }
    let repeated = [0, 10_000].map(|row| inputs.select(row..row + 20));
    let again: Vec<f64> = outcomes.iter().chain(&outcomes[..20]).copied().collect();
    let mut all = inputs.clone();
    all.extend(&repeated[0]);
    let built = Posterior::new(FAMILY, &at, &all, &again).unwrap();
    let [a, b] = [&posterior, &built].map(|of| of.moments(&repeated[1]).unwrap());
    let allowed = tolerance::low_rank(20_020, at.outputscale, at.noise, 1.0);
    for (a, b) in a.mean.iter().zip(&b.mean).chain(a.variance.iter().zip(&b.variance)) {
        assert!((a - b).abs() <= allowed, "{a} and {b}");
    }
}

/// At every number of observations: those of full rank, beyond the rank, and compressed anew.
#[test]
fn any_number_of_appended_observations_equals_building_anew() {
    for (dim, noise) in [(1, 1e-6), (2, 1e-3), (6, 1e-4)] {
        let (inputs, outcomes) = data(dim, 40);
        let at = hyperparameters(dim, noise);
        let points = Sobol::new(dim, 5).points(0, 8);
        let first = inputs.select([0]);
        let mut grown = Posterior::new(FAMILY, &at, &first, &outcomes[..1]).unwrap();
        for n in 1..=40 {
            if n > 1 {
                grown.append(inputs.row(n - 1), outcomes[n - 1]).unwrap();
            }
            let some = inputs.select(0..n);
            let built = Posterior::new(FAMILY, &at, &some, &outcomes[..n]).unwrap();
            assert_eq!((grown.len(), grown.inputs()), (n, &some));
            let allowed = 100.0 * tolerance::posterior(n, at.outputscale, noise);
            let [a, b] = [&grown, &built].map(|of| of.moments_with_gradients(&points).unwrap());
            for (a, b) in [
                (a.mean, b.mean),
                (a.variance, b.variance),
                (a.mean_gradient, b.mean_gradient),
                (a.variance_gradient, b.variance_gradient),
            ] {
                for (a, b) in a.iter().zip(&b) {
                    assert!((a - b).abs() <= allowed, "d={dim} n={n}: {a} and {b}, {allowed:e}");
                }
            }
            let [a, b] = [&grown, &built].map(Posterior::log_marginal_likelihood);
            assert!((a - b).abs() <= allowed * b.abs().max(n as f64), "d={dim} n={n}: {a} and {b}");
        }
    }
}

/// The `n` weights make the mean of the kernel values, however few rows there are.
#[test]
fn there_is_a_weight_for_each_observation() {
    let (inputs, outcomes) = data(3, 40);
    let at = hyperparameters(3, 1e-2);
    let posterior = Posterior::new(FAMILY, &at, &inputs, &outcomes).unwrap();
    let weights = DVector::from_column_slice(&posterior.weights());
    let points = Sobol::new(3, 5).points(0, 8);
    let kernel = at.outputscale
        * features(&points, &at.lengthscales)
        * features(&inputs, &at.lengthscales).transpose();
    let means = posterior.moments(&points).unwrap().mean;
    for (mean, expected) in means.iter().zip((kernel * weights).iter()) {
        let allowed = 10.0 * tolerance::posterior(40, at.outputscale, at.noise);
        assert!((mean - at.mean - expected).abs() <= allowed, "{mean} and {expected}");
    }
}

/// Without noise there is a least-squares fit, and the variance is zero but for its floor. The
/// likelihood takes the jitter of a singular covariance.
#[test]
fn without_noise_the_mean_is_that_of_least_squares() {
    let (inputs, outcomes) = data(3, 30);
    let at = hyperparameters(3, 0.0);
    let posterior = Posterior::new(FAMILY, &at, &inputs, &outcomes).unwrap();
    assert_eq!(posterior.jitter(), 1e-12 * at.outputscale);
    let points = Sobol::new(3, 5).points(0, 8);
    let moments = posterior.moments_with_gradients(&points).unwrap();
    assert_eq!(moments.floored, 8);
    let jittered = Hyperparameters { noise: posterior.jitter(), ..at.clone() };
    let (mean, _) = least_squares(&jittered, (&inputs, &outcomes), &points);
    for (got, expected) in moments.mean.iter().zip(mean) {
        assert!((got - expected).abs() <= 10.0 * allowed(&jittered, &inputs), "{got}, {expected}");
    }
    let found = Likelihood::new(FAMILY, &at, &inputs, &outcomes, false).unwrap();
    let value = posterior.log_marginal_likelihood();
    assert!((found.value - value).abs() <= tolerance::LIKELIHOOD_SLACK * value.abs());
    assert_eq!(found.jitter, posterior.jitter());
}

#[test]
fn a_path_goes_through_as_many_data_as_it_has_weights() {
    let (inputs, outcomes) = data(3, 4);
    let at = hyperparameters(3, 0.0);
    let posterior = Posterior::new(FAMILY, &at, &inputs, &outcomes).unwrap();
    let values = Paths::draw(&posterior, 2, 20, 5).unwrap().values(&inputs).unwrap();
    let smallest = features(&inputs, &at.lengthscales).svd(false, false).singular_values.min();
    let allowed = tolerance::path_at_data(&posterior, at.outputscale * smallest * smallest);
    for (i, j) in (0..20).flat_map(|i| (0..4).map(move |j| (i, j))) {
        assert!((values[(i, j)] - outcomes[j]).abs() <= allowed, "path {i} at datum {j}");
    }
}

/// A fit finds a kernel that predicts. The starts and the prior of lengthscales are those of other
/// kernels: at their center the corners of the cube lie beyond the equator.
#[test]
fn fits_predict_functions_that_the_kernel_can_make() {
    for (dim, n) in [(2, 40), (10, 120), (40, 400)] {
        let inputs = Sobol::new(dim, 3).points(0, n + 50);
        let truth = |x: &[f64]| {
            let u: Vec<f64> = x.iter().map(|x| (x - 0.5) / (0.4 * (dim as f64).sqrt())).collect();
            let q = 1.0 + u.iter().map(|u| u * u).sum::<f64>();
            u.iter().enumerate().map(|(k, u)| (k as f64).cos() * 2.0 * u / q).sum::<f64>()
                + 0.5 * (1.0 - 2.0 / q)
        };
        let outcomes: Vec<f64> = inputs
            .rows()
            .enumerate()
            .map(|(i, x)| truth(x) + 1e-2 * (7.0 * i as f64).sin())
            .collect();
        let (seen, held) = (inputs.select(0..n), inputs.select(n..n + 50));
        let model = GaussianProcess::new().kernel(FAMILY);
        let fit = model.fit(&seen, &outcomes[..n], None, 1).unwrap();
        assert!(
            matches!(fit.status, FitStatus::Converged | FitStatus::Limited),
            "d={dim}: {:?}",
            fit.status
        );
        let posterior =
            Posterior::new(FAMILY, &fit.hyperparameters, &seen, &outcomes[..n]).unwrap();
        let value = posterior.log_marginal_likelihood();
        let slack = tolerance::LIKELIHOOD_SLACK * value.abs().max(n as f64);
        assert!((fit.log_marginal_likelihood - value).abs() <= slack, "d={dim}");
        let means = posterior.moments(&held).unwrap().mean;
        let error = means.iter().zip(held.rows()).map(|(mean, x)| (mean - truth(x)).powi(2));
        let error = (error.sum::<f64>() / 50.0).sqrt();
        // Without a model the error is the spread of the function, some 0.5. The outcomes have noise
        // of 0.01.
        assert!(error < 0.02, "d={dim}: {error}");
        let known = GaussianProcess::new()
            .kernel(FAMILY)
            .noise(Noise::Fixed(fit.hyperparameters.noise))
            .fixed_kernel(fit.hyperparameters.lengthscales.clone(), fit.hyperparameters.outputscale)
            .fit(&seen, &outcomes[..n], None, 1)
            .unwrap();
        let mean = fit.hyperparameters.mean;
        assert!((known.hyperparameters.mean - mean).abs() <= 1e-6 * mean.abs().max(1.0));
    }
}

/// A study with more trials than the rank, pending trials and repeated points.
#[test]
fn a_study_runs_with_it() {
    let space = Space::new().float("a", 0.0, 1.0).float("b", -1.0, 1.0);
    let start = || {
        Study::minimize(space.clone())
            .model(GaussianProcess::new().kernel(FAMILY))
            .policy(Acquisition::Pointwise(Pointwise::LogExpectedImprovement))
            .seed(4)
            .build()
            .unwrap()
    };
    let value = |x: &[f64]| x[0] + 0.3 * x[1] + 0.1 * x[0] * x[1];
    let play = || {
        let mut study = start();
        for _ in 0..12 {
            let asks = [study.ask().unwrap(), study.ask().unwrap()];
            for ask in asks {
                study.tell(ask.id(), Outcome::new(value(ask.numbers()))).unwrap();
            }
        }
        study
    };
    let mut study = play();
    let best = study.recommendation().unwrap().expect("a trial");
    let lowest =
        study.history().iter().map(|trial| value(&trial.numbers())).fold(f64::MAX, f64::min);
    assert!(value(&best.numbers()) <= lowest + 0.05, "{:?}, lowest {lowest}", best.values);
    assert!(lowest < -0.25, "{lowest}");
    let again = play();
    let values = |study: &Study| -> Vec<Vec<f64>> {
        study.history().iter().map(gittins::Trial::numbers).collect()
    };
    assert_eq!(values(&study), values(&again));
}

#[test]
fn the_expected_supremum_is_a_bound_close_to_that_of_draws() {
    for (dim, lengthscale) in [(1, 0.2), (1, 3.0), (3, 0.1), (3, 1.0), (3, 50.0), (8, 0.6)] {
        let lengthscales = vec![lengthscale; dim];
        let bound = expected_supremum(FAMILY, &lengthscales, 4.0).unwrap();
        // One outcome with a large noise leaves the prior.
        let at = Hyperparameters { lengthscales, outputscale: 4.0, noise: 1e12, mean: 0.0 };
        let middle = Points::from_rows(dim, vec![0.5; dim]).unwrap();
        let prior = Posterior::new(FAMILY, &at, &middle, &[0.0]).unwrap();
        let mut points = Sobol::new(dim, 1).points(0, 4000);
        for corner in 0..1_usize << dim {
            let row: Vec<f64> = (0..dim).map(|k| ((corner >> k) & 1) as f64).collect();
            points.push(&row);
        }
        let values = Paths::draw(&prior, 2, 2000, 3).unwrap().values(&points).unwrap();
        let mean = values.row_iter().map(|row| row.max()).sum::<f64>() / 2000.0;
        let error = tolerance::sampled_mean(4.0, 2000);
        assert!(mean <= bound + error, "d={dim} l={lengthscale}: {mean} above {bound}");
        assert!(bound <= 2.0 * mean + error, "d={dim} l={lengthscale}: {bound} far above {mean}");
    }
    let error = expected_supremum(FAMILY, &[1.0, 0.0], 1.0).unwrap_err();
    assert!(error.to_string().contains("lengthscale 1"), "{error}");
    assert_eq!(expected_supremum(FAMILY, &[], 1.0).unwrap_err().kind(), ErrorKind::Empty);
}
