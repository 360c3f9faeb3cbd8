//! Trees of fantasies: slopes, budgets, units, hard data, composition of batches, threads, misuse.

use gittins::acquisition::{Boundary, FantasyTree};
use gittins::data::PointCost;
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cost, Cpu, Domain, Error, ErrorKind, Hyperparameters, Job, JobCost,
    Joint, KernelFamily, Points, Posterior, Result, Scores, Table,
};

use super::backend::Bowl;
use crate::support::smooth::{data, hyperparameters};
use crate::support::tolerance;
use crate::support::tolerance::lookahead as allowed;

const SMOOTH: Boundary = Boundary::Smooth { width: 0.5 };

/// The beliefs about the outcome and `ln c`. The costs lie between 2 and 5.
pub struct Beliefs {
    pub outcome: Posterior,
    pub log_cost: Posterior,
}

/// The kind of cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Price {
    Nothing,
    Learned,
    Known(Boundary),
}

pub const PRICES: [Price; 4] =
    [Price::Nothing, Price::Learned, Price::Known(Boundary::Sharp), Price::Known(SMOOTH)];

impl Beliefs {
    pub fn new(family: KernelFamily, dim: usize, n: usize, noise: f64) -> Self {
        let (inputs, outcomes) = data(dim, n);
        let log_costs: Vec<f64> = inputs.rows().map(|x| 1.0 + 0.5 * x[0]).collect();
        let hyperparameters = hyperparameters(dim, noise);
        let posterior =
            |numbers: &[f64]| Posterior::new(family, &hyperparameters, &inputs, numbers).unwrap();
        Self { outcome: posterior(&outcomes), log_cost: posterior(&log_costs) }
    }

    pub fn evaluate(
        &self,
        tree: &FantasyTree,
        price: Price,
        budget: f64,
        points: &Points,
    ) -> Scores {
        self.evaluate_at(tree, price, budget, points, &Bowl)
    }

    fn evaluate_at(
        &self,
        tree: &FantasyTree,
        price: Price,
        budget: f64,
        points: &Points,
        known: &dyn PointCost,
    ) -> Scores {
        let boundary = if let Price::Known(boundary) = price { boundary } else { Boundary::Sharp };
        let budget = (price != Price::Nothing).then_some(budget);
        let acquisition = Acquisition::Joint(Joint::MultiStepImprovement {
            tree: tree.clone().into(),
            budget,
            boundary,
        });
        let cost = if price == Price::Learned {
            JobCost::Learned(&self.log_cost)
        } else {
            JobCost::Known(known)
        };
        let job = Job::new(&self.outcome, cost, &acquisition, INCUMBENT).gradient(true);
        let mut scores = Scores::default();
        Cpu.evaluate(&job, points, &mut scores).unwrap();
        scores
    }
}

/// The best outcome so far.
pub const INCUMBENT: f64 = 0.4;

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn tree(fantasies: &[usize]) -> FantasyTree {
    FantasyTree::new(fantasies, 7).unwrap()
}

/// The distance from a node to the places at which its kernel values bend: data and other nodes.
fn clearance(row: &[f64], node: usize, dim: usize, data: &Points) -> f64 {
    let point = &row[node * dim..][..dim];
    let others = row
        .chunks_exact(dim)
        .enumerate()
        .filter(|(other, _)| *other != node)
        .map(|(_, other)| other);
    let distance =
        |other: &[f64]| point.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    data.rows().chain(others).map(distance).fold(f64::INFINITY, f64::min)
}

