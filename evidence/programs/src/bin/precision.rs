//! Compares a device's numbers with those of the CPU, in each precision that the device has. Errors
//! grow toward the data and with less noise.
//!
//! ```text
//! cargo run --release --bin precision -- --adapter llvmpipe
//! ```
//!
//! Half of the data of each model lie around one point, as late in a search. Each point is at a
//! given distance from one of the data, in a random direction. Errors are the largest over all
//! points: of mean, standard deviation and Gittins index in units of the prior's deviation, of the
//! index's gradient relative to the largest gradient. `estimate` is the engine's estimate of a
//! mean's error in single precision. If it is above its bound, the device refuses and the CPU
//! computes instead.

use std::io;

use clap::Parser;
use frontend::{Console, Result};
use gittins::backend::gpu::{Device, Gpu};
use gittins::backend::{Fallback, Precision};
use gittins::internals::gpu::{FIT, single_error};
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Points, Posterior,
    Scores,
};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use serde_json::{Value, json};

/// Compares a device with the CPU, and tells the largest errors.
#[derive(Parser)]
struct Args {
    /// A part of the adapter's name; without one, the best hardware adapter.
    #[arg(long)]
    adapter: Option<String>,
    /// Print the table in Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    console: Console,
    /// One seed fixes every suggestion.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

const FAMILIES: [(&str, KernelFamily); 4] = [
    ("matern12", KernelFamily::Matern12),
    ("matern32", KernelFamily::Matern32),
    ("matern52", KernelFamily::Matern52),
    ("rbf", KernelFamily::Rbf),
];

/// Dimensions and observations.
const SIZES: [(usize, usize); 3] = [(2, 100), (8, 500), (32, 1000)];

/// Variances of the observation noise, in units of the prior's.
const NOISES: [f64; 3] = [1e-2, 1e-4, 1e-6];

/// Distances from the nearest datum, in sides of the cube.
const DISTANCES: [f64; 5] = [0.1, 1e-2, 1e-3, 1e-4, 1e-6];

/// Points at each distance.
const POINTS: usize = 64;

/// The deviation of the cluster in each coordinate.
const CLUSTER: f64 = 0.02;

const COLUMNS: [&str; 11] = [
    "kernel",
    "d",
    "n",
    "noise",
    "precision",
    "estimate",
    "distance",
    "mean",
    "deviation",
    "index",
    "gradient",
];

/// A model, and points near its data.
struct Model {
    posterior: Posterior,
    points: Vec<Points>,
    incumbent: f64,
}

impl Model {
    fn new(family: KernelFamily, d: usize, n: usize, noise: f64, seed: u64) -> Result<Self> {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let mut inputs = Sobol::new(d, seed).points(0, n / 2);
        for _ in n / 2..n {
            let point: Vec<f64> =
                (0..d).map(|_| (0.6 + CLUSTER * normal()).clamp(0.0, 1.0)).collect();
            inputs.push(&point);
        }
        let width = (d as f64).sqrt();
        let smooth = |x: &[f64]| {
            x.iter().enumerate().map(|(k, x)| (3.0 * x + k as f64).sin()).sum::<f64>() / width
        };
        let outcomes: Vec<f64> =
            inputs.rows().map(|x| smooth(x) + noise.sqrt() * normal()).collect();
        let hyperparameters = Hyperparameters {
            lengthscales: vec![0.3 * width; d],
            outputscale: 1.0,
            noise,
            mean: 0.0,
        };
        let mut near = |distance: f64| {
            let mut points = Points::with_capacity(d, POINTS);
            for j in 0..POINTS {
                let direction: Vec<f64> = (0..d).map(|_| normal()).collect();
                let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
                let datum = inputs.row(j * n / POINTS);
                let point: Vec<f64> =
                    datum.iter().zip(&direction).map(|(x, u)| x + distance * u / length).collect();
                points.push(&point);
            }
            points
        };
        let points = DISTANCES.map(&mut near).to_vec();
        let incumbent = outcomes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Self {
            posterior: Posterior::new(family, &hyperparameters, &inputs, &outcomes)?,
            points,
            incumbent,
        })
    }

