//! One maximization of the Gittins index: with the defaults, and with as many points and starts as published experiments use.

#[allow(dead_code)]
mod support;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gittins::{Cpu, Maximize, Points};

fn maximize(c: &mut Criterion) {
    let mut group = c.benchmark_group("maximize");
    group.sample_size(10);
    for (dim, n) in support::SIZES {
        let posterior = support::posterior(dim, n);
        let job = support::job(&posterior);
        let published = Maximize { raw: 200 * dim, starts: 10 * dim, max_iterations: 200, ..Maximize::new(dim) };
        for (name, search) in [("defaults", Maximize::new(dim)), ("200 d points, 10 d starts", published)] {
            group.bench_function(BenchmarkId::new(name, format!("d={dim},n={n}")), |b| {
                b.iter(|| search.run(&Cpu, &job, &Points::new(dim)).expect("a maximum"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, maximize);
criterion_main!(benches);
