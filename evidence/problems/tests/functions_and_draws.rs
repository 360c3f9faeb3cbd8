//! Test functions, costs and draws against values and laws known beforehand.

use gittins::data::PointCost;
use gittins::{Cost, Domain, ErrorKind, KernelFamily};
use gittins_problems::costs::{self, Periodic};
use gittins_problems::{
    GpDraw, InterpolatedDraw, Problem, ackley, alpine1, branin, dropwave, hartmann3, hartmann6,
    levy, rosenbrock, shekel5,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance;

fn all() -> Vec<Problem> {
    let first = vec![
        branin(),
        ackley(1),
        ackley(4),
        levy(1),
        levy(4),
        rosenbrock(2),
        rosenbrock(4),
        hartmann3(),
        hartmann6(),
    ];
    first.into_iter().chain([dropwave(), alpine1(1), alpine1(3), shekel5()]).collect()
}

fn gradient(function: impl Fn(&[f64]) -> f64, point: &[f64]) -> Vec<f64> {
    let slope = |axis: usize| {
        let at = |sign: f64| {
            let mut moved = point.to_vec();
            moved[axis] += sign * tolerance::STEP;
            function(&moved)
        };
        (at(1.0) - at(-1.0)) / (2.0 * tolerance::STEP)
    };
    (0..point.len()).map(slope).collect()
}

#[test]
fn functions_agree_with_the_table() {
    let golden = table("functions");
    let rows = golden["benchmark_functions"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    for row in rows {
        let z = numbers(&row["z"]);
        for problem in [ackley(z.len()), levy(z.len()), rosenbrock(z.len())] {
            let got = problem.evaluate_unit(&z);
            let expected = number(&row[problem.name()]);
            let error = tolerance::BENCHMARK * expected.abs() + tolerance::BENCHMARK_NEAR_ZERO;
            assert!(
                (got - expected).abs() <= error,
                "{} at {z:?}: {got} instead of {expected}",
                problem.name()
            );
            assert_eq!(problem.score(&z), -got / problem.divisor());
        }
    }
    assert_eq!(
        [ackley(2), levy(2), rosenbrock(2)].map(|problem| problem.divisor()),
        [1.0, 100.0, 1e5]
    );
}

#[test]
fn optima_are_where_they_are_said_to_be() {
    for problem in all() {
        problem.space().validate().unwrap();
        for point in problem.minimizers() {
            let value = problem.evaluate(point);
            assert!(
                (value - problem.minimum()).abs() <= tolerance::OPTIMUM,
                "{}: {value} at {point:?}",
                problem.name()
            );
            let unit = problem.space().to_unit(point).unwrap();
            if ["ackley", "alpine1"].contains(&problem.name()) {
                continue; // They have a kink there.
            }
            let slopes = gradient(|unit| problem.evaluate_unit(unit), &unit);
            let largest = slopes.iter().fold(0.0, |largest: f64, slope| largest.max(slope.abs()));
            assert!(largest <= tolerance::FLAT, "{}: slope {largest} at {point:?}", problem.name());
        }
    }
    assert_eq!(branin().minimizers().len(), 3);
}

#[test]
fn nothing_lies_below_an_optimum() {
    let mut generator = Pcg64::seed_from_u64(11);
    for problem in all() {
        for _ in 0..2000 {
            let far: Vec<f64> = (0..problem.dim()).map(|_| generator.random()).collect();
            let optimum = problem.space().to_unit(&problem.minimizers()[0]).unwrap();
            let near: Vec<f64> = optimum
                .iter()
                .zip(&far)
                .map(|(o, u)| (o + 1e-3 * (u - 0.5)).clamp(0.0, 1.0))
                .collect();
            for unit in [far, near] {
                let value = problem.evaluate_unit(&unit);
                assert!(
                    value >= problem.minimum() - tolerance::OPTIMUM,
                    "{}: {value} at {unit:?}",
                    problem.name()
                );
            }
        }
    }
}

type UnitCost = Box<dyn Fn(&[f64], &mut [f64]) -> f64>;

#[test]
fn costs_agree_with_the_table() {
    let golden = table("functions");
    let mut seen = 0;
    for row in golden["cost_functions"].as_array().unwrap() {
        let (cost, z): (UnitCost, Vec<f64>) = match row["kind"].as_str().unwrap() {
            "periodic" => {
                let d = row["d"].as_u64().unwrap() as usize;
                let periodic =
                    Periodic::new(number(&row["alpha"]), number(&row["beta"]), vec![0.25; d])
                        .unwrap();
                let offset = number(&row["offset_every_coordinate"]);
                (Box::new(move |z, gradient| periodic.cost(z, gradient)), vec![0.25 + offset; d])
            }
            "linear" => {
                (Box::new(costs::linear_mean_one), vec![number(&row["mean_coordinate"]); 3])
            }
            "mean20" => (Box::new(costs::linear), vec![number(&row["mean_coordinate"]); 3]),
            _ => continue, // The bump problem has tests of its own.
        };
        let got = cost(&z, &mut vec![0.0; z.len()]);
        let expected = number(&row["cost"]);
        assert!((got - expected).abs() <= tolerance::PROBLEM_COST * expected, "{row}: {got}");
        seen += 1;
    }
    assert_eq!(seen, 20);
}

#[test]
fn gradients_of_costs_are_theirs() {
    let periodic = Periodic::new(2.0, 2.0, vec![0.31, 0.7, 0.05]).unwrap();
    let all: [UnitCost; 4] = [
        Box::new(costs::uniform),
        Box::new(costs::linear),
        Box::new(costs::linear_mean_one),
        Box::new(move |z, gradient| periodic.cost(z, gradient)),
    ];
    for (index, cost) in all.iter().enumerate() {
        for z in [[0.2, 0.9, 0.4], [0.62, 0.13, 0.71]] {
            let mut own = [f64::NAN; 3];
            let value = cost(&z, &mut own);
            let slopes = gradient(|z| cost(z, &mut [0.0; 3]), &z);
            for axis in 0..3 {
                // Third derivative of the periodic cost: below (2 pi b)^3 (a/d) (1 + a/d)^2 times
                // its largest value, about 5.
                let error = tolerance::central_difference(value, 2e4 * 5.0);
                assert!(
                    (own[axis] - slopes[axis]).abs() <= error,
                    "cost {index}, axis {axis}: {own:?} against {slopes:?}"
                );
            }
        }
    }
}

/// The mean over an even grid is the trapezoid rule, which on an analytic periodic function is
/// exact to rounding at 32 points a period.
#[test]
fn periodic_cost_has_mean_one_and_a_fixed_range() {
    let periodic = Periodic::new(2.0, 2.0, vec![0.3, 0.8]).unwrap();
    let cost = |z: &[f64]| periodic.cost(z, &mut [0.0; 2]);
    let n = 64;
    let sum: f64 = (0..n * n)
        .map(|i| cost(&[f64::from(i % n) / f64::from(n), f64::from(i / n) / f64::from(n)]))
        .sum();
    assert!((sum / f64::from(n * n) - 1.0).abs() <= tolerance::PROBLEM_COST, "{sum}");
    let ratio = cost(&[0.3, 0.8]) / cost(&[0.55, 0.55]);
    assert!((ratio / 4f64.exp() - 1.0).abs() <= tolerance::PROBLEM_COST, "{ratio}");
}

#[test]
fn periodic_cost_refuses_nonsense() {
    for (cost, kind, culprit) in [
        (Periodic::new(2.0, 2.0, vec![]), ErrorKind::Empty, "center"),
        (Periodic::new(f64::NAN, 2.0, vec![0.5]), ErrorKind::NonFinite, "amplitude"),
        (Periodic::new(2.0, f64::INFINITY, vec![0.5]), ErrorKind::NonFinite, "frequency"),
        (Periodic::new(2.0, 2.0, vec![f64::NAN]), ErrorKind::NonFinite, "center"),
        (Periodic::new(1e4, 2.0, vec![0.5]), ErrorKind::InvalidSetting, "amplitude"),
    ] {
        let error = cost.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error}");
    }
}

/// A cost on the cube, carried to a problem's own values and bound to its space again, is the cost
/// on the cube.
#[test]
fn a_cost_is_carried_to_a_problem_and_back() {
    let problem = branin();
    let Cost::Known(known) = problem.cost(costs::linear) else { panic!("a known cost") };
    let bound = known.on(&Domain::from(problem.space().clone()));
    let mut got = [0.0; 2];
    let mut expected = [0.0; 2];
    for z in [[0.25, 0.75], [0.1, 0.2]] {
        let cost = bound.cost(&z, Some(&mut got)).unwrap();
        assert!((cost - costs::linear(&z, &mut expected)).abs() <= tolerance::PROBLEM_COST * cost);
        assert!(
            got.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= tolerance::PROBLEM_COST * b)
        );
    }
}

