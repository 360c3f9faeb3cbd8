//! Fits: they find the parameters of the data, restarts and warm starts help, and failures keep the
//! old parameters.

use std::time::Duration;

use gittins::internals::{Deadline, Likelihood};
use gittins::math::Sobol;
use gittins::model::{FitStatus, Mean, Noise, Prior, Priors};
use gittins::{ErrorKind, GaussianProcess, Hyperparameters, KernelFamily, Points, Posterior};
use nalgebra::{DMatrix, DVector};

use crate::support::smooth::{data, hyperparameters};

fn maximum_likelihood() -> GaussianProcess {
    GaussianProcess::new().priors(Priors::None).noise(Noise::Learned { low: 1e-6, high: 1.0 })
}

#[test]
fn the_gradient_vanishes_where_a_fit_converged() {
    for mean in [Mean::Profiled, Mean::Learned, Mean::Fixed(0.1)] {
        let (inputs, outcomes) = data(3, 50);
        // With noise, the likelihood has enough digits for a tight tolerance.
        let model = maximum_likelihood()
            .noise(Noise::Learned { low: 1e-3, high: 1.0 })
            .mean(mean)
            .tolerance(1e-7);
        let fit = model.fit(&inputs, &outcomes, None, 1).unwrap();
        assert_eq!(fit.status, FitStatus::Converged);
        let profile = mean == Mean::Profiled;
        let found = Likelihood::new(
            KernelFamily::Matern52,
            &fit.hyperparameters,
            &inputs,
            &outcomes,
            profile,
        )
        .unwrap();
        assert!((found.value - fit.log_marginal_likelihood).abs() < 1e-9);
        // The climb stops at a slope of 1e-6 for each observation, or if the value changes by less
        // than 1e-7. The second gives a slope of the root of 1e-7.
        let allowed = 50.0 * 1e-7f64.sqrt();
        for (k, slope) in found.d_log_lengthscales.iter().enumerate() {
            let at_bound = fit.hyperparameters.lengthscales[k] > 999.0;
            assert!(
                slope.abs() < allowed || at_bound,
                "{mean:?}: slope {slope} at lengthscale {k}"
            );
        }
        assert!(found.d_log_outputscale.abs() < allowed, "{mean:?}: {}", found.d_log_outputscale);
        if mean == Mean::Learned {
            assert!(found.d_mean.abs() < allowed);
        }
    }
}

#[test]
fn profiled_and_learned_means_reach_the_same_likelihood() {
    let (inputs, outcomes) = data(2, 40);
    let [a, b] = [Mean::Profiled, Mean::Learned].map(|mean| {
        maximum_likelihood()
            .mean(mean)
            .tolerance(1e-12)
            .fit(&inputs, &outcomes, None, 3)
            .unwrap()
            .log_marginal_likelihood
    });
    assert!((a - b).abs() < 1e-2, "{a} and {b}");
}

#[test]
fn an_irrelevant_input_gets_a_long_lengthscale() {
    let inputs = Sobol::new(2, 4).points(0, 60);
    let outcomes: Vec<f64> = inputs.rows().map(|x| (8.0 * x[0]).sin()).collect();
    let fit = maximum_likelihood().fit(&inputs, &outcomes, None, 1).unwrap();
    let [relevant, irrelevant] =
        [fit.hyperparameters.lengthscales[0], fit.hyperparameters.lengthscales[1]];
    assert!(irrelevant > 10.0 * relevant, "{relevant} and {irrelevant}");
    let isotropic = maximum_likelihood().isotropic().fit(&inputs, &outcomes, None, 1).unwrap();
    assert_eq!(
        isotropic.hyperparameters.lengthscales[0],
        isotropic.hyperparameters.lengthscales[1]
    );
    assert!(isotropic.log_marginal_likelihood < fit.log_marginal_likelihood);
}

#[test]
fn a_warm_fit_is_never_worse_than_where_it_started_and_needs_fewer_evaluations() {
    let (inputs, outcomes) = data(4, 90);
    let model = GaussianProcess::new();
    let cold = model.fit(&inputs, &outcomes, None, 5).unwrap();
    let warm = model.fit(&inputs, &outcomes, Some(&cold.hyperparameters), 5).unwrap();
    assert!(
        warm.log_posterior >= cold.log_posterior - 1e-9,
        "{} after {}",
        warm.log_posterior,
        cold.log_posterior
    );
    assert!(warm.evaluations < cold.evaluations);
}

