//! A whole suggestion: cold (fit from nothing, maximize), warm (one new observation: fit from the
//! last hyper-parameters, maximize), and with a kernel that is known (one new observation is
//! appended to the factor, maximize).

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use gittins::model::Noise;
use gittins::study::Request;
use gittins::{Acquisition, GaussianProcess, Outcome, Space, Study};

/// A study of the negated Ackley function that was told `n` observations made elsewhere.
fn told(dim: usize, n: usize, model: GaussianProcess) -> Study {
    let space = (0..dim).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    let study =
        Study::maximize(space).policy(Acquisition::gittins(1e-4)).model(model).initial(0).seed(1);
    let mut study = study.build().expect("a study");
    let (inputs, _) = gittins_benches::data(dim, n);
    for point in inputs.rows() {
        study.import(point, Outcome::new(gittins_benches::ackley(point))).expect("an observation");
    }
    study
}

fn suggest(c: &mut Criterion) {
    let mut group = c.benchmark_group("suggest");
    group.sample_size(10);
    for (dim, n) in gittins_benches::SIZES {
        let size = format!("d={dim},n={n}");
        group.bench_function(BenchmarkId::new("cold", &size), |b| {
            b.iter_batched_ref(
                || told(dim, n, GaussianProcess::new()),
                |study| study.ask().expect("a suggestion"),
                BatchSize::PerIteration,
            );
        });
        let after_one = |model: GaussianProcess| {
            let mut study = told(dim, n, model);
            let ask = study.ask().expect("a suggestion");
            study
                .tell(ask.id(), Outcome::new(gittins_benches::ackley(ask.numbers())))
                .expect("an outcome");
            study
        };
        group.bench_function(BenchmarkId::new("warm", &size), |b| {
            b.iter_batched_ref(
                || after_one(GaussianProcess::new()),
                |study| study.ask().expect("a suggestion"),
                BatchSize::PerIteration,
            );
        });
        let known = || {
            GaussianProcess::new()
                .fixed_kernel(vec![0.3 * (dim as f64).sqrt(); dim], 1.0)
                .noise(Noise::Fixed(1e-4))
        };
        group.bench_function(BenchmarkId::new("known", &size), |b| {
            b.iter_batched_ref(
                || after_one(known()),
                |study| study.ask().expect("a suggestion"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// A study over `floats` numbers and `choices` choices of five names, told of 100 trials.
fn mixed_study(floats: usize, choices: usize) -> Study {
    let space = (0..floats).fold(Space::new(), |s, k| s.float(format!("x{k}"), 0.0, 1.0));
    let names = ["a", "b", "c", "d", "e"];
    let space = (0..choices).fold(space, |s, k| s.choice(format!("c{k}"), names));
    let study = Study::maximize(space).policy(Acquisition::gittins(1e-4)).initial(100).seed(1);
    let mut study = study.build().expect("a study");
    for _ in 0..100 {
        let ask = study.ask().expect("a point of the design");
        let scale = |(k, v): (usize, &f64)| if k < floats { *v } else { v / 4.0 };
        let point: Vec<f64> = ask.numbers().iter().enumerate().map(scale).collect();
        study.tell(ask.id(), Outcome::new(gittins_benches::ackley(&point))).expect("an outcome");
    }
    study
}

/// Ten choices of five names and ten numbers, beside twenty numbers: 60 columns beside 20.
fn mixed(c: &mut Criterion) {
    let mut group = c.benchmark_group("suggest");
    group.sample_size(10);
    for (floats, choices) in [(20, 0), (10, 10)] {
        // After the fit that a recommendation makes, the suggestion is a search alone.
        let fitted = || {
            let mut study = mixed_study(floats, choices);
            study.recommendation().expect("a fit");
            study
        };
        let size = format!("floats={floats},choices={choices},n=100");
        group.bench_function(BenchmarkId::new("search", &size), |b| {
            b.iter_batched_ref(
                fitted,
                |study| study.ask().expect("a suggestion"),
                BatchSize::PerIteration,
            );
        });
        group.bench_function(BenchmarkId::new("whole", &size), |b| {
            b.iter_batched_ref(
                || mixed_study(floats, choices),
                |study| study.ask().expect("a suggestion"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// The numbers of trials under way beside which one more is asked for.
const PENDING: [usize; 4] = [0, 1, 8, 64];

/// How many points are asked for at once.
const ROUND: usize = 32;

/// One suggestion beside trials under way; and many points one by one, in one round, and refined
/// together. The models are fitted before.
fn pending(c: &mut Criterion) {
    let mut group = c.benchmark_group("pending");
    group.sample_size(10);
    for (dim, n) in [(4, 50), gittins_benches::SIZES[0]] {
        let size = format!("d={dim},n={n}");
        let beside = |count: usize| {
            let mut study = told(dim, n, GaussianProcess::new());
            study.recommendation().expect("a fit");
            study.ask_many(count).expect("trials under way");
            study
        };
        for count in PENDING {
            let name = format!("one beside {count}");
            group.bench_function(BenchmarkId::new(name, &size), |b| {
                b.iter_batched_ref(
                    || beside(count),
                    |study| study.ask().expect("a suggestion"),
                    BatchSize::PerIteration,
                );
            });
        }
        let mut of_many = |name: &str, ask: fn(&mut Study)| {
            group.bench_function(BenchmarkId::new(format!("{ROUND} {name}"), &size), |b| {
                b.iter_batched_ref(|| beside(0), ask, BatchSize::PerIteration);
            });
        };
        of_many("one by one", |study| {
            for _ in 0..ROUND {
                study.ask().expect("a suggestion");
            }
        });
        of_many("together", |study| {
            study.ask_many(ROUND).expect("suggestions");
        });
        of_many("refined together", |study| {
            study.ask_for(&Request::new().count(ROUND).jointly()).expect("suggestions");
        });
    }
    group.finish();
}

criterion_group!(benches, suggest, mixed, pending);
criterion_main!(benches);
