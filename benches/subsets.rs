//! Control sets: one decision over the seven sets of the publication, the factorized form of
//! expected bounds beside the general one, how a decision grows with the data, and batches of
//! completions on the CPU beside a device.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gittins::math::Sobol;
use gittins::model::{Mean, Noise};
use gittins::{
    Acquisition, Backend, Cpu, GaussianProcess, Hyperparameters, KernelFamily, Outcome, Points,
    Pointwise, Posterior, Space,
};
use gittins_papers::control::internals::{BoundSets, ControlSet, ExpectedBound, expected};
use gittins_papers::control::{ControlSets, Law, Sampling, SubsetPolicy, SubsetStudy};

/// Draws of what nature may do.
const SAMPLES: usize = 1024;

/// Queries of each set that are evaluated together.
const QUERIES: usize = 16;

/// The variables of the sets, cheapest first, of Tay et al. 2023, section 5, in three and five
/// dimensions.
fn published(dim: usize) -> Vec<Vec<usize>> {
    match dim {
        3 => vec![vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2], vec![1, 2], vec![0, 1, 2]],
        _ => vec![
            vec![0, 1],
            vec![2, 3],
            vec![3, 4],
            vec![0, 1, 2],
            vec![1, 2, 3],
            vec![2, 3, 4],
            (0..5).collect(),
        ],
    }
}

fn name(k: usize) -> String {
    format!("x{k}")
}

fn space(dim: usize) -> Space {
    (0..dim).fold(Space::new(), |space, k| space.float(name(k), 0.0, 1.0))
}

/// At moderate costs, with laws of variance 0.04.
fn sets(dim: usize) -> ControlSets {
    let laws = (0..dim)
        .fold(ControlSets::new(), |sets, k| sets.law(name(k), Law::normal(0.5, 0.213_548_040_05)));
    let costs = [0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 1.0];
    published(dim).iter().zip(costs).fold(laws, |sets, (set, cost)| {
        sets.set(format!("{set:?}"), set.iter().map(|&k| name(k)), cost)
    })
}

fn bound(dim: usize) -> BoundSets {
    sets(dim).on(&space(dim)).expect("sets")
}

/// The published hyper-parameters.
fn posterior(dim: usize, n: usize) -> Posterior {
    let (inputs, outcomes) = gittins_benches::data(dim, n);
    let hyperparameters = Hyperparameters {
        lengthscales: vec![lengthscale(dim); dim],
        outputscale: 1.0,
        noise: 1e-4,
        mean: 0.0,
    };
    Posterior::new(KernelFamily::Rbf, &hyperparameters, &inputs, &outcomes)
        .expect("a positive definite covariance")
}

fn lengthscale(dim: usize) -> f64 {
    if dim == 3 { 0.1 } else { 0.2 }
}

/// A study that was told `n` observations made elsewhere.
fn told(policy: SubsetPolicy, dim: usize, n: usize) -> SubsetStudy {
    let model = GaussianProcess::new()
        .kernel(KernelFamily::Rbf)
        .fixed_kernel(vec![lengthscale(dim); dim], 1.0);
    let model = model.noise(Noise::Fixed(1e-4)).mean(Mean::Fixed(0.0));
    let study = SubsetStudy::maximize(space(dim), sets(dim))
        .policy(policy)
        .model(model)
        .initial(0)
        .samples(SAMPLES)
        .seed(1);
    let mut study = study.backend(Arc::new(Cpu)).build().expect("a study");
    for (point, outcome) in
        gittins_benches::data(dim, n).0.rows().zip(gittins_benches::data(dim, n).1)
    {
        study.import(point, Outcome::new(outcome)).expect("an observation");
    }
    study
}

