//! Fits: one likelihood with gradient, a cold fit, a warm one after a new observation, and
//! appending that observation.

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use gittins::internals::Likelihood;
use gittins::{GaussianProcess, KernelFamily, Points};

fn fit(c: &mut Criterion) {
    let mut group = c.benchmark_group("fit");
    group.sample_size(10);
    for (dim, n) in gittins_benches::SIZES {
        let size = format!("d={dim},n={n}");
        let (inputs, outcomes) = gittins_benches::data(dim, n + 1);
        let before = Points::from_rows(dim, inputs.values()[..n * dim].to_vec()).expect("points");
        let model = GaussianProcess::new();
        let cold = model.fit(&before, &outcomes[..n], None, 1).expect("a fit");
        group.bench_function(BenchmarkId::new("likelihood and gradient", &size), |b| {
            b.iter(|| {
                Likelihood::new(
                    KernelFamily::Matern52,
                    &cold.hyperparameters,
                    &before,
                    &outcomes[..n],
                    true,
                )
                .expect("a likelihood")
            });
        });
        group.bench_function(BenchmarkId::new("cold", &size), |b| {
            b.iter(|| model.fit(&before, &outcomes[..n], None, 1).expect("a fit"));
        });
        group.bench_function(BenchmarkId::new("warm", &size), |b| {
            b.iter(|| {
                model.fit(&inputs, &outcomes, Some(&cold.hyperparameters), 1).expect("a fit")
            });
        });
        let posterior = gittins_benches::posterior(dim, n);
        group.bench_function(BenchmarkId::new("append", &size), |b| {
            b.iter_batched_ref(
                || posterior.clone(),
                |posterior| posterior.append(inputs.row(n), outcomes[n]).expect("a pivot"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, fit);
criterion_main!(benches);
