//! Many parameters: who suggests, who judges, and how much a search does.

use std::sync::Arc;

use gittins::math::Sobol;
use gittins::model::Priors;
use gittins::{Acquisition, Cpu, GaussianProcess, KernelFamily, Maximize, Outcome, Space, Study};

fn cube(dim: usize) -> Space {
    (0..dim).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0))
}

/// Two of many parameters matter.
fn valley(point: &[f64]) -> f64 {
    (point[0] - 0.3).powi(2) + 2.0 * (point[1] - 0.8).powi(2)
}

/// A study to which the same 30 trials are told.
fn told(dim: usize, model: GaussianProcess) -> Study {
    let mut study = Study::minimize(cube(dim))
        .model(model)
        .policy(Acquisition::gittins(1e-3))
        .backend(Arc::new(Cpu))
        .build()
        .unwrap();
    for point in Sobol::new(dim, 5).points(0, 30).rows() {
        study.import(point, Outcome::new(valley(point))).unwrap();
    }
    study
}

/// The usual priors, set by hand: the study then has no reason to doubt them.
fn settled(dim: usize) -> GaussianProcess {
    use gittins::model::Prior;
    GaussianProcess::new().priors(Priors::Custom {
        lengthscale: Some(Prior::dimension_scaled_gamma(dim)),
        outputscale: Some(Prior::Gamma { shape: 2.0, rate: 0.15 }),
        noise: None,
    })
}

/// The next points, each told when the next is asked for.
fn next(study: &mut Study, count: usize) -> Vec<Vec<f64>> {
    let point = |_| {
        let ask = study.ask().unwrap();
        let values = ask.numbers().to_vec();
        study.tell(ask.id(), Outcome::new(valley(&values))).unwrap();
        values
    };
    (0..count).map(point).collect()
}

#[test]
fn up_to_twenty_parameters_one_model_suggests() {
    let mut alone = told(20, settled(20));
    let mut usual = told(20, GaussianProcess::new());
    assert_eq!(next(&mut alone, 3), next(&mut usual, 3));
}

#[test]
fn beyond_twenty_parameters_every_second_suggestion_is_anothers() {
    let mut alone = told(24, settled(24));
    let mut usual = told(24, GaussianProcess::new());
    let (alone, usual) = (next(&mut alone, 2), next(&mut usual, 2));
    assert_eq!(alone[0], usual[0]);
    assert_ne!(alone[1], usual[1]);
}

#[test]
fn the_model_with_a_prior_judges() {
    let mut alone = told(24, settled(24));
    let mut usual = told(24, GaussianProcess::new());
    for _ in 0..4 {
        // Searches that began elsewhere end within the tolerance of the last ascent, 1e-13 of the
        // value; the words have seven digits.
        let [one, other] = [&mut alone, &mut usual].map(|study| study.verdict().unwrap());
        assert_eq!(one.is_stop(), other.is_stop());
        let [one, other] = [one.reason(), other.reason()];
        assert_eq!(one.to_string(), other.to_string());
        let apart = (one.statistic - other.statistic).abs();
        assert!(apart <= 1e-12 * one.statistic.abs().max(1.0));
        // The second model's suggestion is told to both.
        let ask = usual.ask().unwrap();
        let values = ask.numbers().to_vec();
        usual.tell(ask.id(), Outcome::new(valley(&values))).unwrap();
        alone.import(&values, Outcome::new(valley(&values))).unwrap();
    }
}

#[test]
fn a_run_repeats_itself() {
    let mut runs = [told(24, GaussianProcess::new()), told(24, GaussianProcess::new())];
    let [first, second] = runs.each_mut().map(|study| next(study, 4));
    assert_eq!(first, second);
}

#[test]
fn two_of_forty_parameters_are_found() {
    let mut study = Study::minimize(cube(40)).backend(Arc::new(Cpu)).seed(3).build().unwrap();
    next(&mut study, 60);
    // Random points of this number come to some 0.02.
    let best = study.best().unwrap().outcome.unwrap();
    assert!(best < 1e-3, "{best}");
}

#[test]
fn a_table_of_many_columns_has_one_model() {
    // A model without a prior is for the search of spaces; rows are told apart by the first.
    let names: Vec<String> = (0..24).map(|k| format!("x{k}")).collect();
    let rows: Vec<Vec<f64>> = Sobol::new(24, 9).points(0, 40).rows().map(<[f64]>::to_vec).collect();
    let run = |model: GaussianProcess| {
        let table = gittins::Table::new(names.clone(), rows.clone()).unwrap();
        let mut study = Study::minimize(table).model(model).backend(Arc::new(Cpu)).build().unwrap();
        next(&mut study, 24)
    };
    assert_eq!(run(settled(24)), run(GaussianProcess::new()));
}

#[test]
fn the_work_of_a_search_is_bounded() {
    let [twenty, hundreds] = [20, 300].map(Maximize::new);
    assert_eq!((twenty.raw, hundreds.raw), (1664, 1664));
    assert_eq!((twenty.starts, hundreds.starts), (26, 32));
}

#[test]
fn another_kernel_takes_turns_too() {
    let sphere = || GaussianProcess::new().kernel(KernelFamily::SphericalLinear);
    let points = next(&mut told(24, sphere()), 2);
    assert!(points.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
}
