//! Several pending trials: what is asked for, how quickly, and when to stop asking.

use std::sync::Arc;

use gittins::model::{Mean, Noise};
use gittins::study::{Request, Search, TrialState};
use gittins::{
    Acquisition, Cpu, GaussianProcess, Hyperparameters, KernelFamily, Outcome, Points, Pointwise,
    Posterior, Space, Study, Table, Value,
};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

fn plane() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
}

fn hills(at: &[f64]) -> f64 {
    (at[0] - 0.3).powi(2) + 0.4 * (at[1] - 0.6).powi(2) + 0.05 * (9.0 * at[0] + 4.0 * at[1]).sin()
}

fn study(acquisition: impl Into<Acquisition>, seed: u64) -> Study {
    let policy: Acquisition = acquisition.into();
    Study::minimize(plane()).backend(Arc::new(Cpu)).policy(policy).seed(seed).build().unwrap()
}

/// Tells of so many trials, one by one.
fn begin(study: &mut Study, count: usize) {
    for _ in 0..count {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(hills(ask.numbers()))).unwrap();
    }
}

fn nearest(points: &[Vec<f64>]) -> f64 {
    let distance = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    };
    let mut least = f64::INFINITY;
    for (i, a) in points.iter().enumerate() {
        least = points[..i].iter().map(|b| distance(a, b)).fold(least, f64::min);
    }
    least
}

#[test]
fn points_under_way_keep_their_distance() {
    for policy in [Acquisition::gittins(1e-5), Pointwise::LogExpectedImprovement.into()] {
        for many in [false, true] {
            let mut study = study(policy.clone(), 3);
            begin(&mut study, 10);
            let asks = if many {
                study.ask_many(16).unwrap()
            } else {
                (0..16).map(|_| study.ask().unwrap()).collect()
            };
            let points: Vec<Vec<f64>> = asks.iter().map(|ask| ask.numbers().to_vec()).collect();
            // The model tells points apart from 3.5e-4 lengthscales on, and these are above 0.3.
            assert!(nearest(&points) > 1e-4, "{policy:?} {many}: {}", nearest(&points));
            assert_eq!(study.counts().pending, 16);
            let pending = |trial: &&gittins::Trial| trial.state == TrialState::Pending;
            assert_eq!(study.history().iter().filter(pending).count(), 16);
        }
    }
}

#[test]
fn a_round_begins_as_single_asks_do() {
    let (mut one, mut many) =
        (study(Acquisition::gittins(1e-3), 5), study(Acquisition::gittins(1e-3), 5));
    begin(&mut one, 9);
    begin(&mut many, 9);
    let first = one.ask().unwrap();
    let round = many.ask_many(6).unwrap();
    assert_eq!(first.values(), round[0].values());
    // Later ones are chosen by the same rule with less effort: their indices are hardly lower.
    for ask in &round[1..] {
        let single = one.ask().unwrap();
        let value = |ask: &gittins::Ask| match ask.why() {
            gittins::study::Why::Suggested(suggestion) => suggestion.value,
            why => panic!("{why}"),
        };
        // An index of a minimized outcome is better if it is lower.
        assert!(value(ask) < value(&single) + 0.05, "{} {}", value(ask), value(&single));
    }
}

/// The points that a round keeps were taken to be among more than a small search looks at.
#[test]
fn a_round_needs_no_more_points_than_its_search() {
    for (raw, starts) in [(1, 1), (40, 4)] {
        let policy = Acquisition::gittins(1e-3);
        let builder = Study::minimize(plane()).backend(Arc::new(Cpu)).policy(policy);
        let mut study = builder.search(Search::new(raw, starts)).build().unwrap();
        begin(&mut study, 6);
        assert_eq!(study.ask_many(5).unwrap().len(), 5);
        assert_eq!(study.counts().pending, 5);
    }
}

#[test]
fn a_round_is_the_same_each_time_and_on_every_kind_of_space() {
    let spaces = [
        plane(),
        Space::new().int("a", 0, 3).int("b", 0, 3),
        Space::new().int("a", 0, 5000).float("x", 0.0, 1.0).flag("on"),
    ];
    for space in spaces {
        let run = || {
            let mut study = Study::minimize(space.clone())
                .backend(Arc::new(Cpu))
                .policy(Acquisition::gittins(1e-3))
                .initial(4)
                .seed(8)
                .build()
                .unwrap();
            for ask in study.ask_many(4).unwrap() {
                study.tell(ask.id(), Outcome::new(ask.numbers().iter().sum::<f64>())).unwrap();
            }
            let asks = study.ask_many(7).unwrap();
            asks.iter().map(|ask| ask.values().to_vec()).collect::<Vec<Vec<Value>>>()
        };
        let asked = run();
        assert_eq!(asked, run());
        for (i, values) in asked.iter().enumerate() {
            assert!(!asked[..i].contains(values), "{values:?} twice");
        }
    }
}

#[test]
fn a_table_runs_out_of_rows_with_an_error_and_keeps_what_was_asked() {
    let rows: Vec<Vec<f64>> = (0..6).map(|i| vec![f64::from(i)]).collect();
    let table = Table::new(["x"], rows).unwrap();
    let mut study = Study::minimize(table)
        .backend(Arc::new(Cpu))
        .policy(Acquisition::gittins(1e-3))
        .initial(2)
        .build()
        .unwrap();
    for ask in study.ask_many(2).unwrap() {
        study.tell(ask.id(), Outcome::new(ask.numbers()[0])).unwrap();
    }
    let error = study.ask_many(9).unwrap_err();
    assert_eq!(error.kind(), gittins::ErrorKind::Exhausted);
    assert_eq!(study.counts().pending, 4);
}