#[test]
fn a_cold_fit_on_more_data_than_the_restarts_see_still_converges_on_all() {
    let (inputs, outcomes) = data(3, 200);
    let fit = GaussianProcess::new().fit(&inputs, &outcomes, None, 5).unwrap();
    assert_eq!(fit.status, FitStatus::Converged);
    let again = GaussianProcess::new()
        .tolerance(1e-12)
        .fit(&inputs, &outcomes, Some(&fit.hyperparameters), 5)
        .unwrap();
    // The likelihood hardly depends on a noise far below what the data show. A climb ends once it
    // gains less than 1e-6 per observation.
    assert!(
        again.log_posterior - fit.log_posterior < 0.2,
        "{} more was to be had",
        again.log_posterior - fit.log_posterior
    );
}

#[test]
fn priors_pull_where_the_data_are_silent() {
    let inputs = Points::from_rows(1, vec![0.5]).unwrap();
    let prior = Prior::Gamma { shape: 3.0, rate: 6.0 };
    let model = GaussianProcess::new().noise(Noise::Fixed(1e-4)).priors(Priors::Custom {
        lengthscale: Some(prior),
        outputscale: None,
        noise: None,
    });
    let fit = model.tolerance(1e-14).fit(&inputs, &[0.7], None, 0).unwrap();
    // One observation says nothing about the lengthscale, so it is the mode of the prior, (3 - 1) /
    // 6.
    assert!(
        (fit.hyperparameters.lengthscales[0] - 1.0 / 3.0).abs() < 1e-4,
        "{:?}",
        fit.hyperparameters
    );
}

#[test]
fn degenerate_data_fit_without_error() {
    for (inputs, outcomes) in [
        (Points::from_rows(1, vec![0.5]).unwrap(), vec![3.0]),
        (Sobol::new(3, 1).points(0, 12), vec![7.0; 12]),
        (Points::from_rows(2, vec![0.5; 20]).unwrap(), (0..10).map(f64::from).collect()),
        (Sobol::new(200, 1).points(0, 8), (0..8).map(f64::from).collect()),
        (Sobol::new(1, 1).points(0, 9), (0..9).map(|i| f64::from(i) * 1e100).collect()),
        (Sobol::new(1, 1).points(0, 9), (0..9).map(|i| f64::from(i) * 1e-100).collect()),
    ] {
        let scale = outcomes.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
        let fit = GaussianProcess::new().fit(&inputs, &outcomes, None, 0).unwrap();
        fit.hyperparameters
            .validate(inputs.dim())
            .unwrap_or_else(|error| panic!("outcomes up to {scale:e}: {error}"));
    }
}

#[test]
fn outcomes_beyond_the_square_of_a_double_are_refused() {
    let inputs = Sobol::new(1, 1).points(0, 9);
    for scale in [1e200, 1e-200] {
        let outcomes: Vec<f64> = (0..9).map(|i| f64::from(i) * scale).collect();
        let error = GaussianProcess::new().fit(&inputs, &outcomes, None, 0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NonFinite);
        assert!(error.to_string().contains("standardize"), "{error}");
    }
}

#[test]
fn a_failed_fit_keeps_the_old_hyperparameters_and_says_so() {
    // The prior mean is 160 decades away, so the quadratic form overflows for every kernel.
    let inputs = Points::from_rows(1, vec![0.1, 0.2, 0.3]).unwrap();
    let outcomes = [0.3, 0.1, 0.2];
    let previous = hyperparameters(1, 1e-4);
    let model = GaussianProcess::new().noise(Noise::Fixed(1e-4)).mean(Mean::Fixed(1e160));
    let fit = model.fit(&inputs, &outcomes, Some(&previous), 0).unwrap();
    assert!(
        matches!(&fit.status, FitStatus::KeptPrevious(why) if !why.is_empty()),
        "{:?}",
        fit.status
    );
    assert_eq!(fit.hyperparameters, previous);
}

