//! The probability of a small regret, on sample paths.

use std::sync::Arc;

use gittins::data::Direction;
use gittins::model::{Mean, Noise};
use gittins::stop::Statistic;
use gittins::{Acquisition, Cpu, ErrorKind, GaussianProcess, Outcome, Points, Space, Study, Table};
use gittins_papers::rules::RegretProbabilityRule;
use nalgebra::{DMatrix, DVector};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::support::runs::FEATURES_SHIFT;
use crate::support::stage::Stage;
use crate::support::tolerance::frequency;

const LENGTHSCALE: f64 = 0.2;

fn wave(x: f64) -> f64 {
    (7.0 * x).sin() + 0.2 * x
}

pub fn rows(count: usize) -> Vec<f64> {
    (0..count).map(|i| i as f64 / (count - 1) as f64).collect()
}

pub fn table(count: usize) -> Table {
    Table::new(["x"], rows(count).into_iter().map(|x| vec![x]).collect::<Vec<_>>()).unwrap()
}

fn line() -> Space {
    Space::new().float("x", 0.0, 1.0)
}

/// Tells five points. The best of them lies near the optimum at 0.228.
fn told(mut stage: Stage) -> Stage {
    let sign = stage.observations.direction().sign();
    for x in [0.0, 0.25, 0.5, 0.75, 1.0] {
        stage.tell(&[x], sign * wave(x), 1.0);
    }
    stage
}

fn frequency_of(stage: &mut Stage, epsilon: f64, samples: usize) -> Statistic {
    stage.check(&mut RegretProbabilityRule::frequency(epsilon).samples(samples, samples))
}

#[test]
fn the_frequency_is_that_of_the_exact_posterior_over_the_rows() {
    const SAMPLES: usize = 2000;
    for (direction, epsilons) in
        [(Direction::Maximize, [0.01, 0.4].as_slice()), (Direction::Minimize, &[0.1])]
    {
        let mut stage = told(Stage::new(table(41), direction, LENGTHSCALE));
        for &epsilon in epsilons {
            let frequency_of_paths = frequency_of(&mut stage, epsilon, SAMPLES).value;
            let joint = stage
                .surrogate
                .as_ref()
                .unwrap()
                .posterior()
                .joint(&Points::from_rows(1, rows(41)).unwrap())
                .unwrap();
            let covariance = joint.covariance + DMatrix::identity(41, 41) * 1e-9;
            let factor = covariance.cholesky().unwrap().unpack();
            let mut generator = Pcg64::seed_from_u64(1);
            let exceeds = |_: &usize| {
                let f = &joint.mean
                    + &factor * DVector::from_fn(41, |_, _| StandardNormal.sample(&mut generator));
                f.max() - f[10] > epsilon
            };
            let exact = (0..SAMPLES).filter(exceeds).count() as f64 / SAMPLES as f64;
            let allowed = 2f64.sqrt() * frequency(exact, SAMPLES) + FEATURES_SHIFT;
            assert!(
                (frequency_of_paths - exact).abs() <= allowed,
                "{epsilon}: {frequency_of_paths}, {exact}"
            );
            assert!(exact > 0.02 && exact < 0.98, "{epsilon}: {exact}");
        }
    }
}

#[test]
fn climbs_over_a_space_find_the_maxima_of_a_fine_table() {
    let mut space = told(Stage::new(line(), Direction::Maximize, LENGTHSCALE));
    let mut fine = told(Stage::new(table(1001), Direction::Maximize, LENGTHSCALE));
    for epsilon in [0.02, 0.1, 0.4] {
        // The paths are the same. The table misses a maximum by no more than the distance of its
        // rows. A climb that fails counts as exceeding.
        let [over_space, over_table] =
            [&mut space, &mut fine].map(|stage| frequency_of(stage, epsilon, 200).value * 200.0);
        assert!(
            over_space >= over_table && over_space <= over_table + 2.0,
            "{epsilon}: {over_space}, {over_table}"
        );
    }
}