#[test]
fn gradients_agree_with_finite_differences() {
    let sizes: [(usize, usize, &[usize]); 9] = [
        (1, 1, &[]),
        (1, 20, &[1, 1, 1]),
        (2, 9, &[4]),
        (2, 60, &[4, 4, 2]),
        (8, 30, &[1]),
        (8, 40, &[2, 2]),
        (8, 12, &[1, 1, 1]),
        (50, 30, &[4]),
        (200, 25, &[2, 2]),
    ];
    let h = 1e-4;
    for family in KernelFamily::ALL {
        for price in PRICES {
            let (mut steepest, mut checked): (f64, usize) = (0.0, 0);
            for (dim, n, fantasies) in sizes {
                let beliefs = Beliefs::new(family, dim, n, 1e-2);
                let tree = tree(fantasies);
                let width = dim * tree.nodes();
                let points = Sobol::new(width, 31).points(64, 1);
                // The budgets allow two of the evaluations, three, and all.
                for budget in [8.0, 11.0, 60.0] {
                    let slopes = beliefs.evaluate(&tree, price, budget, &points).gradient;
                    let clear = |k: &usize| {
                        clearance(points.row(0), k / dim, dim, beliefs.outcome.inputs()) > 30.0 * h
                    };
                    let coordinates: Vec<usize> =
                        (0..width).step_by(1 + width / 23).filter(clear).collect();
                    let mut moved = Points::new(width);
                    for &k in &coordinates {
                        for steps in [-2.0, -1.0, 1.0, 2.0] {
                            moved.push(points.row(0));
                            moved.row_mut(moved.len() - 1)[k] += steps * h;
                        }
                    }
                    let values = beliefs.evaluate(&tree, price, budget, &moved).value;
                    for (k, at) in coordinates.into_iter().zip(values.chunks_exact(4)) {
                        let difference = ((at[0] - at[3]) + 8.0 * (at[2] - at[1])) / (12.0 * h);
                        let what = format!(
                            "{family:?} {price:?} of {budget}, d={dim} n={n} {fantasies:?}, coordinate {k}"
                        );
                        tolerance::assert_within(
                            what,
                            slopes[k],
                            difference,
                            allowed::slope(h, n, slopes[k]),
                        );
                        checked += 1;
                    }
                    steepest =
                        slopes.iter().fold(steepest, |steepest, slope| steepest.max(slope.abs()));
                }
            }
            assert!(
                steepest > 1e-2 && checked > 100,
                "{family:?} {price:?}: {steepest}, {checked} coordinates"
            );
        }
    }
}

#[test]
fn more_money_is_worth_more_up_to_a_plan_without_a_budget() {
    let beliefs = Beliefs::new(KernelFamily::Matern52, 3, 20, 1e-3);
    for fantasies in [&[] as &[usize], &[1, 1, 1], &[4], &[4, 4, 2]] {
        let tree = tree(fantasies);
        let points = Sobol::new(3 * tree.nodes(), 3).points(16, 9);
        let unlimited = beliefs.evaluate(&tree, Price::Nothing, f64::NAN, &points);
        assert!(unlimited.value.iter().any(|value| *value > 1e-2));
        for price in [Price::Learned, Price::Known(Boundary::Sharp), Price::Known(SMOOTH)] {
            let spent = [-1e300, -1.0, -0.0, 0.0]
                .map(|budget| beliefs.evaluate(&tree, price, budget, &points));
            if price != Price::Known(SMOOTH) {
                assert!(spent.iter().all(|scores| {
                    scores.value.iter().chain(&scores.gradient).all(|number| *number == 0.0)
                }));
            }
            let budgets = [1e-300, 0.5, 3.0, 7.0, 11.0, 15.0, 50.0, 1e300];
            let values =
                budgets.map(|budget| beliefs.evaluate(&tree, price, budget, &points).value);
            assert!(
                values
                    .windows(2)
                    .all(|pair| pair[0].iter().zip(&pair[1]).all(|(less, more)| less <= more)),
                "{price:?} {fantasies:?}"
            );
            // A second evaluation gains something, and so does each further one up to the number of
            // planned evaluations.
            let sums = values.map(|values| values.iter().sum::<f64>());
            let last = 2 + tree.steps();
            assert!(
                sums[1..last].windows(2).all(|pair| pair[0] < pair[1]),
                "{price:?} {fantasies:?}: {sums:?}"
            );
            let huge = beliefs.evaluate(&tree, price, 1e300, &points);
            assert_eq!(
                (huge.value, huge.gradient),
                (unlimited.value.clone(), unlimited.gradient.clone()),
                "{price:?} {fantasies:?}"
            );
        }
    }
}

#[test]
fn values_scale_with_the_outcome_over_decades() {
    let (inputs, outcomes) = data(2, 15);
    let Beliefs { log_cost, .. } = Beliefs::new(KernelFamily::Rbf, 2, 15, 1e-2);
    let tree = tree(&[4, 2]);
    let points = Sobol::new(2 * tree.nodes(), 3).points(0, 10);
    let at = |scale: f64| {
        let outcomes: Vec<f64> = outcomes.iter().map(|y| scale * y).collect();
        let hyperparameters = hyperparameters(2, 1e-2).rescaled(0.0, scale);
        let posterior =
            Posterior::new(KernelFamily::Matern32, &hyperparameters, &inputs, &outcomes).unwrap();
        let acquisition = Acquisition::multi_step_improvement(tree.clone(), Some(11.0));
        let (posterior, cost, acquisition) =
            (&posterior, JobCost::Learned(&log_cost), &acquisition);
        let mut scores = Scores::default();
        let job = Job::new(posterior, cost, acquisition, scale * INCUMBENT).gradient(true);
        Cpu.evaluate(&job, &points, &mut scores).unwrap();
        (scores.value, scores.gradient)
    };
    // Powers of two change no digit, except in numbers that are about to underflow.
    let (value, gradient) = at(1.0);
    assert!(value.iter().all(|value| *value > 1e-2));
    for exponent in [-60, -20, -10, 10, 20, 60] {
        let scale = 2f64.powi(exponent);
        let (scaled_value, scaled_gradient) = at(scale);
        for (got, one) in
            scaled_value.iter().zip(&value).chain(scaled_gradient.iter().zip(&gradient))
        {
            assert!(
                *got == scale * one || one.abs() < 1e-280,
                "scale 2^{exponent}: {got} and {one}"
            );
        }
    }
}

