//! Control sets: slopes, closed forms against sums, sample paths, bounds, laws, money.

use gittins::internals::Phase;
use gittins::math::Sobol;
use gittins::posterior::Paths;
use gittins::{
    Acquisition, Backend, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Points, Pointwise,
    Posterior, Scores, Space,
};
use gittins_papers::control::internals::{
    BoundSets, ControlSet, Expected, ExpectedBound, ExpectedMeans, ExpectedPaths, Objective,
    SetPurse, UpperBounds, expected,
};
use gittins_papers::control::{ControlSets, Law, Sampling, SetSearch};

use crate::support::control as allowed;
use crate::support::families::STATIONARY;
use crate::support::smooth::data;
use crate::support::tolerance::{assert_within, path_sum, sampled_mean};

/// A space of `dim` variables. The sets control the first variable, every other one, and all of
/// them.
pub fn sets(dim: usize) -> BoundSets {
    let names: Vec<String> = (0..dim).map(|k| format!("x{k}")).collect();
    let space = names.iter().fold(Space::new(), |space, name| space.float(name, 0.0, 1.0));
    let law = |k: usize| match k % 3 {
        0 => Law::normal(0.6, 0.2),
        1 => Law::Uniform,
        _ => Law::samples(vec![0.1, 0.35, 0.5, 0.8]),
    };
    let sets =
        names.iter().enumerate().fold(ControlSets::new(), |sets, (k, name)| sets.law(name, law(k)));
    let every_other: Vec<&String> = names.iter().step_by(2).collect();
    let sets = if dim > 1 {
        sets.set("first", [&names[0]], 1.0).set("every other", every_other, 2.0)
    } else {
        sets
    };
    sets.set("all", &names, 5.0).on(&space).unwrap()
}

/// The dimension and the number of data.
type Shape = (usize, usize);

/// The lengthscale, the outputscale, and the noise as a share of the outputscale.
type Scales = (f64, f64, f64);

pub fn posterior(
    family: KernelFamily,
    (dim, n): Shape,
    (lengthscale, outputscale, noise): Scales,
) -> Posterior {
    let (inputs, outcomes) = data(dim, n);
    let deviation = outputscale.sqrt();
    let outcomes: Vec<f64> = outcomes.iter().map(|y| deviation * y).collect();
    let lengthscales = (0..dim)
        .map(|k| lengthscale * (dim as f64).sqrt() * (1.0 + 0.3 * (k as f64).sin()))
        .collect();
    let hyperparameters = Hyperparameters {
        lengthscales,
        outputscale,
        noise: outputscale * noise,
        mean: 0.2 * deviation,
    };
    Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap()
}

/// `count` queries of each set.
pub fn queries(sets: &[&ControlSet], count: usize) -> Vec<Points> {
    sets.iter().map(|set| Sobol::new(set.controlled.len(), 77).points(64, count)).collect()
}

/// Sizes from one datum in one dimension to twenty dimensions, and decades of all scales.
const SIZES: [(Shape, Scales); 9] = [
    ((1, 1), (0.3, 1.0, 1e-2)),
    ((2, 9), (0.3, 1e-6, 1e-2)),
    ((2, 9), (0.03, 1e6, 1e-2)),
    ((3, 30), (0.3, 1.3, 1e-4)),
    ((3, 12), (3.0, 1.3, 1e-2)),
    ((5, 40), (30.0, 1.0, 1.0)),
    ((7, 33), (0.3, 1e-12, 1e-3)),
    ((20, 25), (0.3, 1.0, 1e-2)),
    ((20, 70), (1.0, 1e12, 10.0)),
];

