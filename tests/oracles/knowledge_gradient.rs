//! The knowledge gradient against a posterior that is really conditioned on each fantasy, and
//! against brute force.

use std::sync::Arc;

use gittins::acquisition::normals;
use gittins::internals::normal::pdf;
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cpu, Hyperparameters, Job, JobCost, Joint, KernelFamily, Maximize,
    Points, Posterior, Scores,
};
use nalgebra::{DMatrix, DVector};

use crate::support::smooth::{data, hyperparameters};
use crate::support::tolerance::{self, assert_within};

fn evaluate(
    posterior: &Posterior,
    acquisition: &Acquisition,
    gradient: bool,
    points: &Points,
) -> Scores {
    let job = Job::new(posterior, JobCost::Uniform(1.0), acquisition, 0.0).gradient(gradient);
    let mut scores = Scores::default();
    Cpu.evaluate(&job, points, &mut scores).unwrap();
    scores
}

/// The kernels, written again from their definitions.
fn kernel(family: KernelFamily, hyperparameters: &Hyperparameters, a: &[f64], b: &[f64]) -> f64 {
    let squared: f64 = a
        .iter()
        .zip(b)
        .zip(&hyperparameters.lengthscales)
        .map(|((a, b), l)| ((a - b) / l).powi(2))
        .sum();
    let r = squared.sqrt();
    let shape = match family {
        KernelFamily::Matern12 => (-r).exp(),
        KernelFamily::Matern32 => (1.0 + 3f64.sqrt() * r) * (-(3f64.sqrt()) * r).exp(),
        KernelFamily::Matern52 => {
            (1.0 + 5f64.sqrt() * r + 5.0 * squared / 3.0) * (-(5f64.sqrt()) * r).exp()
        }
        KernelFamily::Rbf => (-squared / 2.0).exp(),
        KernelFamily::SphericalLinear => {
            let [(p, a), (q, b)] = [a, b].map(|x| {
                let u = x.iter().zip(&hyperparameters.lengthscales).map(|(x, l)| (x - 0.5) / l);
                let u: Vec<f64> = u.collect();
                let square: f64 = u.iter().map(|u| u * u).sum();
                (u, square)
            });
            let dot: f64 = p.iter().zip(&q).map(|(p, q)| p * q).sum();
            (4.0 * dot + (a - 1.0) * (b - 1.0)) / ((1.0 + a) * (1.0 + b))
        }
        other => panic!("no formula for {other}"),
    };
    hyperparameters.outputscale * shape
}

/// The posterior mean at a point, from the dense covariance of the data.
fn dense_mean(
    family: KernelFamily,
    hyperparameters: &Hyperparameters,
    data: (&[Vec<f64>], &[f64]),
    at: &[f64],
) -> f64 {
    let (inputs, outcomes) = data;
    let n = inputs.len();
    let mut covariance =
        DMatrix::from_fn(n, n, |i, j| kernel(family, hyperparameters, &inputs[i], &inputs[j]));
    (0..n).for_each(|i| covariance[(i, i)] += hyperparameters.noise);
    let residuals = DVector::from_iterator(n, outcomes.iter().map(|y| y - hyperparameters.mean));
    let weights = covariance.cholesky().unwrap().solve(&residuals);
    hyperparameters.mean
        + (0..n).map(|i| weights[i] * kernel(family, hyperparameters, &inputs[i], at)).sum::<f64>()
}

#[test]
fn one_shot_is_the_mean_after_conditioning_on_each_fantasy() {
    for family in KernelFamily::ALL {
        for (dim, n, m, scale) in [
            (1, 1, 1, 1.0),
            (1, 2, 2, 1e-6),
            (2, 9, 3, 1e6),
            (3, 24, 16, 1.0),
            (5, 30, 64, 1e-3),
            (20, 25, 64, 1.0),
            (20, 1, 5, 1e3),
        ] {
            let (inputs, outcomes) = data(dim, n);
            let outcomes: Vec<f64> = outcomes.iter().map(|y| scale * y).collect();
            let hyperparameters = hyperparameters(dim, 1e-2).rescaled(0.0, scale);
            let posterior = Posterior::new(family, &hyperparameters, &inputs, &outcomes).unwrap();
            let normals = normals(m, 3);
            let current = 0.7 * scale;
            let acquisition = Acquisition::knowledge_gradient(normals.clone(), current);
            let rows = Sobol::new(dim * (1 + m), 5).points(0, 3);
            let scores = evaluate(&posterior, &acquisition, false, &rows);
            for (row, value) in rows.rows().zip(&scores.value) {
                let (x, rest) = row.split_at(dim);
                let root = posterior.moments(&Points::from_rows(dim, x.to_vec()).unwrap()).unwrap();
                let deviation = (root.variance[0] + hyperparameters.noise).sqrt();
                let (mut appended, mut dense) = (-current, -current);
                for (at, z) in rest.chunks_exact(dim).zip(&normals) {
                    let outcome = root.mean[0] + deviation * z;
                    let mut after = posterior.clone();
                    after.append(x, outcome).unwrap();
                    appended +=
                        after.moments(&Points::from_rows(dim, at.to_vec()).unwrap()).unwrap().mean
                            [0]
                            / m as f64;
                    let rows: Vec<Vec<f64>> =
                        inputs.rows().chain([x]).map(<[f64]>::to_vec).collect();
                    let outcomes: Vec<f64> = outcomes.iter().copied().chain([outcome]).collect();
                    dense +=
                        dense_mean(family, &hyperparameters, (&rows, &outcomes), at) / m as f64;
                }
                let posterior =
                    tolerance::posterior(n + 1, hyperparameters.outputscale, hyperparameters.noise);
                let bound = tolerance::knowledge_gradient(
                    posterior,
                    hyperparameters.outputscale,
                    deviation,
                    normals[m - 1],
                );
                let what = format!("{family:?}, d = {dim}, n = {n}, m = {m}, scale {scale:e}");
                assert_within(format!("{what}: closed form and append"), *value, appended, bound);
                assert_within(format!("{what}: closed form and dense"), *value, dense, bound);
            }
            assert_eq!(scores.mean.len(), 3);
            let roots = rows.rows().flat_map(|row| row[..dim].to_vec()).collect();
            let moments = posterior.moments(&Points::from_rows(dim, roots).unwrap()).unwrap();
            for j in 0..3 {
                let bound =
                    tolerance::posterior(n, hyperparameters.outputscale, hyperparameters.noise);
                assert_within(
                    "the root's mean",
                    scores.mean[j],
                    moments.mean[j],
                    10.0 * scale * bound,
                );
                assert_within(
                    "the root's variance",
                    scores.variance[j],
                    moments.variance[j],
                    hyperparameters.outputscale * bound,
                );
            }
        }
    }
}

