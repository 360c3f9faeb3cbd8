//! Values and gradients of 4096 points, beside the floor: two triangular solves of `n x n` against
//! `n x 4096` and one `n x 4096 x d` product by faer on the same threads, which is the least that
//! an exact posterior variance and its gradient need.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, Par};
use gittins::math::Sobol;
use gittins::{Acquisition, Backend, CostForm, Cpu, JobCost, Pointwise, Scores};

const POINTS: usize = 4096;

fn floor(c: &mut Criterion) {
    let mut group = c.benchmark_group("evaluate");
    group.sample_size(10);
    for (dim, n) in gittins_benches::SIZES {
        let size = format!("d={dim},n={n}");
        let lower =
            Mat::from_fn(
                n,
                n,
                |i, j| if i == j { 2.0 } else { 1.0 / (1.0 + i.abs_diff(j) as f64) },
            );
        let right = Mat::from_fn(n, POINTS, |i, j| ((i * 7 + j * 3) % 11) as f64);
        let inputs = Mat::from_fn(n, dim, |i, j| ((i * 5 + j) % 13) as f64);
        let mut product = Mat::zeros(POINTS, dim);
        group.bench_function(BenchmarkId::new("floor", &size), |b| {
            b.iter_batched_ref(
                || right.clone(),
                |right| {
                    let par = Par::rayon(0);
                    solve_lower_triangular_in_place(lower.as_ref(), right.as_mut(), par);
                    solve_upper_triangular_in_place(lower.transpose(), right.as_mut(), par);
                    matmul(
                        product.as_mut(),
                        Accum::Replace,
                        right.transpose(),
                        inputs.as_ref(),
                        1.0,
                        par,
                    );
                },
                BatchSize::PerIteration,
            );
        });
        let posterior = gittins_benches::posterior(dim, n);
        let points = Sobol::new(dim, 2).points(0, POINTS);
        let job = gittins_benches::job(&posterior);
        for (name, gradient) in [("value", false), ("value and gradient", true)] {
            let mut scores = Scores::default();
            group.bench_function(BenchmarkId::new(name, &size), |b| {
                b.iter(|| {
                    Cpu.evaluate(&job.gradient(gradient), black_box(&points), &mut scores)
                        .expect("scores")
                });
            });
        }
    }
    group.finish();
}

fn acquisitions(c: &mut Criterion) {
    let mut group = c.benchmark_group("acquisitions, d=8, n=200, value and gradient");
    group.sample_size(10);
    let posterior = gittins_benches::posterior(8, 200);
    let points = Sobol::new(8, 2).points(0, POINTS);
    let form = CostForm::Expected;
    for (name, acquisition, cost) in [
        ("ei", Acquisition::Pointwise(Pointwise::ExpectedImprovement), JobCost::Uniform(1.0)),
        (
            "log_ei",
            Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
            JobCost::Uniform(1.0),
        ),
        (
            "ucb",
            Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 2.0 }),
            JobCost::Uniform(1.0),
        ),
        (
            "log_eipc, learned cost",
            Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                exponent: 1.0,
                form,
            }),
            JobCost::Learned(&posterior),
        ),
        ("gittins", Acquisition::gittins(1e-3), JobCost::Uniform(1.0)),
        ("gittins, learned cost", Acquisition::gittins(1e-3), JobCost::Learned(&posterior)),
    ] {
        let job = (gittins_benches::job(&posterior)).cost(cost).acquisition(&acquisition);
        let mut scores = Scores::default();
        group.bench_function(name, |b| {
            b.iter(|| Cpu.evaluate(&job, black_box(&points), &mut scores).expect("scores"))
        });
    }
    group.finish();
}

criterion_group!(benches, floor, acquisitions);
criterion_main!(benches);
