//! A whole suggestion: cold (fit from nothing, maximize) and warm (one new observation: fit from the last hyper-parameters, maximize).

#[allow(dead_code)]
mod support;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use gittins::{Acquisition, Outcome, Space, Study};

/// A study of the negated Ackley function that was told `n` observations made elsewhere.
fn told(dim: usize, n: usize) -> Study {
    let space = (0..dim).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    let mut study = Study::maximize(space).acquisition(Acquisition::gittins(1e-4)).initial(0).seed(1).build().expect("a study");
    let (inputs, _) = support::data(dim, n);
    for point in inputs.rows() {
        study.import(point, Outcome::new(support::ackley(point))).expect("an observation");
    }
    study
}

fn suggest(c: &mut Criterion) {
    let mut group = c.benchmark_group("suggest");
    group.sample_size(10);
    for (dim, n) in support::SIZES {
        let size = format!("d={dim},n={n}");
        group.bench_function(BenchmarkId::new("cold", &size), |b| {
            b.iter_batched_ref(|| told(dim, n), |study| study.ask().expect("a suggestion"), BatchSize::PerIteration);
        });
        let after_one = || {
            let mut study = told(dim, n);
            let ask = study.ask().expect("a suggestion");
            study.tell(ask.id(), Outcome::new(support::ackley(ask.values()))).expect("an outcome");
            study
        };
        group.bench_function(BenchmarkId::new("warm", &size), |b| {
            b.iter_batched_ref(after_one, |study| study.ask().expect("a suggestion"), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, suggest);
criterion_main!(benches);
