//! Whole studies of functions whose optima are known.

use gittins::math::Sobol;
use gittins::{Acquisition, Outcome, Pointwise, Study};
use gittins_problems::{Problem, branin, hartmann3, hartmann6};

/// The distance to the optimum after so many trials.
fn regret(problem: &Problem, trials: usize, seed: u64) -> f64 {
    let acquisition = Acquisition::Pointwise(Pointwise::LogExpectedImprovement);
    let mut study =
        Study::minimize(problem.space().clone()).policy(acquisition).seed(seed).build().unwrap();
    for _ in 0..trials {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(problem.evaluate(ask.numbers()))).unwrap();
    }
    study.best().unwrap().outcome.unwrap() - problem.minimum()
}

/// The same for quasi-random points.
fn regret_at_random(problem: &Problem, trials: usize, seed: u64) -> f64 {
    let points = Sobol::new(problem.dim(), seed).points(0, trials);
    points.rows().map(|unit| problem.evaluate_unit(unit)).fold(f64::INFINITY, f64::min)
        - problem.minimum()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A study gets nearer with its trials than quasi-random points do with a hundred times as many.
#[test]
fn known_optima_are_found_with_a_hundredth_of_random_trials() {
    for (problem, trials) in [(branin(), 30), (hartmann3(), 30), (hartmann6(), 60)] {
        let study = median((0..5).map(|seed| regret(&problem, trials, seed)).collect());
        let random =
            median((0..5).map(|seed| regret_at_random(&problem, 100 * trials, seed)).collect());
        assert!(
            study < random,
            "{}: {study} after {trials} trials, {random} after {} at random",
            problem.name(),
            100 * trials
        );
        assert!(study >= -1e-9, "{}: below the optimum", problem.name());
    }
}