    /// The largest errors of mean, deviation, index and gradient at the points of a distance; none
    /// if the device refuses.
    fn errors(&self, gpu: &Gpu, points: &Points) -> Result<Option<[f64; 4]>> {
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&self.posterior, JobCost::Uniform(1.0), &acquisition, self.incumbent)
            .gradient(true);
        let (mut host, mut found) = (Scores::default(), Scores::default());
        Cpu.evaluate(&job, points, &mut host)?;
        gpu.evaluate(&job, points, &mut found)?;
        match found.provenance.fallback {
            None => {}
            Some(Fallback::Unfit) => return Ok(None),
            Some(fallback) => Err(io::Error::other(fallback.to_string()))?,
        }
        let deviation = self.posterior.hyperparameters().outputscale.sqrt();
        let largest = |a: &[f64], b: &[f64], of: fn(f64) -> f64| {
            let errors = a.iter().zip(b).map(|(a, b)| (of(*a) - of(*b)).abs());
            // A NaN is the largest error of all.
            errors.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
        };
        let steepest = host.gradient.iter().fold(0.0, |a: f64, g| a.max(g.abs()));
        Ok(Some([
            largest(&host.mean, &found.mean, |x| x) / deviation,
            largest(&host.variance, &found.variance, f64::sqrt) / deviation,
            largest(&host.value, &found.value, |x| x) / deviation,
            largest(&host.gradient, &found.gradient, |x| x) / steepest,
        ]))
    }
}

/// A line of the table, aligned for the terminal or as Markdown.
fn line(cells: &[String; 11], markdown: bool) -> String {
    let widths = [8, 3, 5, 6, 9, 9, 8, 9, 9, 9, 9];
    let left = |k: usize| k == 0 || k == 4;
    let padded = cells.iter().enumerate().map(|(k, cell)| {
        let width = widths[k];
        if left(k) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    });
    let padded: Vec<String> = padded.collect();
    if markdown { format!("| {} |", padded.join(" | ")) } else { padded.join("  ") }
}

fn main() -> Result<()> {
    let args = Args::parse();
    let device = Device::open(args.adapter.as_deref())?;
    let report = device.report().clone();
    let mut precisions = vec![Precision::F32];
    if device.has_double() {
        precisions.push(Precision::F64);
    }
    let gpus: Vec<(Precision, Gpu)> = precisions
        .into_iter()
        .map(|precision| (precision, Gpu::new(device.clone()).precision(precision)))
        .collect();

    let break_line = if args.markdown { "\n\n" } else { "\n" };
    let mut title =
        format!("{} ({}, {}){break_line}", report.name, report.interface, report.driver);
    title += &line(&COLUMNS.map(str::to_string), args.markdown);
    if args.markdown {
        title += "\n|---|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|";
    }
    let progress =
        args.console.progress(title, (FAMILIES.len() * SIZES.len() * NOISES.len()) as u64);
    let mut rows: Vec<Value> = Vec::new();
    for (kernel, family) in FAMILIES {
        for (d, n) in SIZES {
            for noise in NOISES {
                let model = Model::new(family, d, n, noise, args.seed)?;
                let estimate = single_error(&model.posterior);
                let mut lines = Vec::new();
                for (precision, gpu) in &gpus {
                    for (distance, points) in DISTANCES.into_iter().zip(&model.points) {
                        let errors = model.errors(gpu, points)?;
                        let expected = if *precision == Precision::F32 {
                            format!("{estimate:.1e}")
                        } else {
                            String::new()
                        };
                        let [mean, deviation, index, gradient] = match errors {
                            Some(errors) => errors.map(|error| format!("{error:.1e}")),
                            None => std::array::from_fn(|_| "refused".to_string()),
                        };
                        let noise_cell = format!("{noise:.0e}");
                        let distance_cell = format!("{distance:.0e}");
                        let model_cells = [
                            kernel.to_string(),
                            d.to_string(),
                            n.to_string(),
                            noise_cell,
                            precision.to_string(),
                            expected,
                        ];
                        let [a, b, c, e, f, g] = model_cells;
                        lines.push(line(
                            &[a, b, c, e, f, g, distance_cell, mean, deviation, index, gradient],
                            args.markdown,
                        ));
                        rows.push(json!({
                            "kernel": kernel, "d": d, "n": n, "noise": noise, "precision": precision.name(), "estimate": estimate,
                            "distance": distance, "refused": errors.is_none(), "errors": errors,
                        }));
                    }
                }
                progress.step(lines.join("\n"));
            }
        }
    }
    let refused = rows.iter().filter(|row| row["refused"] == true).count();
    let json = json!({ "adapter": report.name, "interface": report.interface, "driver": report.driver, "fit": FIT, "rows": rows });
    let text = format!(
        "{}{refused} of {} refused: single precision is used up to an estimate of {FIT:.1e}",
        &break_line[1..],
        rows.len()
    );
    args.console.result(progress, &json, text);
    Ok(())
}