/// Checks the gradient of an objective against difference quotients. A quotient with twice the step
/// shows their accuracy.
fn check_slopes(
    objective: &dyn Objective,
    sets: &[&ControlSet],
    posterior: &Posterior,
    rounding: f64,
    what: &str,
) -> usize {
    let shortest =
        posterior.hyperparameters().lengthscales.iter().copied().fold(f64::INFINITY, f64::min);
    let h = 1e-4 * shortest.min(1.0);
    let places = queries(sets, 2);
    let found = objective.evaluate(&places, Phase::Settle, true).unwrap();
    assert_eq!(
        found.iter().map(|set| set.value.clone()).collect::<Vec<_>>(),
        values(objective, &places),
        "{what}"
    );
    let mut checked = 0;
    for (set, (places, found)) in places.iter().zip(&found).enumerate() {
        let width = places.dim();
        for (row, k) in (0..places.len())
            .flat_map(|row| (0..width).step_by(1 + width / 5).map(move |k| (row, k)))
        {
            let mut moved: Vec<Points> =
                sets.iter().map(|set| Points::new(set.controlled.len())).collect();
            for step in [-2.0, -1.0, 1.0, 2.0] {
                moved[set].push(places.row(row));
                let last = moved[set].len() - 1;
                moved[set].row_mut(last)[k] += step * h;
            }
            let at = &values(objective, &moved)[set];
            let (coarse, fine) = ((at[3] - at[0]) / (4.0 * h), (at[2] - at[1]) / (2.0 * h));
            let bound = allowed::quotient(coarse, fine, rounding, h);
            assert_within(
                format!("{what}, set {set}, coordinate {k} of row {row}"),
                found.gradient[row * width + k],
                fine,
                bound,
            );
            let scale = posterior.hyperparameters().outputscale.sqrt() / shortest;
            checked += usize::from(bound < 0.1 * scale);
        }
    }
    checked
}

fn values(objective: &dyn Objective, queries: &[Points]) -> Vec<Vec<f64>> {
    objective
        .evaluate(queries, Phase::Settle, false)
        .unwrap()
        .into_iter()
        .map(|set| set.value)
        .collect()
}

/// The function `expected` as an objective.
struct General<'a> {
    posterior: &'a Posterior,
    acquisition: Acquisition,
    sets: &'a [&'a ControlSet],
    samples: &'a Points,
}

impl Objective for General<'_> {
    fn evaluate(
        &self,
        queries: &[Points],
        _: Phase,
        gradient: bool,
    ) -> gittins::Result<Vec<Expected>> {
        expected(
            &Cpu,
            self.posterior,
            &self.acquisition,
            self.sets,
            self.samples,
            queries,
            gradient,
        )
    }
}

/// The type `ExpectedBound` as an objective.
struct Factorized<'a>(Vec<ExpectedBound<'a>>);

impl Objective for Factorized<'_> {
    fn evaluate(
        &self,
        queries: &[Points],
        _: Phase,
        gradient: bool,
    ) -> gittins::Result<Vec<Expected>> {
        self.0
            .iter()
            .zip(queries)
            .map(|(bound, queries)| bound.evaluate(queries, gradient))
            .collect()
    }
}

fn factorized<'a>(
    posterior: &'a Posterior,
    sets: &[&'a ControlSet],
    samples: &Points,
    beta: f64,
) -> Factorized<'a> {
    Factorized(
        sets.iter().map(|set| ExpectedBound::new(posterior, set, samples, beta).unwrap()).collect(),
    )
}