/// A study that is told the same without ever having another trial under way.
fn alone(told: &[(Vec<Value>, f64)], price: f64) -> Study {
    let mut alone = study(Acquisition::gittins(price), 2);
    for (values, outcome) in told {
        alone.import(values, Outcome::new(*outcome)).unwrap();
    }
    alone
}

#[test]
fn trials_under_way_may_make_another_one_not_worth_its_price() {
    let price = 2e-3;
    let mut study = study(Acquisition::gittins(price), 2);
    let (mut told, mut running) = (Vec::new(), Vec::new());
    let (mut only_beside, mut both, mut neither, mut only_alone) = (0, 0, 0, 0);
    for _ in 0..24 {
        while running.len() < 3 {
            running.push(study.ask().unwrap());
        }
        let ask = running.remove(0);
        let outcome = hills(ask.numbers());
        study.tell(ask.id(), Outcome::new(outcome)).unwrap();
        told.push((ask.values().to_vec(), outcome));
        let beside = study.verdict_on_another().unwrap().is_stop();
        let verdict = study.verdict().unwrap();
        // Without the pending trials it is the verdict of a run that never had them.
        let without = alone(&told, price).verdict().unwrap();
        assert_eq!(verdict.is_stop(), without.is_stop());
        match (beside, without.is_stop()) {
            (true, false) => only_beside += 1,
            (true, true) => both += 1,
            (false, false) => neither += 1,
            (false, true) => only_alone += 1,
        }
    }
    // What is pending never makes another trial worth more, up to the error of the fantasies.
    let counts = (only_beside, both, neither, only_alone);
    assert!(only_beside > 0 && only_alone == 0 && both > 0 && neither > 0, "{counts:?}");
}

/// A study of a known kernel, with improvements as the policy.
fn of_known_kernel(seed: u64) -> Study {
    let model = GaussianProcess::new()
        .fixed_kernel(vec![0.35; 2], 0.05)
        .mean(Mean::Fixed(0.0))
        .noise(Noise::Fixed(1e-8));
    Study::minimize(plane())
        .backend(Arc::new(Cpu))
        .policy(Acquisition::from(Pointwise::LogExpectedImprovement))
        .model(model)
        .seed(seed)
        .build()
        .unwrap()
}

/// The joint expected improvement of points by draws from the posterior, and its standard error.
fn joint_improvement(posterior: &Posterior, points: &Points, best: f64) -> (f64, f64) {
    const DRAWS: usize = 100_000;
    let joint = posterior.joint(points).unwrap();
    let q = points.len();
    let covariance = joint.covariance + nalgebra::DMatrix::identity(q, q) * 1e-10;
    let lower = covariance.cholesky().unwrap().l();
    let mut random = Pcg64::seed_from_u64(3);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..DRAWS {
        let z = nalgebra::DVector::from_fn(q, |_, _| StandardNormal.sample(&mut random));
        let gain = ((&joint.mean + &lower * z).max() - best).max(0.0);
        sum += gain;
        squares += gain * gain;
    }
    let mean = sum / DRAWS as f64;
    (mean, ((squares / DRAWS as f64 - mean * mean) / DRAWS as f64).sqrt())
}

#[test]
fn points_refined_together_improve_more_together() {
    let mut gains = Vec::new();
    for seed in 0..6 {
        let joint = |together: bool| {
            let mut study = of_known_kernel(seed);
            begin(&mut study, 8);
            let (mut inputs, mut outcomes) = (Points::new(2), Vec::new());
            for trial in study.history() {
                inputs.push(&trial.unit);
                outcomes.push(-trial.outcome.unwrap());
            }
            let asks = if together {
                study.ask_for(&Request::new().count(5).jointly()).unwrap()
            } else {
                study.ask_many(5).unwrap()
            };
            assert_eq!(study.counts().pending, 5);
            let mut points = Points::new(2);
            for ask in &asks {
                points.push(ask.numbers());
                // What was said is what is noted of the trial.
                let trial = &study.history()[ask.id().index()];
                assert_eq!(trial.numbers(), ask.numbers());
            }
            let told = study.tell(asks[0].id(), Outcome::new(hills(asks[0].numbers())));
            assert!(told.is_ok());
            let hyperparameters = Hyperparameters {
                lengthscales: vec![0.35; 2],
                outputscale: 0.05,
                noise: 1e-8,
                mean: 0.0,
            };
            let family = KernelFamily::Matern52;
            let posterior = Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap();
            let best = outcomes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            joint_improvement(&posterior, &points, best)
        };
        let ((greedy, error), (together, _)) = (joint(false), joint(true));
        // 32 fantasies stand for the outcomes: they err by the deviation of a gain over their root.
        let of_fantasies = error * (100_000f64 / 32.0).sqrt();
        assert!(together > greedy - of_fantasies, "{seed}: {together} after {greedy}");
        gains.push(together / greedy);
    }
    let mean = gains.iter().sum::<f64>() / gains.len() as f64;
    assert!(mean > 1.0, "{gains:?}");
}

#[test]
fn points_under_way_are_told_apart_even_if_nothing_is_worth_its_price() {
    // All that is left to learn is worth nothing, so that all indices fall together.
    let mut study = study(Acquisition::gittins(1e3), 4);
    begin(&mut study, 25);
    let asks = study.ask_many(12).unwrap();
    let points: Vec<Vec<f64>> = asks.iter().map(|ask| ask.numbers().to_vec()).collect();
    assert!(nearest(&points) > 1e-6, "{}", nearest(&points));
}
