//! Trees of fantasies: value and gradient of a batch beside those of the plain improvement at as
//! many points, with the same learned cost, and a whole suggestion of a study that plans four
//! steps.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gittins::acquisition::{FantasyTree, Lookahead};
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cost, Cpu, Job, JobCost, Outcome, Pointwise, Posterior, Scores, Space,
    Study,
};

const DIM: usize = 4;

/// Points of a batch: forty trees of 53, as many as starts are climbed together in four dimensions.
const POINTS: usize = 40 * 53;

/// Costs within a factor of three, the dearest in one corner.
fn cost(point: &[f64]) -> f64 {
    (point.iter().sum::<f64>() / point.len() as f64).exp()
}

/// Outcome and `ln c`, both learned from `n` observations.
fn posteriors(n: usize) -> [Posterior; 2] {
    let outcome = gittins_benches::posterior(DIM, n);
    let log_costs: Vec<f64> = outcome.inputs().rows().map(|point| cost(point).ln()).collect();
    let log_cost =
        Posterior::new(outcome.family(), outcome.hyperparameters(), outcome.inputs(), &log_costs)
            .expect("a positive definite covariance");
    [outcome, log_cost]
}

/// Values and gradients of some points: one by one by improvement per cost, or as the nodes of
/// trees.
fn batches(c: &mut Criterion) {
    let plain = Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost {
        exponent: 1.0,
        form: Default::default(),
    });
    let trees = [vec![1], vec![1, 1, 1], vec![4], vec![4, 4, 2]].map(|fantasies| {
        let tree = FantasyTree::new(&fantasies, 1).expect("a tree");
        (format!("{fantasies:?}"), Acquisition::multi_step_improvement(tree, Some(5.0)))
    });
    let plain = ("improvement per cost".to_string(), plain);
    for n in [30, 100, 300, 1000] {
        let [posterior, log_cost] = posteriors(n);
        let incumbent = posterior.outcomes().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut group = c.benchmark_group(format!("lookahead, d={DIM}, n={n}"));
        group.sample_size(10);
        for (name, acquisition) in std::iter::once(&plain).chain(&trees) {
            let together = acquisition.points();
            let rows = Sobol::new(DIM * together, 2).points(0, POINTS / together);
            group.throughput(Throughput::Elements((rows.len() * together) as u64));
            for (what, gradient) in [("value", false), ("value and gradient", true)] {
                let cost = JobCost::Learned(&log_cost);
                let job = Job::new(&posterior, cost, acquisition, incumbent).gradient(gradient);
                let mut scores = Scores::default();
                group.bench_function(BenchmarkId::new(what, name), |b| {
                    b.iter(|| Cpu.evaluate(&job, black_box(&rows), &mut scores).expect("scores"));
                });
            }
        }
        group.finish();
    }
}

/// A study of the negated Ackley function with a cost to be learned, told 30 observations made
/// elsewhere.
fn told(policy: Lookahead) -> Study {
    let space = (0..DIM).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    let study = Study::maximize(space).cost(Cost::learned()).policy(policy).initial(0).seed(1);
    let mut study = study.build().expect("a study");
    for point in gittins_benches::data(DIM, 30).0.rows() {
        study
            .import(point, Outcome::new(gittins_benches::ackley(point)).cost(cost(point)))
            .expect("an observation");
    }
    study
}

/// The first suggestion, whose search begins from nothing, and the one after that.
fn decision(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("decision, d={DIM}, n=30"));
    group.sample_size(10);
    for (name, fantasies) in [("path", [1].as_slice()), ("tree", &[4, 4, 2])] {
        let policy = || Acquisition::budgeted_lookahead(4, fantasies).budget(40.0);
        group.bench_function(BenchmarkId::new("first", name), |b| {
            b.iter_batched_ref(
                || told(policy()),
                |study| study.ask().expect("a suggestion"),
                BatchSize::PerIteration,
            );
        });
        let after_one = || {
            let mut study = told(policy());
            let ask = study.ask().expect("a suggestion");
            study
                .tell(
                    ask.id(),
                    Outcome::new(gittins_benches::ackley(ask.numbers())).cost(cost(ask.numbers())),
                )
                .expect("an outcome");
            study
        };
        group.bench_function(BenchmarkId::new("later", name), |b| {
            b.iter_batched_ref(
                after_one,
                |study| study.ask().expect("a suggestion"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, batches, decision);
criterion_main!(benches);