#[test]
fn gradients_agree_with_finite_differences() {
    for family in STATIONARY {
        let (mut checked, mut coordinates) = (0, 0);
        for (shape, scales) in SIZES {
            let posterior = posterior(family, shape, scales);
            let bound = sets(shape.0);
            let sets: Vec<&ControlSet> = bound.sets().iter().collect();
            let samples = bound.samples(40, Sampling::QuasiRandom, 5);
            let paths = Paths::draw(&posterior, 64, 5, 9).unwrap();
            let incumbents: Vec<f64> = paths
                .values(posterior.inputs())
                .unwrap()
                .row_iter()
                .map(|row| 0.2 * row.max())
                .collect();
            let (n, s, noise) = (
                shape.1,
                posterior.hyperparameters().outputscale,
                posterior.hyperparameters().noise,
            );
            let rounding = allowed::same_bound(n, s, noise);
            let of_path = rounding + path_sum(&posterior, 64);
            let general = |acquisition| General {
                posterior: &posterior,
                acquisition,
                sets: &sets,
                samples: &samples,
            };
            let bounded = Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 4.0 });
            let upper = UpperBounds::new(&posterior, &sets, &samples, 2.0, &Cpu).unwrap();
            let mut objectives: Vec<(&str, Box<dyn Objective + '_>, f64)> = vec![
                ("expected bound", Box::new(general(bounded)), rounding),
                (
                    "expected path by batch",
                    Box::new(general(Acquisition::thompson(paths.path(2)))),
                    of_path,
                ),
                ("upper bounds", Box::new(upper), rounding),
                (
                    "means",
                    Box::new(ExpectedMeans::new(&posterior, &sets, &samples).unwrap()),
                    rounding,
                ),
                (
                    "paths",
                    Box::new(ExpectedPaths::new(&posterior, &paths, &sets, &samples).unwrap()),
                    of_path,
                ),
                (
                    "paths beyond incumbents",
                    Box::new(
                        ExpectedPaths::new(&posterior, &paths, &sets, &samples)
                            .unwrap()
                            .beyond(incumbents)
                            .unwrap(),
                    ),
                    of_path,
                ),
            ];
            if family == KernelFamily::Rbf {
                objectives.push((
                    "factorized",
                    Box::new(factorized(&posterior, &sets, &samples, 2.0)),
                    rounding,
                ));
            }
            for (name, objective, rounding) in &objectives {
                let what = format!("{name}, {family:?}, {shape:?} {scales:?}");
                checked += check_slopes(&**objective, &sets, &posterior, *rounding, &what);
                coordinates += sets
                    .iter()
                    .map(|set| {
                        2 * (0..set.controlled.len()).step_by(1 + set.controlled.len() / 5).count()
                    })
                    .sum::<usize>();
            }
        }
        println!("{family:?}: {checked} slopes of {coordinates} sharp");
        // Kinks and short lengthscales make some quotients useless.
        assert!(10 * checked > 9 * coordinates, "{family:?}: {checked} slopes of {coordinates}");
    }
}

#[test]
fn factorized_is_the_general_form() {
    for (shape, scales) in SIZES {
        let posterior = posterior(KernelFamily::Rbf, shape, scales);
        let bound = sets(shape.0);
        let sets: Vec<&ControlSet> = bound.sets().iter().collect();
        let (s, noise) =
            (posterior.hyperparameters().outputscale, posterior.hyperparameters().noise);
        let (of_value, of_slope) = (
            allowed::same_bound(shape.1, s, noise),
            allowed::same_slope(shape.1, (s, noise), scales.0),
        );
        // The number of completions exceeds a tile, and it is not a multiple of a tile.
        for count in [1, 7, 300] {
            let samples = bound.samples(count, Sampling::Plain, 5);
            for beta in [0.0, 2.0] {
                let acquisition =
                    Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: beta * beta });
                let general =
                    General { posterior: &posterior, acquisition, sets: &sets, samples: &samples };
                let places = queries(&sets, 5);
                let one = factorized(&posterior, &sets, &samples, beta)
                    .evaluate(&places, Phase::Settle, true)
                    .unwrap();
                let other = general.evaluate(&places, Phase::Settle, true).unwrap();
                let means = ExpectedMeans::new(&posterior, &sets, &samples)
                    .unwrap()
                    .evaluate(&places, Phase::Settle, true)
                    .unwrap();
                for (set, (one, other)) in one.iter().zip(&other).enumerate() {
                    let means = if beta == 0.0 { &means[set] } else { other };
                    for (got, value) in
                        one.value.iter().chain(&means.value).zip(other.value.iter().cycle())
                    {
                        assert_within(
                            format!("{shape:?} {scales:?} {count} {beta}, set {set}"),
                            *got,
                            *value,
                            of_value,
                        );
                    }
                    for (got, slope) in one
                        .gradient
                        .iter()
                        .chain(&means.gradient)
                        .zip(other.gradient.iter().cycle())
                    {
                        assert_within(
                            format!("slope {shape:?} {scales:?} {count} {beta}, set {set}"),
                            *got,
                            *slope,
                            of_slope,
                        );
                    }
                }
            }
        }
    }
}

/// All completions of a query.
pub fn completed(set: &ControlSet, query: &[f64], samples: &Points) -> Points {
    let mut points = samples.clone();
    for row in 0..points.len() {
        set.controlled.iter().zip(query).for_each(|(&k, x)| points.row_mut(row)[k] = *x);
    }
    points
}

