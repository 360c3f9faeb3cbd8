//! CPU and device side by side: values and gradients over observations, dimensions and points, and
//! every acquisition function; beside them the floor, a plain product of an `n x n` and an
//! `n x points` matrix on the same device, the share of its rate that value and gradient reach, and
//! the product by each tiling. A last table has the device's own time of each pass of a batch and
//! the steps of the host; it is made if no cases are asked for by name.
//!
//! Without a filter a diagonal of the grid is measured; with a filter, every case that it matches.
//! A case is left out by name if one batch is predicted to take longer than `GITTINS_BENCH_SECONDS`
//! (2 unless set). `GITTINS_BENCH_TABLE=FILE` writes a table when all is done.

use std::cell::{Cell, OnceCell};
use std::env;
use std::hint::black_box;

use criterion::Criterion;
use gittins::backend::Precision;
use gittins::backend::gpu::{Device, Gpu};
use gittins::internals::gpu::{PlainProduct, Tiling};
use gittins::math::Sobol;
use gittins::{Acquisition, Backend, CostForm, Cpu, JobCost, Pointwise, Posterior, Scores};
use gittins_benches::device::{
    Table, device, group, is_filtered, is_test, milliseconds, precisions,
};

const OBSERVATIONS: [usize; 4] = [50, 200, 1000, 4000];
const DIMENSIONS: [usize; 4] = [2, 8, 32, 64];
const POINTS: [usize; 4] = [64, 1024, 8192, 65_536];

/// Rows and columns of the products by each tiling.
const PRODUCTS: [(usize, usize); 4] = [(64, 64), (256, 1024), (1024, 1024), (2048, 8192)];

/// Dimensions, observations and points of the batch whose passes are timed: on hardware, on a
/// software adapter, and in a test.
const PASSES: [[usize; 3]; 3] = [[32, 1000, 16_384], [8, 200, 1024], [2, 50, 64]];

/// The longest batch that is measured.
struct Limit {
    seconds: f64,
    skipped: Cell<usize>,
}

impl Limit {
    fn of_environment() -> Self {
        let seconds = env::var("GITTINS_BENCH_SECONDS")
            .ok()
            .and_then(|seconds| seconds.parse().ok())
            .unwrap_or(2.0);
        Self { seconds, skipped: Cell::new(0) }
    }