/// A known cost in other units.
struct Converted(f64);

impl PointCost for Converted {
    fn cost(&self, unit: &[f64], gradient: Option<&mut [f64]>) -> Result<f64> {
        let mut own = vec![0.0; unit.len()];
        let cost = self.0 * Bowl.cost(unit, Some(&mut own))?;
        if let Some(gradient) = gradient {
            gradient.iter_mut().zip(own).for_each(|(out, slope)| *out = self.0 * slope);
        }
        Ok(cost)
    }
}

#[test]
fn the_unit_of_money_does_not_matter() {
    let (n, noise) = (15, 1e-2);
    let beliefs = Beliefs::new(KernelFamily::Matern52, 2, n, noise);
    for fantasies in [[1, 1, 1].as_slice(), &[4, 2]] {
        let tree = tree(fantasies);
        let points = Sobol::new(2 * tree.nodes(), 3).points(0, 10);
        for boundary in [Boundary::Sharp, SMOOTH] {
            let one = beliefs.evaluate(&tree, Price::Known(boundary), 8.0, &points);
            for exponent in [-60, -20, 20, 60] {
                // Powers of two change no digit.
                let scale = 2f64.powi(exponent);
                let boundary = if boundary == SMOOTH {
                    Boundary::Smooth { width: 0.5 * scale }
                } else {
                    boundary
                };
                let other = beliefs.evaluate_at(
                    &tree,
                    Price::Known(boundary),
                    8.0 * scale,
                    &points,
                    &Converted(scale),
                );
                assert_eq!(
                    (&other.value, &other.gradient),
                    (&one.value, &one.gradient),
                    "{boundary:?} {exponent}"
                );
            }
        }
        let one = beliefs.evaluate(&tree, Price::Learned, 8.0, &points);
        for decade in -6..=6 {
            let scale = 10f64.powi(decade);
            let log_costs: Vec<f64> =
                beliefs.log_cost.outcomes().iter().map(|log_cost| log_cost + scale.ln()).collect();
            let hyperparameters = beliefs.log_cost.hyperparameters().rescaled(scale.ln(), 1.0);
            let inputs = beliefs.log_cost.inputs();
            let log_cost =
                Posterior::new(KernelFamily::Matern52, &hyperparameters, inputs, &log_costs)
                    .unwrap();
            let other = Beliefs { outcome: beliefs.outcome.clone(), log_cost }.evaluate(
                &tree,
                Price::Learned,
                8.0 * scale,
                &points,
            );
            for (got, expected) in
                other.value.iter().zip(&one.value).chain(other.gradient.iter().zip(&one.gradient))
            {
                tolerance::assert_within(
                    format!("10^{decade} {fantasies:?}"),
                    *got,
                    *expected,
                    allowed::by_hand(n, noise),
                );
            }
        }
    }
}