#[test]
fn a_level_test_decides_clear_cases_and_goes_on_where_it_cannot_tell() {
    let mut stage = told(Stage::new(table(41), Direction::Maximize, LENGTHSCALE));
    let truth = frequency_of(&mut stage, 0.5, 4000).value;
    assert!(truth > 0.02 && truth < 0.1, "{truth}");
    let test =
        |stage: &mut Stage, risk: f64| stage.check(&mut RegretProbabilityRule::new(0.5).risk(risk));
    let far_above = test(&mut stage, 8.0 * truth);
    let far_below = test(&mut stage, truth / 2.0);
    let near = test(&mut stage, 2.0 * truth);
    assert!(far_above.fired && far_above.note.contains("few enough"), "{far_above:?}");
    assert!(!far_below.fired && far_below.note.contains("more than may be"), "{far_below:?}");
    assert!(
        !near.fired && near.note.contains("of 1000") && near.note.contains("too few"),
        "{near:?}"
    );
    assert!(far_above.value < far_above.threshold && far_below.value > far_below.threshold);
}

#[test]
fn climbs_that_do_not_end_only_delay() {
    let rule = || RegretProbabilityRule::new(0.5).risk(0.5);
    let mut stage = told(Stage::new(line(), Direction::Maximize, LENGTHSCALE));
    stage.tell(&[0.12], wave(0.12), 1.0);
    stage.tell(&[0.9], wave(0.9), 1.0);
    assert!(stage.check(&mut rule()).fired);
    stage.setup.search.max_iterations = 0;
    let cut = stage.check(&mut rule());
    assert!(!cut.fired && cut.value == 1.0, "{cut:?}");
}

#[test]
fn some_rows_of_a_table_are_looked_at_with_the_evaluated_ones() {
    let mut stage = told(Stage::new(table(401), Direction::Maximize, LENGTHSCALE));
    let mut exceeding = |rows: usize| {
        stage.check(&mut RegretProbabilityRule::frequency(0.05).samples(200, 200).grid(rows)).value
    };
    let (all, some, few) = (exceeding(401), exceeding(60), exceeding(2));
    assert_eq!(all, exceeding(usize::MAX));
    assert!(few < some && some <= all && all > 0.0, "{all}, {some}, {few}");
}

#[test]
fn checks_share_the_risk_and_grow_the_samples_of_the_frequency() {
    let mut stage = told(Stage::new(table(41), Direction::Maximize, LENGTHSCALE));
    let (mut tests, mut frequencies) = (
        RegretProbabilityRule::new(6.0).risk(0.5),
        RegretProbabilityRule::frequency(0.1).samples(10, 20),
    );
    let mut limits = Vec::new();
    for (x, samples) in [(0.3, 10), (0.2, 15), (0.1, 20), (0.6, 20)] {
        stage.tell(&[x], wave(x), 1.0);
        let said = [stage.check(&mut frequencies), stage.check(&mut frequencies)];
        assert!(said[0].note.contains(&format!("of {samples} sample paths")), "{said:?}");
        assert_eq!(said[0], said[1]);
        let limit = [stage.check(&mut tests), stage.check(&mut tests)];
        assert_eq!(limit[0], limit[1]);
        assert!(limit[0].fired, "{limit:?}");
        limits.push(limit[0].value);
    }
    // No path exceeds six prior deviations. A smaller share of the risk makes the interval wider.
    assert!(limits.is_sorted() && limits[0] < limits[3], "{limits:?}");
}

#[test]
fn grids_of_whole_numbers_are_looked_at_whole() {
    let mut stage = Stage::new(Space::new().int("k", 0, 40), Direction::Maximize, LENGTHSCALE);
    let cell = |k: f64| (k + 0.5) / 41.0;
    for k in [0.0, 10.0, 20.0, 30.0, 40.0] {
        stage.tell(&[cell(k)], wave(k / 40.0), 1.0);
    }
    let mut twin = Stage::new(
        Table::new(
            ["x"],
            (0..41)
                .map(|k| vec![cell(f64::from(k))])
                .chain([vec![0.0], vec![1.0]])
                .collect::<Vec<_>>(),
        )
        .unwrap(),
        Direction::Maximize,
        LENGTHSCALE,
    );
    for k in [0.0, 10.0, 20.0, 30.0, 40.0] {
        twin.tell(&[cell(k)], wave(k / 40.0), 1.0);
    }
    let [of_grid, of_table] =
        [&mut stage, &mut twin].map(|stage| frequency_of(stage, 0.05, 300).value);
    // The table has the two ends of the cube besides the centers of the cells.
    assert!(
        of_grid <= of_table && of_grid > 0.5 * of_table && of_grid > 0.0,
        "{of_grid}, {of_table}"
    );
}

