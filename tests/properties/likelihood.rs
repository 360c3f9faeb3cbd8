//! The gradient of the marginal likelihood against finite differences, and the invariances of the
//! likelihood.

use gittins::internals::Likelihood;
use gittins::{Hyperparameters, KernelFamily};

use crate::support::smooth::{data, hyperparameters};
use crate::support::tolerance;

#[test]
fn every_derivative_agrees_with_finite_differences() {
    for family in KernelFamily::ALL {
        // One observation, one block of the derivative's product, more than one block, and few and
        // many inputs.
        for (dim, n) in [(1, 1), (2, 7), (3, 63), (3, 64), (4, 150), (60, 20)] {
            for profile in [false, true] {
                let (inputs, outcomes) = data(dim, n);
                let at = hyperparameters(dim, 1e-2);
                let value = |h: &Hyperparameters| {
                    Likelihood::new(family, h, &inputs, &outcomes, profile).unwrap().value
                };
                let exact = Likelihood::new(family, &at, &inputs, &outcomes, profile).unwrap();
                let h = 1e-5;
                // The likelihood sums n terms of order one. Its rounding grows with the condition
                // number, about n / noise.
                let allowed = tolerance::difference(
                    h,
                    100.0 * n as f64,
                    f64::EPSILON * (n * n) as f64 * 100.0,
                );
                let check = |what: &str, got: f64, change: &dyn Fn(f64) -> Hyperparameters| {
                    let difference = (value(&change(h)) - value(&change(-h))) / (2.0 * h);
                    assert!(
                        (got - difference).abs() <= allowed,
                        "{family:?} d={dim} n={n} {what}: {got}, difference {difference} +- {allowed}"
                    );
                };
                for k in (0..dim).step_by(1 + dim / 5) {
                    check("lengthscale", exact.d_log_lengthscales[k], &|step| {
                        let mut moved = at.clone();
                        moved.lengthscales[k] *= step.exp();
                        moved
                    });
                }
                check("outputscale", exact.d_log_outputscale, &|step| Hyperparameters {
                    outputscale: at.outputscale * step.exp(),
                    ..at.clone()
                });
                check("noise", exact.d_log_noise, &|step| Hyperparameters {
                    noise: at.noise * step.exp(),
                    ..at.clone()
                });
                check("mean", exact.d_mean, &|step| Hyperparameters {
                    mean: at.mean + step,
                    ..at.clone()
                });
            }
        }
    }
}

#[test]
fn a_clustered_design_loses_no_digits_to_the_product_form() {
    // All inputs lie within 1e-3 of one corner. Without centering the sums would cancel to nothing.
    let (mut inputs, outcomes) = data(3, 40);
    for i in 0..inputs.len() {
        inputs.row_mut(i).iter_mut().for_each(|x| *x = 0.999 + 1e-3 * *x);
    }
    let at =
        Hyperparameters { lengthscales: vec![1e-3; 3], outputscale: 1.0, noise: 1e-3, mean: 0.0 };
    let exact = Likelihood::new(KernelFamily::Matern52, &at, &inputs, &outcomes, false).unwrap();
    let h = 1e-5;
    for k in 0..3 {
        let value = |step: f64| {
            let mut moved = at.clone();
            moved.lengthscales[k] *= step.exp();
            Likelihood::new(KernelFamily::Matern52, &moved, &inputs, &outcomes, false)
                .unwrap()
                .value
        };
        let difference = (value(h) - value(-h)) / (2.0 * h);
        let allowed = tolerance::difference(h, 1e4, f64::EPSILON * 1e6);
        assert!(
            (exact.d_log_lengthscales[k] - difference).abs() <= allowed,
            "{} and {difference}",
            exact.d_log_lengthscales[k]
        );
    }
}