fn kernel(family: KernelFamily, r: f64) -> f64 {
    match family {
        KernelFamily::Matern12 => (-r).exp(),
        KernelFamily::Matern32 => (1.0 + 3f64.sqrt() * r) * (-3f64.sqrt() * r).exp(),
        KernelFamily::Matern52 => {
            (1.0 + 5f64.sqrt() * r + 5.0 * r * r / 3.0) * (-5f64.sqrt() * r).exp()
        }
        KernelFamily::Rbf => (-0.5 * r * r).exp(),
        other => panic!("no formula for {other}"),
    }
}

const FAMILIES: [KernelFamily; 4] =
    [KernelFamily::Matern12, KernelFamily::Matern32, KernelFamily::Matern52, KernelFamily::Rbf];

/// Products of values at pairs of points, averaged over seeds, are the kernel; neighboring families
/// differ by at least twice the tolerance at one of the distances.
#[test]
fn covariance_of_draws_is_the_kernel() {
    let lengthscales = [0.5, 0.2, 2.0];
    let outputscale = 2.5;
    let origin = [0.3, 0.4, 0.1];
    let away = [[0.55, 0.4, 0.1], [0.3, 0.6, 0.1], [0.3, 0.4, 2.6], [0.6, 0.3, 1.6]];
    for family in FAMILIES {
        let mut own = 0.0;
        let mut products = [0.0; 4];
        let mut mean = 0.0;
        for seed in 0..tolerance::DRAWS {
            let draw = GpDraw::new(family, &lengthscales, outputscale, 8, seed).unwrap();
            let value = draw.value(&origin);
            mean += value;
            own += value * value;
            for (product, z) in products.iter_mut().zip(&away) {
                *product += value * draw.value(z);
            }
        }
        let n = tolerance::DRAWS as f64;
        assert!(
            (mean / n).abs() <= tolerance::draw_covariance(1.0) * outputscale.sqrt(),
            "{family:?}: mean {}",
            mean / n
        );
        assert!(
            (own / n - outputscale).abs() <= tolerance::draw_covariance(outputscale),
            "{family:?}: variance {}",
            own / n
        );
        for (product, z) in products.iter().zip(&away) {
            let r = (0..3)
                .map(|axis| ((z[axis] - origin[axis]) / lengthscales[axis]).powi(2))
                .sum::<f64>()
                .sqrt();
            let expected = outputscale * kernel(family, r);
            assert!(
                (product / n - expected).abs() <= tolerance::draw_covariance(outputscale),
                "{family:?} at {z:?}: {}",
                product / n
            );
        }
    }
}

