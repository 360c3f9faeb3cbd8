//! Problems with control sets: objectives and best expectations of the tables, exact expectations
//! against quasi-random means.

use gittins::math::Sobol;
use gittins::{ErrorKind, Points};
use gittins_papers::control::Sampling;
use gittins_papers::control::internals::{BoundSets, UnitLaw};
use gittins_problems::{
    ControlProblem, InterpolatedDraw, SetCosts, SquaredExponentials, hartmann3,
};
use serde_json::Value;

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::assert_within;
use crate::support::tolerance::control::{BEST, LAW, scrambled, slope, sum};

const VARIANCES: [f64; 3] = [0.02, 0.04, 0.08];

/// The folder with the files of `plant`.
#[cfg(feature = "datasets")]
const PLANT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");

/// Problems with a closed form, with the total size of their weights and their shortest
/// lengthscale.
fn closed_forms() -> Vec<(ControlProblem, f64, f64)> {
    #[cfg(feature = "datasets")]
    let read = [(ControlProblem::plant(PLANT).unwrap(), 0.774 * 520.0, 0.098)];
    #[cfg(not(feature = "datasets"))]
    let read = [];
    let made = [
        (ControlProblem::hartmann(), 8.4, 0.119),
        // Weights below four deviations over the root of the nugget.
        (ControlProblem::gp_sample(3).unwrap(), 1000.0 * 4000.0, 0.1),
    ];
    made.into_iter().chain(read).collect()
}

fn bound(problem: &ControlProblem, variance: f64) -> BoundSets {
    problem.sets(SetCosts::Moderate, variance).unwrap().on(problem.space()).unwrap()
}

fn rows(name: &str) -> Value {
    let table = table("control");
    table["objectives"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["problem"] == name)
        .unwrap()
        .clone()
}

/// The rows of best expectations of a variance, which are in the order of the sets.
fn best_rows(entry: &Value, variance: f64, sets: &BoundSets) -> Vec<Value> {
    let all = entry["best_expected"].as_array().unwrap();
    let rows: Vec<Value> =
        all.iter().filter(|row| number(&row["variance"]) == variance).cloned().collect();
    assert_eq!(rows.len(), 7);
    for (row, set) in rows.iter().zip(sets.sets()) {
        let controlled: Vec<usize> =
            numbers(&row["control"]).into_iter().map(|k| k as usize).collect();
        assert_eq!(controlled, set.controlled, "{}", set.name);
    }
    rows
}

#[test]
fn objectives_and_best_expectations_are_those_of_the_table() {
    for (problem, weights, _) in closed_forms() {
        if problem.name() == "gp_sample" {
            continue;
        }
        let entry = rows(problem.name());
        for (point, value) in
            entry["points"].as_array().unwrap().iter().zip(numbers(&entry["values"]))
        {
            assert_within(
                format!("{} at {point}", problem.name()),
                problem.evaluate_unit(&numbers(point)),
                value,
                sum(weights),
            );
        }
        for variance in VARIANCES {
            let sets = bound(&problem, variance);
            let expected = problem.expected(&sets).unwrap();
            let best = expected.best().unwrap();
            for (set, row) in best_rows(&entry, variance, &sets).iter().enumerate() {
                let what = format!(
                    "{}, variance {variance}, set {}",
                    problem.name(),
                    sets.sets()[set].name
                );
                let value = number(&row["value"]);
                assert_within(
                    format!("{what} at its query"),
                    expected.value(set, &numbers(&row["x"])),
                    value,
                    BEST,
                );
                assert_within(format!("best of {what}"), best[set].value, value, BEST);
                assert_eq!(expected.value(set, &best[set].query), best[set].value, "{what}");
            }
        }
    }
}

