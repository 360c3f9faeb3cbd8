//! Values and gradients of 4096 points. The bench `floor` holds them against the least that they need.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gittins::math::Sobol;
use gittins::{Acquisition, Backend, CostForm, Cpu, JobCost, Pointwise, Scores};

const POINTS: usize = 4096;

fn sizes(c: &mut Criterion) {
    let mut group = c.benchmark_group("evaluate");
    group.sample_size(10);
    for (dim, n) in gittins_benches::SIZES {
        let size = format!("d={dim},n={n}");
        let posterior = gittins_benches::posterior(dim, n);
        let points = Sobol::new(dim, 2).points(0, POINTS);
        let job = gittins_benches::job(&posterior);
        for (name, gradient) in [("value", false), ("value and gradient", true)] {
            let mut scores = Scores::default();
            group.bench_function(BenchmarkId::new(name, &size), |b| {
                b.iter(|| {
                    Cpu.evaluate(&job.gradient(gradient), black_box(&points), &mut scores)
                        .expect("scores");
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
            b.iter(|| Cpu.evaluate(&job, black_box(&points), &mut scores).expect("scores"));
        });
    }
    group.finish();
}

criterion_group!(benches, sizes, acquisitions);
criterion_main!(benches);