#[test]
fn a_fit_without_time_keeps_what_is_known() {
    let (inputs, outcomes) = data(3, 300);
    let late = Deadline::after(Some(Duration::ZERO));
    let previous = hyperparameters(3, 1e-4);
    for model in [
        GaussianProcess::new(),
        maximum_likelihood().mean(Mean::Learned),
        GaussianProcess::new().restarts(0).isotropic(),
    ] {
        let warm = model.fit_until(&inputs, &outcomes, Some((&previous, 200)), 1, late).unwrap();
        assert_eq!((&warm.hyperparameters, warm.evaluations), (&previous, 0));
        assert_eq!(warm.status, FitStatus::KEPT);
        assert!(warm.log_marginal_likelihood.is_nan() && warm.log_posterior.is_nan());
        // The parameters are the centers of the priors. They are the same for another seed, and
        // they make a posterior.
        let cold = model.fit_until(&inputs, &outcomes, None, 1, late).unwrap();
        assert_eq!((cold.status, cold.evaluations), (FitStatus::KEPT, 0));
        assert_eq!(
            cold.hyperparameters,
            model.fit_until(&inputs, &outcomes, None, 2, late).unwrap().hyperparameters
        );
        Posterior::new(KernelFamily::Matern52, &cold.hyperparameters, &inputs, &outcomes).unwrap();
    }
    // Bad data are an error even without time.
    let error =
        GaussianProcess::new().fit_until(&inputs, &outcomes[1..], None, 1, late).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Dimension);
}

#[test]
fn a_fit_with_much_time_is_the_fit_without_a_limit() {
    let (inputs, outcomes) = data(3, 120);
    let hour = Deadline::after(Some(Duration::from_secs(3600)));
    let previous = hyperparameters(3, 1e-4);
    for previous in [None, Some(&previous)] {
        let timeless = GaussianProcess::new().fit(&inputs, &outcomes, previous, 4).unwrap();
        let timed = GaussianProcess::new()
            .fit_until(&inputs, &outcomes, previous.map(|previous| (previous, 60)), 4, hour)
            .unwrap();
        // Three evaluations on a part of the data measure the time of the others.
        let mut expected = timeless;
        expected.evaluations += 3;
        assert_eq!(timed, expected);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (inputs, outcomes) = data(5, 230);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| GaussianProcess::new().fit(&inputs, &outcomes, None, 9).unwrap())
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(4));
}

/// With a known kernel the mean is `1' K^-1 y / 1' K^-1 1`. The oracle is nalgebra's factor of the
/// same covariance.
#[test]
fn a_known_kernel_leaves_the_mean_alone() {
    let (inputs, outcomes) = data(2, 12);
    let hyperparameters =
        Hyperparameters { lengthscales: vec![0.3, 0.7], outputscale: 1.7, noise: 1e-3, mean: 0.0 };
    let model = GaussianProcess::new()
        .kernel(KernelFamily::Rbf)
        .fixed_kernel(vec![0.3, 0.7], 1.7)
        .noise(Noise::Fixed(1e-3));
    let fit = model.fit(&inputs, &outcomes, None, 0).unwrap();
    let covariance = DMatrix::from_fn(12, 12, |i, j| {
        let squared: f64 = (0..2)
            .map(|k| {
                ((inputs.row(i)[k] - inputs.row(j)[k]) / hyperparameters.lengthscales[k]).powi(2)
            })
            .sum();
        1.7 * (-0.5 * squared).exp() + if i == j { 1e-3 } else { 0.0 }
    });
    let weights = covariance.cholesky().unwrap().solve(&DVector::from_element(12, 1.0));
    let mean = weights.dot(&DVector::from_vec(outcomes.clone())) / weights.sum();
    // The condition number is below 12 * 1.7 / 1e-3 = 2e4.
    assert!(
        (fit.hyperparameters.mean - mean).abs() < 2e4 * 12.0 * f64::EPSILON * mean.abs().max(1.0)
    );
    assert_eq!(
        fit.hyperparameters,
        Hyperparameters { mean: fit.hyperparameters.mean, ..hyperparameters.clone() }
    );
    assert_eq!(fit.status, FitStatus::Converged);
    let posterior =
        Posterior::new(KernelFamily::Rbf, &fit.hyperparameters, &inputs, &outcomes).unwrap();
    assert!((fit.log_marginal_likelihood - posterior.log_marginal_likelihood()).abs() < 1e-9);
    let fixed = model.clone().mean(Mean::Fixed(0.25)).fit(&inputs, &outcomes, None, 0).unwrap();
    assert_eq!(fixed.hyperparameters.mean, 0.25);

    let learned = GaussianProcess::new()
        .fixed_kernel(vec![0.3, 0.7], 1.7)
        .fit(&inputs, &outcomes, None, 0)
        .unwrap_err();
    assert!(
        learned.kind() == ErrorKind::InvalidSetting && learned.to_string().contains("noise"),
        "{learned}"
    );
    for (lengthscales, outputscale) in
        [(vec![0.3], 1.7), (vec![0.3, -0.7], 1.7), (vec![0.3, 0.7], f64::NAN)]
    {
        let model = GaussianProcess::new()
            .fixed_kernel(lengthscales, outputscale)
            .noise(Noise::Fixed(1e-3));
        assert!(model.fit(&inputs, &outcomes, None, 0).is_err());
    }
}