#[test]
fn gradients_of_draws_are_theirs() {
    for family in [KernelFamily::Matern52, KernelFamily::Rbf] {
        let draw = GpDraw::new(family, &[0.5, 0.8, 1.5], 1.0, 1024, 5).unwrap();
        for z in [[0.2, 0.9, 0.4], [0.62, 0.13, 0.71]] {
            let mut own = [f64::NAN; 3];
            assert_eq!(draw.value_and_gradient(&z, &mut own), draw.value(&z));
            let slopes = gradient(|z| draw.value(z), &z);
            for axis in 0..3 {
                assert!(
                    (own[axis] - slopes[axis]).abs() <= tolerance::DRAW_SLOPE,
                    "{family:?}: {own:?} against {slopes:?}"
                );
            }
        }
    }
}

/// A seed stands for a function for good: these values were computed once by this crate and must
/// never change. Beyond the 256 axes of the Sobol tables the axes must not repeat.
#[test]
fn a_seed_is_one_function() {
    let value = |family, seed| {
        GpDraw::new(family, &[0.5, 0.25], 1.0, 1024, seed).unwrap().value(&[0.3, 0.6])
    };
    let pinned =
        [0.8018149697667819, 1.5409913642474498, -0.11377048587177412, -1.0051725312628719];
    for (family, expected) in FAMILIES.into_iter().zip(pinned) {
        assert_eq!(value(family, 7), expected, "{family:?}");
    }
    assert_ne!(value(KernelFamily::Rbf, 7), value(KernelFamily::Rbf, 8));
    let wide = GpDraw::new(KernelFamily::Rbf, &[1.0; 300], 1.0, 64, 1).unwrap();
    let mut slopes = vec![0.0; 300];
    wide.value_and_gradient(&[0.5; 300], &mut slopes);
    assert!((0..44).all(|axis| slopes[axis] != slopes[axis + 256]));
}