/// All sets compete: with a relaxation, and by value per unit of cost.
fn decisions(c: &mut Criterion) {
    for dim in [3, 5] {
        let mut group = c.benchmark_group(format!("subsets: decision over 7 sets, d={dim}, n=100"));
        group.sample_size(10);
        let policies = [
            ("expected upper bound", SubsetPolicy::ucb_cvs(0.1)),
            ("thompson", SubsetPolicy::ts_psq().per_unit_cost()),
            ("expected improvement", SubsetPolicy::ei_psq().per_unit_cost()),
        ];
        for (name, policy) in policies {
            group.bench_function(name, |b| {
                b.iter_batched_ref(
                    || told(policy.clone(), dim, 100),
                    |study| study.ask().expect("an ask"),
                    BatchSize::PerIteration,
                );
            });
        }
        group.finish();
    }
}

/// As the data of a run with many cheap trials grow, up to those of ETC-Ada.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("subsets: decision by expected upper bounds, d=3");
    group.sample_size(10);
    for n in [30, 60, 120, 240, 487] {
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            let policy = || SubsetPolicy::ucb_cvs(0.1);
            b.iter_batched_ref(
                || told(policy(), 3, n),
                |study| study.ask().expect("an ask"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn forms(c: &mut Criterion) {
    let (dim, beta) = (3, 2.0);
    let bound = bound(dim);
    let set = &bound.sets()[0];
    let samples = bound.samples(SAMPLES, Sampling::QuasiRandom, 1);
    let queries = Sobol::new(set.controlled.len(), 2).points(0, QUERIES);
    let acquisition = Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: beta * beta });
    for n in [20, 100, 300] {
        let posterior = posterior(dim, n);
        let mut group =
            c.benchmark_group(format!("subsets: {QUERIES} expected upper bounds, d={dim}, n={n}"));
        group.sample_size(10).throughput(Throughput::Elements((QUERIES * SAMPLES) as u64));
        for (what, gradient) in [("value", false), ("value and gradient", true)] {
            let factorized =
                ExpectedBound::new(&posterior, set, &samples, beta).expect("a factorized form");
            group.bench_function(BenchmarkId::new("factorized", what), |b| {
                b.iter(|| factorized.evaluate(black_box(&queries), gradient).expect("values"));
            });
            group.bench_function(BenchmarkId::new("general", what), |b| {
                b.iter(|| {
                    general(&Cpu, &posterior, &acquisition, (&[set], &samples), &queries, gradient);
                });
            });
        }
        group.bench_function("factorized, made", |b| {
            b.iter(|| {
                ExpectedBound::new(&posterior, set, black_box(&samples), beta)
                    .expect("a factorized form")
                    .samples()
            });
        });
        group.finish();
    }
}

fn general(
    backend: &dyn Backend,
    posterior: &Posterior,
    acquisition: &Acquisition,
    (sets, samples): (&[&ControlSet], &Points),
    queries: &Points,
    gradient: bool,
) {
    let queries = std::slice::from_ref(black_box(queries));
    black_box(
        expected(backend, posterior, acquisition, sets, samples, queries, gradient)
            .expect("values"),
    );
}

/// A batch as large as the screening of all sets.
#[cfg(feature = "gpu")]
fn devices(c: &mut Criterion) {
    use gittins::backend::gpu::{Device, Gpu};

    let Ok(device) = Device::open(std::env::var("GITTINS_ADAPTER").ok().as_deref()) else { return };
    let gpu = Gpu::new(device);
    let bound = bound(3);
    let set = &bound.sets()[0];
    let samples = bound.samples(64, Sampling::QuasiRandom, 1);
    let queries = Sobol::new(set.controlled.len(), 2).points(0, 600);
    let acquisition = Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 4.0 });
    for n in [100, 300] {
        let posterior = posterior(3, n);
        let mut group = c.benchmark_group(format!(
            "subsets: 600 queries of 64 completions with gradients, d=3, n={n}"
        ));
        group.sample_size(10).throughput(Throughput::Elements(600 * 64));
        for (name, backend) in [("cpu", &Cpu as &dyn Backend), ("gpu", &gpu)] {
            group.bench_function(name, |b| {
                b.iter(|| {
                    general(backend, &posterior, &acquisition, (&[set], &samples), &queries, true);
                });
            });
        }
        group.finish();
    }
}

#[cfg(not(feature = "gpu"))]
fn devices(_: &mut Criterion) {}

criterion_group!(benches, decisions, growth, forms, devices);
criterion_main!(benches);
