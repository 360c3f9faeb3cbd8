//! When do stopping rules stop? The experiment in one dimension of "Cost-aware Stopping for Bayesian Optimization" (Xie et al. 2025, section 4.1).
//!
//! ```text
//! cargo run --release --example stopping_1d -- [--seeds 50] [--out target/stopping_1d] [--quick]
//! ```
//!
//! Functions are drawn from a Gaussian process with a Matern-5/2 kernel of lengthscale 0.1 and searched on a grid of 10 001 points by four acquisitions,
//! 100 evaluations after 4 random points, at a uniform and at a linear cost. Each run is recorded once, and all rules are replayed over it with a price
//! of 0.1, 0.01 and 0.001 for a unit of cost. A rule is judged by the regret that it leaves plus lambda times what it spent.
//!
//! Rules see the run after the last evaluation (the published code saw it one evaluation earlier and charged for both). The probabilistic regret bound
//! maximizes its sample paths over 1001 of the points and takes its decisions by the level test with a guarantee.
//!
//! Seeds run side by side; each leaves a file, so that a run that is broken off goes on where it was. The folder also gets a picture of each panel and
//! `summary.json`.

#[path = "../support/ink.rs"]
mod ink;
mod panel;
mod picture;
mod problem;
#[path = "../support/mod.rs"]
mod support;
mod trial;

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::Parser;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde_json::json;

use support::{Console, Result};
use trial::{LAMBDAS, Seed, Size};

/// Stopping rules over recorded runs on functions of one variable.
#[derive(Parser)]
struct Args {
    /// How many functions, with seeds counted up from --seed.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Where results and pictures go.
    #[arg(long, default_value = "target/stopping_1d")]
    out: PathBuf,
    /// Two functions, a coarser grid and fewer evaluations, to see it work.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    console: Console,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let (seeds, size) = match args.quick {
        true => (args.seeds.min(2), Size { iterations: 30, grid: 1001, path_grid: 201 }),
        false => (args.seeds, Size { iterations: 100, grid: 10_001, path_grid: 1001 }),
    };
    fs::create_dir_all(&args.out)?;
    let title = format!("{seeds} functions, {} evaluations each, on a grid of {}", size.iterations, size.grid);
    let progress = args.console.progress(title, seeds);
    let all: Vec<u64> = (args.console.seed..).take(seeds as usize).collect();
    let done = |seed: u64| -> io::Result<Seed> {
        let done = Seed::load_or_run(&args.out, seed, size).map_err(|error| io::Error::other(format!("seed {seed}: {error:?}")))?;
        progress.step(format_args!("seed {seed:>3} done"));
        Ok(done)
    };
    let runs = all.into_par_iter().map(done).collect::<io::Result<Vec<Seed>>>()?;

    let panels = panel::panels(&runs)?;
    let mut text = String::new();
    for panel in &panels {
        let name = format!("{}_{}.svg", panel.price.name(), panel.lambda);
        picture::draw(&args.out.join(name), panel)?;
        text += &panel.text();
        text += "\n\n";
    }
    let apart = panels.iter().map(|panel| panel.difference_in_standard_errors.abs()).fold(0.0, f64::max);
    let watched = || panels.iter().filter(|panel| panel.lambda > LAMBDAS[2]);
    let worst = watched().flat_map(|panel| &panel.beaten_by).map(|beaten| beaten.standard_errors).fold(0.0, f64::max);
    text += &format!(
        "hindsight against the published values: at most {apart:.2} standard errors apart\n\
         the index's own rule on its own runs and on LogEIPC's, lambda 0.1 and 0.01: beaten by at most {worst:.2} standard errors\n\
         pictures and summary.json in {}",
        args.out.display()
    );
    let json = json!({
        "seeds": seeds, "size": size, "panels": panels,
        "hindsight_standard_errors": apart, "beaten_standard_errors": worst,
    });
    fs::write(args.out.join("summary.json"), serde_json::to_string_pretty(&json)?)?;
    args.console.result(progress, &json, text);
    Ok(())
}