    /// Whether a case is short enough. Names the case if it is not.
    fn allows(&self, case: &str, predicted: f64) -> bool {
        if predicted > self.seconds {
            eprintln!("skipped: {case}: {predicted:.1} s predicted");
            self.skipped.set(self.skipped.get() + 1);
        }
        predicted <= self.seconds
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let Some(device) = device() else { return };
    let (limit, table) = (Limit::of_environment(), Table::default());
    let mut columns: Vec<String> = ["cpu value", "cpu gradient"].map(str::to_string).to_vec();
    for precision in precisions(&device) {
        columns.extend(
            ["value", "gradient", "floor", "share"].map(|what| format!("{precision} {what}")),
        );
    }
    for (i, &n) in OBSERVATIONS.iter().enumerate() {
        for (j, &d) in DIMENSIONS.iter().enumerate() {
            if i == j || (is_filtered() && !is_test()) {
                grid(&mut criterion, &device, (n, d), &limit, &table);
            }
        }
    }
    let acquisitions = acquisitions(&mut criterion, &device);
    let products = products(&mut criterion, &device, &limit);
    let passes = if is_filtered() { String::new() } else { passes(&device) };
    criterion.final_summary();
    let report = device.report();
    let chosen: Vec<String> =
        device.tile_times().iter().map(|times| format!("{} {times}", times.precision)).collect();
    let columns_of_products: Vec<String> = (precisions(&device).iter())
        .flat_map(|precision| Tiling::ALL.map(|tiling| format!("{precision} {tiling}")))
        .collect();
    let text = format!(
        "Adapter {}, driver {}, {} threads beside it. Medians in ms; {} cases left out as longer than {} s a batch. Tilings: {}.\n\n{}\n{}\n{}\n{passes}",
        report.name,
        report.driver,
        std::thread::available_parallelism().map_or(1, usize::from),
        limit.skipped.get(),
        limit.seconds,
        chosen.join("; "),
        table.markdown(&columns),
        acquisitions.markdown(&["cpu".to_string(), "f32".to_string(), "f64".to_string()]),
        products.markdown(&columns_of_products),
    );
    if is_test() {
        return;
    }
    match env::var("GITTINS_BENCH_TABLE") {
        Ok(file) => std::fs::write(&file, &text).unwrap_or_else(|error| panic!("{file}: {error}")),
        _ => println!("{text}"),
    }
}

fn grid(
    criterion: &mut Criterion,
    device: &Device,
    (n, d): (usize, usize),
    limit: &Limit,
    table: &Table,
) {
    let counts = if is_test() { &POINTS[..1] } else { &POINTS };
    if is_test() && n > OBSERVATIONS[1] {
        return;
    }
    // Only cases that pass the filter need it.
    let posterior: OnceCell<Posterior> = OnceCell::new();
    let posterior = || posterior.get_or_init(|| gittins_benches::noisy_posterior(d, n));
    for &count in counts {
        let row = format!("n={n},d={d},points={count}");
        let mut group = group(criterion, &row);
        let points: OnceCell<_> = OnceCell::new();
        let points = || points.get_or_init(|| Sobol::new(d, 2).points(0, count));
        let mut scores = Scores::default();
        let operations = |gradient: bool| {
            (1.0 + f64::from(u8::from(gradient)))
                * n as f64
                * (n + 3 * d + 40) as f64
                * count as f64
        };
        for (what, gradient) in [("value", false), ("gradient", true)] {
            // Two cores do some 4e10 multiplications and additions a second.
            if limit.allows(&format!("{row}/cpu {what}"), 2.5e-11 * operations(gradient)) {
                table.time(&mut group, &row, &format!("cpu {what}"), || {
                    let job = (gittins_benches::job(posterior())).gradient(gradient);
                    Cpu.evaluate(&job, black_box(points()), &mut scores).expect("scores");
                });
            }
        }
        for &precision in precisions(device) {
            let gpu = Gpu::new(device.clone()).precision(precision);
            let rate = rate(device, precision);
            for (what, gradient) in [("value", false), ("gradient", true)] {
                if limit.allows(&format!("{row}/{precision} {what}"), operations(gradient) / rate) {
                    table.time(&mut group, &row, &format!("{precision} {what}"), || {
                        let job = (gittins_benches::job(posterior())).gradient(gradient);
                        gpu.evaluate(&job, black_box(points()), &mut scores).expect("scores");
                        assert_eq!(scores.provenance.fallback, None);
                    });
                }
            }
            if limit.allows(&format!("{row}/{precision} floor"), operations(true) / rate) {
                let product: OnceCell<PlainProduct> = OnceCell::new();
                table.time(&mut group, &row, &format!("{precision} floor"), || {
                    let product = product.get_or_init(|| {
                        device.plain_product(precision, n, count).expect("a product")
                    });
                    product.run().expect("an answer");
                });
            }
            let column = |what| format!("{precision} {what}");
            table.share(&row, &column("share"), [&column("floor"), &column("gradient")]);
        }
        group.finish();
    }
}

fn products(criterion: &mut Criterion, device: &Device, limit: &Limit) -> Table {
    let table = Table::default();
    for (rows, columns) in if is_test() { &PRODUCTS[..1] } else { &PRODUCTS } {
        let row = format!("product of {rows}x{rows} and {rows}x{columns}");
        let mut group = group(criterion, &row);
        let operations = (2 * rows * rows * columns) as f64;
        for &precision in precisions(device) {
            let predicted = operations / rate(device, precision);
            for tiling in Tiling::ALL {
                let column = format!("{precision} {tiling}");
                if limit.allows(&format!("{row}/{column}"), predicted) {
                    let product: OnceCell<PlainProduct> = OnceCell::new();
                    table.time(&mut group, &row, &column, || {
                        let product = product.get_or_init(|| {
                            let device = device.with_tiling(tiling);
                            device.plain_product(precision, *rows, *columns).expect("a product")
                        });
                        product.run().expect("an answer");
                    });
                }
            }
        }
        group.finish();
    }
    table
}

/// The passes of one batch with gradients, and the steps of the host, in Markdown.
fn passes(device: &Device) -> String {
    let [d, n, count] = match (is_test(), device.report().is_hardware()) {
        (true, _) => PASSES[2],
        (false, true) => PASSES[0],
        (false, false) => PASSES[1],
    };
    let posterior = gittins_benches::noisy_posterior(d, n);
    let points = Sobol::new(d, 2).points(0, count);
    let mut text = String::new();
    for &precision in precisions(device) {
        let job = gittins_benches::job(&posterior);
        let times = device.pass_times(&job, &points, precision).expect("times");
        text += &format!(
            "| passes, gradient, n={n},d={d},points={count}, chunks: {} | {precision} ms |\n| --- | --- |\n",
            times.chunks
        );
        let batch = [("the batch", times.seconds), ("the batch, timed", times.timed_seconds)];
        for (step, seconds) in batch.iter().chain(&times.host).chain(times.device.iter().flatten())
        {
            text += &format!("| {step} | {} |\n", milliseconds(*seconds));
        }
        if times.device.is_none() {
            text += "| passes: the device has no timestamps | - |\n";
        }
        text += "\n";
    }
    text
}

/// Multiplications and additions a second. Hardware is not measured for it.
fn rate(device: &Device, precision: Precision) -> f64 {
    if device.report().is_hardware() || is_test() {
        return 1e11;
    }
    let crossover = device.measured_crossover(precision).expect("a crossover");
    crossover.rows.last().map_or(1e9, |row| 1.0 / row.device[1].operation.max(1e-15))
}

fn acquisitions(criterion: &mut Criterion, device: &Device) -> Table {
    let table = Table::default();
    let posterior = gittins_benches::noisy_posterior(8, 200);
    let points = Sobol::new(8, 2).points(0, if is_test() { 64 } else { 4096 });
    let trials = Sobol::new(8, 5).points(0, 8);
    let (after, pending) = posterior.with_pending(&trials, 0.0, 3).expect("trials under way");
    let (uniform, learned) = (JobCost::Uniform(1.0), JobCost::Learned(&posterior));
    let form = CostForm::Expected;
    let pointwise = |pointwise| (Acquisition::Pointwise(pointwise), &posterior);
    let per_cost = Pointwise::ExpectedImprovementPerCost { exponent: 1.0, form };
    let log_per_cost = Pointwise::LogExpectedImprovementPerCost { exponent: 1.0, form };
    for (name, (acquisition, posterior), cost) in [
        ("ei", pointwise(Pointwise::ExpectedImprovement), uniform),
        ("log_ei", pointwise(Pointwise::LogExpectedImprovement), uniform),
        ("pi", pointwise(Pointwise::ProbabilityOfImprovement), uniform),
        ("log_pi", pointwise(Pointwise::LogProbabilityOfImprovement), uniform),
        ("ucb", pointwise(Pointwise::UpperConfidenceBound { beta: 2.0 }), uniform),
        ("eipc, learned cost", pointwise(per_cost), learned),
        ("log_eipc, learned cost", pointwise(log_per_cost), learned),
        ("gittins", (Acquisition::gittins(1e-3), &posterior), uniform),
        ("gittins, learned cost", (Acquisition::gittins(1e-3), &posterior), learned),
        (
            "log_ei, 8 trials under way",
            (Acquisition::Pointwise(Pointwise::LogExpectedImprovement), &after),
            uniform,
        ),
        ("gittins, 8 trials under way", (Acquisition::gittins(1e-3), &after), uniform),
    ] {
        let row = format!("{name}, gradient, n=200,d=8,points={}", points.len());
        let mut group = group(criterion, &row);
        // The trials under way stay only beside the posterior that they were made with.
        let job = gittins_benches::job(&after).pending(pending.as_ref()).posterior(posterior);
        let job = job.cost(cost).acquisition(&acquisition);
        let mut scores = Scores::default();
        table.time(&mut group, &row, "cpu", || {
            Cpu.evaluate(&job, black_box(&points), &mut scores).expect("scores");
        });
        for &precision in precisions(device) {
            let gpu = Gpu::new(device.clone()).precision(precision);
            table.time(&mut group, &row, precision.name(), || {
                gpu.evaluate(&job, black_box(&points), &mut scores).expect("scores");
            });
        }
        group.finish();
    }
    table
}