#[test]
fn bad_settings_name_their_culprit() {
    let (inputs, outcomes) = data(1, 4);
    let cases = [
        (GaussianProcess::new().noise(Noise::Fixed(-1.0)), "noise"),
        (GaussianProcess::new().noise(Noise::Learned { low: 1.0, high: 0.1 }), "noise"),
        (GaussianProcess::new().noise(Noise::Learned { low: 0.0, high: 0.1 }), "lower noise bound"),
        (GaussianProcess::new().lengthscale_bounds(2.0, 1.0), "lengthscales"),
        (GaussianProcess::new().tolerance(f64::NAN), "tolerance"),
    ];
    for (model, text) in cases {
        let error = model.fit(&inputs, &outcomes, None, 0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn prior_densities_integrate_to_one_and_have_the_slope_they_claim() {
    let priors = [
        Prior::Gamma { shape: 3.0, rate: 6.0 },
        Prior::Gamma { shape: 2.0, rate: 0.15 },
        Prior::LogNormal { location: -0.3, scale: 0.8 },
        Prior::dimension_scaled(7),
        Prior::dimension_scaled_heavy(7),
        Prior::BetaPrime { shape: 2.5, tail: 1.7, scale: 12.0 },
    ];
    for prior in priors {
        // The sum runs over ln x, from 30 below to 30 above zero: p(x) dx = p(x) x d ln x. The sum
        // of a smooth function that vanishes at both ends is exact up to rounding.
        let step = 1e-3;
        let mass: f64 = (-30_000..30_000)
            .map(|i| f64::from(i) * step)
            .map(|t| (prior.log_density(t.exp()).0 + t).exp() * step)
            .sum();
        assert!((mass - 1.0).abs() < 1e-9, "{prior:?}: {mass}");
        for x in [1e-6, 1e-3, 0.3, 1.0, 40.0, 1e4, 1e7f64] {
            let h = 1e-6;
            let at = |t: f64| prior.log_density(t.exp()).0;
            let difference = (at(x.ln() + h) - at(x.ln() - h)) / (2.0 * h);
            let (_, slope) = prior.log_density(x);
            assert!(
                (slope - difference).abs() <= 1e-6 * slope.abs().max(1.0),
                "{prior:?} at {x}: {slope}, {difference}"
            );
        }
    }
}

/// Beyond the mode the density of irrelevant inputs falls as `x^-2`: by `ln 100` for ten times as long.
#[test]
fn the_usual_prior_has_the_mode_of_the_gamma_density_and_a_tail_of_a_power() {
    for dim in [1, 5, 40] {
        let [heavy, gamma] =
            [Prior::dimension_scaled_heavy(dim), Prior::dimension_scaled_gamma(dim)];
        let mode = (dim as f64 / 5.0).sqrt() / 3.0;
        for prior in [heavy, gamma] {
            assert!(prior.log_density(mode).1.abs() < 1e-12, "{prior:?}");
        }
        let fall = heavy.log_density(1e6 * mode).0 - heavy.log_density(1e7 * mode).0;
        assert!((fall - 100f64.ln()).abs() < 1e-5, "{fall}");
    }
    assert_eq!(GaussianProcess::new(), GaussianProcess::new().priors(Priors::DimensionScaledGamma));
}