/// Quasi-random means by independent scrambles, and the error that these show.
#[test]
fn exact_expectations_are_those_of_quasi_random_means() {
    const MEANS: usize = 16;
    for (problem, weights, lengthscale) in closed_forms() {
        for variance in [0.02, 0.08] {
            let sets = bound(&problem, variance);
            let exact = problem.expected(&sets).unwrap();
            let over = |seed| {
                problem
                    .expected_over(&sets, sets.samples(1 << 10, Sampling::QuasiRandom, seed))
                    .unwrap()
            };
            let sampled: Vec<_> = (0..MEANS as u64).map(over).collect();
            for (index, set) in sets.sets().iter().enumerate() {
                let what = format!("{}, variance {variance}, set {}", problem.name(), set.name);
                let query: Vec<f64> =
                    [0.93, 0.6, 0.7, 0.3, 0.75].into_iter().take(set.controlled.len()).collect();
                let mut gradient = vec![f64::NAN; query.len()];
                let value = exact.value_and_gradient(index, &query, &mut gradient);
                assert_eq!(value, exact.value(index, &query), "{what}");
                let mut slopes = vec![vec![f64::NAN; query.len()]; MEANS];
                let values: Vec<f64> = sampled
                    .iter()
                    .zip(&mut slopes)
                    .map(|(mean, slopes)| mean.value_and_gradient(index, &query, slopes))
                    .collect();
                assert_eq!(values[0], sampled[0].value(index, &query), "{what}");
                assert_mean(&format!("{what}: value"), &values, value, sum(weights));
                for (axis, own) in gradient.iter().enumerate() {
                    let along: Vec<f64> = slopes.iter().map(|slopes| slopes[axis]).collect();
                    assert_mean(
                        &format!("{what}: slope {axis}"),
                        &along,
                        *own,
                        sum(weights) / lengthscale,
                    );
                    let at = |by: f64| {
                        let mut moved = query.clone();
                        moved[axis] += by;
                        exact.value(index, &moved)
                    };
                    let h = 1e-3 * lengthscale;
                    let quotient =
                        (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                    assert_within(
                        format!("{what}: quotient {axis}"),
                        *own,
                        quotient,
                        slope(weights, lengthscale),
                    );
                }
            }
        }
    }
}

/// A value within the error that means show among themselves, and rounding.
fn assert_mean(what: &str, means: &[f64], value: f64, rounding: f64) {
    let (mean, deviation) = mean_and_deviation(means);
    assert_within(what, value, mean, scrambled(means.len()) * deviation + rounding);
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

/// Nothing of a quasi-random batch is above the best query of a set, of the rugged draw either; a
/// set that leaves nothing to nature is worth what the objective is.
#[test]
fn no_query_is_worth_more_than_the_best() {
    for (problem, _, _) in closed_forms() {
        let sets = bound(&problem, 0.04);
        let expected = problem.expected(&sets).unwrap();
        for (index, best) in expected.best().unwrap().iter().enumerate() {
            let queries = Sobol::new(sets.sets()[index].controlled.len(), 99).points(0, 1 << 12);
            let largest = queries
                .rows()
                .map(|query| expected.value(index, query))
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(
                largest <= best.value,
                "{}, set {index}: {largest} above {}",
                problem.name(),
                best.value
            );
            assert!(best.query.iter().all(|z| (0.0..=1.0).contains(z)));
        }
        let whole = vec![0.3; problem.dim()];
        assert_eq!(expected.value(6, &whole), problem.evaluate_unit(&whole));
    }
}

#[test]
fn sums_are_the_functions_that_they_come_from() {
    let points = Sobol::new(3, 5).points(0, 64);
    let (function, negative) = (ControlProblem::hartmann(), hartmann3());
    let draw = InterpolatedDraw::new(&[0.1; 3], 3).unwrap();
    let problem = ControlProblem::gp_sample(3).unwrap();
    let terms = draw.squared_exponentials();
    assert_eq!((terms.len(), terms.dim(), terms.is_empty()), (1000, 3, false));
    for z in points.rows() {
        assert_within(
            "hartmann",
            function.evaluate_unit(z),
            -negative.evaluate_unit(z),
            2.0 * sum(8.4),
        );
        assert_eq!(problem.evaluate_unit(z), draw.value(z));
        assert_eq!(terms.value(z), draw.value(z));
    }
    #[cfg(feature = "datasets")]
    {
        let problem = ControlProblem::plant(PLANT).unwrap();
        let surrogate = gittins_problems::datasets::plant(PLANT).unwrap();
        for z in Sobol::new(5, 5).points(0, 64).rows() {
            assert_within(
                "plant",
                problem.evaluate_unit(z),
                surrogate.evaluate_unit(z),
                2.0 * sum(0.774 * 520.0),
            );
            let values = problem.space().numbers_at(z);
            assert_within(
                "plant in its units",
                problem.evaluate(&values).unwrap(),
                surrogate.evaluate_unit(z),
                1e3 * sum(0.774 * 520.0),
            );
        }
    }
}

#[test]
fn sets_have_the_prices_and_laws_of_the_publication() {
    for (problem, _, _) in closed_forms() {
        let law = UnitLaw::with_variance(0.08).unwrap();
        let UnitLaw::TruncatedNormal { scale, .. } = law else { panic!("{law:?}") };
        for (costs, [low, middle]) in
            SetCosts::ALL.into_iter().zip([[0.01, 0.1], [0.1, 0.2], [0.6, 0.8]])
        {
            let sets = problem.sets(costs, 0.08).unwrap().on(problem.space()).unwrap();
            let prices: Vec<f64> = sets.sets().iter().map(|set| set.cost).collect();
            assert_eq!(prices, [low, low, low, middle, middle, middle, 1.0], "{}", costs.name());
            assert!(sets.sets()[6].random.is_empty());
            for own in sets.laws() {
                let Some(UnitLaw::TruncatedNormal { mean, scale: own }) = own else {
                    panic!("{own:?}")
                };
                assert_within("mean of a law", *mean, 0.5, LAW);
                assert_within("scale of a law", *own, scale, LAW);
            }
        }
    }
    let problem = ControlProblem::hartmann();
    let names: Vec<String> =
        bound(&problem, 0.04).sets().iter().map(|set| set.name.clone()).collect();
    assert_eq!(names, ["x1", "x2", "x3", "x1+x2", "x1+x3", "x2+x3", "x1+x2+x3"]);
    assert_eq!((problem.dim(), problem.budget(), problem.lengthscale()), (3, 50.0, 0.1));
}

#[test]
fn what_does_not_fit_is_named() {
    let two = |values: &[f64]| Points::from_rows(2, values.to_vec()).unwrap();
    let centers = two(&[0.1, 0.2, 0.3, 0.4]);
    let lengthscales = two(&[1.0; 4]);
    SquaredExponentials::new(0.5, vec![1.0, -2.0], centers.clone(), lengthscales.clone()).unwrap();
    for (mean, weights, lengthscales, kind, culprit) in [
        (0.5, vec![1.0], lengthscales.clone(), ErrorKind::Dimension, "1 weights, 2 centers"),
        (0.5, vec![1.0, 2.0], two(&[1.0; 2]), ErrorKind::Dimension, "1 x 2 lengthscales"),
        (0.5, vec![1.0, f64::NAN], lengthscales.clone(), ErrorKind::NonFinite, "weight 1"),
        (f64::INFINITY, vec![1.0, 2.0], lengthscales.clone(), ErrorKind::NonFinite, "mean"),
        (
            0.5,
            vec![1.0, 2.0],
            two(&[1.0, 1.0, 1.0, 0.0]),
            ErrorKind::InvalidSetting,
            "lengthscale 1 of term 1",
        ),
    ] {
        let error =
            SquaredExponentials::new(mean, weights, centers.clone(), lengthscales).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error}");
    }
    let problem = ControlProblem::hartmann();
    assert!(problem.has_closed_form());
    assert_eq!(problem.sets(SetCosts::Cheap, 0.1).unwrap_err().kind(), ErrorKind::InvalidSetting);
    let sets = bound(&problem, 0.04);
    assert_eq!(problem.expected_over(&sets, Points::new(3)).unwrap_err().kind(), ErrorKind::Empty);
    assert_eq!(
        problem.expected_over(&sets, two(&[0.5, 0.5])).unwrap_err().kind(),
        ErrorKind::Dimension
    );
    let sum = SquaredExponentials::new(0.5, vec![1.0, -2.0], centers, two(&[1.0; 4])).unwrap();
    assert_eq!(
        sum.expected(&sets.sets()[0], sets.laws()).unwrap_err().kind(),
        ErrorKind::Dimension
    );
    let lawless = InterpolatedDraw::new(&[0.5; 3], 1).unwrap().squared_exponentials();
    let error = lawless.expected(&sets.sets()[0], &[None, None, None]).unwrap_err();
    assert!(
        error.kind() == ErrorKind::InvalidSetting && error.to_string().contains("variable 1"),
        "{error}"
    );
}

/// The table is of means over 512 points that were not scrambled, so it errs as one of our means
/// does; its queries come from a grid and are worth a little less than the best. The best set
/// controls the variables 0 and 1, at the middle price.
#[cfg(feature = "datasets")]
#[test]
fn airfoil_is_best_under_a_set_of_the_middle_price() {
    use std::io::Write;

    let Ok(folder) = std::env::var("GITTINS_DATA") else {
        let test = "airfoil_is_best_under_a_set_of_the_middle_price";
        let _ = writeln!(
            std::io::stderr(),
            "skipped: {test}: GITTINS_DATA names no folder with the published data"
        );
        return;
    };
    const MEANS: usize = 16;
    let problem = ControlProblem::airfoil(&folder).unwrap();
    assert_eq!(
        problem.expected(&bound(&problem, 0.04)).unwrap_err().kind(),
        ErrorKind::InvalidSetting
    );
    let entry = rows("airfoil");
    for (point, value) in entry["points"].as_array().unwrap().iter().zip(numbers(&entry["values"]))
    {
        let tolerance = crate::support::tolerance::datasets::surrogate(1503, 0.918, 4.38e-3);
        assert_within(
            format!("airfoil at {point}"),
            problem.evaluate_unit(&numbers(point)),
            value,
            tolerance,
        );
    }
    for variance in VARIANCES {
        let sets = bound(&problem, variance);
        let sampled: Vec<_> = (0..MEANS as u64)
            .map(|seed| {
                problem
                    .expected_over(&sets, sets.samples(512, Sampling::QuasiRandom, seed))
                    .unwrap()
            })
            .collect();
        let best = sampled[0].best().unwrap();
        for (set, row) in best_rows(&entry, variance, &sets).iter().enumerate() {
            let query = numbers(&row["x"]);
            let value = number(&row["value"]);
            let means: Vec<f64> = sampled.iter().map(|mean| mean.value(set, &query)).collect();
            let (mean, deviation) = mean_and_deviation(&means);
            let tolerance = crate::support::tolerance::control::another(MEANS) * deviation;
            println!(
                "airfoil, variance {variance}, set {set}: {mean} and {value}, tolerance {tolerance}; best {}",
                best[set].value
            );
            assert_within(
                format!("airfoil, variance {variance}, set {set}"),
                mean,
                value,
                tolerance,
            );
            assert!(best[set].value >= means[0], "{} below {}", best[set].value, means[0]);
        }
        let order = |a: &usize, b: &usize| best[*a].value.total_cmp(&best[*b].value);
        assert_eq!((0..7).max_by(order), Some(5), "variance {variance}");
        assert_eq!((sets.sets()[5].controlled.clone(), sets.sets()[5].cost), (vec![0, 1], 0.2));
    }
}