#[test]
fn draws_refuse_nonsense() {
    let draw = |lengthscales: &[f64], outputscale, features| {
        GpDraw::new(KernelFamily::Rbf, lengthscales, outputscale, features, 1)
    };
    for (draw, kind, culprit) in [
        (draw(&[], 1.0, 64), ErrorKind::Empty, "lengthscale"),
        (draw(&[1.0, 0.0], 1.0, 64), ErrorKind::InvalidSetting, "lengthscale 1"),
        (draw(&[1.0, f64::NAN], 1.0, 64), ErrorKind::NonFinite, "lengthscale 1"),
        (draw(&[1.0], -1.0, 64), ErrorKind::InvalidSetting, "outputscale"),
        (draw(&[1.0], f64::INFINITY, 64), ErrorKind::NonFinite, "outputscale"),
        (draw(&[1.0], 1.0, 0), ErrorKind::InvalidSetting, "features"),
        (draw(&[1.0], 1.0, 63), ErrorKind::InvalidSetting, "features"),
        (draw(&[1.0], 1.0, 1 << 18), ErrorKind::InvalidSetting, "features"),
    ] {
        let error = draw.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error}");
    }
    let error = GpDraw::new(KernelFamily::SphericalLinear, &[1.0], 1.0, 64, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "frequencies: expected a stationary kernel, got spherical_linear"
    );
}

/// In one dimension ten points fall on a lengthscale of 0.01, so that the interpolant is the
/// process: mean square and product at a distance of one lengthscale over places and draws.
#[test]
fn interpolated_draws_have_the_covariance_of_their_kernel() {
    let (ell, count, steps) = (0.01, 6, 450);
    let (mut square, mut product) = (0.0, 0.0);
    for seed in 0..count {
        let draw = InterpolatedDraw::new(&[ell], seed).unwrap();
        for step in 0..steps {
            let z = 0.05 + 0.88 * f64::from(step) / f64::from(steps);
            let value = draw.value(&[z]);
            square += value * value;
            product += value * draw.value(&[z + ell]);
        }
    }
    let n = f64::from(steps) * count as f64;
    let error = tolerance::functions::spatial_variance(ell, 0.88, count);
    assert!((square / n - 1.0).abs() <= error, "{}", square / n);
    assert!((product / n - (-0.5f64).exp()).abs() <= error, "{}", product / n);
    assert!(error < 0.5, "white noise, or no draw at all, would pass with {error}");
}

#[test]
fn an_interpolated_draw_is_one_function_with_its_gradient() {
    let draw = InterpolatedDraw::new(&[0.4, 0.6, 0.5], 5).unwrap();
    assert_eq!(draw, InterpolatedDraw::new(&[0.4, 0.6, 0.5], 5).unwrap());
    for z in [[0.2, 0.9, 0.4], [0.62, 0.13, 0.71]] {
        let mut own = [f64::NAN; 3];
        assert_eq!(draw.value_and_gradient(&z, &mut own), draw.value(&z));
        let slopes = gradient(|z| draw.value(z), &z);
        for axis in 0..3 {
            assert!(
                (own[axis] - slopes[axis]).abs() <= tolerance::functions::INTERPOLATED_SLOPE,
                "{own:?} against {slopes:?}"
            );
        }
    }
    for (lengthscales, kind) in [
        (&[][..], ErrorKind::Empty),
        (&[0.1, 0.0], ErrorKind::InvalidSetting),
        (&[f64::NAN], ErrorKind::InvalidSetting),
    ] {
        assert_eq!(InterpolatedDraw::new(lengthscales, 1).unwrap_err().kind(), kind);
    }
}
