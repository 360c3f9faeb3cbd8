//! The papers' experiments, and their published numbers beside ours.
//!
//! ```text
//! cargo run --release -p reproduce -- list
//! cargo run --release -p reproduce -- run fig4-d8-uniform fig2 [--seeds N | --seed S] [--out DIR] [--threads T] [--quick] [--data DIR]
//! cargo run --release -p reproduce -- report DIR
//! ```
//!
//! Seeds run side by side, and each result is written as soon as it is there: a run that is broken
//! off, however, goes on where it was when it is started again, with the same numbers in the end.
//! What several experiments share is run once. Each experiment leaves its numbers (CSV), its
//! pictures (SVG), and `summary.json` with our numbers beside the published ones and whether they
//! agree; `report` makes one page of all that is there, with why numbers differ as far as
//! `explained.csv` knows it.

mod budgeted;
mod bump;
mod catalog;
mod comparison;
mod contest;
mod estimation;
mod experiment;
mod four_points;
mod explained;
mod figure;
mod number;
mod optimization;
mod output;
mod published;
mod report;
mod runner;
mod stopping;
mod store;
mod subsets;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Parser, Subcommand};
use gittins::backend::{BackendOptions, Choice};
use serde_json::json;

use experiment::{Experiment, Size};
use frontend::{Console, Result};
use store::Store;

/// Regenerates the figures of the papers.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The experiments there are.
    List {
        /// Print one JSON object and nothing else.
        #[arg(long)]
        json: bool,
    },
    /// Runs experiments, and says how their numbers compare with the published ones.
    Run {
        /// Names, as `list` has them, or `all`.
        #[arg(required = true)]
        names: Vec<String>,
        /// How many seeds, counted up from 0; each experiment's own number unless set.
        #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
        seeds: Option<u64>,
        /// This seed alone.
        #[arg(long, conflicts_with = "seeds")]
        seed: Option<u64>,
        /// Where results go, and where those of earlier runs are.
        #[arg(long, default_value = "target/reproduce")]
        out: PathBuf,
        /// How many threads; all there are unless set.
        #[arg(long)]
        threads: Option<usize>,
        /// Two seeds and a tenth of the budget, to see everything work.
        #[arg(long)]
        quick: bool,
        /// The folder with published data that some experiments read; without it `all` leaves them
        /// out.
        #[arg(long)]
        data: Option<PathBuf>,
        /// Who evaluates batches: cpu, gpu or auto. On the CPU numbers repeat to the bit.
        #[arg(long, default_value = "cpu")]
        backend: Choice,
        #[command(flatten)]
        console: Console,
    },
    /// Makes one page of the experiments in a folder.
    Report {
        /// The folder that `run` was given.
        folder: PathBuf,
        /// Of runs with `--quick`.
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        console: Console,
    },
}

fn main() -> Result<()> {
    match Args::parse().command {
        Command::List { json } => list(json),
        Command::Run { names, seeds, seed, out, threads, quick, data, backend, console } => {
            if let Some(threads) = threads {
                rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
            }
            let backend = BackendOptions { choice: backend, ..BackendOptions::from_env()? }.open();
            let seeds = seed.map(|seed| seed..seed + 1).or(seeds.map(|count| 0..count));
            run(&names, &Size { seeds, quick, backend, data: data.map(Arc::from) }, &out, &console)
        }
        Command::Report { folder, quick, console } => {
            report::write(&catalog::all(), &folder, quick, &console)
        }
    }
}

fn list(json: bool) -> Result<()> {
    let all = catalog::all();
    if json {
        let rows: Vec<_> = all
            .iter()
            .map(|e| json!({ "name": e.name(), "title": e.title(), "seeds": e.seeds() }))
            .collect();
        println!("{}", json!({ "experiments": rows }));
        return Ok(());
    }
    for experiment in all {
        println!(
            "{:<18} {:>3} seeds  {}",
            experiment.name(),
            experiment.seeds(),
            experiment.title()
        );
    }
    Ok(())
}

fn run(names: &[String], size: &Size, out: &Path, console: &Console) -> Result<()> {
    let all = catalog::all();
    let mut chosen: Vec<&dyn Experiment> = Vec::new();
    for name in names {
        let can_be_run =
            |experiment: &dyn Experiment| size.data.is_some() || !experiment.reads_data();
        let found = all.iter().filter(|experiment| {
            name == "all" && can_be_run(&***experiment) || experiment.name() == name
        });
        let before = chosen.len();
        chosen.extend(found.map(|experiment| &**experiment));
        if chosen.len() == before {
            return Err(io::Error::other(format!(
                "there is no experiment {name:?}; `reproduce list` says which there are"
            ))
            .into());
        }
    }
    let store = Store::write(out)?;
    let progress = runner::run(&chosen, size, &store, console)?;
    let mut summaries = Vec::new();
    for experiment in chosen {
        let digest = experiment.digest(size, &store)?;
        summaries.push(output::write(experiment, &digest, size, out)?);
    }
    output::print(&summaries, out, console, progress);
    Ok(())
}