/// A posterior of one input with two maxima, and a fine grid.
fn two_peaks() -> (Posterior, Points) {
    let inputs = Points::from_rows(1, vec![0.05, 0.2, 0.35, 0.6, 0.95]).unwrap();
    let hyperparameters =
        Hyperparameters { lengthscales: vec![0.15], outputscale: 1.0, noise: 1e-2, mean: 0.0 };
    let posterior = Posterior::new(
        KernelFamily::Matern52,
        &hyperparameters,
        &inputs,
        &[-0.4, 0.9, -0.3, 0.8, -1.0],
    )
    .unwrap();
    (posterior, Points::from_rows(1, (0..=400).map(|i| f64::from(i) / 400.0).collect()).unwrap())
}

#[test]
fn closed_form_over_a_finite_set_is_the_integral() {
    let (posterior, grid) = two_peaks();
    let finite =
        Acquisition::Joint(Joint::FiniteKnowledgeGradient { among: Arc::new(grid.clone()) });
    let roots = grid.select((0..401).step_by(40));
    let scores = evaluate(&posterior, &finite, false, &roots);
    let noise = posterior.hyperparameters().noise;
    for (x, value) in roots.rows().zip(&scores.value) {
        let mut all = Points::from_rows(1, x.to_vec()).unwrap();
        all.extend(&grid);
        let joint = posterior.joint(&all).unwrap();
        let deviation = (joint.covariance[(0, 0)] + noise).sqrt();
        let slopes: Vec<f64> =
            (1..all.len()).map(|i| joint.covariance[(i, 0)] / deviation).collect();
        let largest = |z: f64| {
            slopes
                .iter()
                .enumerate()
                .map(|(i, b)| joint.mean[i + 1] + b * z)
                .fold(f64::MIN, f64::max)
        };
        let step = 1e-3;
        let integral: f64 = (-9000..=9000)
            .map(|k| step * f64::from(k))
            .map(|z| step * pdf(z) * (largest(z) - largest(0.0)))
            .sum();
        let steepest = slopes.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        // At a corner the trapezoidal rule is off by an eighth of the squared step times the change
        // of slope. The changes add up to at most twice the steepest slope.
        let allowed = step * step / 4.0 * steepest * pdf(0.0) + 1e-12;
        assert_within(format!("at {}", x[0]), *value, integral, allowed);
        assert!(*value > 0.0);
    }
}

#[test]
fn one_shot_search_finds_what_brute_force_finds() {
    let (posterior, grid) = two_peaks();
    let finite =
        Acquisition::Joint(Joint::FiniteKnowledgeGradient { among: Arc::new(grid.clone()) });
    let brute = evaluate(&posterior, &finite, false, &grid).value;
    let best = brute.iter().copied().fold(0.0, f64::max);
    let worst = brute.iter().copied().fold(1.0, f64::min);
    let current = posterior.moments(&grid).unwrap().mean.into_iter().fold(f64::MIN, f64::max);
    for m in [16, 64] {
        let acquisition = Acquisition::knowledge_gradient(normals(m, 9), current);
        let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.0).gradient(true);
        let (found, among) =
            Maximize::new(1).seed(2).knowledge_gradient(&Cpu, &job, &Points::new(1)).unwrap();
        // The prior deviation is 1, so slopes are at most 1.
        let sampling = tolerance::stratified_normals(m);
        assert_within(format!("the largest of m = {m}"), found.value, best, sampling);
        let at_root = Points::from_rows(1, found.point.clone()).unwrap();
        let exact = evaluate(&posterior, &finite, false, &at_root).value[0];
        assert!(
            exact >= best - 2.0 * sampling && exact > worst + 0.5 * (best - worst),
            "m = {m}: {exact} of {best} at {:?}",
            found.point
        );
        // The points that the search found give the value of the grid. The difference is what lies
        // between the points.
        let told =
            Acquisition::Joint(Joint::FiniteKnowledgeGradient { among: Arc::new(among.clone()) });
        let over_told = evaluate(&posterior, &told, false, &at_root).value[0];
        assert_within(format!("over {} points found", among.len()), over_told, exact, 0.02 * exact);
    }
}
