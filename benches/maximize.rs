//! One maximization of the Gittins index: with the defaults, with as many points and starts as
//! published experiments use, and with 65 536 points and 4096 starts on CPU and device. The last
//! takes minutes on a software adapter: it runs on hardware, or if its name `many` is the filter.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gittins::{Cpu, Maximize, Points};

fn maximize(c: &mut Criterion) {
    let mut group = c.benchmark_group("maximize");
    group.sample_size(10);
    for (dim, n) in gittins_benches::SIZES {
        let posterior = gittins_benches::posterior(dim, n);
        let job = gittins_benches::job(&posterior);
        let published = Maximize {
            raw: 200 * dim,
            starts: 10 * dim,
            max_iterations: 200,
            ..Maximize::new(dim)
        };
        for (name, search) in
            [("defaults", Maximize::new(dim)), ("200 d points, 10 d starts", published)]
        {
            group.bench_function(BenchmarkId::new(name, format!("d={dim},n={n}")), |b| {
                b.iter(|| search.run(&Cpu, &job, &Points::new(dim)).expect("a maximum"));
            });
        }
    }
    group.finish();
}

#[cfg(feature = "gpu")]
fn many(c: &mut Criterion) {
    use gittins::Backend;
    use gittins::backend::gpu::Gpu;
    let asked = std::env::args().any(|argument| argument.contains("many"));
    if gittins_benches::device::is_test() || (gittins_benches::device::is_filtered() && !asked) {
        return;
    }
    let Some(device) = gittins_benches::device::device() else { return };
    if !device.report().is_hardware() && !asked {
        eprintln!(
            "skipped: maximize, many: {} is software; the filter `many` runs it all the same",
            device.report().name
        );
        return;
    }
    let (dim, n) = gittins_benches::SIZES[2];
    let posterior = gittins_benches::noisy_posterior(dim, n);
    let job = gittins_benches::job(&posterior);
    let search = Maximize { raw: 65_536, starts: 4096, max_iterations: 200, ..Maximize::new(dim) };
    let mut group = c.benchmark_group("maximize");
    group.sample_size(10);
    let gpu = Gpu::new(device);
    for (name, backend) in [("many, cpu", &Cpu as &dyn Backend), ("many, device", &gpu)] {
        group.bench_function(
            BenchmarkId::new(name, format!("d={dim},n={n},65536 points,4096 starts")),
            |b| {
                b.iter(|| search.run(backend, &job, &Points::new(dim)).expect("a maximum"));
            },
        );
    }
    group.finish();
}

#[cfg(not(feature = "gpu"))]
fn many(_: &mut Criterion) {}

criterion_group!(benches, maximize, many);
criterion_main!(benches);