#[test]
fn hard_data_give_numbers() {
    for family in KernelFamily::ALL {
        for noise in [0.0, 1e-8, 1e-2] {
            for (dim, n) in [(1, 1), (2, 12)] {
                let (inputs, outcomes) = data(dim, n);
                let prior = Hyperparameters { mean: 0.0, ..hyperparameters(dim, noise) };
                // Costs of size 1, costs that overflow and costs that underflow.
                for log in [0.0, 800.0, -800.0] {
                    let log_costs: Vec<f64> = outcomes.iter().map(|y| log + y).collect();
                    let of_cost = prior.rescaled(log, 1.0);
                    let outcome = Posterior::new(family, &prior, &inputs, &outcomes).unwrap();
                    let log_cost = Posterior::new(family, &of_cost, &inputs, &log_costs).unwrap();
                    let beliefs = Beliefs { outcome, log_cost };
                    for fantasies in [&[] as &[usize], &[1, 1, 1], &[4], &[2, 2, 2]] {
                        let tree = tree(fantasies);
                        let width = dim * tree.nodes();
                        let mut points = Sobol::new(width, 5).points(9, 4);
                        // In turn: one node at a datum, all nodes at data, one node at its parent,
                        // all nodes at one point.
                        let row = |points: &mut Points, row: usize, node: usize, at: &[f64]| {
                            points.row_mut(row)[node * dim..][..dim].copy_from_slice(at);
                        };
                        for node in 0..tree.nodes() {
                            row(&mut points, 1, node, inputs.row(node % n));
                            let elsewhere = vec![0.3; dim];
                            row(&mut points, 3, node, &elsewhere);
                        }
                        row(&mut points, 0, tree.nodes() / 2, inputs.row(0));
                        if tree.nodes() > 1 {
                            let root = points.row(2)[..dim].to_vec();
                            row(&mut points, 2, 1, &root);
                        }
                        for (price, budget) in PRICES
                            .into_iter()
                            .flat_map(|price| [5e-324, 8.0, 1e300].map(|budget| (price, budget)))
                        {
                            let scores = beliefs.evaluate(&tree, price, budget, &points);
                            let what = format!(
                                "{family:?} {price:?} of {budget}, d={dim} n={n} {fantasies:?}, noise {noise}, ln c {log}"
                            );
                            assert!(
                                scores.value.iter().all(|value| value.is_finite() && *value >= 0.0),
                                "{what}: {:?}",
                                scores.value
                            );
                            assert!(
                                scores.gradient.iter().all(|slope| slope.is_finite()),
                                "{what}: {:?}",
                                scores.gradient
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit_and_neighbors_nothing_that_counts() {
    let (n, noise) = (33, 1e-2);
    let beliefs = Beliefs::new(KernelFamily::Matern52, 3, n, noise);
    for fantasies in [&[] as &[usize], &[1], &[1, 1, 1], &[4, 4, 2]] {
        let tree = tree(fantasies);
        let points = Sobol::new(3 * tree.nodes(), 8).points(0, 37);
        for price in PRICES {
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| beliefs.evaluate(&tree, price, 8.0, &points))
            };
            let whole = on(1);
            for threads in 2..=4 {
                let other = on(threads);
                let all = |scores: &Scores| {
                    [&scores.value, &scores.gradient, &scores.mean, &scores.variance]
                        .map(|field| bits(field))
                };
                assert_eq!(all(&other), all(&whole), "{price:?} {fantasies:?}, {threads} threads");
            }
            // The width of a tile depends on the batch. It decides the order of sums in the solves.
            let width = points.dim();
            for rows in [vec![0], vec![36], vec![5, 17], vec![30, 2, 2, 9, 11]] {
                let some =
                    beliefs.evaluate(&tree, price, 8.0, &points.select(rows.iter().copied()));
                for (at, row) in rows.into_iter().enumerate() {
                    let (got, expected) = (
                        &some.gradient[at * width..][..width],
                        &whole.gradient[row * width..][..width],
                    );
                    let numbers =
                        got.iter().zip(expected).chain([(&some.value[at], &whole.value[row])]);
                    for (got, expected) in numbers {
                        tolerance::assert_within(
                            format!("{price:?} {fantasies:?}, row {row}"),
                            *got,
                            *expected,
                            allowed::by_hand(n, noise),
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_best_rows_are_kept() {
    let beliefs = Beliefs::new(KernelFamily::Matern52, 2, 10, 1e-2);
    let tree = tree(&[2, 2]);
    let points = Sobol::new(2 * tree.nodes(), 8).points(0, 60);
    let whole = beliefs.evaluate(&tree, Price::Learned, 8.0, &points);
    let acquisition = Acquisition::multi_step_improvement(tree, Some(8.0));
    let cost = JobCost::Learned(&beliefs.log_cost);
    let job =
        Job::new(&beliefs.outcome, cost, &acquisition, INCUMBENT).gradient(true).keep(Some(4));
    let mut kept = Scores::default();
    Cpu.evaluate(&job, &points, &mut kept).unwrap();
    let mut rows: Vec<usize> = (0..60).collect();
    rows.sort_by(|&a, &b| whole.value[b].total_cmp(&whole.value[a]));
    assert_eq!(kept.rows, rows[..4]);
    let width = points.dim();
    for (at, &row) in kept.rows.iter().enumerate() {
        assert_eq!(kept.value[at].to_bits(), whole.value[row].to_bits());
        for (got, expected) in
            kept.gradient[at * width..][..width].iter().zip(&whole.gradient[row * width..][..width])
        {
            tolerance::assert_within(
                format!("row {row}"),
                *got,
                *expected,
                allowed::by_hand(10, 1e-2),
            );
        }
    }
}

#[test]
fn misuse_is_named() {
    let of_tree = |fantasies: &[usize]| FantasyTree::new(fantasies, 1).map(|tree| tree.nodes());
    for (fantasies, text) in [
        ([0].as_slice(), "none at level 1"),
        (&[4, 0], "none at level 2"),
        (&[16, 16, 16], "may have 4096 points"),
        (&[usize::MAX, 3], "may have 4096 points"),
    ] {
        let error = of_tree(fantasies).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(error.to_string().contains(text), "{error}");
    }
    assert_eq!(of_tree(&[4095]).unwrap(), 4096);
    let samples =
        |z: f64| FantasyTree::with_samples(&[vec![[0.0; 2]], vec![[0.1, -0.1], [1.0, z]]]);
    let error = samples(f64::NAN).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NonFinite);
    assert!(error.to_string().contains("base sample 1 of level 2"), "{error}");
    assert_eq!(FantasyTree::with_samples(&[vec![]]).unwrap_err().kind(), ErrorKind::InvalidSetting);

    let beliefs = Beliefs::new(KernelFamily::Matern52, 2, 5, 1e-3);
    let tree = std::sync::Arc::new(samples(1.0).unwrap());
    let rows = Points::from_rows(8, vec![0.5; 16]).unwrap();
    let with = |cost: JobCost<'_>,
                budget: f64,
                boundary: Boundary,
                gradient: bool,
                points: &Points|
     -> Result<Scores> {
        let acquisition = Acquisition::Joint(Joint::MultiStepImprovement {
            tree: tree.clone(),
            budget: Some(budget),
            boundary,
        });
        let mut scores = Scores::default();
        let job = Job::new(&beliefs.outcome, cost, &acquisition, 0.0).gradient(gradient);
        Cpu.evaluate(&job, points, &mut scores).map(|()| scores)
    };
    let learned = JobCost::Learned(&beliefs.log_cost);
    let error = |result: Result<Scores>, kind: ErrorKind, text: &str| {
        let error: Error = result.unwrap_err();
        assert!(error.kind() == kind && error.to_string().contains(text), "{error}");
    };
    assert_eq!(with(learned, 8.0, Boundary::Sharp, true, &rows).unwrap().gradient.len(), 16);
    for dim in [2, 6, 10] {
        let narrow = Points::from_rows(dim, vec![0.5; dim]).unwrap();
        error(
            with(learned, 8.0, Boundary::Sharp, true, &narrow),
            ErrorKind::Dimension,
            "rows of 4 points of 2 coordinates",
        );
    }
    let mut infinite = rows.clone();
    infinite.row_mut(1)[7] = f64::NEG_INFINITY;
    error(with(learned, 8.0, Boundary::Sharp, true, &infinite), ErrorKind::NonFinite, "1");
    for budget in [f64::NAN, f64::INFINITY] {
        error(
            with(learned, budget, Boundary::Sharp, true, &rows),
            ErrorKind::NonFinite,
            "the budget",
        );
    }
    for width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let result =
            with(JobCost::Uniform(1.0), 8.0, Boundary::Smooth { width }, true, &rows).unwrap_err();
        assert!(result.to_string().contains("the width of the boundary"), "{result}");
    }
    // Several points have no price. The error names the first of them, on any number of threads.
    let mut far = Sobol::new(8, 2).points(0, 200);
    far.row_mut(150)[0] = 7.0;
    far.row_mut(40)[6] = 5.0;
    error(
        with(JobCost::Known(&Bowl), 8.0, Boundary::Sharp, true, &far),
        ErrorKind::NonPositiveCost,
        "no price at 5",
    );
    // The rows of a table have prices. Between the rows the cost is flat.
    let table =
        Table::new(["x", "y"], vec![vec![0.0, 0.0], vec![1.0, 1.0], vec![0.5, 0.5]]).unwrap();
    let Cost::Known(cost) = Cost::known(|values: &[f64]| 1.0 + values[0]) else { unreachable!() };
    let on_table = cost.on(&Domain::from(table));
    let priced =
        |boundary, gradient| with(JobCost::Known(&on_table), 8.0, boundary, gradient, &rows);
    for (boundary, gradient) in [(SMOOTH, true), (SMOOTH, false), (Boundary::Sharp, true)] {
        assert!(priced(boundary, gradient).is_ok());
    }
    // This score is not a function of the belief at one point.
    assert!(Acquisition::multi_step_improvement(tree, None).pointwise().is_none());
}