/// With the right prior the rule keeps its promise: a share of at most `delta` of the stopped runs
/// has a larger regret.
#[test]
fn regrets_of_stopped_runs_exceed_epsilon_no_more_often_than_promised() {
    const ROWS: usize = 61;
    const DRAWS: usize = 60;
    let (epsilon, delta) = (0.2, 0.2);
    let x = rows(ROWS);
    let kernel = |a: f64, b: f64| {
        let r = 5f64.sqrt() * (a - b).abs() / LENGTHSCALE;
        (1.0 + r + r * r / 3.0) * (-r).exp()
    };
    let covariance =
        DMatrix::from_fn(ROWS, ROWS, |i, j| kernel(x[i], x[j]) + if i == j { 1e-6 } else { 0.0 });
    let factor = covariance.cholesky().unwrap().unpack();
    let one = |draw: usize| {
        let mut generator = Pcg64::seed_from_u64(draw as u64);
        let f = &factor * DVector::from_fn(ROWS, |_, _| StandardNormal.sample(&mut generator));
        let model = GaussianProcess::new()
            .fixed_kernel(vec![LENGTHSCALE], 1.0)
            .mean(Mean::Fixed(0.0))
            .noise(Noise::Fixed(1e-6));
        let rule = RegretProbabilityRule::new(epsilon).risk(delta).samples(64, 400).features(256);
        let study = Study::maximize(table(ROWS))
            .model(model)
            .standardize(false)
            .policy(Acquisition::gittins(1e-2))
            .stop(rule);
        let mut study = study.initial(2).seed(draw as u64).backend(Arc::new(Cpu)).build().unwrap();
        while study.history().len() < 2 || !study.verdict().unwrap().is_stop() {
            let ask = study.ask().unwrap();
            study.tell(ask.id(), Outcome::new(f[ask.row().unwrap()])).unwrap();
        }
        (study.history().len(), f.max() - study.best().unwrap().outcome.unwrap())
    };
    let ends: Vec<(usize, f64)> = (0..DRAWS).into_par_iter().map(one).collect();
    let exceeding = ends.iter().filter(|end| end.1 > epsilon).count() as f64 / DRAWS as f64;
    assert!(exceeding <= delta + frequency(delta, DRAWS), "{exceeding}: {ends:?}");
    let trials = ends.iter().map(|end| end.0).sum::<usize>() as f64 / DRAWS as f64;
    assert!(trials > 3.0 && trials < ROWS as f64 / 3.0, "{trials}");
}

#[test]
fn settings_that_cannot_work_are_named() {
    let rule = || RegretProbabilityRule::new(0.1);
    let refused = |rule: RegretProbabilityRule, word: &str| {
        let error = Study::minimize(line())
            .stop(rule)
            .build()
            .err()
            .unwrap_or_else(|| panic!("{word} was accepted"));
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(error.to_string().contains(word), "{error}");
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(RegretProbabilityRule::new(bad), "epsilon");
        refused(RegretProbabilityRule::frequency(bad), "epsilon");
        refused(rule().risk(bad), "delta");
        refused(rule().split(bad), "share");
    }
    refused(rule().split(1.0), "share");
    refused(rule().samples(0, 10), "first samples");
    refused(rule().samples(20, 10), "first samples");
    refused(rule().samples(8, 64), "64 samples can never show");
    refused(rule().features(0), "features");
    refused(rule().features(33), "features");
    refused(rule().grid(0), "row");
    assert!(
        Study::minimize(line())
            .stop(RegretProbabilityRule::frequency(0.1).samples(8, 64))
            .build()
            .is_ok()
    );
}