/// One path, several paths, and their gains beyond incumbents equal sums over the completions of
/// each path alone.
#[test]
fn expected_paths_are_means_of_paths_over_completions() {
    for family in STATIONARY {
        for (shape, scales) in
            [((2, 9), (0.3, 1e-6, 1e-2)), ((5, 30), (0.4, 2.0, 1e-3)), ((20, 25), (0.3, 1.0, 1e-2))]
        {
            let posterior = posterior(family, shape, scales);
            let bound = sets(shape.0);
            let sets: Vec<&ControlSet> = bound.sets().iter().collect();
            for (count, samples) in [(1, 70), (6, 130)] {
                let samples = bound.samples(samples, Sampling::QuasiRandom, 8);
                let paths = Paths::draw(&posterior, 130, count, 3).unwrap();
                let incumbents: Vec<f64> = paths
                    .values(posterior.inputs())
                    .unwrap()
                    .row_iter()
                    .map(|row| 0.3 * row.max())
                    .collect();
                let plain = ExpectedPaths::new(&posterior, &paths, &sets, &samples).unwrap();
                let beyond = ExpectedPaths::new(&posterior, &paths, &sets, &samples)
                    .unwrap()
                    .beyond(incumbents.clone())
                    .unwrap();
                let places = queries(&sets, 3);
                let (one, other) = (values(&plain, &places), values(&beyond, &places));
                let rounding = path_sum(&posterior, 130) * 4.0;
                for (set, places) in places.iter().enumerate() {
                    for (row, query) in places.rows().enumerate() {
                        let all = paths.values(&completed(sets[set], query, &samples)).unwrap();
                        let by_hand: Vec<f64> = all.row_iter().map(|row| row.mean()).collect();
                        let what = format!("{family:?} {shape:?}, {count} paths, set {set}");
                        for (got, path) in
                            plain.values(set, query).unwrap().into_iter().zip(&by_hand)
                        {
                            assert_within(&what, got, *path, rounding);
                        }
                        let mean = by_hand.iter().sum::<f64>() / count as f64;
                        assert_within(&what, one[set][row], mean, rounding);
                        let gains = by_hand
                            .iter()
                            .zip(&incumbents)
                            .map(|(path, best)| (path - best).max(0.0));
                        assert_within(
                            &what,
                            other[set][row],
                            gains.sum::<f64>() / count as f64,
                            rounding,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn expected_paths_are_expected_means_on_average() {
    let draws = 400;
    for family in STATIONARY {
        let posterior = posterior(family, (3, 12), (0.3, 1.3, 1e-2));
        let bound = sets(3);
        let sets: Vec<&ControlSet> = bound.sets().iter().collect();
        let samples = bound.samples(32, Sampling::QuasiRandom, 8);
        let places = queries(&sets, 2);
        let means = values(&ExpectedMeans::new(&posterior, &sets, &samples).unwrap(), &places);
        let mut sums = vec![vec![(0.0, 0.0); 2]; sets.len()];
        for seed in 0..draws {
            let paths = Paths::draw(&posterior, 64, 1, seed).unwrap();
            let drawn =
                values(&ExpectedPaths::new(&posterior, &paths, &sets, &samples).unwrap(), &places);
            for (sums, drawn) in sums.iter_mut().flatten().zip(drawn.iter().flatten()) {
                *sums = (sums.0 + drawn, sums.1 + drawn * drawn);
            }
        }
        for (set, (sums, means)) in sums.iter().zip(&means).enumerate() {
            for ((sum, squares), mean) in sums.iter().zip(means) {
                let average = sum / draws as f64;
                let variance = squares / draws as f64 - average * average;
                let bound = sampled_mean(variance, draws);
                assert_within(format!("{family:?}, set {set}"), average, *mean, bound);
                assert!(
                    bound < 0.3 * 1.3f64.sqrt(),
                    "{family:?}, set {set}: {bound} would let anything pass"
                );
            }
        }
    }
}

#[test]
fn a_set_that_controls_everything_has_the_plain_acquisition() {
    for family in STATIONARY {
        let posterior = posterior(family, (4, 30), (0.3, 1.3, 1e-2));
        let bound = sets(4);
        let full = bound.sets().last().unwrap();
        let samples = bound.samples(50, Sampling::Plain, 1);
        let points = Sobol::new(4, 5).points(0, 20);
        for acquisition in [
            Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 4.0 }),
            Acquisition::thompson(Paths::draw(&posterior, 64, 1, 2).unwrap().path(0)),
        ] {
            let mut scores = Scores::default();
            let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.2).gradient(true);
            Cpu.evaluate(&job, &points, &mut scores).unwrap();
            let queries = [points.clone()];
            let got = expected(&Cpu, &posterior, &acquisition, &[full], &samples, &queries, true)
                .unwrap()
                .remove(0);
            assert_eq!(
                (got.value, got.gradient),
                (scores.value, scores.gradient),
                "{family:?}, {acquisition:?}"
            );
        }
    }
}

/// An expectation is at most the maximum. The study's choice of candidates relies on this, for
/// bounds, paths and improvements. For improvements the search of the full set begins at the best
/// completion of another set's best query.
#[test]
fn no_expectation_exceeds_the_maximum_of_the_full_set() {
    let bound = sets(3);
    let sets: Vec<&ControlSet> = bound.sets().iter().collect();
    for family in STATIONARY {
        for seed in 0..3 {
            let posterior = posterior(family, (3, 12 + seed as usize), (0.25, 1.3, 1e-2));
            let samples = bound.samples(64, Sampling::QuasiRandom, seed);
            let paths = Paths::draw(&posterior, 128, 8, seed).unwrap();
            let one = Paths::draw(&posterior, 128, 1, seed).unwrap();
            let incumbents: Vec<f64> =
                paths.values(posterior.inputs()).unwrap().row_iter().map(|row| row.max()).collect();
            let objectives: [Box<dyn Objective + '_>; 3] = [
                Box::new(UpperBounds::new(&posterior, &sets, &samples, 2.0, &Cpu).unwrap()),
                Box::new(ExpectedPaths::new(&posterior, &one, &sets, &samples).unwrap()),
                Box::new(
                    ExpectedPaths::new(&posterior, &paths, &sets, &samples)
                        .unwrap()
                        .beyond(incumbents)
                        .unwrap(),
                ),
            ];
            for (number, objective) in objectives.iter().enumerate() {
                let none: Vec<Points> =
                    sets.iter().map(|set| Points::new(set.controlled.len())).collect();
                let search = SetSearch { raw_full: 500, ..SetSearch::new(seed) };
                let best = search.run(&**objective, &sets, &none).unwrap();
                let mut hints = none;
                for (set, best) in sets.iter().zip(&best).take(2) {
                    let all = completed(set, &best.query, &samples);
                    let mut queries: Vec<Points> =
                        sets.iter().map(|set| Points::new(set.controlled.len())).collect();
                    queries[2] = all.clone();
                    let found = values(&**objective, &queries).remove(2);
                    let row = (0..all.len())
                        .reduce(|a, b| if found[b] > found[a] { b } else { a })
                        .unwrap();
                    assert!(
                        best.value <= found[row] + allowed::same_bound(15, 1.3, 1.3e-2),
                        "{family:?} {number} {seed}: {best:?} above {}",
                        found[row]
                    );
                    hints[2].push(all.row(row));
                }
                let full = search.run(&**objective, &sets, &hints).unwrap()[2].value;
                assert!(
                    best[..2]
                        .iter()
                        .all(|best| best.value <= full + allowed::same_bound(15, 1.3, 1.3e-2)),
                    "{family:?} {number} {seed}: {best:?} and {full}"
                );
            }
        }
    }
}

#[test]
fn draws_follow_their_laws() {
    let names = ["a", "b", "c", "d", "e"];
    let space = names.iter().fold(Space::new(), |space, name| space.float(*name, 0.0, 1.0));
    let values = vec![0.05, 0.4, 0.45, 0.9, 0.9];
    let sets = ControlSets::new()
        .set("e", ["e"], 1.0)
        .law("a", Law::normal(0.5, 0.21354804005))
        .law("b", Law::Uniform);
    let bound = sets
        .law("c", Law::samples(values.clone()))
        .law("d", Law::normal(0.0, 0.3))
        .on(&space)
        .unwrap();
    let mean = values.iter().sum::<f64>() / 5.0;
    let spread = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 5.0;
    // A half normal distribution without its part beyond 3.3 deviations, which is 1e-3 of it.
    let half = 0.3 * (2.0 / std::f64::consts::PI).sqrt();
    let moments = [(0.5, 0.04), (0.5, 1.0 / 12.0), (mean, spread), (half, 0.09 - half * half)];
    for (sampling, count) in [(Sampling::Plain, 1 << 16), (Sampling::QuasiRandom, 1 << 12)] {
        let samples = bound.samples(count, sampling, 11);
        for (k, (mean, variance)) in moments.into_iter().enumerate() {
            let column: Vec<f64> = samples.rows().map(|row| row[k]).collect();
            let average = column.iter().sum::<f64>() / count as f64;
            let squares = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count as f64;
            let (of_mean, of_variance) =
                allowed::moments(variance, count as u64, sampling == Sampling::QuasiRandom);
            let truncated = if k == 3 { allowed::TRUNCATED } else { 0.0 };
            assert_within(format!("{sampling:?} {k}"), average, mean, of_mean + truncated);
            assert_within(
                format!("{sampling:?} {k} variance"),
                squares,
                variance,
                of_variance + truncated,
            );
        }
        // A variable without a law is not drawn. Another seed gives other draws, and the same seed
        // the same draws.
        assert!(samples.rows().all(|row| row[4] == 0.5));
        assert_eq!(samples, bound.samples(count, sampling, 11));
        assert_ne!(samples, bound.samples(count, sampling, 12));
        // The draws of different variables are independent.
        for (j, k) in [(0, 1), (1, 2), (0, 3), (2, 3)] {
            let product = |row: &[f64]| (row[j] - moments[j].0) * (row[k] - moments[k].0);
            let covariance = samples.rows().map(product).sum::<f64>() / count as f64;
            let limit =
                sampled_mean(moments[j].1 * moments[k].1, count as u64) + 2.0 * allowed::TRUNCATED;
            assert_within(format!("{sampling:?} {j} {k}"), covariance, 0.0, limit);
        }
    }
    // The beginning of a quasi-random sample is itself a quasi-random sample.
    for k in [0, 4, 6, 10] {
        let first = bound.samples(1 << k, Sampling::QuasiRandom, 11);
        assert_eq!(bound.samples(1 << 11, Sampling::QuasiRandom, 11).select(0..1 << k), first);
        // The values of a law by samples come equally often, up to one.
        let count = |value: f64| first.rows().filter(|row| row[2] == value).count() as f64;
        assert!(
            [(0.05, 0.2), (0.4, 0.2), (0.9, 0.4)]
                .iter()
                .all(|(x, share)| (count(*x) - share * f64::from(1 << k)).abs() <= 1.0)
        );
    }
}

#[test]
fn money_is_exact_after_thousands_of_payments() {
    let mut purse = SetPurse::default();
    for k in 0..30_000 {
        purse.pay([0.1, 0.2, 0.7][k % 3]);
    }
    let running = (0..30_000).fold(0.0, |sum, k| sum + [0.1, 0.2, 0.7][k % 3]);
    // One rounding for each price and one for each sum.
    assert!((purse.spent() - 10_000.0).abs() <= 4.0 * f64::EPSILON * 10_000.0);
    assert!(
        (running - 10_000.0f64).abs() > 1e-9,
        "{running}: payments one by one would have done as well"
    );
    assert!(
        purse.affords(0.1, 10_000.1)
            && !purse.affords(0.1, 10_000.0)
            && !purse.affords(0.1, 10_000.099_999)
    );
    assert_within("left", purse.left(10_000.5), 0.5, 8.0 * f64::EPSILON * 10_000.0);
    // A budget that is a whole number of payments has room for exactly that number.
    for price in [0.1, 0.3, 1e-3, 0.7, 1.1] {
        for payments in [1, 3, 10, 37, 1000] {
            let mut purse = SetPurse::default();
            let budget = f64::from(payments) * price;
            let mut paid = 0;
            while purse.affords(price, budget) {
                purse.pay(price);
                paid += 1;
            }
            assert_eq!(paid, payments, "{price} of {budget}");
        }
    }
    let before = purse.spent();
    purse.take_back(0.3);
    assert_eq!(purse.spent(), before);
    purse.take_back(0.7);
    purse.pay(0.7);
    assert_eq!(purse.spent(), before);
}
